"""Concrete runs of the code, in the interpreter: what is guessed from, and where it goes too far.

Numbers are small multiples of powers of 1/2, so that doubles add them exactly and a guess is not
blurred by rounding; some runs use the numbers that people use.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from filterproof_proofs.refinement.doubles import Kind
from filterproof_proofs.refinement.machine import Declined, Machine, Request, Shape
from filterproof_proofs.refinement.relations import LOST_NAME, Row
from filterproof_proofs.refinement.rules import Ghost
from filterproof_proofs.refinement.verdicts import Call, Excess, Play
from filterproof_proofs.symbolic.kinds import ROUNDED

ENDS = 6
"""Calls that are shown at either end of a long run."""
MOST_ROUNDING = Fraction(1, 2**50)
"""What rounding may add in each round to what is allowed, relative to the limit, at most."""


@dataclass(frozen=True)
class Count:
    """A ghost, for the rounds on one part of the data if there are parts."""

    ghost: Ghost
    part: str = ""

    @property
    def name(self) -> str:
        """The ghost's name, with its part."""
        return f"{self.ghost.name}[{self.part}]" if self.part else self.ghost.name

    @property
    def room(self) -> str:
        """The name of "rounds that ran, times the limit", which rounding grows with."""
        return f"rounds*{self.ghost.limit}"

    @property
    def limit(self) -> tuple[str, ...]:
        """The limit as a product of numbers of the budget."""
        return (self.ghost.limit,) * self.ghost.power

    @property
    def words(self) -> str:
        """What it counts."""
        return f"{self.ghost.words} on part {self.part}" if self.part else self.ghost.words


@dataclass(frozen=True)
class Setting:
    """What is proved: a machine, what is counted, and the kinds of the numbers it is given."""

    machine: Machine
    counts: tuple[Count, ...]
    limits: tuple[str, ...]
    costs: tuple[str, ...]
    kind: Kind
    tiny: bool = False
    """Whether something may be lost near zero: not where all is exact or added."""
    ideal: bool = False
    """Whether nothing is rounded, which is no proof about doubles."""


@dataclass
class Observed:
    """What concrete runs showed: rows for each shape, replays, and a run that went too far."""

    rows: dict[Shape, list[Row]] = field(default_factory=dict)
    plays: list[Play] = field(default_factory=list)
    excess: Excess | None = None
    ran: int = 0


def observe(setting: Setting, count: int, seed: int = 1) -> Observed:
    """Return what a number of runs showed; a quarter of them, the first, with usual numbers."""
    rng, seen = Random(seed), Observed()
    for number in range(count):
        usual = number < count // 4
        if not usual and seen.excess:
            break
        budget = _budget(setting, rng, number if usual else None)
        length = rng.choice((2, 3, 4, 6, 12))
        requests = _requests(setting, budget, rng, length, usual)
        follow(setting, budget, requests, seen, not usual or setting.kind not in ROUNDED)
    return seen


def follow(
    setting: Setting,
    budget: Mapping[str, Any],
    requests: Iterator[Request],
    seen: Observed,
    guess: bool = False,
) -> None:
    """Make one run and add what it shows; with `guess`, the numbers that are guessed from too."""
    machine = setting.machine
    try:
        state = machine.first(None, budget)
    except Declined:
        return
    totals = {one.name: Fraction(one.ghost.first) for one in setting.counts}
    calls: list[Call] = []
    for request in requests:
        if guess:
            add_row(setting, seen, state, budget, totals, calls)
        answer = machine.step(None, state, request)
        calls.append(Call(request.costs, request.choice, answer.ran))
        if answer.ran:
            seen.ran += 1
            totals = counted(setting, totals, request)
            _look(setting, seen, budget, calls, totals, answer.beyond)
        state = answer.state
        if not answer.goes_on:
            break
    else:
        if guess:
            add_row(setting, seen, state, budget, totals, calls)
    seen.plays.append(played(setting, budget, calls))


def counted(
    setting: Setting, totals: Mapping[str, Fraction], request: Request
) -> dict[str, Fraction]:
    """Return the totals with one more round."""
    costs = {name: Fraction(value) for name, value in request.costs.items()} | {"one": Fraction(1)}
    return {
        one.name: one.ghost.after(totals[one.name], costs)
        if one.part in ("", request.choice.part)
        else totals[one.name]
        for one in setting.counts
    }


def played(setting: Setting, budget: Mapping[str, Any], calls: list[Call]) -> Play:
    """Return a run in the words of the code's own calls."""
    machine = setting.machine
    said = [
        f"{machine.asking(Request(one.costs, one.choice))} {'granted' if one.ran else 'refused'}"
        for one in calls
    ]
    short = shortened(said)
    if len(short) > 2 * ENDS:
        short = [*short[:ENDS], f"... ({len(calls)} calls in all)", *short[-ENDS:]]
    return Play(budget, tuple(calls), "; ".join([machine.opening(budget), *short]))


