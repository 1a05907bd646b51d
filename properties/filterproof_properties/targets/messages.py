"""What travels between an audit and a target: budgets, games, steps and answers as JSON.

Version 3 of docs/internals/PROTOCOL.md.  A game is sent once and goes by a number.  A question is

    [state, index, game, node, request, mass, history]

and `[state, 0, game]` for the opening round.  `mass` lists the likelihoods in the order of the
databases; `history` lists what was released, or is null where it is hidden.  With `true` at its
end the answer has to say whether the filter read either of them.
"""

import json
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from filterproof.engine.hidden import MergedStep, WatchedStep
from filterproof.exact import (
    Epsilon,
    exp_enclosure,
    format_epsilon,
    format_rational,
    parse_rational,
)
from filterproof.game import Game, History, Mechanism, Menu, Step, opening
from filterproof.game.game import children, silent
from filterproof.game.json import game_to_json, promises_from_json, promises_to_json
from filterproof.game.law import Database, Declared, Law, Pair, checked_law
from filterproof_properties.processes.sanitise import quoted

PROTOCOL = "filterproof.command"
tight = json.JSONEncoder(separators=(",", ":")).encode
"""Writes JSON without spaces."""
VERSIONS = (1, 3)

Question = tuple[Any, ...]


@lru_cache(maxsize=256)
def budget_to_json(epsilon: Epsilon, delta: Fraction) -> dict[str, Any]:
    """Return a budget with an enclosure of e^ε for those who cannot compute it."""
    lower, upper = exp_enclosure(epsilon, 64)
    return {
        "epsilon": format_epsilon(epsilon),
        "exp_epsilon": [format_rational(lower), format_rational(upper)],
        "delta": format_rational(delta),
    }


# --- questions, written by the audit ----------------------------------------------------------


def question_to_wire(state: Hashable, step: Step, game: int) -> Question:
    """Return a question about a game that goes by a number."""
    if not step.index:
        return state, 0, game
    shown = plain_step(step)
    asked = state, shown.index, game, shown.menu.id, shown.request, *position_to_wire(shown)  # type: ignore[attr-defined]
    return asked if shown is step else (*asked, True)


def position_to_wire(step: Step) -> tuple[tuple[str, ...], History | None]:
    """Return the likelihoods of a step, and its history unless it is hidden."""
    return mass_to_wire(step.mass), vars(step).get("history")


def mass_to_wire(mass: Mapping[Database, Fraction]) -> tuple[str, ...]:
    """Return likelihoods in the order of the databases."""
    return tuple(map(format_rational, mass.values()))


def plain_step(step: Step) -> Step:
    """Return the plain step behind a watched one; a plain one is returned as it is."""
    return step.without_watch() if isinstance(step, WatchedStep) else step


def game_to_wire(game: Game, *, declared: bool) -> dict[str, Any]:
    """Return a game as JSON data; the declared pairs that a reader can work out may be left out."""
    if declared:
        return game_to_json(game)
    return {
        "databases": game.databases,
        "neighbours": [[x, x_] for x, x_ in game.pairs if (x_, x) > (x, x_)],
        "nodes": [{r: _mechanism(m) for r, m in menu.items()} for menu in game.nodes],
        **promises_to_json(game),
    }


def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    stated = mechanism.stated
    rows = mechanism.law.items()
    return {
        "law": {y: {x: format_rational(p) for x, p in row.items()} for y, row in rows},
        "after": {y: m.id for y, m in zip(mechanism.after, children(mechanism), strict=True)},
        "declared": stated and [format_rational(one) for one in stated],
    }


# --- questions, read by a target's own process ------------------------------------------------


class ToldGame:
    """A game that was sent."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.game = game_from_wire(data)

    @cached_property
    def opening(self) -> Step:
        """The opening round, about which small games are hardly ever asked."""
        return opening(self.game)

    def step(self, question: Sequence[Any]) -> Step:
        """Return the step that a question is about."""
        index = question[1]
        if not index:
            return self.opening
        _, _, _, node, request, *seen = question
        menu, game = self.game.nodes[node], self.game
        mass, history = position_from_wire(game.databases, *seen[:2])
        if len(seen) > 2:
            pairs = tuple(pair for pair in game.pairs if mass[pair[0]])
            hidden = None if history is None else lambda: history
            return WatchedStep(index, request, game, menu, pairs, lambda: mass, hidden)
        if history is None:
            what = {"index": index, "request": request, "mechanism": menu[request]}
            return MergedStep(**what, mass=mass, game=game, menu=menu)
        return Step(index, request, menu[request], mass, history, game, menu)


def position_from_wire(
    databases: Sequence[Database], mass: Sequence[str], history: Sequence[Any] | None
) -> tuple[Mapping[Database, Fraction], History | None]:
    """Return likelihoods and a history; null is a history that is hidden."""
    likely = MappingProxyType(dict(zip(databases, map(whole, mass), strict=True)))
    return likely, None if history is None else tuple((r, y) for r, y in history)


def game_from_wire(data: Mapping[str, Any]) -> Game:
    """Build a game from the audit that sent it, which has checked every rule already."""
    game: Game = object.__new__(Game)
    related = tuple(map(tuple, data["neighbours"]))
    game.databases, game.pairs = _setting(tuple(data["databases"]), related)
    game.promises = promises_from_json(data.get("promises", []))
    game.silent = silent(game.databases, game.pairs)
    nodes: list[Menu] = []
    for number, node in enumerate(data["nodes"]):
        menu = {r: _mechanism_from_wire(one, nodes, game) for r, one in node.items()}
        nodes.append(Menu(menu, number))
    game.nodes = tuple(nodes)
    game.menu = nodes[-1]
    game.depth = game.menu.depth
    return game


@lru_cache(maxsize=64)
def _setting(
    databases: tuple[Database, ...], related: tuple[Pair, ...]
) -> tuple[tuple[Database, ...], tuple[Pair, ...]]:
    """Return the databases and the ordered pairs of many games, in the order of a game."""
    both = {*related, *((x_, x) for x, x_ in related)}
    return databases, tuple((x, x_) for x in databases for x_ in databases if (x, x_) in both)


def _mechanism_from_wire(data: Mapping[str, Any], nodes: list[Menu], game: Game) -> Mechanism:
    rows = tuple((y, *(row[x] for x in game.databases)) for y, row in data["law"].items())
    after = {y: nodes[number] for y, number in data["after"].items()}
    stated = data["declared"] and Declared(*(whole(one) for one in data["declared"]))
    return Mechanism(
        law_from_wire(rows, game.databases), MappingProxyType(after), stated, game.pairs
    )


@lru_cache(maxsize=4096)
def law_from_wire(rows: tuple[tuple[str, ...], ...], databases: tuple[Database, ...]) -> Law:
    """Return a law as it was sent, in however many games; what is known of it is shared."""
    law = {y: dict(zip(databases, map(whole, row), strict=True)) for y, *row in rows}
    return checked_law(law, databases)


@lru_cache(maxsize=4096)
def whole(text: str) -> Fraction:
    """Read "p" or "p/q" that `format_rational` wrote."""
    return parse_rational(text)


def as_line(message: dict[str, Any]) -> bytes:
    """Return a message as one line; one that cannot be written becomes an error that can."""
    try:
        return tight(message).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        said = f"its answer cannot be written: {type(error).__name__}: {quoted(error)}"
        return json.dumps({"id": message["id"], "error": said}).encode() + b"\n"
