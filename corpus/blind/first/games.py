"""The games in which the witnesses are played, built from few words."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from corpus.blind.base import Witness
from filterproof.exact import Epsilon, rational
from filterproof.game import Game, Mechanism, Request
from filterproof.game.law import Output
from filterproof.palette import game, response

Rational = Fraction | int
Menu = Mapping[Request, Mechanism]


def at(epsilon: Epsilon | int, delta: Rational, first: Callable[[], Menu | Game]) -> Witness:
    """Return the witness at a budget: a game, or the first menu of one on "0" and "1"."""

    def build() -> Game:
        made = first()
        return made if isinstance(made, Game) else game(made)

    budget = Fraction(epsilon) if isinstance(epsilon, int) else epsilon
    return Witness(budget, rational(delta), build)


def coin(odds: Rational) -> Mechanism:
    """Randomised response with these odds."""
    return response(Fraction(odds) / (odds + 1))


def then(mechanism: Mechanism, menu: Menu) -> Mechanism:
    """Return the mechanism with the same menu after every output."""
    return Mechanism(mechanism.law, dict.fromkeys(mechanism.law, menu), mechanism.stated)


def chain(*mechanisms: Mechanism, request: Request = "ask") -> Menu:
    """One request a round, one mechanism after the other, whatever comes out."""
    menu: Menu = {request: mechanisms[-1]}
    for mechanism in reversed(mechanisms[:-1]):
        menu = {request: then(mechanism, menu)}
    return menu


def branch(mechanism: Mechanism, **after: Menu) -> Menu:
    """One request, and the menu that follows each output."""
    return {"ask": Mechanism(mechanism.law, after, mechanism.stated)}


def among(
    law: Mapping[Output, tuple[Rational, ...]], pairs: str, after: Menu | None = None
) -> Game:
    """A game on databases "a", "b", ...: probabilities per output, and pairs such as "ab bc"."""
    names = "abcdefgh"[: len(next(iter(law.values())))]
    rows = {y: dict(zip(names, map(Fraction, row), strict=True)) for y, row in law.items()}
    first = then(Mechanism(rows), after) if after else Mechanism(rows)
    return Game(names, [(pair[0], pair[1]) for pair in pairs.split()], {"ask": first})
