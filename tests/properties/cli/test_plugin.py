"""The pytest plugin, run in projects of its own."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.properties.cli.pytest_projects import FIXTURE, run

TILLS = Path(__file__).parents[1] / "failopen" / "tills.py"

SHY = """
def Shy(epsilon, delta):
    raise ValueError("not today")
"""

PARAMETERS = """
import pytest

@pytest.fixture(params=["Sound", "Wrong"])
def which(request):
    return request.param

@pytest.fixture(params=["filters.py:"])
def filterproof_target(request, which):
    return request.param + which
"""

IN_A_CLASS = """
import pytest

class TestMine:
    @pytest.fixture
    def filterproof_target(self):
        return None
"""


def test_every_claim_is_a_test_of_its_own_and_a_failure_shows_the_counterexample(
    project: Path,
) -> None:
    report = project / "reports/junit.xml"
    targets = ["filters:Wrong", "filters.py:Boastful", "filters.py:Raises"]
    words = [word for one in targets for word in ("--filterproof", one)]
    done = run(project, *words, f"--junitxml={report}", "-k", "not hypothesis")
    for claim in ("dp", "determinism", "purity", "markov"):
        assert f"PASSED filters.py::Boastful::{claim}" in done.stdout
        assert f"FAILED filters.py::Raises::{claim}" in done.stdout
    assert "decide() raised RuntimeError: no idea at round 0" in done.stdout
    assert "filters:Wrong is not (" in done.stdout
    assert "★ in S" in done.stdout
    assert "FAILED filters.py::Boastful::horizon" in done.stdout
    assert (done.returncode, "6 failed, 4 passed, 3 skipped" in done.stdout) == (1, True)
    path = report.parent / "filters-Wrong.certificate.json"
    assert f"certificate: {path}" in done.stdout
    assert json.loads(path.read_text())["target"] == "filters:Wrong"
    cases = ElementTree.parse(report).iter("testcase")
    assert ("filters.Wrong", "dp") in {(case.get("classname"), case.get("name")) for case in cases}


def test_a_fixture_names_the_target_of_a_module(project: Path) -> None:
    (project / "test_mine.py").write_text(FIXTURE)
    (project / "test_wrong.py").write_text(FIXTURE.replace("Sound", "Wrong"))
    (project / "test_class.py").write_text(IN_A_CLASS)
    done = run(project, "--continue-on-collection-errors")
    assert "PASSED test_mine.py::filterproof[dp]" in done.stdout
    assert "PASSED test_mine.py::filterproof[purity]" in done.stdout
    assert "FAILED test_wrong.py::filterproof[dp]" in done.stdout
    assert "filters:Wrong is not (" in done.stdout
    assert "define the fixture filterproof_target in a module, not in a class" in done.stdout
    assert "1 failed, 4 passed, 1 skipped, 1 error" in done.stdout
    assert (project / "filterproof-certificates/filters-Wrong.certificate.json").exists()


def test_it_works_with_several_workers(project: Path) -> None:
    (project / "test_mine.py").write_text(PARAMETERS)
    words = ["--filterproof", "naive", "-n", "2", "-k", "not hypothesis"]
    done = run(project, *words, "--dist", "loadgroup")
    assert "2 failed, 1 passed, 3 skipped" in done.stdout


def test_tests_can_be_chosen_by_claim(project: Path) -> None:
    done = run(project, "--filterproof", "compensator", "-k", "purity")
    assert "1 passed, 12 deselected" in done.stdout


def test_it_costs_nothing_when_unused(project: Path) -> None:
    (project / "test_nothing.py").write_text(
        "import sys\n"
        "def test_nothing():\n"
        "    assert 'filterproof_properties.plugin' in sys.modules\n"
        "    loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "    assert not loaded & {'filterproof', 'hypothesis', 'numpy', 'mpmath', 'rich'}\n"
    )
    done = run(project)
    assert done.returncode == 0, done.stdout


def test_a_fixture_with_parameters_has_a_test_for_each_and_lf_runs_what_failed(
    project: Path,
) -> None:
    (project / "test_mine.py").write_text(PARAMETERS)
    named = "test_mine.py::filterproof[filters.py:-{}-dp]"
    wrong, sound = named.format("Wrong"), named.format("Sound")
    done = run(project, cache=True)
    assert f"PASSED {sound}" in done.stdout
    assert f"FAILED {wrong}" in done.stdout
    assert "\nfilters.py:Wrong breaks its promise" in done.stdout  # by its name, in its words
    assert "proof" not in done.stdout.replace("filterproof", "")
    again = run(project, "--lf", cache=True)
    assert f"FAILED {wrong}" in again.stdout
    assert ("1 failed" in again.stdout, "passed" in again.stdout) == (True, False)


def test_a_fixture_that_raises_is_quoted_line_by_line(project: Path) -> None:
    said = 'raise ValueError("no budget\\n::error::x")'
    (project / "test_mine.py").write_text(FIXTURE.replace("return Sound", said))
    done = run(project, "-k", "dp")
    assert "\nfilterproof_target: loading the target raised ValueError: no budget\n" in done.stdout
    assert "\n  | ::error::x\n" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("os._exit(0)", "it ended without an answer; exit status 0"),
        ("time.sleep(600)", "it did not answer within 10 s"),
    ],
)
def test_a_fixture_that_leaves_or_hangs_is_a_failed_test(
    body: str, why: str, project: Path
) -> None:
    text = FIXTURE.replace("    return Sound", f"    {body}\n    return Sound")
    (project / "test_mine.py").write_text(f"import os, time\n{text}")
    done = run(project, "-k", "dp")
    assert f"loading the target: {why}" in done.stdout
    assert (done.returncode, "1 failed" in done.stdout) == (1, True)


def test_a_change_that_loses_the_proof_fails_where_a_proof_is_demanded(project: Path) -> None:
    words = ["--filterproof", "filters.py:Kept", "--filterproof", "filters.py:Lost"]
    done = run(project, *words, "--proved", "-k", "not hypothesis")
    assert "PASSED filters.py::Kept::proved" in done.stdout
    assert "FAILED filters.py::Lost::proved" in done.stdout
    assert "claim 'proved' fails: rule       a round that runs is paid for" in done.stdout
    assert "PASSED filters.py::Lost::dp" in done.stdout
    assert done.returncode == 1


def test_every_odd_input_to_a_budget_object_is_a_test_of_its_own(project: Path) -> None:
    words = f"{TILLS}:LetsNaNPass --spend spend"
    done = run(project, "--filterproof-failopen", words)
    failopen = f"{TILLS}::LetsNaNPass::failopen"
    lines = done.stdout.splitlines()  # how long they are is pytest's business
    assert any(line.startswith(f"FAILED {failopen}::NaN") for line in lines)
    assert "NaN: granted; 3 of 1 units" in done.stdout
    assert f"PASSED {failopen}::negative" in lines
    assert (done.returncode, "3 failed, 13 passed" in done.stdout) == (1, True)


def test_words_that_are_no_command_are_wrong_usage(project: Path) -> None:
    done = run(project, "--filterproof-failopen", f"{TILLS}:Till")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "name the call that spends from the object: --spend METHOD" in done.stderr


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("filters.py:Nobody", "has no attribute 'Nobody'"),
        ("elsewhere.py:Sound", "no such file: elsewhere.py"),
        ("nobody", "no filter 'nobody'"),
        ("leaves.py:Sound", "loading the target: it ended without an answer"),
    ],
)
def test_a_target_that_cannot_be_found_is_wrong_usage(project: Path, spec: str, why: str) -> None:
    (project / "leaves.py").write_text("import os\nos._exit(0)\n")
    found = run(project, "--filterproof", spec)
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--filterproof {spec}: " in found.stderr
    assert why in found.stderr


def test_a_target_without_a_name_is_not_called_proved(project: Path) -> None:
    (project / "test_mine.py").write_text(FIXTURE.replace("Sound", "Kept"))
    done = run(project, "--proved")
    assert "FAILED test_mine.py::filterproof[proved]" in done.stdout
    assert "cannot be proved: name it" in done.stdout


# --- properties beside the search ---------------------------------------------------------------


def found_on(output: str, name: str) -> int:
    (number,) = {*re.findall(rf": {name}: [^\n]*\nfound on example (\d+)", output)}
    return int(number)


def test_hypothesis_tries_the_properties_beside_the_search_and_yesterdays_counterexample_first(
    project: Path,
) -> None:
    words = ("--filterproof", "filters.py:Wrong", "--filterproof-examples", "3000", "-k", "split")
    first, second = (run(project, *words) for _ in range(2))
    assert (first.returncode, second.returncode) == (1, 1)
    assert found_on(first.stdout, "split-outputs") > 1
    assert found_on(second.stdout, "split-outputs") == 1
    path = project / "filterproof-certificates/filters.py-Wrong-split-outputs.certificate.json"
    assert json.loads(path.read_text())["target"] == "filters.py:Wrong"


def test_a_sound_filter_passes_every_property_and_one_that_raises_none(project: Path) -> None:
    words = ("--filterproof-examples", "5", "-k", "hypothesis")
    sound = run(project, "--filterproof", "filters.py:Sound", *words)
    assert sound.returncode == 0
    assert "9 passed" in sound.stdout
    raises = run(project, "--filterproof", "filters.py:Raises", *words)
    assert raises.returncode == 1
    assert "9 failed" in raises.stdout
    assert "no idea" in raises.stdout


def test_a_filter_that_declines_everything_passes_no_property(project: Path) -> None:
    (project / "shy.py").write_text(SHY)
    found = run(
        project,
        "--filterproof",
        "shy.py:Shy",
        "--filterproof-examples",
        "5",
        "-k",
        "rename-outputs",
    )
    assert found.returncode == 1
    assert "declined all" in found.stdout


def test_an_odometer_has_the_properties_but_for_that_of_transcripts(project: Path) -> None:
    words = ("--filterproof-examples", "5", "-k", "transcripts or split", "-rs")
    found = run(project, "--filterproof", "odometer-additive", *words)
    assert "1 passed, 1 skipped" in found.stdout
