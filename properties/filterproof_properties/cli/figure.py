"""`filterproof figure`: the paper's figure of survival curves, with the missing baselines."""

import argparse
import sys
from pathlib import Path

from filterproof_properties.cli.options import at_least
from filterproof_properties.processes.writing import write_in_time

EPILOG = """\
Without --output the curves are shown on the terminal.  A picture needs filterproof[report].

examples:
  filterproof figure
  filterproof figure --output figure.svg --output figure.csv --epsilon 5"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    for name, what in (("epsilon", "the budget"), ("delta", "the budget"), ("sigma", "the noise")):
        made.add_argument(f"--{name}", type=float, metavar="X", help=f"{what}, a float")
    made.add_argument("--rounds", type=at_least(1), metavar="N", help="how many rounds")
    made.add_argument(
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write .png, .svg or .csv instead of the terminal",
    )


def run(options: argparse.Namespace) -> int:
    """Compute the curves once and write them wherever they are asked for."""
    from filterproof.curves.figure import curves
    from filterproof.curves.gaussian import Setting
    from filterproof.curves.survival import Curve
    from filterproof_properties.reports import figure
    from filterproof_properties.reports.progress import Gathering
    from filterproof_properties.reports.terminal import console

    names = ("epsilon", "delta", "sigma", "rounds")
    given = {name: getattr(options, name) for name in names}
    chosen = {name: value for name, value in given.items() if value is not None}
    setting = Setting(**{"epsilon": figure.DEFAULT_EPSILON, **chosen})
    for path in options.output:
        if path.suffix != ".csv":
            figure.check_drawable(path)
    with Gathering[tuple[str, Curve]](console(stderr=True), "curves") as found:
        for kind, curve in curves(setting):
            found((kind, curve), curve.name)
    if found.interrupted:
        sys.stdout.write(figure.table_text(found.items))
        raise KeyboardInterrupt
    for path in options.output:
        if path.suffix == ".csv":
            write_in_time(path, figure.csv_text(found.items).encode())
        else:
            figure.draw(setting, found.items, path)
    if not options.output:
        sys.stdout.write(figure.terminal_text(setting, found.items))
    return 0
