"""What is known exactly of every pair, beside the doubles: its loss, and what it was charged.

Doubles that are rounded outward would refuse the last of ten slices of a tenth.  So the loss of a
pair is also kept as r + log s, with r and s rational, and its charges as a + b·e^ε, as long as
every round has such numbers: tables, and noise whose loss has a largest value.  They decide where
the doubles alone would say that a round costs something: one whose largest loss does not lead
beyond ε costs nothing, and what a table costs is computed.

Many pairs have the same numbers: each state is kept once, and `which` says which one is a pair's.
What is not known, or too long, is None, and then the doubles decide, as upper bounds do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np

from filterproof.directed_rounding import Exact, ball, ball_ends, double_up
from filterproof.exact import Epsilon, ExpLinear, Log

Places = np.ndarray[Any, np.dtype[np.int64]]
Which = np.ndarray[Any, np.dtype[np.int64]]

MAX_BITS = 8192
"""Longer numbers are given up: each round would make them longer still."""

MAX_STATES = 4096
"""How many different states are kept; with more of them a round would take long."""

FEW = 32
"""So few pairs are grouped sooner in Python than in arrays; the groups are the same."""

FAR = 20_000
"""No r beyond this is made up for by a log s of `MAX_BITS`, and no ε is as large."""


@dataclass(frozen=True)
class Loss:
    """A loss r + log s; only an upper bound of it unless it is `sharp`.

    >>> Loss(Fraction(1, 2)) + Loss(odds=Fraction(3))
    Loss(plain=Fraction(1, 2), odds=Fraction(3, 1), sharp=True)
    """

    plain: Fraction = Fraction(0)
    odds: Fraction = Fraction(1)
    sharp: bool = True

    def __add__(self, other: "Loss") -> "Loss":
        sharp = self.sharp and other.sharp
        return Loss(self.plain + other.plain, self.odds * other.odds, sharp)

    def within(self, epsilon: Epsilon) -> bool:
        """Return whether r + log s <= ε: exactly, also where both are the same.

        A logarithm of a rational other than 1 is no rational, so refining ends.

        >>> Loss(Fraction(1)).within(Fraction(1)), Loss(odds=Fraction(3)).within(Fraction(1))
        (True, False)
        """
        if isinstance(epsilon, Log):
            r, s = self.plain, self.odds / epsilon.argument
        else:
            r, s = self.plain - epsilon, self.odds
        if s == 1 or r == 0 or abs(r) > FAR:
            return s <= 1 if r == 0 else r < 0
        return _sign_of_sum(r, s) < 0

    def short(self) -> bool:
        """Return whether the numbers are short enough to go on with."""
        return _bits(self.plain) <= MAX_BITS and _bits(self.odds) <= MAX_BITS


def _sign_of_sum(r: Fraction, s: Fraction) -> int:
    """Return the sign of r + log s, which is not 0."""
    bits = 64
    while True:
        low, high = ball_ends(lambda: ball(r) + ball(s).log(), bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


class State(NamedTuple):
    """What is known exactly of a pair: None where nothing is."""

    loss: Loss | None
    spent: ExpLinear | None


class ExactRound(Protocol):
    """What the exact account asks of a mechanism."""

    @property
    def kinds(self) -> Which:
        """Return a number per pair; the mechanism treats pairs with the same number alike."""
        ...

    def largest(self, place: int) -> Loss | None:
        """Return what the loss of the pair at a place cannot exceed; None if nothing."""
        ...

    def exact_charge(self, place: int, loss: Loss, epsilon: Epsilon) -> ExpLinear | None:
        """Return what the round costs the pair at a place, after this loss; None if unknown."""
        ...


@dataclass(frozen=True, eq=False)
class ExactAccount:
    """The states that occur, and which of them is each pair's."""

    which: Which
    states: tuple[State, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactAccount) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def reserved(self, mechanism: ExactRound) -> "ExactAccount | None":
        """Return the account when a round's output is not known: its largest loss is assumed."""

        def change(place: int) -> State:
            loss, spent = self.state(place)
            return State(_sum(loss, _unsharp(mechanism.largest(place))), spent)

        return _change_each_once(change, self.which, mechanism.kinds)

    def charged(self, at: Places, mechanism: ExactRound, epsilon: Epsilon) -> "ExactAccount | None":
        """Return the account after a round that the doubles charge the pairs at some places."""
        asked = np.zeros(len(self.which), dtype=np.int64)
        asked[at] = 1

        def change(place: int) -> State:
            loss, spent = self.state(place)
            if not asked[place]:
                return State(loss, spent)
            return State(loss, _total(spent, _charge(mechanism, place, loss, epsilon)))

        return _change_each_once(change, self.which, mechanism.kinds, asked)

    def settled(
        self, before: "ExactAccount", kinds: Which, losses: list[Loss | None]
    ) -> "ExactAccount | None":
        """Return the account once the output is known: the losses of `before` and those of it."""

        def change(place: int) -> State:
            return State(_sum(before.state(place).loss, losses[kinds[place]]), self.spent(place))

        return _change_each_once(change, before.which, self.which, kinds)

    def state(self, place: int) -> State:
        """Return what is known of the pair at a place."""
        return self.states[int(self.which[place])]

    def spent(self, place: int) -> ExpLinear | None:
        """Return what the pair at a place was charged; None if that is not known."""
        return self.state(place).spent

    def upper_spent(self, places: Places, otherwise: Any) -> Any:
        """Return doubles not below what was charged; `otherwise` where that is not known."""
        ends = [np.nan if one.spent is None else _double_up(one.spent) for one in self.states]
        found = np.array(ends)[self.which[places]]
        return np.where(np.isnan(found), otherwise, found)

    def key(self) -> tuple[bytes, tuple[State, ...]]:
        """Return what two accounts share only if they are the same."""
        return self.which.tobytes(), self.states


