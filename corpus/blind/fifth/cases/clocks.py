"""What is wrong with the classes that look at the clock."""

from random import Random

from corpus.blind.fifth import clocks
from corpus.blind.fifth.base import Step, amount, ask, sound, wait, wrong

HOUR, DAY = 3600.0, 86400.0


def timed(random: Random) -> list[Step]:
    seconds = random.choice([0.0, 60.0, HOUR, DAY, 31 * DAY, 366 * DAY])
    return [wait(seconds), ask("spend", amount(random))]


TIME = "--spend spend --clock time.time"
MONOTONIC = "--spend spend --clock time.monotonic"
NOW = "--spend spend --clock datetime.datetime.now"
FIRST, SECOND = ask("spend", 0.9), ask("spend", 0.9)
CASES = (
    wrong(clocks.Monthly, NOW, "A month forgets the last.", FIRST, wait(31 * DAY), SECOND),
    wrong(clocks.LastWeek, TIME, "A window forgets what left it.", FIRST, wait(8 * DAY), SECOND),
    wrong(clocks.Leases, MONOTONIC, "Privacy is not given back.", FIRST, wait(2 * HOUR), SECOND),
    wrong(clocks.HalfLife, TIME, "A loss does not fade.", FIRST, wait(60 * DAY), SECOND),
    wrong(clocks.Drips, TIME, "The bucket fills up for ever.", FIRST, wait(30 * DAY), SECOND),
    wrong(
        clocks.Quarters,
        TIME,
        "There is a fifth instalment, and a sixth.",
        wait(240 * DAY),
        ask("spend", 1.0, times=2),
    ),
    wrong(
        clocks.GraceOncePerDay,
        TIME,
        "The overdraft comes every day, and is booked nowhere.",
        ask("spend", 1.0),
        ask("spend", 0.5),
        wait(2 * DAY),
        ask("spend", 0.5),
    ),
    wrong(clocks.Sessions, TIME, "A pause sets it to zero.", FIRST, wait(HOUR), SECOND),
    wrong(clocks.Retention, TIME, "A year forgets the last.", FIRST, wait(366 * DAY), SECOND),
    wrong(clocks.DayOfYear, NOW, "Only one day is summed.", FIRST, wait(2 * DAY), SECOND),
    sound(clocks.HourlyRate, TIME, "There is a limit for all time, too.", timed),
    sound(clocks.FourQuarters, TIME, "The instalments end with the budget.", timed),
    sound(clocks.RunsOut, MONOTONIC, "Time only takes away.", timed),
)
