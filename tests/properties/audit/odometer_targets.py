"""Odometers that nobody vouches for, as a file that somebody wants to have audited."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

from filterproof import Log, Step


@dataclass(frozen=True)
class Honest:
    """Adds up what pure mechanisms declare; infinite after any other one."""

    epsilon: Any
    delta: Any

    markov: ClassVar[bool] = True

    def start(self) -> Any:
        return Fraction(1)

    def decide(self, state: Any, step: Step) -> tuple[str, Any]:
        odds, delta = step.mechanism.declared
        return "continue", None if state is None or delta else state * odds

    def reported(self, state: Any) -> Any:
        return inf if state is None else Log(state)


class Halved(Honest):
    """Reports half of the odds."""

    def reported(self, state: Any) -> Any:
        return inf if state is None else Log(max(state / 2, Fraction(1)))


class Floating(Honest):
    """Reports a double."""

    def reported(self, state: Any) -> Any:
        return 0.7


class Forgetful(Honest):
    """Forgets to return anything."""

    def reported(self, state: Any) -> Any:
        pass


class Moody(Honest):
    """Reports something else every time."""

    asked: ClassVar[list[int]] = []

    def reported(self, state: Any) -> Any:
        self.asked.append(1)
        return len(self.asked)


class Loud(Honest):
    """Prints while it reports."""

    def reported(self, state: Any) -> Any:
        print("reported")  # noqa: T201
        return super().reported(state)


class Enforcing(Honest):
    """A filter that also reports, and reports nothing at all."""

    def decide(self, state: Any, step: Step) -> tuple[str, Any]:
        odds, delta = step.mechanism.declared
        spent = state * odds
        if delta or spent > 2:
            return "halt", state
        return "continue", spent

    def reported(self, state: Any) -> Any:
        return 0


class Careless(Enforcing):
    """The same, but it never refuses what is pure: no filter, and not audited as an odometer."""

    def decide(self, state: Any, step: Step) -> tuple[str, Any]:
        return ("halt" if step.mechanism.declared.delta else "continue"), state
