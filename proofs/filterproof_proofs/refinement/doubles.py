"""Doubles on unknown numbers: every operation is the exact one, rounded.

An operation of doubles gives the exact result times (1 + e) with |e| <= 2^-53, and 2^-1075 more or
less near zero unless it is a sum.  Rounding is a function, and monotone: the same exact result is
always rounded to the same double, and never to the other side of a double.  Decimals have 28 digits
in Python's usual context, so the same bound covers them.  What is rounded must stay below 2^200,
which the proof shows: beyond 2^1024 there is only inf.  Where a request costs more than that, both
are followed: the number, and inf.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import z3

from filterproof_proofs.symbolic.kinds import ROUNDED, exactly, kind_of, sum_kind
from filterproof_proofs.symbolic.paths import Limits, Paths, names
from filterproof_proofs.symbolic.terms import Term, value

UNIT = Fraction(1, 2**53)
"""The largest relative error of one operation of doubles, and more than that of a Decimal."""
TINY = Fraction(1, 2**1075)
"""The largest absolute error near zero."""
LOST = z3.Real("lost near zero")
"""TINY for the solver, of which the proof uses only that it is not negative."""
LARGEST = 2**200
"""What is rounded must be shown to stay below this."""
OVERFLOW = 2**1024 - 2**970
"""What is rounded and is not below this becomes inf."""
Kind = type
"""int, Fraction, float or Decimal: what Python computes with."""


class Doubles(Paths):
    """Explores code on unknown numbers, and follows what rounding may do."""

    def __init__(self, limits: Limits, ideal: bool = False) -> None:
        super().__init__(limits)
        self.ideal = ideal
        """Whether nothing is rounded: what is found then is no proof about doubles."""
        self.results: list[Any] = []
        """What was rounded on the path that is followed now."""
        self.tiny = False
        """Whether something was rounded that may be lost near zero."""
        self.huge = False
        """Whether results may be beyond the largest double."""
        self._held: dict[str, Any] = {}
        self._whole: set[str] = set()
        self._rounded: dict[tuple[object, int], tuple[Any, Any]] = {}

    def given(self, name: str, kind: Kind) -> Term:
        """Return a number of which nothing is known but its type."""
        made = z3.Real(name)
        if kind in ROUNDED:
            self._held[name] = made
        return Term(self, made, 0, kind)

    def whole(self, term: Any, up: bool) -> Any:
        """Return a term rounded to an integer; never to the other side of -1, 0 or 1."""
        made = super().whole(term, up)
        name = made.decl().name()
        if name not in self._whole:
            sides = [z3.Or(term < one, made >= one) for one in (-1, 0, 1)]
            sides += [z3.Or(term > one, made <= one) for one in (-1, 0, 1)]
            self.definitions[name] = z3.And(self.definitions[name], *sides)
            self._whole.add(name)
        return made

    def rounded(self, exact: Term, kind: Kind) -> Any:
        """Return the float or Decimal that an operation gives whose exact value is known."""
        term = z3.simplify(exact.term)
        if self.ideal or is_double(term):
            return Term(self, term, exact.degree, kind)
        if self.huge and kind is float and (far := self._overflow(term, Fraction(0))):
            return far
        key = (kind, term.get_id())
        if key not in self._rounded:
            self._rounded[key] = z3.Real(f"rounded!{len(self._rounded)}"), term
        made = self._rounded[key][0]
        whole = has_whole_factors(term)
        self.tiny |= not whole
        beside = [self._held[name] for name in sorted(names(term)) if name in self._held]
        beside = beside if kind is float else []  # a double has more digits than a Decimal
        self.fact(made.decl().name(), near(made, term, value(0) if whole else LOST, beside))
        self._held[made.decl().name()] = made
        self.results.append(made)
        return Term(self, made, exact.degree, kind)

    def shortest(self, exact: Term) -> Term:
        """Return the number whose digits Python writes for a float, the fewest that tell it apart.

        It lies between the neighbours of the float, within half a unit in the last place.
        """
        term = z3.simplify(exact.term)
        key = ("digits", term.get_id())
        if key not in self._rounded:
            self._rounded[key] = z3.Real(f"rounded!{len(self._rounded)}"), term
        made, term = self._rounded[key]
        facts = [near(made, term, LOST, ())]
        for one in (value(0), *(held for held in self._held.values() if not held.eq(term))):
            facts += [z3.Or(term >= one, made < one), z3.Or(term <= one, made > one)]
        self.fact(made.decl().name(), z3.And(*facts))
        self.tiny = True
        self.results.append(made)
        return Term(self, made, exact.degree, Decimal)

    def added(self, total: Any, one: Any) -> Any:
        """Return a sum of many floats with one more, none of them negative: three roundings."""
        kind = sum_kind(kind_of(total) or int, kind_of(one) or int)
        if not isinstance(total, Term) and not isinstance(one, Term):
            return total + one
        if kind is None:
            raise self.stuck("a sum of floats and Decimals")
        term = z3.simplify(value(exactly(total)) + value(exactly(one)))
        if self.ideal or is_double(term):
            return Term(self, term, 0, kind)
        if self.huge and kind is float and (far := self._overflow(term, 3 * UNIT)):
            return far
        key = ("sum", term.get_id())
        if key not in self._rounded:
            self._rounded[key] = z3.Real(f"rounded!{len(self._rounded)}"), term
        made = self._rounded[key][0]
        low, high = term * value(1 - 3 * UNIT), term * value(1 + 3 * UNIT)
        self.fact(made.decl().name(), z3.And(made >= low, made <= high, made >= 0))
        self._held[made.decl().name()] = made
        self.results.append(made)
        return Term(self, made, 0, kind)

    def _overflow(self, exact: Any, error: Fraction) -> float:
        """Return inf or -inf where a result becomes that, else 0; with an error both may be."""
        for sign in (1, -1):
            if self.branch(sign * exact >= value(OVERFLOW * (1 - 2 * error))):
                maybe = z3.Real(f"overflow!{exact.get_id()}")
                self._kept.append(exact)
                if not error or self.branch(maybe >= 0):
                    return sign * float("inf")
        return 0.0

    def monotone(self) -> list[Any]:
        """Return that the results on this path are in the order of the exact ones.

        That is true of numbers that are rounded in the same way, all to doubles or all to Decimals.
        """
        exact = {made.get_id(): term for made, term in self._rounded.values()}
        ways = {made.get_id(): way for (way, _), (made, _) in self._rounded.items()}
        unique = {one.get_id(): one for one in self.results}.values()
        pairs = [
            (a, b)
            for a, b in combinations(unique, 2)
            if ways[a.get_id()] is ways[b.get_id()] and ways[a.get_id()] in ROUNDED
        ]
        return [
            z3.And(
                z3.Or(exact[a.get_id()] < exact[b.get_id()], a >= b),
                z3.Or(exact[a.get_id()] > exact[b.get_id()], a <= b),
            )
            for a, b in pairs
        ]


def near(made: Any, exact: Any, off: Any, doubles: Iterable[Any]) -> Any:
    """Return that a number is a double next to the exact result, on the same side of doubles."""
    low, high = exact * value(1 - UNIT), exact * value(1 + UNIT)
    above = z3.And(made >= low - off, made <= high + off)
    below = z3.And(made <= low + off, made >= high - off)
    facts = [z3.Or(exact < 0, above), z3.Or(exact > 0, below)]
    for one in (value(0), *doubles):
        facts += [z3.Or(exact < one, made >= one), z3.Or(exact > one, made <= one)]
    return z3.And(*facts)


def has_whole_factors(term: Any) -> bool:
    """Whether an expression is a sum of whole multiples of numbers: then nothing is lost near zero.

    Every double is a whole multiple of 2^-1074, and so is such a sum.

    >>> x, y = z3.Reals("x y")
    >>> [has_whole_factors(z3.simplify(term)) for term in (x - 3 * y, x / 2, x * y)]
    [True, False, False]
    """
    if z3.is_rational_value(term):
        return is_double(term)
    if z3.is_add(term):
        return all(map(has_whole_factors, term.children()))
    if z3.is_mul(term):
        factor, *rest = term.children()
        known = z3.is_rational_value(factor) and factor.denominator_as_long() == 1
        return known and len(rest) == 1 and z3.is_const(rest[0])
    return bool(z3.is_const(term))


def is_double(term: Any) -> bool:
    """Whether an expression is a known number that a double holds exactly.

    >>> is_double(z3.RealVal("1/2")), is_double(z3.RealVal("1/10")), is_double(z3.Real("x"))
    (True, False, False)
    """
    if not z3.is_rational_value(term):
        return False
    exact = Fraction(term.as_fraction())
    return abs(exact) < LARGEST and Fraction(float(exact)) == exact
