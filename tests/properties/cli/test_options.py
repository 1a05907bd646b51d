"""Options are rows of one table: command line, configuration and pytest read the same ones."""

from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest

from filterproof_properties.cli.completion import all_commands
from filterproof_properties.cli.main import main, parser
from filterproof_properties.cli.options import limits, settings
from filterproof_properties.options.config import Config, ConfigError, read_config
from filterproof_properties.options.settings import Settings
from filterproof_properties.options.table import (
    OPTIONS,
    Option,
    OptionError,
    file_value,
    options_of,
)
from filterproof_properties.processes.child import Limits

SEARCH = {one.name for one in options_of("search")}
LIMITS = {one.name for one in options_of("limits")}


def written(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_field_of_the_data_classes_is_a_row_and_every_row_a_field() -> None:
    assert {one.name for one in fields(Settings)} == SEARCH
    assert {one.name for one in fields(Limits)} - {"checkout"} == LIMITS  # chosen by diff and gate
    assert len({one.name for one in OPTIONS}) == len(OPTIONS)


def in_help(word: str) -> bool:
    """Whether the sub-commands that search know an option."""
    options = {one.name: one.options for one in all_commands()}
    return word in options["audit"] and word in options["diff"]


@pytest.mark.parametrize("option", options_of("search", "limits"), ids=lambda one: one.name)
def test_an_option_of_the_table_is_on_the_command_line_and_in_pytest(
    option: Option, pytestconfig: pytest.Config
) -> None:
    assert in_help(option.word)
    assert pytestconfig.getoption(option.word.replace("--", "--filterproof-", 1)) is None


def test_the_defaults_that_are_said_are_those_of_the_data_classes() -> None:
    said = {one.name: one.help for one in OPTIONS if "(default " in one.help}
    usual = {"seconds": 30.0, **vars(Settings(seconds=30.0)), **vars(Limits())}
    assert said
    for name, help in said.items():
        assert f"(default {usual[name]:g}" in help


TARGETS = """
[tool.filterproof]
epsilon = 1
timeout = 3

[tool.filterproof.targets.shop]
target = "shop.py:Mine"
epsilon = "1/2"
examples = 5
memory = 128

[tool.filterproof.targets.other]
target = "naive"
"""


def test_what_stands_under_a_target_is_for_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = read_config(written(tmp_path, TARGETS))
    assert {name: one.spec for name, one in config.targets.items()} == {
        "shop": "shop.py:Mine",
        "other": "naive",
    }
    shop, other = (config.settings({}, name) for name in ("shop", "other"))
    assert (shop.epsilon, shop.examples) == (Fraction(1, 2), 5)
    assert (other.epsilon, other.examples) == (Fraction(1), None)
    assert config.limits({}, "shop") == Limits(timeout=3.0, memory=128)
    assert config.limits({}, "other") == Limits(timeout=3.0)
    given = config.settings({"epsilon": Fraction(2), "examples": None}, "shop")
    assert (given.epsilon, given.examples) == (Fraction(2), 5)


def test_a_configured_name_is_audited_with_its_own_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '[tool.filterproof.targets.shop]\ntarget = "naive"\nexamples = 40\n'
    written(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "shop"]) == 1
    assert main(["audit"]) == 1
    assert "naive" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[tool.filterprof]\nexamples = 1", "did you mean [tool.filterproof]?"),
        ("[tool.filterproof]\ntargets = []", "'targets' must be a list of strings or a table"),
        ("[tool.filterproof]\ntarget = 'naive'", "did you mean 'targets'?"),
        ("[tool.filterproof]\ndelta = 1", "need 0 <= delta < 1; got 1"),
        ("[tool.filterproof.targets.shop]\nepsilon = 1", "a table with a string 'target'"),
        ("[tool.filterproof.targets]\nshop = 3", "a table with a string 'target'"),
        (
            "[tool.filterproof.targets.shop]\ntarget = 'naive'\nepsilom = 1",
            "unknown key 'epsilom' in [tool.filterproof.targets.shop]; did you mean 'epsilon'?",
        ),
        ("[tool.filterproof]\nzzz = 1", "it has attacks, cluster"),
        ("tool = 3\n[x]", ""),
    ],
)
def test_a_configuration_that_nobody_meant_is_an_error(text: str, why: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    if not why:
        assert read_config(path) == Config()
        return
    with pytest.raises(ConfigError) as raised:
        read_config(path)
    assert why in str(raised.value)


def test_a_section_of_another_tool_is_nobodys_business(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, "[tool.filter]\nx = 1\n[tool.proof]\n")) == Config()


def test_an_option_that_may_be_repeated_is_a_list_in_a_file() -> None:
    many = Option("spend", "calls", "texts", "what books a spend", str.upper)
    assert file_value(many, "a") == ("A",)
    assert file_value(many, ["a", "b"]) == ("A", "B")
    with pytest.raises(OptionError, match="need a string or a list of strings"):
        file_value(many, ["a", 1])
    with pytest.raises(OptionError, match="need a string; got"):
        file_value(replace(many, kind="text"), ["a"])


def test_limits_of_the_command_line_win() -> None:
    options = parser({"audit"}).parse_args(["audit", "naive", "--timeout", "2", "--seed", "4"])
    assert limits(options) == Limits(timeout=2.0)
    assert settings(options).seed == 4


def test_a_configuration_cannot_ask_for_more_processes_than_a_machine_holds(tmp_path: Path) -> None:
    jobs = "[tool.filterproof]\njobs = {}\n"
    assert read_config(written(tmp_path, jobs.format(256))).settings({}).jobs == 256
    with pytest.raises(ConfigError, match="jobs"):
        read_config(written(tmp_path, jobs.format(257)))


def test_a_delta_of_1_is_wrong_usage_and_no_defect_of_ours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["audit", "additive", "--delta", "1"])
    assert ended.value.code == 2
    assert "need 0 <= delta < 1" in capsys.readouterr().err
