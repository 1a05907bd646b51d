"""What travels between an audit and a target: budgets, games, steps and answers as JSON.

Version 2 of docs/PROTOCOL.md.  A game is sent once; a question then is a short reference

    [state, index, game, node, request, mass, history]

and `[state, 0, game]` for the opening round.  `mass` is the number of likelihoods that were sent
before (`lexicon`), or lists the databases that are still possible, where the likelihoods are not
worked out yet; `history` is the number of a history, or null where it is hidden.  A target may
volunteer answers to the questions that will probably come next.
"""

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from filterproof.engine.hidden import MergedStep
from filterproof.exact import (
    Epsilon,
    exp_enclosure,
    format_epsilon,
    format_rational,
)
from filterproof.game import Game, History, Mechanism, Menu, Step, opening
from filterproof.game.game import children, silent
from filterproof.game.json import game_to_json
from filterproof.game.law import Database, Declared, Law, Pair, tightest
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.lexicon import Lexicon, whole

PROTOCOL = "filterproof.command"
tight = json.JSONEncoder(separators=(",", ":")).encode
"""Writes JSON without spaces."""
VERSIONS = (1, 2)

Reference = tuple[Any, ...]


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


def reference(state: Hashable, step: Step, game: int, lexicon: Lexicon) -> Reference:
    """Return the short form of a question about a game that goes by a number."""
    held = vars(step)
    if not (index := held["index"]):
        return state, 0, game
    place = (state, index, game, held["menu"].id, held["request"])
    if (mass := held.get("mass")) is None:  # worked out only if the filter reads them
        return *place, possible(step), None
    history = held.get("history")
    return *place, lexicon.mass(mass), None if history is None else lexicon.history(history)


def settled(step: Step) -> Step:
    """Return the step with its likelihoods and history worked out."""
    work_out = getattr(step, "settled", None)
    return step if work_out is None else work_out()


def possible(step: Step) -> tuple[Database, ...]:
    """Return the databases under which the history is possible."""
    first = {x for x, _ in step.pairs}
    return tuple(x for x in step.game.databases if x in first)


def game_to_wire(game: Game, *, declared: bool) -> dict[str, Any]:
    """Return a game as JSON data; the declared pairs that a reader can work out may be left out."""
    if declared:
        return game_to_json(game)
    return {
        "databases": game.databases,
        "neighbours": [[x, x_] for x, x_ in game.pairs if (x_, x) > (x, x_)],
        "nodes": [{r: _mechanism(m) for r, m in menu.items()} for menu in game.nodes],
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


class Needed(BaseException):
    """Likelihoods or a history that were not sent; the question has to be asked in full."""


class UnseenStep(Step):
    """A step whose likelihoods and history were not sent; reading them is remembered."""

    def __init__(
        self, index: int, request: str, game: Game, menu: Menu, here: Sequence[Database]
    ) -> None:
        pairs = tuple(pair for pair in game.pairs if pair[0] in here)
        what = {"index": index, "request": request, "mechanism": menu[request], "menu": menu}
        self.__dict__.update(what, game=game, pairs=pairs, looked=False)

    @property
    def mass(self) -> Mapping[str, Fraction]:
        """Raise: they have to be sent."""
        self.__dict__["looked"] = True
        raise Needed

    @property
    def history(self) -> History:
        """Raise: it has to be sent."""
        self.__dict__["looked"] = True
        raise Needed


class ToldGame:
    """A game that was sent."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.game = game_from_wire(data)

    @cached_property
    def opening(self) -> Step:
        """The opening round, about which small games are hardly ever asked."""
        return opening(self.game)

    def step(self, question: Sequence[Any], lexicon: Lexicon) -> Step:
        """Return the step that a question refers to."""
        index = question[1]
        if not index:
            return self.opening
        _, _, _, node, request, mass, history = question
        menu = self.game.nodes[node]
        if not isinstance(mass, int):
            return UnseenStep(index, request, self.game, menu, mass)
        likely = lexicon.masses[mass]
        if history is None:
            return MergedStep(index, request, likely, self.game, menu)
        told = lexicon.histories[history]
        return Step(index, request, menu[request], likely, told, self.game, menu)


def game_from_wire(data: Mapping[str, Any]) -> Game:
    """Build a game from the audit that sent it, which has checked every rule already."""
    game: Game = object.__new__(Game)
    related = tuple(map(tuple, data["neighbours"]))
    game.databases, game.pairs = _setting(tuple(data["databases"]), related)
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
    law = _told_law(rows, game.databases, game.pairs)
    return ToldMechanism(law.law, MappingProxyType(after), stated, game.pairs, told=law)


class ToldLaw:
    """A law as it was sent, in however many games; its tightest pair is worked out once."""

    def __init__(
        self, rows: Sequence[Sequence[str]], databases: Sequence[str], pairs: tuple[Pair, ...]
    ) -> None:
        self.law: Law = MappingProxyType(
            {
                y: MappingProxyType(dict(zip(databases, map(whole, row), strict=True)))
                for y, *row in rows
            }
        )
        self.pairs = pairs

    @cached_property
    def tightest(self) -> Declared:
        """The declared pair of a mechanism that states none."""
        return tightest(self.law, self.pairs)


_told_law = lru_cache(maxsize=4096)(ToldLaw)


@dataclass(frozen=True, eq=False)
class ToldMechanism(Mechanism):
    """A mechanism that shares what is known of its law with those of other games."""

    told: ToldLaw = field(kw_only=True, repr=False)

    @cached_property
    def declared(self) -> Declared:
        """The stated pair, or the tightest one."""
        return self.told.tightest if self.stated is None else self.stated


def written(message: dict[str, Any]) -> bytes:
    """Return a message as one line; one that cannot be written becomes an error that can."""
    try:
        return tight(message).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        said = f"its answer cannot be written: {type(error).__name__}: {quoted(error)}"
        return json.dumps({"id": message["id"], "error": said}).encode() + b"\n"
