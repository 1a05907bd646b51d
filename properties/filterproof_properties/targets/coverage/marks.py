"""Puts marks into the functions of a file, so that it is known which of its lines were run.

A mark is one assignment into shared memory before a statement; nothing else of the code changes,
and every line keeps its number.  Marked are the statements of functions, what follows where the
condition of an `if` without `else` is false, both sides of a conditional expression, and lambdas.
The same source gives the same marks in the same order, here and in the target's process.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MARKS, HIT = "__filterproof_marks__", "__filterproof_hit__"
"""What the marks are written into, and what is called where a statement cannot stand."""
REACHED = "reached"
"""Where an answer of the target's process tells which marks were set."""
LINE, FALSE, SIDE = "line", "false", "side"
"""A statement, the way past a condition that is false, a side of a conditional expression."""
MOST_DIGITS = 2**15
"""So many digits tell of 131,072 marks, which is more than a target's own code has."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FOR_PROOFS = ("remaining", "invariant")
"""Methods of a filter that only a proof reads; no play runs them."""
UNMARKED = (ast.Global, ast.Nonlocal)


@dataclass(frozen=True)
class Mark:
    """One place in the code: its lines, the function that it is in, and what kind of place."""

    first: int
    last: int
    function: str
    kind: str = LINE


def marks_in(source: str, names: Iterable[str]) -> list[Mark]:
    """Return the marks of the definitions with these names at the top of a source.

    >>> text = "def f(x):\\n    if x:\\n        return 1\\n"
    >>> [(mark.first, mark.kind) for mark in marks_in(text, ["f"])]
    [(2, 'line'), (3, 'line'), (2, 'false')]
    """
    return _mark(ast.parse(source), names, 0).marks


def to_digits(marks: bytes) -> str:
    """Return which marks are set as digits of base 16, the first mark being the lowest bit."""
    return f"{sum(1 << i for i, one in enumerate(marks) if one):x}"


def from_digits(told: Any) -> int:
    """Return the marks that digits of base 16 stand for; `ValueError` if they are none.

    >>> from_digits(to_digits(bytes([1, 0, 1])))
    5
    """
    if not (isinstance(told, str) and 0 < len(told) <= MOST_DIGITS):
        raise ValueError("need digits of base 16")
    return int(told, 16)


def compile_marked(source: bytes, path: str, names: Iterable[str], start: int) -> Any:
    """Return the code of a file with marks in it, numbered from `start`."""
    tree = ast.parse(source, path)
    _mark(tree, names, start)
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def _mark(tree: ast.Module, names: Iterable[str], start: int) -> "_Marker":
    marker, wanted = _Marker(start), set(names)
    for node in definitions(tree.body):
        if node.name in wanted:
            marker.visit(node)
    return marker


def definitions(body: Sequence[ast.stmt]) -> Iterator[Definition]:
    """Yield the functions and classes of a module, also those under an `if` or a `try`."""
    for node in body:
        if isinstance(node, DEFINITIONS):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            inner = [*node.body, *node.orelse]
            inner += [] if isinstance(node, ast.If) else node.finalbody
            inner += [] if isinstance(node, ast.If) else [s for h in node.handlers for s in h.body]
            yield from definitions(inner)


class _Marker(ast.NodeTransformer):
    """Walks over definitions, and puts marks into the functions in them."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.marks: list[Mark] = []
        self.names: list[str] = []
        self.inside = 0  # functions around this place

    def add(self, node: ast.stmt | ast.expr, kind: str) -> int:
        """Add a mark and return its number."""
        body = getattr(node, "body", None)
        block = isinstance(body, list) or isinstance(node, ast.Match)
        last = node.lineno if block or kind == FALSE else node.end_lineno or node.lineno
        self.marks.append(Mark(node.lineno, last, ".".join(self.names), kind))
        return self.start + len(self.marks) - 1

    def statement(self, node: ast.stmt, kind: str = LINE) -> ast.stmt:
        """Return the assignment that marks a statement."""
        number = ast.Constant(self.add(node, kind))
        place = ast.Subscript(ast.Name(MARKS, ast.Load()), number, ast.Store())
        made = ast.Assign([place], ast.Constant(1))
        return ast.copy_location(made, node)

    def expression(self, node: ast.expr) -> ast.expr:
        """Return an expression of the same value that marks itself: a call gives None, or it."""
        numbers = [ast.Constant(self.add(node, SIDE)), ast.Constant(1)]
        call = ast.Call(ast.Name(HIT, ast.Load()), list[ast.expr](numbers), [])
        return ast.copy_location(ast.BoolOp(ast.Or(), [call, self.visit(node)]), node)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements, each with its mark before it."""
        found: list[ast.stmt] = []
        for node in body:
            if not isinstance(node, UNMARKED):
                found.append(self.statement(node))
            found.append(self.visit(node))
        return found

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Mark the blocks of a compound statement, and go into everything else."""
        for name, value in ast.iter_fields(node):
            if self.inside and isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
            elif isinstance(value, list):
                value[:] = [self.visit(one) if isinstance(one, ast.AST) else one for one in value]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Go into the methods; the body of a class itself is not marked."""
        self.names.append(node.name)
        inside, self.inside = self.inside, 0
        node.body = [self.visit(one) for one in node.body]
        self.inside = inside
        self.names.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Mark the body; its documentation stays first."""
        return self.function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Mark the body."""
        return self.function(node)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        """Mark the body of a function, unless no play can run it."""
        if node.name in FOR_PROOFS and self.names and not self.inside:
            return node
        self.names.append(node.name)
        self.inside += 1
        documented = ast.get_docstring(node, clean=False) is not None
        node.body = [*node.body[:documented], *self.block(node.body[documented:])]
        self.inside -= 1
        self.names.pop()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """Mark both ways; a missing `else` is one."""
        node.test = self.visit(node.test)
        node.body = self.block(node.body) if self.inside else [self.visit(s) for s in node.body]
        if node.orelse:
            node.orelse = (
                self.block(node.orelse) if self.inside else [self.visit(s) for s in node.orelse]
            )
        elif self.inside:
            node.orelse = [self.statement(node, FALSE)]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Mark both sides."""
        if not self.inside:
            return self.generic_visit(node)
        node.test = self.visit(node.test)
        node.body, node.orelse = self.expression(node.body), self.expression(node.orelse)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Mark what a lambda returns."""
        node.body = self.expression(node.body) if self.inside else self.visit(node.body)
        return node
