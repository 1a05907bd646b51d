"""What is wrong with the classes that keep books."""

from random import Random

from corpus.blind.fifth import books
from corpus.blind.fifth.base import Step, amount, another, ask, sound, wrong


def analysts(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice(["ann", "bob"]))]


def tables(random: Random) -> list[Step]:
    table = random.choice(["a", "bb", "ccc", "dddd", "eeeee"])
    return [ask("spend", amount(random), table, part=table)]


SPEND = "--spend spend"
ANALYSTS = "--spend spend --free analyst=ann,bob,cy"
TABLES = "--spend spend --part table"
CASES = (
    wrong(
        books.HalfEach,
        ANALYSTS,
        "Three analysts have three halves.",
        ask("spend", 0.5, "ann"),
        ask("spend", 0.5, "bob"),
        ask("spend", 0.5, "cy"),
    ),
    wrong(
        books.DearestAnalyst,
        ANALYSTS,
        "All of the analysts ask the same data: their costs add up.",
        ask("spend", 0.9, "ann"),
        ask("spend", 0.9, "bob"),
    ),
    wrong(
        books.MeanOfTeam,
        ANALYSTS,
        "A mean is compared with the limit of a sum.",
        ask("spend", 0.9, "ann"),
        ask("spend", 0.9, "bob"),
    ),
    wrong(
        books.AdminsPass,
        "--spend spend --free user=ann,admin",
        "What an administrator asks is not booked.",
        ask("spend", 0.9, "ann"),
        ask("spend", 0.9, "admin"),
    ),
    wrong(
        books.Borrows,
        "--spend spend --free analyst=ann,bob",
        "What is borrowed is not taken from the lender.",
        ask("spend", 0.9, "ann"),
        ask("spend", 0.5, "ann"),
        ask("spend", 0.5, "bob"),
    ),
    wrong(
        books.LowPriority,
        "--spend spend --free priority=low,high",
        "The caller's word halves the price.",
        ask("spend", 1.0, "low", times=2),
    ),
    wrong(
        books.DryRuns,
        "--spend spend --free mode=live,dry",
        "The caller's word saves the booking.",
        ask("spend", 0.9, "dry", times=2),
    ),
    wrong(
        books.CurrentTable,
        TABLES,
        "A table begins anew when another was asked in between.",
        ask("spend", 0.9, "a", part="a"),
        ask("spend", 0.1, "b", part="b"),
        ask("spend", 0.9, "a", part="a"),
    ),
    wrong(
        books.TwoTablesOpen,
        TABLES,
        "A table that is closed begins anew.",
        ask("spend", 0.9, "a", part="a"),
        ask("spend", 0.1, "b", part="b"),
        ask("spend", 0.1, "c", part="c"),
        ask("spend", 0.9, "a", part="a"),
    ),
    wrong(
        books.DroppedWhenEmpty,
        TABLES,
        "A table that has nothing left is taken for a new one.",
        ask("spend", 1.0, "a", part="a", times=2),
    ),
    wrong(
        books.ActiveBook,
        f"{SPEND} --instances 2",
        "The first object's spends are booked in the second.",
        another(),
        ask("spend", 0.9, times=2),
    ),
    wrong(
        books.SharedRegister,
        f"{SPEND} --instances 2",
        "A second object clears the balance of the first.",
        ask("spend", 0.9),
        another(),
        ask("spend", 0.9),
    ),
    sound(books.CapAndOwn, ANALYSTS, "The sum over all is within the budget.", analysts),
    sound(books.Drawers, TABLES, "Tables share a drawer, never a table two.", tables),
    sound(
        books.LendsProperly,
        "--spend spend --free analyst=ann,bob",
        "What is taken is taken somewhere.",
        analysts,
    ),
)
