"""`python -m conformance ADAPTER`: all that can be observed of one adapter, as one JSON file."""

import argparse
import sys
from pathlib import Path

from conformance import observe
from filterproof_properties.adapters import UnknownAdapter, info_of
from filterproof_properties.cli.options import add_options, effort, limits, settings
from filterproof_properties.reports.progress import LiveProgress
from filterproof_properties.reports.terminal import console
from filterproof_properties.targets.loading import check_name
from filterproof_properties.targets.target import TargetError

EPILOG = """\
Plays the published findings on a library again, searches for new ones, asks for a budget in slices
and hands in odd input, as far as there are such probes for the adapter.  `make -C conformance page`
draws the page and the badges from the files in docs/conformance.

example:
  python -m conformance opendp --output docs/conformance

exit codes: 0 the file was written; 2 wrong usage, or the library is missing"""


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and observe one adapter."""
    made = argparse.ArgumentParser(
        prog="python -m conformance",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("adapter", metavar="ADAPTER", help="an adapter of `filterproof list`")
    made.add_argument(
        "--output", type=Path, metavar="DIR", default=Path(), help="the folder (default: here)"
    )
    add_options(made, "search", "limits")
    try:
        return run(made.parse_args(arguments))
    except (UnknownAdapter, TargetError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def run(options: argparse.Namespace) -> int:
    """Observe one adapter and write its file, and the certificate of what the search found."""
    name = info_of(options.adapter).name
    check_name(name)
    tried = effort(settings(options), everything=False)
    with LiveProgress(1, console(stderr=True), tried.seconds) as live:
        seen = observe.observe(name, tried, limits(options), live)
    options.output.mkdir(parents=True, exist_ok=True)
    for file, text in observe.files(name, seen).items():
        (options.output / file).write_text(text, encoding="ascii")
        sys.stdout.write(f"wrote {options.output / file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
