"""Exact numbers, and comparisons with e^ε that are always decided.

Every probability is a `Fraction`.  The one irrational number is e^ε, and it only ever occurs
as  a + b·e^ε  with a and b rational.  The budget ε comes in two forms:

* a rational ε.  For ε ≠ 0 the number e^ε is transcendental (Lindemann), so  a + b·e^ε  is zero
  only when a = b = 0.  Otherwise it keeps some distance from zero, and an enclosure of e^ε that
  is refined again and again ends up on one side of it: `ExpLinear.sign` always terminates.
* `Log(q)`, the logarithm of a rational q.  Then e^ε = q is itself rational, ties are real, and
  the sign is that of a rational number.

Formulas with logarithms, roots or quantiles have no such theorem behind them.  They go through
`sign_by_enclosure`, which refines up to a stated precision and then raises `Undecided`.

mpmath encloses, here and in filters that call `sign_by_enclosure`; rational ends decide.

Where a Fraction is taken, an `Unknown` is too; `unknown.unknown_answers` parts these from numbers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import gcd, log, log1p
from typing import Any

from mpmath.ctx_iv import MPIntervalContext

from filterproof.unknown import unknown_answers

MAX_DIGITS = 100_000
"""The longest numerator or denominator that is read from text."""

MAX_EPSILON = 100_000
"""The largest rational ε; e^ε then has some 144,000 bits, and nobody means more."""

CAP_BITS = 4096
"""The precision at which `sign_by_enclosure` gives up."""


class ExactError(ValueError):
    """A number that this project will not compute with."""


class NotExact(ExactError):
    """A value that is not an exact rational number (a float, NaN, text that says no number)."""


class BadEpsilon(ExactError):
    """A privacy budget that is negative or absurdly large."""


class MixedEpsilon(ExactError):
    """Two numbers a + b·e^ε whose ε differ."""


class Undecided(ExactError):
    """A comparison that stayed open at the precision cap."""


@dataclass(frozen=True)
class Log:
    """The budget ε = log(argument), for a rational argument of at least 1.

    >>> Log(Fraction(3, 2))
    Log(argument=Fraction(3, 2))
    """

    argument: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "argument", rational(self.argument))
        if self.argument < 1:
            raise BadEpsilon(f"need log(q) with q >= 1; got q = {self.argument}")

    def __float__(self) -> float:
        """Return about ε, for filters that compute in doubles; nothing here decides by it."""
        q = self.argument
        return log1p(q - 1) if q < 2 else log(q.numerator) - log(q.denominator)


Epsilon = Fraction | Log


def rational(value: object) -> Fraction:
    """Return an int or a Fraction as a Fraction; refuse everything else by name.

    >>> rational(0.5)
    Traceback (most recent call last):
    filterproof.exact.NotExact: need an int or a Fraction; got 0.5 (float)
    """
    return value if type(value) is Fraction else to_rational(value)


@unknown_answers(0)
def to_rational(value: object) -> Fraction:
    """Return as a Fraction what is none by its type; see `rational`."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise NotExact(f"need an int or a Fraction; got {value!r} ({type(value).__name__})")


def budget(epsilon: object) -> Epsilon:
    """Return a valid ε: a non-negative rational, or a `Log`."""
    if isinstance(epsilon, Log):
        return epsilon
    value = rational(epsilon)
    if not 0 <= value <= MAX_EPSILON:
        raise BadEpsilon(f"need 0 <= epsilon <= {MAX_EPSILON}; got {value}")
    return value


def rational_odds(epsilon: Epsilon) -> Fraction:
    """Return e^ε where it is rational: at ε = log(q), and at 0."""
    if isinstance(epsilon, Log):
        return epsilon.argument
    if epsilon:
        raise NotExact(f"need epsilon = log(q), so that e^epsilon is rational; got {epsilon}")
    return Fraction(1)


# --- text -----------------------------------------------------------------------------------

_RATIONAL = re.compile(r"(-?)(\d+)(?:/(\d+)|\.(\d+)|)(?:[eE]([+-]?\d{1,4}))?", re.ASCII)


def parse_rational(text: str) -> Fraction:
    """Read "p/q", an integer, or a decimal taken at its word.

    >>> parse_rational("0.1"), parse_rational("1e-3"), parse_rational("-2/4")
    (Fraction(1, 10), Fraction(1, 1000), Fraction(-1, 2))
    """
    match = _RATIONAL.fullmatch(text) if len(text) <= 2 * MAX_DIGITS else None
    if match is None or (match[3] and match[5]):
        raise NotExact(f"need a rational such as 1/2 or 0.1; got {_short(text)}")
    minus, whole, below, decimals, exponent = match.groups()
    if below is not None and not below.strip("0"):
        raise NotExact(f"need a non-zero denominator; got {_short(text)}")
    digits = decimals or ""
    value = Fraction(_int(whole + digits), _int(below) if below else 10 ** len(digits))
    return (-value if minus else value) * Fraction(10) ** int(exponent or 0)


