"""For every wrong filter of the outsider, a game and a budget at which it breaks its promise."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import filterproof.game.rows as rows
from filterproof.exact import Log
from filterproof.game import Game, Mechanism, Request
from filterproof.game.law import Declared
from filterproof.game.rows import REVEAL, SILENT, Rows
from filterproof.palette import Rational, erasure, game, repeated, response, reveal, silent, table
from filterproof_properties.case import Case

ZERO, ONE = Fraction(0), Fraction(1)
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
LOG_2 = Log(Fraction(2))


def odds(ratio: Rational) -> Rows:
    """Randomised response whose likelihood ratio is given."""
    return rows.response(ratio / Fraction(ratio + 1))


def rare(p: Fraction, q: Fraction = ZERO) -> Rows:
    """An output "!" with P_0 = p and P_1 = q."""
    return {"!": (p, q), "?": (1 - p, 1 - q)}


def in_turn(*laws: Rows) -> Game:
    """One request per round, with these laws in turn."""
    menu: Mapping[Request, Mechanism] = {}
    for law in reversed(laws):
        menu = {"ask": table(law, dict.fromkeys(law, menu))}
    return game(menu)


def steered(p: Fraction, high: Mechanism, otherwise: Mechanism) -> Game:
    """Outputs of ratio 2, 1/2 and 1, with P_0 = p for the first; then `high` after that one."""
    law: Rows = {"2": (p, p / 2), "1/2": (p / 2, p), "1": (1 - 3 * p / 2, 1 - 3 * p / 2)}
    other = {"go": otherwise}
    return game(table(law, {"2": {"go": high}, "1/2": other, "1": other}))


def triangle(law: Mapping[str, Sequence[Rational]]) -> Game:
    """One round on three databases that are all neighbours; P_0, P_1, P_2 per output."""
    names = ("0", "1", "2")
    made = {y: dict(zip(names, map(Fraction, row), strict=True)) for y, row in law.items()}
    return Game(names, [("0", "1"), ("1", "2"), ("0", "2")], {"ask": Mechanism(made)})


def approximate() -> Game:
    """A reveal with probability 1/20, else randomised response of ratio 3."""
    twentieth, more, less = Fraction(1, 20), Fraction(57, 80), Fraction(19, 80)
    law: Rows = {
        "0!": (twentieth, ZERO),
        "1!": (ZERO, twentieth),
        "0": (more, less),
        "1": (less, more),
    }
    return in_turn(law)


def refused_reveal() -> Game:
    """Randomised response of ratio 2; then a reveal to be refused, and the response again."""
    twice = Fraction(2, 3)
    menu = {"big": reveal(), "small": response(twice)}
    return game(response(twice, {"0": menu, "1": menu}))


def refused_erasure() -> Game:
    """erasure(1/10); then erasure(1/9) to be refused, and erasure(1/10) again."""
    menu = {"big": erasure(Fraction(1, 9)), "small": erasure(TENTH)}
    return game(erasure(TENTH, dict.fromkeys(("0", "1", "?"), menu)))


def classes() -> Game:
    """Four outputs of ratio 10^j; after each, a leak that hurts only that class and those above.

    After class j the leak has P_0 = 1/20 over P_0(class >= j); with it, no class below j has a
    ratio above 1000.
    """
    weights = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)]
    law = {str(j): (p, p / 10**j) for j, p in enumerate(weights)}
    law["0"] = (weights[0], 1 - sum(q for y, (_, q) in law.items() if y != "0"))
    after = {}
    for j in range(4):
        leak = Fraction(1, 20) / sum(weights[j:])
        after[str(j)] = {"go": table(rare(leak, leak * 10 ** (j - 1) / 1000 if j else ZERO))}
    return game(table(law, after))


WITNESSES: tuple[Case, ...] = (
    # easy
    Case("max-epsilon", in_turn(odds(2), odds(2)), LOG_2, ZERO),
    Case("check-then-add", game(reveal()), ONE, TENTH),
    Case("approximate-charges-delta", approximate(), LOG_2, Fraction(1, 20)),
    Case("skip-zero-denominator", game(erasure(HALF)), ONE, TENTH),
    Case("one-direction", game(table({"!": (0, HALF), "?": (1, HALF)})), ONE, TENTH),
    Case("delta-refund", game(repeated(erasure(TENTH), 3)), ONE, TENTH),
    Case("cached-by-declared", in_turn(odds(2), odds(2)), LOG_2, ZERO),
    Case("none-is-free", game(reveal()), ONE, TENTH),
    Case("profile-at-full-epsilon", in_turn(odds(2), odds(2)), LOG_2, ZERO),
    Case("absolute-risk-per-path", in_turn(rows.lottery([HALF, HALF]), REVEAL), ONE, HALF),
    Case("optimistic-lookahead", game({"quiet": silent(), "loud": reveal()}), ONE, TENTH),
    # medium
    Case("reset-on-refuse", refused_reveal(), LOG_2, ZERO),
    Case("clipped-rollback", refused_erasure(), ONE, TENTH),
    Case("unordered-ledger", in_turn(rare(TENTH), rare(TENTH)), ONE, TENTH),
    Case(
        "worst-output-charge",
        game(table({"!": (TENTH, 0), "!!": (TENTH, 0), "?": (Fraction(4, 5), 1)})),
        ONE,
        TENTH,
    ),
    Case("lost-cause-exempt", in_turn(odds(Fraction(21, 10)), rare(HALF)), LOG_2, TENTH),
    Case(
        "chain-pairs",
        triangle(
            {
                "!": (HALF, Fraction(1, 4), Fraction(1, 8)),
                "?": (HALF, Fraction(3, 4), Fraction(7, 8)),
            }
        ),
        LOG_2,
        ZERO,
    ),
    Case(
        "harmonic-naive",
        in_turn(*(rows.erasure(Fraction(1, 10 * k)) for k in (2, 3, 4))),
        ONE,
        TENTH,
    ),
    Case("bounded-range-rho", in_turn(*[odds(Fraction(199, 100))] * 3), 2 * ONE, Fraction(1, 100)),
    Case(
        "falsy-zero",
        in_turn(*[rows.erasure(Fraction(1, 20))] * 2, rows.erasure(TENTH)),
        ONE,
        TENTH,
    ),
    Case("running-mean", in_turn(rows.erasure(Fraction(1, 40)), rows.erasure(TENTH)), ONE, TENTH),
    Case(
        "tighten-both-ways",
        game(table(odds(2), stated=Declared(Fraction(3), Fraction(1, 3)))),
        ZERO,
        ZERO,
    ),
    Case(
        "mixture-neighbour",
        triangle({"0": (1, 0, HALF), "1": (0, 1, HALF)}),
        Log(Fraction(4)),
        ZERO,
    ),
    Case("small-change-free", game(repeated(erasure(Fraction(1, 80)), 9)), ONE, TENTH),
    # hard
    Case(
        "min-of-accountants",
        steered(TENTH, table(odds(Fraction(12, 5))), erasure(Fraction(1, 4))),
        LOG_2,
        Fraction(1, 4),
    ),
    Case(
        "retroactive-choice",
        steered(Fraction(1, 3), table(odds(2)), erasure(Fraction(1, 6))),
        LOG_2,
        Fraction(1, 6),
    ),
    Case(
        "either-or",
        in_turn(odds(Fraction(3, 2)), odds(Fraction(3, 2)), odds(3), odds(Fraction(4, 3))),
        Log(Fraction(3)),
        ZERO,
    ),
    Case("negligible-posterior", in_turn(odds(60), rare(HALF)), Log(Fraction(120)), ZERO),
    Case(
        "sliding-window",
        in_turn(rows.erasure(TENTH), *[SILENT] * 7, rows.erasure(TENTH)),
        ONE,
        TENTH,
    ),
    Case("advanced-mean-epsilon", in_turn(*[SILENT] * 7, odds(Fraction(33, 10))), ONE, TENTH),
    Case("advanced-no-drift", in_turn(odds(360)), 4 * ONE, Fraction(4, 5)),
    Case(
        "renyi-wrong-conversion",
        in_turn(rare(Fraction(21, 1000), Fraction(21, 40000))),
        Log(Fraction(20)),
        Fraction(1, 100),
    ),
    Case("exact-composition-half", classes(), Log(Fraction(1000)), TENTH),
    Case(
        "recycling-wrong-measure",
        in_turn({"?": (ONE, 1 - TENTH), "1": (ZERO, TENTH)}, rare(Fraction(1, 9))),
        LOG_2,
        TENTH,
    ),
    Case(
        "float-accumulator",
        in_turn(rows.erasure(TENTH), rows.erasure(Fraction(1, 10**20))),
        ONE,
        TENTH,
    ),
)
