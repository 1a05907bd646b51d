"""Local search: from one case to a worse one, by small changes that are kept while they help.

The score of a case is exact (H), and so is every game on the way.  `climb` tries random moves and
keeps the best case of every kind.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from fractions import Fraction

from filterproof.exact import ExactError
from filterproof.game import Game, Mechanism
from filterproof.game.rows import REVEAL, SILENT
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.drawn import (
    Choose,
    law_rows,
    pick,
    probability,
    spread,
)
from filterproof_properties.games.editing import (
    moved_mass,
    with_after,
    with_law,
    with_request,
    without_request,
)
from filterproof_properties.games.strategies import draw_delta, draw_epsilon

MOST_MENUS = 40
MOST_ENDS = 6


# --- random moves -------------------------------------------------------------------------------


Elites = dict[object, Scored]
"""The best case of each kind: one that uses the budget up must not crowd out the others."""


def kind_of(case: Case) -> object:
    """Return what must differ for two cases to be kept side by side."""
    widest = max(len(menu) for menu in case.game.nodes)
    return case.game.depth, widest, tuple(map(str, case.parameters.items()))


def keep(elites: Elites, found: Scored | None) -> None:
    """Keep a case if it is at least as good as the one of its kind."""
    if found is None:
        return
    kind = kind_of(found.case)
    if kind not in elites or found.beats(elites[kind]):
        elites[kind] = found


def climb(
    elites: Elites, choose: Choose, steps: int, free: bool
) -> Generator[Case, Scored | None, None]:
    """Change one of the kept cases at random, again and again; `free` lets the budget move too."""
    for _ in range(steps if elites else 0):
        start = pick(choose, [*elites.values()])
        try:
            case = moved(start.case, choose, free)
        except ExactError:
            continue
        keep(elites, (yield case))


def moved(case: Case, choose: Choose, free: bool) -> Case:
    """Return the case with one random change."""
    moves = (reweigh, replace_law, graft, add_request, copy_law, drop_request, share_menu)
    if free and choose(4) == 3:
        return rebudget(case, choose)
    game = pick(choose, moves)(case.game, choose, pool_of(case))
    return replace(case, game=game)


def pool_of(case: Case) -> list[Fraction]:
    """Return the thresholds of a case that are proper probabilities."""
    values = [case.delta, *(v for v in case.parameters.values() if isinstance(v, Fraction))]
    return [v for v in values if 0 < v < 1]


def rebudget(case: Case, choose: Choose) -> Case:
    """Move one part of the budget to a value that the game realises."""
    if choose(2):
        return replace(case, epsilon=draw_epsilon(choose, case.game))
    return replace(case, delta=draw_delta(choose, case.game, case.epsilon))


def place(game: Game, choose: Choose) -> tuple[int, str]:
    """Pick a menu with requests, and one of them."""
    node = pick(choose, [menu for menu in game.nodes if menu])
    return node.id, pick(choose, [*node])


def fresh_law(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Mechanism:
    """Draw a mechanism: silent, reveal, or one of the palette."""
    rows = pick(choose, (SILENT, REVEAL, None, None)) or law_rows(choose, pool)
    count = len(game.databases)
    sides = (0, 1) if count == 2 else tuple(choose(2) for _ in range(count))
    return Mechanism(spread(rows, game.databases, sides))


def reweigh(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Move probability from one output to another, under one database or all."""
    node, request = place(game, choose)
    law = game.nodes[node][request].law
    source, to = pick(choose, [*law]), pick(choose, [*law])
    if source == to:
        return game
    share = probability(choose, pool)
    some = game.databases if choose(2) else [pick(choose, game.databases)]
    for x in some:
        if source in law:
            law = moved_mass(law, x, source, to, law[source][x] * share)
    return with_law(game, node, request, law)


def replace_law(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Replace one law by a fresh one."""
    node, request = place(game, choose)
    return with_law(game, node, request, fresh_law(game, choose, pool).law)


def copy_law(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Replace one law by another law of the game."""
    node, request = place(game, choose)
    other, chosen = place(game, choose)
    return with_law(game, node, request, game.nodes[other][chosen].law)


def graft(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Let one output be followed by one more round."""
    node, request = place(game, choose)
    y = pick(choose, [*game.nodes[node][request].law])
    after = game.nodes[node][request].after[y]
    name = pick(choose, ("ask", y, "0", "1"))
    menu = {**(after if choose(2) else {}), name: fresh_law(game, choose, pool)}
    return with_after(game, node, request, y, menu)


def share_menu(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Let one output be followed by a menu that occurs elsewhere below."""
    node, request = place(game, choose)
    y = pick(choose, [*game.nodes[node][request].law])
    return with_after(game, node, request, y, pick(choose, game.nodes[: node or 1]))


def add_request(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Put one more request on offer, fresh or a copy; siblings of the menu get a silent twin."""
    node, request = place(game, choose)
    menu = game.nodes[node]
    name = pick(choose, ["new", "0", "1", "2", f"r{len(menu)}"])
    mechanism = fresh_law(game, choose, pool) if choose(2) else menu[request]
    return with_request(game, node, name, Mechanism(mechanism.law, mechanism.after))


def drop_request(game: Game, choose: Choose, pool: Sequence[Fraction]) -> Game:
    """Take one request off a menu."""
    node, request = place(game, choose)
    return without_request(game, node, request)
