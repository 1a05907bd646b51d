"""Print the detection matrix: `python -m corpus.zoo [--seeds 1] [--outsider] [--only NAME ...]`.

Every line is what `filterproof audit` does with that filter in its default time on one core.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable

from corpus import outsider
from corpus.power import Trial, matrix, table
from corpus.zoo import FIRST, HELD_OUT, LATER, SOUND, Specimen
from filterproof_properties.cli.options import effort
from filterproof_properties.options.settings import Settings

INSIDE = (
    ("wrong filters, used while tuning", [w for w in FIRST if w.name not in HELD_OUT]),
    ("wrong filters, held out while tuning", [w for w in FIRST if w.name in HELD_OUT]),
    ("wrong ledgers on public record, added later", [*LATER]),
    ("sound filters that look wrong", [*SOUND]),
)
OUTSIDE = (
    ("wrong filters by an outsider", [*outsider.WRONG]),
    ("sound filters by an outsider", [*outsider.SOUND]),
)


def trials(specimens: Iterable[Specimen], seeds: int) -> list[Trial]:
    return [
        Trial(one.name, one.spec, seed, one.sound) for one in specimens for seed in range(seeds)
    ]


def main() -> int:
    parser = ArgumentParser(description="The detection matrix of the search.")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="per filter (default: as the command)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--outsider", action="store_true", help="the outsider's filters instead")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these filters")
    options = parser.parse_args()
    settings = effort(Settings(seconds=options.seconds, exact=True), everything=False)
    good = True
    for title, every in OUTSIDE if options.outsider else INSIDE:
        some = [one for one in every if one.name in options.only or not options.only]
        rows = matrix(trials(some, options.seeds), settings, options.jobs)
        sys.stdout.write(table(title, rows) + "\n")
        sys.stdout.flush()
        good = good and all(row.as_expected for row in rows)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
