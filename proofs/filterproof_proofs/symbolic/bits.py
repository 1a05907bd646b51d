"""Operators on bits: an int has them, a Fraction raises TypeError."""

from typing import Any

from filterproof.unknown import Unknown
from filterproof_proofs.symbolic.run import Run


class WithoutBits(Unknown):
    """An unknown number whose bits are not known; it says so where Python would read them."""

    __slots__ = ()

    run: Run

    def _bits(self, *_: Any) -> Any:
        if self.python_type is int:
            raise self.run.stuck("the bits of a number that is not known")
        return NotImplemented

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _bits
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _bits

    def __invert__(self) -> Any:
        if self._bits() is NotImplemented:
            raise TypeError(f"bad operand type for unary ~: '{self.python_type.__name__}'")
