"""The runtime filter as a `Filter` on finite games, so that it can be audited like any other.

The arithmetic is the one that `CompensatorFilter` uses, function by function: only the shell
around it, which saves, locks and draws, is left out.
"""

from fractions import Fraction
from functools import lru_cache

from filterproof.exact import Epsilon
from filterproof.filter import Decision
from filterproof.game import Game, Step
from filterproof.game import Mechanism as Round
from filterproof.game.law import Output
from filterproof.runtime.account import Account, charged, opened, settled, worst
from filterproof.runtime.compensator import delta_down, epsilon_interval
from filterproof.runtime.domain import Domain
from filterproof.runtime.table import Table

State = tuple[Account, Account]
"""The account before the round that is running, and after paying for it; empty before all."""


class RuntimeCompensator:
    """`filterproof.runtime.CompensatorFilter`, without its shell, on a finite game."""

    markov = True

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.epsilon, self.delta = epsilon_interval(epsilon), delta_down(delta)

    def start(self) -> State:
        """Return the state before the opening round."""
        return (), ()

    def decide(self, state: State, step: Step) -> tuple[Decision, State]:
        """Refuse what any pair cannot pay for; otherwise charge it and run."""
        domain = _domain(step.game)
        account = state[1] or opened(domain)
        paid = charged(account, domain, _table(step.mechanism), self.epsilon)
        if worst(paid) > self.delta:
            return Decision.REFUSE, state
        return Decision.CONTINUE, (account, paid)

    def observe(self, state: State, step: Step, output: Output) -> State:
        """Record the output's losses."""
        before, paid = state
        after = settled(before, paid, _domain(step.game), _table(step.mechanism), output)
        return after, after


@lru_cache(maxsize=16)
def _domain(game: Game) -> Domain:
    return Domain.of(game.databases, game.pairs)


@lru_cache(maxsize=1024)
def _table(mechanism: Round) -> Table:
    return Table(mechanism.law)
