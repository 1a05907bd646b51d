"""The hypothetical databases that a filter guards, declared before it sees any data.

A filter that halted because of the losses between the *real* database and its neighbours would
tell, by halting, which database it is.  So the pairs are those of a declared domain: every
database that the data could be, and every two of them that differ in one record.  The filter is
never given the data; what it decides follows from what was released.
"""

import hashlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

Database = Hashable
Pair = tuple[Database, Database]

MAX_PAIRS = 1_000_000


class DomainError(ValueError):
    """A declaration of databases and neighbours that cannot be guarded."""


@dataclass(frozen=True)
class Domain:
    """Every database the data could be, and all ordered pairs of neighbours among them.

    >>> Domain.counts(2).pairs
    ((0, 1), (1, 0), (1, 2), (2, 1))
    """

    databases: tuple[Database, ...]
    pairs: tuple[Pair, ...]

    @classmethod
    def of(cls, databases: Iterable[Database], neighbours: Iterable[Pair]) -> "Domain":
        """Declare databases, and which of them are neighbours; both directions are guarded."""
        known = tuple(databases)
        distinct = set(known)
        related = {tuple(pair): None for pair in neighbours}
        if len(distinct) != len(known) or len(known) < 2:
            raise DomainError(f"need two or more different databases; got {len(known)}")
        for pair in related:
            _check_pair(pair, distinct)
        if not related:
            raise DomainError("need at least one pair of neighbours; got none")
        both = {pair: None for x, x_ in related for pair in ((x, x_), (x_, x))}
        if len(both) > MAX_PAIRS:
            raise DomainError(f"need at most {MAX_PAIRS} ordered pairs; got {len(both)}")
        return cls(known, tuple(both))

    @classmethod
    def counts(cls, records: int) -> "Domain":
        """Declare that the data is a count from 0 to `records`; one record changes it by one."""
        if type(records) is not int or records < 1:
            raise DomainError(f"need a whole number of records >= 1; got {records!r}")
        return cls.of(range(records + 1), ((n, n + 1) for n in range(records)))

    @classmethod
    def record(cls, values: Iterable[Database]) -> "Domain":
        """Declare that the data is one record: every two of its values are neighbours."""
        known = tuple(values)
        return cls.of(known, ((a, b) for i, a in enumerate(known) for b in known[:i]))

    @classmethod
    def unlisted(cls) -> "Domain":
        """Declare nothing but that neighbours exist: for `Bounded` mechanisms only.

        The one pair stands for every pair of a domain that is too large to list.
        """
        return cls.of(("one", "its neighbour"), [("one", "its neighbour")])

    @cached_property
    def places(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Where the x and the x′ of every pair stand among the databases."""
        at = {x: i for i, x in enumerate(self.databases)}
        found = np.array([(at[x], at[x_]) for x, x_ in self.pairs])
        return found[:, 0], found[:, 1]

    @cached_property
    def order(self) -> np.ndarray[Any, Any]:
        """The pairs' places in an order that depends on nothing but the databases themselves."""
        return np.array(sorted(range(len(self.pairs)), key=[*map(spell, self.pairs)].__getitem__))

    def fingerprint(self) -> str:
        """Return a digest of the declaration, to recognise it in a saved state.

        It is the same in every process, whatever the order of the declaration.

        >>> one, other = Domain.of("ab", ["ab"]), Domain.of("ba", ["ba"])
        >>> one.fingerprint() == other.fingerprint() != Domain.of("abc", ["ab"]).fingerprint()
        True
        """
        databases = sorted(map(spell, self.databases))
        pairs = [spell(self.pairs[i]) for i in self.order]
        return hashlib.sha256("\n".join([*databases, "", *pairs]).encode()).hexdigest()


def spell(value: Any) -> str:
    """Return a text that two databases share only if they are the same value of the same type.

    >>> spell(frozenset({2, 1})), spell(("a", 1.5))
    ('frozenset(int:1,int:2)', "tuple(str:'a',float:0x1.8000000000000p+0)")
    """
    kind = type(value)
    if kind in (int, bool, str, bytes, type(None), Fraction):
        return f"{kind.__name__}:{value!r}"
    if kind is float:
        return f"float:{value.hex()}"
    if kind in (tuple, frozenset):
        parts = [*map(spell, value)]
        return f"{kind.__name__}({','.join(parts if kind is tuple else sorted(parts))})"
    raise DomainError(
        "a database in a store must be a number, a text, None, or a tuple or frozenset of these; "
        f"got {value!r}"
    )


def _check_pair(pair: tuple[Database, ...], known: set[Database]) -> None:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise DomainError(f"a pair of neighbours is two different databases; got {pair!r}")
    if unknown := set(pair) - known:
        raise DomainError(f"unknown databases among the neighbours: {unknown!r}")
