"""Well-known laws as rows: for each output, the pair (P_0, P_1) of its probabilities.

`palette` makes mechanisms of them; games that are drawn or made to attack use the rows themselves.

>>> erasure(Fraction(1, 10))["?"]
(Fraction(9, 10), Fraction(9, 10))
"""

from collections.abc import Sequence
from fractions import Fraction

from filterproof.game.law import Output

Rows = dict[Output, tuple[Fraction, ...]]

NONE = Fraction(0)
ONE = Fraction(1)

SILENT: Rows = {"-": (ONE, ONE)}
REVEAL: Rows = {"0": (ONE, NONE), "1": (NONE, ONE)}


def erasure(d: Fraction) -> Rows:
    """The database with probability d, else "?"."""
    return {"0": (d, NONE), "1": (NONE, d), "?": (1 - d,) * 2}


def response(p: Fraction) -> Rows:
    """Randomised response: the database with probability p, else the other one."""
    rest = 1 - p
    return {"0": (p, rest), "1": (rest, p)}


def one_sided(d: Fraction) -> Rows:
    """Under "0" the output is "!" with probability d; under "1" it never is."""
    return {"!": (d, NONE), "?": (1 - d, ONE)}


def lottery(weights: Sequence[Fraction]) -> Rows:
    """Outputs "1", "2", ... with the given probabilities, whatever the database."""
    return {str(i): (w, w) for i, w in enumerate(weights, 1)}


def k_ary(k: int, p: Fraction) -> Rows:
    """k-ary randomised response between the symbols "0" and "1" among k.

    The true symbol has probability p, each of the k - 1 others (1 - p)/(k - 1); the k - 2 symbols
    that are neither are one output.
    """
    rest = (1 - p) / (k - 1)
    rows: Rows = {"0": (p, rest), "1": (rest, p)}
    return rows if k == 2 else {**rows, "other": ((k - 2) * rest,) * 2}
