"""A guard for training loops: it charges a step before the step runs, and refuses what exceeds.

Noise and sampling may be chosen anew for every step, from what earlier steps have released.  What
is charged is the Rényi divergence of the step at *one* order, fixed when the guard is made (the
filter `rdp-tight`): taking the order that looks best afterwards is not sound for such choices.
Costs are rounded up, the budget is rounded down, and what is spent is added exactly.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from json import dumps, loads
from math import comb
from typing import Any, NoReturn

from filterproof.directed_rounding import Exact, ball, ball_ends, double_up
from filterproof.exact import Epsilon, format_rational, parse_rational
from filterproof.runtime.budget import Budget, BudgetError, renyi
from filterproof.runtime.mechanism import MechanismError, number
from filterproof.runtime.misuse import FilterMisuse, hold, this_process
from filterproof.runtime.noise import pure_renyi
from filterproof.runtime.store import Cell, Store, StoreError, open_store
from filterproof.runtime.store.cell import FIRST, cell_after, digest, record

LARGEST_ORDER = 1024
"""A step costs as many terms as its order is large."""
ORDERS: tuple[int, ...] = (*range(2, 17), *range(18, 33, 2), 40, 48, 64, 96, 128, 256, 512, 1024)
"""What `best_order` chooses from."""


class StepRefused(RuntimeError):
    """A step that would exceed the budget; it must not run, and nothing was charged for it."""


@dataclass(frozen=True)
class Spent:
    """What a guard knows: how many steps were paid for, and their divergences in all."""

    steps: int
    renyi: Fraction


class TrainingGuard:
    """Keeps a training run (ε, δ)-DP: pay with `charge` before a step, stop where it refuses.

    `store` names where the count lives (a file, `sqlite:PATH`, a PostgreSQL address), so that a run
    that is killed and started again goes on with what it had left; `create` opens a new one.

    >>> guard = TrainingGuard(2, 1e-5, order=8)
    >>> try:
    ...     while True:
    ...         guard.charge(noise_multiplier=1.0, sample_rate=0.01)
    ... except StepRefused as refusal:
    ...     print(refusal)
    refused: step 880 asks for 0.000894, 0.000378 of 0.786 is left
    """

    def __init__(
        self,
        epsilon: Epsilon | float,
        delta: Fraction | float,
        *,
        order: int,
        store: str | os.PathLike[str] | Store | None = None,
        create: bool = False,
    ) -> None:
        self._order, self._allowed = order, allowed_divergence(epsilon, delta, order)
        self._lock, self._process = threading.Lock(), this_process()
        self._spent, self._head = Spent(0, Fraction(0)), FIRST
        self._owner = {"guard": "training", "order": str(order), "allowed": str(self._allowed)}
        self._store = None if store is None else open_store(store, create=create)
        if self._store is not None:
            self._begin(self._store, create)

    @property
    def steps(self) -> int:
        """How many steps were paid for, those before a restart included."""
        return self._spent.steps

    @property
    def left(self) -> Fraction:
        """What is left of the divergence that the budget allows at the guard's order."""
        return self._allowed - self._spent.renyi

    def charge(self, noise_multiplier: Any, sample_rate: Any = 1, steps: int = 1) -> None:
        """Pay for steps of Gaussian noise that are about to run; raise StepRefused if they exceed.

        `sample_rate` is the chance of each record, on its own, to be in the batch (Poisson
        sampling); for batches of another kind it is 1.  Neighbours differ in one record more.
        """
        one = subsampled_gaussian(noise_multiplier, sample_rate, self._order)
        self._pay(one, steps, f"noise {noise_multiplier}, rate {sample_rate}")

    def charge_pure(self, epsilon: Any) -> None:
        """Pay for anything else that is (epsilon, 0)-DP: a noisy loss that decides when to stop."""
        self._pay(pure_cost(epsilon, self._order), 1, f"pure {epsilon}")

    def steps_left(self, noise_multiplier: Any, sample_rate: Any = 1) -> int:
        """Return how many such steps would still be paid for; nothing is charged."""
        one = subsampled_gaussian(noise_multiplier, sample_rate, self._order)
        if not one:
            raise MechanismError("a step that costs nothing can be taken for ever")
        return int(self.left // one)

    def close(self) -> None:
        """Give up the store; the guard refuses to charge from here on."""
        with hold(self._lock):
            if self._store is not None:
                self._store.close()

    # --- one at a time ----------------------------------------------------------------------

    def _pay(self, one: Fraction, steps: int, what: str) -> None:
        if type(steps) is not int or steps < 1:
            raise MechanismError(f"need a whole number of steps, at least 1; got {steps!r}")
        with self._alone():
            before, cost = self._spent, one * steps
            after = Spent(before.steps + steps, before.renyi + cost)
            if after.renyi > self._allowed:
                self._commit("refuse", before, what, cost)
                raise StepRefused(
                    f"refused: step {after.steps} asks for {float(cost):.3g}, "
                    f"{float(self.left):.3g} of {float(self._allowed):.3g} is left"
                )
            self._commit("charge", after, what, cost)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if this_process() != self._process:
            raise FilterMisuse("a forked process must not use its parent's budget")
        with hold(self._lock), nullcontext() if self._store is None else self._store.turn():
            self._refresh()
            yield

    def _begin(self, store: Store, create: bool) -> None:
        try:
            with self._alone():
                if self._head == FIRST and not create:
                    raise StoreError("the store is empty; pass create=True for a new budget")
                if self._head == FIRST:
                    self._commit("open", self._spent, "", Fraction(0))
        except BaseException:
            store.close()
            raise

    def _refresh(self) -> None:
        """Believe the store where it goes on from what is known: others may have spent from it."""
        cell = self._store.read() if self._store is not None else None
        if self._store is None or (cell is None and self._head == FIRST):
            return
        if cell is None or cell.head != self._head:
            cell = cell_after(self._store, self._head) if self._head else cell
            self._spent, self._head = self._decode(cell.body), cell.head  # type: ignore[union-attr]

    def _commit(self, kind: str, spent: Spent, what: str, cost: Fraction) -> None:
        """Save first, then believe: memory is never ahead of the store."""
        if self._store is not None:
            state = {"steps": spent.steps, "renyi": format_rational(spent.renyi)}
            body = dumps({"owner": self._owner, **state}, sort_keys=True)
            text = record(self._head, body, _facts(kind, spent, what, cost))
            self._store.write(self._head, Cell(digest(text), body), text)
            self._head = digest(text)
        self._spent = spent

    def _decode(self, text: str) -> Spent:
        """Return what a state says; another owner's and a damaged one are refused."""
        try:
            body = loads(text)
            owner, steps = body["owner"], body["steps"]
            spent = Spent(steps, parse_rational(body["renyi"]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StoreError(f"the state is damaged: {error}") from error
        if owner != self._owner:
            raise StoreError(f"the state belongs to another guard: {owner}, not {self._owner}")
        if type(steps) is not int or steps < self._spent.steps or spent.renyi < self._spent.renyi:
            raise StoreError("the state is damaged: it says less than was spent")
        return spent

    def __reduce__(self) -> NoReturn:
        raise FilterMisuse("a copy of a guard would spend the same budget twice")


def _facts(kind: str, spent: Spent, what: str, cost: Fraction) -> dict[str, Any]:
    facts = {"kind": kind, "round": spent.steps, "spent": float(spent.renyi), "what": what[:200]}
    facts |= {"asked": float(cost), "process": os.getpid()}
    return facts | {"time": datetime.now(UTC).isoformat("T", "seconds")}


# --- what a budget allows, and what a step costs ------------------------------------------------


def allowed_divergence(epsilon: Any, delta: Any, order: int) -> Fraction:
    """Return the divergence at `order` that (ε, δ) allows, rounded down; raise if there is none."""
    if type(order) is not int or not 2 <= order <= LARGEST_ORDER:
        raise BudgetError(f"need a whole order from 2 to {LARGEST_ORDER}; got {order!r}")
    budget = Budget.of(epsilon, delta)
    found = renyi(budget.epsilon[0], Fraction(budget.delta), float(order))
    if not found > 0:
        raise BudgetError(f"no step fits ({epsilon}, {delta}) at order {order}: take another one")
    return Fraction(found)


def best_order(epsilon: Any, delta: Any, noise_multiplier: Any, sample_rate: Any = 1) -> int:
    """Return the order at which the most such steps fit; choose it before anything is asked.

    >>> best_order(2, 1e-5, noise_multiplier=1.0, sample_rate=0.01)
    8
    """

    def steps(order: int) -> Fraction:
        """Return how many steps fit at an order; none where the order allows nothing."""
        try:
            room = allowed_divergence(epsilon, delta, order)
        except BudgetError:
            return Fraction(0)
        return room / subsampled_gaussian(noise_multiplier, sample_rate, order)

    return max(ORDERS, key=steps)


def subsampled_gaussian(noise_multiplier: Any, sample_rate: Any, order: int) -> Fraction:
    """Return the Rényi divergence of a step, rounded up to a double.

    Mironov, Talwar and Zhang: at a whole order α it is the logarithm of
    Σ_k C(α,k)·(1-q)^(α-k)·q^k·e^(k(k-1)/(2σ²)), divided by α-1.

    >>> float(subsampled_gaussian(2, 1, 4))
    0.5
    """
    sigma = number(noise_multiplier, "the noise multiplier")
    rate = number(sample_rate, "the sample rate")
    if sigma <= 0 or not 0 <= rate <= 1:
        raise MechanismError(f"need noise > 0 and 0 <= rate <= 1; got {sigma} and {rate}")
    return _subsampled_moment(sigma, rate, order)


@lru_cache(maxsize=4096)
def _subsampled_moment(sigma: Exact, rate: Exact, order: int) -> Fraction:
    if rate == 1:
        return Fraction(double_up(order / (2 * Fraction(sigma) ** 2)))

    def divergence() -> Any:
        unit, q, rest = ball(1 / (2 * Fraction(sigma) ** 2)), ball(rate), ball(1 - rate)
        weights = (comb(order, k) * q**k * rest ** (order - k) for k in range(order + 1))
        terms = (w * (k * (k - 1) * unit).exp() for k, w in enumerate(weights))
        return sum(terms, ball(0)).log() / (order - 1)

    return Fraction(double_up(max(Fraction(0), ball_ends(divergence)[1])))


def pure_cost(epsilon: Any, order: int) -> Fraction:
    """Return the largest Rényi divergence of an (epsilon, 0)-DP mechanism, rounded up."""
    largest = number(epsilon, "epsilon")
    if largest < 0:
        raise MechanismError(f"need epsilon >= 0; got {epsilon!r}")
    return Fraction(pure_renyi(largest, float(order)).amount)
