"""A game survives JSON with its sharing, and a bad file is refused with a reason."""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import ExactError
from filterproof.game import Game
from filterproof.game import json as gamejson
from filterproof.game.json import BadJson, game_from_json, game_to_json, load_json
from filterproof.palette import erasure, game, lottery, repeated, response, reveal
from filterproof_properties.games.named import named_cases


def text_of(one: Game) -> str:
    return json.dumps(game_to_json(one))


@pytest.mark.parametrize("case", [*named_cases()], ids=lambda case: case.name)
def test_named_games_survive_json(case: Any) -> None:
    again = game_from_json(load_json(text_of(case.game)))
    assert text_of(again) == text_of(case.game)
    assert (again.depth, again.pairs) == (case.game.depth, case.game.pairs)


def test_sharing_survives_json() -> None:
    deep = game(repeated(response(Fraction(3, 4)), 60))
    text = text_of(deep)
    assert len(text) < 20_000, "2^60 transcripts in a few kilobytes"
    assert len(game_from_json(load_json(text)).nodes) == len(deep.nodes) == 61


def change(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(changes)


def mechanism(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["nodes"][-1]["ask"].update(changes)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (change(schema="other"), "need schema"),
        (change(version=2), "need schema 'filterproof.game' version 1"),
        (change(nodes=[]), "'nodes' is empty"),
        (change(nodes={}), "'nodes' must be a JSON list"),
        (change(nodes=[7]), "node 0 must be a JSON object"),
        (change(nodes=[{"ask": 7}]), "a mechanism must be a JSON object"),
        (change(neighbours=[["0"]]), "a list of two names"),
        (change(neighbours="01"), "'neighbours' must be a JSON list"),
        (change(databases=["0", 1]), "a database must be a non-empty printable string"),
        (mechanism(law={"y": 1}), "a row of a law"),
        (mechanism(law={"y": {"0": 1, "1": 1}}), 'rationals as "p/q" strings'),
        (mechanism(law={"y": {"0": "1/0", "1": "1"}}), "non-zero denominator"),
        (mechanism(law={"y": {"0": "1/2", "1": "1"}}, after={}), "must sum to 1"),
        (mechanism(after={"?": 2}), "does not come before it"),
        (mechanism(after={"?": -1}), "does not come before it"),
        (mechanism(after={"?": True}), "does not come before it"),
        (mechanism(after=[1]), "'after' must be a JSON dict"),
        (mechanism(declared=["1"]), r"'declared' is \[odds, delta\]"),
        (mechanism(declared=["1", "0"]), "is false for"),
        (mechanism(declared="1"), 'rationals as "p/q" strings'),
    ],
)
def test_malformed_games_are_refused(damage: Callable[[Any], None], reason: str) -> None:
    data = game_to_json(game(erasure(Fraction(1, 10), {"?": {"ask": reveal()}})))
    damage(data)
    with pytest.raises(ExactError, match=reason):
        game_from_json(load_json(json.dumps(data)))


@pytest.mark.parametrize("key", ["databases", "neighbours", "nodes"])
def test_a_missing_key_is_named(key: str) -> None:
    data = game_to_json(game(reveal()))
    del data[key]
    with pytest.raises(BadJson, match=f"missing key '{key}'"):
        game_from_json(data)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cut off or malformed"),
        ('{"a": 1', "cut off or malformed"),
        ("[1]", "need a JSON object; got list"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ('{"a": NaN}', "got NaN"),
        ('{"a": Infinity}', "got Infinity"),
        ('{"a": 0.5}', "got 0.5"),
        ("[" * 100_000, "nested deeper"),
        ('{"a":' * 100_000, "nested deeper"),
    ],
)
def test_text_that_is_no_json_object_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadJson, match=reason):
        load_json(text)


def test_every_truncation_is_refused() -> None:
    text = text_of(game(lottery([Fraction(1, 2)] * 2)))
    for end in range(len(text)):
        with pytest.raises(ExactError):
            game_from_json(load_json(text[:end]))


def test_an_oversized_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gamejson, "MAX_BYTES", 10)
    with pytest.raises(BadJson, match="at most 10 characters; got 12"):
        load_json('{"a": "1/2"}')
