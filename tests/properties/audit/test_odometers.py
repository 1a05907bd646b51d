"""Odometers are found out by the ordinary search, with a certificate, and shown as such."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from filterproof.exact import Log
from filterproof_proofs.certificates import check
from filterproof_properties.audit.engine import Result, audit_one
from filterproof_properties.audit.record import Record, record
from filterproof_properties.audit.running import run_audit
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.reports import html, junit, sarif
from filterproof_properties.reports.files import json_text
from filterproof_properties.reports.picture import picture
from filterproof_properties.reports.plain import counterexample
from filterproof_properties.targets.loading import load

FILE = Path(__file__).with_name("odometer_targets.py")
SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
FEW = Settings(examples=25)


def searched(name: str) -> Result:
    """Audit a built-in odometer as if nothing were known of it: no specimen, no announcement."""
    stranger = replace(load(name), expected_sound=None)
    return audit_one(stranger, FEW, lambda event: None)


@pytest.mark.parametrize(
    "name",
    [
        "late",
        "declared",
        "per-round-delta",
        "rounded-down",
        "resets",
        "one-direction",
        "forgiving-again",
        "guesses-dp",
    ],
)
def test_the_search_finds_it_without_its_specimen(name: str) -> None:
    result = searched(f"odometer-{name}")
    assert result.verdict is Verdict.VIOLATED
    assert result.violation is not None
    assert "exceeds what is reported" in check(result.violation.certificate)


@pytest.mark.parametrize("name", ["additive", "realised", "forgiving"])
def test_the_same_search_finds_nothing_against_a_sound_one(name: str) -> None:
    result = searched(f"odometer-{name}")
    assert result.verdict is Verdict.NOT_FOUND
    assert result.closest_sound is None  # no filter is compared with what runs everything
    assert record(result).kind == "odometer"


# --- a stranger's ---------------------------------------------------------------------------


def audited(name: str) -> Record:
    return run_audit(f"{FILE}:{name}", Settings(examples=2), Limits(), lambda event: None)


def test_a_strangers_odometer_is_audited_in_its_own_process() -> None:
    wrong, right = audited("Halved"), audited("Honest")
    assert (wrong.verdict, wrong.kind) == (Verdict.VIOLATED, "odometer")
    assert json.loads(wrong.certificate)["schema"] == "filterproof.odometer"
    assert (right.verdict, right.kind) == (Verdict.NOT_FOUND, "odometer")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Floating", "must return an int or a Fraction >= 0, Log(q) or math.inf; got 0.7"),
        ("Forgetful", "got None"),
        ("Moody", "reported() gave two answers for one state"),
        ("Loud", "reported() wrote to standard output"),
    ],
)
def test_what_breaks_the_protocol_is_no_pass(name: str, why: str) -> None:
    found = audited(name)
    assert found.verdict is Verdict.FAILED
    assert why in found.error


def test_what_refuses_a_reveal_is_audited_as_a_filter() -> None:
    """`Enforcing` reports nothing, which would be wrong for an odometer."""
    settings = Settings(examples=2, epsilon=Log(Fraction(2)))
    sound, careless = (
        run_audit(f"{FILE}:{name}", settings, Limits(), lambda event: None)
        for name in ("Enforcing", "Careless")
    )
    assert (sound.kind, sound.verdict) == ("filter", Verdict.NOT_FOUND)
    assert (careless.kind, careless.verdict) == ("filter", Verdict.VIOLATED)
    assert json.loads(careless.certificate)["schema"] == "filterproof.certificate"


# --- the command line -----------------------------------------------------------------------


def test_exit_codes_certificate_and_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "odometer-late", "--examples", "1", "--certificates", str(tmp_path)]) == 1
    assert "reports too little" in capsys.readouterr().out
    path = str(tmp_path / "odometer-late.certificate.json")
    assert main(["check", path, "--picture"]) == 0
    said = capsys.readouterr().out
    assert "replayed: odometer-late gives all 1 answers" in said
    assert "reported log(1)" in said
    assert main(["check", path, "--replay", "odometer-additive"]) == 1
    assert "rejected: round 1" in capsys.readouterr().out
    assert main(["check", path, "--verified"]) == 2


def test_a_sound_one_says_what_was_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "odometer-realised", "--examples", "1"]) == 0
    assert "audited as an odometer, by P(loss > report" in capsys.readouterr().out


def test_names_that_are_near_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "odometer-aditive"]) == 2
    assert "no odometer 'odometer-aditive'; near: odometer-additive" in capsys.readouterr().err


def test_odometers_are_not_compared_by_what_they_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "odometer-late", "odometer-additive"]) == 2
    assert "an odometer runs everything" in capsys.readouterr().out


# --- reports --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown() -> Record:
    result = audit_one(load("odometer-accountant"), FEW, lambda event: None)
    return replace(record(result), as_expected=None)


def test_every_report_speaks_of_an_odometer(shown: Record) -> None:
    page = html.text([shown])
    assert "odometer-accountant reports too little" in page
    assert "P = 0.019702, 1.97 times δ" in page
    assert "reported log(98000000/99)" in page
    assert 'name="reports"' in junit.text([shown])
    log = json.loads(sarif.text([shown]))
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["reports"]


def test_the_json_report_obeys_its_schema(shown: Record) -> None:
    data: Any = json.loads(json_text([shown]))
    validator = Draft202012Validator(json.loads((SCHEMAS / "report.schema.json").read_text()))
    validator.validate(data)
    data["results"][0]["certificate"]["schema"] = "filterproof.certificate"
    assert not validator.is_valid(data)


def test_the_picture_shows_reports_beside_losses(shown: Record) -> None:
    drawn = picture(shown.certificate)
    assert drawn.reports
    assert drawn.value.b == 0
    assert drawn.value.a == drawn.mass_x
    text = counterexample(shown.certificate)
    assert "reported log(98000/99) (about 6.8976), loss 6.90776  ★ in S" in text
    assert "P_0(loss > report at some time) = P_0(S) > delta = 1/100 (1.97 x)" in text
