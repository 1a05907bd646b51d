"""Tuning: the loss models are right, no filter outruns its own rule, and games are exact."""

import argparse
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filterproof.curves.gaussian import Setting
from filterproof.curves.stopping import stopping_times
from filterproof.curves.survival import algorithm1, naive
from filterproof.exact import Log
from filterproof.game.json import game_to_json
from filterproof.palette import erasure, game, repeated, response
from filterproof.utility.rounds import MOST_PLACES, GameTooLarge, expected_rounds
from filterproof_properties.choose.filters import Plan, charge, smallest_epsilon, still_rows
from filterproof_properties.choose.game import game_rows
from filterproof_properties.choose.losses import KINDS, SpecError, parse_loss
from filterproof_properties.choose.tune import tune, tune_text
from filterproof_properties.cli import tune as command

SPECS = [
    "gaussian:2",
    "laplace:3/2",
    "discrete-gaussian:3/2",
    "geometric:1/2",
    "randomised-response:3/4",
]
DELTA = Fraction(1, 1000)


# --- the loss of one round -------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_profile_renyi_and_quantile_agree_with_drawn_losses(spec: str) -> None:
    """Each is an expectation under P_x of something bounded; Hoeffding allows 10⁻⁹ to fail."""
    loss, n = parse_loss(spec), 400_000
    drawn = loss.draw(np.random.default_rng(3), n)
    allowed = math.sqrt(math.log(2 / 1e-9) / (2 * n))
    for epsilon in (0.0, 0.2, 0.6):
        mean = np.mean(np.maximum(0.0, 1 - np.exp(epsilon - drawn)))
        assert abs(mean - loss.profile(np.array(epsilon))) <= allowed
    for tail in (0.05, 0.3, 0.7):
        q = loss.quantile(tail)
        assert np.mean(drawn > q + 1e-9) <= tail + allowed
        assert np.mean(drawn >= q - 1e-9) >= tail - allowed
    bounded = np.minimum(drawn, 3.0)
    order = np.array([1.5])
    moment = math.exp(0.5 * float(loss.renyi(order)[0]))
    assert abs(np.mean(np.exp(0.5 * bounded)) - moment) <= math.exp(1.5) * allowed + 1e-3


@pytest.mark.parametrize("spec", SPECS)
def test_a_round_is_as_gaussian_as_it_says(spec: str) -> None:
    """μ-GDP: the profile never exceeds that of the Gaussian with this μ."""
    loss = parse_loss(spec)
    reference = parse_loss(f"gaussian:{Fraction(1 / loss.mu()).limit_denominator(10**6)}")
    for epsilon in np.linspace(0, 3, 40):
        assert loss.profile(np.array(epsilon)) <= reference.profile(np.array(epsilon)) + 1e-6


def test_the_smallest_epsilon_is_the_largest_loss_where_no_delta_is_given() -> None:
    assert abs(smallest_epsilon(parse_loss("geometric:1/2"), 0.0) - 0.5) < 1e-12
    assert smallest_epsilon(parse_loss("gaussian:2"), 0.9) == 0


def test_a_charge_is_largest_at_epsilon() -> None:
    loss = parse_loss("laplace:1")
    losses = np.linspace(0, 4, 81)
    charges = charge(loss, losses, 2.0)
    assert int(np.argmax(charges)) == 40
    assert charges[40] == loss.profile(np.array(0.0))


# --- sequences -------------------------------------------------------------------------------


def test_on_gaussian_rounds_it_agrees_with_the_curves() -> None:
    rows = {row.filter: row for row in tune(["gaussian:2"], Fraction(10), DELTA)}
    still = stopping_times(Setting(epsilon=10.0))
    assert rows["additive"].expected == still["additive"]
    assert rows["RDP"].expected == still["RDP, tight conversion"]
    assert rows["Gaussian DP"].expected == still["exact GDP"]
    assert rows["Whitehouse et al."].expected == still["Whitehouse"]
    assert rows["advanced (Rogers et al.)"].expected == still["advanced (original)"]
    for name, curve in (("repaired rule", algorithm1), ("naive at delta/N", naive)):
        truth = curve(Setting(epsilon=10.0)).expected
        assert abs(rows[name].expected - truth) <= 2 * rows[name].error


