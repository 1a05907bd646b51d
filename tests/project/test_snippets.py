"""Every snippet of the documentation is run: files are written, commands run, output compared."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from filterproof_properties.cli.main import main
from tests.needs import needs_node
from tests.project.test_docs import PAGES, ROOT, snippets

LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
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


@pytest.mark.parametrize("text", ["$ echo no\nyes\n", "$ false\n$ echo $?\n0\n"])
def test_a_page_that_promises_other_output_is_caught(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_console(text, tmp_path)
