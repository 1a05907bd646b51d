"""Every snippet of the documentation is run: files are written, commands run, output compared."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from filterproof_properties.cli.main import main, parsed
from filterproof_properties.options.config import read_config
from tests.needs import needs_node

ROOT = Path(__file__).parents[2]
PAGES = (
    "COUNTEREXAMPLE",
    "WRITING",
    "HYPOTHESIS",
    "CI",
    "internals/VECTORS",
    "internals/PROTOCOL",
    "PROVE",
    "internals/POTENTIALS",
    "internals/ODOMETERS",
    "internals/FAILOPEN",
    "LEDGERS",
    "internals/INDIVIDUAL",
)
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


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


RUN = [
    pytest.param(page, marks=needs_node if page == "internals/VECTORS" else ()) for page in PAGES
]


@pytest.mark.parametrize("page", RUN)
def test_every_snippet_of_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for snippet in snippets(page):
        if snippet.kind == "python":
            run_python(snippet.text, tmp_path)
        elif snippet.kind == "console":
            run_console(snippet.text, tmp_path)


def run_python(text: str, folder: Path) -> None:
    if named := re.match(r"# file: (\S+)\n", text):
        (folder / named[1]).write_text(text[named.end() :], encoding="utf-8")
        return
    assert ">>>" in text, "a Python snippet is a file or a doctest"
    test = doctest.DocTestParser().get_doctest(text, {}, "snippet", None, None)
    runner = doctest.DocTestRunner(optionflags=LOOSE)
    assert runner.run(test).failed == 0


def run_console(text: str, folder: Path) -> None:
    status = 0
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        if command == "echo $?":
            assert f"{status}\n" == expected
            continue
        done = shell(command, folder)
        status = done.returncode
        got = done.stdout
        assert doctest.OutputChecker().check_output(expected, got, LOOSE), f"{command}\n{got}"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    if words[0] == "filterproof" and ">" not in words:
        out = StringIO()
        with chdir(folder), redirect_stdout(out):
            status = main(words[1:])
        return subprocess.CompletedProcess(words, status, out.getvalue())
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    clean["PATH"] = f"{Path(sys.executable).parent}:{clean['PATH']}"
    return subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=False, env=clean
    )


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
        assert parsed(words).command in ("audit", "gate")


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
    assert "\nmake gate" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "entry: filterproof" in hook


@pytest.mark.parametrize("text", ["$ echo no\nyes\n", "$ false\n$ echo $?\n0\n"])
def test_a_page_that_promises_other_output_is_caught(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_console(text, tmp_path)
