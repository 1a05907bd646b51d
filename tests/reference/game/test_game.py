"""A game is checked at the door, and equal sub-trees are one object."""

from fractions import Fraction
from typing import Any

import pytest

from filterproof.exact import ExactError
from filterproof.game import Game, GameError, Mechanism, coprime, opening
from filterproof.game import game as game_module
from filterproof.game.law import Declared, LawError, odds_at, profile, tightest
from filterproof.palette import (
    BOTH,
    erasure,
    game,
    k_ary,
    lottery,
    one_sided,
    repeated,
    response,
    reveal,
    silent,
    table,
)

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ({"y": (HALF, 1)}, "must sum to 1"),
        ({"y": (Fraction(3, 2), 1), "z": (-HALF, 0)}, r"need P_0\(z\) >= 0; got -1/2"),
        ({"y": (1, 1), "z": (0, 0)}, "probability 0 under every database"),
        ({}, "at least one output"),
        ({"": (1, 1)}, "non-empty printable string"),
    ],
)
def test_a_law_that_is_none_is_refused_with_the_rule(rows: Any, rule: str) -> None:
    with pytest.raises(LawError, match=rule):
        game(table(rows))


def test_floats_and_missing_databases_are_refused() -> None:
    with pytest.raises(ExactError, match=r"int or a Fraction; got 1\.0"):
        game(Mechanism({"y": {"0": 1.0, "1": 1.0}}))  # type: ignore[dict-item]
    with pytest.raises(LawError, match="one probability per database"):
        game(Mechanism({"y": {"0": Fraction(1)}}))
    with pytest.raises(LawError, match="one probability per database"):
        game(silent({"-": {"ask": Mechanism({"y": {"0": Fraction(1), "2": Fraction(1)}})}}))


@pytest.mark.parametrize(
    ("databases", "neighbours", "rule"),
    [
        (["0"], [], "two or more"),
        (["0", "0"], [("0", "0")], "two or more different"),
        (["0", "1"], [("0", "0")], "not its own neighbour"),
        (["0", "1"], [("0", "2")], "unknown database"),
        (["0", "1"], [], "at least one pair"),
    ],
)
def test_neighbours_must_be_known_and_different(databases: Any, neighbours: Any, rule: str) -> None:
    with pytest.raises(GameError, match=rule):
        Game(databases, neighbours, {"ask": silent()})


def test_the_relation_is_made_symmetric() -> None:
    rows = {"y": dict.fromkeys("012", Fraction(1))}
    path = Game("012", [("0", "1"), ("2", "1")], {"ask": Mechanism(rows)})
    assert path.pairs == (("0", "1"), ("1", "0"), ("1", "2"), ("2", "1"))


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(GameError, match="nothing to ask"):
        Game(BOTH, [BOTH], {})
    with pytest.raises(GameError, match="unknown outputs"):
        game(silent({"nope": {}}))
    with pytest.raises(GameError, match="needs a Mechanism"):
        Game(BOTH, [BOTH], {"ask": "me"})  # type: ignore[dict-item]
    with pytest.raises(GameError, match="map requests to mechanisms"):
        game(silent({"-": 7}))  # type: ignore[dict-item]


def test_a_cycle_is_refused() -> None:
    menu: dict[str, Mechanism] = {}
    menu["again"] = silent({"-": menu})
    with pytest.raises(GameError, match="acyclic"):
        game(menu)


def test_limits_are_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "MAX_ROUNDS", 5)
    with pytest.raises(GameError, match="at most 5 rounds; got 6"):
        game(repeated(silent(), 6))
    monkeypatch.setattr(game_module, "MAX_NODES", 3)
    with pytest.raises(GameError, match="at most 3 distinct menus"):
        game(repeated(silent(), 4))


def test_a_checked_law_is_taken_as_it_is_and_checked_again_for_other_databases() -> None:
    rows = {"h": {"0": HALF, "1": HALF / 2}, "t": {"0": HALF, "1": 3 * HALF / 2}}
    law = game(Mechanism(rows)).menu["ask"].law
    rows["h"]["0"] = Fraction(1)
    assert law == {"h": {"0": HALF, "1": HALF / 2}, "t": {"0": HALF, "1": 3 * HALF / 2}} != rows
    assert game(Mechanism(law)).menu["ask"].law is law
    with pytest.raises(LawError, match="one probability per database"):
        Game(["0", "2"], [("0", "2")], {"ask": Mechanism(law)})
    with pytest.raises(TypeError):
        law["h"] = rows["h"]  # type: ignore[index]


def test_the_order_of_outputs_makes_no_other_node() -> None:
    rows = {"h": {"0": HALF, "1": HALF / 2}, "t": {"0": HALF, "1": 3 * HALF / 2}}
    turned = {y: rows[y] for y in ("t", "h")}
    wrong = {"h": rows["t"], "t": rows["h"]}
    nodes = [
        len(
            game(
                lottery([HALF, HALF], {"1": {"r": Mechanism(rows)}, "2": {"r": Mechanism(m)}})
            ).nodes
        )
        for m in (turned, wrong)
    ]
    assert nodes == [3, 4]


