"""The exact distribution of transcripts under every deterministic adversary, one by one.

This shares no code with the backward induction: it writes down whole transcript distributions, and
tries every event.  It is the definition of an (eps, delta)-DP filter, literally, for small games.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import Game, Step, opening

Masses = Mapping[str, Fraction]
Transcript = tuple[Any, ...]
Distribution = dict[Transcript, Masses]


MOST_TRANSCRIPTS = 8
"""Every one of the 2^8 events of so many transcripts is tried; of more that takes seconds."""


@dataclass(frozen=True)
class Here:
    """The adversary is to move after `step` released `y`."""

    step: Step
    y: str
    state: Hashable
    masses: Masses
    said: Transcript = ()
    refused: frozenset[str] = frozenset()


def distributions(rule: Filter[Any], game: Game, *, may_stop: bool) -> Iterator[Distribution]:
    """Yield, for each deterministic adversary, the law of its full transcript per database."""
    step = opening(game)
    decision, state = ask(rule, start(rule), step)
    masses = dict.fromkeys(game.databases, Fraction(1))
    if decision is not Decision.CONTINUE:
        return iter([{(): masses}])
    return moves(rule, Here(step, "⊥", observe(rule, state, step, "⊥"), masses), may_stop)


def moves(rule: Filter[Any], here: Here, may_stop: bool) -> Iterator[Distribution]:
    """Yield the distributions of every way to go on from here."""
    menu = here.step.mechanism.after[here.y]
    left = [r for r in menu if r not in here.refused]
    if may_stop or not left:
        yield {here.said: here.masses}
    for request in left:
        yield from answers(rule, here, request, may_stop)


def answers(rule: Filter[Any], here: Here, request: str, may_stop: bool) -> Iterator[Distribution]:
    """Yield the distributions after one request."""
    step = here.step.next(here.y, request)
    decision, state = ask(rule, here.state, step)
    said = (*here.said, (request, str(decision)))
    if decision is Decision.HALT:
        yield {said: here.masses}
        return
    if decision is Decision.REFUSE:
        refused = here.refused | {request}
        again = Here(here.step, here.y, state, here.masses, said, refused)
        yield from moves(rule, again, may_stop)
        return
    released = []
    for y, row in step.mechanism.law.items():
        masses = {x: here.masses[x] * p for x, p in row.items()}
        released.append(Here(step, y, observe(rule, state, step, y), masses, (*said, y)))
    if decision is Decision.LAST:
        yield {one.said: one.masses for one in released}
        return
    for combination in product(*(list(moves(rule, one, may_stop)) for one in released)):
        yield {t: masses for part in combination for t, masses in part.items()}


def enumerate_worst(
    rule: Filter[Any], game: Game, epsilon: Epsilon, limit: int
) -> ExpLinear | None:
    """Return the largest P_x(S) - e^eps*P_x'(S) over adversaries, pairs and *all* events S.

    None if there are more than `limit` adversaries, or more than 2^8 events for one of them.
    """
    found = list(islice(distributions(rule, game, may_stop=False), limit + 1))
    if len(found) > limit or any(len(one) > MOST_TRANSCRIPTS for one in found):
        return None
    return max(
        best_event([(m[x], m[x_]) for m in one.values()], epsilon)
        for one in found
        for x, x_ in game.pairs
    )


def best_event(points: list[tuple[Fraction, Fraction]], epsilon: Epsilon) -> ExpLinear:
    """Try every subset of the transcripts."""
    return max(
        ExpLinear(sum(p for p, _ in event), -sum(q for _, q in event), epsilon)
        for size in range(len(points) + 1)
        for event in combinations(points, size)
    )
