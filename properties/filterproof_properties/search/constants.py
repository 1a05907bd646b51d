"""Games made from the constants in a target's own code: what the code treats as special is tried.

`index == 1461`, `len(history) > 200`, `odds < 1.0001`, `% 8`, a name in quotes: each becomes a
number of quiet rounds, a loss just below and just above it, a budget, or the name of a request.
A play along them is over the budget only if the target treats them otherwise than the rest.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof_properties.case import Case
from filterproof_properties.games.families import ASK, Menu, Round, chain_rounds
from filterproof_properties.games.thresholds import odds_of
from filterproof_properties.search.plan import Budget
from filterproof_properties.targets.coverage.own_code import OwnFile

NEIGHBOURS = ("0", "1")
EPSILON = Fraction(1)
MOST_COUNTS, MOST_VALUES, MOST_NAMES = 10, 8, 4
"""So many constants of each kind are tried, those in comparisons first."""
LONGEST = 3000
"""More rounds than this take longer than a search has."""
EQUAL_ROUNDS = 64
"""Up to so many rounds are also tried as rounds of equal loss."""
WHOLE, QUIET = Fraction(9, 10), Fraction(1, 50)
"""Shares of epsilon: one that fits once and not twice, and that of all quiet rounds together."""
NEAR = Fraction(1, 10**6)
"""How far below and above a constant a loss is."""
TIMES = 8
"""A budget that is so many times a constant lets its loss run a few times."""


@dataclass(frozen=True)
class Constants:
    """What numbers and names are written in some code, each once."""

    counts: tuple[int, ...] = ()
    values: tuple[Fraction, ...] = ()
    names: tuple[str, ...] = ()


def constants_in(files: Iterable[OwnFile], *, changed: bool = False) -> Constants:
    """Return the constants in a target's own code, or on its changed lines alone.

    Those on changed lines come first, then those that something is compared with.

    >>> text = "LIMIT = 30\\ndef f(n, odds):\\n    return n % 8 == LIMIT or odds < 1.0001\\n"
    >>> constants_in([OwnFile("f.py", text, ("f",))])
    Constants(counts=(30, 8), values=(Fraction(10001, 10000),), names=())
    """
    written = [(line in file.changed, value) for file in files for line, value in _values(file)]
    written = [one for one in written if one[0] or not changed]
    found = [value for _, value in sorted(written, key=lambda one: not one[0])]
    numbers = [value for value in found if isinstance(value, (int, float)) and value == value]
    counts = [n for n in numbers if isinstance(n, int) and 2 <= n <= LONGEST]
    values = [abs(Fraction(str(x))) for x in numbers if isinstance(x, float) and 0 < abs(x) < 100]
    names = [one for one in found if isinstance(one, str) and one and one.isprintable()]
    return Constants(
        tuple(dict.fromkeys(counts))[:MOST_COUNTS],
        tuple(dict.fromkeys(values))[:MOST_VALUES],
        tuple(dict.fromkeys(names))[:MOST_NAMES],
    )


def _values(file: OwnFile) -> list[tuple[int, int | float | str]]:
    """Return the constants of a file's own code with their lines, as they are tried."""
    nodes = list(file.nodes)
    used = {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}
    above = [
        node.value
        for node in ast.parse(file.text).body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and _assigns(node) & used
    ]
    compared = [
        one for node in nodes for one in ast.walk(node) if isinstance(one, (ast.Compare, ast.BinOp))
    ]
    places: list[ast.AST] = [*above, *compared, *nodes]
    return [one for place in places for one in _literals(place)]


