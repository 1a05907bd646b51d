"""What is wrong with the classes that remember."""

from random import Random

from corpus.blind.fifth import memory
from corpus.blind.fifth.base import Step, amount, ask, sound, wrong


def one(random: Random) -> list[Step]:
    return [ask("spend", amount(random))]


def two(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.choice([0.0, amount(random, 0.01)]))]


def numbered(random: Random) -> list[Step]:
    return [ask("spend", amount(random), random.randrange(9))]


SPEND = "--spend spend"
QUERY = "--spend spend --free query=str"
BOTH = (1.0, 0.01)
CASES = (
    wrong(
        memory.ShortHistory,
        SPEND,
        "What falls out of the history is forgotten.",
        ask("spend", 0.1, times=20),
    ),
    wrong(
        memory.PaidQueries,
        QUERY,
        "A new run of a mechanism is free if its name was seen.",
        ask("spend", 0.1, "mean"),
        ask("spend", 0.9, "mean", times=2),
    ),
    wrong(
        memory.DearestOfName,
        QUERY,
        "Runs of one name are charged the maximum and not the sum.",
        ask("spend", 0.9, "mean", times=2),
    ),
    wrong(
        memory.RetryPasses,
        SPEND,
        "The same amount is granted when it is asked for a second time.",
        ask("spend", 1.0),
        ask("spend", 0.5, times=2),
    ),
    wrong(
        memory.SavedEachTime,
        SPEND,
        "The delta spent is not in the file.",
        ask("spend", 0.1, 0.01, times=4),
        budget=BOTH,
    ),
    wrong(
        memory.Checkpoints,
        SPEND,
        "A refusal takes the balance back to before spends that were granted.",
        ask("spend", 0.3, times=7),
    ),
    wrong(
        memory.AlertMode,
        SPEND,
        "After ten refusals everything is granted.",
        ask("spend", 1.0),
        ask("spend", 0.5, times=12),
    ),
    wrong(
        memory.Compacted,
        SPEND,
        "Eight entries are folded into the largest.",
        ask("spend", 0.1, times=16),
    ),
    wrong(
        memory.SetOfCosts,
        SPEND,
        "Equal costs are in a set once.",
        ask("spend", 0.5, times=3),
    ),
    wrong(
        memory.NextVolume,
        SPEND,
        "A budget that is used up exactly begins again.",
        ask("spend", 0.5, times=4),
    ),
    wrong(
        memory.KnownRequests,
        f"{SPEND} --free request=int",
        "The caller's number decides whether a run is charged.",
        ask("spend", 0.5, 7, times=4),
    ),
    wrong(
        memory.Buffered,
        SPEND,
        "What is in the buffer is not counted.",
        ask("spend", 0.5, times=3),
    ),
    wrong(
        memory.Versioned,
        SPEND,
        "The upgrade reads the balance under its new name, where there is none.",
        ask("spend", 0.15, times=12),
    ),
    wrong(
        memory.RunningMean,
        SPEND,
        "From the thirty-second spend on neither the mean nor the number moves.",
        ask("spend", 0.01, times=31),
        ask("spend", 0.3, times=5),
    ),
    sound(
        memory.OneRequestOnce,
        f"{SPEND} --free request=int",
        "A number that was seen is refused.",
        numbered,
    ),
    sound(memory.Folded, SPEND, "Folding keeps the sum.", one),
    sound(memory.SavedWhole, SPEND, "The file has all of the state.", two, budget=BOTH),
    sound(memory.ChargesRefusals, SPEND, "A refusal makes it only less.", one),
)
