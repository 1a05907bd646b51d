"""The gate for CI: what it lets through was audited, compared and proved as much as before."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from filterproof_properties.audit.engine import INTERRUPTED
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli import gating
from filterproof_properties.cli.gating import failed
from filterproof_properties.cli.main import main
from filterproof_properties.cli.minimum import RULES, weaker
from filterproof_properties.options.config import read_config
from filterproof_properties.options.table import OPTIONS
from tests.properties.audit.repository import (
    CONFIG,
    LEDGER,
    LOOSER,
    PROVABLE,
    RENAMED,
    STRICTER,
    TARGET,
    commit,
    git,
    repository,
    write,
)

SCHEMA = Path(__file__).parents[3] / "docs/schemas/report.schema.json"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "project")
    monkeypatch.chdir(made)
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        monkeypatch.delenv(name, raising=False)
    return made


def gate(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code of a gate, and its records, which obey the schema of reports."""
    code = main(["gate", *words, "--json"])
    data = json.loads(capsys.readouterr().out)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(data)
    return code, data["results"]


def verdicts(found: list[dict[str, Any]]) -> list[str]:
    return [one["verdict"] for one in found]


def test_an_interrupt_ends_the_whole_gate(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def interrupted(spec: str, *arguments: Any, **more: Any) -> Record:
        asked.append(spec)
        return failed(spec, Verdict.INCONCLUSIVE, INTERRUPTED)

    monkeypatch.setattr(gating, "run_audit", interrupted)
    commit(project, RENAMED)
    code, found = gate(capsys, TARGET, "naive")
    assert (code, verdicts(found), len(asked)) == (3, ["inconclusive"], 1)


def test_another_name_passes_and_a_looser_version_does_not(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(project, {"src/shop/ledger.py": PROVABLE})
    git(project, "branch", "-f", "main", "HEAD")
    commit(project, {"src/shop/ledger.py": PROVABLE.replace("spent", "used")})
    code, found = gate(capsys)
    assert (code, verdicts(found)[0]) == (0, "no violation found")
    assert verdicts(found)[1] in ("PROVED no looser", "no looser play found")
    commit(project, LOOSER | RENAMED)
    code, found = gate(capsys)
    assert (code, verdicts(found)) == (1, ["VIOLATED", "LOOSER"])
    assert all(one["certificate"] for one in found)


def test_what_broke_a_target_before_is_tried_first(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "FILTERPROOF_NO_MEMORY"):
        monkeypatch.delenv(name, raising=False)
    git(project, "switch", "-q", "main")
    write(project, LOOSER)
    git(project, "commit", "-q", "--all", "--amend", "--no-edit")  # there is no older version
    (first, *_), (second, *_) = (gate(capsys)[1] for _ in range(2))
    assert (first["verdict"], second["verdict"]) == ("VIOLATED", "VIOLATED")
    assert second["tried"] == 1 < first["tried"]
    monkeypatch.setenv("FILTERPROOF_NO_MEMORY", "1")
    assert gate(capsys)[1][0]["tried"] == first["tried"]


def test_a_stricter_version_passes_and_what_users_lose_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, STRICTER)
    code, found = gate(capsys)
    assert code == 0
    assert "expected rounds" in found[1]["note"]


def test_every_report_has_every_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, LOOSER)
    paths = [Path(f"out/report.{one}") for one in ("md", "sarif", "xml", "html")]
    code = main(["gate", *(word for path in paths for word in ("--report", str(path)))])
    assert code == 1
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert f"{TARGET} since" in text
    results = json.loads(paths[1].read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["violation", "looser"]
    places = {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results}
    assert places == {LEDGER.splitlines().index("class Budget:") + 1}
    assert 'name="no-looser"' in paths[2].read_text(encoding="utf-8")
    assert "runs what the old one does not" in capsys.readouterr().out


KEPT = """
from filterproof.filters.compensator import Compensator

class Budget(Compensator):
    pass
"""
LOST = """
    def decide(self, state, step):
        exec("")
        return super().decide(state, step)
"""


def test_a_proof_that_is_lost_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(project, {"src/shop/ledger.py": KEPT})
    git(project, "branch", "-f", "main", "HEAD")
    write(project, {"src/shop/ledger.py": KEPT.replace("    pass\n", LOST)})
    code, found = gate(capsys)
    assert (code, verdicts(found)[1:]) == (1, ["no looser play found", "proof lost"])
    assert "it was proved by its potential; now: " in found[2]["error"]


# --- a gate that checks nothing, or less ------------------------------------------------------


def test_a_target_that_is_new_is_audited_only(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = CONFIG.replace('Budget"]', 'Budget", "src/shop/other.py:Budget"]')
    write(project, {"src/shop/other.py": LEDGER, "pyproject.toml": more})
    code, found = gate(capsys)
    assert code == 0
    assert [one["kind"] for one in found] == ["filter", "change", "filter"]
    assert "It did not exist at" in found[2]["note"]


def test_the_first_commit_has_no_older_version_and_says_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "switch", "-q", "main")
    code, found = gate(capsys)
    assert (code, len(found)) == (0, 1)
    assert "no older version" in found[0]["note"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing to check"),
        ("[tool.other]\n", "nothing to check"),
        ("[tool.filterproof]\nexamples = 40\n", "nothing to check"),
        (CONFIG.replace("tool.filterproof", "tool.filterprof"), "did you mean [tool.filterproof]"),
        ("[tool.filterproof]\ntargets = []\n", "'targets' must be a list"),
        (CONFIG + "seconds = 0\n", "need a positive number of seconds"),
        (CONFIG.replace("examples", "exmples"), "did you mean 'examples'"),
    ],
)
def test_a_configuration_with_nothing_to_check_is_red(
    text: str, why: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "switch", "-q", "main")
    commit(project, {"pyproject.toml": text})
    commit(project, {"README": "the configuration of the base is as empty"})
    assert main(["gate"]) == 2
    assert why in capsys.readouterr().err


