"""The compensator filters: charge each round exactly what it adds to H, and stop at δ.

For any filter, H is the expected sum of the charges c_i of the rounds that run (`charge` in
`privacy`), because whether round i runs is known before y_i is drawn.  Keeping the charges on
every path within δ therefore keeps H within δ, for every adversary and any number of rounds:
there is no look-ahead, and no N, θ or δ̃ to choose.

The three forms differ in what becomes of the budget B that a round leaves over, B - c:

* `Compensator` hands B - c to every output alike;
* `Recycling` hands nothing to outputs that rule x′ out (no later round can be charged there) and
  shares that out among the rest;
* `Capped` hands no output more than it can still lose, 1 - h(l), and shares the excess out.

Each is sound because E_x[budget after the round] + c <= budget before it, which is Doob's
decomposition of h(l).  At δ = 0 all three are the Bayesian privacy filter of Pan.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    by_cases,
    check_budget,
    matches_possible_pairs,
    possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge

Budgets = PerPair[ExpLinear]


@dataclass(frozen=True)
class Compensator:
    """Runs M_i iff c_1 + ... + c_i <= δ for every ordered pair that is still possible.

    With `pair` it watches that ordered pair only, and then promises nothing about the others.
    """

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    pair: Pair | None = None

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Budgets:
        """Return no budgets yet; the opening round fills it."""
        return ()

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        """Run M_i iff every pair's budget covers its charge; keep what is left per pair."""
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            rest = budget - self.charge(step, pair)
            if rest.sign() < 0:
                return Decision.HALT, before
            left[i] = by_cases(self.epsilon, self.share, rest, step, pair)
        return Decision.CONTINUE, tuple(left)

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return what this round is charged for one pair."""
        if self.pair is not None and pair != self.pair:
            return ExpLinear(0, 0, self.epsilon)
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        """Return what every output may be given of the rest: all of it."""
        return rest

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        """Forget the pairs under whose x this output is impossible."""
        return survivors(state, step, output)

    # --- for the prover: why it holds, no part of the rule ---

    def remaining(self, state: Budgets, step: Step, pair: Pair) -> ExpLinear:
        """Return what is left of the pair's budget: a potential, it pays for every round."""
        left = state[step.game.pairs.index(pair)] if state else None
        return ExpLinear(self.delta, 0, self.epsilon) if left is None else left

    def invariant(self, state: Budgets, step: Step) -> bool:
        """Whether there is a budget for exactly the pairs under whose x the history is possible."""
        return matches_possible_pairs(state, step) if state else step.index == 0


@dataclass(frozen=True)
class Recycling(Compensator):
    """The compensator that takes back what is stranded on outputs that rule x′ out."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        """Divide the rest by P_x(x′ stays possible); nothing is left where it never does."""
        x, x_ = pair
        rows = step.mechanism.law.values()
        kept = sum((row[x] for row in rows if row[x_]), Fraction(0)) if step.mass[x_] else 0
        return rest / kept if kept else rest * 0

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        """Give nothing to the pairs whose x′ this output rules out."""
        row = step.mechanism.law[output]
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            rest if rest is None or (row[x_] and step.mass[x_]) else rest * 0
            for rest, (_, x_) in kept
        )


@dataclass(frozen=True)
class Capped(Compensator):
    """The compensator that gives no output more than it can still lose.

    After y the budget is min(λ, 1 - h(l_y)), with λ such that nothing of the rest is wasted:
    the sum over y of P_x(y)·min(λ, 1 - h(l_y)) is the rest.
    """

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        """Return λ, by filling the outputs with the least room first."""
        x, _ = pair
        law = step.mechanism.law
        rooms = [(self.room(step, pair, y), law[y][x]) for y in law if law[y][x]]
        return level(rest, rooms)

    def room(self, step: Step, pair: Pair, output: Output) -> ExpLinear:
        """Return the most that can still be lost after an output."""
        return by_cases(self.epsilon, room, step, pair, output, self.epsilon)

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        """Cap every pair's share at what it can still lose after this output."""
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            rest if rest is None else self.capped(rest, step, pair, output) for rest, pair in kept
        )

    def capped(self, rest: ExpLinear, step: Step, pair: Pair, output: Output) -> ExpLinear:
        """Return the share, or the room after this output if that is less."""
        return by_cases(self.epsilon, min, rest, self.room(step, pair, output))


def room(step: Step, pair: Pair, y: Output, epsilon: Epsilon) -> ExpLinear:
    """Return 1 - h(l_y): the most that can still be added to H after y, per unit of P_x."""
    mass = step.released(y)
    x, x_ = pair
    if exceeds(mass[x], mass[x_], epsilon):
        return ExpLinear(0, mass[x_] / mass[x], epsilon)
    return ExpLinear(1, 0, epsilon)


def level(rest: ExpLinear, rooms: Iterable[tuple[ExpLinear, Fraction]]) -> ExpLinear:
    """Return λ with the sum over (room, weight) of weight·min(λ, room) equal to rest, else 1.

    >>> half = Fraction(1, 2)
    >>> small, large = (ExpLinear(v, 0, Fraction(1)) for v in (Fraction(1, 10), 1))
    >>> str(level(ExpLinear(half, 0, Fraction(1)), [(large, half), (small, half)]))
    '9/10'
    """
    weight_left = Fraction(1)
    for cap, weight in sorted(rooms, key=lambda one: one[0]):
        if rest <= cap * weight_left:
            return rest / weight_left
        rest, weight_left = rest - cap * weight, weight_left - weight
    return ExpLinear(1, 0, rest.epsilon)
