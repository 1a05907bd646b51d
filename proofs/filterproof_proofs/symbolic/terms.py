"""Numbers that are terms of a solver: what a filter computes with when nothing is known.

A `Term` is accepted wherever a Fraction is (`unknown.Unknown`).  Arithmetic makes larger terms; a
comparison asks the run that the term belongs to, which tries both answers where both are possible.
What needs a known number (a float, a hash, a digit) raises `NeedsKnown` instead of guessing.

Every term has a *degree* in the likelihoods.  `step.mass` is known up to a common factor only, so a
mass has degree 1, a ratio of masses degree 0, and numbers of different degree are neither added nor
compared.  A run that obeys this rule does not depend on the factor: one mass may be taken as 1.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import z3

from filterproof.exact import Epsilon, ExpLinear, Log
from filterproof.unknown import Chances, Unknown

MOST_FACTORS = 64
"""The largest power that is written out as a product."""


class NeedsKnown(BaseException):
    """The code needs a known number where there is none; no `except Exception` may hide it."""


class Run(Protocol):
    """What a term asks: which side of a comparison is taken, and for names of new numbers."""

    at_the_door: bool

    def branch(self, condition: Any) -> bool:
        """Return which side this run takes, and remember it."""
        ...

    def assume(self, condition: Any) -> None:
        """Go on only where the condition holds."""
        ...

    def quotient(self, above: Any, below: Any) -> Any:
        """Return a number that is above/below wherever below is not 0."""
        ...

    def whole(self, term: Any, up: bool) -> Any:
        """Return a number that lies where the term rounded to an integer lies."""
        ...

    def named(self, term: Any) -> Any:
        """Return a number that is equal to the term, and short."""
        ...

    def merged(self, function: Callable[[], ExpLinear]) -> ExpLinear:
        """Return the value of a pure function, all its cases in one number."""
        ...

    def stuck(self, reason: str) -> NeedsKnown:
        """Remember that the run cannot go on, and return the error to raise."""
        ...


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


class Sign:
    """The sign of a term: it compares with an integer as -1, 0 or 1 would."""

    __slots__ = ("of",)

    def __init__(self, of: "Term") -> None:
        self.of = of

    def __lt__(self, other: int) -> bool:
        return self._at_most(other - 1)

    def __le__(self, other: int) -> bool:
        return self._at_most(other)

    def __gt__(self, other: int) -> bool:
        return not self._at_most(other)

    def __ge__(self, other: int) -> bool:
        return not self._at_most(other - 1)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self._at_most(other) and not self._at_most(other - 1)
        return NotImplemented

    def __bool__(self) -> bool:
        return bool(self.of)

    def __mul__(self, other: int) -> "Sign | int":
        if other == 0:
            return 0
        return self if other > 0 else Sign(-self.of)

    __rmul__ = __mul__

    def __neg__(self) -> "Sign":
        return Sign(-self.of)

    def __hash__(self) -> int:
        raise self.of.run.stuck("a sign that is not known is used as a key")

    def _at_most(self, bound: int) -> bool:
        if bound < -1 or bound >= 1:
            return bound >= 1
        return bool(self.of < 0 if bound == -1 else self.of <= 0)


def _needs(reason: str) -> Any:
    def raising(self: "Term", *_: object, **__: object) -> Any:
        raise self.run.stuck(reason)

    return raising


class Term(Unknown):
    """A number that is not known: an expression, its degree, and the run it belongs to."""

    __slots__ = ("degree", "run", "term", "whole")

    run: Run
    term: Any
    degree: int
    whole: bool

    def __new__(cls, run: Run, term: Any, degree: int = 0, whole: bool = False) -> "Term":
        """Make a term; nothing of a Fraction's own is kept."""
        made = object.__new__(cls)
        made.run, made.term, made.degree, made.whole = run, term, degree, whole
        return made

    # --- arithmetic -------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, (Fraction, int)):
            return NotImplemented
        if not isinstance(other, Term) and other == 0:
            return self
        return self._made(self.term + value(other), self._alike(other), self._both_whole(other))

    __radd__ = __add__

    def __neg__(self) -> "Term":
        return self._made(-self.term, self.degree, self.whole)

    def __pos__(self) -> "Term":
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, (Fraction, int)) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, (Fraction, int)) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (Fraction, int)):
            return NotImplemented
        if not isinstance(other, Term):
            return self if other == 1 else self._scaled(other)
        return self._made(_product(self.term, other.term), self.degree + other.degree)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (Fraction, int)):
            return NotImplemented
        if not isinstance(other, Term):
            return self._scaled(Fraction(1) / other)
        if other == 0:
            raise ZeroDivisionError("a number that may be 0 is divided by")
        return self._made(self.run.quotient(self.term, other.term), self.degree - other.degree)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, (Fraction, int)):
            return NotImplemented
        quotient = Term(self.run, value(other), 0) / self
        return quotient if other else Fraction(0)

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int) or abs(other) > MOST_FACTORS:
            raise self.run.stuck("a power needs a known whole exponent")
        power: Any = Fraction(1)
        for _ in range(abs(other)):
            power = self * power
        return power if other >= 0 else 1 / power

    def __abs__(self) -> "Term":
        return -self if self < 0 else self

    def __ceil__(self) -> Any:
        return self._made(self.run.whole(self.term, True), self._alike(1))

    def __floor__(self) -> Any:
        return self._made(self.run.whole(self.term, False), self._alike(1))

    # --- comparisons ------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return self._below(other)

    def __gt__(self, other: Any) -> Any:
        if isinstance(other, (Fraction, int)) and self._both_whole(other):
            return (-self)._below(-other)
        return self._ask(other, lambda a, b: b < a)

    def __le__(self, other: Any) -> Any:
        return _opposite(self > other) if isinstance(other, (Fraction, int)) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return _opposite(self < other) if isinstance(other, (Fraction, int)) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        if other is self:
            return True
        return self._ask(other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        return _opposite(self == other)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # --- answers in place of functions of the reference (`unknown.unknown_answers`) ----------

    def to_rational(self, value: object) -> "Term":
        """Return the number: it is one."""
        return self

    def is_whole(self, value: object) -> bool:
        """Accept the number where an int is taken."""
        return True

    def sign(self, value: object) -> Any:
        """Return what compares with an integer as the sign would."""
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
        return [self._where((w * p, w_ * q), (p, q)) for p, q in rows]

    def by_cases(self, epsilon: Epsilon, function: Callable[..., Any], *arguments: object) -> Any:
        """Return the function's value, all its cases in one number."""
        named = [self._named(one) if isinstance(one, ExpLinear) else one for one in arguments]
        return self.run.merged(lambda: function(*named))

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
    __int__ = __trunc__ = __index__ = _needs("a whole number is needed, and this one is not known")
    __round__ = _needs("a number that is not known is rounded")
    __hash__ = _needs("a number that is not known is used as a key or in a set")
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _needs(
        "a division with remainder needs known numbers"
    )
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

    def _made(self, term: Any, degree: int, whole: bool = False) -> "Term":
        return Term(self.run, term, degree, whole)

    def _named(self, number: ExpLinear) -> ExpLinear:
        """Give a number a name, so that the cases of a function do not repeat what it is."""
        if not isinstance(number.a, Term):
            return number
        name = self._made(self.run.named(number.a.term), number.a.degree)
        return ExpLinear(name, 0, number.epsilon)

    def _both_whole(self, other: Any) -> bool:
        there = other.whole if isinstance(other, Term) else other.denominator == 1
        return self.whole and bool(there)

    def _scaled(self, factor: Fraction | int) -> Any:
        return self._made(self.term * value(factor), self.degree) if factor else Fraction(0)

    def _alike(self, other: Any) -> int:
        """Return the common degree of this number and another one, or say that there is none."""
        there = degree(other)
        if there is None or there == self.degree:
            return self.degree
        raise self.run.stuck("masses are known up to a common factor: only their ratios count")

    def _ask(self, other: Any, compare: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, (Fraction, int)):
            return NotImplemented
        self._alike(other)
        return self.run.branch(compare(self.term, value(other)))

    def _below(self, other: Any) -> Any:
        """Whether this number is less than another one; whole numbers differ by 1 at least."""
        if not isinstance(other, (Fraction, int)) or not self._both_whole(other):
            return self._ask(other, lambda a, b: a < b)
        below = self._ask(other, lambda a, b: a + 1 <= b)
        if not below:
            self.run.assume(value(other) <= self.term)
        return below


def _product(left: Any, right: Any) -> Any:
    if z3.is_rational_value(left) and left.as_fraction() == 1:
        return right
    if z3.is_rational_value(right) and right.as_fraction() == 1:
        return left
    return left * right


def _opposite(answer: Any) -> Any:
    return answer if answer is NotImplemented else not answer