def test_targets_that_are_gone_are_red(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, {"pyproject.toml": ""})
    code, found = gate(capsys)
    assert (code, verdicts(found)) == (2, ["checks less than the base"])
    assert found[0]["error"] == "it is no longer a target of [tool.filterproof]"


def test_a_change_that_lowers_its_own_bar_is_red(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, {"pyproject.toml": CONFIG.replace("40", "1") + "attacks = false\n"})
    code, found = gate(capsys)
    assert (code, verdicts(found)[0]) == (2, "checks less than the base")
    wanted = "examples = 1, and it was 40; attacks = false, and it was true"
    assert found[0]["error"] == wanted


NAMED = """
[tool.filterproof]
seconds = 30
{all}
[tool.filterproof.targets.shop]
target = "shop.py:{name}"
spend = "spend(epsilon)"
{own}
"""


def config(folder: Path, name: str = "Budget", all: str = "", own: str = "", **changes: str) -> Any:
    path = folder / "pyproject.toml"
    text = NAMED.format(name=name, all=all, own=own)
    for before, after in changes.items():
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")
    return read_config(path)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("", "examples = 1", "examples = 1, and it was not set"),
        ("", "attacks = false", "attacks = false"),
        ("proved = true", "", "proved = false"),
        ("exact = true", "exact = false", "exact = false"),
        ("", "epsilon = 1", "epsilon = 1"),
        ("delta = 0.1", "delta = 0.2", "delta = 1/5, and it was 1/10"),
        ("", "seed = 5", "seed = 5, and it was 0"),
        ("jobs = 2", "", "jobs = 1"),
        ("", "sandbox = 'off'", "sandbox = off, and it was auto"),
        ("sandbox = 'require'", "", "sandbox = auto, and it was require"),
    ],
)
def test_a_weaker_setting_is_named(before: str, after: str, why: str, tmp_path: Path) -> None:
    one, other = config(tmp_path, all=before), config(tmp_path, all=after)
    (reasons,) = weaker(one, other).values()
    assert any(why in reason for reason in reasons)
    assert weaker(one, one) == {}


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("", "seconds = 1", "seconds = 1"),
        ("free = ['who=a,b']", "", "free = not set"),
        ("clock = 'time.time'", "", "clock = not set"),
        ("instances = 2", "", "instances = not set"),
        ("", "granted = 'not result'", "granted = not result"),
        ("check = 'check'", "", "check = not set"),
    ],
)
def test_a_targets_own_options_are_a_minimum_too(
    before: str, after: str, why: str, tmp_path: Path
) -> None:
    one, other = config(tmp_path, own=before), config(tmp_path, own=after)
    (reasons,) = weaker(one, other).values()
    assert any(why in reason for reason in reasons)


