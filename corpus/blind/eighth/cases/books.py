"""What is wrong with the budgets with a log and with failures, and what shows it."""

from corpus.blind.eighth import books, failures
from corpus.blind.fifth.base import Step, ask, tell, wrong

SPEND = "--spend spend"
FAILS = f"{SPEND} --fails failed()"
PAIR = (1.0, 1e-5)


def failing(cost: float, *words: float) -> tuple[Step, Step]:
    return ask("spend", cost), tell("failed", *words)


CASES = (
    wrong(
        books.SoftStop,
        "--check may_run() --spend record(epsilon) --between",
        "The last query may cost anything.",
        ask("record", 0.9),
        ask("record", 0.9),
    ),
    wrong(
        books.SixteenLargest,
        SPEND,
        "From the seventeenth spend on the smallest is free.",
        ask("spend", 0.06, times=22),
    ),
    wrong(books.Distinct, SPEND, "Equal amounts count once.", ask("spend", 0.9, times=2)),
    wrong(
        books.Nibbles,
        SPEND,
        "After sixteen equal spends the counter is at zero.",
        ask("spend", 0.06, times=22),
    ),
    wrong(
        books.LastThirty,
        SPEND,
        "The spend before the last thirty is forgotten.",
        ask("spend", 0.03, times=45),
    ),
    wrong(
        books.Fenwick,
        SPEND,
        "The seventeenth spend falls out of the tree.",
        ask("spend", 0.01, times=16),
        ask("spend", 0.8, times=2),
    ),
    wrong(
        books.CheckPoint,
        SPEND,
        "A refusal makes forgotten what was spent since the last save.",
        ask("spend", 0.9),
        ask("spend", 0.9),
        ask("spend", 0.9),
    ),
    wrong(
        books.Ledger,
        SPEND,
        "Of a spend with a delta the epsilon is not booked.",
        ask("spend", 0.9, 1e-6, times=2),
        budget=PAIR,
    ),
    wrong(
        books.FrontAndBack,
        SPEND,
        "Seven spends are not seen.",
        ask("spend", 0.9, times=2),
    ),
    wrong(
        books.AuditedEveryTenth,
        SPEND,
        "Between two checks nine fifths of the budget pass.",
        ask("spend", 0.2, times=9),
    ),
    wrong(
        books.WarmUp,
        SPEND,
        "Three pings of nearly a tenth of the budget are free.",
        ask("spend", 0.09, times=3),
        ask("spend", 1.0),
    ),
    wrong(
        books.TenthFree,
        SPEND,
        "The tenth request may cost anything.",
        ask("spend", 0.1, times=9),
        ask("spend", 0.9),
    ),
    wrong(
        books.ZeroFlushes,
        SPEND,
        "What is pending is cleared without having been added up.",
        ask("spend", 0.9),
        ask("spend", 0.0),
        ask("spend", 0.9),
    ),
    wrong(
        books.Corrections,
        SPEND,
        "A larger amount is no correction: both have run.",
        ask("spend", 0.4),
        ask("spend", 0.9),
    ),
    wrong(
        books.Negotiated,
        SPEND,
        "Who asks for 8, 4 and 2 gets 2.",
        ask("spend", 8.0),
        ask("spend", 4.0),
        ask("spend", 2.0),
    ),
    wrong(
        books.ThreeStrikes,
        SPEND,
        "It opens again with clean books.",
        ask("spend", 0.9),
        ask("spend", 0.9, times=3),
        ask("spend", 0.0),
        ask("spend", 0.9),
    ),
    wrong(
        books.Escrow,
        SPEND,
        "What waits is not checked against.",
        ask("spend", 0.9, times=2),
    ),
    wrong(
        failures.Transaction,
        "--spend charge --fails exception",
        "What a query that raises has cost is given back.",
        ask("charge", 0.9, fails=True, times=2),
    ),
    wrong(
        failures.DearestCancelled,
        FAILS,
        "A small failure cancels the largest spend.",
        ask("spend", 0.8),
        *failing(0.1),
        ask("spend", 0.8),
    ),
    wrong(
        failures.DeadLetters,
        FAILS,
        "Three queries that failed in a row are forgotten, and have seen the data.",
        *(failing(0.3) * 3),
        ask("spend", 0.9),
    ),
    wrong(
        failures.SavePoints,
        FAILS,
        "The spend before the one that failed is forgotten.",
        ask("spend", 0.8),
        *failing(0.1),
        ask("spend", 0.8),
    ),
    wrong(
        failures.MoreBadThanGood,
        FAILS,
        "What is before the last failure is not read again.",
        *failing(0.8),
        *failing(0.1),
        ask("spend", 0.8),
    ),
    wrong(
        failures.EpsilonBack,
        f"{SPEND} --fails failed(epsilon)",
        "A query that failed has seen the data.",
        ask("spend", 0.9, 0.0),
        tell("failed", 0.9),
        ask("spend", 0.9, 0.0),
        budget=PAIR,
    ),
)
