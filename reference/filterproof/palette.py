"""Well-known mechanisms on the databases "0" and "1", to build games from.

>>> game(erasure(Fraction(1, 10), {"?": {"again": erasure(Fraction(1, 10))}})).depth
2
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import filterproof.game.rows as rows
from filterproof.game.game import Game, Mechanism, Request
from filterproof.game.law import Declared, Output

BOTH = ("0", "1")
After = Mapping[Output, Mapping[Request, Mechanism]]
Rational = Fraction | int


def game(first: Mechanism | Mapping[Request, Mechanism]) -> Game:
    """Return the game on two databases whose first menu is given (or holds just one request)."""
    menu = {"ask": first} if isinstance(first, Mechanism) else first
    return Game(BOTH, [BOTH], menu)


def table(
    law: Mapping[Output, tuple[Rational, ...]],
    after: After | None = None,
    stated: Declared | None = None,
) -> Mechanism:
    """Return the mechanism with (P_0, P_1) given per output."""
    made = {y: {"0": Fraction(p), "1": Fraction(q)} for y, (p, q) in law.items()}
    return Mechanism(made, after or {}, stated)


def silent(after: After | None = None) -> Mechanism:
    """One output "-", whatever the database."""
    return table(rows.SILENT, after)


def reveal(after: After | None = None) -> Mechanism:
    """The output is the database."""
    return table(rows.REVEAL, after)


def erasure(d: Fraction, after: After | None = None) -> Mechanism:
    """The output is the database with probability d, else "?"."""
    return table(rows.erasure(d), after)


def response(p: Fraction, after: After | None = None) -> Mechanism:
    """Randomised response: the database with probability p, else the other one."""
    return table(rows.response(p), after)


def lottery(weights: Sequence[Fraction], after: After | None = None) -> Mechanism:
    """Outputs "1", "2", ... with the given probabilities, whatever the database."""
    return table(rows.lottery(weights), after)


def one_sided(d: Fraction, after: After | None = None) -> Mechanism:
    """Under "0" the output is "!" with probability d; under "1" it never is."""
    return table(rows.one_sided(d), after)


def k_ary(k: int, p: Fraction, after: After | None = None) -> Mechanism:
    """k-ary randomised response between the symbols "0" and "1" among k; p is for the true one."""
    return table(rows.k_ary(k, p), after)


def repeated(mechanism: Mechanism, rounds: int, request: Request = "ask") -> Mechanism:
    """The same law round after round, one request each, as a shared chain."""
    last = mechanism
    for _ in range(rounds - 1):
        menu = {request: last}
        last = Mechanism(mechanism.law, dict.fromkeys(mechanism.law, menu), mechanism.stated)
    return last
