"""Long straight runs show what differs after many requests, or after a refusal."""

import json
from pathlib import Path

import pytest

from filterproof_properties.audit.straight_runs import straight_runs
from filterproof_properties.cli.diff import table
from filterproof_properties.cli.main import main
from filterproof_properties.processes.child import Limits

LEDGER = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta, self.spent, self.risk, self.n = epsilon, delta, 0.0, 0.0, 0

    def spend(self, epsilon, delta):
        if self.spent + epsilon > self.epsilon or self.risk + delta > self.delta:
            return False
        self.n += 1
        self.spent += epsilon
        self.risk += delta
        return True
"""
LATE = LEDGER.replace(
    "self.spent += epsilon", "self.spent += epsilon / 2 if self.n > 12 else epsilon"
)
FORGETS = LEDGER.replace("return False", "self.spent = 0.0\n            return False")
STRICT = LEDGER.replace("self.spent += epsilon", "self.spent += 2 * epsilon")
WORDS = " --spend 'spend(epsilon, delta)' --open '(epsilon, delta)'"


def found(folder: Path, text: str) -> tuple[int, object]:
    paths = [folder / "old.py", folder / "new.py"]
    for path, source in zip(paths, (LEDGER, text), strict=True):
        path.write_text(source, encoding="utf-8")
    versions = [(f"{path}:Budget{WORDS}", Limits()) for path in paths]
    left = iter([True] * 40)
    seen = straight_runs(versions, 0, lambda: next(left, False))
    return seen.runs, seen.run


@pytest.mark.parametrize("text", [LATE, FORGETS])
def test_a_run_that_only_the_new_version_runs_is_found(text: str, tmp_path: Path) -> None:
    runs, run = found(tmp_path, text)
    assert runs > 0
    assert run is not None


@pytest.mark.parametrize("text", [LEDGER, STRICT])
def test_there_is_none_where_the_new_version_runs_no_more(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filterproof_properties.audit.straight_runs.MOST", 75)
    runs, run = found(tmp_path, text)
    assert (runs, run) == (75, None)


def test_the_run_is_shown_with_equal_requests_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found(tmp_path, LATE)
    words = [f"{tmp_path}/{one}.py:Budget" for one in ("old", "new")]
    assert main(["diff", *words, "--spend", "spend", "--seconds", "8", "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "LOOSER"
    rows = told["looser"]["rows"]
    assert len(rows) > 12
    assert (rows[-1]["old"], rows[-1]["new"]) == ("refused", "granted")


def test_equal_rows_are_counted() -> None:
    from filterproof_properties.audit.side_by_side import Row

    lines = table(
        (Row("spend(1)", "granted", "granted"),) * 3 + (Row("spend(1)", "no", "granted"),)
    )
    assert [line.split("  ")[1] for line in lines] == ["asked", "3 times spend(1)", "spend(1)"]
