"""Floats that come with a proved error bound, and exact signs where the bound does not decide.

Notation: u = 2^-53, and a real number r is known as fl(r) = r·(1+d) with |d| <= u after one
correct rounding.  The product of n factors (1+d) or 1/(1+d) differs from 1 by at most
γ(n) = n·u/(1-n·u), whatever the signs (Higham, Accuracy and Stability, Lemma 3.1).

**The tilt.**  For a pair (x, x′), q = e^ε·w_x′/w_x.  It starts from e^ε, rounded from an enclosure
of 128 bits: at most two factors (1+d).  Each release multiplies by P_x′(y)/P_x(y), a rational
rounded once, and the product is rounded once.  After i releases the float Q satisfies
Q = q·(1+t) with |t| <= γ(n), n = 2i + 2 = `roundings(i)`.  No product underflows or overflows:
ratios and tilts outside 2^-200 .. 2^200 carry a separate exponent (`levels.settled`, exact scaling
by powers of two), and zero is kept exactly, by supports.  Where mantissa and exponent are
finally joined, the result may become 0 or infinite; then |1 - q| > 1/2 in truth as well.

**Signs.**  A transcript wins iff q < 1.  The computed 1 - Q always has the sign of the true 1 - Q.
The sign of 1 - q is the same if |1 - Q| > |Q - q|.  If Q <= 2 then
|Q - q| <= γ·Q/(1-γ) < 4·n·u once n·u < 1/8, so |1 - Q| > 4·n·u = `doubt(i)` decides.  If Q > 2,
then |1 - Q| >= Q/2 > |Q - q| and doubt(i) < 1/2 <= |1 - Q|.  In every other case the sign comes
from exact integers.

**Values.**  v = V/w_x is the value per unit of likelihood under x, and 0 <= v <= 1.  A finished
transcript has v = max(0, 1 - q).  Where the sign is right, its error is at most |Q - q| + u with
q <= 1 (or 0), so at most (2n + 2)·u.  A request has v = sum over y of P_x(y)·v_y, computed as a sum
of Y products in any order, fused or not: with every v_y off by at most e, the result is off by at
most e + (Y + 2)·u to first order (P_x(y) rounded, the products, Y - 1 additions); a P_x(y) that
underflows adds at most 2^-1074.  Terms of second order are less than e·(Y + 4)·u.
So we count  e = max over what follows + Y + 4  in units of u and use `margin` = 2·e·u, which covers
the terms of second order as long as e·u <= 2^-10 (checked).  Two requests compare as their
floats do if these differ by more than 3 margins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from filterproof.engine.by_position.integers import sign_of
from filterproof.engine.by_round.arrays import Level, Levels, Rows, join_parts
from filterproof.engine.by_round.tables import Floats, Ints, Table, mantissa_exponent
from filterproof.exact import Epsilon, exp_enclosure

UNIT = 2.0**-53
Flags = npt.NDArray[np.bool_]


class TooLong(ArithmeticError):
    """A play so long that the error bound says nothing; exact arithmetic takes over."""


def roundings(releases: int) -> int:
    """Return how many roundings a tilt has seen after so many releases."""
    return 2 * releases + 2


def doubt(releases: int) -> float:
    """Return how close to 1 a tilt may come before its side is decided exactly."""
    return 4 * roundings(releases) * UNIT


def end_error(releases: int) -> int:
    """Return the error of a finished transcript's value, in units of u."""
    return 2 * roundings(releases) + 2


def sum_error(worst: int, outputs: int) -> int:
    """Return the error of a request's value, in units of u."""
    return worst + outputs + 4


def margin(error: int) -> float:
    """Return the proved bound on a value with that first-order error."""
    if error > 2**43:
        raise TooLong(f"an error of {error} units in the last place says nothing")
    return 2 * error * UNIT


def first_tilt(epsilon: Epsilon) -> tuple[float, int]:
    """Return e^ε, rounded, as mantissa and exponent."""
    return mantissa_exponent(exp_enclosure(epsilon, 128)[0])


