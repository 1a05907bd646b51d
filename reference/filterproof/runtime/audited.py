"""The runtime filter as a `Filter` on finite games, so that it can be audited like any other.

The arithmetic is the one that `CompensatorFilter` uses, function by function: only the shell
around it, which saves, locks and draws, is left out.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Game, Step
from filterproof.game import Mechanism as Round
from filterproof.game.law import Output
from filterproof.runtime.account import (
    Account,
    charge_round,
    columns,
    new_account,
    settle_output,
    within_budget,
)
from filterproof.runtime.budget import HALF, Budget
from filterproof.runtime.domain import Domain
from filterproof.runtime.finite import Table
from filterproof.runtime.per_pair import Columns

State = tuple[Account, Account] | None
"""The account before the round that is running, and after paying for it; None before all."""


class RuntimeCompensator:
    """`filterproof.runtime.CompensatorFilter`, without its shell, on a finite game."""

    markov = True

    def __init__(self, epsilon: Epsilon, delta: Fraction, *, share: Fraction = HALF) -> None:
        self.budget = Budget.of(epsilon, delta, share)

    def start(self) -> State:
        """Return the state before the opening round."""
        return None

    def decide(self, state: State, step: Step) -> tuple[Decision, State]:
        """Refuse what any pair cannot pay for; otherwise charge it and run."""
        account = state[1] if state else new_account(_domain(step.game), self.budget)
        paid = charge_round(account, _columns(step.mechanism, step.game), self.budget)
        if not within_budget(paid, self.budget):
            return Decision.REFUSE, state
        return Decision.CONTINUE, (account, paid)

    def observe(self, state: State, step: Step, output: Output) -> State:
        """Record the output's losses."""
        if state is None:
            return None
        after = settle_output(*state, _columns(step.mechanism, step.game), output)
        return after, after

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer the floor's usual share, none and nearly all."""
        return ({"share": share} for share in (HALF, Fraction(0), Fraction(9, 10)))


@lru_cache(maxsize=16)
def _domain(game: Game) -> Domain:
    return Domain.of(game.databases, game.pairs)


@lru_cache(maxsize=1024)
def _columns(mechanism: Round, game: Game) -> Columns:
    return columns(Table(mechanism.law), _domain(game))
