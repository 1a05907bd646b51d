"""Tuning: the models are right on every domain, refuted filters stay out, and games are exact."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.figures.surveys import Survey, k_ary
from filterproof.curves.compensator import naive_product
from filterproof.curves.gaussian import Setting
from filterproof.curves.stopping import FILTERS, longest
from filterproof.curves.survival import algorithm1, naive
from filterproof.exact import Epsilon, Log
from filterproof.filters.registry import REGISTRY, entry
from filterproof.game import Game, Mechanism
from filterproof.game.json import game_to_json
from filterproof.palette import erasure, game, repeated, response
from filterproof.utility.rounds import MOST_PLACES, GameTooLarge, expected_rounds
from filterproof_properties.choose.domains import PAIR, Guarded, SpecError, parse_domain
from filterproof_properties.choose.filters import STILL, Plan, Row, smallest_epsilon, still_rows
from filterproof_properties.choose.game import game_rows
from filterproof_properties.choose.losses import Loss
from filterproof_properties.choose.paste import python
from filterproof_properties.choose.plays import Group, charge
from filterproof_properties.choose.questions import KINDS, parse_mechanism
from filterproof_properties.choose.tune import longest_first, tune_text
from filterproof_properties.choose.tune import tune as tune_rows
from filterproof_properties.cli.main import main


def tune(mechanisms: list[str], epsilon: Epsilon, delta: Fraction, **more: Any) -> list[Row]:
    return longest_first(tune_rows(mechanisms, epsilon, delta, **more))


SPECS = [
    "gaussian:2",
    "laplace:3/2",
    "discrete-gaussian:3/2",
    "geometric:1/2",
    "randomised-response:3/4",
    "unary:3/5",
]
DELTA = Fraction(1, 1000)
FOUR = parse_domain("values:4")


def loss_of(spec: str, domain: Guarded = PAIR, pair: tuple[int, int] = (0, 1)) -> Loss:
    return parse_mechanism(spec).on(domain).loss(*pair)


# --- the loss of one round -------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("domain", "pair"), [(PAIR, (0, 1)), (FOUR, (3, 1))])
def test_profile_renyi_and_quantile_agree_with_drawn_losses(
    spec: str, domain: Guarded, pair: tuple[int, int]
) -> None:
    """Each is an expectation under P_x of something bounded; Hoeffding allows 10⁻⁹ to fail."""
    loss, n = loss_of(spec, domain, pair), 100_000
    told = parse_mechanism(spec).on(domain).answers(np.random.default_rng(3), pair[0], n)
    drawn = told[:, pair[0]] - told[:, pair[1]]
    allowed = math.sqrt(math.log(2 / 1e-9) / (2 * n))
    for epsilon in (0.0, 0.2, 0.6):
        mean = np.mean(np.maximum(0.0, 1 - np.exp(epsilon - drawn)))
        assert abs(mean - loss.profile(np.array(epsilon))) <= allowed
    for threshold in (-0.31, 0.11, 0.43):
        exceeded = np.mean(drawn > threshold)
        assert abs(exceeded - loss.risk(np.array(threshold))) <= allowed
    for tail in (0.05, 0.3, 0.7):
        q = loss.quantile(tail)
        assert np.mean(drawn > q + 1e-9) <= tail + allowed
        assert np.mean(drawn >= q - 1e-9) >= tail - allowed
    bounded = np.minimum(drawn, 3.0)
    order = np.array([1.1])
    moment = math.exp(0.1 * float(loss.renyi(order)[0]))
    assert abs(np.mean(np.exp(0.1 * bounded)) - moment) <= math.exp(0.3) * allowed + 0.001


@pytest.mark.parametrize("spec", SPECS)
def test_a_round_is_as_gaussian_as_it_says(spec: str) -> None:
    """μ-GDP: the profile never exceeds that of the Gaussian with this μ."""
    loss = loss_of(spec)
    reference = loss_of(f"gaussian:{Fraction(1 / loss.mu()).limit_denominator(10**6)}")
    for epsilon in np.linspace(0, 3, 40):
        assert loss.profile(np.array(epsilon)) <= reference.profile(np.array(epsilon)) + 1e-6


def test_the_smallest_epsilon_is_the_largest_loss_where_no_delta_is_given() -> None:
    assert abs(smallest_epsilon(loss_of("geometric:1/2"), 0.0) - 0.5) < 1e-12
    assert smallest_epsilon(loss_of("gaussian:2"), 0.9) == 0
    assert smallest_epsilon(loss_of("erasure:1/4"), 0.2) == math.inf


def test_a_charge_is_largest_at_epsilon_and_nothing_is_charged_twice() -> None:
    loss = loss_of("laplace:1")
    losses = np.linspace(0, 4, 81)
    charges = charge(Group((0,), loss, loss), losses, 2.0)
    assert int(np.argmax(charges)) == 40
    assert charges[40] == loss.profile(np.array(0.0))
    told = loss_of("erasure:1/4")
    assert not charge(Group((0,), told, told), np.array([np.inf, -np.inf]), 2.0).any()


# --- plays on a domain -----------------------------------------------------------------------


def test_on_gaussian_rounds_it_agrees_with_the_curves() -> None:
    rows = {row.filter: row for row in tune(["gaussian:2"], Fraction(10), DELTA, paths=4000)}
    setting = Setting(epsilon=10.0)
    assert rows["additive"].expected == longest(FILTERS["additive"], setting)
    assert rows["rdp-tight"].expected == longest(FILTERS["RDP, tight conversion"], setting)
    assert rows["gdp"].expected == longest(FILTERS["exact GDP"], setting)
    assert rows["whitehouse"].expected == longest(FILTERS["Whitehouse"], setting)
    assert rows["advanced-rogers"].expected == longest(FILTERS["advanced (original)"], setting)
    product = naive_product(setting, 4)
    for name, curve in (
        ("repaired", algorithm1(setting)),
        ("naive-over-n", naive(setting)),
        ("naive-product", product),
    ):
        off = abs(rows[name].expected - curve.expected)
        assert off <= 2 * rows[name].error + curve.expected_error


@pytest.mark.parametrize("spec", [*SPECS, "erasure:1/2000"])
@pytest.mark.parametrize("domain", ["pair", "counts:5", "values:3"])
def test_every_mechanism_is_tuned_and_ranked_on_every_domain(spec: str, domain: str) -> None:
    where, plays = parse_domain(domain), {"rounds": 10, "paths": 100}
    rows = tune([spec], Fraction(5), DELTA, domain=where, **plays)
    sound = {one.name for one in REGISTRY if one.sound}
    assert {row.filter for row in rows} <= sound  # what is refuted is never recommended
    assert {row.filter for row in rows} >= {"additive", "rdp-tight", "hybrid", "compensator"}
    assert [row.expected for row in rows] == sorted((row.expected for row in rows), reverse=True)
    assert all(0 <= row.expected <= 10 for row in rows)
    assert tune([spec], Fraction(5), DELTA, domain=where, **plays) == rows  # repeatable


def test_the_simulation_agrees_with_the_exact_rounds() -> None:
    """Four values and six questions, some of which the budget cannot pay: exactly, and played."""
    survey = Survey("k-ary response", 4, Fraction(2), Fraction(1, 50))
    law = k_ary(4, Fraction(2))
    names = list(law)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[:i]]
    exactly = Game(names, pairs, {"ask": repeated(Mechanism(law), 6)})
    rows = tune(["randomised-response:2/5"], survey.epsilon, survey.delta, domain=FOUR, rounds=6)
    for row in rows:
        if row.filter in ("hybrid", "compensator", "naive-product"):
            truth = expected_rounds(entry(row.filter).target(Fraction(2), Fraction(1, 50)), exactly)
            assert 0 < abs(row.expected - float(truth)) <= row.error


def test_a_wide_domain_turns_the_order_round() -> None:
    """On two databases the compensator outlasts accounting; on many counts it does not."""
    for domain, first in (("pair", "compensator"), ("counts:61", "gdp")):
        rows = tune(["gaussian:2"], Fraction(10), DELTA, domain=parse_domain(domain), paths=100)
        alone = [row.filter for row in rows if row.filter in ("compensator", "gdp")]
        assert alone[0] == first


def test_a_floor_is_listed_where_the_registry_calls_it_sound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = tuple(one for one in REGISTRY if not one.name.startswith("floor"))
    many = parse_domain("counts:61")
    for sound in (True, False):
        floor = replace(entry("gdp"), name="floor-gdp", sound=sound)
        monkeypatch.setattr("filterproof_properties.choose.tune.REGISTRY", (*known, floor))
        found = tune(["gaussian:2"], Fraction(10), DELTA, domain=many, paths=100)
        rows = {(row.filter, row.share): row for row in found}
        assert (("floor-gdp", Fraction(1, 2)) in rows) is sound
        if sound:  # 22 and 23 of the 24 rounds of accounting, then what is left
            assert 22 <= rows["floor-gdp", Fraction(1, 2)].expected < 24
            assert 23 <= rows["floor-gdp", Fraction(9, 10)].expected < 24


def test_where_delta_is_0_only_realised_losses_and_sums_help() -> None:
    rows = tune(["randomised-response:1/3"], Fraction(2), Fraction(0), domain=FOUR, paths=200)
    rounds = {row.filter: row.expected for row in rows}
    assert rounds["additive"] == 4 < rounds["hybrid"] == rounds["compensator"]
    assert rounds["gdp"] == rounds["rdp-tight"] == 0


def test_mixed_mechanisms_take_turns() -> None:
    kinds = [loss_of("gaussian:4"), loss_of("laplace:4")]
    mixed = tune(["gaussian:4", "laplace:4"], Fraction(3), DELTA, paths=500)
    rows = {row.filter: row for row in mixed}
    plan = Plan(3.0, 1e-3, tuple(kinds * 24))
    assert {row.filter: row.expected for row in still_rows(plan)} == {
        name: row.expected for name, row in rows.items() if name in STILL
    }


def test_a_budget_too_small_for_one_round_runs_none() -> None:
    rows = tune(["gaussian:1/2"], Fraction(1, 10), DELTA, rounds=5, paths=100)
    assert {row.expected for row in rows} == {0.0}
    assert all(row.parameters for row in rows)
    once = tune(["randomised-response:3/4"], Log(Fraction(3)), DELTA, rounds=1, paths=100)
    assert {row.filter: row.expected for row in once}["repaired"] == 1


def test_the_table_shows_domain_rounds_bars_and_parameters() -> None:
    rows = tune(["gaussian:2"], Fraction(8), DELTA, rounds=10, paths=500)
    lines = tune_text(rows, Fraction(8), DELTA, PAIR.said).splitlines()
    assert lines[0].startswith("epsilon = 8, delta = 1/1000; ± is")
    assert lines[1].startswith("domain: pair, two databases")
    assert len(lines) == 3 + len(rows)
    assert "█" * 30 in lines[3]
    assert "nothing to choose" in "".join(lines)


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["cauchy:1"], "known: gaussian"),
        (["gaussian"], "write gaussian:NUMBER"),
        (["gaussian:-1"], "need 1e-100 <= sigma"),
        (["gaussian:nan"], "rational"),
        (["randomised-response:1/3"], "need 1/2 < truth"),
        (["unary:1/2"], "need 1/2 < truth"),
        (["erasure:1"], "need 0 < told < 1"),
        ([], "need a mechanism"),
        (["a.json", "gaussian:1"], "stands alone"),
    ],
)
def test_a_wrong_specification_is_refused_by_name(specs: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tune(specs, Fraction(1), DELTA)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("line", "known: pair, counts"),
        ("counts", "need a size from 2"),
        ("counts:1", "need a size from 2"),
        ("values:-3", "need a size"),
        ("values:1000", "need a size from 2 to 44"),
        ("counts:1_0", "need a size"),
    ],
)
def test_a_wrong_domain_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        parse_domain(text)


def test_every_kind_says_what_its_number_means() -> None:
    assert {kind: meaning for kind, (meaning, _) in KINDS.items()} == {
        "gaussian": "sigma",
        "laplace": "spread",
        "discrete-gaussian": "sigma",
        "geometric": "rate",
        "randomised-response": "truth",
        "unary": "truth",
        "erasure": "told",
    }
    with pytest.raises(SpecError, match="delta"):
        tune(["gaussian:1"], Fraction(1), Fraction(1))


# --- the Python to paste ---------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*SPECS, "erasure:1/2000"])
@pytest.mark.parametrize("domain", ["pair", "counts:4", "values:3"])
def test_the_python_to_paste_releases_an_answer(spec: str, domain: str) -> None:
    where = parse_domain(domain)
    rows = [Row("gdp", "", 9.0), Row("compensator", "", 8.0)]
    text = python(rows, [spec], Fraction(20), Fraction(1, 10), where)
    assert text.startswith("# gdp lasts longest here (9.00 rounds)")
    names: dict[str, Any] = {}
    exec(compile(text, "pasted", "exec"), names)
    assert names["guard"].rounds == 1
    assert len(names["domain"].databases) == where.size
    assert set(names["domain"].pairs) == set(where.pairs)


def test_the_python_to_paste_has_the_budget_and_every_mechanism_once() -> None:
    rows = [Row("compensator", "", 8.0)]
    text = python(rows, ["geometric:1/2", "laplace:2"] * 2, Log(Fraction(3)), DELTA, PAIR)
    assert "CompensatorFilter(Log(Fraction(3)), Fraction(1, 1000), domain=domain" in text
    assert text.count("noise = ") == 2
    assert "lasts longest" not in text
    none = python([Row("compensator", "", 0.0)], ["laplace:2"], Fraction(0), DELTA, PAIR)
    assert none.endswith("nothing to paste.\n")


# --- games -----------------------------------------------------------------------------------


def test_a_game_is_played_exactly(tmp_path: Path) -> None:
    """Erasure 1/4 twice at δ = 1/4: one round fits, and a second once the database is known."""
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game_to_json(game(repeated(erasure(Fraction(1, 4)), 2)))))
    rows = {row.filter: row for row in tune([str(path)], Fraction(1), Fraction(1, 4))}
    assert rows["additive"].expected == 1
    assert rows["compensator"].expected == 1.25  # a revealed database cannot lose more
    assert "naive" not in rows
    lines = tune_text([*rows.values()], Fraction(1), Fraction(1, 4), None).splitlines()
    assert lines[0].endswith("exact")
    assert lines[1] == "domain: the databases of the game"


def test_a_refused_request_may_be_followed_by_another() -> None:
    class OnlySmall:
        def start(self) -> None: ...

        def decide(self, state: None, step: Any) -> tuple[str, None]:
            return ("refuse" if step.request == "large" else "continue"), None

    menu = {"large": response(Fraction(9, 10)), "small": response(Fraction(3, 5))}
    assert expected_rounds(OnlySmall(), game(menu)) == 1  # type: ignore[arg-type]
    assert expected_rounds(OnlySmall(), game({"large": menu["large"]})) == 0  # type: ignore[arg-type]


def test_a_game_with_too_many_transcripts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PLACES > 1000
    monkeypatch.setattr("filterproof.utility.rounds.MOST_PLACES", 5)
    with pytest.raises(GameTooLarge, match="more than 5"):
        list(game_rows(game(repeated(response(Fraction(3, 5)), 6)), Fraction(5), Fraction(1, 2)))


# --- the command ------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    return main(["tune", *arguments])


def test_the_command_prints_the_table_and_the_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("gaussian:2", "--epsilon", "5", "--delta", "1e-3", "--paths", "500") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("(the default; say --domain)")
    assert lines[3].startswith("compensator")
    assert "domain = Domain.of([0, 1], [(0, 1)])" in lines
    narrow = "--domain", "values:4", "--rounds", "4", "--paths", "50"
    assert run("unary:3/5", "--epsilon", "5", "--delta", "0", *narrow) == 0
    assert "values:4, one record with 4 values" in capsys.readouterr().out


def test_the_command_refuses_what_it_cannot_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("cauchy:1", "--epsilon", "5", "--delta", "1e-3") == 2
    assert "no mechanism 'cauchy'" in capsys.readouterr().err
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game_to_json(game(response(Fraction(3, 5))))))
    assert run(str(path), "--epsilon", "5", "--delta", "1e-3", "--domain", "pair") == 2
    assert "leave --domain out" in capsys.readouterr().err


def test_the_tilted_filter_is_near_the_better_of_two_kinds_on_few_and_on_many_databases() -> None:
    """Rényi alone stops early on two databases, the compensator on many; two purses do neither."""
    budget = (Fraction(1), Fraction(1, 10**4))
    for domain, rounds in ((PAIR, 30), (parse_domain("counts:21"), 6)):
        rows = tune(["gaussian:6"], *budget, domain=domain, rounds=rounds, paths=60)
        expected = {row.filter: row.expected for row in rows if row.share is None}
        better = max(expected["compensator"], expected["rdp-tight"])
        assert expected["tilted"] >= Fraction(4, 5) * better
        assert expected["tilted"] > min(expected["compensator"], expected["rdp-tight"])


def test_the_tilted_filter_is_left_out_where_a_loss_may_be_infinite() -> None:
    rows = tune(["erasure:1/20"], Fraction(1), Fraction(1, 10), rounds=3, paths=60)
    assert "tilted" not in {row.filter for row in rows}
