"""Mutants of a filter's file: one operator, constant or comparison changed, and what comes out.

A proof that a changed filter passes too either did not look at what was changed, or the change
makes no difference to privacy.  `make mutants` writes both into docs/internals/PROVE-MUTANTS.md.
"""

import ast
import copy
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from filterproof.filter import ProtocolError
from filterproof_proofs.potential.driver import Effort, prove
from filterproof_proofs.potential.plays import NoPotential
from filterproof_proofs.potential.survivors import PAGE, REASONS
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.symbolic.program import Program, Source

OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NAMES = {"min": ("max",), "max": ("min",), "HALT": ("CONTINUE",), "CONTINUE": ("HALT",)}
NAMED = (ast.ClassDef, ast.FunctionDef)
KILLED = "killed: "
FILE = Path("reference/filterproof/filters/compensator.py")
PATIENCE = 600.0
"""Seconds for one mutant; one that is neither proved nor refuted by then is open, and killed."""


@dataclass(frozen=True)
class Mutant:
    """One change: where, what it was and is, and how it is made in the file."""

    line: int
    column: int
    text: str
    owner: str
    before: str
    after: str
    source: str = field(repr=False)
    place: int
    change: tuple[str, Any]

    @cached_property
    def tree(self) -> ast.Module:
        """The changed file."""
        tree = ast.parse(self.source)
        _apply(next(islice(ast.walk(tree), self.place, None)), self.change)
        return tree

    def program(self, target: str) -> Program:
        """Return the changed file as a program."""
        path = Path(f"mutant of line {self.line}")
        return Program(Source("filterproof_mutant", path, self.tree), target, ())


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every change of one operator, constant, comparison, condition or answer.

    >>> [(m.before, m.after) for m in mutants("def f(x):\\n    return x + 1")]
    [('x + 1', 'x - 1'), ('1', '2')]
    """
    tree, lines = ast.parse(source), source.splitlines()
    tops = [top for top in tree.body if isinstance(top, NAMED)]
    owners = {id(node): top.name for top in tops for node in ast.walk(top)}
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node):
            line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
            _apply(changed := copy.copy(node), change)
            where = (line, column, lines[line - 1].strip(), owners.get(id(node), ""))
            texts = (ast.unparse(node), ast.unparse(changed))
            yield Mutant(*where, *texts, source, place, change)


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, (ast.BinOp, ast.BoolOp)):
        yield from (("op", kind()) for kind in OPERATORS.get(type(node.op), ()))
    if isinstance(node, ast.Compare):
        kinds = OPERATORS.get(type(node.ops[0]), ())
        yield from (("ops", [kind(), *node.ops[1:]]) for kind in kinds)
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
        yield "value", (not node.value) if isinstance(node.value, bool) else node.value + 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield "op", ast.UAdd() if isinstance(node.op, ast.USub) else _Twice()
    if isinstance(node, ast.IfExp):
        yield "swap", None
    if isinstance(node, ast.Name):
        yield from (("id", name) for name in NAMES.get(node.id, ()))
    if isinstance(node, ast.Attribute):
        yield from (("attr", name) for name in NAMES.get(node.attr, ()))


class _Twice(ast.Not):
    """Marks a negation that is to be taken back."""


def _apply(node: Any, change: tuple[str, Any]) -> None:
    what, value = change
    if what == "swap":
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(value, _Twice):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
        ast.fix_missing_locations(node)
    else:
        setattr(node, what, value)


def judge(mutant: Mutant, target: str, effort: Effort) -> str:
    """Return what the proof says of a mutant: survived, or how it was killed."""
    try:
        found = prove(mutant.program(target), effort)
    except (ProtocolError, NoPotential) as error:
        return f"{KILLED}{_short(error)}"
    except Exception as error:
        return f"{KILLED}{type(error).__name__}: {error}"[:90]
    return "survived" if found.verdict is Verdict.PROVED else f"{KILLED}{found.verdict}"


def _short(error: Exception) -> str:
    """Return what a target raised, or why it cannot run, without the place."""
    first, *_, last = [*str(error).splitlines(), ""][:2] * 2
    return first[:80] if " raises " in first or not last else f"cannot run: {last.strip()[:68]}"


@dataclass(frozen=True)
class Row:
    """A mutant, the filter it was proved for, and what came out."""

    mutant: Mutant
    target: str
    said: str

    @property
    def survived(self) -> bool:
        """Whether the changed filter is proved as well."""
        return not self.said.startswith(KILLED)

    @property
    def reason(self) -> str:
        """Why a survivor is no fault; empty if nobody has said so."""
        key = (self.mutant.text, self.mutant.before, self.mutant.after)
        return REASONS.get(key, "") if self.survived else ""

    def line(self) -> str:
        """Return the row as Markdown."""
        one = self.mutant
        cells = (
            one.line,
            _cell(one.before),
            _cell(one.after),
            self.target,
            self.reason or self.said,
        )
        return "| " + " | ".join(map(str, cells)) + " |"


def rows(path: Path, users: Mapping[str, str], effort: Effort) -> Iterator[Row]:
    """Yield a row for each mutant of a file; `users` names who uses a function."""
    source = path.read_text(encoding="utf-8")
    for one in sorted(mutants(source), key=lambda one: one.line):
        if target := users.get(one.owner, one.owner):
            yield Row(one, target, judge(one, target, effort))


def _cell(text: str) -> str:
    short = " ".join(text.split()).replace("|", "¦")
    return f"`{short if len(short) <= 70 else short[:67] + '...'}`"


def page(found: list[Row]) -> str:
    """Return the whole page of the docs."""
    survivors = sum(row.survived for row in found)
    return PAGE.format(
        count=len(found),
        killed=len(found) - survivors,
        survivors=survivors,
        table="\n".join(row.line() for row in found if row.survived),
    )


def main() -> int:
    """Print the page about the compensator's file; 1 if a survivor is not explained."""
    effort = Effort(outputs=2, seconds=PATIENCE, second_opinion=False)
    found = []
    for row in rows(FILE, {"room": "Capped", "level": "Capped"}, effort):
        sys.stderr.write(row.line() + "\n")
        found.append(row)
    sys.stdout.write(page(found))
    unexplained = [row for row in found if row.survived and not row.reason]
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
