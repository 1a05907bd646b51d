"""Long straight runs, put to two versions: one request after the other, and no tree.

A game of thirty rounds with a choice in each is too large to play in full, yet versions differ
after the thirteenth request, or after a refusal.  A run asks for a share of the budget each time, a
multiple of 1/256 of a budget that is a power of two, so that sums of doubles are exact and what
differs is not rounding.  The old version is asked for what the new one ran.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

from filterproof.budget_calls import BudgetCalls
from filterproof.call_expressions import names_in
from filterproof_properties.audit.replays import Run, answers
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.names import is_budget_object, named, plays_failures

BUDGETS = tuple((Fraction(e), Fraction(1, d)) for e in ("1", "1/4", "8") for d in (128, 2**20, 16))
UNIT = 256
"""Shares are multiples of one so-manieth of the budget."""
SLICES = (2, 4, 8, 16, 32, 64)
BATCH, MOST, LONGEST = 25, 400, 72
"""So many runs are asked at a time, so many at most, of so many requests at most."""
FEW, SHORT = 40, 20
"""The same for filters, whose games hold every request in every round."""
FAILS = 0.1
"""So often a mechanism fails, where the object can notice that."""

Shares = list[tuple[int, int]]
"""What is asked for, in units of the budget: epsilon and delta."""


@dataclass(frozen=True)
class Straight:
    """How many runs were compared, and the shortest found that the new version alone runs."""

    runs: int = 0
    run: Run | None = None


Versions = Sequence[tuple[str, Limits]]
"""The names of the old and the new version, and what each may use."""


def straight_runs(versions: Versions, seed: int, in_time: Callable[[], bool]) -> Straight:
    """Put straight runs to two versions, up to one that only the new version runs."""
    made, asked = _runs(versions[1][0], Random(seed)), 0
    while in_time() and (some := [*islice(made, BATCH)]):
        asked += len(some)
        if found := _first(versions, some):
            return Straight(asked, _shorten(versions, found, in_time))
    return Straight(asked)


def _first(versions: Versions, runs: list[Run]) -> Run | None:
    """Return the first of some runs that only the new version runs, up to where it does."""
    (old, new), found = versions, []
    for run, said in zip(runs, answers(new[0], runs, new[1]), strict=True):
        found.append({**run, "answers": said})
    ran = [
        _only(run, [at for at, granted in enumerate(run["answers"]) if granted]) for run in found
    ]
    before = answers(old[0], ran, old[1])
    for run, said in zip(ran, before, strict=True):
        if not all(said):
            return _only(run, range(said.index(False) + 1))
    return None


def _shorten(versions: Versions, run: Run, in_time: Callable[[], bool]) -> Run:
    """Return a run without the requests that it can do without."""
    while in_time():
        places = range(len(run["answers"]) - 1)
        shorter = [_only(run, [at for at in (*places, len(places)) if at != out]) for out in places]
        if not shorter or (found := _first(versions, shorter)) is None:
            return run
        run = found
    return run


def _only(run: Run, places: Sequence[int]) -> Run:
    """Return some of the requests of a run."""
    return {
        **run,
        **{
            key: [run[key][at] for at in places]
            for key in ("declared", "events", "answers")
            if run[key]
        },
    }


# --- what is asked --------------------------------------------------------------------------------


def _runs(spec: str, random: Random) -> Iterator[Run]:
    if is_budget_object(spec):
        calls, fails = named(spec)[1], FAILS if plays_failures(spec) else 0.0
        yield from (_of_a_budget(calls, fails, random) for _ in range(MOST))
    else:
        yield from (_of_a_filter(random) for _ in range(FEW))


def _shares(random: Random, longest: int) -> Shares:
    """Return shares of the budget: equal slices, a few kinds mixed, or any."""
    slices = [UNIT // n for n in SLICES]
    kind = random.randrange(3)
    if kind == 0:
        one = random.choice(slices)
        epsilon, delta = random.choice([(one, 0), (0, one), (one, one), (one, 1), (1, one)])
        return [(epsilon, delta)] * min(longest, 2 * UNIT // one + 3)
    some = [random.choice((0, 1, *slices, UNIT, 2 * UNIT)) for _ in range(4)]
    pick = some if kind == 1 else [*range(0, UNIT, 7)]
    length = random.randrange(2, longest + 1)
    return [(random.choice(pick), random.choice(pick)) for _ in range(length)]


def _of_a_budget(calls: BudgetCalls, fails: float, random: Random) -> Run:
    from filterproof_properties.targets.budget.costs import opening_values  # loads flint
    from filterproof_properties.targets.budget.trial import share_of

    whole = dict(opening_values(calls, random.choice(BUDGETS)))

    def event(epsilon: int, delta: int) -> dict[str, Any]:
        call = random.randrange(len(calls.spend))
        names = set().union(*map(names_in, (calls.spend[call], calls.check, calls.fails)))
        shares = {name: (delta if name == "delta" else epsilon) / UNIT for name in whole}
        values = {name: share_of(name, whole[name], shares[name]) for name in names & {*whole}}
        values |= {one.name: random.choice(one.values) for one in calls.chosen}
        values |= {calls.part: random.choice("ab")} if calls.part else {}
        wait = random.choice((0.0, 0.0, 86400.0)) if calls.clock else 0.0
        return {
            "call": call,
            "values": values,
            "instance": random.randrange(calls.instances),
            "wait": wait,
            "failed": random.random() < fails,
        }

    events = [event(*one) for one in _shares(random, LONGEST)]
    return {
        "words": "",
        "budget": whole,
        "answers": [True] * len(events),
        "declared": [],
        "events": events,
    }


def _of_a_filter(random: Random) -> Run:
    odds, (_, delta) = Fraction(random.choice((2, 4, 16))), random.choice(BUDGETS)
    declared = [
        [str(_power(odds, epsilon)), str(delta * share / UNIT)]
        for epsilon, share in _shares(random, SHORT)
    ]
    budget = {"odds": str(odds), "delta": str(delta)}
    return {
        "words": "",
        "budget": budget,
        "answers": [True] * len(declared),
        "declared": declared,
        "events": [],
    }


def _power(odds: Fraction, share: int) -> Fraction:
    """Return odds^(share/UNIT), rounded to a number that is short."""
    return max(Fraction(1), Fraction(float(odds) ** (share / UNIT)).limit_denominator(UNIT))
