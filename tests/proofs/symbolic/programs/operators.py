"""Small programs about operators and descriptors of a class's own, run and interpreted."""

from functools import total_ordering
from typing import Any


@total_ordering
class Weight:
    def __init__(self, grams: int) -> None:
        self.grams = grams

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weight) and self.grams == other.grams

    def __le__(self, other: Any) -> Any:
        return self.grams <= other.grams if isinstance(other, Weight) else NotImplemented

    def __iadd__(self, other: int) -> Any:
        if other < 0:
            return NotImplemented
        self.grams += other
        return self

    def __add__(self, other: int) -> "Weight":
        return Weight(0)


class Heavier(Weight):
    def __hash__(self) -> int:
        return 7


def operators() -> Any:
    one, two, same = Weight(1), Weight(2), Weight(1)
    found: list[Any] = [
        (a < b, a <= b, a > b, a >= b, a != b) for a in (one, two) for b in (one, two, same)
    ]
    held = one
    held += 4
    found += [held is one, one.grams]
    held += -1
    found += [held is one, held.grams, len({Heavier(3): 1})]
    try:
        found.append(one < 3)
    except TypeError:
        found.append("TypeError")
    return found


class Doubled:
    def __set_name__(self, owner: type, name: str) -> None:
        self.at = "_" + name + owner.__name__

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return "the class" if obj is None else getattr(obj, self.at)

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj, self.at, 2 * value)


class Always:
    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return "always"


class Described:
    twice, once = Doubled(), Always()

    def __init__(self) -> None:
        self.twice = 3


def descriptors() -> Any:
    made = Described()
    found = [made.twice, Described.twice, made.once, Described.once, made._twiceDescribed]  # type: ignore[attr-defined]
    made.once = 5  # type: ignore[assignment]
    made.twice += 1
    found += [made.once, made.twice]
    del made.once
    try:
        del made.twice
    except AttributeError as error:
        found.append(type(error).__name__)
    return [*found, made.once]


PROGRAMS = (operators, descriptors)
