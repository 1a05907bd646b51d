"""Small changes of a game: the moves of the shrinker.

A game's menus are numbered; a change is made to one of them, wherever it occurs, and the game is
built again from the leaves up.  What comes out is checked like any other game.
"""

from collections.abc import Callable, Mapping

from filterproof.game import Game, Mechanism, Request, node_after
from filterproof.game.law import Law, Output

Menu = Mapping[Request, Mechanism]
Change = Callable[[Mechanism, Mapping[Output, Menu]], Mechanism]
"""From a mechanism, and the rebuilt menu after each of its outputs, to another mechanism."""
MenuChange = Callable[[int, dict[Request, Mechanism], list[Menu]], Menu]
"""From a menu's number, its rebuilt mechanisms and all menus below it to another menu."""


def same_mechanism(mechanism: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
    """Return the mechanism as it is, with what now follows it."""
    return Mechanism(mechanism.law, after, mechanism.stated)


def same_menu(node: int, menu: dict[Request, Mechanism], below: list[Menu]) -> Menu:
    """Return the menu as it is."""
    return menu


def rebuild(
    game: Game, change: Change = same_mechanism, menu_change: MenuChange = same_menu
) -> Menu:
    """Return the first menu of a game that is built again from the leaves up.

    Every menu is rebuilt once, so what was shared stays shared.
    """
    done: list[Menu] = []
    for menu in game.nodes:
        fresh = {
            r: change(m, {y: done[node_after(m, y).id] for y in m.law}) for r, m in menu.items()
        }
        done.append(menu_change(menu.id, fresh, done))
    return done[-1]


def rewrite(game: Game, node: int, change: Callable[..., Menu]) -> Game:
    """Return the game in which menu number `node` is changed.

    `change` receives the menu and the list of all menus below it, already rebuild.
    """

    def at_node(number: int, menu: dict[Request, Mechanism], below: list[Menu]) -> Menu:
        return change(menu, below) if number == node else menu

    menu = rebuild(game, menu_change=at_node)
    return Game(game.databases, game.pairs, menu, game.promises)


def with_mechanism(
    game: Game, node: int, request: Request, change: Callable[[Mechanism], Mechanism]
) -> Game:
    """Return the game in which one mechanism is changed."""

    def menu_change(menu: dict[Request, Mechanism], below: list[Menu]) -> Menu:
        return {**menu, request: change(menu[request])}

    return rewrite(game, node, menu_change)


def with_law(game: Game, node: int, request: Request, law: Law) -> Game:
    """Return the game in which one mechanism has another law; known outputs lead on as before."""

    def change(mechanism: Mechanism) -> Mechanism:
        after = {y: mechanism.after[y] for y in law if y in mechanism.after}
        return Mechanism(law, after)

    return with_mechanism(game, node, request, change)


def with_after(game: Game, node: int, request: Request, y: Output, menu: Menu) -> Game:
    """Return the game in which another menu follows one output."""

    def change(mechanism: Mechanism) -> Mechanism:
        return Mechanism(mechanism.law, {**mechanism.after, y: menu}, mechanism.stated)

    return with_mechanism(game, node, request, change)


def without_request(game: Game, node: int, request: Request) -> Game:
    """Return the game in which one request is no longer on offer."""
    return rewrite(game, node, lambda menu, below: {r: m for r, m in menu.items() if r != request})


def merge_outputs(mechanism: Mechanism, gone: Output, into: Output) -> Mechanism:
    """Return the mechanism in which one output is replaced by another."""
    rows = {y: dict(row) for y, row in mechanism.law.items()}
    lost = rows.pop(gone)
    rows[into] = {x: p + lost[x] for x, p in rows[into].items()}
    return Mechanism(rows, {y: mechanism.after[y] for y in rows})
