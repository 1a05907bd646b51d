"""Print the detection matrix: `python -m tests.zoo [--seeds 3] [--seconds 30] [--jobs 2]`."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable

from filterproof_properties.power import Trial, matrix, table
from tests.zoo import HELD_OUT, SOUND, WRONG, Specimen


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
    options = parser.parse_args()
    parts = (
        ("wrong filters, used while tuning", [w for w in WRONG if w.name not in HELD_OUT]),
        ("wrong filters, held out while tuning", [w for w in WRONG if w.name in HELD_OUT]),
        ("sound filters that look wrong", [*SOUND]),
    )
    good = True
    for title, some in parts:
        seconds = options.sound_seconds if some[0].sound else options.seconds
        rows = matrix(trials(some, options.seeds), seconds, options.jobs)
        sys.stdout.write(table(title, rows) + "\n")
        sys.stdout.flush()
        good = good and all(row.as_expected for row in rows)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
