"""Sums of n-th roots of positive rationals, with a sign that is always decided.

A Rényi sum of rational order m/n is such a number.  Positive real n-th roots of rationals, no
two of which have a rational ratio, are linearly independent over the rationals (Besicovitch).
So once terms of rational ratio are merged, the sum is zero only if no term is left; otherwise
an enclosure that is refined ends up on one side of zero.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from math import isqrt, prod
from typing import Any

from filterproof.exact import sign, sign_by_enclosure

Term = tuple[Fraction, int]  # (coefficient, radicand): coefficient * radicand**(1/degree)
_SMALL_PRIMES = [p for p in range(2, 200) if all(p % q for q in range(2, p))]
_CAP_BITS = 1 << 20
WITNESSES = 8
"""So many primes tell nearly every number apart from a power without a root being taken."""


@dataclass(frozen=True)
class RadicalSum:
    """The number: sum over terms of coefficient·radicand^(1/degree), no two terms alike.

    >>> root_2 = RadicalSum.root(Fraction(2), 2)
    >>> (root_2 * root_2).rational(), (root_2 - RadicalSum.root(Fraction(8), 2) / 2).sign()
    (Fraction(2, 1), 0)
    """

    degree: int
    terms: tuple[Term, ...]

    @classmethod
    def root(cls, radicand: Fraction, degree: int) -> "RadicalSum":
        """Return the one-term sum radicand^(1/degree) of a rational radicand >= 0."""
        a, b = radicand.numerator, radicand.denominator
        term = _simplify(Fraction(1, b), a * b ** (degree - 1), degree)
        return cls(degree, (term,) if radicand else ())

    def rational(self) -> Fraction | None:
        """Return the value if it is visibly rational, else None."""
        if not self.terms:
            return Fraction(0)
        (coefficient, radicand), *more = self.terms
        return coefficient if radicand == 1 and not more else None

    def power(self) -> Fraction | None:
        """Return the degree-th power of a one-term sum, which is rational; None for others."""
        if len(self.terms) != 1:
            return None
        coefficient, radicand = self.terms[0]
        return coefficient**self.degree * radicand

    def sign(self) -> int:
        """Return -1, 0 or 1: decided (see the module's first lines)."""
        signs = {sign(coefficient) for coefficient, _ in self.terms}
        if len(signs) <= 1:
            return next(iter(signs), 0)
        return sign_by_enclosure(self.interval, _CAP_BITS)

    def interval(self, iv: Any) -> Any:
        """Return an interval of the context that holds the value."""
        total = iv.mpf(0)
        for coefficient, radicand in self.terms:
            root = iv.mpf(1)
            if radicand > 1:
                root = iv.exp(iv.log(iv.mpf(radicand)) / self.degree)
            total += iv.mpf(coefficient.numerator) / iv.mpf(coefficient.denominator) * root
        return total

    def __add__(self, other: "RadicalSum") -> "RadicalSum":
        return _merge((*self.terms, *other.terms), self.degree)

    def __sub__(self, other: "RadicalSum") -> "RadicalSum":
        return self + RadicalSum(other.degree, tuple((-c, r) for c, r in other.terms))

    def __mul__(self, other: "RadicalSum") -> "RadicalSum":
        products = (
            _simplify(c * c_, r * r_, self.degree) for c, r in self.terms for c_, r_ in other.terms
        )
        return _merge(products, self.degree)

    def __truediv__(self, divisor: int) -> "RadicalSum":
        return RadicalSum(self.degree, tuple((c / divisor, r) for c, r in self.terms))


def _simplify(coefficient: Fraction, radicand: int, degree: int) -> Term:
    """Take out of the root what is a small prime's, or as a whole is, an n-th power."""
    if degree == 1:
        return coefficient * radicand, 1
    out, radicand = _taken_out(radicand, degree)
    return coefficient * out, radicand


@lru_cache(maxsize=4096)
def _taken_out(radicand: int, degree: int) -> tuple[int, int]:
    out = 1
    for prime in _SMALL_PRIMES:
        power: int = prime**degree
        while radicand % power == 0:
            out, radicand = out * prime, radicand // power
    whole = _root(radicand, degree)
    return (out * whole, 1) if whole else (out, radicand)


def floor_root(number: int, degree: int) -> int:
    """Return the largest integer whose degree-th power is at most the number, by Newton's steps.

    They begin above the root and fall until they would not any more.

    >>> floor_root(27, 3), floor_root(26, 3)
    (3, 2)
    """
    if number < 2:
        return number
    root = 1 << -(-number.bit_length() // degree)
    while (below := ((degree - 1) * root + number // root ** (degree - 1)) // degree) < root:
        root = below
    return root


@lru_cache(maxsize=64)
def _witnesses(degree: int) -> tuple[tuple[int, ...], int]:
    """Return primes p with p - 1 a multiple of the degree, where few residues are powers."""
    wanted = count(degree + 1, degree)
    primes = (p for p in wanted if all(p % q for q in range(2, isqrt(p) + 1)))
    found = tuple(islice(primes, WITNESSES))
    return found, prod(found)


def _may_be_power(residue: int, degree: int) -> bool:
    """Whether a number with this residue may be a degree-th power: none is where this says no.

    Modulo p such a power has (p-1)/degree-th power 0 or 1, by Fermat's little theorem.

    >>> _may_be_power(7**8, 8), _may_be_power(7**8 + 1, 8)
    (True, False)
    """
    primes, _ = _witnesses(degree)
    return all(pow(residue, (p - 1) // degree, p) <= 1 for p in primes)


def _root(number: int, degree: int) -> int | None:
    """Return the integer whose degree-th power is the number; None if none is."""
    if not _may_be_power(number % _witnesses(degree)[1], degree):
        return None
    root = floor_root(number, degree)
    return root if root**degree == number else None


def _merge(terms: Iterable[Term], degree: int) -> RadicalSum:
    """Merge the terms whose ratio is rational, drop those that cancel, and sort."""
    sums: dict[int, Fraction] = {}
    for coefficient, radicand in terms:
        kin, ratio = _kin(radicand, tuple(sums), degree)
        sums[kin] = sums.get(kin, Fraction(0)) + coefficient * ratio
    kept = sorted((radicand, total) for radicand, total in sums.items() if total)
    return RadicalSum(degree, tuple((total, radicand) for radicand, total in kept))


def _kin(radicand: int, known: tuple[int, ...], degree: int) -> tuple[int, Fraction]:
    """Return a known radicand of rational ratio, and that ratio of the roots; else itself."""
    if radicand in known:
        return radicand, Fraction(1)
    _, modulus = _witnesses(degree)
    for other in known:
        # radicand/other is an n-th power iff radicand*other**(n-1) is
        if not _may_be_power(radicand * pow(other, degree - 1, modulus) % modulus, degree):
            continue
        root = _root(radicand * other ** (degree - 1), degree)
        if root:
            return other, Fraction(root, other)
    return radicand, Fraction(1)
