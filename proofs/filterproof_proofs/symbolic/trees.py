"""Numbers that have cases, as trees of comparisons."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3


@dataclass(frozen=True)
class Fork:
    """A comparison, and what comes of it on either side."""

    atom: Any
    yes: "Tree"
    no: "Tree"


Tree = Fork | Any
"""Cases of a number: a fork, or a leaf."""


def leaves(tree: Tree) -> Iterator[Any]:
    """Yield what the comparisons lead to."""
    if isinstance(tree, Fork):
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    else:
        yield tree


def reduced(cases: list[tuple[tuple[Any, ...], Any]]) -> Tree:
    """Return the cases of one exploration without the comparisons that make no difference.

    The conditions of the cases are the paths of a binary tree.  A comparison whose two sides come
    to the same, or one of whose sides is impossible, is left out.
    """
    if len(cases) == 1:
        return cases[0][1]
    atom = _atom(cases[0][0][0])
    sides: list[list[tuple[tuple[Any, ...], Any]]] = [[], []]
    for (first, *rest), term in cases:
        sides[z3.is_not(first)].append((tuple(rest), term))
    if not all(sides):
        return reduced(sides[0] or sides[1])
    yes, no = map(reduced, sides)
    return yes if list(ids(yes)) == list(ids(no)) else Fork(atom, yes, no)


def _atom(condition: Any) -> Any:
    return condition.arg(0) if z3.is_not(condition) else condition


def identity(tree: Tree) -> Iterator[Any]:
    """Yield the comparisons and leaves of a tree, in an order that tells it from others."""
    if isinstance(tree, Fork):
        yield tree.atom
        yield from identity(tree.yes)
        yield "else"
        yield from identity(tree.no)
    else:
        yield tree


def ids(tree: Tree) -> Iterator[Any]:
    """Yield what tells a tree from others, as identities of the solver."""
    return (one if isinstance(one, str) else one.get_id() for one in identity(tree))


def product(left: Any, right: Any) -> Any:
    """Return a product as the solver sees it, a factor of 1 left out."""
    if z3.is_rational_value(left) and left.as_fraction() == 1:
        return right
    if z3.is_rational_value(right) and right.as_fraction() == 1:
        return left
    return left * right