def bound(largest: Exact | None) -> Loss | None:
    """Return a rational upper bound as a loss; None if there is none."""
    return None if largest is None else Loss(Fraction(largest), sharp=False)


def nothing_lost(pairs: int, epsilon: Epsilon | None) -> ExactAccount | None:
    """Return the account before the first round; None for an ε beyond what is computed with."""
    if epsilon is None:
        return None
    first = State(Loss(), ExpLinear(0, 0, epsilon))
    return ExactAccount(np.zeros(pairs, dtype=np.int64), (first,))


def _charge(
    mechanism: ExactRound, place: int, loss: Loss | None, epsilon: Epsilon
) -> ExpLinear | None:
    """Return what a round costs: nothing where its largest loss does not lead beyond ε."""
    if loss is None:
        return None
    largest = mechanism.largest(place)
    if largest is not None and (loss + largest).within(epsilon):
        return ExpLinear(0, 0, epsilon)
    return mechanism.exact_charge(place, loss, epsilon)


def _change_each_once(change: Callable[[int], State], *columns: Which) -> ExactAccount | None:
    """Return the account with each state changed once, numbered by first occurrence.

    Pairs that share all columns share their state.  None where too many states differ, or
    where nothing is known of any.
    """
    codes = columns[0]
    for column in columns[1:]:
        codes = codes * (int(column.max()) + 1) + column
    first, which = _groups(codes)
    numbers: dict[State, int] = {}
    names = np.empty(len(first), dtype=np.int64)
    for i, place in enumerate(first):
        names[i] = numbers.setdefault(change(place), len(numbers))
        if len(numbers) > MAX_STATES:
            return None
    if numbers.keys() == {State(None, None)}:
        return None
    return ExactAccount(names[which], tuple(numbers))


def _groups(codes: Which) -> tuple[list[int], Which]:
    """Return the first place of every code, in this order, and which of them is each place's."""
    if len(codes) <= FEW:
        numbers: dict[int, int] = {}
        which = [numbers.setdefault(code, len(numbers)) for code in codes.tolist()]
        return [which.index(number) for number in range(len(numbers))], np.array(which)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order].tolist(), np.argsort(order)[inverse]


def _unsharp(loss: Loss | None) -> Loss | None:
    return None if loss is None else Loss(loss.plain, loss.odds, sharp=False)


def _sum(one: Loss | None, other: Loss | None) -> Loss | None:
    if one is None or other is None:
        return None
    total = one + other
    return total if total.short() else None


def _total(spent: ExpLinear | None, more: ExpLinear | None) -> ExpLinear | None:
    if spent is None or more is None:
        return None
    total = spent + more
    return total if max(_bits(total.a), _bits(total.b)) <= MAX_BITS else None


def _double_up(value: ExpLinear) -> float:
    return double_up(value.enclosure(128)[1])
