"""Pages speak of files, links, commands and settings that exist; `test_snippets.py` runs them."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from filterproof_properties.cli.main import parse
from filterproof_properties.options.config import read_config

ROOT = Path(__file__).parents[2]
PAGES = (
    "COUNTEREXAMPLE",
    "WRITING",
    "internals/HYPOTHESIS",
    "internals/EXTENDING",
    "CI",
    "internals/VECTORS",
    "internals/PROTOCOL",
    "PROVE",
    "internals/POTENTIALS",
    "internals/ODOMETERS",
    "internals/FAILOPEN",
    "LEDGERS",
    "UTILITY",
    "internals/INDIVIDUAL",
)


class Snippet(NamedTuple):
    kind: str
    text: str


def snippets(page: str) -> Iterator[Snippet]:
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    for kind, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Snippet(kind, body)


SHORT = {"P/": "properties/filterproof_properties/"}
"""How CONTRIBUTING abbreviates a path."""


def files_named(text: str) -> set[str]:
    """Return the files of the project that a page speaks of, by a path of two parts or more."""
    named = re.findall(r"`([\w.-]+/[\w./-]+\.(?:py|v|json|md|csv|svg))`", text)
    return {SHORT.get(path[:2], path[:2]) + path[2:] for path in named}


def missing(text: str) -> set[str]:
    return {path for path in files_named(text) if not any(ROOT.glob(f"**/{path}"))}


NOW = [one for one in ROOT.glob("*.md") if one.name != "CHANGELOG.md"]  # which speaks of the past


@pytest.mark.parametrize("page", [*NOW, *ROOT.glob("docs/**/*.md")], ids=lambda page: page.name)
def test_a_page_speaks_of_files_that_exist(page: Path) -> None:
    assert not missing(page.read_text(encoding="utf-8"))


def test_a_file_that_was_moved_is_noticed() -> None:
    assert missing("see `engine/ratios.py` and `engine/waves.py`") == {"engine/waves.py"}


def test_the_filters_of_the_tutorial_are_those_of_the_examples() -> None:
    python = [one.text for one in snippets("WRITING") if one.kind == "python"]
    files = [text for text in python if text.startswith("# file: my_filter")]
    assert len(files) == 2
    for text in files:
        name, _, body = text.removeprefix("# file: ").partition("\n")
        assert (ROOT / "examples" / name).read_text(encoding="utf-8") == body


def commands(text: str) -> list[list[str]]:
    found = re.findall(r"run: filterproof (.*)", text)
    hooks = re.findall(r"args: \[(.*)\]", text)
    return [shlex.split(one) for one in found] + [
        [word.strip().strip('"') for word in one.split(",")] for one in hooks
    ]


def test_the_commands_of_the_workflow_and_of_the_hook_are_commands() -> None:
    found = [words for one in snippets("CI") if one.kind == "yaml" for words in commands(one.text)]
    assert len(found) == 2
    for words in found:
        assert parse(words).command in ("audit", "gate")


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    (text,) = [one.text for one in snippets("CI") if one.kind == "toml"]
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    assert set(read_config(path).options) == {"epsilon", "delta", "examples"}
    assert "filterproof" in tomllib.loads(text)["tool"]


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (
                target.startswith("http")
                or (ROOT / f"docs/{page}.md").parent.joinpath(target).exists()
            ), (page, target)


def test_this_repository_uses_its_own_gate() -> None:
    workflow = (ROOT / ".github/workflows/gate.yml").read_text(encoding="utf-8")
    assert "run: make gate BASE=" in workflow
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "python -m tests.gate" in makefile
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert any({"make", "gate"} <= {*line.partition("#")[0].split()} for line in ci)
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "entry: filterproof" in hook
