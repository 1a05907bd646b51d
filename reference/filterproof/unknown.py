"""A number of which only some facts are known, accepted wherever a Fraction is.

`exact` passes such numbers through, so that a filter's own code runs on every number at once.  What
they are made of is no business of the reference: `filterproof_proofs.symbolic` makes them.
"""

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

Chances = tuple[Fraction, Fraction]
"""What has a probability under x, and under x′."""

Value = TypeVar("Value")


class Unknown(Fraction):
    """A rational number of which only some facts are known.

    It does what a Fraction does, as far as that can be done, and these three things of its own.
    """

    __slots__ = ()

    @abstractmethod
    def sign(self) -> int:
        """Return something that compares with an integer as -1, 0 or 1 would."""

    @abstractmethod
    def where(self, reached: Chances, taken: Chances) -> Chances:
        """Return `taken` if p > self·q for (p, q) = `reached`, else zeros, as two numbers."""

    @abstractmethod
    def by_cases(self, function: Callable[..., Value], *arguments: object) -> Value:
        """Return a pure function's value, all its cases in one number."""
