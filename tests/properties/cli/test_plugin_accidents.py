"""Nothing passes by accident under the pytest plugin."""

from pathlib import Path

import pytest

from tests.properties.cli.pytest_projects import FIXTURE, run


def test_privacy_is_tested_whatever_else_is_claimed_or_chosen(project: Path) -> None:
    text = FIXTURE.replace("Sound", "Wrong").replace('("dp", "purity")', '("purity",)')
    (project / "test_mine.py").write_text(text)
    chosen = run(project, "-k", "not dp")
    assert "FAILED test_mine.py::filterproof[purity]" in chosen.stdout
    assert "is not (" in chosen.stdout
    named = run(project, "--filterproof", "filters.py:Wrong", "-k", "markov")
    assert "FAILED filters.py::Wrong::markov" in named.stdout


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("def filterproof_target", "def filterproof_targets", "has no test"),
        ("def filterproof_target", "def my_target", "without a fixture filterproof_target"),
        (
            "@pytest.fixture\ndef filterproof_target",
            "@pytest.fixture(name='filterproof_target')\ndef my_target",
            "define a function filterproof_target",
        ),
    ],
)
def test_a_fixture_under_another_name_is_an_error(
    before: str, after: str, why: str, project: Path
) -> None:
    text = FIXTURE.replace(before, after)
    if "has no test" in why or "define" in why:
        text = text.replace('filterproof_claims = ("dp", "purity")\n', "")
    (project / "test_mine.py").write_text(text)
    done = run(project)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert why in done.stdout


def test_a_fixture_in_a_conftest_is_wrong_usage(project: Path) -> None:
    (project / "conftest.py").write_text(FIXTURE)
    done = run(project)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "in a test module, not here" in done.stderr


RENAMED = """
import pytest

@pytest.fixture
def my_filter():
    return "filters.py:Wrong"

def test_something_else():
    pass
"""


def test_a_renamed_fixture_that_names_a_target_and_is_used_by_nothing_is_an_error(
    project: Path,
) -> None:
    (project / "test_mine.py").write_text(RENAMED)
    done = run(project)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "the fixture my_filter names filters.py:Wrong and nothing uses it" in done.stdout
    (project / "test_mine.py").write_text(RENAMED.replace("else()", "else(my_filter)"))
    assert run(project).returncode == 0


@pytest.mark.parametrize(
    "patch",
    [
        "plugin.expect = lambda *_: None",
        "plugin.ClaimItem.runtest = lambda _: None",
        "plugin.outcome.expect = lambda *_: None",
        "",
    ],
)
def test_a_module_that_patches_the_plugin_fails_the_run(patch: str, project: Path) -> None:
    imports = "from filterproof_properties import plugin"
    (project / "test_mine.py").write_text(f"{imports}\n{patch}\ndef test_nothing(): pass\n")
    done = run(project, "--filterproof", "filters.py:Sound", "-k", "purity or nothing")
    name = patch.partition(" ")[0]
    said = f"has replaced filterproof_properties.{name}: no result" in done.stdout + done.stderr
    assert (done.returncode == pytest.ExitCode.TESTS_FAILED, said) == (bool(patch), bool(patch))


def test_a_module_that_patches_the_plugin_fails_the_run_of_several_workers(project: Path) -> None:
    patch = "from filterproof_properties import plugin\nplugin.expect = lambda *_: None\n"
    (project / "test_mine.py").write_text(f"{patch}def test_nothing(): pass\n")
    done = run(project, "-n", "2")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED


MARKED = """
import pytest

def pytest_collection_modifyitems(items):
    for one in items:
        one.add_marker(pytest.mark.{})
"""


@pytest.mark.parametrize("mark", ["xfail", "skip", "skipif(True, reason='no')"])
def test_a_mark_that_lets_a_claim_pass_is_wrong_usage(mark: str, project: Path) -> None:
    (project / "conftest.py").write_text(MARKED.format(mark))
    done = run(project, "--filterproof", "naive", "-k", "dp")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "naive::dp is marked" in done.stderr


def test_a_configuration_does_not_keep_named_targets_from_running(project: Path) -> None:
    with (project / "pyproject.toml").open("a") as config:
        config.write('[tool.pytest.ini_options]\naddopts = "--collect-only"\n')
    done = run(project, "--filterproof", "naive", "-k", "not hypothesis")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "nothing would be tested" in done.stderr
    assert run(project, "--filterproof", "naive", "--co").returncode == 0
