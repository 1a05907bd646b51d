"""Make the calls of an entry on its class, and add up in exact numbers what was granted."""

import datetime
import importlib
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from fractions import Fraction
from math import comb, erfc, exp, prod, sqrt
from typing import Any
from unittest.mock import patch

from corpus.blind.fifth.base import Case, Step

BEGUN = 1_700_000_000.0
CLEARLY = Fraction(6, 5)
"""An excess counts from here on; of a delta, from twice the budget on."""


class Failed(Exception):
    """A mechanism failed."""


class Clock:
    """The time, which only passes when it is told to."""

    def __init__(self) -> None:
        self.now = BEGUN

    def seconds(self) -> float:
        return self.now


@contextmanager
def told(case: Case, clock: Clock) -> Iterator[None]:
    """Let a class read this clock in place of its own."""
    if not case.clock:
        yield
        return
    if case.clock == "datetime.datetime.now":

        class Then(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> Any:
                return datetime.datetime.fromtimestamp(clock.now, tz)

        module = importlib.import_module(case.made.__module__)
        with patch.object(module, "datetime", Then):
            yield
    else:
        with patch.object(time, case.clock.removeprefix("time."), clock.seconds):
            yield


class Played:
    """A fresh object, and what it has granted so far: by object and part of the data."""

    def __init__(self, case: Case, clock: Clock) -> None:
        self.case, self.clock = case, clock
        self.object = case.made(*case.budget)
        self.others: list[Any] = []
        self.granted: dict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def make(self, step: Step) -> bool:
        """Make one step; return whether it was granted."""
        if step.opens:
            self.others.append(self.case.made(*self.case.budget))
            return True
        self.clock.now += step.seconds
        if not step.method:
            return True
        try:
            result = self.call(step)
        except Exception:
            return False
        if not step.costs:
            return True
        if not self.case.granted(result):
            return False
        self.granted[step.part].append(step.costs)
        if isinstance(result, self.case.made):
            self.object = result
        return True

    def call(self, step: Step) -> Any:
        if step.check and getattr(self.object, step.check)(*step.args) is False:
            return False
        result = getattr(self.object, step.method)(*step.args)
        if not isinstance(result, AbstractContextManager):
            return result
        entered = result.__enter__()
        if step.fails:
            failure = Failed()
            with suppress(Failed):
                result.__exit__(Failed, failure, None)
        else:
            result.__exit__(None, None, None)
        return entered

    def excess(self) -> list[Fraction]:
        """How many times the budget was granted, at the worst part: coordinate by coordinate."""
        case = self.case
        most = [Fraction(0)] * len(case.limit)
        for costs in self.granted.values():
            most = [max(a, b) for a, b in zip(most, ratios(case, costs), strict=True)]
        return most

    def clear(self) -> bool:
        """Whether more than the budget was granted, clearly."""
        found = self.excess()
        if self.case.theory in ("sum", "squares"):
            return found[0] >= CLEARLY or any(one >= 2 for one in found[1:])
        if self.case.theory == "orders":
            return all(one >= CLEARLY for one in found)
        return found[1] >= 2


def ratios(case: Case, costs: list[tuple[Any, ...]]) -> list[Fraction]:
    """What was granted, as a share of the budget."""
    limit = [Fraction(one) for one in case.limit]
    if case.theory == "orders":
        costs = [one[0] for one in costs]
    if case.theory in ("responses", "gaussians"):
        paid = [Fraction(one[0]) for one in costs]
        left = responses(paid, case.limit[0]) if case.theory == "responses" else None
        delta = gaussians(float(sum(paid)), case.limit[0]) if left is None else left
        return [Fraction(0), delta / limit[1]]
    power = 2 if case.theory == "squares" else 1
    columns = zip(*costs, strict=True)
    found = [sum((Fraction(one) ** power for one in column), Fraction(0)) for column in columns]
    found += [Fraction(0)] * (len(limit) - len(found))
    return [one / most**power for one, most in zip(found, limit, strict=True)]


def responses(paid: list[Fraction], epsilon: float) -> Fraction:
    """The delta of randomized responses, all at one epsilon, composed."""
    (each,) = set(paid)
    odds, bound = Fraction(exp(each)), Fraction(exp(epsilon))
    count = len(paid)
    excess = (
        comb(count, k) * max(Fraction(0), odds ** (count - k) - bound * odds**k)
        for k in range(count + 1)
    )
    return sum(excess, Fraction(0)) / prod([1 + odds] * count)


def gaussians(rho: float, epsilon: float) -> Fraction:
    """The delta of Gaussian mechanisms of so much rho in total."""
    mu = sqrt(2 * rho)
    if mu == 0:
        return Fraction(0)

    def tail(x: float) -> float:
        return erfc(x / sqrt(2)) / 2

    return Fraction(tail(epsilon / mu - mu / 2) - exp(epsilon) * tail(epsilon / mu + mu / 2))