def test_a_name_that_stands_for_something_else_is_red(tmp_path: Path) -> None:
    found = weaker(config(tmp_path), config(tmp_path, name="Harmless"))
    assert found == {"shop": ["it stands for shop.py:Harmless, and stood for shop.py:Budget"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("examples = 5", "examples = 50"),
        ("", "exact = true"),
        ("jobs = 1", "jobs = 2"),
        ("timeout = 5", "timeout = 50"),
        ("", "sandbox = 'require'"),
        ("attacks = false", ""),
    ],
)
def test_more_may_be_checked(before: str, after: str, tmp_path: Path) -> None:
    assert weaker(config(tmp_path, all=before), config(tmp_path, all=after)) == {}


def test_rules_are_about_options_that_exist() -> None:
    assert {*RULES} <= {one.name for one in OPTIONS}


# --- time and errors --------------------------------------------------------------------------


def test_a_gate_whose_time_is_up_is_red(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = gate(capsys, "--seconds", "0.5")
    assert (code, verdicts(found)) == (3, ["inconclusive"])
    assert "the time of the gate was up" in found[0]["error"]
    config_of = CONFIG.replace("examples = 40", "seconds = 20")
    write(project, {"pyproject.toml": config_of})
    assert main(["gate", "--seconds", "30"]) == 2
    assert "--seconds 30 is less than the 40 that are configured" in capsys.readouterr().err


def test_a_target_that_cannot_be_loaded_is_red(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, {"src/shop/ledger.py": "import os\nos._exit(0)\n"})
    code, found = gate(capsys)
    assert code == 2
    assert verdicts(found) == ["target failed", "target failed"]


@pytest.mark.parametrize("text", ["[tool.filterproof", CONFIG.replace("examples", "exmples")])
def test_an_unreadable_configuration_of_the_base_is_red(
    text: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "switch", "-q", "main")
    commit(project, {"pyproject.toml": text})
    commit(project, {"pyproject.toml": CONFIG})
    code, found = gate(capsys)
    assert (code, verdicts(found)[0]) == (2, "checks less than the base")
    assert "no minimum is known: at the commit before" in found[0]["error"]
    assert "filterproof-base-" not in found[0]["error"]
    assert verdicts(found)[1] == "no violation found"
    commit(project, {"README": "the configuration of the base can be read now"})
    assert gate(capsys)[0] == 0


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("Budget = 5\nraise SystemExit(0)", "SystemExit"),
        ("Budget = 5\nimport a_module_that_is_not_here", "a_module_that_is_not_here"),
        ("Budget = 5", "Budget"),
        ("class Other: pass", "it is configured at the commit before"),
    ],
)
def test_a_base_that_cannot_be_asked_is_red_where_it_is_configured(
    before: str, why: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "switch", "-q", "main")
    commit(project, {"src/shop/ledger.py": before})
    commit(project, {"src/shop/ledger.py": LEDGER})
    code, found = gate(capsys)
    assert (code, verdicts(found)) == (2, ["no violation found", "target failed"])
    assert (found[1]["kind"], why in found[1]["error"]) == ("change", True)
    commit(project, {"README": "the ledger of the base is there now"})
    assert gate(capsys)[0] == 0


def test_a_budget_object_of_the_base_that_cannot_be_tried_is_red(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = NAMED.format(name="Budget", all="", own="").replace("seconds = 30", "examples = 20")
    good = "class Budget:\n  def __init__(self, epsilon):\n    self.left = epsilon\n  def spend("
    good += "self, epsilon):\n    ok = epsilon <= self.left\n    self.left -= ok * epsilon\n"
    good += "    return ok\n"
    git(project, "switch", "-q", "main")
    commit(project, {"pyproject.toml": shop, "shop.py": good.replace("spend", "pay")})
    commit(project, {"shop.py": good})
    code, found = gate(capsys)
    assert code == 2
    assert "cannot be asked" in found[-1]["error"]
    commit(project, {"README": "the object of the base can be tried now"})
    assert gate(capsys)[0] == 0


def test_a_built_in_target_has_no_older_version(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "switch", "-q", "main")
    commit(project, {"pyproject.toml": CONFIG.replace(TARGET, "additive")})
    commit(project, {"README": "nothing else"})
    code, found = gate(capsys)
    assert (code, len(found)) == (0, 1)
    assert "It is built into filterproof" in found[0]["note"]
