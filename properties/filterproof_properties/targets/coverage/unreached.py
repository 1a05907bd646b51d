"""What of a target's own code was never run, in lines that a person can look up."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from filterproof_properties.targets.coverage.marks import FALSE, LINE, Mark
from filterproof_properties.targets.coverage.own_code import OwnFile

NEVER_FALSE = "the condition was never false"
ONE_SIDE = "a part of an expression"


@dataclass(frozen=True)
class Unreached:
    """Lines of one function that were never run, or one way out of a line that was."""

    file: str
    first: int
    last: int
    function: str
    whole: bool = False
    way: str = ""

    def __str__(self) -> str:
        lines = f"line {self.first}"
        if self.last > self.first:
            lines = f"lines {self.first} to {self.last}"
        inside = f"def {self.function}" if self.whole else f"in {self.function}"
        return f"{lines} ({inside}{'; ' if self.way else ''}{self.way})"


@dataclass(frozen=True)
class Coverage:
    """The files of a target, and which of their marks were set, a bit for each."""

    files: tuple[OwnFile, ...] = ()
    reached: int = field(default=0, repr=False)

    @property
    def marks(self) -> list[tuple[OwnFile, Mark, bool]]:
        """Every mark, with its file, and whether it was set."""
        every = [(file, mark) for file in self.files for mark in file.marks]
        return [(*one, bool(self.reached >> i & 1)) for i, one in enumerate(every)]

    def lines(self) -> tuple[int, int]:
        """Return how many lines were run, and of how many."""
        lines = [on for _, mark, on in self.marks if mark.kind == LINE]
        return sum(lines), len(lines)

    def unreached(self) -> tuple[Unreached, ...]:
        """Return what was never run, in the order of the files and lines."""
        found = []
        for file, some in groupby(self.marks, key=lambda one: one[0]):
            pairs = [(mark, on) for _, mark, on in some]
            each = sorted(pairs, key=lambda one: (one[0].function, one[0].first))
            for function, inside in groupby(each, key=lambda one: one[0].function):
                found += [*_in_function(file.path, function, [*inside])]
        return tuple(sorted(found, key=lambda one: (one.file, one.first, one.last)))


def _in_function(path: str, function: str, marks: list[tuple[Mark, bool]]) -> Iterator[Unreached]:
    lines = [(mark, on) for mark, on in marks if mark.kind == LINE]
    run = {mark.first for mark, on in lines if on}
    for on, some in groupby(lines, key=lambda one: one[1]):
        if not on:
            span = [mark for mark, _ in some]
            last = max(mark.last for mark in span)
            yield Unreached(path, span[0].first, last, function, whole=not run)
    for mark, on in marks:
        if mark.kind != LINE and not on and (mark.first in run or not lines):
            way = NEVER_FALSE if mark.kind == FALSE else ONE_SIDE
            yield Unreached(path, mark.first, mark.last, function, way=way)


def words(unreached: tuple[Unreached, ...], most: int = 8) -> str:
    """Say in one line what was never reached; nothing if all of it was.

    >>> words((Unreached("shop.py", 41, 43, "Budget.refund", True),))
    'lines 41 to 43 (def Budget.refund) were never reached'
    """
    if not unreached:
        return ""
    files = len({one.file for one in unreached}) > 1
    said = [f"{one.file}: {one}" if files else str(one) for one in unreached[:most]]
    more = [f"{len(unreached) - most} more places"] if len(unreached) > most else []
    single = len(said) == 1 and not more and unreached[0].first == unreached[0].last
    return f"{', '.join([*said, *more])} {'was' if single else 'were'} never reached"
