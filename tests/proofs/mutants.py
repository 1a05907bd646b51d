"""Certificates damaged in every way that a reader might let pass: types confused, values moved.

`confused` lists every way to give one place of a certificate another type.  `mutant` makes one
random change or several, some of which undo one another or change nothing that counts, so that
what is accepted and what is rejected both occur.
"""

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

Path = tuple[str | int, ...]


def places(data: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path to every value inside the data."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def put(data: Any, path: Path, value: Any) -> None:
    at(data, path[:-1])[path[-1]] = value


def confused(value: Any) -> list[Any]:
    """Values of another type that careless code takes for this one."""
    match value:
        case bool() | None:
            return [0, "", [], {}]
        case int():
            return [bool(value), float(value), str(value), [value], {str(value): value}]
        case str():
            return [
                list(value),
                {value: value},
                [value],
                *([int(value)] if value.isdigit() else []),
            ]
        case list():
            text = ["".join(value)] if all(isinstance(v, str) for v in value) else []
            return [*text, {str(i): v for i, v in enumerate(value)}, None, [value]]
        case _:
            return [[[k, v] for k, v in value.items()], list(value), {**value, "extra": 1}, None]


def confusions(data: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Yield path, confused value and damaged copy; parameters may have several types."""
    for path in places(data):
        if path[0] == "parameters":
            continue
        for value in confused(at(data, path)):
            damaged = copy.deepcopy(data)
            put(damaged, path, value)
            yield path, value, damaged


# --- random mutants -------------------------------------------------------------------------


def canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, indent=1) + "\n"


def mutant(text: str, rng: Random) -> str:
    """The text with one to three random changes; one in eight is made to the text itself."""
    if rng.randrange(8) == 0:
        return rng.choice(TEXTUAL)(text, rng)
    data = json.loads(text)
    chosen = rng.choices(range(len(STRUCTURAL)), k=rng.choice([1, 1, 1, 2, 3]))
    for number in sorted(chosen):  # those that need a sane certificate stand first
        STRUCTURAL[number](data, rng)
    return canonical(data)


def _cut(text: str, rng: Random) -> str:
    return text[: rng.randrange(len(text))]


def _character(text: str, rng: Random) -> str:
    i = rng.randrange(len(text))
    return text[:i] + rng.choice('0123456789-/"\\ \n[]{},:e.aN\x7f') + text[i + 1 :]


def _line_twice(text: str, rng: Random) -> str:
    lines = text.splitlines(keepends=True)
    i = rng.randrange(len(lines))
    return "".join([*lines[: i + 1], *lines[i:]])


def _lines_swapped(text: str, rng: Random) -> str:
    lines = text.splitlines(keepends=True)
    i = rng.randrange(len(lines) - 1)
    return "".join([*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]])


def _escaped(text: str, rng: Random) -> str:
    i = rng.choice([i for i, c in enumerate(text) if c.isalnum()])
    return text[:i] + f"\\u{ord(text[i]):04x}" + text[i + 1 :]


def _confused(data: Any, rng: Random) -> None:
    path = rng.choice(list(places(data)))
    put(data, path, rng.choice(confused(at(data, path))))


def _leaf(data: Any, rng: Random) -> None:
    """Another plain value, often a near one."""
    leaves = [p for p in places(data) if not isinstance(at(data, p), (dict, list))]
    path = rng.choice(leaves)
    put(data, path, rng.choice(_near(at(data, path))))


def _near(value: Any) -> list[Any]:
    match value:
        case bool() | None:
            return [0, 1, True, False]
        case int():
            return [value + 1, value - 1, -value, 0, None, 10**30]
        case _:
            more = [value + "0", "-" + value, value + "/2", f"log({value})", value[::-1], value[1:]]
            return [*more, "0", "1", "1/2", "2/4", "01", "é", "\ud800", "continue", "halt", "last"]


def _removed(data: Any, rng: Random) -> None:
    path = rng.choice(list(places(data)))
    at(data, path[:-1]).pop(path[-1])


def _copied(data: Any, rng: Random) -> None:
    """A value from elsewhere, usually of the same type."""
    path = rng.choice(list(places(data)))
    kind = type(at(data, path))
    others = [p for p in places(data) if type(at(data, p)) is kind]
    put(data, path, copy.deepcopy(at(data, rng.choice(others))))


def _renamed(data: Any, rng: Random) -> None:
    """One name replaced wherever it stands: harmless unless it meets another one."""
    names = [*data["game"]["databases"], *data["adversary"], *_outputs(data)]
    old, new = rng.choice(names), rng.choice([*names, "z", "é", "ÿ\x00", "\U0001f600", " "])
    for key in ("pair", "game", "answers", "adversary", "event"):
        data[key] = _replaced(data[key], old, new)
    data["event"].sort(key=str)


def _outputs(data: Any) -> list[str]:
    nodes = data["game"]["nodes"]
    return [y for menu in nodes for mechanism in menu.values() for y in mechanism["law"]]


def _replaced(data: Any, old: str, new: str) -> Any:
    if isinstance(data, dict):
        return {_replaced(k, old, new): _replaced(v, old, new) for k, v in data.items()}
    if isinstance(data, list):
        return [_replaced(value, old, new) for value in data]
    return new if data == old and isinstance(data, str) else data


def _reordered(data: Any, rng: Random) -> None:
    found = [p for p in places(data) if isinstance(at(data, p), list)]
    rng.shuffle(at(data, rng.choice(found)))


def _budget(data: Any, rng: Random) -> None:
    """Another budget, with the excess that goes with it: often a true claim again."""
    data["epsilon"] = rng.choice([data["epsilon"], "0", "1/3", "1", "log(2)", "log(1)", "7/2"])
    data["delta"] = rng.choice([data["delta"], "0", "1/100", data["mass_x"]])
    data["excess"][0] = str(Fraction(data["mass_x"]) - Fraction(data["delta"]))


def _freed(data: Any, rng: Random) -> None:
    """Parts that do not count: the target's name, its parameters, the declared pair."""
    data["target"] = rng.choice(["x", "", "é", data["target"]])
    values: list[Any] = [
        1,
        True,
        None,
        "a",
        {"tuple": [1, {"rational": "1/2"}]},
        {"float": "x"},
        {},
        [],
        {"a": 1},
    ]
    data["parameters"] = {"p": rng.choice(values)}
    for menu in data["game"]["nodes"]:
        for mechanism in menu.values():
            mechanism["declared"] = rng.choice([["1", "1"], ["2", "1"], mechanism["declared"]])


TEXTUAL: list[Callable[[str, Random], str]] = [
    _cut,
    _character,
    _character,
    _line_twice,
    _lines_swapped,
    _escaped,
]
STRUCTURAL: list[Callable[[Any, Random], None]] = [
    _renamed,
    _renamed,
    _budget,
    _freed,
    _reordered,
    _copied,
    _copied,
    _leaf,
    _leaf,
    _removed,
    _confused,
]
