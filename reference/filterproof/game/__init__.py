"""Games: laws, mechanisms, menus, and the steps of a play; what a filter author imports.

`game` has the tree and its steps, `law` one mechanism's own rules, `promises` what a pair is
promised, `rows` the usual laws, `json` a game as text.
"""

from filterproof.game.game import (
    OPENING,
    Game,
    GameError,
    History,
    Mechanism,
    Menu,
    Request,
    Step,
    children,
    coprime,
    node_after,
    opening,
)
from filterproof.game.law import Database, Declared, Law, LawError, Output, Pair
from filterproof.game.promises import Promise

__all__ = [
    "OPENING",
    "Database",
    "Declared",
    "Game",
    "GameError",
    "History",
    "Law",
    "LawError",
    "Mechanism",
    "Menu",
    "Output",
    "Pair",
    "Promise",
    "Request",
    "Step",
    "children",
    "coprime",
    "node_after",
    "opening",
]
