"""What is wrong with the classes that add and compare."""

from random import Random

from corpus.blind.fifth import sums
from corpus.blind.fifth.base import Step, amount, ask, sound, wrong


def one(random: Random) -> list[Step]:
    return [ask("spend", amount(random))]


def two(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice([0.0, amount(random, 0.01)]))]


SPEND = "--spend spend"
BOTH = (1.0, 0.01)
CASES = (
    wrong(
        sums.StopsWhenEmpty,
        SPEND,
        "Asks whether anything is left, not whether enough is.",
        ask("spend", 0.9, times=2),
    ),
    wrong(sums.Cents, SPEND, "What rounds to no cent is free.", ask("spend", 0.004, times=400)),
    wrong(sums.Percent, SPEND, "Percents are rounded down.", ask("spend", 0.019, times=100)),
    wrong(
        sums.ComparesTexts,
        SPEND,
        "Numbers are compared as texts: 4.0 comes before 4.9e-05.",
        ask("spend", 0.99995),
        ask("spend", 4.0),
    ),
    wrong(
        sums.TwoDigits,
        SPEND,
        "A small cost vanishes beside a large sum.",
        ask("spend", 0.9),
        ask("spend", 0.004, times=100),
    ),
    wrong(
        sums.SmallChange,
        SPEND,
        "Small costs are not booked, however many.",
        ask("spend", 1.0),
        ask("spend", 0.04, times=10),
    ),
    wrong(
        sums.BulkDiscount,
        f"{SPEND} --free rows=int",
        "A large batch loses as much privacy as a small one.",
        ask("spend", 0.5, 12, times=4),
    ),
    wrong(
        sums.Tolerant,
        SPEND,
        "The slack is there again after each overdraft.",
        ask("spend", 1.0),
        ask("spend", 0.1, times=5),
    ),
    wrong(
        sums.Diagonal,
        SPEND,
        "Epsilons are added as if they were standard deviations.",
        ask("spend", 0.7, times=2),
    ),
    wrong(
        sums.LatestDelta,
        SPEND,
        "Delta is overwritten and never summed.",
        ask("spend", 0.1, 0.01, times=3),
        budget=BOTH,
    ),
    wrong(
        sums.PairCompared,
        SPEND,
        "Tuples are compared from the left: delta counts only where epsilon is used up.",
        ask("spend", 0.25, 0.01, times=3),
        budget=BOTH,
    ),
    wrong(
        sums.NightlyJob,
        SPEND,
        "A cost of a certain size is never booked.",
        ask("spend", 0.125, times=10),
    ),
    wrong(
        sums.CheapAfterHalf,
        SPEND,
        "The second half is sold at a quarter of its price.",
        ask("spend", 0.5, times=4),
    ),
    wrong(
        sums.RemainderOnly,
        SPEND,
        "A request over what is left is granted whole and booked in part.",
        ask("spend", 0.75, times=2),
    ),
    sound(sums.CentsUp, SPEND, "Rounds against the one who asks.", one),
    sound(sums.Micros, SPEND, "Rounds costs up and the budget down.", one),
    sound(sums.Distance, SPEND, "What is spent is never over the total.", one),
    sound(sums.Minimum, SPEND, "A fee only makes it dearer.", two, budget=BOTH),
)
