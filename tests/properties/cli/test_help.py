"""The pages in the terminal, near names, and a page of commands that is as the commands are."""

import tomllib
from pathlib import Path

import pytest

from docs.website import commands
from filterproof_properties.cli.help import TOPICS
from filterproof_properties.cli.main import main

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_shows_its_page(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    page = ROOT / "docs" / f"{TOPICS[topic][0]}.md"
    assert capsys.readouterr().out == page.read_text(encoding="utf-8")


def test_the_wheel_carries_the_page_of_every_topic() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    carried = wheel["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert carried == {
        f"docs/{name}.md": f"filterproof_properties/pages/{name}.md" for name, _ in TOPICS.values()
    }


def test_without_a_topic_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    assert all(topic in capsys.readouterr().out for topic in ["ledger"])


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["audti"], "did you mean 'audit'?"),
        (["audit", "additive", "--secnds", "3"], "did you mean '--seconds'?"),
        (["zzzz"], "no command 'zzzz': see --help"),
    ],
)
def test_what_is_near_a_word_that_does_not_exist_is_named(
    words: list[str], near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert near in capsys.readouterr().err


def test_a_topic_that_does_not_exist_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "legder"]) == 2
    assert "did you mean 'ledger'?" in capsys.readouterr().err


def test_the_page_of_commands_is_as_the_commands_are() -> None:
    shown = (ROOT / "docs/COMMANDS.md").read_text(encoding="utf-8")
    assert shown == commands.page(), "run: make commands"
    assert "* `--spend CALL`: " in shown
