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
from filterproof.game.law import Declared, Law
from filterproof.palette import one_sided, response, reveal, silent, table
from filterproof_properties.case import Case
from filterproof_properties.games.rows import declared_at_odds

Noise = Mapping[int, Fraction]
Counts = tuple[int, int]
"""What a query counts in the databases "0" and "1": they differ by one at most."""

QUERIES: tuple[Counts, ...] = ((0, 1), (1, 0), (0, 0))
TWO = Fraction(2)
THIRD, TENTH = Fraction(1, 3), Fraction(1, 10)
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
    return _question_rounds(rounds, dict.fromkeys(DATABASES, threshold), noise, goes_on)


def _question_rounds(
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
    menus = {"below": _question_rounds(rounds - 1, after["below"], noise, goes_on)}
    menus["above"] = _question_rounds(rounds - 1, after["above"], noise, True) if goes_on else {}
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


def interleaved_sessions(lengths: Mapping[str, int], odds: Mapping[str, Fraction]) -> Game:
    """Return the game in which each session has so many responses left, asked in any order."""
    return Game(DATABASES, NEIGHBOURS, _sessions_left(lengths, odds))


def _sessions_left(
    lengths: Mapping[str, int], odds: Mapping[str, Fraction]
) -> dict[str, Mechanism]:
    """Return the menu of the sessions that have rounds left."""
    menu = {}
    for name, left in lengths.items():
        if left:
            menu[f"{name}: ask"] = _response(
                odds[name], _sessions_left({**lengths, name: left - 1}, odds)
            )
    return menu


def _response(odds: Fraction, after: dict[str, Mechanism]) -> Mechanism:
    truth = odds / (1 + odds)
    law: Law = {x: {z: truth if x == z else 1 - truth for z in DATABASES} for x in DATABASES}
    return Mechanism(law, dict.fromkeys(law, after) if after else {})


# --- sessions that have a delta -----------------------------------------------------------------


def truncated_sparse_vector(rounds: int, reach: int) -> Game:
    """Return a sparse vector whose noise ends at ±reach, so that some answers rule a database out.

    Each of its first requests declares log 8, which is true of it with the round's own δ.
    """
    menu = above_threshold(rounds, geometric(TWO, reach), geometric(TWO, reach))
    pairs = (DATABASES, DATABASES[::-1])
    at_odds = {
        request: Mechanism(one.law, one.after, declared_at_odds(one.law, pairs, Fraction(8)))
        for request, one in menu.items()
    }
    return Game(DATABASES, NEIGHBOURS, at_odds)


def leaking(lengths: Mapping[str, int], part: Fraction) -> Game:
    """Return the game in which each session has so many leaks of this part left, in any order."""
    return Game(DATABASES, NEIGHBOURS, _leaks_left(lengths, part))


def _leaks_left(lengths: Mapping[str, int], part: Fraction) -> dict[str, Mechanism]:
    menu = {}
    for name, left in lengths.items():
        if left:
            after = _leaks_left({**lengths, name: left - 1}, part)
            law = one_sided(part).law
            menu[f"{name}: ask"] = Mechanism(law, dict.fromkeys(law, after) if after else {})
    return menu


def updated_parts(
    parts: int, chance: Fraction, shown: Mechanism, odds: Fraction = Fraction(1)
) -> Game:
    """Return mechanisms on disjoint parts, and *one* record that is put into a part by choice.

    A mechanism says first whether it is weak, which no data decides; once the record is put into
    its part, a weak one answers with `shown`, and any other with nothing.  After its first answer,
    for which it declares the odds of the whole, the analyst may still turn to the next part.
    """
    menu: dict[str, Mechanism] = {}
    for part in range(parts, 0, -1):
        put, weak = f"part {part}: put it here", {"weak": (chance,) * 2}
        look = table({**weak, "sound": (1 - chance,) * 2})
        after = {"weak": {put: shown, **menu}, "sound": {put: silent(), **menu}}
        menu = {f"part {part}: look": Mechanism(look.law, after, Declared(odds, Fraction(0)))}
    return Game(DATABASES, NEIGHBOURS, menu)


def one_leaking_session() -> Case:
    """One session of two leaks of 1/10, at (log 2, 1/10): either takes all of δ."""
    return Case("one leaking session", leaking({"a": 2}, TENTH), Log(TWO), TENTH)


def two_leaking_sessions() -> Case:
    """Two sessions of one leak of 1/10 each, at (log 2, 1/10): either takes all of δ."""
    return Case("two leaking sessions", leaking({"a": 1, "b": 1}, TENTH), Log(TWO), TENTH)


def delta_cases() -> list[Case]:
    """Return plays with sessions that have a δ: truncated noise, leaks, parts of the data."""
    plays = {
        "truncated": (truncated_sparse_vector(3, 2), Log(Fraction(8)), Fraction(9, 400)),
        "leaking": (leaking({"a": 2, "b": 1}, TENTH), Log(TWO), Fraction(19, 100)),
        "parts": (updated_parts(2, TENTH, reveal()), Log(TWO), TENTH),
        "pure parts": (updated_parts(2, TENTH, response(TWO * THIRD), TWO), Log(TWO), Fraction(0)),
    }
    cases = [Case(name, *play) for name, play in plays.items()]
    return [one_leaking_session(), two_leaking_sessions(), *cases]


# --- specimens and first plays ------------------------------------------------------------------


def one_session() -> Case:
    """One session of two RR(2/3), at e^ε = 2: the first round takes all of ε."""
    play = interleaved_sessions({"a": 2}, {"a": TWO})
    return Case("one session", play, Log(TWO), Fraction(0))


def two_sessions() -> Case:
    """Two sessions of one RR(2/3) each, at e^ε = 2: either takes all of ε."""
    play = interleaved_sessions({"a": 1, "b": 1}, {"a": TWO, "b": TWO})
    return Case("two sessions", play, Log(TWO), Fraction(0))


def session_cases() -> list[Case]:
    """Return plays with sessions: sparse vectors, and two analyses that are interleaved."""
    budgets = [Log(TWO), Log(Fraction(5))]
    plays = {
        "sparse vector": sparse_vector(3),
        "sparse vector that goes on": sparse_vector(3, goes_on=True),
        "interleaved": interleaved_sessions({"a": 2, "b": 2}, {"a": Fraction(3, 2), "b": TWO}),
    }
    cases = [Case(name, play, one, Fraction(0)) for name, play in plays.items() for one in budgets]
    return [one_session(), two_sessions(), *cases]


FIRST: Mapping[str, Callable[[], list[Case]]] = MappingProxyType(
    {"pay-once": session_cases, "pay-once-delta": delta_cases}
)
"""What is played first against the sound filters of the registry that are about sessions."""
