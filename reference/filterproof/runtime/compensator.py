"""The compensator filter for real mechanisms: ask, spend, run, record, in one call.

`CompensatorFilter.release` checks the budget, spends, saves, runs the mechanism and records its
output.  It is never handed the database: it takes a description of the mechanism on the declared
databases and a function without arguments that does the drawing.  What it decides depends on
what was released before, and on nothing else.
"""

import os
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn, TypeVar

from filterproof.exact import Epsilon, Log
from filterproof.runtime.account import Account, charged, left, opened, settled, worst
from filterproof.runtime.domain import Domain
from filterproof.runtime.mechanism import Mechanism
from filterproof.runtime.rounding import (
    Exact,
    Interval,
    down,
    exact,
    float_down,
    float_interval,
    log_interval,
)
from filterproof.runtime.store import Store

Output = TypeVar("Output")


class BudgetError(ValueError):
    """A budget (ε, δ) that is none."""


class FilterMisuse(RuntimeError):
    """A use of the filter that would break its accounting."""


class Quote(NamedTuple):
    """What one more round would cost: all four numbers are about the worst pair."""

    spent: float
    asked: float
    left: float
    allowed: bool


class BudgetExceeded(RuntimeError):
    """A release that was refused; nothing ran and nothing was spent."""

    def __init__(self, quote: Quote, delta: float) -> None:
        self.quote = quote
        super().__init__(
            f"refused: spent {quote.spent:.3g} of delta = {delta:.3g}, "
            f"asked {quote.asked:.3g}, left {quote.left:.3g}"
        )


def epsilon_interval(epsilon: Epsilon | float | int) -> Interval:
    """Return doubles around ε; a double is taken at its word.

    >>> epsilon_interval(0.1)
    (0.1, 0.1)
    """
    if isinstance(epsilon, Log):
        return log_interval(epsilon.argument)
    value = _exact(epsilon, "epsilon")
    if value < 0:
        raise BudgetError(f"need epsilon >= 0; got {epsilon!r}")
    return float_interval(value)


def delta_down(delta: Fraction | float | int) -> float:
    """Return the largest double <= δ."""
    value = _exact(delta, "delta")
    if not 0 <= value <= 1:
        raise BudgetError(f"need 0 <= delta <= 1; got {delta!r}")
    return float_down(value)


def _exact(value: Any, what: str) -> Exact:
    found = exact(value)
    if found is None:
        raise BudgetError(f"{what} must be a finite number; got {value!r}")
    return found


class CompensatorFilter:
    """A privacy filter to run: (ε, δ)-DP over the declared domain, for any adaptive requests.

    `store` names a file; the account is restored from it if it exists and saved there before
    every run.  A filter is safe to share between threads: releases happen one after the other.

    >>> from filterproof.runtime import Additive, DiscreteGaussian, Domain
    >>> guard = CompensatorFilter(1.0, 1e-6, domain=Domain.counts(100))
    >>> noise = DiscreteGaussian(sigma_squared=100)
    >>> answer = guard.release(Additive(noise), lambda: noise.sample(42))
    >>> guard.rounds, guard.left < 1e-6
    (1, True)
    """

    def __init__(
        self,
        epsilon: Epsilon | float,
        delta: Fraction | float,
        *,
        domain: Domain,
        store: str | os.PathLike[str] | None = None,
    ) -> None:
        self._epsilon, self._delta = epsilon_interval(epsilon), delta_down(delta)
        self._domain = domain
        self._lock = threading.Lock()
        self._runner: int | None = None  # the thread whose mechanism is running
        self._process = os.getpid()
        self._rounds, self._account = 0, opened(domain)
        self._store = None if store is None else Store(store)
        if self._store is not None:
            self._restore(self._store)

    @property
    def rounds(self) -> int:
        """How many rounds were paid for."""
        return self._rounds

    @property
    def spent(self) -> float:
        """The most that any pair of the domain has been charged, rounded up."""
        return worst(self._account)

    @property
    def left(self) -> float:
        """What every pair of the domain has left of δ, rounded down."""
        return left(self._delta, self._account)

    def ask(self, mechanism: Mechanism) -> Quote:
        """Return what a release would cost; nothing is spent, and nothing is promised."""
        self._check_caller()
        with self._lock:
            return self._quote(self._charged(mechanism))

    def release(self, mechanism: Mechanism, draw: Callable[[], Output]) -> Output:
        """Pay for one round, run `draw`, record its output and return it.

        Refuses with `BudgetExceeded` before anything runs.  If `draw` raises, the round stays
        paid for and its loss counts as unknown: what failing says about the data is not known.
        """
        self._check_caller()
        with self._lock:
            before, paid = self._account, self._charged(mechanism)
            quote = self._quote(paid)
            if not quote.allowed:
                raise BudgetExceeded(quote, self._delta)
            self._commit(self._rounds + 1, paid)
            self._runner = threading.get_ident()
            try:
                output = draw()
            finally:
                self._runner = None
            after = settled(before, paid, self._domain, mechanism, output)
            self._commit(self._rounds, after)
            return output

    def close(self) -> None:
        """Unlock the state file; the filter refuses to release from here on."""
        if self._store is not None:
            self._store.close()

    def _charged(self, mechanism: Mechanism) -> Account:
        return charged(self._account, self._domain, mechanism, self._epsilon)

    def _quote(self, paid: Account) -> Quote:
        both = zip(paid, self._account, strict=True)
        pairs = [(now.spent, was.spent) for now, was in both if now and was]
        total, spent = max(pairs, default=(0.0, 0.0))
        remaining = max(0.0, down(self._delta - spent)) if spent else self._delta
        return Quote(spent, total - spent, remaining, total <= self._delta)

    def _commit(self, rounds: int, account: Account) -> None:
        """Save first, then believe: memory is never ahead of the file."""
        if self._store is not None:
            self._store.save(self._owner(), rounds, account)
        self._rounds, self._account = rounds, account

    def _restore(self, store: Store) -> None:
        try:
            saved = store.load(self._owner(), len(self._domain.pairs))
            if saved is None:
                store.save(self._owner(), self._rounds, self._account)
            else:
                self._rounds, self._account = saved
        except BaseException:
            store.close()
            raise

    def _owner(self) -> dict[str, str]:
        low, high = self._epsilon
        budget = {"epsilon": f"{low.hex()} {high.hex()}", "delta": self._delta.hex()}
        return budget | {"domain": self._domain.fingerprint()}

    def _check_caller(self) -> None:
        if os.getpid() != self._process:
            raise FilterMisuse("a forked process must not use its parent's budget")
        if self._runner == threading.get_ident():
            raise FilterMisuse("a mechanism must not use the filter that runs it")

    def __reduce__(self) -> NoReturn:
        raise FilterMisuse("a copy of a filter would spend the same budget twice")

    def __repr__(self) -> str:
        return (
            f"CompensatorFilter(epsilon={self._epsilon[0]:g}, delta={self._delta:g}, "
            f"rounds={self.rounds}, left={self.left:.3g})"
        )
