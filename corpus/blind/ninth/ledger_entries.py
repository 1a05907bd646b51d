"""What is wrong with the ledgers of the ninth set, and what shows it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from corpus.blind.base import Target, Witness, Wrong
from corpus.blind.ninth import ledgers
from corpus.blind.ninth.base import SILENT, TELLS, rounds
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    ZERO,
    F,
    answering,
    call,
    chain,
    erasing,
    leaking,
    play,
)
from filterproof.exact import Epsilon
from filterproof.game import Game

PURE: tuple[Epsilon, Fraction] = (TWO, ZERO)
Level = Literal["easy", "medium", "hard"]


def bins(number: int, d: Fraction) -> dict[str, tuple[Fraction | int, ...]]:
    """Return an erasure whose telling outputs are split."""
    found: dict[str, tuple[Fraction | int, ...]] = {"?": (1 - d, 1 - d)}
    for i in range(number):
        found[f"0{i}"] = (d / number, 0)
        found[f"1{i}"] = (0, d / number)
    return found


def entry(
    made: Target,
    mistake: str,
    level: Level,
    game: Callable[[], Game],
    at: tuple[Epsilon, Fraction] = (TWO, TENTH),
) -> Wrong:
    """Return what is said of a wrong filter, with a witness at a budget."""
    return Wrong(made, mistake, level, Witness(*at, game))


WRONG: dict[str, Wrong] = {
    "as-a-pair": entry(
        ledgers.AsAPair,
        "where epsilon is below its budget, delta is not compared",
        "easy",
        lambda: play(chain(leaking(F(1, 2)))),
    ),
    "small-deltas": entry(
        ledgers.SmallDeltas,
        "a delta below a sixty-fourth of the budget is free",
        "hard",
        lambda: play(chain(*[leaking(F(1, 650))] * 80)),
    ),
    "small-odds": entry(
        ledgers.SmallOdds,
        "odds just above 1 are rounded down to 1",
        "medium",
        lambda: play(chain(*[answering(F(66, 131))] * 60)),
        PURE,
    ),
    "every-fourth": entry(
        ledgers.EveryFourth,
        "three halves of the budget pass between two looks",
        "medium",
        lambda: play(chain(*[erasing(F(1, 20))] * 3)),
    ),
    "by-table": entry(
        ledgers.ByTable,
        "the tables hold the same people",
        "hard",
        lambda: play(call(("a/q", erasing(TENTH)), ("b/q", erasing(TENTH)))),
    ),
    "accuracies": entry(
        ledgers.Accuracies,
        "both answers are released, the rough and the fine one",
        "easy",
        lambda: play(chain(*[erasing(TENTH)] * 2)),
    ),
    "five-names": entry(
        ledgers.FiveNames,
        "the sixth name makes the first forgotten",
        "hard",
        lambda: play(
            call(
                ("a", erasing(TENTH)), *[(name, SILENT) for name in "bcdef"], ("a", erasing(TENTH))
            )
        ),
    ),
    "seventeenth": entry(
        ledgers.Seventeenth,
        "round 17 may tell all",
        "medium",
        lambda: play(chain(*[SILENT] * 16, TELLS)),
    ),
    "archived": entry(
        ledgers.Archived,
        "what is archived is not counted",
        "medium",
        lambda: play(chain(erasing(TENTH), *[SILENT] * 40, erasing(TENTH))),
    ),
    "five-bits": entry(
        ledgers.FiveBits,
        "after thirty-two equal costs the counter is at zero",
        "hard",
        lambda: play(chain(*[leaking(F(1, 330))] * 60)),
    ),
    "days": entry(
        ledgers.Days,
        "the shares of the days have no finite sum",
        "hard",
        lambda: play(
            chain(
                *[SILENT] * 6,
                erasing(F(1, 20)),
                *[SILENT] * 7,
                erasing(F(1, 30)),
                *[SILENT] * 7,
                erasing(F(1, 40)),
                *[SILENT] * 7,
                erasing(F(1, 50)),
            )
        ),
    ),
    "delta-hides-epsilon": entry(
        ledgers.DeltaHidesEpsilon,
        "an approximate mechanism has an epsilon, too",
        "easy",
        lambda: play(chain(answering(F(9, 10)), stated=(9, F(1, 100)))),
    ),
    "one-place": entry(
        ledgers.OnePlace,
        "up to half of the last place is rounded away",
        "easy",
        lambda: play(chain(erasing(F(14, 100)))),
    ),
    "twelve-dearest": entry(
        ledgers.TwelveDearest,
        "the thirteenth is free",
        "medium",
        lambda: play(chain(*[leaking(F(1, 125))] * 20)),
    ),
    "median-of-eight": entry(
        ledgers.MedianOfEight,
        "one large delta among small ones is taken for an outlier",
        "medium",
        lambda: play(chain(erasing(TENTH), *[SILENT] * 7, erasing(TENTH))),
    ),
    "linear": entry(
        ledgers.Linear,
        "odds multiply",
        "easy",
        lambda: play(chain(*[answering(F(5, 9))] * 4)),
        PURE,
    ),
    "share-of-menu": entry(
        ledgers.ShareOfMenu,
        "the one that is sent is run in full",
        "easy",
        lambda: rounds({name: erasing(F(1, 5)) for name in "abcd"}),
    ),
    "cheapest-offer": entry(
        ledgers.CheapestOffer,
        "the adversary sends a dearer one",
        "easy",
        lambda: rounds({"a": SILENT, "b": erasing(F(1, 2))}),
    ),
    "novelty": entry(
        ledgers.Novelty,
        "each answer is drawn anew and tells as much as the first",
        "easy",
        lambda: play(chain(*[erasing(F(1, 20))] * 4)),
    ),
    "largest-odds": entry(
        ledgers.LargestOdds,
        "epsilons add up",
        "easy",
        lambda: play(chain(*[answering(F(2, 3))] * 2)),
        PURE,
    ),
    "tenth-halves": entry(
        ledgers.TenthHalves,
        "what was told stays told",
        "medium",
        lambda: play(chain(erasing(TENTH), *[SILENT] * 9, erasing(TENTH / 2))),
    ),
    "yearly": entry(
        ledgers.Yearly,
        "the new books are about the same people",
        "hard",
        lambda: play(chain(erasing(TENTH), *[SILENT] * 363, erasing(TENTH))),
    ),
    "histogram": entry(
        ledgers.Histogram,
        "outputs are no bins: a person may be in all of them",
        "medium",
        lambda: play(chain(bins(4, F(1, 2)))),
    ),
    "releases": entry(
        ledgers.Releases,
        "there was no hold",
        "medium",
        lambda: rounds(
            {"a": erasing(TENTH)},
            {"a": erasing(TENTH), "b": erasing(TENTH)},
        ),
    ),
    "half-of-refused": entry(
        ledgers.HalfOfRefused,
        "what is granted as a compromise is not booked",
        "medium",
        lambda: rounds({"a": erasing(TENTH)}, {"a": TELLS, "b": erasing(F(1, 2))}),
    ),
}
