"""The one walk over a filter's answers: every question of every play, breadth first."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import Request, Step, opening
from filterproof_properties.case import Case
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.target import Target

MOST_QUESTIONS = 2000
"""A walk through a game asks at most so many questions."""


def rule_of(target: Target, case: Case) -> Filter[Any]:
    """Return the filter for this case; raises `Declined` where the target has none."""
    return make_filter(target, case.epsilon, case.delta, dict(case.parameters))


@dataclass(frozen=True)
class Question:
    """What a filter was asked, and what it said."""

    state: Hashable
    step: Step
    decision: Decision
    after: Hashable

    def where(self) -> str:
        """Name the place in the play."""
        return f"round {self.step.index}, request {self.step.request!r} after {self.step.history}"


def questions(rule: Filter[Any], case: Case) -> Iterator[Question]:
    """Yield every question of every play against this filter, up to a bound."""
    first: tuple[Hashable, Step, tuple[Request, ...]] = (start(rule), opening(case.game), ())
    todo = [first]
    for asked, (state, step, refused) in enumerate(todo):  # grows while it is read: breadth first
        if asked >= MOST_QUESTIONS:
            return
        decision, after = ask(rule, state, step)
        yield Question(state, step, decision, after)
        if decision is Decision.REFUSE:
            closed = (*refused, step.request)
            todo += [(after, step.instead(r), closed) for r in step.menu if r not in closed]
        elif decision is Decision.CONTINUE:
            for y in step.mechanism.law:
                seen = observe(rule, after, step, y)
                todo += [(seen, step.next(y, r), ()) for r in step.mechanism.after[y]]


def runs(decision: Decision) -> bool:
    """Whether the mechanism is run."""
    return decision in (Decision.CONTINUE, Decision.LAST)
