"""Statements of interpreted code, one function per kind.

Each is a generator: it yields what the code yields, and returns None, `BREAK`, `CONTINUE` or a
`Returned`.  A function that is no generator never yields.
"""

import ast
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.classes import make_class
from filterproof_proofs.symbolic.descriptors import in_place
from filterproof_proofs.symbolic.expressions import (
    IN_PLACE,
    OPERATORS,
    bind,
    make_function,
    mangled,
    operate,
)
from filterproof_proofs.symbolic.growing import Growing, added_up
from filterproof_proofs.symbolic.imports import imported
from filterproof_proofs.symbolic.library import is_exception, is_instance, subscript
from filterproof_proofs.symbolic.machine import Execution, Machine, Value
from filterproof_proofs.symbolic.modules import Quiet
from filterproof_proofs.symbolic.patterns import matches
from filterproof_proofs.symbolic.scopes import assign, delete
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.values import MISSING, Class, Instance, Raised, Scope

BREAK, CONTINUE = "break", "continue"


@dataclass(frozen=True)
class Returned:
    """A function returned."""

    value: Value


def _expression(machine: Machine, node: ast.Expr, scope: Scope) -> Execution:
    yield from value_of(machine, node.value, scope)


def value_of(machine: Machine, node: ast.expr | None, scope: Scope) -> Execution:
    """Return the value of an expression, which may be a `yield`."""
    if isinstance(node, ast.Yield):
        return (yield None if node.value is None else machine.evaluate(node.value, scope))
    if isinstance(node, ast.YieldFrom):
        value = machine.evaluate(node.value, scope)
        inner = value if isinstance(value, GeneratorType) else machine.iterate(value)
        return (yield from inner)
    return None if node is None else machine.evaluate(node, scope)


def _assign(machine: Machine, node: ast.Assign, scope: Scope) -> Execution:
    value = yield from value_of(machine, node.value, scope)
    for target in node.targets:
        bind(machine, target, value, scope)


def _annotated_assignment(machine: Machine, node: ast.AnnAssign, scope: Scope) -> Execution:
    if node.value is not None:
        bind(machine, node.target, (yield from value_of(machine, node.value, scope)), scope)


def _augmented_assignment(machine: Machine, node: ast.AugAssign, scope: Scope) -> Execution:
    reading: Any = node.target
    if isinstance(reading, ast.Name):
        bind(
            machine,
            reading,
            _value_after(machine, node, _load(machine, reading, scope), scope),
            scope,
        )
    elif isinstance(reading, ast.Attribute):
        obj = machine.evaluate(reading.value, scope)
        name = mangled(reading.attr, scope)
        machine.put(obj, name, _value_after(machine, node, machine.get(obj, name), scope))
    else:
        obj, key = machine.evaluate(reading.value, scope), machine.evaluate(reading.slice, scope)
        made = _value_after(machine, node, subscript(machine, obj, key), scope)
        machine.change(obj)
        subscript(machine, obj, key, operation=lambda o, k: operator.setitem(o, k, made))
    return
    yield  # noqa: V201  # makes it a generator


def _load(machine: Machine, target: ast.Name, scope: Scope) -> Value:
    return machine.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope)


def _value_after(machine: Machine, node: ast.AugAssign, value: Value, scope: Scope) -> Value:
    other = machine.evaluate(node.value, scope)
    if isinstance(value, Growing) and isinstance(node.op, ast.Add):
        machine.get(value, "extend")(other)
        return value
    if isinstance(value, Array) and not value.scalar:
        machine.change(value)
        value.fill_from(operate(machine, OPERATORS[type(node.op)], value, other))
        return value
    if isinstance(value, (list, dict, set)):
        machine.change(value)
        return machine.host(IN_PLACE.get(type(node.op), OPERATORS[type(node.op)]), value, other)
    if isinstance(value, Instance):
        made = in_place(
            machine, value, f"__i{OPERATORS[type(node.op)].__name__.strip('_')}__", other
        )
        if made is not NotImplemented:
            return made
    return operate(machine, OPERATORS[type(node.op)], value, other)


def _delete(machine: Machine, node: ast.Delete, scope: Scope) -> Execution:
    for target in node.targets:
        if isinstance(target, ast.Name):
            delete(target.id, scope, machine)
        elif isinstance(target, ast.Subscript):
            obj = machine.evaluate(target.value, scope)
            machine.change(obj)
            subscript(machine, obj, machine.evaluate(target.slice, scope), operator.delitem)
        elif isinstance(target, ast.Attribute):
            machine.put(machine.evaluate(target.value, scope), mangled(target.attr, scope), MISSING)
        else:
            raise machine.unsupported("this kind of `del`")
    return
    yield  # noqa: V201  # makes it a generator


