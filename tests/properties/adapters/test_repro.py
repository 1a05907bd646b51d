"""Every finding is shown by a script of the library's own calls, and its page says just that."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from conformance import finding_pages as findings
from conformance.findings import Finding, finding_of
from conformance.odometers import PUBLISHED
from conformance.shown import shown
from filterproof.filters.naive import Naive
from filterproof.odometers.additive import DeclaredOdometer
from filterproof_properties.adapters import info_of
from filterproof_properties.adapters.repro import SCRIPTS, script
from filterproof_properties.games import odometers
from filterproof_properties.games.named import erasures
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.reports.picture import picture
from filterproof_properties.targets.evaluate import certify_violation
from filterproof_properties.targets.loading import load as load_target
from tests.properties.adapters.test_findings import LIGHT

DOCS = Path(__file__).parents[3] / "docs"
LIGHT_FINDINGS = [one for one in PUBLISHED if info_of(one.adapter).extra in LIGHT]
HEAVY_FINDINGS = [one for one in PUBLISHED if one not in LIGHT_FINDINGS]


def text_of(name: str) -> str:
    """The committed certificate of a finding."""
    return findings.certificate_of(finding_of(name, PUBLISHED), DOCS)


def test_every_library_with_a_finding_has_a_script_of_its_own_calls() -> None:
    missing = {one.adapter for one in PUBLISHED} - set(SCRIPTS)
    assert not missing, f"add to SCRIPTS in adapters/repro.py, and to adapters/scripts: {missing}"


@pytest.mark.parametrize("finding", LIGHT_FINDINGS, ids=lambda one: one.name)
def test_the_script_shows_the_finding_and_the_page_says_so(finding: Finding) -> None:
    _, before, now = findings.current(finding, DOCS)
    assert now == before, "run: make -C conformance findings"


@pytest.mark.parametrize("finding", HEAVY_FINDINGS, ids=lambda one: one.name)
def test_the_page_of_a_library_that_is_not_here_has_its_script(finding: Finding) -> None:
    before = (DOCS / f"findings/{finding.name}.md").read_text(encoding="utf-8")
    printed = findings.PRINTED.search(before)
    assert printed is not None
    assert printed[1].rstrip().endswith("BROKEN")
    assert findings.page(finding, text_of(finding.name), printed[1]) == before


@pytest.mark.parametrize("finding", PUBLISHED, ids=lambda one: one.name)
def test_a_script_is_short_and_imports_nothing_of_ours(finding: Finding) -> None:
    text = script(text_of(finding.name))
    assert len(text.splitlines()) < 180
    assert max(map(len, text.splitlines())) <= 100
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert "filterproof" not in ast.dump(node)


def test_the_scripts_are_as_tidy_as_code_of_ours(tmp_path: Path) -> None:
    for finding in PUBLISHED:
        (tmp_path / f"{finding.name}.py").write_text(script(text_of(finding.name)))
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "100"]
    done = subprocess.run([*ruff, "--select", "B,E,F,I,W", str(tmp_path)], check=False)
    assert done.returncode == 0


def test_the_table_that_leads_has_every_finding_with_its_exact_figure() -> None:
    pages = [DOCS / "FINDINGS.md", DOCS / "internals/AUDITS.md"]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    for finding in PUBLISHED:
        (row,) = (line for line in lines if f"findings/{finding.name}.md) |" in line)
        shown = picture(text_of(finding.name))
        over = shown.value - shown.delta
        figure = f"{float(over):#.2g}" if finding.size == "float" else f"{float(shown.value):#.3g}"
        assert f"| {figure} " in row
        assert finding.size == "float" or not shown.delta or f"({shown.ratio:.2f} x)" in row


# --- what a script says, and what it would say otherwise ------------------------------------------

MENDED = """
class BudgetAccountant:
    def __init__(self, epsilon, delta):
        self.left = epsilon

    def check(self, epsilon, delta):
        if epsilon > self.left:
            raise ValueError("no more")
        self.left -= epsilon

    def spend(self, epsilon, delta):
        pass
"""


def test_a_library_that_is_mended_ends_with_0() -> None:
    text = script(text_of("diffprivlib-failure-not-charged"))
    done = shown(text.replace("from diffprivlib import BudgetAccountant\n", MENDED))
    assert (done.ended, done.there) == ("exit status 0", False)
    assert "turn 1, after 'fails': 'ask' -> refuse: ValueError: no more" in done.printed
    assert done.printed.endswith("H - delta = 0: the budget is kept\n")


def test_a_script_that_raises_shows_nothing() -> None:
    done = shown("import filterproof\n")
    assert (done.ended, done.there) == ("exit status 1", False)
    assert "filterproof is not to be imported here" in done.noise


def test_a_page_whose_script_was_never_run_is_not_written() -> None:
    finding = finding_of("tmlt-logarithms-near-zero")
    with pytest.raises(findings.NotShown, match=r"needs tmlt\.core: pip install"):
        findings.printed_by(finding, text_of(finding.name), "")


def test_pages_that_differ_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "certificates").symlink_to(DOCS / "certificates")
    (tmp_path / "findings").mkdir()
    name = "tmlt-logarithms-near-zero.md"
    text = (DOCS / "findings" / name).read_text(encoding="utf-8")
    (tmp_path / "findings" / name).write_text(text.replace("H - delta", "D"), encoding="utf-8")
    words = [str(tmp_path), "--library", "tmlt"]
    assert findings.main([*words, "--check"]) == 1
    assert findings.main(words) == 0
    assert findings.main([*words, "--check"]) == 0
    assert capsys.readouterr().out.count(name) == 2


# --- certificates of other targets, and of odometers ----------------------------------------------


def recorded() -> str:
    found = certify_violation("naive", Naive, replace(erasures(Fraction(1, 10), 3), parameters={}))
    return found.certificate


def test_a_certificate_of_any_other_target_is_played_as_recorded() -> None:
    text = script(recorded())
    done = shown(text)
    assert done.there
    assert done.printed.splitlines()[0] == "naive, as recorded"
    assert "P = 271/1000 against P' = 0" in done.printed
    stopped = text.replace('["continue", "continue", "continue"]', '["continue", "halt", "halt"]')
    assert stopped != text
    assert shown(stopped).ended == "exit status 0"


@pytest.mark.parametrize("name", ["exact-composition", "advanced-printed", "algorithm1"])
def test_the_script_computes_what_the_certificate_says(name: str) -> None:
    text = certify_violation(name, load_target(name).target, SPECIMENS[name]()).certificate
    data, done = json.loads(text), shown(script(text))
    assert done.there
    assert f"P = {data['mass_x']} against P' = {data['mass_x_prime']}\n" in done.printed


def test_names_of_strangers_stay_names() -> None:
    data = json.loads(recorded())
    data["target"] = '"""\nimport os  # $library \x1b[2J'
    text = json.dumps(data, sort_keys=True, indent=1) + "\n"
    done = shown(script(text))
    assert done.there
    assert done.printed.startswith('"""')


def test_an_odometers_certificate_is_played_as_recorded() -> None:
    case = odometers.SPECIMENS["odometer-declared"]()
    text = certify_violation("odometer-declared", DeclaredOdometer, case).certificate
    done = shown(script(text))
    assert done.there
    assert f"= {json.loads(text)['mass_x']} = " in done.printed
