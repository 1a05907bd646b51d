"""Games in which pairs of databases are promised different things.

Only filters that read `step.game.promises`, or that run nothing but queries about people, have a
use for them, so they are played first against those and against nobody else.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from types import MappingProxyType

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism, Promise
from filterproof.game.individual import Pays, by_actual_data, by_supremum, individual_game
from filterproof.game.law import Law, Pair
from filterproof.game.promises import group_promises
from filterproof_properties.case import Case

TWO = Fraction(2)
PEOPLE = ("nobody", "ann", "bob")
"""Data sets with nobody, with Ann, and with Bob: neighbours differ in one person."""
NEIGHBOURS = (("nobody", "ann"), ("nobody", "bob"))


def response(names: Mapping[str, bool], odds: Fraction) -> Law:
    """Return randomised response of a bit that each database has."""
    truth = odds / (1 + odds)
    yes = {x: truth if bit else 1 - truth for x, bit in names.items()}
    return {"yes": yes, "no": {x: 1 - p for x, p in yes.items()}}


def asked_about(
    person: str, odds: Fraction, after: dict[str, Mechanism] | None = None
) -> Mechanism:
    """Return the question whether a person is there."""
    law = response({x: x == person for x in PEOPLE}, odds)
    return Mechanism(law, dict.fromkeys(law, after) if after else {})


def both_asked_about(odds: Fraction, rounds: int) -> dict[str, Mechanism]:
    """Return the menu that offers to ask about either person, round after round."""
    menu: dict[str, Mechanism] = {}
    for _ in range(rounds):
        menu = {f"is {one} there": asked_about(one, odds, menu or None) for one in PEOPLE[1:]}
    return menu


def personal(ann: Promise, bob: Promise, odds: Fraction, rounds: int) -> Game:
    """Return the game in which Ann and Bob are promised different things."""
    own = {"ann": ann, "bob": bob}
    promises: dict[Pair, Promise] = {}
    for x, x_ in NEIGHBOURS:
        promises[x, x_] = promises[x_, x] = own[x_]
    return Game(PEOPLE, NEIGHBOURS, both_asked_about(odds, rounds), promises)


def personal_cases() -> list[Case]:
    """Return plays in which one person is promised less, in epsilon or in delta."""
    tight, loose = Promise(Log(TWO), Fraction(0)), Promise(Log(TWO**2), Fraction(0))
    some = Promise(Fraction(1, 2), Fraction(1, 10))
    return [
        Case(f"promises to two people, odds {odds}", personal(*own, odds, rounds), *loose)
        for own in ((tight, loose), (loose, tight), (some, loose))
        for odds, rounds in product((Fraction(3, 2), TWO), (2, 3))
    ]


def group_cases() -> list[Case]:
    """Return plays in which databases at distance two have what group privacy gives them."""
    budgets: list[tuple[Epsilon, Fraction]] = [
        (Log(TWO), Fraction(0)),
        (Fraction(1), Fraction(1, 10)),
    ]
    return [
        Case(f"groups of two, odds {odds}", _group(odds, *budget), *budget)
        for budget in budgets
        for odds in (Fraction(3, 2), TWO)
    ]


def _group(odds: Fraction, epsilon: Epsilon, delta: Fraction) -> Game:
    promises = group_promises(PEOPLE, NEIGHBOURS, epsilon, delta)
    return Game(PEOPLE, NEIGHBOURS, both_asked_about(odds, 3), promises)


def individual_cases(pays: Pays) -> list[Case]:
    """Return the plays of an individual filter: equal budgets, and one person with a larger one."""
    equal = individual_game(pays, TWO, rounds=2)
    three = individual_game(pays, TWO, rounds=3)
    unequal = individual_game(pays, TWO, 2, budgets={1: 1, 2: 1, 3: 2})
    return [
        Case("threshold queries about three people, twice", equal, Log(TWO), Fraction(0)),
        Case("threshold queries about three people, three times", three, Log(TWO), Fraction(0)),
        Case("people with different budgets", unequal, Log(TWO), Fraction(0)),
    ]


def largest_promise() -> Case:
    """Ann is promised log 2 and Bob log 4; asked about twice, Ann loses log 4."""
    return personal_cases()[2]


def actual_data() -> Case:
    """Two rounds of threshold queries about two people: "are both there?", then "is 1 there?"."""
    play = individual_game(by_actual_data, TWO, rounds=2, budgets={1: 1, 2: 1})
    return Case("threshold queries about two people", play, Log(TWO), Fraction(0))


FIRST: Mapping[str, Callable[[], list[Case]]] = MappingProxyType(
    {
        "additive-per-pair": lambda: [*personal_cases(), *group_cases()],
        "individual-supremum": lambda: individual_cases(by_supremum),
    }
)
"""What is played first against the sound filters of the registry that are about people."""
