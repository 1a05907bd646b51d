"""`filterproof prove TARGET`: its source is interpreted in a child; nothing of it runs there."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import filterproof_proofs.potential as potential
from filterproof_properties.audit import code
from filterproof_properties.cli import prove, proving
from filterproof_properties.cli.main import main
from filterproof_properties.targets.loading import load

LEDGER = """
from filterproof.privacy import charge

class Ledger:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def start(self):
        return self.delta

    def decide(self, state, step):
        law, mass = step.mechanism.law, step.mass
        cost = max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)
        return ("halt", state) if cost > state else ("continue", state - cost)

    def remaining(self, state, step, pair):
        return state
"""
QUICK = ("--outputs", "1", "--no-second-opinion")
Printed = pytest.CaptureFixture[str]


def test_a_ledger_is_proved_and_held_against_itself(tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "mine.py").write_text(LEDGER)
    assert main(["prove", f"{tmp_path}/mine.py:Ledger", *QUICK]) == 0
    said = capsys.readouterr().out
    assert "PROVED" in said
    assert "every epsilon (rational or log(q))" in said
    assert "random plays" in said


def test_nothing_of_the_target_runs_in_the_prover(tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n{LEDGER}")
    assert main(["prove", f"{tmp_path}/mine.py:Ledger", *QUICK]) == 2
    assert "mine.py:1: not interpreted" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


def test_a_module_of_the_same_directory_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "books.py").write_text(LEDGER)
    (tmp_path / "mine.py").write_text("from books import Ledger\nclass Mine(Ledger):\n    pass\n")
    assert main(["prove", f"{tmp_path}/mine.py:Mine", *QUICK]) == 0


@pytest.mark.parametrize("spec", ["math:sqrt", "nowhere_at_all:Filter", "missing.py:Filter"])
def test_what_has_no_source_cannot_be_proved(spec: str, capsys: Printed) -> None:
    assert main(["prove", spec, *QUICK]) == 2
    assert "no source" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--outputs", "0"), ("--databases", "1")])
def test_a_proof_about_nothing_is_refused(words: tuple[str, str], capsys: Printed) -> None:
    assert main(["prove", "bayesian", *words]) == 2
    assert "at least" in capsys.readouterr().err


def never_ending(*_: object) -> None:
    """What a solver does that ignores its limits and every signal but one."""
    while True:
        time.sleep(0.1)


def test_a_solver_that_does_not_stop_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setattr(potential, "prove", never_ending)
    monkeypatch.setattr(proving, "GRACE", 1.0)
    begun = time.monotonic()
    assert main(["prove", "bayesian", "--seconds", "1"]) == 3
    assert time.monotonic() - begun < 20
    assert "the prover was ended" in capsys.readouterr().out


def test_a_rule_and_a_potential_share_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def by_rule(spec: str, by: str, seconds: float) -> proving.Proof:
        given.append(seconds)
        monkeypatch.setattr(prove, "monotonic", lambda: 90.0)
        return proving.Proof(3, "", {"verdict": "OPEN"})

    def by_potential(spec: str, effort: potential.Effort, *_: object) -> proving.Proof:
        given.append(effort.seconds)
        return proving.Proof(0, "", {})

    monkeypatch.setattr(prove, "monotonic", lambda: 0.0)
    monkeypatch.setattr(prove, "prove_never_looser", by_rule)
    monkeypatch.setattr(prove, "prove_source", by_potential)
    assert main(["prove", "bayesian", "--seconds", "100"]) == 0
    assert given == [50.0, 10.0]


def disagreeing(error: type[Exception]) -> Callable[..., None]:
    def guard(*_: object) -> None:
        raise error("mine.py:9 behaves differently on known numbers")

    return guard


def test_a_target_that_contradicts_its_source_is_not_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setattr(potential, "guard", disagreeing(potential.CannotRun))
    assert main(["prove", "bayesian", *QUICK]) == 2
    assert "behaves differently on known numbers" in capsys.readouterr().err
    verdict = code.code_verdict(load("bayesian"), None)
    assert verdict is not None
    assert verdict.verdict == "OPEN"


def test_a_rule_that_a_play_breaks_is_a_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setattr(potential, "guard", disagreeing(potential.Disagreement))
    assert main(["prove", "bayesian", *QUICK]) == 4
    assert "PROVED" not in capsys.readouterr().out


def test_plays_that_run_nothing_prove_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setattr(potential, "guard", lambda *_: potential.Guarded(100, 0))
    assert main(["prove", "bayesian", *QUICK]) == 3
    assert "OPEN" in capsys.readouterr().out