def _assigns(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {one.id for one in targets if isinstance(one, ast.Name)}


def _literals(node: ast.AST) -> Iterator[tuple[int, int | float | str]]:
    """Yield the constants in a piece of code, and their lines; no documentation, no messages."""
    texts = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    for one in ast.walk(node):
        if isinstance(one, (ast.Raise, ast.JoinedStr)):
            texts |= {id(inner) for inner in ast.walk(one)}
        if not isinstance(one, ast.Constant) or id(one) in texts or isinstance(one.value, bool):
            continue
        if isinstance(one.value, (int, float)):
            yield one.lineno, one.value
        elif isinstance(one.value, str) and 0 < len(one.value) <= 40:
            yield one.lineno, _number(one.value)


def _number(text: str) -> float | str:
    """Return the number that a text is, as in Fraction("0.1"), or the text."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return text


# --- games ---------------------------------------------------------------------------------------


def cases(found: Constants, budget: Budget, *, named: bool, free: bool) -> list[Case]:
    """Return the games for some constants, small ones first.

    With δ = 0 nothing with δ > 0 is asked for; with `named` requests have the names in the code;
    with a `free` budget it is chosen near the constants as well.
    """
    every = [*_spends_around(found.counts, budget)]
    if free or not budget[1]:
        every += [*_equal(found.counts, budget[0])]
    every += [*_near(found, budget[1])] if free else []
    every += [*_by_name(found.names, budget)] if named else []
    return sorted(every, key=lambda case: case.game.depth)


def _spends_around(counts: Iterable[int], budget: Budget) -> Iterator[Case]:
    """Yield spends around a number of quiet rounds, and after them."""
    size = number_of(budget[0])
    whole = _round(loss(WHOLE * size))
    for n in counts:
        long, least = n > EQUAL_ROUNDS, max(1, n - 2)
        for k in dict.fromkeys([least] if long else [least, n - 1]):
            quiet = [_quiet(QUIET * size / (2 * k))] * k
            yield _case(f"{k} quiet rounds, then spends", [*quiet, whole, whole, whole], budget)
        for k in [n] if long else [least, n - 1, n, n + 1]:
            quiet = [_quiet(QUIET * size / (2 * k))] * k
            yield _case(f"{k} quiet rounds between spends", [whole, *quiet, whole], budget)


def _equal(counts: Iterable[int], epsilon: Epsilon) -> Iterator[Case]:
    """Yield rounds of equal loss, twice as many as are counted, at δ = 0: each is seldom."""
    for n in counts:
        if n <= EQUAL_ROUNDS:
            rounds = [_round(loss(WHOLE * number_of(epsilon) / n))] * (2 * n + 2)
            yield _case(f"{2 * n + 2} equal rounds", rounds, (epsilon, Fraction(0)))


def _near(found: Constants, delta: Fraction) -> Iterator[Case]:
    """Yield losses, probabilities and budgets just below and just above the values in the code."""
    values = dict.fromkeys((*found.values, *map(Fraction, found.counts[:MOST_VALUES])))
    for x in values:
        for share in (1 - NEAR, 1 + NEAR):
            yield from _losses(x * share, delta)
            if 1 < x < 20:
                yield from _losses(Fraction(log(x)).limit_denominator(10**12) * share, delta)
            if x < Fraction(1, TIMES) and delta:
                room = (EPSILON, TIMES * x)
                yield _case(f"probability {float(x * share):.6g}", _leaks(x * share), room)
        for epsilon in (x * Fraction(99, 100), x, x * Fraction(101, 100)):
            if epsilon < 20:
                spends = [_round(loss(WHOLE * epsilon))] * 3
                budget = (epsilon, Fraction(0) if epsilon < EPSILON else delta)
                yield _case(f"spends at budget {float(epsilon):.6g}", spends, budget)


def _losses(x: Fraction, delta: Fraction) -> Iterator[Case]:
    """Yield rounds of one loss, up to twice the budget, and one of them before spends."""
    if x < EPSILON:
        spend, whole = loss(WHOLE * (EPSILON - x)), _round(loss(WHOLE * EPSILON))
        rounds = [_round(loss(x)), _round(spend), whole, whole]
        yield _case(f"loss {float(x):.6g}, then spends", rounds, (EPSILON, delta))
    if x < 5:
        rounds = [_round(loss(x))] * (2 * TIMES)
        yield _case(f"rounds of loss {float(x):.6g}", rounds, (TIMES * x, Fraction(0)))


def _leaks(x: Fraction) -> list[Round]:
    """Return rounds that tell all with a probability, twice as many as the budget has room for."""
    law = {"-": {"0": 1 - x, "1": 1 - x}, "0": {"0": x, "1": Fraction(0)}}
    law["1"] = {"0": Fraction(0), "1": x}
    return [(Mechanism(law, {}), "-", ASK)] * (2 * TIMES)


def _by_name(names: Iterable[str], budget: Budget) -> Iterator[Case]:
    """Yield spends under the names in the code, and under names that begin with them."""
    size = number_of(budget[0])
    for name in names:
        menu: Menu = {}
        for _ in range(3):
            one = loss(WHOLE * size)
            rounds = [_round(one, name), _round(one, f"{name}1"), _round(one)]
            menu = {r: chain_rounds([(one, y, r)], menu)[r] for one, y, r in rounds}
        yield Case(f"spends called {name!r:.40}", _game(menu), *budget)


def number_of(epsilon: Epsilon) -> Fraction:
    """Return ε as a rational near it."""
    if isinstance(epsilon, Log):
        return Fraction(log(epsilon.argument)).limit_denominator(10**6)
    return epsilon


def loss(x: Fraction) -> Mechanism:
    """Return a randomised response that loses x, up to a rounding that is far below it."""
    return response(odds_of(x))


def response(odds: Fraction) -> Mechanism:
    """Return a randomised response with these odds."""
    p = odds / (1 + odds)
    return Mechanism({"0": {"0": p, "1": 1 - p}, "1": {"0": 1 - p, "1": p}}, {})


def _quiet(x: Fraction) -> Round:
    """Return a round that says nothing, though it declares that it loses a little."""
    law = {"-": dict.fromkeys(NEIGHBOURS, Fraction(1))}
    return Mechanism(law, {}, Declared(1 + x, Fraction(0))), "-", ASK


def _round(one: Mechanism, name: str = ASK) -> Round:
    return one, "0", name


def _game(menu: Menu) -> Game:
    return Game(NEIGHBOURS, [NEIGHBOURS], menu)


def _case(name: str, rounds: list[Round], budget: Budget) -> Case:
    return Case(name, _game(chain_rounds(rounds, {})), *budget)
