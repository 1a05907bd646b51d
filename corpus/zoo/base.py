"""What a specimen is, and the two ledgers that most of them get wrong."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision, Filter
from filterproof.game import Step
from filterproof.game.law import Pair
from filterproof.privacy import charge


@dataclass(frozen=True)
class Specimen:
    """A filter with its expected verdict and, in one line, the idea of it."""

    name: str
    target: Callable[..., Filter[Any]]
    family: str
    idea: str
    sound: bool = False

    @property
    def spec(self) -> str:
        """What one types to audit it."""
        return f"{self.target.__module__}:{self.target.__qualname__}"


@dataclass(frozen=True)
class Rule:
    """A filter without memory that continues where `fits` says so."""

    epsilon: Epsilon
    delta: Fraction

    def start(self) -> Hashable:
        return None

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        return (Decision.CONTINUE if self.fits(step) else Decision.HALT), state

    def fits(self, step: Step) -> bool:
        raise TypeError("a rule says what fits")

    def above(self, p: Fraction, q: Fraction) -> bool:
        """Whether the loss log(p/q) exceeds ε."""
        return exceeds(p, q, self.epsilon)


@dataclass(frozen=True)
class Charged(Rule):
    """Adds up, over the rounds, the largest charge of a round; sound as it stands."""

    def start(self) -> Hashable:
        return self.zero()

    def zero(self) -> ExpLinear:
        return ExpLinear(0, 0, self.epsilon)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent = state + self.cost(step)
        return (Decision.HALT, state) if spent > self.delta else (Decision.CONTINUE, spent)

    def cost(self, step: Step) -> ExpLinear:
        return max((self.one(step, pair) for pair in self.pairs(step)), default=self.zero())

    def pairs(self, step: Step) -> tuple[Pair, ...]:
        return step.pairs

    def one(self, step: Step, pair: Pair) -> ExpLinear:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)
