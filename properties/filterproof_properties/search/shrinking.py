"""From a violating case to the smallest one that a person can read.

Rounds go first, then requests, outputs and databases, then weights and thresholds are made
simple.  Every candidate is judged again, exactly, by the caller's predicate.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

from filterproof.exact import Epsilon, ExactError, Log
from filterproof.game import Game, Mechanism, Request, children, node_after
from filterproof.game.law import Database, Law, Output
from filterproof_properties.case import Case
from filterproof_properties.games.editing import (
    merged_outputs,
    rewrite,
    with_after,
    with_law,
    with_mechanism,
    without_request,
)

Judge = Callable[[Case], Case | None]
"""Returns the case (perhaps with other parameters) if it is still a violation, else None."""

Candidates = Callable[[Case], Iterator[Case]]


def shrink(case: Case, still: Judge, *, budget_is_free: bool = False, most: int = 2000) -> Case:
    """Return a case that is still a violation and that no single step makes simpler.

    At most `most` candidates are judged, so it ends even where judging never settles.
    """
    passes: tuple[Candidates, ...] = STRUCTURE + WEIGHTS
    if budget_is_free:
        passes += BUDGETS
    left = Allowance(most)
    smaller = True
    while smaller and left:
        smaller = False
        for candidates in passes:
            while left and (found := _first(candidates(case), case, still, left)) is not None:
                case, smaller = found, True
    return case


class Allowance:
    """How many candidates may still be judged."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __bool__(self) -> bool:
        return self.left > 0


def _first(candidates: Iterator[Case], case: Case, still: Judge, left: Allowance) -> Case | None:
    now = measure(case)
    while left:
        try:
            candidate = next(candidates)
        except StopIteration:
            return None
        if measure(candidate) >= now:
            continue
        left.left -= 1
        if (found := still(candidate)) is not None:
            return found
    return None


def measure(case: Case) -> tuple[int, ...]:
    """Return how large a case is: rounds, requests, outputs, databases, then digits.

    Every pass makes this smaller, so shrinking ends.
    """
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
        len({tuple(_rows(m.law)) for m in mechanisms}),
        digits,
        len(str(case.epsilon)) + len(str(case.delta)),
    )


def _rows(law: Law) -> Iterator[tuple[Any, ...]]:
    return ((y, *row.values()) for y, row in law.items())


def _valid(case: Case, make: Callable[..., Game], *arguments: Any) -> Iterator[Case]:
    """Yield the case with the changed game, if it is a game at all."""
    try:
        yield replace(case, game=make(*arguments))
    except ExactError:
        return


# --- structure ------------------------------------------------------------------------------------


def start_later(case: Case) -> Iterator[Case]:
    """Begin the game at one of its later menus, the last ones first."""
    game = case.game
    for menu in game.nodes[:-1]:
        if menu:
            yield from _valid(case, Game, game.databases, game.pairs, menu)


def end_earlier(case: Case) -> Iterator[Case]:
    """End the game after some output."""
    for menu in reversed(case.game.nodes):
        for request, mechanism in menu.items():
            for y, after in mechanism.after.items():
                if after:
                    yield from _valid(case, with_after, case.game, menu.id, request, y, {})


def skip_round(case: Case) -> Iterator[Case]:
    """Replace a menu by the menu after one of its outputs."""
    for menu in case.game.nodes:
        for mechanism in menu.values():
            for after in children(mechanism):
                if after:
                    yield from _valid(case, _skipped, case.game, menu.id, after.id)


def _skipped(game: Game, node: int, after: int) -> Game:
    return rewrite(game, node, lambda menu, below: below[after])


def fewer_requests(case: Case) -> Iterator[Case]:
    """Take one request off a menu."""
    for menu in reversed(case.game.nodes):
        for request in menu:
            yield from _valid(case, without_request, case.game, menu.id, request)


def fewer_outputs(case: Case) -> Iterator[Case]:
    """Merge one output into another, which keeps its continuation."""
    for menu in reversed(case.game.nodes):
        for request, mechanism in menu.items():
            for gone, into in permutations(mechanism.law, 2):
                yield from _valid(case, _merged, case.game, menu.id, request, gone, into)


def _merged(game: Game, node: int, request: Request, gone: Output, into: Output) -> Game:
    return with_mechanism(game, node, request, lambda m, below: merged_outputs(m, gone, into))


def fewer_databases(case: Case) -> Iterator[Case]:
    """Leave one database out, or one pair of neighbours."""
    game = case.game
    if len(game.databases) > 2:
        for gone in game.databases:
            yield from _valid(case, _without, game, gone)
    unordered = [pair for pair in game.pairs if pair[0] < pair[1]]
    if len(unordered) > 1:
        for gone_pair in unordered:
            kept = [pair for pair in unordered if pair != gone_pair]
            yield from _valid(case, Game, game.databases, kept, game.menu)


