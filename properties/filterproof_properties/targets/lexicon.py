"""What was sent once and goes by a number since then: likelihoods, and histories.

An audit and a target keep a lexicon for each filter, and the two stay the same: what one side adds
is in its next message, and the other side learns it in that order.  A search asks many questions
at one position, so most of them name what is known.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from filterproof.exact import format_rational, parse_rational
from filterproof.game import History
from filterproof.game.law import Database

Likelihoods = Mapping[Database, Fraction]
News = dict[str, Any]


class Lexicon:
    """Likelihoods and histories by number; either side of a line may add to it."""

    def __init__(self, *, anew: bool = False) -> None:
        self.masses: list[Likelihoods] = []
        self.histories: list[History] = [()]
        self._of_mass: dict[tuple[tuple[Database, str], ...], int] = {}
        self._of_history: dict[History, int] = {(): 0}
        self._met: dict[int, tuple[object, int]] = {}  # by identity, which spares a comparison
        self._new: News = {"anew": True} if anew else {}

    def __len__(self) -> int:
        return len(self.masses) + len(self.histories) + len(self._met)

    def news(self) -> News:
        """Return what was added here since the last time, as it is sent."""
        news, self._new = self._new, {}
        return news

    def learn(self, masses: Iterable[Any], histories: Iterable[Sequence[Any]]) -> None:
        """Take over what the other side has added, by the same numbers."""
        for one in masses:
            key = tuple(one.items())
            _numbered(self._of_mass, key)
            self.masses.append(MappingProxyType({x: whole(m) for x, m in key}))
        for before, request, output in histories:
            history = (*self.histories[before], (request, output))
            _numbered(self._of_history, history)
            self.histories.append(history)

    def mass(self, mass: Likelihoods) -> int:
        """Return the number of these likelihoods; new ones get the next."""
        if (met := self._met.get(id(mass))) is not None:
            return met[1]
        key = tuple((x, format_rational(m)) for x, m in mass.items())
        if (number := self._of_mass.get(key)) is None:
            number = self._of_mass[key] = len(self.masses)
            self.masses.append(mass)
            self._new.setdefault("masses", []).append(dict(key))
        self._met[id(mass)] = mass, number
        return number

    def history(self, history: History) -> int:
        """Return the number of a history; its beginnings that are new get theirs first."""
        if (met := self._met.get(id(history))) is not None:
            return met[1]
        known = len(history)
        while (number := self._of_history.get(history[:known])) is None:
            known -= 1
        for length in range(known, len(history)):
            self._new.setdefault("histories", []).append([number, *history[length]])
            number = self._of_history[history[: length + 1]] = len(self.histories)
            self.histories.append(history[: length + 1])
        self._met[id(history)] = history, number
        return number


def _numbered(numbers: dict[Any, int], key: Any) -> None:
    if key in numbers:
        raise ValueError(f"{key} has two numbers")
    numbers[key] = len(numbers)


@lru_cache(maxsize=4096)
def whole(text: str) -> Fraction:
    """Read "p" or "p/q" that `format_rational` wrote."""
    return parse_rational(text)
