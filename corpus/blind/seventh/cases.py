"""What is wrong with the classes of the seventh set, and what shows it."""

from random import Random

from corpus.blind.fifth.base import Step, amount, ask, sound, tell, wait, wrong
from corpus.blind.seventh import objects, sound_objects

SPEND = "--spend spend"
HOLD = "--check reserve --spend commit --between --clock time.monotonic"


def alone(random: Random) -> list[Step]:
    return [ask("spend", amount(random))]


def named(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice(["ann", "bob", "cy"]))]


CASES = (
    wrong(
        objects.MinuteWindow,
        f"{SPEND} --clock time.time",
        "The next minute has a budget of its own.",
        ask("spend", 0.9),
        wait(120),
        ask("spend", 0.9),
    ),
    wrong(
        objects.SlidingExpiry,
        f"{SPEND} --clock time.time",
        "After a quiet hour everything is forgotten.",
        ask("spend", 0.9),
        wait(4000),
        ask("spend", 0.9),
    ),
    wrong(
        objects.IdempotencyKey,
        f"{SPEND} --free key=str",
        "A known key pays for anything.",
        ask("spend", 0.1, "a"),
        ask("spend", 5.0, "a"),
    ),
    wrong(
        objects.PrefixPurge,
        f"{SPEND} --free user=eve,eve2",
        "The name of one user begins with that of another.",
        ask("spend", 0.9, "eve2"),
        ask("spend", 0.1, "eve"),
        ask("spend", 0.9, "eve2"),
    ),
    wrong(
        objects.HoldsLapse,
        HOLD,
        "What has run for ten minutes is no longer counted.",
        ask("commit", 0.9, check="reserve"),
        wait(700),
        ask("commit", 0.9, check="reserve"),
    ),
    wrong(
        objects.PopsHistory,
        "--check affords --spend record",
        "A request of another cost makes the last one forgotten.",
        ask("record", 0.8, check="affords"),
        ask("record", 0.1, check="affords"),
        ask("record", 0.8, check="affords"),
    ),
    wrong(
        objects.Twentieths,
        SPEND,
        "Less than half of a twentieth is free.",
        ask("spend", 0.024, times=60),
    ),
    wrong(
        objects.BothCounters,
        f"{SPEND} --fails refund",
        "A failure is paid back twice.",
        ask("spend", 0.9),
        tell("refund", 0.9),
        ask("spend", 0.9),
    ),
    wrong(
        objects.CancelsOldest,
        f"{SPEND} --fails failed",
        "A failure makes the first spend forgotten.",
        ask("spend", 0.8),
        ask("spend", 0.1),
        tell("failed"),
        ask("spend", 0.8),
    ),
    wrong(
        objects.UnsetIsUnlimited,
        SPEND,
        "A delta of 0 is taken for none.",
        ask("spend", 0.1, 0.5),
        budget=(1.0, 0.0),
        limit=(1.0, 0.01),
    ),
    wrong(
        objects.BookedAtTheNext,
        SPEND,
        "The last request is not counted.",
        ask("spend", 0.9, times=2),
    ),
    wrong(
        objects.ZeroIsNew,
        "--spend deduct",
        "After a refusal the budget is whole again.",
        ask("deduct", 0.9),
        ask("deduct", 0.5),
        ask("deduct", 0.9),
    ),
    wrong(
        objects.CountedByLength,
        f"{SPEND} --free query=a,b",
        "A query that comes again is not counted.",
        ask("spend", 0.4, "a", times=4),
    ),
    wrong(
        objects.DearestAttempt,
        f"{SPEND} --free job=a,b",
        "All attempts have seen the data.",
        ask("spend", 0.9, "a", times=2),
    ),
    wrong(objects.SoftLimit, SPEND, "The budget is no limit.", ask("spend", 1.25)),
    wrong(
        objects.LastBatch,
        f"{SPEND} --free batch=16,64",
        "Another batch size starts the count of equal steps anew.",
        *[ask("spend", 0.4, one, costs=(0.4,)) for one in (16, 64, 16, 64)],
    ),
    sound(
        sound_objects.TupleKeys,
        f"{SPEND} --free org=a,ab --free team=b,bc",
        "All books together are within the budget.",
        lambda random: [ask("spend", amount(random), *random.choice([("a", "bc"), ("ab", "c")]))],
    ),
    sound(
        sound_objects.FoldsEvicted,
        f"{SPEND} --free user=ann,bob,cy",
        "Nothing is forgotten.",
        named,
    ),
    sound(
        sound_objects.HoldsStay,
        HOLD,
        "Only the next commit ends a hold.",
        lambda random: [wait(500.0), ask("commit", amount(random), check="reserve")],
    ),
    sound(
        sound_objects.LogsFailures,
        f"{SPEND} --fails refund",
        "What failed stays paid.",
        lambda random: [ask("spend", cost := amount(random)), tell("refund", cost)],
    ),
    sound(sound_objects.RoundsUp, SPEND, "Every price is above the cost.", alone),
    sound(
        sound_objects.WeekOfDays,
        f"{SPEND} --clock time.time",
        "The budget is never renewed.",
        lambda random: [wait(50000.0), ask("spend", amount(random, 0.2))],
    ),
    sound(
        sound_objects.QuotaAndTotal,
        f"{SPEND} --free analyst=ann,bob,cy",
        "The whole is capped.",
        named,
    ),
    sound(sound_objects.LocksOut, SPEND, "Refusals only take away.", alone),
)
