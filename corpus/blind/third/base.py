"""What the filters of the third set share: numbers, a right ledger to get wrong, more databases."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, answer, covers, plus, size
from corpus.blind.first.games import Menu, Rational, chain, then
from filterproof.exact import Epsilon, ExpLinear
from filterproof.game import Game, Mechanism, Step
from filterproof.game.law import Declared, Output

HALF, TENTH, CENT = Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)
ZERO = Fraction(0)


class Book(Rule):
    """Adds up what is declared.  It is right as it stands; those made of it change one thing."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return answer(self.fits(total), total, state)

    def fits(self, total: Declared) -> bool:
        return covers(total, self.epsilon, self.delta)


def positive(epsilon: Epsilon) -> float:
    """Return ε as a float; there is no filter that divides by it if it is 0."""
    if not size(epsilon):
        raise ValueError("need epsilon > 0")
    return size(epsilon)


def nothing(epsilon: Epsilon) -> ExpLinear:
    """Return 0 as a number a + b·e^ε."""
    return ExpLinear(0, 0, epsilon)


def over(names: str, law: Mapping[Output, tuple[Rational, ...]]) -> Mechanism:
    """Return the mechanism on the databases of these names, probabilities per output."""
    return Mechanism({y: dict(zip(names, map(Fraction, p), strict=True)) for y, p in law.items()})


def played(pairs: str, *laws: Mapping[Output, tuple[Rational, ...]]) -> Game:
    """Return one law after the other on the databases that the pairs (such as "ab bc") name."""
    names = "".join(sorted(set(pairs) - {" "}))
    menu = chain(*[over(names, law) for law in laws])
    return Game(names, [(pair[0], pair[1]) for pair in pairs.split()], menu)


def calls(**rounds: Mechanism) -> Menu:
    """One request a round, each with a name of its own, whatever comes out."""
    menu: Menu = {}
    for request, mechanism in reversed(rounds.items()):
        menu = {request: then(mechanism, menu) if menu else mechanism}
    return menu
