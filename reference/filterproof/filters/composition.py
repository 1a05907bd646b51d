"""Exact composition used as a filter: two *known-bad specimens*.

An accountant that composes the mechanisms that were run, exactly, answers a question about a
fixed list of mechanisms.  Used to decide whether the next one may run, it misses that the list
itself depends on the outputs: on each branch the list may pass while the play as a whole does
not.  Privacy-loss-distribution and optimal-composition accountants are often used this way.

The composition of a list is kept as the distribution of the likelihood ratio under x.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget, per_mechanism
from filterproof.game import Mechanism, Step
from filterproof.game.law import Law, Pair

Losses = tuple[tuple[Fraction, Fraction], ...]
"""(ratio P_x/P_x′, probability under x), sorted; what is missing to 1 has an infinite ratio."""

NO_LOSS: Losses = ((Fraction(1), Fraction(1)),)


@dataclass(frozen=True)
class ExactComposition:
    """Runs M_i iff the mechanisms run so far and M_i, as a fixed list, are (ε, δ)-DP."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> tuple[Losses, ...]:
        """Return the empty tuple; the opening round sets one distribution per ordered pair."""
        return ()

    def decide(self, state: tuple[Losses, ...], step: Step) -> tuple[Decision, tuple[Losses, ...]]:
        """Run M_i iff no ordered pair's composed profile exceeds δ at ε."""
        before, after = self.extended(state, step)
        if all(profile_of(losses, self.epsilon) <= self.delta for losses in after):
            return Decision.CONTINUE, after
        return Decision.HALT, before

    def extended(
        self, state: tuple[Losses, ...], step: Step
    ) -> tuple[tuple[Losses, ...], tuple[Losses, ...]]:
        """Return the distributions of the rounds so far, without M_i and with it."""
        before = state or (NO_LOSS,) * len(step.game.pairs)
        asked = zip(before, self.losses(step.mechanism), strict=True)
        return before, tuple(compose(run, one) for run, one in asked)

    def losses(self, mechanism: Mechanism) -> tuple[Losses, ...]:
        """Return the mechanism's own distribution of the ratio, per ordered pair."""
        return loss_distributions(mechanism, None)


@dataclass(frozen=True)
class ExactCompositionPure(ExactComposition):
    """The same with what a mechanism *declares*: optimal composition of pure ε_i.

    An ε_i-DP mechanism is dominated by randomised response with odds e^ε_i (Kairouz, Oh and
    Viswanath; Murtagh and Vadhan).  A mechanism with δ_i > 0 is not run.
    """

    def losses(self, mechanism: Mechanism) -> tuple[Losses, ...]:
        """Return randomised response with the declared odds, or a certain infinite loss."""
        odds, delta = mechanism.declared
        total = odds + 1
        response = ((1 / odds, 1 / total), (odds, odds / total))
        one = () if delta else merge_equal(response)
        return (one,) * len(mechanism.pairs)


@per_mechanism
def loss_distributions(mechanism: Mechanism, key: None) -> tuple[Losses, ...]:
    """Return the distribution of P_x(Y)/P_x′(Y) under x, for each ordered pair."""
    return tuple(losses_of(mechanism.law, pair) for pair in mechanism.pairs)


def losses_of(law: Law, pair: Pair) -> Losses:
    """Return the distribution of the ratio for one ordered pair."""
    x, x_ = pair
    finite = (row for row in law.values() if row[x] and row[x_])
    return merge_equal((row[x] / row[x_], row[x]) for row in finite)


def compose(one: Losses, other: Losses) -> Losses:
    """Return the distribution of the product of two independent ratios.

    >>> coin = ((Fraction(1, 2), Fraction(1, 3)), (Fraction(2), Fraction(2, 3)))
    >>> [(str(ratio), str(p)) for ratio, p in compose(coin, coin)]
    [('1/4', '1/9'), ('1', '4/9'), ('4', '4/9')]
    """
    return merge_equal((r * r_, p * p_) for r, p in one for r_, p_ in other)


def merge_equal(ratios: Iterable[tuple[Fraction, Fraction]]) -> Losses:
    """Add up equal ratios and sort, so that equal distributions are equal."""
    sums: dict[Fraction, Fraction] = {}
    for ratio, p in ratios:
        sums[ratio] = sums.get(ratio, Fraction(0)) + p
    return tuple(sorted(sums.items()))


def profile_of(losses: Losses, epsilon: Epsilon) -> ExpLinear:
    """Return δ(ε) of a distribution of ratios: 1 for each infinite one, 1 - e^ε/ratio above e^ε."""
    kept = [(ratio, p) for ratio, p in losses if exceeds(ratio, Fraction(1), epsilon)]
    infinite = 1 - sum((p for _, p in losses), Fraction(0))
    above = sum((p for _, p in kept), infinite)
    return ExpLinear(above, -sum((p / ratio for ratio, p in kept), Fraction(0)), epsilon)