def test_equal_subtrees_become_one_node() -> None:
    first = lottery([HALF, HALF], {"1": {"ask": reveal()}, "2": {"ask": reveal()}})
    shared = game(first)
    assert len(shared.nodes) == 3, "the end, the reveal, the lottery"
    after = shared.menu["ask"].after
    assert after["1"] is after["2"]
    different = lottery([HALF, HALF], {"1": {"ask": reveal()}, "2": {"ask": silent()}})
    assert len(game(different).nodes) == 4


def test_a_deep_shared_game_stays_small() -> None:
    deep = game(repeated(response(Fraction(3, 4)), 2000))
    assert (deep.depth, len(deep.nodes)) == (2000, 2001)


def test_a_declared_pair_must_be_true() -> None:
    told = table({"0": (Fraction(3, 4), Fraction(1, 4)), "1": (Fraction(1, 4), Fraction(3, 4))},
                 stated=Declared(Fraction(2), Fraction(1, 4)))  # fmt: skip
    assert game(told).menu["ask"].declared == Declared(Fraction(2), Fraction(1, 4))
    lie = table({"0": (1, 0), "1": (0, 1)}, stated=Declared(Fraction(2), HALF))
    with pytest.raises(LawError, match="is false for"):
        game(lie)
    with pytest.raises(LawError, match="odds >= 1"):
        game(table({"-": (1, 1)}, stated=Declared(HALF, HALF)))


@pytest.mark.parametrize(
    ("mechanism", "odds", "delta"),
    [
        (silent(), 1, 0),
        (reveal(), 1, 1),
        (response(Fraction(3, 4)), 3, 0),
        (erasure(Fraction(1, 10)), 1, Fraction(1, 10)),
        (one_sided(Fraction(1, 5)), 1, Fraction(1, 5)),
        (k_ary(5, HALF), 4, 0),
    ],
)
def test_the_default_pair_is_the_smallest_delta_then_the_smallest_odds(
    mechanism: Mechanism, odds: int, delta: Fraction
) -> None:
    assert game(mechanism).menu["ask"].declared == Declared(Fraction(odds), Fraction(delta))


def test_odds_at_delta_solves_the_profile() -> None:
    law = response(Fraction(3, 4)).law
    for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 4), HALF):
        odds = odds_at(law, ("0", "1"), delta)
        assert odds is not None
        assert profile(law, ("0", "1"), odds) <= delta
        assert odds == 1 or profile(law, ("0", "1"), odds - Fraction(1, 10**9)) > delta
    assert odds_at(reveal().law, ("0", "1"), HALF) is None
    assert tightest(law, [("0", "1")]).odds == 3


def test_the_opening_round_says_nothing() -> None:
    step = opening(game({"a": reveal(), "b": silent()}))
    assert (step.index, step.request, step.history) == (0, "⊥", ())
    assert step.requests_after == ("a", "b")
    assert step.next("⊥", "a").index == 1


def test_masses_are_ratios_and_impossible_databases_drop_out() -> None:
    first = table(
        {"y": (HALF, Fraction(1, 3)), "z": (HALF, Fraction(2, 3))}, {"y": {"ask": reveal()}}
    )
    second = opening(game(first)).next("⊥", "ask").next("y", "ask")
    assert dict(second.mass) == {"0": 3, "1": 2}
    assert second.history == (("ask", "y"),)
    leak = erasure(HALF, {"0": {"ask": silent()}})
    after = opening(game(leak)).next("⊥", "ask").next("0", "ask")
    assert dict(after.mass) == {"0": 1, "1": 0}
    assert after.pairs == (("0", "1"),)


def test_a_request_that_is_closed_after_an_output_is_silent_there() -> None:
    step = opening(game(erasure(HALF, {"?": {"more": reveal()}}))).next("⊥", "ask")
    assert step.requests_after == ("more",)
    assert [*step.menu_after("0")["more"].law] == ["-"]
    assert [*step.menu_after("?")["more"].law] == ["0", "1"]


def test_after_a_refusal_another_request_of_the_same_menu_is_sent() -> None:
    step = opening(game({"a": reveal(), "b": silent()})).next("⊥", "a")
    other = step.instead("b")
    assert (other.index, other.request, [*other.mechanism.law]) == (1, "b", ["-"])


def test_proportional_likelihoods_are_equal_masses() -> None:
    assert coprime({"0": Fraction(1, 6), "1": Fraction(1, 4)}) == {"0": 2, "1": 3}
    assert coprime({"0": Fraction(0), "1": Fraction(1, 4)}) == {"0": 0, "1": 1}
    assert coprime({"0": Fraction(1, 2), "1": Fraction(1, 3)}) != coprime({"0": HALF, "1": HALF})