TINY = 2.0**-1000
"""Stands for a gap whose sign is known and whose size is below the bound."""


@dataclass(frozen=True)
class Charged:
    """The charges of one pair at some places: zero where not `mixed`, off by `error` units."""

    places: Ints
    mixed: Flags
    charge: Floats
    error: int


class Signs:
    """Decides on which side of 1 tilts lie: by floats where proved, else by integers."""

    def __init__(self, levels: Levels, epsilon: Epsilon) -> None:
        self.levels, self.epsilon = levels, epsilon
        self.exact_signs = 0  # how often integers had to decide

    def exact(self, level: Level, position: int, k: int, over: int, below: int) -> int:
        """Return the sign of  w_x·below - e^ε·w_x′·over  at a position, for pair k."""
        x, x_ = self.levels.tables.pairs[k]
        mass = self.levels.mass(level, position)
        self.exact_signs += 1
        return sign_of(mass[x] * below, -mass[x_] * over, self.epsilon)

    def within(self, level: Level, k: int, places: Ints, cut: Fraction) -> Flags:
        """Return where  w_x <= e^ε·cut·w_x′; x must be possible at all these places."""
        mantissa, power = mantissa_exponent(cut)
        tilt = level.tilt[k][places] * mantissa
        if level.power is not None or power:
            more = np.zeros(level.size, np.int64) if level.power is None else level.power[k]
            tilt = join_parts(tilt, more[places] + power)
        gap = tilt - 1.0
        found: Flags = gap > 0
        for j in np.flatnonzero(np.abs(gap) <= doubt(level.index)):
            sign = self.exact(level, int(places[j]), k, cut.numerator, cut.denominator)
            found[j] = sign <= 0
        return found

    def settle(
        self, level: Level, k: int, places: Rows, gap: Floats, rows: Sequence[tuple[int, ...]]
    ) -> None:
        """Correct gaps 1 - q, an array [output, place], where their sign is in doubt.

        Afterwards a positive gap wins, a negative one loses, and a tie is exactly zero.
        """
        x, x_ = self.levels.tables.pairs[k]
        limit = doubt(level.index)
        near = (gap <= limit) & (gap >= -limit)
        for c, j in zip(*np.nonzero(near), strict=True) if near.any() else ():
            place = places.start + j if isinstance(places, slice) else places[j]
            sign = self.exact(level, int(place), k, rows[c][x_], rows[c][x])
            gap[c, j] = sign * max(abs(gap[c, j]), TINY)

    def gaps(self, level: Level, k: int, places: Rows, table: Table, outputs: list[int]) -> Floats:
        """Return 1 - q after each of these outputs, an array [output, place], signs exact."""
        gap = level.products(k, places, table, outputs)
        np.subtract(1.0, gap, out=gap)
        self.settle(level, k, places, gap, [table.whole[y] for y in outputs])
        return gap

    def charges(self, level: Level, k: int, places: Ints, table: Table, support: int) -> Charged:
        """Return what a round adds to H per unit of w_x, at places where x is possible."""
        x, x_ = self.levels.tables.pairs[k]
        outputs = possible(table, range(len(table.outputs)), x)
        gap = self.gaps(level, k, places, table, outputs)
        ruled_out = support >> x_ & 1 and any(row[x_] and not row[x] for row in table.whole)
        lowest, highest = gap.min(axis=0), gap.max(axis=0)
        mixed: Flags = (highest > 0) & ((lowest < 0) | bool(ruled_out))
        before = np.maximum(1.0 - level.tilts(k)[places], 0.0)
        charge = table.chance[x][outputs] @ np.maximum(gap, 0.0) - before
        after, stop = end_error(level.index), end_error(level.index - 1)
        error = sum_error(after, len(table.outputs)) + stop + 1
        return Charged(places, mixed, np.maximum(charge, 0.0), error)


def possible(table: Table, outputs: Iterable[int], x: int) -> list[int]:
    """Return those outputs that have positive probability under database x."""
    return [y for y in outputs if table.whole[y][x]]