def format_rational(value: Fraction) -> str:
    """Write a rational as "p" or "p/q" in lowest terms."""
    if value.denominator == 1:
        return _digits(value.numerator)
    return f"{_digits(value.numerator)}/{_digits(value.denominator)}"


def parse_epsilon(text: str) -> Epsilon:
    """Read ε as a rational or as "log(p/q)", which may be written "ln(p/q)".

    >>> parse_epsilon("log(3/2)"), parse_epsilon("ln(2)")
    (Log(argument=Fraction(3, 2)), Log(argument=Fraction(2, 1)))
    """
    name, _, argument = text.partition("(")
    if name in ("log", "ln") and argument.endswith(")"):
        return Log(parse_rational(argument[:-1]))
    return budget(parse_rational(text))


def format_epsilon(epsilon: Epsilon) -> str:
    """Write ε the way `parse_epsilon` reads it."""
    if isinstance(epsilon, Log):
        return f"log({format_rational(epsilon.argument)})"
    return format_rational(epsilon)


_CHUNK = 4000  # below the interpreter's limit on the digits of one conversion


def _int(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    half = len(digits) // 2
    shift: int = 10 ** (len(digits) - half)
    return _int(digits[:half]) * shift + _int(digits[half:])


def _digits(value: int) -> str:
    if value < 0:
        return "-" + _digits(-value)
    if value.bit_length() <= 3 * _CHUNK:
        return str(value)
    low = value.bit_length() * 3 // 20
    upper, lower = divmod(value, 10**low)
    return _digits(upper) + _digits(lower).rjust(low, "0")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


# --- enclosures -----------------------------------------------------------------------------


@cache
def interval_context(bits: int) -> Any:
    """Return mpmath's interval arithmetic at a precision; made once, as that takes a while."""
    context = MPIntervalContext()
    context.prec = bits
    return context


@cache
def exp_enclosure(epsilon: Epsilon, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals lo <= e^ε <= hi that agree to about `bits` bits.

    The interval that mpmath returns is widened by one part in 2^(bits+4) on either side, far
    more than the last-place error its exponential could have at 16 further bits.
    """
    if isinstance(epsilon, Log):
        return epsilon.argument, epsilon.argument
    if epsilon == 0:
        return Fraction(1), Fraction(1)
    context = interval_context(bits + 16)
    exponent = context.mpf(epsilon.numerator) / context.mpf(epsilon.denominator)
    lo, hi = interval_ends(context.exp(exponent))
    margin = Fraction(1, 2 ** (bits + 4))
    return lo * (1 - margin), hi * (1 + margin)


def interval_ends(interval: Any) -> tuple[Fraction, Fraction]:
    """Return both ends of an mpmath interval as exact rationals."""
    lower, upper = interval._mpi_
    return _dyadic(lower), _dyadic(upper)


def _dyadic(raw: tuple[int, Any, int, int]) -> Fraction:
    negative, mantissa, exponent, _ = raw
    if not mantissa and exponent:
        raise Undecided("an enclosure has an infinite end")
    value: Fraction = int(mantissa) * Fraction(2) ** exponent
    return -value if negative else value


def sign_by_enclosure(expression: Callable[[Any], Any], cap_bits: int = CAP_BITS) -> int:
    """Return the sign of a real expression, from mpmath intervals of growing precision.

    `expression` receives an interval context and returns an interval that holds the number.

    >>> sign_by_enclosure(lambda iv: iv.log(2) - iv.mpf(69315) / 100000)
    -1
    """
    bits = 64
    while bits <= cap_bits:
        lo, hi = interval_ends(expression(interval_context(bits)))
        if lo == hi or lo > 0 or hi < 0:
            return sign(lo)
        bits *= 2
    raise Undecided(f"the sign is still open at {cap_bits} bits: between {float(lo)}, {float(hi)}")


# --- a + b·e^ε ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ExpLinear:
    """The number  a + b·e^ε, kept exact.

    Where e^ε is rational the number is stored with b = 0, so equal numbers are equal objects.

    >>> ExpLinear(3, -1, Fraction(1)).sign(), ExpLinear(3, -2, Log(Fraction(3, 2))).sign()
    (1, 0)
    """

    a: Fraction
    b: Fraction
    epsilon: Epsilon

    def __init__(self, a: int | Fraction, b: int | Fraction, epsilon: Epsilon) -> None:
        a, b, epsilon = rational(a), rational(b), budget(epsilon)
        if (type(b) is not Fraction or b) and (isinstance(epsilon, Log) or epsilon == 0):
            a, b = a + b * (epsilon.argument if isinstance(epsilon, Log) else 1), Fraction(0)
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)
        object.__setattr__(self, "epsilon", epsilon)

    def sign(self) -> int:
        """Return -1, 0 or 1: decided, never guessed (see the module's first lines)."""
        if self.b == 0 or sign(self.a) == sign(self.b):
            return sign(self.a)
        if self.a == 0:
            return sign(self.b)
        if self.a > 0:
            return 1 if exceeds(self.a, -self.b, self.epsilon) else -1
        return -1 if exceeds(-self.a, self.b, self.epsilon) else 1

    def enclosure(self, bits: int = 64) -> tuple[Fraction, Fraction]:
        """Return rationals lo <= a + b·e^ε <= hi."""
        if self.b == 0:
            return self.a, self.a
        ends = [self.a + self.b * end for end in exp_enclosure(self.epsilon, bits)]
        return min(ends), max(ends)

    def __add__(self, other: "ExpLinear | Fraction | int") -> "ExpLinear":
        there = self._same(other)
        return ExpLinear(self.a + there.a, self.b + there.b, self.epsilon)

    __radd__ = __add__

    def __neg__(self) -> "ExpLinear":
        return ExpLinear(-self.a, -self.b, self.epsilon)

    def __sub__(self, other: "ExpLinear | Fraction | int") -> "ExpLinear":
        return self + -self._same(other)

    def __rsub__(self, other: "Fraction | int") -> "ExpLinear":
        return -self + other

    def __mul__(self, factor: "Fraction | int") -> "ExpLinear":
        scale = rational(factor)
        return ExpLinear(self.a * scale, self.b * scale, self.epsilon)

    __rmul__ = __mul__

    def __truediv__(self, divisor: "Fraction | int") -> "ExpLinear":
        below = rational(divisor)
        return ExpLinear(self.a / below, self.b / below, self.epsilon)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExpLinear):
            same = self.b == 0 or self.epsilon == other.epsilon
            return (self.a, self.b) == (other.a, other.b) and same
        return self.b == 0 and self.a == other

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.a, self.b, self.epsilon) if self.b else self.a)

    def __lt__(self, other: "ExpLinear | Fraction | int") -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: "ExpLinear | Fraction | int") -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: "ExpLinear | Fraction | int") -> bool:
        return (self - other).sign() > 0

    def __ge__(self, other: "ExpLinear | Fraction | int") -> bool:
        return (self - other).sign() >= 0

    def __float__(self) -> float:
        """Return the nearest double, for display only."""
        return float(sum(self.enclosure(128)) / 2)

    def __str__(self) -> str:
        if self.b == 0:
            return format_rational(self.a)
        power = f"{format_rational(abs(self.b))}*e^eps".removeprefix("1*")
        if self.a == 0:
            return f"-{power}" if self.b < 0 else power
        return f"{format_rational(self.a)} {'-' if self.b < 0 else '+'} {power}"

    def _same(self, other: object) -> "ExpLinear":
        if not isinstance(other, ExpLinear):
            return ExpLinear(rational(other), 0, self.epsilon)
        if other.epsilon != self.epsilon:
            raise MixedEpsilon(f"cannot mix e^{self.epsilon!r} with e^{other.epsilon!r}")
        return other


