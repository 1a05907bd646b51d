"""The rules of a potential, checked in exact numbers on one round of a filter.

Nothing here knows a solver or an unknown number.  `broken` yields what one round breaks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision, ProtocolError, ask, observe
from filterproof.game import Step, coprime
from filterproof.game.law import Database, Output, Pair

START = "at the start B <= delta"
PAYS = "a round that runs is paid for: sum of P_x(y)·B_y + charge <= B"
LAST = "the last round is paid for: charge <= B"
REFUSAL = "a refusal does not raise the potential: B after <= B before"
NEGATIVE = "a potential is never negative: 0 <= B after"
INVARIANT = "the invariant is kept (1 if it holds)"
FIRST_INVARIANT = "the invariant holds of the first state (1 if it holds)"


@dataclass(frozen=True)
class Broken:
    """A rule that one round breaks for a pair: `left` must be at most `right`, and is not."""

    rule: str
    pair: Pair
    decision: Decision
    left: ExpLinear
    right: ExpLinear


@dataclass(frozen=True)
class NoRequest:
    """Stands for the request that is not sent yet."""


@dataclass(frozen=True)
class Rules:
    """The rules for a filter at a budget ε."""

    filter: Any
    epsilon: Epsilon

    def opening(self, state: Any, step: Step, delta: Fraction) -> Iterator[Broken]:
        """Yield what the opening round breaks."""
        if not self.invariant(state, before_request(step)):
            one, zero = self.number(1), self.number(0)
            yield Broken(FIRST_INVARIANT, step.pairs[0], Decision.HALT, one, zero)
            return
        before = self.potential(state, step)
        for pair, number in before.items():
            yield from _exceeds(START, pair, Decision.HALT, number, self.number(delta))
            yield from _exceeds(NEGATIVE, pair, Decision.HALT, self.number(0), number)
        yield from self.round(state, step, before)

    def potential(self, state: Any, step: Step) -> dict[Pair, ExpLinear]:
        """Return what every pair may still lose before a request is sent."""
        now = before_request(step)
        return {pair: self.remaining(state, now, pair) for pair in step.pairs}

    def round(self, state: Any, step: Step, before: Mapping[Pair, ExpLinear]) -> Iterator[Broken]:
        """Yield what a round from a state breaks."""
        decision, after = ask(self.filter, state, step)
        if decision is Decision.REFUSE:
            now = before_request(step)
            for pair, number in before.items():
                left = self.remaining(after, now, pair)
                yield from _exceeds(REFUSAL, pair, decision, left, number)
                yield from _exceeds(NEGATIVE, pair, decision, self.number(0), left)
            yield from self._kept(after, now, decision)
        if decision is Decision.LAST:
            for pair, number in before.items():
                yield from _exceeds(LAST, pair, decision, self.charge(step, pair), number)
        if decision is Decision.CONTINUE:
            for pair, number in before.items():
                yield from self._paid(step, after, pair, number)

    def _paid(self, step: Step, state: Any, pair: Pair, before: ExpLinear) -> Iterator[Broken]:
        total, zero = self.charge(step, pair), self.number(0)
        for y, row in step.mechanism.law.items():
            if not row[pair[0]]:
                continue
            later, now = observe(self.filter, state, step, y), after_output(step, y)
            left = self.remaining(later, now, pair)
            total += left * row[pair[0]]
            yield from _exceeds(NEGATIVE, pair, Decision.CONTINUE, zero, left)
            yield from self._kept(later, now, Decision.CONTINUE)
        yield from _exceeds(PAYS, pair, Decision.CONTINUE, total, before)

    def _kept(self, state: Any, step: Step, decision: Decision) -> Iterator[Broken]:
        if not self.invariant(state, step):
            pair = step.game.pairs[0]
            yield Broken(INVARIANT, pair, decision, self.number(1), self.number(0))

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return what the round adds to H, per unit of P_x, straight from its definition."""
        x, x_ = pair
        w, w_ = step.mass[x], step.mass[x_]
        rows = step.mechanism.law.values()
        won = [ExpLinear(w * row[x], -w_ * row[x_], self.epsilon) for row in rows]
        lost = ExpLinear(w, -w_, self.epsilon)
        total = sum((one for one in won if one.sign() > 0), self.number(0))
        return (total - lost if lost.sign() > 0 else total) / w

    def remaining(self, state: Any, step: Step, pair: Pair) -> ExpLinear:
        """Return the filter's own account of what a pair may still lose."""
        said = self.filter.remaining(state, step, pair)
        if isinstance(said, ExpLinear):
            return said
        if isinstance(said, (Fraction, int)) and not isinstance(said, bool):
            return self.number(said)
        raise ProtocolError(f"remaining() must return an exact number; got {said!r:.100}")

    def invariant(self, state: Any, step: Step) -> bool:
        """Return what the filter says of its states; True if it says nothing."""
        method = getattr(self.filter, "invariant", None)
        return True if method is None else bool(method(state, step))

    def number(self, value: Fraction | int) -> ExpLinear:
        """Return a rational number as a + b·e^ε."""
        return ExpLinear(value, 0, self.epsilon)


def _exceeds(
    rule: str, pair: Pair, decision: Decision, left: ExpLinear, right: ExpLinear
) -> Iterator[Broken]:
    if left > right:
        yield Broken(rule, pair, decision, left, right)


def before_request(step: Step) -> Step:
    """Return the step as a potential may see it: before a request is sent."""
    nothing: Any = NoRequest()
    return Step(step.index, "", nothing, step.mass, (), step.game, step.menu)


def after_output(step: Step, y: Output) -> Step:
    """Return the step after an output, as a potential may see it."""
    nothing: Any = NoRequest()
    mass: Mapping[Database, Fraction] = coprime(step.released(y))
    return Step(step.index + 1, "", nothing, mass, (), step.game, step.mechanism.after[y])
