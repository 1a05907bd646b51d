"""The sign of a number that is not known."""

from typing import Any


class Sign:
    """The sign of a term: it compares with an integer as -1, 0 or 1 would."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __lt__(self, other: int) -> bool:
        return self._at_most(other - 1)

    def __le__(self, other: int) -> bool:
        return self._at_most(other)

    def __gt__(self, other: int) -> bool:
        return not self._at_most(other)

    def __ge__(self, other: int) -> bool:
        return not self._at_most(other - 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, float)):
            return NotImplemented
        return self._at_most(other) and not self._at_most(other - 1)

    def __bool__(self) -> bool:
        return bool(self.of)

    def __mul__(self, other: int) -> "Sign | int":
        if other == 0:
            return 0
        return self if other > 0 else Sign(-self.of)

    __rmul__ = __mul__

    def __neg__(self) -> "Sign":
        return Sign(-self.of)

    def __hash__(self) -> int:
        raise self.of.run.stuck("a sign that is not known is used as a key")

    def _at_most(self, bound: Any) -> bool:
        if type(bound) is not int:
            raise self.of.run.stuck("a sign that is not known is compared with no integer")
        if bound < -1 or bound >= 1:
            return bound >= 1
        return bool(self.of < 0 if bound == -1 else self.of <= 0)
