"""What is wrong with the classes in other currencies."""

from random import Random

from corpus.blind.fifth import theories
from corpus.blind.fifth.base import Step, amount, ask, sound, wrong


def one(random: Random) -> list[Step]:
    return [ask("spend", amount(random))]


def small(random: Random) -> list[Step]:
    return [ask("spend", amount(random, 0.05))]


def curve(random: Random) -> list[Step]:
    costs = tuple(amount(random) for _ in range(3))
    return [ask("spend", costs, costs=(costs,))]


SPEND = "--spend spend"
ORDERS = "--spend spend --currency rdp:2,4,8"
RHO = "--spend spend(rho) --open (epsilon,delta)"
ADVANCED = "--spend spend(epsilon) --open (epsilon,delta)"
CURVE = (0.25, 0.5, 1.0)
CASES = (
    wrong(
        theories.RhoSquares,
        SPEND,
        "Rho is squared already.",
        ask("spend", 0.5, times=4),
    ),
    wrong(
        theories.MeanSigma,
        SPEND,
        "The mean sigma says nothing of the number of releases.",
        ask("spend", 0.9, times=3),
    ),
    wrong(
        theories.LastReleases,
        SPEND,
        "Earlier releases are not summed.",
        ask("spend", 0.09, times=30),
    ),
    wrong(
        theories.RhoFromEpsilon,
        RHO,
        "Half of epsilon squared is the rho of an epsilon, not a rho that gives the epsilon.",
        ask("spend", 0.5),
        budget=(1.0, 0.01),
        theory="gaussians",
    ),
    wrong(
        theories.MuAgainstSquares,
        SPEND,
        "Squares are compared with what is not squared.",
        ask("spend", 0.5, times=2),
        budget=(0.5,),
        theory="squares",
    ),
    wrong(
        theories.HalfSquares,
        SPEND,
        "One side is in rho and the other in mu squared.",
        ask("spend", 1.0, times=2),
        theory="squares",
    ),
    wrong(
        theories.WorstRelease,
        ORDERS,
        "Divergences are not summed.",
        ask("spend", CURVE, costs=(CURVE,), times=2),
        budget=(CURVE,),
        theory="orders",
        limit=CURVE,
    ),
    wrong(
        theories.LowestOrder,
        ORDERS,
        "The lowest order's sum is compared with the highest order's limit.",
        ask("spend", CURVE, costs=(CURVE,), times=4),
        budget=(CURVE,),
        theory="orders",
        limit=CURVE,
    ),
    wrong(
        theories.RootOfSquares,
        ADVANCED,
        "The factor with delta is missing.",
        ask("spend", 0.25, times=16),
        budget=(1.0, 0.01),
        theory="responses",
    ),
    wrong(
        theories.DecimalLogarithm,
        ADVANCED,
        "The logarithm is decimal, and the factor two is missing.",
        ask("spend", 0.0625, times=36),
        budget=(1.0, 1e-6),
        theory="responses",
    ),
    wrong(
        theories.Sampled,
        f"{SPEND} --free q=rate",
        "The epsilon of the mechanism that ran is amplified once more, at the caller's word.",
        ask("spend", 0.5, 0.1, costs=(0.5,), times=4),
    ),
    wrong(
        theories.Rounds,
        "--spend ask() --currency count",
        "Counts one question more than there are.",
        ask("ask", costs=(1,), times=5),
        budget=(4,),
    ),
    sound(theories.RhoSum, SPEND, "Rho adds up, adaptively.", one),
    sound(theories.InverseSigmas, SPEND, "The square of a sum is over the sum of squares.", one),
    sound(theories.MuSquares, SPEND, "Squares of mu add up.", one, theory="squares"),
    sound(
        theories.OneOrder,
        ORDERS,
        "At one order, fixed in advance, the sum is within the budget.",
        curve,
        budget=(CURVE,),
        theory="orders",
        limit=CURVE,
    ),
    sound(
        theories.RhoConverted,
        RHO,
        "A filter of rho, at the rho that the budget is worth.",
        small,
        budget=(1.0, 0.01),
        theory="gaussians",
    ),
)
