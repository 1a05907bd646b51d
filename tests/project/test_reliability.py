"""Every line of docs/internals/RELIABILITY.md names tests that exist; one that does not is seen."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/internals/RELIABILITY.md").read_text()


def lines(page: str) -> list[str]:
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    return [line for line in rows if not line.startswith(("| attack", "| what happens"))]


def named(cell: str, before: str) -> tuple[list[tuple[str, str]], str]:
    """Return (test, parameter) for everything that a cell names; "the same" is the last test."""
    found, test = [], before
    for name, given in re.findall(r"`([\w./]+\.py(?:::\w+)?)?(?:\[(\w+)\])?`", cell):
        test = name or test
        found.append((test, given))
    same = [(before, "")] if "the same" in cell else [("nothing.py", "")]
    return found or same, test


def missing(page: str) -> list[str]:
    """Return what a page names and the tests do not have."""
    found, test = [], ""
    for line in lines(page):
        tests, test = named(line.rstrip("| ").rpartition(" | ")[2], test)
        found += [f"{name}[{given}]" for name, given in tests if not exists(name, given)]
    return found


def exists(name: str, given: str) -> bool:
    file, _, function = name.partition("::")
    paths = [*ROOT.glob(file)] if "/" in file else [*(ROOT / "tests").rglob(file)]
    texts = [path.read_text() for path in paths if "blind" not in path.relative_to(ROOT).parts]
    return any(_defines(text, function) and given in text for text in texts)


def _defines(text: str, function: str) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {one.name for one in ast.walk(ast.parse(text)) if isinstance(one, kinds)}
    return not function or function in names


def test_every_line_names_tests_that_exist() -> None:
    assert len(lines(PAGE)) > 35
    assert missing(PAGE) == []


@pytest.mark.parametrize(
    "line",
    [
        "| a | b | c | `test_hostile.py::test_no_such_thing` |",
        "| a | b | c | `test_no_such_file.py::test_x` |",
        "| a | b | c | `test_hostile.py::test_in_process_is_said_in_the_report`, `[NoSuch]` |",
        "| a | b | c | |",
    ],
)
def test_a_line_without_its_test_is_noticed(line: str) -> None:
    assert missing(line)
