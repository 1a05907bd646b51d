"""What is wrong with the budgets with accounts and with clocks, and what shows it."""

from corpus.blind.eighth import clocks, names
from corpus.blind.fifth.base import another, ask, wait, wrong

SPEND = "--spend spend"
CLOCK = f"{SPEND} --clock time.time"
HOUR, DAY = 3600.0, 86400.0
FIVE = ((0.6, "a"), (0.1, "b"), (0.1, "c"), (0.1, "d"), (0.1, "e"))
BACK = ((0.6, "a"), (0.7, "b"), (0.7, "c"), (0.7, "d"), (0.9, "a"))

CASES = (
    wrong(
        names.LruAccounts,
        f"{SPEND} --free user=ann,bob,cy,dee,eve",
        "A fifth user makes what the first one spent forgotten.",
        *[ask("spend", cost, user) for cost, user in FIVE],
        ask("spend", 0.5, "f"),
    ),
    wrong(
        names.RollUp,
        f"{SPEND} --free team=red,blue",
        "Until the roll-up the teams do not see each other.",
        ask("spend", 0.9, "red"),
        ask("spend", 0.9, "blue"),
    ),
    wrong(
        names.FoldedNames,
        f"{SPEND} --free user=ann,Ann",
        "What is booked under a capital is not added up.",
        ask("spend", 0.9, "Ann", times=2),
    ),
    wrong(
        names.VersionedTables,
        f"{SPEND} --part table --free version=int",
        "The versions of a table hold the same people.",
        ask("spend", 0.9, "t", 1, part="t"),
        ask("spend", 0.9, "t", 2, part="t"),
    ),
    wrong(
        names.RetryToken,
        f"{SPEND} --free token=int",
        "An older token need not have been paid, and a retry runs again.",
        ask("spend", 0.1, 2),
        ask("spend", 5.0, 1),
    ),
    wrong(
        names.Templates,
        f"{SPEND} --free query=str",
        "Both accuracies have seen the data: their costs add up.",
        ask("spend", 0.9, "a", times=2),
    ),
    wrong(
        names.HeavyHitters,
        f"{SPEND} --free user=ann,bob,cy,dee,eve",
        "The fourth user's spends are forgotten at once.",
        *[ask("spend", 0.3, user) for user in "abc"],
        *[ask("spend", 0.1, user) for user in "defghi"],
    ),
    wrong(
        names.EqualShares,
        f"{SPEND} --free analyst=ann,bob,cy",
        "Those who came early had larger shares.",
        ask("spend", 1.0, "ann"),
        ask("spend", 0.5, "bob"),
    ),
    wrong(
        names.OwnersReserve,
        f"{SPEND} --free user=ann,bob",
        "The reserve is beside the budget, not in it.",
        ask("spend", 1.0, "ann"),
        ask("spend", 0.25, "ann"),
    ),
    wrong(
        names.FlatKeys,
        f"{SPEND} --free user=u,u1 --free day=1,11",
        "u on day 11 and u1 on day 1 have one key, and the later one overwrites.",
        ask("spend", 0.9, "u", 11),
        ask("spend", 0.05, "u1", 1),
        ask("spend", 0.9, "u1", 1),
    ),
    wrong(
        names.FirstOfPart,
        f"{SPEND} --part region",
        "The request that opens a region is not booked.",
        ask("spend", 0.9, "north", part="north", times=2),
    ),
    wrong(
        names.IdlestEvicted,
        f"{SPEND} --part region",
        "A region that comes back begins anew.",
        *[ask("spend", cost, r, part=r) for cost, r in BACK],
    ),
    wrong(
        names.SharedLog,
        f"{SPEND} --instances 2",
        "Opening a second budget clears the log of the first.",
        ask("spend", 0.9),
        another(),
        ask("spend", 0.9),
    ),
    wrong(
        names.TwoQueues,
        f"{SPEND} --free queue=urgent,batch",
        "The batch queue does not see what urgent requests spent.",
        ask("spend", 1.0, "urgent"),
        ask("spend", 0.7, "batch"),
    ),
    wrong(
        clocks.NewYear,
        CLOCK,
        "The budget of the new year is for the same people.",
        ask("spend", 0.9),
        wait(366 * DAY),
        ask("spend", 0.9),
    ),
    wrong(
        clocks.SteppedBack,
        CLOCK,
        "A clock that is set back makes everything forgotten.",
        ask("spend", 0.9),
        wait(-10.0),
        ask("spend", 0.9),
    ),
    wrong(
        clocks.Maintenance,
        CLOCK,
        "The nightly budget is beside that of the day.",
        ask("spend", 0.9),
        wait(4 * HOUR),
        ask("spend", 0.9),
    ),
    wrong(
        clocks.Trickle,
        CLOCK,
        "A budget that is refilled is no bound.",
        ask("spend", 1.0),
        wait(100 * DAY),
        ask("spend", 0.9),
    ),
    wrong(
        clocks.CoolDown,
        CLOCK,
        "Half of what was spent is forgotten after a refusal and five minutes.",
        ask("spend", 1.0),
        ask("spend", 1.0),
        wait(400.0),
        ask("spend", 0.5),
    ),
)
