"""From a violating case to the smallest convincing one that a person can read.

First a budget that people set, and a gap that can be seen; then rounds go, then requests, outputs
and databases, then weights and thresholds are made simple.  Every candidate is judged again,
exactly, by the caller's predicate, and kept if it ranks before what there was.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import inf
from time import monotonic

from filterproof.game import Game, Mechanism, Request, children
from filterproof.game.law import Database, Law, Output
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.editing import (
    Menu,
    merge_outputs,
    rebuild,
    rewrite,
    with_after,
    with_law,
    with_mechanism,
    without_request,
)
from filterproof_properties.search.ranking import (
    at_best,
    rank,
    rows,
    usual_budgets,
    valid,
    wider,
)

Still = Callable[[Case], Scored | None]
"""Returns the H of the case (perhaps with other parameters) if it is a violation, else None."""

Candidates = Callable[[Case], Iterator[Case]]


def shrink(
    found: Scored,
    still: Still,
    *,
    budget_is_free: bool = False,
    most: int = 2000,
    until: float = inf,
) -> Scored:
    """Return a violation that no single step makes more convincing (see `readable.rank`).

    At most `most` candidates are judged, and none after `until` (of the monotonic clock).
    """
    left = Allowance(most, until)
    smaller = True
    while smaller and left:
        smaller = False
        for candidates in (*(BUDGETS if budget_is_free else ()), wider, *STRUCTURE, *WEIGHTS):
            while better := _better(candidates(found.case), found, still, left):
                found, smaller = better, True
    return found


class Allowance:
    """How many candidates may still be judged, and until when."""

    def __init__(self, most: int, until: float) -> None:
        self.left, self.until = most, until

    def __bool__(self) -> bool:
        return self.left > 0 and monotonic() < self.until


def _better(
    candidates: Iterator[Case], found: Scored, still: Still, left: Allowance
) -> Scored | None:
    now = rank(found)
    for candidate in candidates:
        if not left:
            return None
        if at_best(candidate) >= now:
            continue
        left.left -= 1
        judged = still(candidate)
        if judged is not None and rank(judged) < now:
            return judged
    return None


# --- structure ------------------------------------------------------------------------------------


def start_later(case: Case) -> Iterator[Case]:
    """Begin the game at one of its later menus, the last ones first."""
    game = case.game
    for menu in game.nodes[:-1]:
        if menu:
            yield from valid(case, Game, game.databases, game.pairs, menu)


def end_earlier(case: Case) -> Iterator[Case]:
    """End the game after some output."""
    for menu in reversed(case.game.nodes):
        for request, mechanism in menu.items():
            for y, after in mechanism.after.items():
                if after:
                    yield from valid(case, with_after, case.game, menu.id, request, y, {})


def skip_round(case: Case) -> Iterator[Case]:
    """Replace a menu by the menu after one of its outputs."""
    for menu in case.game.nodes:
        for mechanism in menu.values():
            for after in children(mechanism):
                if after:
                    yield from valid(case, _skipped, case.game, menu.id, after.id)


def _skipped(game: Game, node: int, after: int) -> Game:
    return rewrite(game, node, lambda menu, below: below[after])


def fewer_requests(case: Case) -> Iterator[Case]:
    """Take one request off a menu."""
    for menu in reversed(case.game.nodes):
        for request in menu:
            yield from valid(case, without_request, case.game, menu.id, request)


def fewer_outputs(case: Case) -> Iterator[Case]:
    """Merge one output into another, which keeps its continuation."""
    for menu in reversed(case.game.nodes):
        for request, mechanism in menu.items():
            for gone, into in permutations(mechanism.law, 2):
                yield from valid(case, _merged, case.game, menu.id, request, gone, into)


def _merged(game: Game, node: int, request: Request, gone: Output, into: Output) -> Game:
    return with_mechanism(game, node, request, lambda m: merge_outputs(m, gone, into))


def fewer_databases(case: Case) -> Iterator[Case]:
    """Leave one database out, or one pair of neighbours."""
    game = case.game
    if len(game.databases) > 2:
        for gone in game.databases:
            yield from valid(case, _without, game, gone)
    unordered = [pair for pair in game.pairs if pair[0] < pair[1]]
    if len(unordered) > 1:
        for gone_pair in unordered:
            kept = [pair for pair in unordered if pair != gone_pair]
            yield from valid(case, Game, game.databases, kept, game.menu)


def _without(game: Game, gone: Database) -> Game:
    def change(mechanism: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        rows = {y: {x: p for x, p in row.items() if x != gone} for y, row in mechanism.law.items()}
        law = {y: row for y, row in rows.items() if any(row.values())}
        return Mechanism(law, {y: after[y] for y in law}, mechanism.stated)

    kept = [x for x in game.databases if x != gone]
    pairs = [pair for pair in game.pairs if gone not in pair]
    return Game(kept, pairs, rebuild(game, change))


def no_statements(case: Case) -> Iterator[Case]:
    """Let a mechanism declare what it does by default."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            if mechanism.stated is not None:
                yield from valid(case, _unstated, case.game, menu.id, request)


def _unstated(game: Game, node: int, request: Request) -> Game:
    return with_mechanism(game, node, request, lambda m: Mechanism(m.law, m.after))


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
    laws = {tuple(rows(m.law)): m.law for menu in case.game.nodes for m in menu.values()}
    for menu in case.game.nodes:
        for request in menu:
            for law in laws.values():
                yield from valid(case, with_law, case.game, menu.id, request, law)


def simpler_weights(case: Case) -> Iterator[Case]:
    """Replace probabilities by simpler ones, the rest of a law making up for it."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            for law in _simpler_laws(mechanism.law):
                yield from valid(case, with_law, case.game, menu.id, request, law)


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


def simpler_delta(case: Case) -> Iterator[Case]:
    """Try a simpler δ, or none."""
    return (replace(case, delta=Fraction(round(case.delta * grid), grid)) for grid in GRIDS)


def fewer_symbols(case: Case) -> Iterator[Case]:
    """Give a round that says nothing one equally likely output less."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            if len(mechanism.law) > 1 and _says_nothing(mechanism):
                for gone in mechanism.law:
                    yield from valid(case, _evened, case.game, menu.id, request, gone)


def _says_nothing(mechanism: Mechanism) -> bool:
    return all(len({*row.values()}) == 1 for row in mechanism.law.values())


def _evened(game: Game, node: int, request: Request, gone: Output) -> Game:
    law = game.nodes[node][request].law
    share = Fraction(1, len(law) - 1)
    even = {y: dict.fromkeys(row, share) for y, row in law.items() if y != gone}
    return with_law(game, node, request, even)


WEIGHTS: tuple[Candidates, ...] = (fewer_symbols, same_laws, simpler_weights)
BUDGETS: tuple[Candidates, ...] = (usual_budgets, simpler_delta)
