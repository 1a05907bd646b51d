"""Mechanisms with one knob, turned up by bisection as far as a filter allows.

Nothing is known of the filter but its answers.  The knobs are the elementary shapes of loss:
spread evenly (response, once or several times), rare and total (erasure, a leak in either
direction), and everything in between (randomised response over k symbols).
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, Mechanism, opening
from filterproof.game.palette import erasure, game, k_ary, one_sided, repeated, response, table

HALF = Fraction(1, 2)
STEPS = 2**12
"""A knob has this many settings between silent and reveal."""

Knob = Callable[[Fraction], Mechanism]
RUNS = (Decision.CONTINUE, Decision.LAST)


def turned(k: int, setting: Fraction) -> Mechanism:
    """Randomised response over k symbols, from silent at 0 to reveal at 1."""
    return k_ary(k, Fraction(1, k) + setting * (1 - Fraction(1, k)))


def responses(rounds: int, setting: Fraction) -> Mechanism:
    """Randomised response round after round, from silent at 0 to reveal at 1."""
    return repeated(response(HALF + setting / 2), rounds)


def leak_back(d: Fraction) -> Mechanism:
    """Under "1" the output is "!" with probability d; under "0" it never is."""
    return table({"!": (0, d), "?": (1, 1 - d)})


KNOBS: Mapping[str, Knob] = MappingProxyType(
    {
        "response": partial(responses, 1),
        "3 x response": partial(responses, 3),
        "erasure": erasure,
        "leak": one_sided,
        "leak back": leak_back,
        **{f"{k}-ary response": partial(turned, k) for k in (4, 16, 128, 10**6)},
    }
)


def fullest(runs: Callable[[Fraction], bool]) -> Fraction:
    """Return a setting that runs while the next higher one does not; 0 if none does.

    >>> fullest(lambda setting: setting <= Fraction(1, 3))
    Fraction(1365, 4096)
    """
    low, high = 0, STEPS
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if runs(Fraction(middle, STEPS)) else (low, middle)
    return Fraction(low, STEPS)


def fullest_first(rule: Filter[Any], knob: Knob) -> Fraction:
    """Return the fullest setting at which the filter runs the mechanism in the first round."""

    def runs(setting: Fraction) -> bool:
        first = knob(setting)
        return runs_last(rule, game(first), (OPENING, *outputs_within(first)))

    return fullest(runs)


def runs_last(rule: Filter[Any], trial: Game, outputs: tuple[str, ...]) -> bool:
    """Whether the filter runs the request "ask" after these outputs, one request a round."""
    step = opening(trial)
    decision, state = ask(rule, start(rule), step)
    for output in outputs:
        if decision is not Decision.CONTINUE:
            return False
        state = observe(rule, state, step, output)
        step = step.next(output, "ask")
        decision, state = ask(rule, state, step)
    return decision in RUNS


def outputs_within(mechanism: Mechanism) -> Iterator[str]:
    """Yield the first output of each round but the last."""
    while mechanism.after:
        y, menu = next(iter(mechanism.after.items()))
        yield y
        mechanism = menu["ask"]
