"""Statements at the top of a module that are not interpreted: their names become opaque.

A file with `@singledispatch` or `STARTED = time.time()` somewhere is no reason not to follow a
class beside it.  This is allowed only where the statement can change nothing else: it calls the
standard library with constants, and binds plain names.  Whoever uses such a name says so.
"""

import ast
from typing import Any

from filterproof_proofs.symbolic.modules import Library
from filterproof_proofs.symbolic.run import Unsupported
from filterproof_proofs.symbolic.values import Opaque, Scope

CONSTANTS = (int, float, str, bytes, bool, type(None))
TYPES = ("int", "float", "str", "bool", "bytes", "list", "dict", "set", "tuple", "frozenset")
FOREIGN = frozenset(
    {"asyncio", "collections", "concurrent", "contextvars", "dataclasses", "datetime", "decimal"}
    | {"enum", "fractions", "functools", "itertools", "json", "logging", "math", "os", "pathlib"}
    | {"multiprocessing", "platform", "queue", "random", "re", "secrets", "socket", "statistics"}
    | {"string", "threading", "time", "typing", "uuid", "weakref", "zoneinfo"}
)
"""Modules that change nothing of the file when they are called with constants."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def load(machine: Any, body: list[ast.stmt], scope: Scope) -> None:
    """Execute a module's statements one after the other."""
    for node in body:
        try:
            machine.run_block([node], scope)
        except Unsupported as error:
            if machine.run.reason is not error or not is_harmless(node, scope):
                raise
            machine.run.reason = None
            scope.names.update(dict.fromkeys(bound(node), Opaque(str(error))))


def bound(node: Any) -> list[str]:
    """Return the names that a definition or an assignment binds; none if it does more."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    plain = isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    return names if plain and len(names) == len(targets) else []


def is_harmless(node: Any, scope: Scope) -> bool:
    """Whether a statement only binds names, to what the standard library makes of constants."""
    if not bound(node):
        return False
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return node.value is not None and _is_outside(node.value, scope)
    used = [*node.decorator_list, *getattr(node, "bases", [])]
    if isinstance(node, FUNCTIONS):
        defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        return all(_is_outside(one, scope) for one in (*used, *defaults))
    inside = all(isinstance(one, FUNCTIONS) and not one.decorator_list for one in node.body)
    return inside and not node.keywords and all(_is_outside(one, scope) for one in used)


def _is_outside(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is made of constants and names of the standard library."""
    allowed = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.keyword, ast.expr_context)
    parts = [*ast.walk(node)]
    names = [one.id for one in parts if isinstance(one, ast.Name)]
    return all(isinstance(one, (*allowed, ast.BinOp, ast.operator)) for one in parts) and all(
        _is_foreign(scope.names[name]) if name in scope.names else name in TYPES for name in names
    )


def _is_foreign(value: Any) -> bool:
    if isinstance(value, CONSTANTS):
        return True
    if not isinstance(value, (Opaque, Library)):
        return False
    said = value.what if isinstance(value, Opaque) else value.name
    root = said.rpartition("not interpreted: ")[2].removeprefix("the module ").split(".")[0]
    return root in FOREIGN
