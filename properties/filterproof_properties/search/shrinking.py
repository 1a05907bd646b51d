"""From a violating case to the smallest convincing one that a person can read.

First the shortest run of its requests in which one tells all; then a budget that people set, and a
gap that can be seen; then rounds go, then requests, outputs and databases, then weights and
thresholds are made simple.  A candidate is judged exactly, by the
caller's predicate, and kept if it ranks before what there was.  No candidate is judged twice (two
are the same if a certificate would write them alike), and none of which it is known beforehand that
it cannot be better: even where everything is run it breaks the budget by too little, or not at all.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, permutations
from math import inf
from time import monotonic

from filterproof.certificate import canonical
from filterproof.exact import Epsilon, ExpLinear
from filterproof.fast import worst_case
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism, Promise, Request, children, node_after
from filterproof.game.json import game_to_json
from filterproof.game.law import Database, Law, Output, Pair
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

MOST_CANDIDATES = 2000
"""So many different candidates are looked at: ten times what a usual violation needs."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest violation that was found, and how many candidates the target was asked about."""

    found: Scored
    tried: int


def shrink(
    found: Scored,
    still: Still,
    *,
    budget_is_free: bool = False,
    most: int = MOST_CANDIDATES,
    until: float = inf,
    bounded: bool = True,
) -> Shrunk:
    """Return a violation that no single step makes more convincing (see `ranking.rank`).

    At most `most` candidates are looked at, and none after `until` (of the monotonic clock).  With
    `bounded` no filter can break a budget by more than the one that runs everything, as it is with
    H; what an odometer reports has no such bound.
    """
    budgets = BUDGETS if budget_is_free else ()
    steps = (short_run, *budgets, wider, *STRUCTURE, *WEIGHTS)
    shrinker = Shrinker(found, still, most, until, bounded)
    helped = True
    while helped:
        helped = sum(shrinker.repeat(candidates) for candidates in steps) > 0
    return Shrunk(shrinker.found, shrinker.tried)


class Shrinker:
    """The smallest violation so far, what was looked at, and how much may still be."""

    def __init__(self, found: Scored, still: Still, most: int, until: float, bounded: bool) -> None:
        self.found, self.still, self.left, self.until = found, still, most, until
        self.bounded = bounded
        self.tried = 0
        self.seen: set[tuple[str, Epsilon, Fraction, str]] = set()
        self.ceilings: dict[tuple[str, Epsilon], tuple[ExpLinear, Promise | None]] = {}

    def repeat(self, candidates: Candidates) -> bool:
        """Take steps of one kind for as long as they help; return whether any did."""
        steps = 0
        while self.improve(candidates(self.found.case)):
            steps += 1
        return steps > 0

    def improve(self, candidates: Iterator[Case]) -> bool:
        """Keep the first candidate that is better; return whether there is one."""
        now = rank(self.found)
        for candidate in candidates:
            if self.left <= 0 or monotonic() >= self.until:
                return False
            if at_best(candidate) >= now or not self.may_be_better(candidate, now):
                continue
            self.tried += 1
            judged = self.still(candidate)
            if judged is not None and rank(judged) < now:
                self.found = judged
                return True
        return False

    def may_be_better(self, candidate: Case, now: tuple[int, ...]) -> bool:
        """Whether a candidate is new, and better if the filter runs all of it."""
        written = canonical(game_to_json(candidate.game))
        parameters = repr(sorted(candidate.parameters.items()))
        key = written, candidate.epsilon, candidate.delta, parameters
        if key in self.seen:
            return False
        self.seen.add(key)
        self.left -= 1
        if not self.bounded:
            return True
        reached, own = self.ceiling(written, candidate)
        at_most = Scored(candidate, reached, own=own)
        return at_most.violated and rank(at_most) < now

    def ceiling(self, written: str, case: Case) -> tuple[ExpLinear, Promise | None]:
        """Return the H of running everything, which no filter exceeds, and its pair's promise."""
        key = written, case.epsilon
        if key not in self.ceilings:
            found = worst_case(RunAll(), case.game, case.epsilon)
            self.ceilings[key] = found.value, case.game.promises.get(found.pair)
        return self.ceilings[key]


# --- structure ------------------------------------------------------------------------------------


def start_later(case: Case) -> Iterator[Case]:
    """Begin the game at one of its later menus, the last ones first."""
    game = case.game
    for menu in game.nodes[:-1]:
        if menu:
            yield from valid(case, Game, game.databases, game.pairs, menu, game.promises)


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
                    yield from valid(case, _skip, case.game, menu.id, after.id)


def _skip(game: Game, node: int, after: int) -> Game:
    return rewrite(game, node, lambda menu, below: below[after])


Chances = tuple[Fraction, Fraction]
"""How probable an output is on the first database, and on all others."""
SURE: Chances = (Fraction(1), Fraction(1))
REVEALING: Chances = (Fraction(1), Fraction(0))
HARDLY_TELLING: Chances = (Fraction(9, 10), Fraction(179, 200))
"""This costs an epsilon of 1/20, so that twenty fit into a usual budget, and mostly goes on."""


