"""The compensator with joint caps: each direction of a pair takes back what the other strands.

`Capped` hands no output more than *its own* direction can still lose there.  But what runs later is
bound by both directions of a pair.  In masses m = P_x(h), m′ = P_x′(h), with budgets b and b′ that
cover what is lost: whatever runs after h with H′ <= b′ has

    H  <=  m - (m′ - b′)·e^-ε,

because p - e^ε·q <= p - (q - max(0, q - e^ε·p))·e^-ε, term by term.  So more than that need not be
kept for the first direction, and can be shared out among the other outputs; and the same for
the second.  The caps are worked out in turn: the second direction under its own caps, then the
first, then the second again.  Neither then holds more than the other lets it lose, so that for
two databases no causal filter that is private both ways runs all this one runs and more
(`one_pass_maximal` in `proofs/coq/JointExact.v`).  Another pass can strand a little again.

e^-ε is replaced by a rational below it where it is irrational: the cap is then a little larger than
needed, which is sound as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from filterproof.exact import Epsilon, ExpLinear, exceeds, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.common import (
    PerPair,
    check_budget,
    matches_possible_pairs,
    same_for_each_pair,
    survivors,
)
from filterproof.filters.compensator import level
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge

Shares = dict[Output, ExpLinear]


class Direction(NamedTuple):
    """One ordered pair in a round: its rest, the masses of x, and what each y can still lose."""

    rest: ExpLinear
    mass: Mapping[Output, Fraction]
    room: Mapping[Output, ExpLinear]


@dataclass(frozen=True)
class JointCapped:
    """Runs M_i iff every budget covers its charge; caps what is left by both directions."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> PerPair[ExpLinear]:
        """Return no budgets; the opening round makes them."""
        return ()

    def decide(
        self, state: PerPair[ExpLinear], step: Step
    ) -> tuple[Decision, PerPair[ExpLinear] | PerPair[tuple[ExpLinear | None, ...]]]:
        """Run M_i iff every live pair's budget covers its charge; keep every output's share."""
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        rests = dict(zip(step.game.pairs, before, strict=True))
        for pair, budget in rests.items():
            if budget is not None:
                rests[pair] = budget - charge(step.mechanism.law, pair, step.mass, self.epsilon)
        if any(rest is not None and rest.sign() < 0 for rest in rests.values()):
            return Decision.HALT, before
        shares = self.shares(step, rests)
        return Decision.CONTINUE, tuple(
            None if rests[pair] is None else tuple(shares[pair].get(y) for y in step.mechanism.law)
            for pair in step.game.pairs
        )

    def observe(
        self, state: PerPair[tuple[ExpLinear | None, ...]], step: Step, output: Output
    ) -> PerPair[ExpLinear]:
        """Take every live pair's share after this output."""
        at = [*step.mechanism.law].index(output)
        kept = survivors(state, step, output)
        return tuple(None if shares is None else shares[at] for shares in kept)

    def shares(self, step: Step, rests: Mapping[Pair, ExpLinear | None]) -> dict[Pair, Shares]:
        """Return what each ordered pair may spend after each output, per unit of P_x(y)."""
        found: dict[Pair, Shares] = {}
        for x, x_ in step.game.pairs:
            if (x, x_) not in found:
                one = self.direction(step, (x, x_), rests[x, x_])
                other = self.direction(step, (x_, x), rests[x_, x])
                found[x, x_], found[x_, x] = joint_shares(one, other, self.epsilon)
        return found

    def direction(self, step: Step, pair: Pair, rest: ExpLinear | None) -> Direction:
        """Return one direction in masses; one that is no longer possible has nothing."""
        law, zero = step.mechanism.law, ExpLinear(0, 0, self.epsilon)
        mass = {y: step.mass[pair[0]] * law[y][pair[0]] for y in law}
        other = {y: step.mass[pair[1]] * law[y][pair[1]] for y in law}
        room = {y: self.room(mass[y], other[y]) for y in law}
        return Direction(zero if rest is None else rest * step.mass[pair[0]], mass, room)

    def room(self, mass: Fraction, other: Fraction) -> ExpLinear:
        """Return the most that can still be lost: the mass less what is lost already."""
        if exceeds(mass, other, self.epsilon):
            return ExpLinear(0, other, self.epsilon)
        return ExpLinear(mass, 0, self.epsilon)

    # --- for the search and for proofs ------------------------------------------------------

    def remaining(self, state: PerPair[ExpLinear], step: Step, pair: Pair) -> ExpLinear:
        """Return what is left of the pair's budget: a potential, it pays for every round."""
        left = state[step.game.pairs.index(pair)] if state else None
        return ExpLinear(self.delta, 0, self.epsilon) if left is None else left

    def invariant(self, state: PerPair[ExpLinear], step: Step) -> bool:
        """Whether there is a budget for exactly the pairs under whose x the history is possible."""
        return matches_possible_pairs(state, step) if state else step.index == 0


def joint_shares(one: Direction, other: Direction, epsilon: Epsilon) -> tuple[Shares, Shares]:
    """Return what both directions may spend after each output, each capped by the other."""
    shrink = 1 / exp_enclosure(epsilon, 64)[1]  # e^-ε or a little less
    ours = fill_up(one, caps(one, other, fill_up(other, other.room), shrink))
    theirs = fill_up(other, caps(other, one, ours, shrink))
    return per_unit(one, ours), per_unit(other, theirs)


def caps(one: Direction, other: Direction, held: Shares, shrink: Fraction) -> Shares:
    """Return what one direction can still lose after each output, if the other holds so much."""
    return {y: one.room[y] - (other.room[y] - held[y]) * shrink for y in one.room}


def fill_up(one: Direction, limits: Mapping[Output, ExpLinear]) -> Shares:
    """Share the rest out in proportion to the masses, no output above its limit."""
    whole = sum(one.mass.values(), Fraction(0))
    if not whole:
        return dict.fromkeys(one.mass, one.rest * 0)
    limits = {y: max(limits[y], one.rest * 0) for y in limits}
    rooms = [(limits[y] / p, p / whole) for y, p in one.mass.items() if p]
    share = level(one.rest / whole, rooms)
    return {y: min(limits[y], share * p) if p else one.rest * 0 for y, p in one.mass.items()}


def per_unit(one: Direction, shares: Shares) -> Shares:
    """Return shares per unit of the mass of x; none where that is 0."""
    return {y: shares[y] / p for y, p in one.mass.items() if p}
