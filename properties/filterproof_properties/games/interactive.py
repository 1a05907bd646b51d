"""Interactive mechanisms as games: a sparse vector, and two analyses that are interleaved.

The rounds of one mechanism share a name before the colon.  The law of a round is that of its answer
*given what it has answered before*, so that a noisy threshold, drawn once and never shown, needs no
place of its own in the game.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from filterproof.exact import Log
from filterproof.game import Game, Mechanism
from filterproof.game.law import Law
from filterproof_properties.case import Case

Noise = Mapping[int, Fraction]
Counts = tuple[int, int]
"""What a query counts in the databases "0" and "1": they differ by one at most."""

QUERIES: tuple[Counts, ...] = ((0, 1), (1, 0), (0, 0))
TWO = Fraction(2)
THIRD = Fraction(1, 3)
DATABASES, NEIGHBOURS = ("0", "1"), (("0", "1"),)


def geometric(odds: Fraction, reach: int) -> Noise:
    """Return two-sided geometric noise from -reach to reach, scaled to 1.

    >>> [str(p) for p in geometric(Fraction(2), 1).values()]
    ['1/4', '1/2', '1/4']
    """
    weights = {k: 1 / odds ** abs(k) for k in range(-reach, reach + 1)}
    whole = sum(weights.values(), Fraction(0))
    return {k: weight / whole for k, weight in weights.items()}


def above_threshold(
    rounds: int, threshold: Noise, noise: Noise, goes_on: bool = False
) -> dict[str, Mechanism]:
    """Return the menu of a sparse vector: "is the query above?", until the first yes.

    With `goes_on` it answers further after a yes, with the same noisy threshold: a known mistake.
    """
    return _asked(rounds, dict.fromkeys(DATABASES, threshold), noise, goes_on)


def _asked(
    rounds: int, known: Mapping[str, Noise], noise: Noise, goes_on: bool
) -> dict[str, Mechanism]:
    """Return the menu, given what each database's answers say of the noisy threshold."""
    if not rounds:
        return {}
    return {f"svt: {q}": _answer(q, rounds, known, noise, goes_on) for q in QUERIES}


def _answer(
    query: Counts, rounds: int, known: Mapping[str, Noise], noise: Noise, goes_on: bool
) -> Mechanism:
    """Return one answer: whether count + noise is at least the noisy threshold."""
    chances = {
        x: {t: _above(count, t, noise) for t in known[x]}
        for x, count in zip(DATABASES, query, strict=True)
    }
    law: dict[str, dict[str, Fraction]] = {"above": {}, "below": {}}
    after: dict[str, dict[str, Noise]] = {"above": {}, "below": {}}
    for x, yes in chances.items():
        for y in law:
            joint = {t: p * (yes[t] if y == "above" else 1 - yes[t]) for t, p in known[x].items()}
            law[y][x] = sum(joint.values(), Fraction(0))
            after[y][x] = {t: p / law[y][x] for t, p in joint.items()}
    menus = {"below": _asked(rounds - 1, after["below"], noise, goes_on)}
    menus["above"] = _asked(rounds - 1, after["above"], noise, True) if goes_on else {}
    return Mechanism(law, {y: menu for y, menu in menus.items() if menu})


def _above(count: int, threshold: int, noise: Noise) -> Fraction:
    """Return the chance that count + noise is at least the threshold."""
    return sum((p for k, p in noise.items() if count + k >= threshold), Fraction(0))


def sparse_vector(rounds: int, goes_on: bool = False) -> Game:
    """Return a small sparse vector: noise of odds 2 for the threshold, and of odds 2 a query.

    Without an end to the noise it would be log 8 for any number of rounds: log 2 for the threshold
    and 2 log 2 for the queries.
    """
    menu = above_threshold(rounds, geometric(TWO, 8), geometric(TWO, 10), goes_on)
    return Game(DATABASES, NEIGHBOURS, menu)


# --- sessions of randomised response --------------------------------------------------------


def interleaved(lengths: Mapping[str, int], odds: Mapping[str, Fraction]) -> Game:
    """Return the game in which each session has so many responses left, asked in any order."""
    return Game(DATABASES, NEIGHBOURS, _left(lengths, odds))


def _left(lengths: Mapping[str, int], odds: Mapping[str, Fraction]) -> dict[str, Mechanism]:
    """Return the menu of the sessions that have rounds left."""
    menu = {}
    for name, left in lengths.items():
        if left:
            menu[f"{name}: ask"] = _response(odds[name], _left({**lengths, name: left - 1}, odds))
    return menu


def _response(odds: Fraction, after: dict[str, Mechanism]) -> Mechanism:
    truth = odds / (1 + odds)
    law: Law = {x: {z: truth if x == z else 1 - truth for z in DATABASES} for x in DATABASES}
    return Mechanism(law, dict.fromkeys(law, after) if after else {})


def one_session() -> Case:
    """One session of two RR(2/3), at e^ε = 2: the first round takes all of ε."""
    play = interleaved({"a": 2}, {"a": TWO})
    return Case("one session", play, Log(TWO), Fraction(0))


def two_sessions() -> Case:
    """Two sessions of one RR(2/3) each, at e^ε = 2: either takes all of ε."""
    play = interleaved({"a": 1, "b": 1}, {"a": TWO, "b": TWO})
    return Case("two sessions", play, Log(TWO), Fraction(0))


def session_cases() -> list[Case]:
    """Return plays with sessions: sparse vectors, and two analyses that are interleaved."""
    budgets = [Log(TWO), Log(Fraction(5))]
    plays = {
        "sparse vector": sparse_vector(3),
        "sparse vector that goes on": sparse_vector(3, goes_on=True),
        "interleaved": interleaved({"a": 2, "b": 2}, {"a": Fraction(3, 2), "b": TWO}),
    }
    cases = [Case(name, play, one, Fraction(0)) for name, play in plays.items() for one in budgets]
    return [one_session(), two_sessions(), *cases]


FIRST: Mapping[str, Callable[[], list[Case]]] = MappingProxyType({"pay-once": session_cases})
"""What is played first against the sound filter of the registry that is about sessions."""
