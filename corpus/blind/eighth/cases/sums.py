"""What is wrong with the budgets with numbers of their own and with theorems; what shows it."""

from decimal import Decimal

from corpus.blind.eighth import sums, theories
from corpus.blind.fifth.base import ask, wrong

SPEND = "--spend spend"
PAIR = (1.0, 1e-5)
CURVE = (0.25, 0.5, 1.0)
FIRST, SECOND = (0.2, 5.0, 0.9), (5.0, 0.4, 0.9)

CASES = (
    wrong(
        sums.PercentPoints,
        SPEND,
        "Less than a percent is free.",
        ask("spend", 0.0099, times=130),
    ),
    wrong(
        sums.MillionthsOfDelta,
        SPEND,
        "A delta below one part in ten million is free.",
        ask("spend", 0.0, 0.99e-7, times=30),
        budget=(1.0, 1e-6),
    ),
    wrong(sums.WorstDelta, SPEND, "Deltas add up.", ask("spend", 0.1, 1e-5, times=5), budget=PAIR),
    wrong(
        sums.PercentOrShare,
        SPEND,
        "Somebody asks for more than ten.",
        ask("spend", 50.0),
    ),
    wrong(
        sums.FixedColumns,
        "--spend spend(str(epsilon))",
        "Digits beyond the third character are cut off.",
        ask("spend", "0.099", costs=(0.099,), times=13),
    ),
    wrong(
        sums.ComparedRounded,
        SPEND,
        "Below half of a tenth more than the budget is rounded down to it.",
        ask("spend", 0.149),
        budget=(0.1,),
    ),
    wrong(
        sums.NearlyEqual,
        SPEND,
        "The tolerance is as large as a small budget.",
        ask("spend", 0.149),
        budget=(0.1,),
    ),
    wrong(
        sums.ShareOfTheRest,
        SPEND,
        "A share of what is left is less than what was spent.",
        ask("spend", 0.2, times=8),
    ),
    wrong(
        sums.SimpleFractions,
        SPEND,
        "Less than a sixteenth of the budget is taken for nothing.",
        ask("spend", 0.06, times=21),
    ),
    wrong(
        sums.TwoKindsOfNumbers,
        "--spend spend(epsilon) --spend spend(Decimal(epsilon))",
        "There are two books, each with the whole of the budget.",
        ask("spend", 0.9),
        ask("spend", Decimal("0.9"), costs=(0.9,)),
    ),
    wrong(
        sums.LossGrid,
        SPEND,
        "Less than half of a cell is free.",
        ask("spend", 0.0249, times=50),
    ),
    wrong(
        sums.Milli,
        SPEND,
        "The register overflows at 65.536.",
        ask("spend", 65.6),
    ),
    wrong(
        sums.ComparedAsText,
        SPEND,
        "As text 10 comes before 3.",
        ask("spend", 12.0),
        budget=(3.0,),
    ),
    wrong(
        sums.ComparedAsPair,
        SPEND,
        "Pairs are compared by their first number; delta counts only where these are equal.",
        ask("spend", 0.1, 0.5),
        budget=PAIR,
    ),
    wrong(
        sums.NegligibleEpsilon,
        SPEND,
        "A request with next to no epsilon may have any delta.",
        ask("spend", 1e-4, 0.5),
        budget=PAIR,
    ),
    wrong(
        theories.ForgottenRoot,
        "--spend spend(epsilon) --open (epsilon,delta)",
        "The number of rounds is missing under the root.",
        ask("spend", 0.1, times=40),
        budget=PAIR,
        theory="responses",
    ),
    wrong(
        theories.NoFactorTwo,
        "--spend spend(rho) --open (epsilon,delta)",
        "The conversion lacks the factor two before the root.",
        ask("spend", 0.01, times=7),
        budget=PAIR,
        theory="gaussians",
    ),
    wrong(
        theories.BookedWhereItFits,
        "--spend spend --currency rdp:2,4,8",
        "What does not fit at an order must count there, too.",
        ask("spend", FIRST, costs=(FIRST,)),
        ask("spend", SECOND, costs=(SECOND,)),
        ask("spend", (0.05, 0.1, 0.1), costs=((0.05, 0.1, 0.1),)),
        budget=(CURVE,),
        theory="orders",
        limit=CURVE,
    ),
    wrong(
        theories.PureOrApproximate,
        SPEND,
        "Each of the two books has the whole of epsilon.",
        ask("spend", 0.9, 0.0),
        ask("spend", 0.9, 1e-6),
        budget=PAIR,
    ),
    wrong(
        theories.LossBeforeStep,
        "--spend step",
        "The last step goes as far beyond the budget as it likes.",
        ask("step", 0.9),
        ask("step", 0.9),
    ),
)