def short_run(case: Case) -> Iterator[Case]:
    """Ask what says nothing, or hardly anything, a few times, then once what tells all.

    The shortest run comes first.  A budget object is not asked about rounds that cost nothing, so
    it does not count them; hence the rounds that hardly tell anything.
    """
    game = case.game
    telling = list(_telling_requests(game))
    asked = _longest_path(game)
    for length in range(len(asked)):
        for request, law in telling:
            for chances in (SURE, HARDLY_TELLING):
                menu = _run(game.databases, asked[:length], chances, {request: Mechanism(law)})
                yield from valid(case, Game, game.databases, game.pairs, menu, game.promises)


def _telling_requests(game: Game) -> Iterator[tuple[Request, Law]]:
    """Yield up to four requests that tell something, with a law that tells all and their own."""
    laws = {r: m.law for menu in game.nodes for r, m in menu.items() if not _says_nothing(m)}
    for request, law in islice(laws.items(), 4):
        yield request, _two_outputs(game.databases[0], game.databases, REVEALING)
        yield request, law


def _longest_path(game: Game) -> list[Request]:
    """Return what is asked on the way to an end that is farthest away."""
    asked, menu = [], game.menu
    while menu:
        ahead = [(r, node_after(m, y)) for r, m in menu.items() for y in m.law]
        request, menu = max(ahead, key=lambda turn: turn[1].depth)
        asked.append(request)
    return asked


def _run(
    databases: tuple[Database, ...], asked: list[Request], chances: Chances, last: Menu
) -> Menu:
    """Return the menu on which these are asked one after the other, and then the last one."""
    law = _two_outputs("-", databases, chances)
    for request in reversed(asked):
        last = {request: Mechanism(law, {"-": last})}
    return last


def _two_outputs(output: Output, databases: tuple[Database, ...], chances: Chances) -> Law:
    """Return a law of this output and, unless it is sure, of its opposite."""
    here = {x: chances[x != databases[0]] for x in databases}
    law = {output: here, f"not {output}": {x: 1 - p for x, p in here.items()}}
    return {y: row for y, row in law.items() if any(row.values())}


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
                yield from valid(case, _merge, case.game, menu.id, request, gone, into)


def _merge(game: Game, node: int, request: Request, gone: Output, into: Output) -> Game:
    return with_mechanism(game, node, request, lambda m: merge_outputs(m, gone, into))


def fewer_databases(case: Case) -> Iterator[Case]:
    """Leave one database out, or one pair of neighbours."""
    game = case.game
    if len(game.databases) > 2:
        for gone in game.databases:
            yield from valid(case, _drop_database, game, gone)
    unordered = [pair for pair in game.pairs if pair[0] < pair[1]]
    if len(unordered) > 1:
        for gone_pair in unordered:
            kept = [pair for pair in unordered if pair != gone_pair]
            promises = promises_without(game, {gone_pair, gone_pair[::-1]}.__contains__)
            yield from valid(case, Game, game.databases, kept, game.menu, promises)


def _drop_database(game: Game, gone: Database) -> Game:
    def change(mechanism: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        rows = {y: {x: p for x, p in row.items() if x != gone} for y, row in mechanism.law.items()}
        law = {y: row for y, row in rows.items() if any(row.values())}
        return Mechanism(law, {y: after[y] for y in law}, mechanism.stated)

    kept = [x for x in game.databases if x != gone]
    pairs = [pair for pair in game.pairs if gone not in pair]
    promises = promises_without(game, lambda pair: gone in pair)
    return Game(kept, pairs, rebuild(game, change), promises)


def promises_without(game: Game, is_gone: Callable[[Pair], bool]) -> dict[Pair, Promise]:
    """Return the promises to the pairs that are left."""
    return {pair: own for pair, own in game.promises.items() if not is_gone(pair)}


def no_statements(case: Case) -> Iterator[Case]:
    """Let a mechanism declare what it does by default."""
    for menu in case.game.nodes:
        for request, mechanism in menu.items():
            if mechanism.stated is not None:
                yield from valid(case, _drop_statement, case.game, menu.id, request)


def _drop_statement(game: Game, node: int, request: Request) -> Game:
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
"""Denominators that a person reads at a glance, the simplest first."""


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
                    yield from valid(case, _drop_symbol, case.game, menu.id, request, gone)


def _says_nothing(mechanism: Mechanism) -> bool:
    return all(len({*row.values()}) == 1 for row in mechanism.law.values())


def _drop_symbol(game: Game, node: int, request: Request, gone: Output) -> Game:
    law = game.nodes[node][request].law
    share = Fraction(1, len(law) - 1)
    even = {y: dict.fromkeys(row, share) for y, row in law.items() if y != gone}
    return with_law(game, node, request, even)


WEIGHTS: tuple[Candidates, ...] = (fewer_symbols, same_laws, simpler_weights)
BUDGETS: tuple[Candidates, ...] = (usual_budgets, simpler_delta)
