"""What a filter's own `parameters()` offers: each set is proved with its numbers unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import ProtocolError
from filterproof_proofs.potential.driver import offered
from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.machine import Declined
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.paths import Limits
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import BadState, Shape, describe, shape_of

DEPTH = 3
"""The rounds for which a target is asked what it offers."""


@dataclass(frozen=True)
class Offer:
    """One of the sets of parameters that a target offers: its number, and its shapes."""

    program: Program
    number: int
    shapes: tuple[tuple[str, Shape], ...]

    def known(self, epsilon: Epsilon, delta: Fraction) -> dict[str, Any]:
        """Return the set that is offered for a budget."""
        sets = offered(self.program, epsilon, delta, DEPTH, Limits())
        if self.number >= len(sets) or shapes_of(sets[self.number]) != self.shapes:
            raise Declined("parameters() offers something else for this budget")
        return sets[self.number]

    def unknown(self, run: Doubles, epsilon: Epsilon) -> dict[str, Any]:
        """Return the set with numbers of which nothing is known but their types."""
        numbers = count()
        return {
            name: fill(shape, lambda kind: run.given(f"parameter {next(numbers)}", kind), epsilon)
            for name, shape in self.shapes
        }

    def __str__(self) -> str:
        said = [f"{name} = {describe(shape)}" for name, shape in self.shapes]
        return f"parameters as offered: {', '.join(said) or 'none'} (#: any number)"


def shapes_of(given: Mapping[str, Any]) -> tuple[tuple[str, Shape], ...]:
    """Return the shapes of a set of parameters."""
    return tuple((name, shape_of(value)) for name, value in given.items())


def offers(program: Program) -> list[Offer]:
    """Return what a target offers, sets of the same shapes once; BadState where it cannot be read.

    A target without `parameters()` offers one set, the empty one.
    """
    try:
        sets = offered(program, Fraction(1), Fraction(1, 10), DEPTH, Limits())
    except ProtocolError as error:
        raise BadState(str(error)) from None
    found: dict[tuple[tuple[str, Shape], ...], Offer] = {}
    for number, one in enumerate(sets):
        found.setdefault(shapes_of(one), Offer(program, number, shapes_of(one)))
    return list(found.values())