def _without(game: Game, gone: Database) -> Game:
    kept = [x for x in game.databases if x != gone]
    pairs = [pair for pair in game.pairs if gone not in pair]
    rebuilt: list[Mapping[str, Mechanism]] = []
    for menu in game.nodes:
        rebuilt.append({r: _narrowed(m, kept, rebuilt) for r, m in menu.items()})
    return Game(kept, pairs, rebuilt[-1])


def _narrowed(
    mechanism: Mechanism, kept: list[Database], rebuilt: list[Mapping[str, Mechanism]]
) -> Mechanism:
    rows = {y: {x: row[x] for x in kept} for y, row in mechanism.law.items()}
    law = {y: row for y, row in rows.items() if any(row.values())}
    after = {y: rebuilt[node_after(mechanism, y).id] for y in law}
    return Mechanism(law, after, mechanism.stated)


def no_statements(case: Case) -> Iterator[Case]:
    """Let a mechanism declare what it does by default."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            if mechanism.stated is not None:
                yield from _valid(case, _unstated, case.game, menu.id, request)


def _unstated(game: Game, node: int, request: Request) -> Game:
    return with_mechanism(game, node, request, lambda m, below: Mechanism(m.law, m.after))


STRUCTURE: tuple[Candidates, ...] = (
    end_earlier,
    start_later,
    skip_round,
    fewer_requests,
    fewer_outputs,
    fewer_databases,
    no_statements,
)

# --- weights and thresholds -----------------------------------------------------------------------


def same_laws(case: Case) -> Iterator[Case]:
    """Use one law in two places."""
    laws = {tuple(_rows(m.law)): m.law for menu in case.game.nodes for m in menu.values()}
    for menu in case.game.nodes:
        for request in menu:
            for law in laws.values():
                yield from _valid(case, with_law, case.game, menu.id, request, law)


def simpler_weights(case: Case) -> Iterator[Case]:
    """Replace probabilities by simpler ones, the rest of a law making up for it."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            for law in _simpler_laws(mechanism.law):
                yield from _valid(case, with_law, case.game, menu.id, request, law)


GRIDS = (1, 2, 3, 4, 5, 8, 10, 16, 20, 100, 1000)


def _simpler_laws(law: Law) -> Iterator[Law]:
    databases = [*next(iter(law.values()))]
    for grid in GRIDS:
        yield _on_grid(law, databases, grid)
    for x in databases:
        for grid in GRIDS:
            yield _on_grid(law, [x], grid)


def _on_grid(law: Law, some: list[Database], grid: int) -> Law:
    """Round the probabilities of some databases to multiples of 1/grid; the last output closes."""
    rows = {y: dict(row) for y, row in law.items()}
    *free, last = rows
    for x in some:
        for y in free:
            rows[y][x] = Fraction(round(rows[y][x] * grid), grid)
        rows[last][x] = 1 - sum((rows[y][x] for y in free), Fraction(0))
    return {y: row for y, row in rows.items() if any(row.values())}


def simpler_epsilon(case: Case) -> Iterator[Case]:
    """Try a simpler ε."""
    simple: tuple[Epsilon, ...] = (Fraction(0), Fraction(1), *map(Log, map(Fraction, (2, 3, 4))))
    return (replace(case, epsilon=epsilon) for epsilon in simple)


def simpler_delta(case: Case) -> Iterator[Case]:
    """Try a simpler δ."""
    return (replace(case, delta=Fraction(round(case.delta * grid), grid)) for grid in GRIDS)


def fewer_symbols(case: Case) -> Iterator[Case]:
    """Give a round that says nothing one equally likely output less, at the same or a larger δ."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            if len(mechanism.law) > 1 and _says_nothing(mechanism):
                for gone in mechanism.law:
                    for delta in (case.delta, *ROOMY):
                        moved = replace(case, delta=max(delta, case.delta))
                        yield from _valid(moved, _evened, case.game, menu.id, request, gone)


ROOMY = (Fraction(2, 3), Fraction(3, 4), Fraction(9, 10))


def _says_nothing(mechanism: Mechanism) -> bool:
    return all(len({*row.values()}) == 1 for row in mechanism.law.values())


def _evened(game: Game, node: int, request: Request, gone: Output) -> Game:
    law = game.nodes[node][request].law
    share = Fraction(1, len(law) - 1)
    even = {y: dict.fromkeys(row, share) for y, row in law.items() if y != gone}
    return with_law(game, node, request, even)


WEIGHTS: tuple[Candidates, ...] = (same_laws, simpler_weights)
BUDGETS: tuple[Candidates, ...] = (fewer_symbols, simpler_epsilon, simpler_delta)
