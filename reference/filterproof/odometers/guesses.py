"""An odometer made of filters: it reports the smallest guess whose filter would still be running.

Fix guesses ε_1 < ε_2 < ... and to each a filter for (ε_j, δ_j).  While filter j has admitted every
round so far, ε_j is a report that fails with probability δ_j at most, provided that the filter
bounds the *loss*: P_x(L_t > ε_j for some t until it halts) <= δ_j.  If the δ_j add up to δ, the
union bound does the rest (the doubling of Rogers et al.).

A Rényi filter with Mironov's conversion bounds the loss, by Ville's inequality, and a small guess
wants a large order.  (With one order for all guesses there would be nothing to share out: see
`renyi`.)  A filter that is only (ε, δ)-DP bounds no loss, and is no help here (`GuessesDP`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ask, observe
from filterproof.filters.common import check_budget
from filterproof.filters.compensator import Compensator
from filterproof.filters.rdp import RenyiMironov
from filterproof.game import Step
from filterproof.game.law import Output
from filterproof.odometer import INFINITE, Reported

GUESSES = tuple(Fraction(2) ** j for j in range(-1, 6))
"""1/2, 1, 2, ..., 32."""
HALTED = "halted"
"""The state of a filter that has halted."""


@dataclass(frozen=True)
class Guesses:
    """Reports the smallest of 1/2, 1, 2, ..., 32 whose Rényi filter at δ/2, δ/4, ... still runs."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    @property
    def filters(self) -> tuple[Filter[Any], ...]:
        """The filter of each guess."""
        return _filters(self)

    def filter(self, guess: Fraction, delta: Fraction) -> Filter[Any]:
        """Return the filter of one guess: Rényi, of an order that suits it."""
        return RenyiMironov(guess, delta, order=Fraction(16 if guess <= 2 else 2))

    def shares(self) -> Iterator[Fraction]:
        """Yield the δ_j: they add up to less than δ."""
        return (self.delta / 2 ** (j + 1) for j in range(len(GUESSES)))

    def start(self) -> tuple[Any, ...]:
        """Return the first states of the filters."""
        return tuple(one.start() for one in self.filters)

    def decide(self, state: tuple[Any, ...], step: Step) -> tuple[Decision, tuple[Any, ...]]:
        """Let it run, and see which filters would have."""
        asked = zip(self.filters, state, strict=True)
        return Decision.CONTINUE, tuple(_answer_of(one, inner, step) for one, inner in asked)

    def observe(self, state: tuple[Any, ...], step: Step, output: Output) -> tuple[Any, ...]:
        """Tell the filters that are running."""
        asked = zip(self.filters, state, strict=True)
        return tuple(
            inner if inner is HALTED else observe(one, inner, step, output) for one, inner in asked
        )

    def reported(self, state: tuple[Any, ...]) -> Reported:
        """Return the smallest guess that stands."""
        standing = [e for e, inner in zip(GUESSES, state, strict=True) if inner is not HALTED]
        return min(standing, default=INFINITE)


@lru_cache(maxsize=64)
def _filters(rule: Guesses) -> tuple[Filter[Any], ...]:
    return tuple(rule.filter(*pair) for pair in zip(GUESSES, rule.shares(), strict=True))


def _answer_of(rule: Filter[Any], state: Any, step: Step) -> Any:
    if state is HALTED:
        return HALTED
    decision, after = ask(rule, state, step)
    return after if decision is Decision.CONTINUE else HALTED


@dataclass(frozen=True)
class GuessesUndivided(Guesses):
    """Gives every guess the whole δ: a *known-bad specimen*."""

    def shares(self) -> Iterator[Fraction]:
        """Yield δ again and again."""
        return (self.delta for _ in GUESSES)


@dataclass(frozen=True)
class GuessesDP(Guesses):
    """Uses the compensator, which is (ε, δ)-DP and bounds no loss: a *known-bad specimen*."""

    def filter(self, guess: Fraction, delta: Fraction) -> Filter[Any]:
        """Return the compensator of one guess."""
        return Compensator(guess, delta)
