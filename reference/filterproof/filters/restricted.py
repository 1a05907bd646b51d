"""Handler-restricted requests: shrink the next menu until the look-ahead check holds, and go on.

A look-ahead filter stops for good when *some* request that may follow is too risky.  The curator
may instead announce, together with taking another request, which requests it will answer.  The
announcement A_{i+1} is made from (r^i, y^{i-1}), like the decision itself; it is kept in the state,
and a request outside it is refused in round i+1, whatever y_i turned out to be.

Soundness: a play against this filter is a play against the inner filter on the game whose round
i+1 offers A_{i+1} only, and the inner filter made its check over exactly that menu.  A refusal
releases nothing that is not a function of A_{i+1} and the request.  If every request on offer is
refused the play ends, which is no more than stopping to ask: that never gains H.

What it buys: rounds.  In guess(m) the inner rule at θ = 1/m stops before the guess; restricted,
it admits one guess, which is right with probability 1/m.

The menu is shrunk greedily: the requests that the inner check bears alone, in the order offered,
each kept if the check still holds with it.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, is_markov, observe
from filterproof.game import History, Request, Step
from filterproof.game.law import Database, Output


class Narrowed(Step):
    """A partial transcript whose next round offers some of the requests only."""

    def __init__(self, step: Step, offered: tuple[Request, ...]) -> None:
        kept = {name: value for name, value in vars(step).items() if name != "requests_after"}
        self.__dict__.update(kept, whole=step, offered=offered)

    @property
    def requests_after(self) -> tuple[Request, ...]:
        """The announced set A_{i+1}."""
        offered: tuple[Request, ...] = vars(self)["offered"]
        return offered

    @property
    def mass(self) -> Mapping[Database, Fraction]:
        """The likelihoods of the whole step, which may work them out on demand."""
        whole: Step = vars(self)["whole"]
        return whole.mass

    @property
    def history(self) -> History:
        """What the whole step shows of it: a merged step hides it."""
        whole: Step = vars(self)["whole"]
        return whole.history


@dataclass(frozen=True)
class Announced:
    """The inner state, and the requests that round i will answer; None stands for all."""

    inner: Hashable
    allowed: frozenset[Request] | None = None


@dataclass(frozen=True)
class Restricted:
    """Refuses what was not announced; announces the largest menu it finds that the check bears."""

    inner: Filter[Any]
    epsilon: Epsilon

    @property
    def markov(self) -> bool:
        """Whether the inner filter looks at no history."""
        return is_markov(self.inner)

    def start(self) -> Announced:
        """Return the inner filter's first state; the opening request is allowed."""
        return Announced(self.inner.start())

    def decide(self, state: Announced, step: Step) -> tuple[Decision, Announced]:
        """Refuse, or let the inner filter decide with the largest menu found for next round."""
        if state.allowed is not None and step.request not in state.allowed:
            return Decision.REFUSE, state
        decision, inner = self.inner.decide(state.inner, step)
        if decision == Decision.CONTINUE or not step.requests_after:
            return Decision(decision), Announced(inner)
        menu = self.menu(state.inner, step)
        decision, inner = self.inner.decide(state.inner, Narrowed(step, menu))
        return Decision(decision) if menu else Decision.LAST, Announced(inner, frozenset(menu))

    def menu(self, inner: Hashable, step: Step) -> tuple[Request, ...]:
        """Return requests of the next round for which the inner check holds, greedily."""
        menu: tuple[Request, ...] = ()
        for request in step.requests_after:
            wider = Narrowed(step, (*menu, request))
            if self.inner.decide(inner, wider)[0] == Decision.CONTINUE:
                menu = wider.requests_after
        return menu

    def observe(self, state: Announced, step: Step, output: Output) -> Announced:
        """Let the inner filter see the output; forget announced requests that it closes."""
        inner = observe(self.inner, state.inner, step, output)
        open_now = frozenset(step.mechanism.after[output])
        allowed = None if state.allowed is None else state.allowed & open_now
        return Announced(inner, None if allowed == open_now else allowed)
