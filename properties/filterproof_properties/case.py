"""The central types: a case to play, and the H that was reached on it.

A case travels between processes: its game is pickled as JSON.
"""

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Game, Promise
from filterproof.game.json import game_from_json, game_to_json


def _as_json(game: Game) -> tuple[Any, ...]:
    return game_from_json, (game_to_json(game),)


copyreg.pickle(Game, _as_json)


@dataclass(frozen=True)
class Case:
    """A game, a budget, and the parameters of Algorithm 1 that go with them."""

    name: str
    game: Game = field(repr=False)
    epsilon: Epsilon
    delta: Fraction
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scored:
    """A case with the H that was reached on it; more H/δ is better, then more at ε = 0.

    Of an odometer (`reports`) it is the probability that a report is exceeded.  Where pairs have
    promises of their own, `own` is what the pair is promised at which H was reached.
    """

    case: Case
    value: ExpLinear
    hidden: Fraction = Fraction(0)
    reports: bool = False
    own: Promise | None = None

    @property
    def delta(self) -> Fraction:
        """The δ that H may reach."""
        return self.own.delta if self.own else self.case.delta

    @cached_property
    def violated(self) -> bool:
        """Whether H exceeds δ, decided exactly."""
        return self.value > self.delta

    @cached_property
    def ratio(self) -> float:
        """H/δ, to compare cases of different budgets; for guidance and display only."""
        if self.delta:
            return float(self.value / self.delta)
        return float("inf") if self.violated else 0.0

    @cached_property
    def excess(self) -> float:
        """H - δ as a double, for display and to name the largest one."""
        return float(self.value - self.delta)

    @cached_property
    def rank(self) -> tuple[bool, float, Fraction]:
        """What it is compared by."""
        return self.violated, self.ratio, self.hidden

    @property
    def reaches_something(self) -> bool:
        """Whether the filter let anything through that tells databases apart."""
        return self.value > 0 or self.hidden > 0

    def beats(self, other: "Scored | None") -> bool:
        """Whether this one is at least as good."""
        return other is None or self.rank >= other.rank

    def gains_on(self, other: "Scored") -> bool:
        """Whether this one is strictly better."""
        return not other.beats(self)


@dataclass(frozen=True)
class Envelope:
    """How large the games were that a filter was tried on, and at which budgets."""

    plays: int = 0
    databases: int = 0
    rounds: int = 0
    requests: int = 0
    outputs: int = 0
    budgets: frozenset[tuple[Epsilon, Fraction]] = frozenset()
    failures: int = 0

    @classmethod
    def of(cls, case: Case) -> "Envelope":
        """Return the envelope of one play."""
        game = case.game
        widest = max(map(len, game.nodes))
        laws = [m.law for menu in game.nodes for m in menu.values()]
        most, fails = max(map(len, laws)), any(FAILS in law for law in laws)
        budget = frozenset([(case.epsilon, case.delta)])
        return cls(1, len(game.databases), game.depth, widest, most, budget, int(fails))

    def __or__(self, other: "Envelope") -> "Envelope":
        return Envelope(
            self.plays + other.plays,
            max(self.databases, other.databases),
            max(self.rounds, other.rounds),
            max(self.requests, other.requests),
            max(self.outputs, other.outputs),
            self.budgets | other.budgets,
            self.failures + other.failures,
        )


NOTHING_TRIED = Envelope()
