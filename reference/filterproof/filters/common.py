"""What all filters share: the check of the budget, entries per pair, and halting when undecided."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from math import ceil
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from filterproof.exact import Epsilon, ExpLinear, Log, Undecided, budget, rational
from filterproof.filter import Decision, Filter, parameter_sets
from filterproof.filters.parameters import ParameterError
from filterproof.game import Mechanism, Step
from filterproof.game.law import Output, Pair
from filterproof.unknown import unknown_answers

Kept = TypeVar("Kept")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
PerPair = tuple[Kept | None, ...]
"""One entry per ordered pair of the game; None where x has become impossible."""


@dataclass(frozen=True)
class Open:
    """The last state of a filter that halted because it could not decide: it says why."""

    reason: str


def check_budget(epsilon: Epsilon, delta: Fraction) -> None:
    """Refuse a budget that is no budget, by name."""
    budget(epsilon)
    if not 0 <= rational(delta) <= 1:
        raise ParameterError(f"need 0 <= delta <= 1; got {delta}")


def real(iv: Any, number: Epsilon) -> Any:
    """Return a rational or a `Log` as an interval of the context."""
    if isinstance(number, Log):
        return iv.log(real(iv, number.argument)) if number.argument != 1 else iv.mpf(0)
    return iv.mpf(number.numerator) / iv.mpf(number.denominator)


def multiple(epsilon: Epsilon, times: int) -> Epsilon:
    """Return times·ε as a budget of the same kind.

    >>> multiple(Log(Fraction(3)), 2), multiple(Fraction(1, 2), 2)
    (Log(argument=Fraction(9, 1)), Fraction(1, 1))
    """
    return Log(epsilon.argument**times) if isinstance(epsilon, Log) else epsilon * times


def continue_if(fits: Callable[[], bool], state: Kept) -> tuple[Decision, Kept | Open]:
    """Continue with `state` if it fits, halt if not, and halt on record if that stays open."""
    try:
        return (Decision.CONTINUE if fits() else Decision.HALT), state
    except Undecided as error:
        return Decision.HALT, Open(str(error))


def same_for_each_pair(step: Step, entry: Kept) -> PerPair[Kept]:
    """Return the entries before the first round: the same one for every pair."""
    return (entry,) * len(step.game.pairs)


def possible_pairs(entries: PerPair[Kept], step: Step) -> list[tuple[int, Pair, Kept]]:
    """Return (position, pair, entry) for the pairs under whose x the history is possible."""
    pairs = enumerate(step.game.pairs)
    return [(i, pair, entry) for i, pair in pairs if (entry := entries[i]) is not None]


def survivors(entries: PerPair[Kept], step: Step, y: Output) -> PerPair[Kept]:
    """Forget the pairs under whose x the output y is impossible, so that equal plays are equal."""
    row = step.mechanism.law[y]
    pairs = zip(entries, step.game.pairs, strict=True)
    return tuple(entry if row[x] else None for entry, (x, _) in pairs)


def matches_possible_pairs(entries: PerPair[Kept], step: Step) -> bool:
    """Return whether there is an entry for exactly the pairs whose x is still possible."""
    pairs = zip(entries, step.game.pairs, strict=True)
    return all((entry is None) == (not step.mass[x]) for entry, (x, _) in pairs)


def ceiling(value: ExpLinear) -> int:
    """Return the smallest integer that is not below a + b·e^ε.

    >>> ceiling(ExpLinear(0, 1, Fraction(1))), ceiling(ExpLinear(2, 0, Fraction(1)))
    (3, 2)
    """
    bits = 64
    low, high = value.enclosure(bits)
    while ceil(low) != ceil(high):  # ends: with b ≠ 0 the value is no integer
        bits *= 2
        low, high = value.enclosure(bits)
    return ceil(low)


@unknown_answers(0)
def by_cases(epsilon: Epsilon, function: Callable[..., ExpLinear], *arguments: object) -> ExpLinear:
    """Return function(*arguments), a pure function; where ε is unknown, all cases in one number."""
    return function(*arguments)


def per_mechanism(cost: Callable[[Mechanism, Key], Value]) -> Callable[[Mechanism, Key], Value]:
    """Compute a mechanism's cost once per key, and forget it together with the mechanism."""
    known: WeakKeyDictionary[Mechanism, dict[Key, Value]] = WeakKeyDictionary()

    @wraps(cost)
    def remembered(mechanism: Mechanism, key: Key, /) -> Value:
        costs = known.setdefault(mechanism, {})
        if key not in costs:
            costs[key] = cost(mechanism, key)
        return costs[key]

    return remembered


@dataclass(frozen=True)
class Wrapped:
    """A target made of another one: wrap(inner filter, ε), with the inner one's parameters."""

    wrap: Callable[[Filter[Any], Epsilon], Filter[Any]]
    target: Callable[..., Filter[Any]]

    def __call__(self, epsilon: Epsilon, delta: Fraction, **parameters: Any) -> Filter[Any]:
        """Return the wrapped filter for a budget."""
        return self.wrap(self.target(epsilon, delta, **parameters), epsilon)

    def parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, Any]]:
        """Return what the inner target wants to be tried with."""
        return parameter_sets(self.target, epsilon, delta, depth)
