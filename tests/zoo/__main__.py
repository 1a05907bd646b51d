"""Print the detection matrix: `python -m tests.zoo [--seeds 3] [--seconds 30] [--outsider]`."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable

from filterproof_properties.audit.power import Trial, matrix, table
from tests import outsider
from tests.zoo import HELD_OUT, SOUND, WRONG, Specimen

INSIDE = (
    ("wrong filters, used while tuning", [w for w in WRONG if w.name not in HELD_OUT]),
    ("wrong filters, held out while tuning", [w for w in WRONG if w.name in HELD_OUT]),
    ("sound filters that look wrong", [*SOUND]),
)
OUTSIDE = (
    ("wrong filters by an outsider", [*outsider.WRONG]),
    ("sound filters by an outsider", [*outsider.SOUND]),
)


def trials(specimens: Iterable[Specimen], seeds: int) -> list[Trial]:
    return [
        Trial(one.name, one.target, seed, one.sound) for one in specimens for seed in range(seeds)
    ]


def main() -> int:
    parser = ArgumentParser(description="The detection matrix of the search.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each wrong filter")
    parser.add_argument("--sound-seconds", type=float, default=10.0, help="for each sound one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--outsider", action="store_true", help="the outsider's filters instead")
    options = parser.parse_args()
    good = True
    for title, some in OUTSIDE if options.outsider else INSIDE:
        seconds = options.sound_seconds if some[0].sound else options.seconds
        rows = matrix(trials(some, options.seeds), seconds, options.jobs)
        sys.stdout.write(table(title, rows) + "\n")
        sys.stdout.flush()
        good = good and all(row.as_expected for row in rows)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
