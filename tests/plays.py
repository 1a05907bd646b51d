"""Which rounds a filter runs: what the tests of relations share."""

from collections.abc import Hashable
from typing import Any

from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import Game, History, Request, Step, opening

Ran = set[tuple[History, Request]]


def rounds_run(rule: Filter[Any], game: Game) -> Ran:
    """Return every partial transcript (r^i, y^{i-1}), i >= 1, at which the filter runs M_i."""
    ran: Ran = set()
    first = opening(game)
    todo: list[tuple[Step, Hashable]] = [(first, start(rule))]
    while todo:
        step, state = todo.pop()
        decision, after = ask(rule, state, step)
        if decision in (Decision.CONTINUE, Decision.LAST) and step.index:
            ran.add((step.history, step.request))
        if decision is Decision.REFUSE:
            others = (r for r in step.menu if r != step.request)
            todo += [(step.instead(r), after) for r in others if not refuses(rule, after, step, r)]
        if decision is Decision.CONTINUE:
            todo += [
                (step.next(y, r), observe(rule, after, step, y))
                for y in step.mechanism.law
                if any(step.released(y).values())
                for r in step.mechanism.after[y]
            ]
    return ran


def refuses(rule: Filter[Any], state: Hashable, step: Step, request: Request) -> bool:
    return ask(rule, state, step.instead(request))[0] is Decision.REFUSE
