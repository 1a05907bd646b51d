"""A number of which only some facts are known, accepted wherever a Fraction is.

With such numbers a filter's own code runs on every number at once.  The functions of the reference
that must treat them in another way are marked with `unknown_answers`, and there the number
answers in their place, by its method of the same name, called with the same arguments.  What it is
made of is no business of the reference: `filterproof_proofs` makes it.
"""

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar, cast

Chances = tuple[Fraction, Fraction]
"""What has a probability under x, and under x′."""

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])


class Unknown(Fraction):
    """A rational number of which only some facts are known.

    It does what a Fraction does, as far as that can be done, and these things of its own.
    """

    __slots__ = ()

    python_type: type
    """The type of the number that it stands for: int, Fraction, float or Decimal."""

    @abstractmethod
    def to_rational(self, value: object) -> Fraction:
        """Answer for `exact.to_rational`: the number itself is one."""

    @abstractmethod
    def is_whole(self, value: object) -> bool:
        """Answer for `filters.parameters.is_whole`."""

    @abstractmethod
    def sign(self, value: object) -> int:
        """Answer for `exact.sign` with what compares with an integer as -1, 0 or 1 would."""

    @abstractmethod
    def exceeds(self, p: Fraction, q: Fraction, epsilon: Any) -> bool:
        """Answer for `exact.exceeds`: one of the three is not known."""

    @abstractmethod
    def exceeding(
        self, rows: list[Chances], w: Fraction, w_: Fraction, epsilon: Any
    ) -> list[Chances]:
        """Answer for `privacy.exceeding`: all rows, with zeros where one would be left out."""

    @abstractmethod
    def by_cases(self, epsilon: Any, function: Callable[..., Value], *arguments: object) -> Value:
        """Answer for `filters.common.by_cases`: a pure function's cases in one number."""


def unknown_answers(*positions: int) -> Callable[[Function], Function]:
    """Let an unknown number answer in a function's place, by its method of the same name.

    The arguments at these positions are looked at: each a number, or an ε = log(number).
    """

    def decorate(known: Function) -> Function:
        @wraps(known)
        def answer(*arguments: Any) -> Any:
            for position in positions:
                one = arguments[position]
                if type(one) is Fraction:
                    continue
                number = getattr(one, "argument", one)  # that of a `Log`
                if isinstance(number, Unknown):
                    return getattr(number, known.__name__)(*arguments)
            return known(*arguments)

        return cast("Function", answer)

    return decorate
