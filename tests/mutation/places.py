"""Which tests may notice a change: those that run its line, the quickest first."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tests.mutation.lines import Covered

ELSEWHERE = {"supervisor.py": ("child.py", "_end")}
"""A program that no tracer gets into: whoever runs this function of that file has run it, too."""


@dataclass(frozen=True)
class Suite:
    """How long each test takes that passes, which lines it runs, and its text.

    A mutant is shown to no more tests than take `most` processor seconds together.
    """

    most: float
    seconds: Mapping[str, float]
    covered: Covered
    texts: Mapping[str, str]

    def naming(self, name: str) -> set[str]:
        """Return the tests that mention a name."""
        return {test for test, text in self.texts.items() if re.search(rf"\b{name}\b", text)}

    def at(self, file: str, lines: list[int]) -> set[str]:
        """Return the tests that run one of these lines."""
        return {test for line in lines for test in self.covered.get((file, line), ())}

    def quickest(self, some: set[str]) -> list[str]:
        """Return the tests that take least, as many as there is time for, file by file."""
        known = sorted((self.seconds[one], one) for one in some if one in self.seconds)
        total = list(accumulate(seconds for seconds, _ in known))
        chosen = [one for (_, one), sofar in zip(known, total, strict=True) if sofar <= self.most]
        files: dict[str, list[str]] = {}
        for one in chosen or [one for _, one in known[:1]]:
            files.setdefault(one.partition("::")[0], []).append(one)
        return [one for those in sorted(files.values(), key=self.mean) for one in those]

    def mean(self, some: list[str]) -> float:
        """Return how long these tests take on average."""
        return sum(self.seconds[one] for one in some) / len(some)


def noticed_by(tests: Suite, path: Path, line: int, code: Path) -> list[str]:
    """Return the tests for a change of this line of a file in the folder of the code."""
    file = str(path.relative_to(code))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = [one for one in _functions(tree) if one.lineno <= line <= (one.end_lineno or 0)]
    some: set[str] = set()
    if inside:
        owner = max(inside, key=lambda one: one.lineno)
        first, last = owner.body[0].lineno, owner.end_lineno or 0
        before = [[one] for one in range(line, first - 1, -1)] if line >= first else []
        for lines in [*before, list(range(first, last + 1))]:
            if some := tests.at(file, lines):
                break
    named: set[str] = set()
    for name in [] if inside else _assigned(tree, line):
        named |= tests.naming(name)
        for other in code.rglob("*.py"):
            some |= tests.at(str(other.relative_to(code)), _mentions(other, name))
    if not (inside or some or named):
        some = {one for at, those in tests.covered.items() if at[0] == file for one in those}
    if path.name in ELSEWHERE:
        caller, function = ELSEWHERE[path.name]
        some |= tests.at(caller, _lines_of(path.with_name(caller), function))
    return tests.quickest(named) + tests.quickest(some - named)


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]


def _assigned(tree: ast.Module, line: int) -> list[str]:
    """Return the names that a module or class gives values in this line."""
    for one in ast.walk(tree):
        if isinstance(one, (ast.Assign, ast.AnnAssign)):
            target = one.targets[0] if isinstance(one, ast.Assign) else one.target
            if one.lineno <= line <= (one.end_lineno or 0):
                return [name.id for name in ast.walk(target) if isinstance(name, ast.Name)]
    return []


def _mentions(file: Path, name: str) -> list[int]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [i for i, text in enumerate(lines, 1) if re.search(rf"\b{name}\b", text)]


def _lines_of(path: Path, function: str) -> list[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (found,) = [one for one in _functions(tree) if one.name == function]
    return list(range(found.lineno, (found.end_lineno or 0) + 1))
