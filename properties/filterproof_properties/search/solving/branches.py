"""Explores code on unknown numbers, the sides of its branches first that were never taken.

A proof has to see every path; here a few hundred are enough, if each of them is another one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import z3

from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.symbolic.paths import Case, Limits, TooMuch, linear_solver

Value = TypeVar("Value")
Side = tuple[str, int, bool]
"""A line, which question of this line it is, and the answer."""
EFFORT = 2_000_000
"""Z3's resource units for one question for numbers; units, not seconds, so it always ends alike."""
MARGIN = z3.Q(1, 2**34)
"""What is larger is so by this much, so that no rounding turns it round."""


class Branches(Doubles):
    """Explores code in exact arithmetic; it knows which sides and lines were met before."""

    def __init__(self) -> None:
        self.lines, self.new = set[str](), False
        self._where, self._number = "", 0
        self._met = Counter[Side]()
        self._open: dict[tuple[bool, ...], Side] = {}
        super().__init__(Limits(), ideal=True)

    @property
    def where(self) -> str:
        """The line that is interpreted now."""
        return self._where

    @where.setter
    def where(self, line: str) -> None:
        self._where, self._number = line, 0
        self.new = self.new or line not in self.lines
        self.lines.add(line)

    def paths(self, function: Callable[[], Value], most: int) -> Iterator[Case[Value]]:
        """Yield what a function does on so many of its paths, at most; others than before first."""
        self._open.clear()
        try:
            for number, case in enumerate(self._explore(function), 1):
                yield case
                if number == most:
                    return
        except TooMuch:
            return

    def first_side(self) -> bool:
        """Return the side of this question that was met less often."""
        one = self._where, self._number
        return self._met[(*one, True)] <= self._met[(*one, False)]

    def next_path(self, todo: list[tuple[bool, ...]]) -> int:
        """Return the path whose last side was met least; of equal ones the oldest."""
        return min(range(len(todo)), key=lambda at: (self._met_at(todo[at]), at))

    def _met_at(self, path: tuple[bool, ...]) -> int:
        return self._met[self._open[path]] if path in self._open else 0

    def _fork(self, frame: Any, condition: Any) -> bool:
        one = self._where, self._number
        side = super()._fork(frame, condition)
        self._number += 1
        self.new = self.new or not self._met[(*one, side)]
        self._met[(*one, side)] += 1
        if frame.todo:
            self._open.setdefault(frame.todo[-1], (*one, not side))
        return side


def numbers_for(conditions: list[Any]) -> Any:
    """Return a model of some conditions, if it can be with room for rounding; None without one."""
    for some in ([with_margin(one) for one in conditions], conditions):
        quick = linear_solver()
        quick.add(*some)
        said = str(quick.check())
        if said == "unsat":
            continue
        if said == "sat" and _holds(quick.model(), some):
            return quick.model()
        solver = z3.Solver()
        solver.set("rlimit", EFFORT)
        solver.add(*some)
        if str(solver.check()) == "sat":
            return solver.model()
    return None


def _holds(model: Any, formulas: list[Any]) -> bool:
    return all(z3.is_true(model.eval(one, True)) for one in formulas)


def with_margin(condition: Any) -> Any:
    """Return a comparison with more room; what is no comparison, or an equation, as it is."""
    negated = z3.is_not(condition)
    inner = condition.arg(0) if negated else condition
    if z3.is_le(inner) or z3.is_lt(inner):
        low, high = inner.children()
    elif z3.is_ge(inner) or z3.is_gt(inner):
        high, low = inner.children()
    else:
        return condition
    return high + MARGIN <= low if negated else low + MARGIN <= high
