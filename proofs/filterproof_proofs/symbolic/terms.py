"""Numbers that are terms of a solver: what a filter computes with when nothing is known.

A `Term` is accepted wherever a Fraction is (`unknown.Unknown`).  Arithmetic makes larger terms; a
comparison asks the run that the term belongs to, which tries both answers where both are possible.
What needs a known number (a float, a hash, a digit) raises `NeedsKnown` instead of guessing.

A term knows which type of number it stands for (`python_type`: int, Fraction, float or Decimal);
arithmetic gives the type that Python's own gives.  A float or a Decimal is rounded: what comes of
that is up to the run (`Run.rounded`).

Every term has a *degree* in the likelihoods.  `step.mass` is known up to a common factor only, so a
mass has degree 1, a ratio of masses degree 0, and numbers of different degree are neither added nor
compared.  A run that obeys this rule does not depend on the factor: one mass may be taken as 1.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3

from filterproof.exact import Epsilon, ExpLinear, Log, NotExact
from filterproof.unknown import Chances
from filterproof_proofs.symbolic.bits import WithoutBits
from filterproof_proofs.symbolic.kinds import (
    ROUNDED,
    compare_infinite,
    exactly,
    in_range,
    is_finite,
    kind_of,
    of_kind,
    operand,
    opposite,
    quotient_kind,
    sum_kind,
    times_infinite,
)
from filterproof_proofs.symbolic.run import Run
from filterproof_proofs.symbolic.signs import Sign
from filterproof_proofs.symbolic.trees import product

MOST_FACTORS = 64
"""The largest power that is written out as a product."""


def value(number: Fraction | int) -> Any:
    """Return a number as an expression of the solver."""
    if isinstance(number, Term):
        return number.term
    return z3.RealVal(f"{number.numerator}/{number.denominator}")


def degree(number: Fraction | int) -> int | None:
    """Return the degree in the likelihoods; the number 0 has any."""
    if isinstance(number, Term):
        return number.degree
    return 0 if number else None


def _needs(reason: str) -> Any:
    def raising(self: "Term", *_: object, **__: object) -> Any:
        raise self.run.stuck(reason)

    return raising


class Term(WithoutBits):
    """A number that is not known: an expression, its degree, its type, and its run."""

    __slots__ = ("degree", "python_type", "run", "term")

    run: Run
    term: Any
    degree: int
    python_type: type

    def __new__(cls, run: Run, term: Any, degree: int = 0, python_type: type = Fraction) -> "Term":
        """Make a term; nothing of a Fraction's own is kept."""
        made = object.__new__(cls)
        made.run, made.term, made.degree, made.python_type = run, term, degree, python_type
        return made

    @property
    def whole(self) -> bool:
        """Whether the number is an int."""
        return self.python_type is int

    # --- arithmetic -------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        kind = self._kind_with(other)
        if kind is None:
            return NotImplemented
        if not is_finite(other):
            return of_kind(0, type(other)) + other
        if not isinstance(other, Term) and other == 0:
            return self._as(kind)
        there = other._as(kind) if isinstance(other, Term) else operand(other, kind)
        return self._rounded(self._as(kind).term + value(there), self._alike(there), kind)

    __radd__ = __add__

    def __neg__(self) -> "Term":
        return self._term(-self.term, self.degree, self.python_type)

    def __pos__(self) -> "Term":
        return self

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if self._kind_with(other) is None else self + -other

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if self._kind_with(other) is None else -self + other

    def __mul__(self, other: Any) -> Any:
        kind = self._kind_with(other)
        if kind is None:
            return NotImplemented
        if not is_finite(other):
            return times_infinite(self, other)
        if not isinstance(other, Term):
            return self._as(kind)._times(operand(other, kind), kind)
        made = product(self._as(kind).term, other._as(kind).term)
        return self._rounded(made, self.degree + other.degree, kind)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        kind = self._kind_with(other, quotient_kind)
        if kind is None:
            return NotImplemented
        if not is_finite(other):
            raise self.run.stuck("a number that is not known is divided by an infinite one")
        whole = self.whole and kind_of(other) is int  # then it is rounded only once
        above = self.exact(kind) if whole else self._as(kind)
        if not isinstance(other, Term):
            made = above._times(1 / Fraction(operand(other, kind)), kind)
        elif other == 0:
            raise ZeroDivisionError("a number that may be 0 is divided by")
        else:
            below = other.term if whole else other._as(kind).term
            quotient = self.run.quotient(above.term, below)
            made = self._rounded(quotient, self.degree - other.degree, kind)
        return in_range(made) if whole else made

    def __rtruediv__(self, other: Any) -> Any:
        kind = kind_of(other)
        if kind is None or quotient_kind(kind, self.python_type) is None:
            return NotImplemented
        if not is_finite(other):
            raise self.run.stuck("an infinite number is divided by one that is not known")
        quotient = Term(self.run, value(exactly(other)), 0, kind) / self
        signed = other or kind_of(quotient) is float
        return quotient if signed else of_kind(0, kind_of(quotient) or kind)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise self.run.stuck("a power with a modulus")
        if type(other) is not int or abs(other) > MOST_FACTORS:
            raise self.run.stuck("a power needs a known whole exponent")
        if self.python_type in ROUNDED:
            raise self.run.stuck("a power of a number that is rounded")
        power: Any = of_kind(1, self.python_type)
        for _ in range(abs(other)):
            power = self * power
        return power if other >= 0 else 1 / power

    def __abs__(self) -> "Term":
        return -self if self < 0 else self

    def __ceil__(self) -> Any:
        return self if self.whole else self._term(self._integer(up=True), 0, int)

    def __floor__(self) -> Any:
        return self if self.whole else self._term(self._integer(up=False), 0, int)

    def __trunc__(self) -> Any:
        return self.__floor__() if self >= 0 else self.__ceil__()

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return self if self.whole else self._term(self._nearest(), 0, int)
        if type(digits) is not int or self.python_type is not Fraction:
            raise self.run.stuck("a number that is not known is rounded to digits")
        scale = Fraction(10) ** digits
        return self._term((self * scale)._nearest(), 0) / scale

    def __floordiv__(self, other: Any) -> Any:
        return self._floor_division(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._floor_division(other, self)

    def __mod__(self, other: Any) -> Any:
        return self - other * (self // other)

    def __rmod__(self, other: Any) -> Any:
        return other - self * (other // self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    # --- comparisons ------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return self._below(other)

    def __gt__(self, other: Any) -> Any:
        if kind_of(other) is not None and is_finite(other) and self._both_whole(other):
            return (-self)._below(-other)
        return self._ask(other, lambda a, b: b < a)

    def __le__(self, other: Any) -> Any:
        return other == other and opposite(self > other) if kind_of(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return other == other and opposite(self < other) if kind_of(other) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        if other is self:
            return True
        if kind_of(other) is not None and not is_finite(other):
            return False
        return self._ask(other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        return opposite(self == other)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # --- answers in place of functions of the reference (`unknown.unknown_answers`) ----------

    def to_rational(self, value: object) -> "Term":
        """Return the number as a Fraction; a float, a Decimal or a `Log` is none."""
        if value is not self:  # the epsilon that this number belongs to
            known: Any = getattr(value, "resolved", lambda: value)()
            if isinstance(known, Log):
                raise NotExact("need an int or a Fraction; got a Log")
            return known.to_rational(known)  # type: ignore[no-any-return]
        if self.python_type in ROUNDED:
            raise NotExact(f"need an int or a Fraction; got a {self.python_type.__name__}")
        return self if self.python_type is Fraction else self.exact(Fraction)

    def is_whole(self, value: object) -> bool:
        """Answer as for a number of this type; an epsilon is no int."""
        return value is self and self.whole

    def sign(self, value: object) -> Any:
        """Return what compares with an integer as the sign would."""
        if value is not self:
            raise self.run.stuck("the sign of an epsilon is asked for")
        return Sign(self)

    def exceeds(self, p: Fraction, q: Fraction, epsilon: Epsilon) -> bool:
        """Decide p > e^ε·q on this path."""
        if not isinstance(epsilon, Log):
            raise self.run.stuck("a number that is not known is compared with e^eps, eps rational")
        return bool(p > epsilon.argument * q)

    def exceeding(
        self, rows: list[Chances], w: Fraction, w_: Fraction, epsilon: Epsilon
    ) -> list[Chances]:
        """Return every row, as zeros where it does not exceed; nothing is decided here."""
        if not isinstance(epsilon, Log):
            raise self.run.stuck("a number that is not known is compared with e^eps, eps rational")
        return [self._where((w * p, w_ * q), (p, q)) for p, q in rows]

    def by_cases(self, epsilon: Epsilon, function: Callable[..., Any], *arguments: object) -> Any:
        """Return the function's value, all its cases in one number."""
        named = [self._named(one) if isinstance(one, ExpLinear) else one for one in arguments]
        return self.run.merged(lambda: function(*named))

    # --- other types ------------------------------------------------------------------------

    def exact(self, kind: type) -> "Term":
        """Return the same number as one of another type, nothing rounded."""
        return self._term(self.term, self.degree, kind)

    def _where(self, reached: Chances, taken: Chances) -> Chances:
        """Return both numbers of `taken` if p > self·q for (p, q) = `reached`, else zeros."""
        (p, q), (first, second) = reached, taken
        if isinstance(p, Term) or isinstance(q, Term):
            Term(self.run, value(p), degree(p) or 0)._alike(self * q)
        holds = value(self * q) < value(p)
        zero = z3.RealVal(0)
        return (
            Term(self.run, z3.If(holds, value(first), zero), degree(first) or 0),
            Term(self.run, z3.If(holds, value(second), zero), degree(second) or 0),
        )

    # --- what only a known number has -------------------------------------------------------

    __float__ = _needs("a float is made of a number that is not known")
    __complex__ = __float__
    __int__ = __index__ = _needs("a whole number is needed, and this one is not known")
    __hash__ = _needs("a number that is not known is used as a key or in a set")
    __rdivmod__ = _needs("a division with remainder needs known numbers")
    __rpow__ = _needs("a power needs a known exponent")
    __reduce__ = __copy__ = __deepcopy__ = _needs("a number that is not known is copied")
    limit_denominator = as_integer_ratio = is_integer = _needs("the digits of a number are needed")
    numerator = property(_needs("the numerator of a number that is not known is needed"))
    denominator = property(_needs("the denominator of a number that is not known is needed"))
    _numerator, _denominator = numerator, denominator

    def __repr__(self) -> str:
        if self.run.at_the_door:
            return "?"
        raise self.run.stuck("a number that is not known is written as text")

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return repr(self)

    # --- inside -----------------------------------------------------------------------------

    def _term(self, term: Any, degree: int, kind: type = Fraction) -> "Term":
        return Term(self.run, term, degree, kind)

    def _rounded(self, term: Any, degree: int, kind: type) -> Any:
        """Return the number that an operation gives: a float or a Decimal is rounded."""
        made = self._term(term, degree, kind)
        return self.run.rounded(made, kind) if kind in ROUNDED else made

    def _as(self, kind: type) -> Any:
        """Return this number as one of a type that an operation with it gives."""
        if kind is self.python_type:
            return self
        return in_range(self._rounded(self.term, self.degree, kind))

    def _kind_with(self, other: Any, joint: Callable[..., Any] = sum_kind) -> type | None:
        """Return the type of what an operation with another number gives; None if it raises."""
        kind = kind_of(other)
        return None if kind is None else joint(self.python_type, kind)

    def _named(self, number: ExpLinear) -> ExpLinear:
        """Give a number a name, so that the cases of a function do not repeat what it is."""
        if not isinstance(number.a, Term):
            return number
        name = self._term(self.run.named(number.a.term), number.a.degree)
        return ExpLinear(name, 0, number.epsilon)

    def _both_whole(self, other: Any) -> bool:
        there = other.whole if isinstance(other, Term) else exactly(other).denominator == 1
        return self.whole and bool(there)

    def _times(self, factor: Fraction | int, kind: type) -> Any:
        if factor == 1:
            return self._as(kind)
        if not factor:  # a float may be -0.0
            return self._term(value(0), self.degree, kind) if kind is float else of_kind(0, kind)
        return self._rounded(self.term * value(factor), self.degree, kind)

    def _integer(self, up: bool) -> Any:
        self._alike(1)
        return self.run.whole(self.term, up)

    def _nearest(self) -> Any:
        """Return a number at most 1/2 away."""
        self._alike(1)
        return self.run.nearest(self.term)

    def _floor_division(self, above: Any, below: Any) -> Any:
        kinds = {kind_of(above), kind_of(below)}
        if not kinds <= {int, Fraction}:
            raise self.run.stuck("a division with remainder needs exact numbers")
        return (above * Fraction(1) / below).__floor__()

    def _alike(self, other: Any) -> int:
        """Return the common degree of this number and another one, or say that there is none."""
        there = degree(other)
        if there is None or there == self.degree:
            return self.degree
        raise self.run.stuck("masses are known up to a common factor: only their ratios count")

    def _ask(self, other: Any, compare: Callable[[Any, Any], Any]) -> Any:
        """Compare with a number of any type: Python does so without rounding."""
        if kind_of(other) is None:
            return NotImplemented
        if not is_finite(other):
            return other == other and compare_infinite(other, compare)
        there = exactly(other)
        self._alike(there)
        return self.run.branch(compare(self.term, value(there)))

    def _below(self, other: Any) -> Any:
        """Whether this number is less than another one; whole numbers differ by 1 at least."""
        if kind_of(other) is None or not is_finite(other) or not self._both_whole(other):
            return self._ask(other, lambda a, b: a < b)
        below = self._ask(other, lambda a, b: a + 1 <= b)
        if not below:
            self.run.assume(value(exactly(other)) <= self.term)
        return below