def _return(machine: Machine, node: ast.Return, scope: Scope) -> Execution:
    return Returned((yield from value_of(machine, node.value, scope)))


def _pass(machine: Machine, node: ast.stmt, scope: Scope) -> Execution:
    return None
    yield  # noqa: V201  # makes it a generator


def _break(machine: Machine, node: ast.Break, scope: Scope) -> Execution:
    return BREAK
    yield  # noqa: V201  # makes it a generator


def _continue(machine: Machine, node: ast.Continue, scope: Scope) -> Execution:
    return CONTINUE
    yield  # noqa: V201  # makes it a generator


def _if(machine: Machine, node: ast.If, scope: Scope) -> Execution:
    taken = node.body if machine.truth(machine.evaluate(node.test, scope)) else node.orelse
    return (yield from machine.block(taken, scope))


def _while(machine: Machine, node: ast.While, scope: Scope) -> Execution:
    while machine.truth(machine.evaluate(node.test, scope)):
        ended = yield from machine.block(node.body, scope)
        if ended is BREAK:
            return None
        if isinstance(ended, Returned):
            return ended
    return (yield from machine.block(node.orelse, scope))


def _for(machine: Machine, node: ast.For, scope: Scope) -> Execution:
    over = machine.evaluate(node.iter, scope)
    if isinstance(over, Growing):
        _add_up(machine, node, over, scope)
        return None
    for value in machine.iterate(over):
        bind(machine, node.target, value, scope)
        ended = yield from machine.block(node.body, scope)
        if ended is BREAK:
            return None
        if isinstance(ended, Returned):
            return ended
    return (yield from machine.block(node.orelse, scope))


def _add_up(machine: Machine, node: ast.For, over: Growing, scope: Scope) -> None:
    """Do what a loop does that adds up numbers of a list that grows, from 0."""
    for name, tally in added_up(machine, node, over):
        before = _load(machine, name, scope)
        if isinstance(before, Term) or type(before) not in (int, float) or before:
            raise machine.unsupported("a list that grows is added to a number that is not 0")
        bind(machine, name, over.number(tally), scope)


def _assert(machine: Machine, node: ast.Assert, scope: Scope) -> Execution:
    if not machine.truth(machine.evaluate(node.test, scope)):
        said = () if node.msg is None else (machine.evaluate(node.msg, scope),)
        raise Raised(AssertionError(*said))
    return
    yield  # noqa: V201  # makes it a generator


def _raise(machine: Machine, node: ast.Raise, scope: Scope) -> Execution:
    if node.exc is None:
        current = getattr(machine, "handled", [])
        raise Raised(current[-1] if current else RuntimeError("no exception to raise again"))
    value = machine.evaluate(node.exc, scope)
    if isinstance(value, (type, Class)):
        value = machine.call(value)
    if not is_exception(value):
        raise Raised(TypeError("exceptions must derive from BaseException"))
    if node.cause is not None:
        machine.evaluate(node.cause, scope)
    raise Raised(value)
    yield  # noqa: V201  # makes it a generator


def _try(machine: Any, node: ast.Try, scope: Scope) -> Execution:
    try:
        ended = yield from _try_and_handlers(machine, node, scope)
    except Raised:
        override = yield from machine.block(node.finalbody, scope)
        if override is not None:
            return override
        raise
    override = yield from machine.block(node.finalbody, scope)
    return ended if override is None else override


def _try_and_handlers(machine: Any, node: ast.Try, scope: Scope) -> Execution:
    if node.handlers:
        _check_imports(machine, node.body)
    try:
        ended = yield from machine.block(node.body, scope)
    except Raised as error:
        handler = _handler(machine, node.handlers, error.value, scope)
        if handler is None:
            raise
        return (yield from _in_handler(machine, handler, error.value, scope))
    return (yield from machine.block(node.orelse, scope)) if ended is None else ended


