"""What the outsider's filters share: budgets, ledgers of declared pairs, and pairs to watch."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from filterproof.exact import Epsilon, ExpLinear, Undecided, exceeds, sign_by_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.advanced import Spent, spend
from filterproof.filters.common import check_budget
from filterproof.filters.compensator import Compensator
from filterproof.filters.rdp import renyi_cost
from filterproof.game import Step
from filterproof.game.law import Declared, Pair
from filterproof.privacy import charge, tight_delta, tight_odds

ZERO = Fraction(0)
ONE = Fraction(1)
CAP_BITS = 1024  # where a test with logarithms gives up and counts as failed


@dataclass(frozen=True)
class Budgeted:
    """A checked budget, and the numbers that are compared with it."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def number(self, value: Fraction | int = 0) -> ExpLinear:
        """A rational as a number a + b·e^ε."""
        return ExpLinear(value, 0, self.epsilon)

    def above(self, odds: Fraction) -> bool:
        """Whether log(odds) exceeds ε."""
        return exceeds(odds, ONE, self.epsilon)

    def fits(self, spent: Declared) -> bool:
        """Whether both numbers stay within the budget."""
        return not self.above(spent.odds) and spent.delta <= self.delta

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """What the round adds to H for one ordered pair."""
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)

    def dearest(self, step: Step) -> ExpLinear:
        """The largest charge over the live pairs."""
        return max((self.charge(step, pair) for pair in step.pairs), default=self.number())


class Basic(Budgeted):
    """Basic composition of what is declared; sound as it stands."""

    def start(self) -> Declared:
        return NOTHING

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        spent = self.spend(state, step)
        return (Decision.CONTINUE, spent) if self.fits(spent) else (Decision.HALT, state)

    def spend(self, spent: Declared, step: Step) -> Declared:
        return plus(spent, self.price(step))

    def price(self, step: Step) -> Declared:
        return step.mechanism.declared


class Watching(Compensator):
    """The compensator, which charges only the pairs that it watches; sound if it watches all."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        if self.watched(step, pair):
            return super().charge(step, pair)
        return ExpLinear(0, 0, self.epsilon)

    def watched(self, step: Step, pair: Pair) -> bool:
        raise TypeError("a watching filter says which pairs it watches")


class Pure(Budgeted):
    """A formula in the squares of pure ε_i; refuses what does not fit or declares a δ_i."""

    def start(self) -> Spent:
        return ()

    def decide(self, state: Spent, step: Step) -> tuple[Decision, Spent]:
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        spent = spend(state, asked)
        if asked.delta or not 0 < self.delta < 1 or not affordable(self, spent):
            return Decision.REFUSE, state
        return Decision.CONTINUE, spent

    def gap(self, iv: Any, spent: Spent) -> Any:
        """What the formula asks for beyond ε, as an interval."""
        raise TypeError("a pure filter has a formula")


@lru_cache(maxsize=4096)
def affordable(rule: Pure, spent: Spent) -> bool:
    """Whether the formula asks for no more than ε."""
    return nonpositive(lambda iv: rule.gap(iv, spent))


def nonpositive(gap: Callable[[Any], Any]) -> bool:
    """Whether a real number is at most 0; no, where that stays open."""
    try:
        return sign_by_enclosure(gap, CAP_BITS) <= 0
    except Undecided:
        return False


def plus(spent: Declared, asked: Declared) -> Declared:
    """Basic composition of two statements."""
    return Declared(spent.odds * asked.odds, spent.delta + asked.delta)


def statements(step: Step) -> list[Declared]:
    """Three true statements about a mechanism: declared, (0, TV) and, if there is one, (ε_i, 0)."""
    law, pairs = step.mechanism.law, step.game.pairs
    pure = tight_odds(law, pairs, ZERO)
    found = [step.mechanism.declared, Declared(ONE, tight_delta(law, pairs, ONE))]
    return found if pure is None else [*found, Declared(pure, ZERO)]


def order_two_sum(step: Step) -> Fraction | None:
    """The largest sum of p²/q over the pairs; None if infinite."""
    found = renyi_cost(step.mechanism, Fraction(2))
    return None if found is None else found.rational()
