"""What an entry of the second blind set is made of, and the few lines that its filters share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, ClassVar

from filterproof import Decision, Game, Mechanism, Step
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.game import Request
from filterproof.game.law import Database, Declared, Output

Answer = tuple[Decision, Any]
Target = Callable[[Epsilon, Fraction], Any]
After = Mapping[Output, Mapping[Request, Mechanism]]

ONE = Fraction(1)
NONE = Fraction(0)
NOTHING = Declared(ONE, NONE)


@dataclass(frozen=True)
class Witness:
    """A game and a budget at which the filter's exact H exceeds delta."""

    game: Game
    epsilon: Epsilon
    delta: Fraction


@dataclass(frozen=True)
class Wrong:
    """A filter that breaks its promise, why it does, and where."""

    target: Target
    mistake: str
    witness: Witness


@dataclass(frozen=True)
class Sound:
    """A filter that looks suspicious and keeps its promise."""

    target: Target
    reason: str


class Rule:
    """A budget, and an empty state: what every filter here starts from."""

    markov: ClassVar[bool] = True

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.epsilon, self.delta = epsilon, delta

    def start(self) -> Any:
        """Return the empty state."""
        return None


class Ledger(Rule):
    """Basic composition of declared pairs; most mistakes change one of its two clauses."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        """Run what still fits once it is booked; halt otherwise."""
        after = self.book(state, step)
        return run_if(self.fits(after), after, state)

    def book(self, state: Any, step: Step) -> Any:
        """Add what the mechanism declares."""
        asked = step.mechanism.declared
        return Declared(state[0] * asked.odds, state[1] + asked.delta)

    def fits(self, spent: Any) -> bool:
        """Whether both sums are within the budget."""
        return within(spent[0], self.epsilon) and bool(spent[1] <= self.delta)


def run_if(fits: bool, after: Any, before: Any) -> Answer:
    """Run and go on with the new state, or halt with the old one."""
    return (Decision.CONTINUE, after) if fits else (Decision.HALT, before)


def within(odds: Fraction, epsilon: Epsilon) -> bool:
    """Whether log(odds) <= epsilon."""
    return not exceeds(odds, ONE, epsilon)


def nats(epsilon: Epsilon) -> float:
    """Return epsilon as a double."""
    return loss(epsilon.argument) if isinstance(epsilon, Log) else float(epsilon)


def loss(odds: Fraction) -> float:
    """Return log(odds) as a double, for odds of any size."""
    return log(odds.numerator) - log(odds.denominator)


# --- small builders for witnesses ---------------------------------------------------------


def over(
    databases: tuple[Database, ...],
    law: Mapping[Output, tuple[Any, ...]],
    after: After | None = None,
) -> Mechanism:
    """Return a mechanism on any databases from one row of probabilities per output."""
    rows = {y: dict(zip(databases, map(Fraction, row), strict=True)) for y, row in law.items()}
    return Mechanism(rows, after or {})


def chain(*mechanisms: Mechanism, request: Request = "ask") -> Mechanism:
    """Ask these laws one after another, whatever is released."""
    last = mechanisms[-1]
    for one in reversed(mechanisms[:-1]):
        menu = {request: last}
        last = Mechanism(one.law, dict.fromkeys(one.law, menu), one.stated)
    return last