def _check_imports(machine: Any, body: list[ast.stmt]) -> None:
    """Say so if an import may fail here and not there: what it imports is not known."""
    for one in body:
        names = [one.module or ""] if isinstance(one, ast.ImportFrom) else []
        names += [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
        for name in names:
            known = name.split(".")[0] in sys.stdlib_module_names
            if not known and machine.program.source(name) is None:
                raise machine.unsupported(f"an import of {name} that may fail")


def _handler(
    machine: Machine, handlers: list[ast.ExceptHandler], value: Value, scope: Scope
) -> ast.ExceptHandler | None:
    for one in handlers:
        if one.type is None or is_instance(machine, value, machine.evaluate(one.type, scope)):
            return one
    return None


def _in_handler(machine: Any, node: ast.ExceptHandler, value: Value, scope: Scope) -> Execution:
    if node.name:
        assign(node.name, value, scope, machine)
    machine.handled.append(value)
    try:
        return (yield from machine.block(node.body, scope))
    finally:
        machine.handled.pop()
        if node.name:
            scope.names.pop(node.name, None)


def _with(machine: Machine, node: ast.With, scope: Scope) -> Execution:
    return (yield from _with_items(machine, list(node.items), node.body, scope))


def _with_items(
    machine: Any, items: list[ast.withitem], body: list[ast.stmt], scope: Scope
) -> Execution:
    if not items:
        return (yield from machine.block(body, scope))
    manager = machine.evaluate(items[0].context_expr, scope)
    value = machine.enter(manager)
    if items[0].optional_vars is not None:
        bind(machine, items[0].optional_vars, value, scope)
    try:
        ended = yield from _with_items(machine, items[1:], body, scope)
    except Raised as error:
        if machine.leave(manager, error.value):
            return None
        raise
    machine.leave(manager, None)
    return ended


def _async_with(machine: Machine, node: ast.AsyncWith, scope: Scope) -> Execution:
    managers = [machine.evaluate(one.context_expr, scope) for one in node.items]
    named = any(one.optional_vars is not None for one in node.items)
    if named or not all(isinstance(one, Quiet) and one.is_async for one in managers):
        raise machine.unsupported("`async with` of something else than a lock of asyncio")
    return (yield from machine.block(node.body, scope))


def _function(machine: Machine, node: Any, scope: Scope) -> Execution:
    assign(
        node.name,
        _apply_decorators(machine, node, make_function(machine, node, scope), scope),
        scope,
        machine,
    )
    return
    yield  # noqa: V201  # makes it a generator


def _apply_decorators(machine: Machine, node: Any, made: Value, scope: Scope) -> Value:
    for one in reversed(node.decorator_list):
        made = machine.call(machine.evaluate(one, scope), made)
    return made


def _class(machine: Machine, node: ast.ClassDef, scope: Scope) -> Execution:
    namespace: dict[str, Value] = {}
    body = Scope(namespace, scope.module, scope, None, scope.function, is_class=True)
    machine.created(body)
    for _ in machine.block(node.body, body):
        raise machine.unsupported("`yield` in a class")
    bases = [machine.evaluate(one, scope) for one in node.bases]
    keywords = {one.arg: machine.evaluate(one.value, scope) for one in node.keywords}
    made = make_class(machine, node, scope.module, bases, keywords, namespace)
    assign(node.name, _apply_decorators(machine, node, made, scope), scope, machine)
    return
    yield  # noqa: V201  # makes it a generator


def _import(machine: Any, node: ast.Import, scope: Scope) -> Execution:
    for one in node.names:
        module = machine.module(one.name)
        name = one.asname or one.name.split(".")[0]
        value = module if one.asname else machine.module(name)
        assign(name, value, scope, machine)
    return
    yield  # noqa: V201  # makes it a generator


def _import_from(machine: Any, node: ast.ImportFrom, scope: Scope) -> Execution:
    for one in node.names:
        if one.name == "*":
            raise machine.unsupported("`import *`")
        value = imported(machine, node.module or "", node.level, one.name, scope)
        assign(one.asname or one.name, value, scope, machine)
    return
    yield  # noqa: V201  # makes it a generator


def _match(machine: Machine, node: ast.Match, scope: Scope) -> Execution:
    subject = machine.evaluate(node.subject, scope)
    for case in node.cases:
        bound: dict[str, Value] = {}
        if not matches(machine, case.pattern, subject, scope, bound):
            continue
        for name, value in bound.items():
            assign(name, value, scope, machine)
        if case.guard is None or machine.truth(machine.evaluate(case.guard, scope)):
            return (yield from machine.block(case.body, scope))
    return None


STATEMENTS: dict[type[ast.AST], Callable[..., Execution]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assignment,
    ast.AugAssign: _augmented_assignment,
    ast.Delete: _delete,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _async_with,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Match: _match,
    ast.Global: _pass,
    ast.Nonlocal: _pass,
}
