"""The same attack in another dress: renamed, delayed, with more databases, requests or claims.

Each disguise maps a game to a game that is at least as dangerous, so that a filter which only
handles the plain form is caught: it knows one order of the databases, counts rounds from the
start, looks at the first request, or trusts what a mechanism declares.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Law, Output, Pair
from filterproof.game.rows import REVEAL, SILENT
from filterproof_properties.games.drawn import declared_at_odds, spread
from filterproof_properties.games.editing import Menu, rebuilt
from filterproof_properties.games.thresholds import ONE

Disguise = Callable[[Game], Game]


def with_law(mechanism: Mechanism, after: Mapping[Output, Menu], law: Law) -> Mechanism:
    """Return the mechanism with another law and continuation."""
    return Mechanism(law, after, mechanism.stated)


# --- names and order ----------------------------------------------------------------------------


def swapped(game: Game) -> Game:
    """List databases, outputs and requests in the opposite order."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        return with_law(m, after, {y: m.law[y] for y in reversed([*m.law])})

    menu = rebuilt(game, change, lambda node, one, below: {r: one[r] for r in reversed([*one])})
    return Game(game.databases[::-1], game.pairs, menu)


def mirrored(game: Game) -> Game:
    """Exchange the roles of the first two databases."""
    names = dict(zip(game.databases, (game.databases[1], game.databases[0]), strict=False))

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {y: {x: row[names.get(x, x)] for x in row} for y, row in m.law.items()}
        return with_law(m, after, law)

    return Game(game.databases, game.pairs, rebuilt(game, change))


PANGRAM = "The quick brown fox, jumps over 13 lazy dogs: "
"""Every letter, so that a filter which looks for one in a name finds it."""


def renamed(game: Game) -> Game:
    """Give every database, output and request a long name."""

    def name(one: str) -> str:
        return PANGRAM + one

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {name(y): {name(x): p for x, p in row.items()} for y, row in m.law.items()}
        return with_law(m, {name(y): menu for y, menu in after.items()}, law)

    menu = rebuilt(game, change, lambda node, one, below: {name(r): m for r, m in one.items()})
    pairs = [(name(x), name(x_)) for x, x_ in game.pairs]
    return Game([*map(name, game.databases)], pairs, menu)


# --- time ---------------------------------------------------------------------------------------


def delayed(rounds: int, rows: Mapping[Output, tuple[Fraction, ...]] = SILENT) -> Disguise:
    """Put quiet rounds before the game."""

    def disguise(game: Game) -> Game:
        law = spread(dict(rows), game.databases, [0] * len(game.databases))
        menu: Menu = game.menu
        for _ in range(rounds):
            menu = {"ask": Mechanism(law, dict.fromkeys(law, menu))}
        return Game(game.databases, game.pairs, menu)

    return disguise


# --- databases ----------------------------------------------------------------------------------


def among(sides: Sequence[int], neighbours: Sequence[Pair]) -> Disguise:
    """Play a game of two databases among several, each of which behaves like one of the two."""

    def disguise(game: Game) -> Game:
        names = [str(i) for i in range(len(sides))]
        twins = {x: game.databases[side] for x, side in zip(names, sides, strict=True)}
        menu = rebuilt(game, lambda m, after: with_law(m, after, _copied(m.law, twins)))
        return Game(names, neighbours, menu)

    return disguise


def _copied(law: Law, twins: Mapping[Database, Database]) -> Law:
    rows = {y: {x: row[twin] for x, twin in twins.items()} for y, row in law.items()}
    return {y: row for y, row in rows.items() if any(row.values())}


CROWDS: tuple[Disguise, ...] = (
    among((0, 0, 1), [("0", "1"), ("1", "2")]),
    among((0, 1, 1), [("0", "1"), ("1", "2")]),
    among((0, 0, 1), [("0", "2")]),
    among((0, 1, 0), [("0", "1"), ("1", "2")]),
    among((0, 0, 0, 1), [("0", "1"), ("1", "2"), ("2", "3")]),
    among((0, 0, 1, 1), [("0", "1"), ("1", "2"), ("2", "3")]),
)
"""Several databases, where only one pair (the last, the first, a distant one) is in danger."""


# --- requests -----------------------------------------------------------------------------------


def baited(first: bool) -> Disguise:
    """Add to every menu a request that reveals everything, so that some request is refused."""

    def disguise(game: Game) -> Game:
        reveal = _full(game)

        def dress(node: int, menu: Menu, below: list[Menu]) -> Menu:
            if not menu:
                return menu
            return {"bait": reveal, **menu} if first else {**menu, "bait": reveal}

        return Game(game.databases, game.pairs, rebuilt(game, dress=dress))

    return disguise


def crowded(count: int) -> Disguise:
    """Put harmless requests before the real ones in every menu, also by their names."""

    def disguise(game: Game) -> Game:
        law = spread(SILENT, game.databases, [0] * len(game.databases))
        decoys = {f"a{i}": Mechanism(law) for i in range(count)}

        def dress(node: int, menu: Menu, below: list[Menu]) -> Menu:
            return {**decoys, **menu} if menu else menu

        return Game(game.databases, game.pairs, rebuilt(game, dress=dress))

    return disguise


def _full(game: Game) -> Mechanism:
    if len(game.databases) == 2:
        return Mechanism(spread(REVEAL, game.databases, [0, 1]))
    return Mechanism(
        {x: {z: ONE if x == z else Fraction(0) for z in game.databases} for x in game.databases}
    )


# --- statements -----------------------------------------------------------------------------------


def stating(odds: Fraction) -> Disguise:
    """Let every mechanism declare the smallest delta that is true at these odds."""

    def disguise(game: Game) -> Game:
        def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
            return Mechanism(m.law, after, declared_at_odds(m.law, game.pairs, odds))

        return Game(game.databases, game.pairs, rebuilt(game, change))

    return disguise


def plain_disguises() -> Iterator[tuple[str, Disguise]]:
    """Yield the disguises that need no threshold, with a name."""
    yield "swapped", swapped
    yield "mirrored", mirrored
    yield "renamed", renamed
    yield "baited first", baited(True)
    yield "baited last", baited(False)
    yield from ((f"crowd {i}", crowd) for i, crowd in enumerate(CROWDS))
    yield "crowded by 6", crowded(6)
    yield from ((f"delayed {k}", delayed(k)) for k in (1, 2, 3, 5, 9, 10, 16))
