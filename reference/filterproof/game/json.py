"""A game as JSON, and back, with its sharing intact.

Schema `filterproof.game`, version 1:

    {"schema": "filterproof.game", "version": 1,
     "databases": ["0", "1"],
     "neighbours": [["0", "1"]],
     "nodes": [{}, {"r": {"law": {"y": {"0": "1/2", "1": "1/3"}, ...},
                          "after": {"y": 0, ...},
                          "declared": ["3/2", "0"]}}]}

A node is a menu.  Every number after an output names an *earlier* node, so a cycle cannot even
be written down; the last node is the first menu.  `after` may leave outputs out (the game ends
there) and `declared` may be absent (the tightest pair then holds).  Probabilities are strings
"p/q"; a JSON number is refused, because readers of other languages would round it.

Where pairs have promises of their own there is one more key, a list in the order of the databases:

     "promises": [["0", "1", "log(2)", "1/10"], ...]
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from filterproof.exact import (
    ExactError,
    format_epsilon,
    format_rational,
    parse_epsilon,
    parse_rational,
)
from filterproof.game.game import Game, Mechanism, Menu, Request, children
from filterproof.game.law import Declared, Pair
from filterproof.game.promises import Promise, checked_promise

SCHEMA = "filterproof.game"
VERSION = 1
MAX_BYTES = 64 * 2**20
MAX_NESTING = 64


class BadJson(ExactError):
    """A text that is no JSON of the expected shape."""


def load_json(text: str) -> dict[str, Any]:
    """Read one JSON object strictly: no duplicate keys, no floats, no NaN, bounded in size."""
    if len(text) > MAX_BYTES:
        raise BadJson(f"need at most {MAX_BYTES} characters; got {len(text)}")
    _check_nesting(text)
    try:
        data = _STRICT.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"not JSON (cut off or malformed?): {error}") from None
    if not isinstance(data, dict):
        raise BadJson(f"need a JSON object; got {type(data).__name__}")
    return data


def _check_nesting(text: str) -> None:
    level = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        level += 1 if bracket[0] in "[{" else -1
        if level > MAX_NESTING:
            raise BadJson(f"nested deeper than {MAX_NESTING} levels")


def _no_duplicates(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) != len(items):
        keys = [key for key, _ in items]
        raise BadJson(f"duplicate key {next(k for k in keys if keys.count(k) > 1)!r}")
    return found


def _no_float(text: str) -> NoReturn:
    raise BadJson(f'write numbers as "p/q" strings; got {text}')


_STRICT = json.JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_float=_no_float, parse_constant=_no_float
)


def expect(data: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return data[key] if it is there and of the right kind."""
    if key not in data:
        raise BadJson(f"missing key {key!r}")
    if not isinstance(data[key], kind) or isinstance(data[key], bool):
        raise BadJson(f"{key!r} must be a JSON {kind.__name__}; got {data[key]!r:.80}")
    return data[key]


# --- writing --------------------------------------------------------------------------------


def game_to_json(game: Game) -> dict[str, Any]:
    """Return the game as plain data, every declared pair spelled out."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "databases": list(game.databases),
        "neighbours": [[x, x_] for x, x_ in game.pairs if (x_, x) > (x, x_)],
        "nodes": [_menu_to_json(menu) for menu in game.nodes],
        **promises_to_json(game),
    }


def promises_to_json(game: Game) -> dict[str, Any]:
    """Return the promises under their key; nothing where pairs have none of their own."""
    listed = [
        [*pair, format_epsilon(own.epsilon), format_rational(own.delta)]
        for pair, own in game.promises.items()
    ]
    return {"promises": listed} if listed else {}


def _menu_to_json(menu: Menu) -> dict[str, Any]:
    return {request: mechanism_to_json(mechanism) for request, mechanism in menu.items()}


def mechanism_to_json(mechanism: Mechanism) -> dict[str, Any]:
    """Return the law, the node after each output, and the declared pair."""
    rows = mechanism.law.items()
    after = zip(mechanism.after, children(mechanism), strict=True)
    return {
        "law": {y: {x: format_rational(p) for x, p in row.items()} for y, row in rows},
        "after": {y: menu.id for y, menu in after},
        "declared": [format_rational(value) for value in mechanism.declared],
    }


# --- reading --------------------------------------------------------------------------------


def game_from_json(data: Mapping[str, Any]) -> Game:
    """Build a game from plain data; every rule of `Game` is checked again."""
    if data.get("schema") != SCHEMA or data.get("version") != VERSION:
        raise BadJson(
            f"need schema {SCHEMA!r} version {VERSION}; "
            f"got {data.get('schema')!r} version {data.get('version')!r}"
        )
    menus: list[dict[Request, Mechanism]] = []
    for number, node in enumerate(expect(data, "nodes", list)):
        if not isinstance(node, dict):
            raise BadJson(f"node {number} must be a JSON object; got {node!r:.80}")
        menus.append({r: _mechanism_from_json(m, menus, f"node {number}") for r, m in node.items()})
    if not menus:
        raise BadJson("'nodes' is empty")
    neighbours = [_pair(pair) for pair in expect(data, "neighbours", list)]
    promises = promises_from_json(expect(data, "promises", list) if "promises" in data else [])
    return Game(expect(data, "databases", list), neighbours, menus[-1], promises)


def promises_from_json(listed: list[Any]) -> dict[Pair, Promise]:
    """Read promises, each pair named once."""
    found: dict[Pair, Promise] = {}
    for one in listed:
        if not (isinstance(one, list) and len(one) == 4 and all(isinstance(t, str) for t in one)):
            raise BadJson(f"a promise is [x, x', epsilon, delta]; got {one!r:.80}")
        x, x_, epsilon, delta = one
        if (x, x_) in found:
            raise BadJson(f"({x}, {x_}) has two promises")
        found[x, x_] = checked_promise(parse_epsilon(epsilon), parse_rational(delta))
    return found


def _pair(pair: Any) -> tuple[str, str]:
    if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)):
        raise BadJson(f"a neighbouring pair is a list of two names; got {pair!r:.80}")
    return pair[0], pair[1]


def _mechanism_from_json(data: Any, menus: list[dict[Request, Mechanism]], where: str) -> Mechanism:
    if not isinstance(data, dict):
        raise BadJson(f"{where}: a mechanism must be a JSON object; got {data!r:.80}")
    law = {y: _row(row, where) for y, row in expect(data, "law", dict).items()}
    numbers = expect(data, "after", dict) if "after" in data else {}
    after = {y: _earlier(n, menus, where) for y, n in numbers.items()}
    return Mechanism(law, after, _declaration(data.get("declared"), where))


def _declaration(data: Any, where: str) -> Declared | None:
    if data is None:
        return None
    values = _rationals(data, where)
    if len(values) != 2:
        raise BadJson(f"{where}: 'declared' is [odds, delta]; got {data!r:.80}")
    return Declared(*values)


def _row(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise BadJson(f"{where}: a row of a law must be a JSON object; got {row!r:.80}")
    return dict(zip(row, _rationals([*row.values()], where), strict=True))


def _rationals(values: Any, where: str) -> list[Any]:
    if not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
        raise BadJson(f'{where}: need rationals as "p/q" strings; got {values!r:.80}')
    return [parse_rational(value) for value in values]


def _earlier(
    number: Any, menus: list[dict[Request, Mechanism]], where: str
) -> dict[Request, Mechanism]:
    if type(number) is not int or not 0 <= number < len(menus):
        raise BadJson(f"{where} leads to node {number!r:.20}, which does not come before it")
    return menus[number]