def shortened(said: list[str]) -> list[str]:
    """Return a list in which equal neighbours are counted.

    >>> shortened(["a", "a", "a", "b"])
    ['3 times a', 'b']
    """
    found: list[tuple[str, int]] = []
    for one in said:
        if found and found[-1][0] == one:
            found[-1] = one, found[-1][1] + 1
        else:
            found.append((one, 1))
    return [one if times == 1 else f"{times} times {one}" for one, times in found]


def add_row(
    setting: Setting,
    seen: Observed,
    state: Any,
    budget: Mapping[str, Any],
    totals: Mapping[str, Fraction],
    calls: list[Call],
) -> None:
    """Add what the numbers are at this moment."""
    shape, numbers = setting.machine.split(state)
    ran = sum(one.ran for one in calls)
    known = {name: Fraction(value) for name, value in budget.items()}
    row = {
        **known,
        **totals,
        LOST_NAME[0]: Fraction(0),
        **{one.room: ran * one.ghost.most(known) for one in setting.counts},
        **dict(zip(shape.names, map(Fraction, numbers), strict=True)),
    }
    seen.rows.setdefault(shape, []).append(row)


def _look(
    setting: Setting,
    seen: Observed,
    budget: Mapping[str, Any],
    calls: list[Call],
    totals: Mapping[str, Fraction],
    beyond: str,
) -> None:
    """Keep the shortest run that went too far."""
    if seen.excess is not None and len(seen.excess.play.calls) <= len(calls):
        return
    if beyond:
        seen.excess = Excess(played(setting, budget, calls), beyond)
    known = {name: Fraction(value) for name, value in budget.items()}
    room = 1 + MOST_ROUNDING * sum(one.ran for one in calls) if setting.kind is float else 1
    for one in setting.counts:
        if totals[one.name] > (most := one.ghost.most(known)) * room:
            play = played(setting, budget, calls)
            seen.excess = Excess(play, one.words, totals[one.name], most)


# --- numbers ------------------------------------------------------------------------------------

USUAL = (
    {
        "epsilon": "1",
        "delta": "1/100",
        "rho": "1",
        "mu": "1",
        "rdp": "1",
        "count": "3",
        "odds": "2",
    },
    {
        "epsilon": "1",
        "delta": "1/1000000",
        "rho": "1/2",
        "mu": "2",
        "rdp": "2",
        "count": "2",
        "odds": "3",
    },
)
"""Budgets that people use, tried before others."""
SHARES = ("0", "1/10", "1/2", "3/5", "1")
"""Parts of such a budget that a request asks for."""


def as_kind(number: Fraction, kind: Kind) -> Any:
    """Return a number as code is given it."""
    if kind is int:
        return int(number)
    return float(number) if kind is float else number


def _budget(setting: Setting, rng: Random, number: int | None) -> dict[str, Any]:
    if number is not None:
        usual = USUAL[number % len(USUAL)]
        return {name: give(setting, name, Fraction(usual[name])) for name in setting.limits}
    return {name: give(setting, name, _limit(rng, name)) for name in setting.limits}


def give(setting: Setting, name: str, number: Fraction) -> Any:
    """Return a number of the budget or a request as the code is given it."""
    return as_kind(number, int if name == "count" else setting.kind)


def _limit(rng: Random, name: str) -> Fraction:
    if name == "delta":
        return Fraction(rng.choice((0, 1, 3, 8, 16, 31)), 64)
    if name == "count":
        return Fraction(rng.randrange(0, 7))
    if name == "odds":
        return 1 + Fraction(rng.randrange(0, 40), 8)
    return Fraction(rng.choice((0, 1, 2, 3, 4, 6, 7, 12)), 4)


def _requests(
    setting: Setting, budget: Mapping[str, Any], rng: Random, length: int, usual: bool
) -> Iterator[Request]:
    scale = rng.choice((1, 2, 4, 8))
    for _ in range(length):
        choice = rng.choice(setting.machine.choices)
        costs = {
            name: give(setting, name, _cost(rng, name, Fraction(budget[name]), scale, usual))
            for name in setting.costs
        }
        yield Request(costs, choice)


def _cost(rng: Random, name: str, limit: Fraction, scale: int, usual: bool) -> Fraction:
    if name == "odds":
        return 1 + Fraction(rng.randrange(0, 9), rng.choice((4, 8, 32)))
    if usual or rng.random() < 0.2:
        return limit * Fraction(rng.choice(SHARES if usual else ("0", "1/2", "1")))
    if name == "delta" and rng.random() < 0.3:
        return Fraction(0)
    bound = limit or Fraction(1, 4)
    return min(
        bound * Fraction(rng.randrange(0, 20), 16 * scale), Fraction(1 if name == "delta" else 99)
    )
