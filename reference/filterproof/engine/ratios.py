"""Likelihood ratios as vectors of small integers.

Two histories are merged only if their likelihoods are proportional.  Along a long play these are
fractions of thousands of digits, and comparing them one by one is what makes exactness slow.  But
every likelihood is a product of the same few law entries.  Over a *coprime base* of those entries
(pairwise coprime integers > 1, of which each entry is a product of powers) a product is the sum of
its exponent vectors, and by unique factorisation equal numbers are equal vectors.
"""

from collections.abc import Iterable
from math import gcd


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Return pairwise coprime integers > 1 of which every given positive number is a product.

    >>> coprime_base([12, 18, 5])
    [2, 3, 5]
    >>> coprime_base([121, 100])
    [100, 121]
    """
    base: list[int] = []
    product = 1
    todo = sorted({n for n in numbers if n > 1}, reverse=True)
    while todo:
        number = todo.pop()
        if gcd(number, product) == 1:  # with all of the base at once
            base.append(number)
            product *= number
            continue
        old, common = next((n, d) for n in base if (d := gcd(number, n)) > 1)
        base.remove(old)
        product //= old
        todo += [part for part in (common, number // common, old // common) if part > 1]
    return sorted(base)


def exponents(number: int, base: list[int]) -> list[int]:
    """Return the powers of the base elements whose product is the number.

    >>> exponents(360, [2, 3, 5])
    [3, 2, 1]
    """
    powers = []
    for element in base:
        count = 0
        while number % element == 0:
            number //= element
            count += 1
        powers.append(count)
    return powers
