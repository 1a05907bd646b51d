"""Where a name is looked up and assigned, as Python does it: local, enclosing, global, built in."""

import ast
import builtins as python
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.values import MISSING, Declared, Opaque, Raised, Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@lru_cache(maxsize=10_000)
def declared(node: Function) -> Declared:
    """Return which names a function assigns, and whether it is a generator."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inside = [one for part in body for one in _own(part)]
    outer = {n for one in inside if isinstance(one, ast.Global) for n in one.names}
    enclosing = {n for one in inside if isinstance(one, ast.Nonlocal) for n in one.names}
    bound = {name for one in inside for name in _names_bound_by(one)} | set(parameters(node.args))
    generator = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in inside)
    local = frozenset(bound - outer - enclosing)
    return Declared(local, frozenset(outer), frozenset(enclosing), generator)


def parameters(arguments: ast.arguments) -> Iterator[str]:
    """Yield the names of all parameters."""
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    yield from (one.arg for one in (*plain, *starred))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what is in it, but not what is inside of other functions and classes."""
    yield node
    if isinstance(node, NESTED):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(node, COMPREHENSIONS):
            yield from (one for one in _own(child) if isinstance(one, ast.NamedExpr))
            yield from _walrus(child)
        else:
            yield from _own(child)


def _walrus(node: ast.AST) -> Iterator[ast.AST]:
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            yield one.target


def _names_bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((one.asname or one.name).split(".")[0] for one in node.names)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def is_closed(function: Any) -> bool:
    """Whether a lambda uses nothing around it but names of its module, and has no defaults."""
    node, scope = function.node, function.scope
    if not isinstance(node, ast.Lambda) or function.defaults or function.keyword_defaults:
        return False
    around = set[str]()
    while scope is not None and scope.parent is not None:
        around |= {*scope.names, *(scope.declared.local if scope.declared else ())}
        scope = scope.parent
    inside = [*ast.walk(node.body)]
    used = {one.id for one in inside if isinstance(one, ast.Name)} - {*parameters(node.args)}
    private = any(isinstance(one, ast.Attribute) and one.attr.startswith("__") for one in inside)
    return not (used & around or private or function.attributes)


def look_up(name: str, scope: Scope, builtins: dict[str, Value]) -> Value:
    """Return what a name stands for, or raise what Python raises."""
    here: Scope | None = scope
    if scope.declared is not None and name in scope.declared.outer:
        here = None
    while here is not None:
        if (here is scope or not here.is_class) and name in here.names:
            return here.names[name]
        if here.declared is not None and name in here.declared.local:
            kind = UnboundLocalError if here is scope else NameError
            raise Raised(kind(f"name '{name}' is used before it has a value"))
        here = here.parent
    for names in (scope.module.names, builtins):
        if name in names:
            return names[name]
    if hasattr(python, name):
        return Opaque(f"the name {name}")
    raise Raised(NameError(f"name '{name}' is not defined"))


def assign(name: str, value: Value, scope: Scope, machine: Machine) -> None:
    """Give a name a value in the scope that the name belongs to."""
    home = _home(name, scope)
    if home is not scope or home.parent is None:
        machine.change(home)
    home.names[name] = value


def delete(name: str, scope: Scope, machine: Machine) -> None:
    """Take a name away."""
    home = _home(name, scope)
    machine.change(home)
    if home.names.pop(name, MISSING) is MISSING:
        raise Raised(NameError(f"name '{name}' is not defined"))


def _home(name: str, scope: Scope) -> Scope:
    told = scope.declared
    if told is not None and name in told.outer:
        return _module_scope(scope)
    if told is not None and name in told.nonlocal_:
        here = scope.parent
        while here is not None and (here.is_class or name not in here.names):
            here = here.parent
        assert here is not None, f"no enclosing {name}"
        return here
    return scope


def _module_scope(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope
