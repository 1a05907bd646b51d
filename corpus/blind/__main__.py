"""Measure the search on a blind set: `python -m corpus.blind first [--seconds S] [--jobs J]`.

Every line is what `filterproof audit` does with that filter in its default time on one core.
"""

import sys
from argparse import ArgumentParser

from corpus.blind.named import SETS
from corpus.power import Trial, matrix, table
from filterproof_properties.cli.options import effort
from filterproof_properties.options.settings import Settings


def trials(which: str, *, sound: bool) -> list[Trial]:
    entries = SETS[which].SOUND if sound else SETS[which].WRONG
    return [Trial(name, f"corpus.blind.named:{which}--{name}", 0, sound) for name in entries]


def main() -> int:
    parser = ArgumentParser(description="The search, measured on filters it was not made for.")
    parser.add_argument("which", choices=sorted(SETS))
    parser.add_argument("--seconds", type=float, help="per filter (default: as the command)")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    settings = effort(Settings(seconds=options.seconds, exact=True), everything=False)
    for sound in (False, True):
        rows = matrix(trials(options.which, sound=sound), settings, options.jobs)
        title = f"{options.which} set, {'sound' if sound else 'wrong'}"
        sys.stdout.write(table(title, rows) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
