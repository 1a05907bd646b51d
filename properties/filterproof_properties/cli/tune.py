"""`filterproof tune`: which filter lasts longest on given mechanisms, and with which parameters."""

import argparse
import sys

from filterproof_properties.cli.options import (
    Commands,
    at_least,
    command,
    exact,
)
from filterproof_properties.config import budget_epsilon, probability

EPILOG = """\
MECHANISMs such as gaussian:2, laplace:4, discrete-gaussian:2, geometric:1/2 and
randomised-response:3/5 are asked in turn; one file with a game in JSON is played exactly.

examples:
  filterproof tune gaussian:2 --epsilon 5 --delta 0.001 --rounds 20
  filterproof tune randomised-response:3/5 laplace:4 --epsilon 2 --delta 0.01
  filterproof tune game.json --epsilon 'log(2)' --delta 1/10"""


def add(commands: Commands) -> None:
    """Declare the sub-command."""
    made = command(commands, "tune", run, "say which filter lasts longest on a workload", EPILOG)
    made.add_argument("mechanisms", nargs="+", metavar="MECHANISM")
    made.add_argument("--epsilon", type=exact(budget_epsilon), required=True, metavar="E")
    made.add_argument("--delta", type=exact(probability), required=True, metavar="D")
    made.add_argument("--rounds", type=at_least(1), default=48, metavar="N", help="default 48")
    made.add_argument("--paths", type=at_least(1), metavar="N", help="plays to simulate")
    made.add_argument("--seed", type=at_least(0), default=0, metavar="N", help="default 0")


def run(options: argparse.Namespace) -> int:
    """Print the table, the longest first."""
    from filterproof.utility.rounds import GameTooLarge
    from filterproof_properties.choose.losses import SpecError
    from filterproof_properties.choose.tune import PATHS, tune, tune_text

    paths = options.paths or PATHS
    asked = options.mechanisms, options.epsilon, options.delta
    try:
        rows = tune(*asked, rounds=options.rounds, paths=paths, seed=options.seed)
    except (SpecError, GameTooLarge) as error:
        sys.stderr.write(f"filterproof tune: {error}\n")
        return 2
    sys.stdout.write(tune_text(rows, options.epsilon, options.delta))
    return 0
