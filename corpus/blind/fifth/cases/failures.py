"""What is wrong with the classes that have a word for failures."""

from random import Random

from corpus.blind.fifth import failures
from corpus.blind.fifth.base import Step, amount, ask, sound, tell, wrong


def guarded(random: Random) -> list[Step]:
    return [ask("spend", amount(random), fails=random.random() < 0.5)]


SPEND = "--spend spend"
FAILS = "--spend spend --fails failed"
HOLD = "--check reserve --spend commit --between --fails release"
CASES = (
    wrong(
        failures.GivesBackOnError,
        SPEND,
        "A query that raises has seen the data.",
        ask("spend", 0.9, fails=True),
        ask("spend", 0.9),
    ),
    wrong(
        failures.BooksAfterwards,
        SPEND,
        "A query that raises is not booked.",
        ask("spend", 0.9, fails=True),
        ask("spend", 0.9),
    ),
    wrong(
        failures.HalfBack,
        FAILS,
        "Half of a cost comes back.",
        ask("spend", 1.0),
        tell("failed", 1.0),
        ask("spend", 0.5),
        tell("failed", 0.5),
        ask("spend", 0.25),
    ),
    wrong(
        failures.ThreeRefunds,
        FAILS,
        "Three costs come back.",
        ask("spend", 0.9),
        tell("failed", 0.9),
        ask("spend", 0.9),
    ),
    wrong(
        failures.OnlyLargeBack,
        FAILS,
        "Large costs come back.",
        ask("spend", 0.9),
        tell("failed", 0.9),
        ask("spend", 0.9),
    ),
    wrong(
        failures.Holds,
        HOLD,
        "A run that failed is let go of.",
        ask("commit", 0.5, check="reserve"),
        ask("release", 0.5, check="reserve"),
        ask("commit", 0.5, check="reserve"),
    ),
    wrong(
        failures.SkipsRepeats,
        "--check affords --spend record --between",
        "Two runs of one cost after each other are taken for one.",
        ask("record", 0.5, check="affords", times=4),
    ),
    wrong(
        failures.Breaker,
        FAILS,
        "Three failures bring the whole budget back.",
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.9),
    ),
    wrong(
        failures.CreditNote,
        FAILS,
        "The cost of a failure is taken off the next price.",
        ask("spend", 0.9),
        tell("failed", 0.9),
        ask("spend", 0.9),
    ),
    wrong(
        failures.DeltaBack,
        FAILS,
        "Delta comes back.",
        ask("spend", 0.1, 0.01),
        tell("failed", 0.01),
        ask("spend", 0.1, 0.01),
        tell("failed", 0.01),
        ask("spend", 0.1, 0.01),
        budget=(1.0, 0.01),
    ),
    wrong(
        failures.UndoStack,
        FAILS,
        "All failures but the first are undone.",
        ask("spend", 0.1),
        ask("spend", 0.8),
        tell("failed"),
        ask("spend", 0.9),
    ),
    wrong(
        failures.SavesFailure,
        FAILS,
        "From the third failure on all failures are free.",
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.3),
        tell("failed"),
        ask("spend", 0.9),
    ),
    sound(failures.KeepsOnError, SPEND, "A failure changes nothing.", guarded),
    sound(failures.BooksInTheEnd, SPEND, "A failure is booked, too.", guarded),
    sound(
        failures.DoubleDeposit,
        FAILS,
        "What comes back was paid beyond the price.",
        lambda random: deposit(amount(random), random.random() < 0.5),
    ),
    sound(
        failures.HoldsForGood,
        HOLD,
        "A failure is booked, too.",
        lambda random: [ask(random.choice(["commit", "release"]), amount(random), check="reserve")],
    ),
)


def deposit(cost: float, fails: bool) -> list[Step]:
    return [ask("spend", cost), *([tell("failed", cost)] if fails else [])]
