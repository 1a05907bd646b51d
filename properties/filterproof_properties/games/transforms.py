"""The same game in another order, under other names, or with more requests.

Each transform maps a game to a game that is at least as dangerous, so that a filter which only
handles the plain form is caught: it knows one order of the databases, looks at the first request,
or reads names.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from filterproof.game import Game, Mechanism
from filterproof.game.law import Law, Output
from filterproof.game.rows import REVEAL, SILENT
from filterproof_properties.games.editing import Menu, rebuild
from filterproof_properties.games.rows import spread
from filterproof_properties.games.thresholds import ONE

Transform = Callable[[Game], Game]


def with_law(mechanism: Mechanism, after: Mapping[Output, Menu], law: Law) -> Mechanism:
    """Return the mechanism with another law and continuation."""
    return Mechanism(law, after, mechanism.stated)


# --- names and order ----------------------------------------------------------------------------


def reverse_order(game: Game) -> Game:
    """List databases, outputs and requests in the opposite order."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        return with_law(m, after, {y: m.law[y] for y in reversed([*m.law])})

    menu = rebuild(game, change, lambda node, one, below: {r: one[r] for r in reversed([*one])})
    return Game(game.databases[::-1], game.pairs, menu)


def exchange_databases(game: Game) -> Game:
    """Exchange the roles of the first two databases."""
    names = dict(zip(game.databases, (game.databases[1], game.databases[0]), strict=False))

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {y: {x: row[names.get(x, x)] for x in row} for y, row in m.law.items()}
        return with_law(m, after, law)

    return Game(game.databases, game.pairs, rebuild(game, change))


PANGRAM = "The quick brown fox, jumps over 13 lazy dogs: "
"""Every letter, so that a filter which looks for one in a name finds it."""


def rename_all(game: Game) -> Game:
    """Give every database, output and request a long name."""

    def name(one: str) -> str:
        return PANGRAM + one

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {name(y): {name(x): p for x, p in row.items()} for y, row in m.law.items()}
        return with_law(m, {name(y): menu for y, menu in after.items()}, law)

    menu = rebuild(game, change, lambda node, one, below: {name(r): m for r, m in one.items()})
    pairs = [(name(x), name(x_)) for x, x_ in game.pairs]
    return Game([*map(name, game.databases)], pairs, menu)


# --- requests -----------------------------------------------------------------------------------


def add_decoy(first: bool) -> Transform:
    """Add to every menu a request that reveals everything, so that some request is refused."""

    def transform(game: Game) -> Game:
        reveal = _full(game)

        def add(node: int, menu: Menu, below: list[Menu]) -> Menu:
            if not menu:
                return menu
            return {"decoy": reveal, **menu} if first else {**menu, "decoy": reveal}

        return Game(game.databases, game.pairs, rebuild(game, menu_change=add))

    return transform


def add_harmless(count: int) -> Transform:
    """Put harmless requests before the real ones in every menu, also by their names."""

    def transform(game: Game) -> Game:
        law = spread(SILENT, game.databases, [0] * len(game.databases))
        harmless = {f"a{i}": Mechanism(law) for i in range(count)}

        def add(node: int, menu: Menu, below: list[Menu]) -> Menu:
            return {**harmless, **menu} if menu else menu

        return Game(game.databases, game.pairs, rebuild(game, menu_change=add))

    return transform


def _full(game: Game) -> Mechanism:
    if len(game.databases) == 2:
        return Mechanism(spread(REVEAL, game.databases, [0, 1]))
    return Mechanism(
        {x: {z: ONE if x == z else Fraction(0) for z in game.databases} for x in game.databases}
    )
