"""The one walk over a filter's answers: every question of every play; and two filters at once."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from filterproof.filter import MANY, Decision, Filter, ask, ask_many, is_markov, observe, start
from filterproof.game import Game, Request, Step, opening
from filterproof.game.law import Output
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
    refused: tuple[Request, ...]
    decision: Decision
    after: Hashable


def where(step: Step) -> str:
    """Name the place of a step in its play."""
    return f"round {step.index}, request {step.request!r} after {step.history}"


def questions(rule: Filter[Any], game: Game, most: float = MOST_QUESTIONS) -> Iterator[Question]:
    """Yield every question of every play against this filter, up to a bound."""
    first: tuple[Hashable, Step, tuple[Request, ...]] = (start(rule), opening(game), ())
    todo = [first]
    for asked, (state, step, refused) in enumerate(todo):  # grows while it is read: breadth first
        if asked >= most:
            return
        decision, after = ask(rule, state, step)
        yield Question(state, step, refused, decision, after)
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


# --- two filters at once ----------------------------------------------------------------------

LATER, EARLIER = "later", "earlier"
MOST_POSITIONS = 20_000
"""Two filters are compared at so many positions of one game at most."""
ENDED = object()
"""The state of a filter whose play is over; it runs nothing any more."""

Rules = tuple[Filter[Any], Filter[Any]]


@dataclass(frozen=True)
class Asked:
    """One request as it was put to both filters, what they said, and what was released."""

    step: Step
    old: str
    new: str
    output: Output | None = None


@dataclass(frozen=True)
class Difference:
    """A partial transcript at which just one of the two filters runs the mechanism.

    `trail` is all that was asked before, refusals included.
    """

    direction: str
    step: Step
    old: str
    new: str
    trail: tuple[Asked, ...] = ()


@dataclass(frozen=True)
class _Both:
    """The two states before one request, what was refused in this round, and what was asked."""

    states: tuple[Hashable, Hashable]
    step: Step
    refused: frozenset[Request] = frozenset()
    trail: tuple[Asked, ...] = ()


def differences(rules: Rules, game: Game) -> Iterator[Difference]:
    """Yield the first differences along every play; many places are asked about at once.

    Two filters that both declare `markov` are asked once where only the history differs.
    """
    todo = [_Both((start(rules[0]), start(rules[1])), opening(game))]
    seen, merging, room = set[Hashable](), all(map(is_markov, rules)), MOST_POSITIONS
    while todo and room > 0:
        todo, some = todo[:-MANY], todo[-MANY:]
        if merging:
            some = [at for at in some if not _met_before(at, seen)]
        room -= len(some)
        told = [_answers(rule, some, which) for which, rule in enumerate(rules)]
        for at, *answers in zip(some, *told, strict=True):
            run = [decision in (Decision.CONTINUE, Decision.LAST) for decision, _ in answers]
            if run[0] != run[1]:
                yield Difference(
                    LATER if run[1] else EARLIER, at.step, *_answer_words(answers), at.trail
                )
            elif run[0]:
                todo += _after_release(rules, at, answers)
            else:
                todo += _after_refusal(at, answers)


def _answer_words(answers: "list[Answer]") -> tuple[str, str]:
    old, new = (str(decision or "ended") for decision, _ in answers)
    return old, new


def _met_before(at: _Both, seen: set[Hashable]) -> bool:
    """Whether a position was met before, by another history; note that it is met now."""
    step = at.step
    mass = tuple(step.mass.values())
    key = (*at.states, step.index, step.request, id(step.menu), mass, at.refused)
    met = key in seen
    seen.add(key)
    return met


Answer = tuple[Decision | None, Hashable]


def _answers(rule: Filter[Any], some: list[_Both], which: int) -> list[Answer]:
    """Return what one of the filters says at some places; nothing where its play is over."""
    going = [at for at in some if at.states[which] is not ENDED]
    asked = ask_many(rule, going, lambda at: (at.states[which], at.step))
    told = {id(at): (decision, state) for at, decision, state in asked}
    return [told.get(id(at), (None, ENDED)) for at in some]


def _after_release(rules: Rules, at: _Both, answers: list[Answer]) -> Iterator[_Both]:
    for y in at.step.mechanism.law:
        after = [
            observe(rule, state, at.step, y) if decision is Decision.CONTINUE else ENDED
            for rule, (decision, state) in zip(rules, answers, strict=True)
        ]
        if after != [ENDED, ENDED]:
            trail = (*at.trail, Asked(at.step, *_answer_words(answers), y)) if at.step.index else ()
            for request in at.step.mechanism.after[y]:
                yield _Both((after[0], after[1]), at.step.next(y, request), trail=trail)


def _after_refusal(at: _Both, answers: list[Answer]) -> Iterator[_Both]:
    after = [state if decision is Decision.REFUSE else ENDED for decision, state in answers]
    refused = at.refused | {at.step.request}
    trail = (*at.trail, Asked(at.step, *_answer_words(answers)))
    if after != [ENDED, ENDED]:
        for request in at.step.menu:
            if request not in refused:
                yield _Both((after[0], after[1]), at.step.instead(request), refused, trail)
