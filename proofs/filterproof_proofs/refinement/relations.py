"""Relations between a state's numbers, the ghosts and the budget: guessed from runs, as formulas.

Affine equalities come from the null space of what was seen in concrete runs, in exact arithmetic;
inequalities from a short list of templates, those that held in every run.  A guess is never
believed: `induction` keeps those that every path of the code preserves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, permutations
from math import prod
from typing import Any

from filterproof_proofs.symbolic.terms import value as constant

Monomial = tuple[str, ...]
"""A product of named numbers; () is 1."""
Row = Mapping[str, Fraction]
"""Named numbers at one moment of a concrete run."""
MOST_PRODUCTS = 4
"""States with more numbers than this get no products: their number grows with the square."""
LOST_NAME: Monomial = ("lost near zero",)
"""What a few operations may lose near zero."""
ENOUGH_ROWS = 240
"""Rows that a guess is made from; what is guessed wrongly is dropped by the induction."""


@dataclass(frozen=True)
class Relation:
    """A sum of products with known factors that is 0, or at least 0."""

    terms: tuple[tuple[Monomial, Fraction], ...]
    equal: bool

    def value(self, numbers: Mapping[str, Any]) -> Fraction:
        """Return the sum for known numbers."""
        return sum(
            (factor * prod((numbers[name] for name in product), start=Fraction(1)))
            for product, factor in self.terms
        ) + Fraction(0)

    def holds(self, numbers: Mapping[str, Fraction]) -> bool:
        """Whether the relation is true of known numbers."""
        found = self.value(numbers)
        return found == 0 if self.equal else found >= 0

    def formula(self, numbers: Mapping[str, Any]) -> Any:
        """Return the relation for the solver's numbers."""
        total = constant(0)
        for product, factor in self.terms:
            total = total + constant(factor) * prod(
                (numbers[n] for n in product), start=constant(1)
            )
        return total == 0 if self.equal else total >= 0

    @property
    def names(self) -> frozenset[str]:
        """The numbers that it speaks of."""
        return frozenset(name for product, _ in self.terms for name in product)


NEVER = Relation((((), Fraction(-1)),), False)
"""-1 >= 0: true of a state that cannot be reached."""


def linear(*terms: tuple[str | Monomial, Fraction | int]) -> Relation:
    """Return "this sum is at least 0"; a plain name is the number itself, "1" is 1."""
    return Relation(tuple((_monomial(name), Fraction(factor)) for name, factor in terms), False)


def _monomial(name: str | Monomial) -> Monomial:
    if isinstance(name, tuple):
        return tuple(sorted(name))
    return () if name == "1" else (name,)


@dataclass(frozen=True)
class Vocabulary:
    """The names that relations of one shape may use."""

    budget: tuple[str, ...]
    ghosts: tuple[tuple[str, Monomial, bool], ...]
    """What is counted, its limit as a product of numbers of the budget, whether it multiplies."""
    state: tuple[str, ...]
    constants: tuple[int, ...] = ()

    @property
    def totals(self) -> tuple[tuple[str, Monomial], ...]:
        """Each ghost that adds up with its limit."""
        return tuple((ghost, limit) for ghost, limit, multiplies in self.ghosts if not multiplies)

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, those that others are expressed by first."""
        return (*self.budget, *(name for name, *_ in self.ghosts), *self.state)


def guesses(rows: Sequence[Row], words: Vocabulary, with_products: bool) -> list[Relation]:
    """Return what held in every row: equalities, then inequalities that are not equalities."""
    few = rows[:: len(rows) // ENOUGH_ROWS + 1]  # of all runs: the first ones have few budgets
    limits = [limit for _, limit, _ in words.ghosts]
    columns = list(dict.fromkeys([(), *limits, *((name,) for name in words.names)]))
    found = equalities(few, columns)
    tried = templates(words)
    if with_products and len(words.state) <= MOST_PRODUCTS:
        found += equalities(few, [*columns, *products(words)])
        tried = chain(tried, product_templates(words))
    for one in dict.fromkeys(tried):
        if _is_true(one, few, not found):
            found.append(one)
    return list(dict.fromkeys(found))


def _is_true(one: Relation, rows: Sequence[Row], even_equal: bool) -> bool:
    """Whether an inequality is true of every row, and says more than an equality."""
    says = even_equal
    for row in rows:
        found = one.value(row)
        if found < 0:
            return False
        says = says or found > 0
    return says


def products(words: Vocabulary) -> list[Monomial]:
    """Return the products that are looked at: of the state and the budget, or a product ghost."""
    factors = [*words.budget, *(ghost for ghost, _, multiplies in words.ghosts if multiplies)]
    return [_monomial((one, two)) for one in words.state for two in factors]


def equalities(rows: Sequence[Row], columns: Sequence[Monomial]) -> list[Relation]:
    """Return a basis of the equalities that all rows satisfy; none if there are too few rows."""
    table = {
        tuple(prod((row[n] for n in one), start=Fraction(1)) for one in columns) for row in rows
    }
    if len(table) < len(columns) + 2:
        return []
    return [
        Relation(tuple((one, f) for one, f in zip(columns, vector, strict=True) if f), True)
        for vector in null_space(sorted(table))
    ]


def null_space(rows: Iterable[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Return a basis of the vectors that are orthogonal to every row.

    >>> null_space([(Fraction(1), Fraction(2)), (Fraction(2), Fraction(4))])
    [[Fraction(-2, 1), Fraction(1, 1)]]
    """
    pivots: dict[int, list[Fraction]] = {}
    width = 0
    for row in rows:
        left = list(row)
        width = len(left)
        for column, other in pivots.items():
            _subtract(left, other, left[column])
        first = next((i for i, number in enumerate(left) if number), None)
        if first is not None:
            left = [number / left[first] for number in left]
            for other in pivots.values():
                _subtract(other, left, other[first])
            pivots[first] = left
    return [_solution(free, pivots, width) for free in range(width) if free not in pivots]


