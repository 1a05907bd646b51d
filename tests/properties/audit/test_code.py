"""An audit proves the code where it can, says so, and starts its search from a refuted round."""

from pathlib import Path

import pytest

from filterproof_properties.audit.code import code_verdict
from filterproof_properties.audit.engine import audit_one
from filterproof_properties.audit.record import record
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.reports.terminal import grounds
from filterproof_properties.targets.loading import load

HALF = '''
class Half:
    """Books half of what a mechanism declares."""

    markov = True

    def __init__(self, epsilon, delta):
        self.delta = delta

    def start(self):
        return 0

    def decide(self, state, step):
        spent = state + step.mechanism.declared.delta / 2
        return ("continue" if spent <= self.delta else "halt"), spent

    def remaining(self, state, step, pair):
        return self.delta - state
'''


def test_a_filter_with_a_potential_is_proved_and_one_without_is_not_asked() -> None:
    proved = code_verdict(load("compensator"), None)
    assert proved is not None
    assert (proved.verdict, proved.ideas) == ("PROVED", ())
    assert "at most 2 outputs" in proved.detail
    assert code_verdict(load("restricted"), None) is None


def test_a_refuted_round_is_the_first_idea_of_the_search(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text(HALF)
    target = load(f"{tmp_path}/half.py:Half")
    refuted = code_verdict(target, None)
    assert refuted is not None
    assert refuted.verdict == "REFUTED"
    assert all(case.name.startswith("refuted round") for case in refuted.ideas)
    result = audit_one(target, Settings(examples=1, attacks=False, proved=True), lambda event: None)
    assert result.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("name", "verdict"), [("whitehouse", "claim broken"), ("naive", "VIOLATED")]
)
def test_a_proof_can_be_demanded(name: str, verdict: str) -> None:
    result = audit_one(load(name), Settings(examples=1, proved=True), lambda event: None)
    assert result.verdict == verdict


def test_a_proof_that_is_lost_is_named_in_the_record() -> None:
    lost = record(
        audit_one(load("whitehouse"), Settings(examples=1, proved=True), lambda event: None)
    )
    assert [(one.name, one.holds) for one in lost.claims if not one.holds] == [("proved", False)]


def test_a_report_says_what_a_verdict_rests_on() -> None:
    settings = Settings(examples=1, proved=True)
    shown = {
        name: grounds(record(audit_one(load(name), settings, lambda event: None)))
        for name in ("compensator", "whitehouse", "naive", "runtime")
    }
    assert shown == {
        "compensator": "theorem in Coq, code proved",
        "whitehouse": "theorem in Coq",
        "naive": "certificate",
        "runtime": "search only",
    }