@pytest.mark.parametrize("spec", SPECS)
def test_every_kind_of_mechanism_is_tuned_and_ranked(spec: str) -> None:
    rows = tune([spec], Fraction(5), DELTA, rounds=30, paths=2000)
    assert {row.filter for row in rows} >= {"additive", "RDP", "repaired rule", "compensator"}
    assert "Algorithm 1" not in {row.filter for row in rows}  # refuted: never recommended
    assert [row.expected for row in rows] == sorted((row.expected for row in rows), reverse=True)
    assert all(0 <= row.expected <= 30 for row in rows)
    assert tune([spec], Fraction(5), DELTA, rounds=30, paths=2000) == rows  # repeatable


def test_mixed_mechanisms_take_turns() -> None:
    kinds = [parse_loss("gaussian:4"), parse_loss("laplace:4")]
    rows = {row.filter: row for row in tune(["gaussian:4", "laplace:4"], Fraction(3), DELTA)}
    plan = Plan(3.0, 1e-3, tuple(kinds * 24))
    assert {row.filter: row.expected for row in still_rows(plan)} == {
        name: row.expected for name, row in rows.items() if not row.error
    }
    alone = [tune([spec], Fraction(3), DELTA)[0].expected for spec in ("gaussian:4", "laplace:4")]
    longest = max(row.expected for row in rows.values())
    assert min(alone) - 1 <= longest <= max(alone) + 1


def test_a_budget_too_small_for_one_round_runs_none() -> None:
    rows = tune(["gaussian:1/2"], Fraction(1, 10), DELTA, rounds=5, paths=100)
    assert {row.expected for row in rows} == {0.0}
    assert all(row.parameters for row in rows)
    once = tune(["randomised-response:3/4"], Log(Fraction(3)), DELTA, rounds=1, paths=100)
    assert {row.filter: row.expected for row in once}["repaired rule"] == 1


def test_the_table_shows_rounds_bars_and_parameters() -> None:
    rows = tune(["gaussian:2"], Fraction(8), DELTA, rounds=10, paths=500)
    lines = tune_text(rows, Fraction(8), DELTA).splitlines()
    assert lines[0].startswith("epsilon = 8, delta = 1/1000; ± is")
    assert len(lines) == 2 + len(rows)
    assert "█" * 30 in lines[2]
    assert "nothing to choose" in "".join(lines)


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["cauchy:1"], "known: gaussian"),
        (["gaussian"], "write gaussian:NUMBER"),
        (["gaussian:-1"], "need sigma > 0"),
        (["gaussian:nan"], "rational"),
        (["randomised-response:1/3"], "need 1/2 < truth"),
        ([], "need a mechanism"),
        (["a.json", "gaussian:1"], "stands alone"),
    ],
)
def test_a_wrong_specification_is_refused_by_name(specs: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tune(specs, Fraction(1), DELTA)


def test_every_kind_says_what_its_number_means() -> None:
    assert {kind: meaning for kind, (meaning, _) in KINDS.items()} == {
        "gaussian": "sigma",
        "laplace": "spread",
        "discrete-gaussian": "sigma",
        "geometric": "rate",
        "randomised-response": "truth",
    }
    with pytest.raises(SpecError, match="delta"):
        tune(["gaussian:1"], Fraction(1), Fraction(0))


# --- games -----------------------------------------------------------------------------------


def test_a_game_is_played_exactly(tmp_path: Path) -> None:
    """Erasure 1/4 twice at δ = 1/4: one round fits, and a second once the database is known."""
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game_to_json(game(repeated(erasure(Fraction(1, 4)), 2)))))
    rows = {row.filter: row for row in tune([str(path)], Fraction(1), Fraction(1, 4))}
    assert rows["additive"].expected == 1
    assert rows["compensator"].expected == 1.25  # a revealed database cannot lose more
    assert "naive" not in rows
    assert (
        tune_text([*rows.values()], Fraction(1), Fraction(1, 4)).splitlines()[0].endswith("exact")
    )


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
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    options = parser.parse_args(["tune", *arguments])
    return int(options.run(options))


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("gaussian:2", "--epsilon", "5", "--delta", "1e-3", "--paths", "500") == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("compensator")


def test_the_command_refuses_a_wrong_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cauchy:1", "--epsilon", "5", "--delta", "1e-3") == 2
    assert "no mechanism 'cauchy'" in capsys.readouterr().err