def _subtract(row: list[Fraction], other: Sequence[Fraction], factor: Fraction) -> None:
    if factor:
        row[:] = [one - factor * two for one, two in zip(row, other, strict=True)]


def _solution(free: int, pivots: Mapping[int, Sequence[Fraction]], width: int) -> list[Fraction]:
    vector = [Fraction(0)] * width
    vector[free] = Fraction(1)
    for column, row in pivots.items():
        vector[column] = -row[free]
    return vector


def templates(words: Vocabulary) -> Iterable[Relation]:
    """Yield the inequalities that are tried."""
    yield from (linear((name, 1)) for name in words.names)
    yield from (linear((a, 1), (b, -1)) for a, b in permutations(words.names, 2))
    yield from (linear((limit, 1), (ghost, -1)) for ghost, limit, _ in words.ghosts)
    for ghost, limit in words.totals:
        yield from _room_left(words, ghost, limit)
    for number in (1, *words.constants):
        for name in words.state:
            yield linear(("1", number), (name, -1))
            yield linear((name, 1), ("1", -number))


def _room_left(words: Vocabulary, ghost: str, limit: Monomial) -> Iterable[Relation]:
    """Yield what a state may keep of a budget, in units that the code names too."""
    for name in words.state:
        for unit in (1, *words.constants):
            yield linear((limit, unit), (ghost, -unit), (name, -1))
            yield linear((limit, 1), (ghost, -1), (name, -unit))
            yield linear((name, 1), (ghost, -unit))
            yield linear((name, unit), (ghost, -1))
            yield linear((limit, unit), (name, -1))
        yield linear((name, 1), (limit, -1), (ghost, 1))
    for one, two in permutations(words.state, 2):
        for unit in (1, *words.constants):
            yield linear((one, 1), (two, -1), (ghost, -unit))
            yield linear((limit, unit), (ghost, -unit), (one, -1), (two, 1))


def product_templates(words: Vocabulary) -> Iterable[Relation]:
    """Yield the inequalities between products that are tried."""
    for ghost, limit, multiplies in words.ghosts:
        for name in words.state:
            if multiplies:
                yield linear(((name, ghost), 1), (limit, -1))
                yield linear((limit, 1), ((name, ghost), -1))
            else:
                yield linear(((name, *limit), 1), (ghost, -1))
                yield linear((limit, 1), (ghost, -1), ((name, *limit), -1))
                yield from (linear(((name, *limit), 1), (ghost, -unit)) for unit in words.constants)
        if not multiplies:
            for one, two in combinations(words.state, 2):
                yield linear(((one, two), 1), (ghost, -1))


@dataclass(frozen=True)
class Room:
    """What rounding may take of a limit: a part of it in each round, and a part at the start."""

    per_round: Fraction
    at_start: Fraction


def loosened(
    one: Relation, rooms: Mapping[str, tuple[str, Monomial]], room: Room
) -> list[Relation]:
    """Return the relation with room for rounding.

    `rooms` has for a ghost (or a limit) the number that is "rounds times limit", and the limit.
    """
    found = []
    for rounds, limit in dict.fromkeys(rooms[name] for name in sorted(one.names) if name in rooms):
        scale = max(abs(factor) for product, factor in one.terms if product)
        start = [(limit, scale * room.at_start), (LOST_NAME, scale)] if room.at_start else []
        grows = [((rounds,), scale * room.per_round)]
        for sign in (1, -1) if one.equal else (1,):
            terms = [(product, sign * factor) for product, factor in one.terms]
            found.append(Relation(_one_factor_each([*terms, *start, *grows]), False))
            if start:
                found.append(Relation(_one_factor_each([*terms, *start]), False))
    return found


def _one_factor_each(
    terms: Iterable[tuple[Monomial, Fraction]],
) -> tuple[tuple[Monomial, Fraction], ...]:
    """Return a sum with one factor for each product."""
    total: dict[Monomial, Fraction] = {}
    for product, factor in terms:
        total[product] = total.get(product, Fraction(0)) + factor
    return tuple((product, factor) for product, factor in total.items() if factor)
