"""Games made to measure for one filter: every branch is filled to the brim.

A filter that balances each path on its own may still lose in the sum over paths, and it loses
most where every path uses up what it is allowed.  So after a first round that says little or
nothing (a slight response, a lottery) the second round differs by branch, and on each branch a
one-parameter family of mechanisms is turned up, by bisection, to the largest setting that the
filter still runs.  Nothing is known of the filter but its answers; the families are the
elementary shapes of loss: spread evenly (response, once or several times), rare and total (erasure,
leak), and everything in between (randomised response over k symbols).

The same first response is also repeated with another request on the side: a filter that refuses
that one and forgets what it knew is caught.  And an erasure is turned up that declares more than
it needs to, for filters that read declarations and weigh them wrongly.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, product
from types import MappingProxyType
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, Mechanism, opening
from filterproof.law import Declared
from filterproof.palette import erasure, game, k_ary, lottery, one_sided, repeated, response, table
from filterproof_properties.named import Case

HALF = Fraction(1, 2)
STEPS = 2**12
"""A knob has this many settings between silent and reveal."""

RARE = Fraction(1, 20)
FIRST: Mapping[str, Mechanism] = MappingProxyType(
    {
        "lottery of 4": lottery([Fraction(1, 4)] * 4),
        "three symbols, leaning": table(
            {"0": (RARE * 6, RARE * 5), "1": (RARE * 5, RARE * 6), "?": (RARE * 9, RARE * 9)}
        ),
        "response(11/20)": response(Fraction(11, 20)),
        "rare symbol": lottery([RARE, 1 - RARE]),
        "response(21/40)": response(Fraction(21, 40)),
    }
)
"""First rounds that cost little or nothing."""

Knob = Callable[[Fraction], Mechanism]
RUNS = (Decision.CONTINUE, Decision.LAST)


def turned(k: int, setting: Fraction) -> Mechanism:
    """Randomised response over k symbols, from silent at 0 to reveal at 1."""
    return k_ary(k, Fraction(1, k) + setting * (1 - Fraction(1, k)))


def responses(rounds: int, setting: Fraction) -> Mechanism:
    """Randomised response round after round, from silent at 0 to reveal at 1."""
    return repeated(response(HALF + setting / 2), rounds)


KNOBS: Mapping[str, Knob] = MappingProxyType(
    {
        "response": partial(responses, 1),
        "3 x response": partial(responses, 3),
        "erasure": erasure,
        "leak": one_sided,
        **{f"{k}-ary response": partial(turned, k) for k in (4, 16, 128, 10**6)},
    }
)


def brim_cases(rule: Filter[Any], epsilon: Epsilon, delta: Fraction) -> Iterator[Case]:
    """Yield games whose branches are filled, and whose rounds are interrupted, for this filter.

    >>> from filterproof.filters.additive import Additive
    >>> cases = brim_cases(Additive(Fraction(1), Fraction(0)), Fraction(1), Fraction(0))
    >>> [next(cases).name for _ in range(3)][1:]
    ['brim: 6 x response(473/1024), interrupted', \
'brim: lottery of 4, then response(473/1024)']
    """
    for name, play in chain(interrupted(rule), declaring(rule), branching(rule)):
        yield Case(f"brim: {name}", play, epsilon, delta)


def branching(rule: Filter[Any]) -> Iterator[tuple[str, Game]]:
    """Yield games in which every branch after the first round is filled as far as is allowed.

    With two branches every combination of fillings is made, with more the like ones.
    """
    for name, first in FIRST.items():
        filled = [fillings(rule, first, y) for y in first.law]
        combined = product(*filled) if len(filled) == 2 else zip(*filled, strict=False)
        for chosen in combined:
            after = {y: {"ask": one} for y, (_, one) in zip(first.law, chosen, strict=True)}
            said = " or ".join(dict.fromkeys(label for label, _ in chosen))
            yield f"{name}, then {said}", game(Mechanism(first.law, after))


def interrupted(rule: Filter[Any]) -> Iterator[tuple[str, Game]]:
    """Yield rounds of the fullest response, each with another request that may be tried first.

    A filter that refuses a request must not forget what was spent before it.
    """
    knob = KNOBS["response"]
    setting = fullest(lambda s: runs_last(rule, game(knob(s)), (OPENING,)))
    for rounds in (3, 6) if setting else ():
        menu: dict[str, Mechanism] = {}
        for _ in range(rounds):
            same = knob(setting).law
            menu = {"ask": Mechanism(same, dict.fromkeys(same, menu)), "other": knob(setting / 2)}
        yield f"{rounds} x response({setting}), interrupted", game(menu)


def declaring(rule: Filter[Any]) -> Iterator[tuple[str, Game]]:
    """Yield one round of the fullest erasure that declares more odds than it needs.

    A filter that charges less for a larger ε_i runs one with δ_i > δ.
    """

    def play(odds: int, setting: Fraction) -> Game:
        return game(Mechanism(erasure(setting).law, stated=Declared(Fraction(odds), setting)))

    def runs(odds: int, setting: Fraction) -> bool:
        return runs_last(rule, play(odds, setting), (OPENING,))

    for odds in (2, 4, 10, 20, 50, 200, 1000):
        if setting := fullest(partial(runs, odds)):
            yield f"erasure({setting}) declared at odds {odds}", play(odds, setting)


def fillings(rule: Filter[Any], first: Mechanism, y: str) -> list[tuple[str, Mechanism]]:
    """Return, for every knob that can be turned up at all, the fullest mechanism after y."""

    def runs(knob: Knob, setting: Fraction) -> bool:
        filling = knob(setting)
        trial = game(Mechanism(first.law, {y: {"ask": filling}}))
        return runs_last(rule, trial, (OPENING, y, *outputs_within(filling)))

    settings = {name: fullest(partial(runs, knob)) for name, knob in KNOBS.items()}
    return [(f"{name}({s})", KNOBS[name](s)) for name, s in settings.items() if s]


def outputs_within(mechanism: Mechanism) -> Iterator[str]:
    """Yield the first output of each round but the last."""
    while mechanism.after:
        y, menu = next(iter(mechanism.after.items()))
        yield y
        mechanism = menu["ask"]


def fullest(runs: Callable[[Fraction], bool]) -> Fraction:
    """Return a setting that runs while the next higher one does not; 0 if none does."""
    low, high = 0, STEPS
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if runs(Fraction(middle, STEPS)) else (low, middle)
    return Fraction(low, STEPS)


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
