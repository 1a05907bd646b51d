"""Why the sound budgets are sound."""

from decimal import Decimal
from random import Random

from corpus.blind.eighth import sound as right
from corpus.blind.fifth.base import Step, amount, ask, sound, tell, wait

SPEND = "--spend spend"
CURVE = (0.25, 0.5, 1.0)


def alone(random: Random) -> list[Step]:
    return [ask("spend", amount(random))]


def small(random: Random) -> list[Step]:
    return [ask("spend", amount(random, 0.2))]


def pair(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice([0.0, 1e-6, 1e-5]))]


def named(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice(["ann", "bob", "cy"]))]


def decimal(random: Random) -> list[Step]:
    cost = Decimal(random.randrange(1, 6000)) / 10000
    return [ask("spend", cost, costs=(cost,))]


def parted(random: Random) -> list[Step]:
    region = random.choice(["north", "south"])
    return [ask("spend", amount(random), region, part=region)]


def curve(random: Random) -> list[Step]:
    costs = tuple(amount(random, 0.3) for _ in CURVE)
    return [ask("spend", costs, costs=(costs,))]


def failed(random: Random) -> list[Step]:
    return [ask("spend", cost := amount(random)), tell("failed", cost)]


CASES = (
    sound(
        right.EvictsIntoTotal,
        f"{SPEND} --free user=ann,bob,cy",
        "An account that is evicted is added to a sum that stays.",
        named,
    ),
    sound(
        right.CachedAnswers,
        f"{SPEND} --free query=str --granted \"result == 'run'\"",
        "An answer from the cache is no new look at the data.",
        named,
        granted=lambda result: result == "run",
    ),
    sound(
        right.PrepaidTeams,
        f"{SPEND} --free team=red,blue",
        "What the teams have in their purses was taken from the budget.",
        named,
    ),
    sound(right.WholePercentUp, SPEND, "Rounded up, no cost is too low.", alone),
    sound(
        right.CeilingDecimals,
        SPEND,
        "Rounded up, the sum is never too low.",
        decimal,
        budget=(Decimal(1),),
        limit=(1.0,),
    ),
    sound(right.NextUp, SPEND, "Each sum is at least the exact one.", alone),
    sound(
        right.PaysOnEntry,
        "--spend charge --fails exception",
        "A failure gives nothing back.",
        lambda random: [ask("charge", amount(random), fails=random.random() < 0.5)],
    ),
    sound(right.FinesFailures, f"{SPEND} --fails failed", "A failure only costs more.", failed),
    sound(
        right.ReservedFirst,
        "--check reserve --spend commit --between",
        "What was reserved stays reserved, whether it ran or not.",
        lambda random: [ask("commit", amount(random), check="reserve")],
    ),
    sound(
        right.Lapses,
        f"{SPEND} --clock time.time",
        "Time only takes away.",
        lambda random: [wait(50000.0), ask("spend", amount(random, 0.2))],
    ),
    sound(
        right.SixteenAndTheRest,
        SPEND,
        "Each of the others is at most as large as the sixteenth.",
        small,
    ),
    sound(right.SlidingWithCarry, SPEND, "What leaves the window enters a sum.", small),
    sound(
        right.BothOfThePair,
        SPEND,
        "Each number is compared on its own.",
        pair,
        budget=(1.0, 1e-5),
    ),
    sound(
        right.PerRegion,
        f"{SPEND} --part region",
        "Two neighbours differ in one region only.",
        parted,
    ),
    sound(
        right.Account,
        SPEND,
        "The account that a spend returns has both numbers less.",
        pair,
        budget=(1.0, 1e-5),
    ),
    sound(
        right.RhoAddsUp,
        SPEND,
        "Rho adds up, and zCDP has a filter of its sum.",
        small,
    ),
    sound(
        right.RootOfMus,
        SPEND,
        "The squares of mu add up, and Gaussian DP has a filter of their sum.",
        alone,
        theory="squares",
    ),
    sound(
        right.AllOrders,
        f"{SPEND} --currency rdp:2,4,8",
        "At every order the sum is within the limit.",
        curve,
        budget=(CURVE,),
        theory="orders",
        limit=CURVE,
    ),
    sound(
        right.QueuesShareOne,
        f"{SPEND} --free queue=urgent,batch",
        "Both queues are booked in one sum.",
        named,
    ),
    sound(right.HardStop, SPEND, "Refusals only take away.", alone),
    sound(right.WarmUpPaid, SPEND, "The first requests are limited more, and paid.", small),
)
