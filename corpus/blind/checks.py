"""What the tests of a blind set ask of one filter, whichever set it is in."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Sound, Witness
from filterproof.fast import worst_case
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, opening
from filterproof.palette import game, repeated, table

HEAVY: dict[str, tuple[Fraction | int, ...]] = {
    "!": (Fraction(1, 2), 0),
    "0": (Fraction(499, 1000), Fraction(1, 1000)),
    "1": (Fraction(1, 1000), Fraction(999, 1000)),
}
ROUNDS = 40


def stops(rule: Filter[Any]) -> bool:
    """Return whether a heavy request cannot be run for ever, if every answer to it is "0"."""
    played = game(repeated(table(HEAVY), ROUNDS))
    step, output = opening(played), OPENING
    decision, state = ask(rule, start(rule), step)
    for _ in range(ROUNDS):
        state = observe(rule, state, step, output)
        step, output = step.next(output, "ask"), "0"
        decision, state = ask(rule, state, step)
        if decision is not Decision.CONTINUE:
            return True
    return False


def holds(one: Sound, seen: Witness, played: Game) -> bool:
    """Return whether the filter is private on a game that breaks another one, at its budget."""
    try:
        rule = one.target(seen.epsilon, seen.delta)
    except ValueError:
        return True
    return worst_case(rule, played, seen.epsilon).value <= seen.delta


def runs_first(one: Sound, seen: Witness, played: Game) -> bool:
    """Return whether some first request that is not silent runs, at the budget of a witness."""
    step = opening(played)
    try:
        rule = one.target(seen.epsilon, seen.delta)
    except ValueError:
        return False
    _, state = ask(rule, start(rule), step)
    state = observe(rule, state, step, OPENING)
    asked = (step.next(OPENING, request) for request in played.menu)
    telling = (here for here in asked if here.mechanism.declared != NOTHING)
    ran = {Decision.CONTINUE, Decision.LAST}
    return any(ask(rule, state, here)[0] in ran for here in telling)
