"""A promise per ordered pair: the additive filter with an account for each, and a broken cousin.

Where a game has promises (`game.promises`), each pair (x, x′) is promised its own (ε_p, δ_p); where
it has none, all neighbours are promised what the filter was opened with.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.common import check_budget, per_mechanism
from filterproof.game import Mechanism, Promise, Step
from filterproof.game.law import Declared, Pair, tightest


@per_mechanism
def pair_cost(mechanism: Mechanism, pair: Pair) -> Declared:
    """Return the tightest (odds, δ) of a mechanism for one ordered pair alone."""
    return tightest(mechanism.law, (pair,))


@dataclass(frozen=True)
class AdditivePerPair:
    """Runs M_i iff what the rounds cost each pair, itself alone, stays within its own promise."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> tuple[Declared, ...]:
        """Return no accounts; the opening round makes them."""
        return ()

    def decide(
        self, state: tuple[Declared, ...], step: Step
    ) -> tuple[Decision, tuple[Declared, ...]]:
        """Run M_i iff every pair's own sums fit with this round added."""
        pairs = tuple(step.game.promises or step.game.pairs)
        spent = []
        for pair, before in zip(pairs, state or (NOTHING,) * len(pairs), strict=True):
            asked, own = pair_cost(step.mechanism, pair), self.promise(step, pair)
            after = Declared(before.odds * asked.odds, before.delta + asked.delta)
            if exceeds(after.odds, Fraction(1), own.epsilon) or after.delta > own.delta:
                return Decision.HALT, state
            spent.append(after)
        return Decision.CONTINUE, tuple(spent)

    def promise(self, step: Step, pair: Pair) -> Promise:
        """Return what a pair is promised."""
        return step.game.promise(pair, self.epsilon, self.delta)


@dataclass(frozen=True)
class LargestPromise(AdditivePerPair):
    """Compares every pair's account with the largest promise of all: a *known-bad specimen*.

    Whoever is promised less is not protected so.
    """

    def promise(self, step: Step, pair: Pair) -> Promise:
        """Return the largest ε and the largest δ that any pair is promised."""
        every = [*step.game.promises.values()] or [Promise(self.epsilon, self.delta)]
        largest = max(every, key=lambda own: exp_enclosure(own.epsilon, 64))
        return Promise(largest.epsilon, max(own.delta for own in every))
