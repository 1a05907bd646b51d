"""The filter for real mechanisms: ask, spend, run, record, in one call.

`CompensatorFilter.release` checks the budget, spends, saves, runs the mechanism and records its
output.  It is never handed the database: it takes a description of the mechanism on the declared
databases and a function without arguments that does the drawing.  What it decides depends on
what was released before, and on nothing else.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

from filterproof.exact import Epsilon
from filterproof.runtime import plan as plans
from filterproof.runtime.account import (
    Account,
    charge_round,
    columns,
    floor_left,
    left,
    new_account,
    settle_output,
    worst,
)
from filterproof.runtime.budget import HALF, Budget
from filterproof.runtime.domain import Domain
from filterproof.runtime.mechanism import DescribedMechanism
from filterproof.runtime.misuse import FilterMisuse, check_draw, draw_output, hold, this_process
from filterproof.runtime.per_pair import Columns
from filterproof.runtime.plan import Plan, Quote
from filterproof.runtime.state import decode_state, encode_state
from filterproof.runtime.store import Cell, Store, StoreError, Witness
from filterproof.runtime.store import open_store as opened_store
from filterproof.runtime.store.cell import FIRST, cell_after, digest, record
from filterproof.runtime.store.witness import check_witness
from filterproof.runtime.trusted import check_known

Output = TypeVar("Output")
Value = TypeVar("Value")


class BudgetExceeded(RuntimeError):
    """A release that was refused; nothing ran and nothing was spent.

    `quote` says what it would have cost, `smaller` is a weaker form of it that fits now, if one
    was found.
    """

    def __init__(self, quote: Quote, budget: Budget, smaller: DescribedMechanism | None) -> None:
        self.quote, self.smaller = quote, smaller
        fits = f"{smaller} would fit" if smaller is not None else "no weaker form was found to fit"
        super().__init__(
            f"refused: spent {quote.spent:.3g} of {budget.rest:.3g}, "
            f"asked {quote.asked:.3g}, left {quote.left:.3g}; {fits}"
        )


class CompensatorFilter:
    """A privacy filter to run: (ε, δ)-DP over the declared domain, for any adaptive requests.

    The `share` of δ is booked at mechanism level first, whatever the answers are; the rest is
    charged by what is realised.  `store` names where the account lives: a file, `sqlite:PATH` or a
    PostgreSQL address; the spend is there before every run.  A `witness` outside of the store
    remembers where it ended, so that an older copy of the store is noticed after a restart too.  A
    filter is safe to share between threads: releases happen one after the other.

    >>> from filterproof.runtime import AddedNoise, DiscreteGaussian, Domain
    >>> guard = CompensatorFilter(1.0, 1e-6, domain=Domain.counts(100))
    >>> noise = DiscreteGaussian(sigma_squared=100)
    >>> answer = guard.release(AddedNoise(noise), lambda: noise.sample(42))
    >>> guard.rounds, guard.floor_left < 1
    (1, True)
    """

    def __init__(
        self,
        epsilon: Epsilon | float,
        delta: Fraction | float,
        *,
        domain: Domain,
        share: Fraction | float = HALF,
        store: str | os.PathLike[str] | Store | None = None,
        create: bool = False,
        witness: Witness | None = None,
        allow_ideal_noise: bool = False,
        allow_own_mechanisms: bool = False,
    ) -> None:
        self._budget = Budget.of(epsilon, delta, share)
        self._domain = domain
        self._allowed = allow_ideal_noise, allow_own_mechanisms
        self._lock = threading.Lock()
        self._runner: int | None = None  # the thread whose turn it is
        self._process = this_process()
        self._witness = witness
        self._rounds, self._account, self._head = 0, new_account(domain, self._budget), FIRST
        self._store: Store | None = None
        if store is not None:
            self._owner = self._budget.named() | {"domain": domain.fingerprint()}
            self._store = opened_store(store, create=create)
            self._begin(self._store, create)

    @property
    def rounds(self) -> int:
        """How many rounds were paid for, as far as this filter knows."""
        return self._rounds

    @property
    def spent(self) -> float:
        """The most that any pair of the domain has been charged by what was realised."""
        return worst(self._account)

    @property
    def left(self) -> float:
        """What every pair of the domain has left to be charged, rounded down."""
        return left(self._budget, self.spent)

    @property
    def floor_left(self) -> float:
        """Which part of the floor every pair has left, from 0 to 1."""
        return floor_left(self._account, self._budget)

    # --- asking -----------------------------------------------------------------------------

    def ask(self, mechanism: DescribedMechanism) -> Quote:
        """Return what a release would cost; nothing is spent, and nothing is promised."""
        with self._alone():
            return self._quote(mechanism)

    def would_fit(self, mechanisms: Sequence[DescribedMechanism]) -> Plan:
        """Return what a list of releases would cost, whatever the answers, and on average."""
        with self._alone():
            requests = [self._columns(one) for one in mechanisms]
            return plans.plan(self._account, requests, self._budget)

    def largest(
        self, family: Callable[[Value], DescribedMechanism], values: Sequence[Value]
    ) -> Value | None:
        """Return the last of the values whose mechanism would be released now; None if none.

        The values go from cheap to dear, say from wide noise to narrow noise.
        """
        with self._alone():
            return plans.largest(values, lambda value: self._fits(family(value)))

    # --- releasing --------------------------------------------------------------------------

    def release(self, mechanism: DescribedMechanism, draw: Callable[[], Output]) -> Output:
        """Pay for one round, run `draw`, record its output and return it.

        Refuses with `BudgetExceeded` before anything runs.  If `draw` raises, the round stays
        paid for and its loss counts as unknown: what failing says about the data is not known.
        """
        check_draw(draw)
        with self._alone(turn=True):
            request = self._columns(mechanism)
            before, paid = self._account, self._paid(request)
            quote = plans.quote(before, paid, self._budget)
            if not quote.allowed:
                self._commit("refuse", self._rounds, before, mechanism, quote)
                smaller = plans.weaker(mechanism, self._fits)
                raise BudgetExceeded(quote, self._budget, smaller)
            self._commit("reserve", self._rounds + 1, paid, mechanism, quote)
            output = draw_output(draw)
            self._check_process()
            after = settle_output(before, paid, request, output)
            self._commit("settle", self._rounds, after, mechanism, quote)
            return output

    def close(self) -> None:
        """Give up the store; the filter refuses to release from here on."""
        self._check_caller()
        with hold(self._lock):
            if self._store is not None:
                self._store.close()

    def _columns(self, mechanism: DescribedMechanism) -> Columns:
        check_known(mechanism, *self._allowed)
        return columns(mechanism, self._domain)

    def _paid(self, request: Columns) -> Account:
        return charge_round(self._account, request, self._budget)

    def _quote(self, mechanism: DescribedMechanism) -> Quote:
        return plans.quote(self._account, self._paid(self._columns(mechanism)), self._budget)

    def _fits(self, mechanism: DescribedMechanism) -> bool:
        return self._quote(mechanism).allowed

    # --- state ------------------------------------------------------------------------------

    def _begin(self, store: Store, create: bool) -> None:
        try:
            with self._alone(turn=True):
                if self._head == FIRST and not create:
                    raise StoreError("the store is empty; pass create=True for a new budget")
                if self._head == FIRST:
                    self._commit("open", 0, self._account, None, None)
        except BaseException:
            store.close()
            raise

    def _refresh(self) -> None:
        """Believe the store where it goes on from what is known: others may have spent from it."""
        cell = self._store.read() if self._store is not None else None
        if self._store is None or (cell is None and self._head == FIRST):
            return
        if cell is None or cell.head != self._head:
            self._believe(cell_after(self._store, self._head))

    def _believe(self, cell: Cell) -> None:
        """Take over what a store says; fewer rounds than are remembered are never believed."""
        rounds, account = decode_state(cell.body, self._owner, self._domain, self._budget)
        if rounds < self._rounds:
            raise StoreError(f"the store counts {rounds} rounds, this filter {self._rounds}")
        self._rounds, self._account, self._head = rounds, account, cell.head

    def _commit(
        self, kind: str, rounds: int, account: Account, what: Any, quote: Quote | None
    ) -> None:
        """Save first, then believe: memory is never ahead of the store."""
        if self._store is not None:
            body = encode_state(self._owner, rounds, account, self._domain, self._budget)
            text = record(self._head, body, _facts(kind, rounds, account, what, quote))
            self._store.write(self._head, Cell(digest(text), body), text)
            self._head = digest(text)
            if self._witness is not None:
                self._witness.write(self._head)
        self._rounds, self._account = rounds, account

    # --- one at a time ----------------------------------------------------------------------

    @contextmanager
    def _alone(self, turn: bool = False) -> Iterator[None]:
        """Keep other threads out, with `turn` other processes too, and know what they did."""
        self._check_caller()
        with hold(self._lock):
            self._runner = threading.get_ident()
            try:
                store = self._store if turn else None
                with nullcontext() if store is None else store.turn():
                    self._refresh()
                    if store is not None and self._witness is not None:
                        check_witness(store, self._witness)
                    yield
            finally:
                self._runner = None

    def _check_caller(self) -> None:
        self._check_process()
        if self._runner == threading.get_ident():
            raise FilterMisuse("a mechanism must not use the filter that runs it")

    def _check_process(self) -> None:
        if this_process() != self._process:
            raise FilterMisuse("a forked process must not use its parent's budget")

    def __reduce__(self) -> NoReturn:
        raise FilterMisuse("a copy of a filter would spend the same budget twice")

    def __repr__(self) -> str:
        return (
            f"CompensatorFilter(epsilon={self._budget.epsilon[0]:g}, "
            f"delta={self._budget.delta:g}, rounds={self.rounds}, "
            f"floor_left={self.floor_left:.2f}, left={self.left:.3g})"
        )


def _facts(
    kind: str, rounds: int, account: Account, what: Any, quote: Quote | None
) -> dict[str, Any]:
    """Return what the log says about one step; never an output."""
    facts = {"kind": kind, "round": rounds, "time": datetime.now(UTC).isoformat("T", "seconds")}
    facts |= {"process": os.getpid(), "spent": worst(account)}
    if quote is not None:
        facts |= {"what": str(what)[:200], "asked": quote.asked, "floor": quote.floor}
    return facts
