"""`filterproof prove`, never looser than a rule: classes and filters as a user names them."""

import json
import re
from pathlib import Path

import pytest

from filterproof_proofs.refinement.proof import REPLAYS
from filterproof_properties.cli.main import main

LEDGERS = Path(__file__).parents[3] / "corpus" / "ledgers"
TWO_FACED = """
import sys

class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon, delta):
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True

def spend_nothing(self, epsilon, delta):
    return True

if sys.argv:
    Budget.spend = spend_nothing
"""


def test_a_budget_class_is_proved_with_its_theorem_and_played_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prove", f"{LEDGERS / 'sound_plain.py'}:Raises", "--spend", "charge"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("PROVED")
    assert "additive_private" in said
    runs = re.search(r"the object itself: (\d+) runs", said)
    assert runs
    assert int(runs[1]) > REPLAYS


def test_a_wrong_one_is_refuted_by_calls_that_the_object_confirms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = f"{LEDGERS / 'wrong_state.py'}:RefundsFailures"
    words = ["--spend", "spend", "--fails", "failed(epsilon)", "--json"]
    assert main(["prove", spec, *words]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "REFUTED"
    assert said["run"].endswith("of 1 (the sum of the epsilons that ran)")
    assert said["audit"]["verdict"] == "VIOLATED"


LOOSER_AND_PRIVATE = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.kept, self.least = epsilon, 1, 1 - delta

    def spend(self, epsilon, delta):
        kept = self.kept * (1 - delta)
        if epsilon > self.epsilon or kept < self.least:
            return False
        self.epsilon, self.kept = self.epsilon - epsilon, kept
        return True
"""


def test_one_that_is_looser_than_the_rule_and_private_is_not_accused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "product.py"
    path.write_text(LOOSER_AND_PRIVATE)
    assert main(["prove", f"{path}:Budget", "--spend", "spend", "--seconds", "12"]) == 3
    said = capsys.readouterr().out
    assert said.startswith("REFUTED")
    assert "which need not break privacy" in said


def test_a_refuted_one_leaves_a_certificate_where_it_is_asked_to(tmp_path: Path) -> None:
    spec = f"{LEDGERS / 'wrong_state.py'}:RefundsFailures"
    words = ["--spend", "spend", "--fails", "failed(epsilon)", "--certificates", str(tmp_path)]
    assert main(["prove", spec, *words]) == 1
    (path,) = tmp_path.iterdir()
    assert main(["check", str(path), "--no-replay"]) == 0


def test_the_additive_filter_is_proved_for_all_laws(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "additive", "--by", "additive"]) == 0
    assert "all laws, outputs, databases" in capsys.readouterr().out
    assert main(["prove", "per-round-delta", "--by", "additive"]) == 1


def test_a_rule_that_does_not_fit_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "additive", "--by", "gaussian"]) == 2
    assert "counts gdp" in capsys.readouterr().err


def test_an_object_that_is_not_what_its_source_says_is_never_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two_faced.py"
    path.write_text(TWO_FACED)
    assert main(["prove", f"{path}:Budget", "--spend", "spend"]) != 0
    assert "PROVED" not in capsys.readouterr().out


def test_a_built_in_filter_without_a_potential_is_proved_by_the_rule_of_its_theorem(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prove", "rdp-tight", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["theorems"]) == ("PROVED", ["rdp_tight_private"])
    assert "within" in told["trusts"]


def test_a_known_bad_one_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "rdp-some-order"]) == 2
    assert "PROVED" not in capsys.readouterr().out
