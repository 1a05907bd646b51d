"""A first privacy filter: every pair of neighbours has an account, and each round is paid from it.

`charge` is what a round adds to the loss of a pair, given what was released before.  Change what
you like, then ask again:

    filterproof audit my_filter.py:MyFilter         look for a game that breaks it
    filterproof prove my_filter.py:MyFilter --outputs 2
"""

from fractions import Fraction

from filterproof import Step
from filterproof.exact import Epsilon, ExpLinear
from filterproof.privacy import charge

Account = Fraction | ExpLinear
State = tuple[Account, ...] | None


class MyFilter:
    """Refuses a request that some pair cannot pay for; a refusal changes nothing."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        self.epsilon, self.delta = epsilon, delta

    def start(self) -> State:
        """Return the state before the first request: no account is open."""
        return None

    def decide(self, state: State, step: Step) -> tuple[str, State]:
        """Answer one request before its output is drawn: run it, or not, and what is left."""
        left = state or (self.delta,) * len(step.game.pairs)
        after: list[Account] = []
        for pair, account in zip(step.game.pairs, left, strict=True):
            if not step.mass[pair[0]]:  # what was released rules this database out
                after.append(account)
                continue
            cost = charge(step.mechanism.law, pair, step.mass, self.epsilon)
            if cost > account:
                return "refuse", left
            after.append(account - cost)
        return "continue", tuple(after)

    def remaining(self, state: State, step: Step, pair: tuple[str, str]) -> Account:
        """Return what a pair may still lose: with this method the code can be proved."""
        return state[step.game.pairs.index(pair)] if state else self.delta
