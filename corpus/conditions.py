"""Code that errs only where several things come together, each with a sound twin.

What takes the branch is written in the code: a conjunction, a threshold on a sum, a product, a
part of the data, a number of rounds.  Sampling from outside meets it by luck, if at all.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, exceeds
from filterproof.game import Step


@dataclass(frozen=True)
class Pair:
    """A wrong target and its sound twin, and the words for the calls of a ledger."""

    wrong: type
    sound: type
    words: str = ""

    def spec(self, *, sound: bool = False) -> str:
        """What one types to audit one of the two."""
        chosen = self.sound if sound else self.wrong
        return " ".join(filter(None, [f"{__name__}:{chosen.__name__}", self.words]))


PURE, APPROX = "--open (epsilon) --spend spend(epsilon)", "--spend spend(epsilon,delta)"


class SumAndTurn:
    """Every seventh request or so is free, once a third of the budget is spent."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent = epsilon, 0.0
        self.history: list[float] = []

    def spend(self, epsilon: float) -> bool:
        self.history.append(epsilon)
        if self.spent > 0.371 * self.total and len(self.history) % 7 == 3:
            return self.special(epsilon)
        return self.book(epsilon)

    def special(self, epsilon: float) -> bool:
        return True

    def book(self, epsilon: float) -> bool:
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class SumAndTurnBooked(SumAndTurn):
    """The same requests are booked like all others."""

    def special(self, epsilon: float) -> bool:
        return self.book(epsilon)


class Product:
    """A request is free where it is small, but not beside what was spent: a thin strip."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.spent = self.leaked = 0.0

    def spend(self, epsilon: float, delta: float) -> bool:
        size = epsilon / self.epsilon
        part = self.spent / self.epsilon
        if 0.2475 < part * size < 0.2476 and part + 2 * size < 1.4143:
            return self.special(epsilon, delta)
        return self.book(epsilon, delta)

    def special(self, epsilon: float, delta: float) -> bool:
        return True

    def book(self, epsilon: float, delta: float) -> bool:
        if self.spent + epsilon > self.epsilon or self.leaked + delta > self.delta:
            return False
        self.spent += epsilon
        self.leaked += delta
        return True


class ProductBooked(Product):
    """The same requests are booked like all others."""

    def special(self, epsilon: float, delta: float) -> bool:
        return self.book(epsilon, delta)


class Regions:
    """Regions are disjoint parts of the data; a full one is cleaned when another one is used."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent: dict[str, float] = defaultdict(float)

    def spend(self, epsilon: float, region: str) -> bool:
        if self.spent[region] + epsilon > self.total:
            return False
        self.spent[region] += epsilon
        for other in [one for one in self.spent if one != region]:
            if self.spent[other] > 0.83 * self.total:
                self.clean(other)
        return True

    def clean(self, region: str) -> None:
        del self.spent[region]


class RegionsKept(Regions):
    """What is full stays so."""

    def clean(self, region: str) -> None:
        self.spent[region] = self.total


@dataclass(frozen=True)
class Narrow:
    """A filter that books nothing for odds in a narrow band, in some rounds, after some spends."""

    epsilon: Epsilon
    delta: Fraction

    def start(self) -> Any:
        return Fraction(1), Fraction(0)

    def decide(self, state: Any, step: Step) -> Any:
        odds, delta = step.mechanism.declared
        product = state[0] * odds
        narrow = Fraction(1733, 1000) < product < Fraction(1734, 1000)
        if narrow and len(step.history) % 4 == 2 and state[0] > Fraction(6, 5):
            return self.special(state, odds, delta)
        return self.book(state, odds, delta)

    def special(self, state: Any, odds: Fraction, delta: Fraction) -> Any:
        return "continue", (Fraction(1), state[1])

    def book(self, state: Any, odds: Fraction, delta: Fraction) -> Any:
        after = state[0] * odds, state[1] + delta
        if exceeds(after[0], Fraction(1), self.epsilon) or after[1] > self.delta:
            return "halt", state
        return "continue", after


class NarrowBooked(Narrow):
    """The same rounds are booked like all others."""

    def special(self, state: Any, odds: Fraction, delta: Fraction) -> Any:
        return self.book(state, odds, delta)


class Stages:
    """Four stages, each reached by requests of another size; in the last one nothing is booked."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.stage = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        if self.stage == 4:
            return self.special(epsilon)
        if not self.book(epsilon):
            self.stage = 0
            return False
        part = epsilon / self.total
        if self.stage == 0:
            self.stage = 1 if part < 0.02 else 0
        elif self.stage == 1:
            self.stage = 2 if 0.11 < part < 0.16 else 0
        elif self.stage == 2:
            self.stage = 3 if part < 0.02 else 0
        else:
            self.stage = 4 if 0.2 < part < 0.27 else 0
        return True

    def special(self, epsilon: float) -> bool:
        return True

    def book(self, epsilon: float) -> bool:
        if self.spent + epsilon > self.total:
            return False
        self.spent += epsilon
        return True


class StagesBooked(Stages):
    """The same stages, and everything is booked."""

    def special(self, epsilon: float) -> bool:
        return self.book(epsilon)


FOR_SOLVER = (
    Pair(SumAndTurn, SumAndTurnBooked, PURE),
    Pair(Product, ProductBooked, APPROX),
    Pair(Narrow, NarrowBooked),
)
"""A solver finds the branch; so many drawn rows do not."""
FOR_COVERAGE = (Pair(Stages, StagesBooked, PURE),)
"""Stage after stage is reached by varying plays that have reached the stage before."""
PARTS = Pair(Regions, RegionsKept, "--open (epsilon) --spend spend(epsilon,region) --part region")
"""What one part of the data is asked for must not change what another part has spent."""
