"""What an entry of a blind set holds, and the few lines that its filters share."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, ClassVar, Literal

from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filter import Decision, Filter
from filterproof.game import Game
from filterproof.game.law import Declared

ONE = Fraction(1)
NOTHING = Declared(ONE, Fraction(0))
Answer = tuple[Decision, Any]
Target = Callable[[Epsilon, Fraction], Filter[Any]]


@dataclass(frozen=True)
class Witness:
    """A budget, and a game on which H > delta."""

    epsilon: Epsilon
    delta: Fraction
    game: Callable[[], Game]


@dataclass(frozen=True)
class Wrong:
    """A filter that is not private, the mistake in one sentence, and the proof of it.

    The level was measured with plain random games (two or three databases, up to three rounds and
    three requests, nine values of epsilon, eight of delta), some 470 of them in each of two runs:
    easy was broken by the first dozen of both, medium in both, hard in one run or in none.
    """

    target: Target
    mistake: str
    level: Literal["easy", "medium", "hard"]
    witness: Witness


@dataclass(frozen=True)
class Sound:
    """A filter that looks wrong and is private, and why it is."""

    target: Target
    why: str


class Rule:
    """A budget; what is decided does not depend on the history unless a filter says so."""

    markov: ClassVar[bool] = True

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.epsilon, self.delta = epsilon, delta


def answer(fits: bool, after: Any, before: Any) -> Answer:
    """Run it and go on with `after`, or halt with `before`."""
    return (Decision.CONTINUE, after) if fits else (Decision.HALT, before)


def plus(spent: Declared, asked: Declared) -> Declared:
    """Add two costs: odds multiply, deltas add up."""
    return Declared(spent.odds * asked.odds, spent.delta + asked.delta)


def within(odds: Fraction, epsilon: Epsilon, share: Fraction = ONE) -> bool:
    """Return whether log odds <= share·ε, exactly."""
    times, roots = share.numerator, share.denominator
    most = Log(epsilon.argument**times) if isinstance(epsilon, Log) else epsilon * times
    return not exceeds(odds**roots, ONE, most)


def covers(spent: Declared, epsilon: Epsilon, delta: Fraction) -> bool:
    """Return whether both coordinates are within the budget."""
    return within(spent.odds, epsilon) and spent.delta <= delta


def nats(odds: Fraction) -> float:
    """Return log odds as a float; numerators of any length will do."""
    return log(odds.numerator) - log(odds.denominator)


def size(epsilon: Epsilon) -> float:
    """Return ε as a float, for the filters that compute in floats."""
    return nats(epsilon.argument) if isinstance(epsilon, Log) else float(epsilon)
