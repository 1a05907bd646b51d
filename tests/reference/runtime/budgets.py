"""Budgets on one bit for the tests of stores: what runs, what a run costs, and how it is kept."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from filterproof.runtime import CompensatorFilter, Domain, randomised_response

RESPONSE = randomised_response(Fraction(3, 5), [0, 1])
ONE_BIT = Domain.record([0, 1])
EPSILON, DELTA = Fraction(1, 2), Fraction(2, 5)
KINDS = ("file", "sqlite")


def place(kind: str, folder: Any) -> str:
    """Where a store of this kind lives in a folder."""
    return f"sqlite:{folder}/budget.db" if kind == "sqlite" else f"{folder}/budget"


def guarded(store: Any = None, create: bool = False, **keywords: Any) -> CompensatorFilter:
    """A filter over one bit; by default without a floor, so that charges depend on the answers."""
    keywords = {"share": 0, "domain": ONE_BIT, **keywords}
    return CompensatorFilter(EPSILON, DELTA, store=store, create=create, **keywords)


class Witness:
    """A draw that says whether it ran."""

    ran = 0

    def __call__(self) -> int:
        self.ran += 1
        return 0


def ask_again(guard: CompensatorFilter, draw: Callable[[], int] = lambda: 0) -> int:
    return guard.release(RESPONSE, draw)
