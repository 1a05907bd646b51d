"""None of the filters that deceive a careless prover is proved, and the honest one is."""

from fractions import Fraction
from pathlib import Path

import pytest

from filterproof_proofs.potential import CannotRun, Disagreement, guard
from filterproof_proofs.symbolic.program import Program
from filterproof_properties.targets.attribute import attribute
from tests.proofs.potential.impostors import PRELUDE, sources
from tests.proofs.potential.wrong import PROVED, said

SECONDS = 5.0


@pytest.mark.parametrize("name", sources())
def test_an_impostor_is_not_proved(name: str) -> None:
    assert said(sources()[name], "Impostor", outputs=2, seconds=SECONDS) != PROVED


def test_there_are_many_of_them_and_the_ledger_that_they_pretend_to_be_is_proved() -> None:
    assert len(sources()) >= 32
    assert said(PRELUDE, "Ledger", outputs=2) == PROVED


CHANGED = PRELUDE + "\nclass Other(Ledger):\n    def decide(self, state, step):\n"
SKIPS = '        if step.index == 1:\n            return "continue", state\n        return super().decide(state, step)\n'


def test_plays_notice_a_target_that_answers_otherwise_than_its_source(tmp_path: Path) -> None:
    program = Program.of_text(PRELUDE, "Ledger", "mine.py")
    (tmp_path / "honest.py").write_text(PRELUDE)
    (tmp_path / "other.py").write_text(CHANGED + SKIPS)
    assert guard(program, attribute(f"{tmp_path}/honest.py:Ledger"), 60).rounds > 0
    with pytest.raises(CannotRun, match=r"mine\.py:\d+ behaves differently on known numbers"):
        guard(program, attribute(f"{tmp_path}/other.py:Other"), 200)


def test_plays_notice_rules_that_do_not_hold(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(CHANGED + SKIPS)
    program = Program.load(tmp_path / "other.py", "Other")
    with pytest.raises(Disagreement, match="a round that runs is paid for"):
        guard(program, attribute(f"{tmp_path}/other.py:Other"), 200)


def test_an_impostor_that_the_honest_numbers_show_is_refuted() -> None:
    assert said(sources()["a rational epsilon"], "Impostor") in ("REFUTED", "OPEN")
    assert said(sources()["index equals a float"], "Impostor") == "REFUTED"
    assert Fraction(365.25 * 4) == 1461
