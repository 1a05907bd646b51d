"""What makes a counterexample convincing: a budget that somebody would set, a gap one can see.

`rank` orders violations: first those that are more than rounding errors, then those at budgets
that people use, then those with a gap that can be seen, then the small ones (`measure`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExactError, ExpLinear, Log
from filterproof.game import Game, Mechanism
from filterproof.game.law import Law, Output
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.editing import Menu, rebuild, with_law

EPSILONS: tuple[Epsilon, ...] = (
    Fraction(1),
    Log(Fraction(2)),
    Fraction(1, 2),
    Fraction(2),
    Log(Fraction(3)),
    Fraction(3),
    Fraction(4),
    Fraction(1, 10),
    Fraction(8),
)
DELTAS = tuple(map(Fraction, ("1/100", "1/10", "1/1000", "1/100000", "1/1000000", "1/1000000000")))
"""Budgets that people set, the most readable first."""
LARGEST = Fraction(10)
"""Nobody sets a larger ε and calls it private."""

GAPS = (Fraction(1, 2), Fraction(1, 20), Fraction(1, 2**30))
"""Shares of δ: an excess is seen at a glance, or on a second look, or is more than rounding."""


def rank(found: Scored) -> tuple[int, ...]:
    """Return how convincing a violation is; smaller is better."""
    gap = hairline(found)
    budget = oddness(found.case.epsilon, found.case.delta)
    return (int(gap == len(GAPS)), budget, gap, *measure(found.case))


def at_best(case: Case) -> tuple[int, ...]:
    """Return the rank that a case has if its gap is a wide one."""
    return (0, oddness(case.epsilon, case.delta), 0, *measure(case))


def oddness(epsilon: Epsilon, delta: Fraction) -> int:
    """Return 0 for a budget that somebody would set, 1 at δ = 0, 2 at a large δ, 3 at odd ε.

    >>> [oddness(Fraction(e), Fraction(d)) for e, d in ((1, "1e-6"), (1, 0), (1, "2/3"), (60, 0))]
    [0, 1, 2, 3]
    """
    if not _usual(epsilon):
        return 3
    if delta > Fraction(1, 10):
        return 2
    return int(delta == 0)


def _usual(epsilon: Epsilon) -> bool:
    if isinstance(epsilon, Log):
        return epsilon.argument > 1 and ExpLinear(-epsilon.argument, Fraction(1), LARGEST) >= 0
    return 0 < epsilon <= LARGEST


def hairline(found: Scored) -> int:
    """Return 0 for an excess that is seen at a glance, up to 3 for one like a rounding error."""
    excess = found.value - found.delta
    unit = found.delta or Fraction(1, 50)
    return sum(not excess >= share * unit for share in GAPS)


def measure(case: Case) -> tuple[int, ...]:
    """Return how large a case is: rounds, requests, outputs, databases, then digits."""
    game = case.game
    mechanisms = [m for menu in game.nodes for m in menu.values()]
    digits = sum(
        len(str(p)) - (p in (0, 1))
        for m in mechanisms
        for row in m.law.values()
        for p in row.values()
    )
    return (
        game.depth,
        sum(len(menu) for menu in game.nodes),
        sum(len(m.law) for m in mechanisms),
        len(game.databases),
        len(game.pairs),
        sum(m.stated is not None for m in mechanisms),
        len({tuple(rows(m.law)) for m in mechanisms}),
        digits,
        len(str(case.epsilon)) + len(str(case.delta)),
    )


def rows(law: Law) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a law, each with its output."""
    return ((y, *row.values()) for y, row in law.items())


# --- budgets ------------------------------------------------------------------------------------


def usual_budgets(case: Case) -> Iterator[Case]:
    """Move to a budget that people set: the same game, or its risks scaled to the new δ."""
    for epsilon in (case.epsilon, *EPSILONS):
        for delta in DELTAS:
            moved = replace(case, epsilon=epsilon, delta=delta)
            yield moved
            if delta < case.delta:
                share = delta / case.delta
                yield from valid(moved, _play_seldom, case.game, share)
                yield from valid(moved, _dilute, case.game, share)


def _play_seldom(game: Game, share: Fraction) -> Game:
    """Return the game that is played with this probability, and else ends after round 1."""
    menu = {r: _run_rarely(mechanism, share) for r, mechanism in game.menu.items()}
    return Game(game.databases, game.pairs, menu, game.promises)


def _run_rarely(mechanism: Mechanism, share: Fraction) -> Mechanism:
    scaled = {y: {x: p * share for x, p in row.items()} for y, row in mechanism.law.items()}
    nothing = next(name for name in ("?", "-", "nothing") if name not in mechanism.law)
    silent = dict.fromkeys(next(iter(scaled.values())), 1 - share)
    return Mechanism({**scaled, nothing: silent}, mechanism.after)


def _dilute(game: Game, share: Fraction) -> Game:
    """Return the game in which every telling round tells something with this probability only."""

    def change(mechanism: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        return Mechanism(dilute_law(mechanism.law, share), after)

    return Game(game.databases, game.pairs, rebuild(game, change), game.promises)


def dilute_law(law: Law, share: Fraction) -> Law:
    """Give all but this share of the probability to the output that is likely everywhere.

    With a share above 1 that output gives to the others, as much as it has.
    """
    if all(len({*row.values()}) == 1 for row in law.values()):
        return law
    blank = max(law, key=lambda y: min(law[y].values()))
    told = 1 - min(law[blank].values())
    share = min(share, 1 / told)
    scaled = {y: {x: p * share for x, p in row.items()} for y, row in law.items()}
    return {**scaled, blank: {x: p + 1 - share for x, p in scaled[blank].items()}}


# --- a wider gap --------------------------------------------------------------------------------


def wider(case: Case) -> Iterator[Case]:
    """Turn one round up or down, or play the last rounds once more: the gap may open."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            for factor in FACTORS:
                law = turn_law(mechanism.law, factor)
                yield from valid(case, with_law, case.game, menu.id, request, law)


FACTORS = (Fraction(2), Fraction(3, 2), Fraction(1, 2), Fraction(9, 8), Fraction(3, 4))
"""By how much one round is turned: doubling opens most gaps, an eighth the narrow ones."""


def turn_law(law: Law, factor: Fraction) -> Law:
    """Move every row away from its mean, or towards it, as far as probabilities allow."""
    means = {y: sum(row.values(), Fraction(0)) / len(row) for y, row in law.items()}
    gaps = [(means[y], p - means[y]) for y, row in law.items() for p in row.values()]
    most = min((mean / -gap for mean, gap in gaps if gap < 0), default=Fraction(1))
    by = min(factor, most)
    return {
        y: {x: means[y] + by * (p - means[y]) for x, p in row.items()} for y, row in law.items()
    }


TURNS = tuple(Fraction(*by) for by in ((9, 8), (5, 4), (3, 2), (2, 1), (4, 1)))
"""By how much a play is turned up until it is over the budget."""


def turn_up(game: Game, factor: Fraction) -> Game:
    """Return the game whose laws tell more: by this factor, or as often."""

    def louder(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = turn_law(m.law, factor)
        more = dilute_law(m.law, factor) if law == m.law else law
        kept = {y: row for y, row in more.items() if any(row.values())}
        return Mechanism(kept, {y: after[y] for y in kept})

    return Game(game.databases, game.pairs, rebuild(game, louder), game.promises)


def valid(case: Case, make: Callable[..., Game], *arguments: Any) -> Iterator[Case]:
    """Yield the case with the changed game, if it is a game at all."""
    try:
        yield replace(case, game=make(*arguments))
    except ExactError:
        return