@cache
def integer_enclosure(epsilon: Epsilon, bits: int) -> tuple[int, int, int]:
    """Return integers with  lo <= scale·e^ε <= hi."""
    lo, hi = exp_enclosure(epsilon, bits)
    scale = lo.denominator * hi.denominator // gcd(lo.denominator, hi.denominator)
    return int(lo * scale), int(hi * scale), scale


@unknown_answers(0, 1, 2)
def exceeds(p: Fraction, q: Fraction, epsilon: Epsilon) -> bool:
    """Return whether p > e^ε·q, that is, whether the privacy loss log(p/q) exceeds ε; q >= 0."""
    if isinstance(epsilon, Log):
        odds = epsilon.argument
        above = p.numerator * q.denominator * odds.denominator
        return above > odds.numerator * q.numerator * p.denominator
    above, below = p.numerator * q.denominator, q.numerator * p.denominator
    if not below:
        return above > 0
    bits = 64
    while True:
        lo, hi, scale = integer_enclosure(epsilon, bits)
        if above * scale > hi * below:
            return True
        if lo == hi or above * scale < lo * below:
            return False
        bits *= 2


@unknown_answers(0)
def sign(value: Fraction | int) -> int:
    """Return -1, 0 or 1."""
    above = value.numerator
    return (above > 0) - (above < 0)
