"""`explain` and `repro`: what they say of a certificate, and of a file that is none."""

import json
from pathlib import Path

import pytest

from filterproof_properties.audit.known_bug_match import known_bug_match
from filterproof_properties.cli.main import main
from filterproof_properties.games import odometers
from filterproof_properties.games.named import guess
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.reports import explain
from filterproof_properties.targets.evaluate import certify_violation
from filterproof_properties.targets.loading import load
from tests.properties.adapters.test_findings import CERTIFICATES, text_of
from tests.reference.test_certificate import certificate


def said(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["explain", str(CERTIFICATES / f"{name}.json")]) == 0
    return capsys.readouterr().out


# --- in words -------------------------------------------------------------------------------------


def test_rounds_answers_outputs_probabilities_and_h_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said("opendp-failure-not-charged", capsys)
    for line in (
        "opendp is not (11/10, 0)-DP.",
        "  M0 is (log(3), 0)-DP:",
        "    output 'fails': 3/4 on '1', 1/4 on '0'",
        "  turn 1: asks 'ask', which is M0; the answer: run it, go on",
        "    output 'fails': the adversary stops and says that it was '1'",
        "Exact H = P(S) - e^eps P'(S) = 9/16 - e^(11/10) * 1/16 = 0.37474,",
        "Basic composition would not have run 'ask' in turn 1.",
    ):
        assert line in text.splitlines()


def test_rounds_that_are_alike_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = said("smartnoise-odometer-under-reports", capsys)
    assert "which is M0, 25 times in a row; the answer: run it, go on" in text
    assert "Excess: 0.62821, 3.094 times delta." in text


def test_an_odometer_is_explained_by_what_it_reports() -> None:
    text = certify_violation(
        "x", load("odometer-late").target, odometers.SPECIMENS["odometer-late"]()
    )
    words = explain.text(text.certificate, known_bug_match(text.certificate))
    assert "x reports too little, more often than delta = 1/100 allows." in words
    assert "output '0', log(1) is reported: the adversary stops, the loss is above it" in words
    assert "So P(loss > report at some time) = P(S), where delta = 1/100 = 0.01." in words
    assert "  odometer-late: " in words
    assert "Basic composition would have reported otherwise: round 1" in words


# --- the nearest known bug ------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted({*SPECIMENS} - {"rdp-some-order-mironov"}))
def test_a_known_bug_is_recognised_by_its_own_certificate(name: str) -> None:
    found = known_bug_match(
        certify_violation("a stranger", load(name).target, SPECIMENS[name]()).certificate
    )
    assert found.same
    assert name in {bug for bug, _ in found.bugs}


@pytest.mark.parametrize(
    ("name", "bugs", "same"),
    [
        ("dp-accounting-pld-as-filter", {"exact-composition"}, True),
        ("smartnoise-odometer-under-reports", {"naive", "per-round-delta"}, True),
        ("opacus-forgets-after-refusal", {"floor-fresh-losses"}, False),
        ("dp-accounting-rdp-replace-one", {"clamped-charge"}, True),
    ],
)
def test_the_known_bugs_that_answer_so_are_named(name: str, bugs: set[str], same: bool) -> None:
    found = known_bug_match(text_of(name))
    assert bugs <= {bug for bug, _ in found.bugs}
    assert (found.same, found.compared) == (same, True)


def test_the_bug_that_grants_least_beside_the_play_comes_first() -> None:
    failing, mixed = ("opendp-failure-not-charged", "dp-accounting-pld-as-filter")
    assert known_bug_match(text_of(failing)).bugs[0][0] == "refund-on-failure"
    assert known_bug_match(text_of(mixed)).bugs[0][0] == "exact-composition"


def test_in_a_game_that_is_too_large_bugs_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("filterproof.utility.rounds.MOST_PLACES", 0)
    names = [name for name, _ in known_bug_match(text_of("opendp-failure-not-charged")).bugs]
    assert names.index("refund-on-failure") > 0


def test_a_play_of_long_numbers_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert not known_bug_match(text_of("diffprivlib-absorbed-epsilon")).compared
    assert "not looked for" in said("diffprivlib-absorbed-epsilon", capsys)


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["explain", "repro"])
def test_it_is_written_to_a_file(command: str, tmp_path: Path) -> None:
    path, out = tmp_path / "guess.json", tmp_path / "out"
    path.write_text(certificate(guess(4)), encoding="ascii")
    assert main([command, str(path), "--output", str(out)]) == 0
    assert "algorithm1" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["explain", "repro"])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"{", 1),
        (b"[" * 100_000, 1),
        (b'{"schema": 1e400}', 1),
        ('{"\u00e9": 1}'.encode(), 2),
        (None, 2),
    ],
    ids=["cut", "nested", "float", "not ASCII", "missing"],
)
def test_what_is_no_certificate_ends_as_in_check(
    command: str, text: bytes | None, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_bytes(text)
    assert main([command, str(path)]) == main(["check", str(path)]) == code
    told = capsys.readouterr()
    assert (told.out if code == 1 else told.err).startswith(
        "rejected: " if code == 1 else f"filterproof {command}: "
    )


def test_a_false_certificate_is_not_explained(tmp_path: Path) -> None:
    data = json.loads(text_of("opendp-failure-not-charged")) | {"mass_x": "5/8"}
    path = tmp_path / "false.json"
    path.write_text(json.dumps(data, sort_keys=True, indent=1) + "\n", encoding="ascii")
    assert main(["explain", str(path)]) == main(["repro", str(path)]) == 1


def test_names_of_strangers_command_no_terminal() -> None:
    text = certificate(guess(4)).replace('"algorithm1"', '"\\u001b[2J"')
    words = explain.text(text, known_bug_match(text))
    assert words.startswith("\\x1b[2J is not (")
    assert "\x1b" not in words
