"""`filterproof tune`: which filter lasts longest on given mechanisms, and with which parameters."""

import argparse
import sys
from typing import TYPE_CHECKING

from filterproof_properties.cli.options import at_least
from filterproof_properties.options.table import budget_epsilon, exact, probability

if TYPE_CHECKING:
    from filterproof_properties.choose.domains import Guarded
    from filterproof_properties.choose.filters import Row

EPILOG = """\
MECHANISMs such as gaussian:2, laplace:4, discrete-gaussian:2, geometric:1/2,
randomised-response:3/5, unary:3/5 and erasure:1/100 are asked in turn; one file with a game
in JSON is played exactly.

What the data could be decides: two databases (--domain pair), a count (counts:61 is 0 to 60),
or one record with so many values, every two of them neighbours (values:4).

examples:
  filterproof tune gaussian:2 --epsilon 5 --delta 0.001 --rounds 20
  filterproof tune gaussian:2 --domain counts:61 --epsilon 5 --delta 0.001 --rounds 20
  filterproof tune randomised-response:1/3 --domain values:4 --epsilon 2 --delta 0
  filterproof tune game.json --epsilon 'log(2)' --delta 1/10"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("mechanisms", nargs="+", metavar="MECHANISM")
    made.add_argument(
        "--epsilon", type=exact(budget_epsilon), required=True, metavar="E", help="the budget"
    )
    made.add_argument(
        "--delta", type=exact(probability), required=True, metavar="D", help="the budget"
    )
    made.add_argument(
        "--domain", metavar="D", help="what the data could be: pair (default), counts:N, values:K"
    )
    made.add_argument(
        "--rounds",
        type=at_least(1),
        default=48,
        metavar="N",
        help="at most so many requests (default 48)",
    )
    made.add_argument("--paths", type=at_least(1), metavar="N", help="plays to simulate")
    made.add_argument(
        "--seed",
        type=at_least(0),
        default=0,
        metavar="N",
        help="the same number repeats a run (default 0)",
    )


def run(options: argparse.Namespace) -> int:
    """Print the table, the longest first, and the Python to paste."""
    from filterproof_properties.choose.domains import SpecError, parse_domain
    from filterproof_properties.choose.paste import python
    from filterproof_properties.choose.tune import is_game, longest_first, tune
    from filterproof_properties.reports.progress import Gathering
    from filterproof_properties.reports.terminal import console

    asked = options.mechanisms, options.epsilon, options.delta
    plays = {"rounds": options.rounds, "paths": options.paths, "seed": options.seed}
    if is_game(options.mechanisms) and options.domain is not None:
        raise SpecError("a game has its own databases; leave --domain out")
    domain = parse_domain(options.domain or "pair")
    with Gathering["Row"](console(stderr=True), "filters") as found:
        for row in tune(*asked, domain=domain, **plays):
            found(row, row.filter)
    rows = longest_first(found.items)
    if rows:
        sys.stdout.write(_table(options, rows, domain))
    if found.interrupted:  # what is best is not known yet
        raise KeyboardInterrupt
    if not is_game(options.mechanisms):
        sys.stdout.write("\n" + python(rows, *asked, domain))
    return 0


def _table(options: argparse.Namespace, rows: "list[Row]", domain: "Guarded") -> str:
    from filterproof_properties.choose.tune import is_game, tune_text
    from filterproof_properties.reports.columns import screen_width

    said = domain.said if options.domain else f"{domain.said} (the default; say --domain)"
    shown = None if is_game(options.mechanisms) else said
    return tune_text(rows, options.epsilon, options.delta, shown, screen_width())
