"""Games made to measure for one filter, along one path: each round as full as it allows.

A filter may allow too much in one round at an unusual budget, too much in a row (each round is
filled after the ones before it), too much to a mechanism that declares more than it needs, or
forget what was spent when it refuses a request in between.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from filterproof.exact import Epsilon, Log
from filterproof.filter import Filter
from filterproof.game import OPENING, Game, Mechanism
from filterproof.game.law import Declared
from filterproof.game.palette import erasure, game, response
from filterproof_properties.case import Case
from filterproof_properties.search.dials import HALF, KNOBS, Knob, fullest, fullest_first, runs_last

ROUNDS = 6
ODDS = (2, 4, 10, 20, 50, 200, 1000)

EPSILONS: tuple[Epsilon, ...] = (
    Log(Fraction(2)),
    Fraction(4),
    Fraction(1, 10),
    Fraction(2),
    Log(Fraction(100)),
    Fraction(8),
    Fraction(0),
    Fraction(60),
)
DELTAS = tuple(map(Fraction, ("1/10", "4/5", "1/1000", "1/3", "0", "99/100", "1/1000000", "1/40")))

Play = tuple[str, Game]


def march_cases(rule: Filter[Any], epsilon: Epsilon, delta: Fraction) -> Iterator[Case]:
    """Yield games along one path that are made for this filter.

    >>> from filterproof.filters.additive import Additive
    >>> cases = march_cases(Additive(Fraction(1), Fraction(0)), Fraction(1), Fraction(0))
    >>> [next(cases).name for _ in range(2)][1:]
    ['march: 6 x response(473/1024), interrupted']
    """
    for name, play in chain(interrupted(rule), declaring(rule), marching(rule)):
        yield Case(f"march: {name}", play, epsilon, delta)


def single_cases(rule: Filter[Any], epsilon: Epsilon, delta: Fraction) -> Iterator[Case]:
    """Yield one round of each kind, as full as this filter allows."""
    for name, knob in KNOBS.items():
        if setting := fullest_first(rule, knob):
            yield Case(f"single: {name}({setting})", game(knob(setting)), epsilon, delta)


def interrupted(rule: Filter[Any]) -> Iterator[Play]:
    """Yield rounds of the fullest response, each with another request that may be tried first.

    A filter that refuses a request must not forget what was spent before it.
    """
    knob = KNOBS["response"]
    setting = fullest_first(rule, knob)
    for rounds in (3, ROUNDS) if setting else ():
        menu: dict[str, Mechanism] = {}
        for _ in range(rounds):
            same = knob(setting).law
            menu = {"ask": Mechanism(same, dict.fromkeys(same, menu)), "other": knob(setting / 2)}
        yield f"{rounds} x response({setting}), interrupted", game(menu)


def declaring(rule: Filter[Any]) -> Iterator[Play]:
    """Yield one round that declares more than it needs, as full as it runs.

    A filter may charge less for a larger ε_i, or correct both numbers of a loose pair where only
    one of them can be corrected at a time.
    """
    knobs: dict[str, Knob] = {f"erasure at odds {odds}": partial(large, odds) for odds in ODDS}
    for name, knob in {**knobs, "response, declared loosely": loose}.items():
        if setting := fullest_first(rule, knob):
            yield f"{name} ({setting})", game(knob(setting))


def large(odds: int, d: Fraction) -> Mechanism:
    """An erasure that declares these odds besides its δ_i."""
    return Mechanism(erasure(d).law, stated=Declared(Fraction(odds), d))


def loose(setting: Fraction) -> Mechanism:
    """A response that declares more than its odds and the δ_i that would do without any."""
    p = HALF + setting / 2
    return Mechanism(response(p).law, stated=Declared(2 * p / (1 - p), setting))


def marching(rule: Filter[Any]) -> Iterator[Play]:
    """Yield several rounds, each turned up as far as the filter allows after those before it.

    The path goes on after the first output of every round, or after the last.
    """
    for name, knob in KNOBS.items():
        for side, where in ((0, "loud"), (-1, "quiet")) if not knob(HALF).after else ():
            rounds = march(rule, knob, side)
            if len(rounds) > 1:
                yield f"{len(rounds)} x {name}, {where}", game(linked(rounds, side))


def march(rule: Filter[Any], knob: Knob, side: int) -> list[Mechanism]:
    """Return the rounds, up to the first that cannot be run at all."""
    rounds: list[Mechanism] = []

    def runs(setting: Fraction) -> bool:
        path = [*rounds, knob(setting)]
        outputs = (OPENING, *([*one.law][side] for one in rounds))
        return runs_last(rule, game(linked(path, side)), outputs)

    while len(rounds) < ROUNDS and (setting := fullest(runs)):
        rounds.append(Mechanism(knob(setting).law))
    return rounds


def linked(rounds: list[Mechanism], side: int) -> Mechanism:
    """Return the first round, followed by the second after its first or last output, and so on."""
    last = rounds[-1]
    for one in reversed(rounds[:-1]):
        last = Mechanism(one.law, {[*one.law][side]: {"ask": last}})
    return last
