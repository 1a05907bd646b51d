"""What an unknown number asks of the run that it belongs to, and how a run ends early."""

from collections.abc import Callable
from typing import Any, Protocol

from filterproof.exact import ExpLinear


class NeedsKnown(BaseException):
    """The code needs a known number where there is none; no `except Exception` may hide it."""


class Unsupported(NeedsKnown):
    """The code does something that is not interpreted: the message names file and line."""


class Run(Protocol):
    """What a term asks: which side of a comparison is taken, and for names of new numbers."""

    at_the_door: bool

    def branch(self, condition: Any) -> bool:
        """Return which side this run takes, and remember it."""
        ...

    def assume(self, condition: Any) -> None:
        """Go on only where the condition holds."""
        ...

    def quotient(self, above: Any, below: Any) -> Any:
        """Return a number that is above/below wherever below is not 0."""
        ...

    def whole(self, term: Any, up: bool) -> Any:
        """Return a number that lies where the term rounded to an integer lies."""
        ...

    def named(self, term: Any) -> Any:
        """Return a number that is equal to the term, and short."""
        ...

    def nearest(self, term: Any) -> Any:
        """Return a number at most 1/2 away from the term."""
        ...

    def rounded(self, exact: Any, kind: type) -> Any:
        """Return the float or Decimal that an operation gives whose exact value is known."""
        ...

    def merged(self, function: Callable[[], ExpLinear]) -> ExpLinear:
        """Return the value of a pure function, all its cases in one number."""
        ...

    def stuck(self, reason: str) -> NeedsKnown:
        """Remember that the run cannot go on, and return the error to raise."""
        ...
