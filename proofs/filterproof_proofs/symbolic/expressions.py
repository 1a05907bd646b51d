"""Expressions of interpreted code, one function per kind."""

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from filterproof_proofs.symbolic.comparisons import compare
from filterproof_proofs.symbolic.growing import Growing, comprehended
from filterproof_proofs.symbolic.library import call_in, subscript, written
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.scopes import assign, declared, look_up
from filterproof_proofs.symbolic.signs import Sign
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import Coroutine, Function, Opaque, Raised, Scope

OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
}
IN_PLACE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd,
    ast.BitOr: operator.ior,
    ast.BitAnd: operator.iand,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
}


def _constant(machine: Machine, node: ast.Constant, scope: Scope) -> Value:
    return node.value


def _name(machine: Any, node: ast.Name, scope: Scope) -> Value:
    try:
        return look_up(node.id, scope, machine.builtins)
    except Raised:
        if node.id.startswith("__") and node.id.endswith("__"):
            raise machine.unsupported(f"the name {node.id}") from None
        raise


def _attribute(machine: Machine, node: ast.Attribute, scope: Scope) -> Value:
    return machine.get(machine.evaluate(node.value, scope), mangled(node.attr, scope))


def mangled(name: str, scope: Scope) -> str:
    """Return the name that Python gives to a private attribute (`__x`)."""
    if not name.startswith("__") or name.endswith("__"):
        return name
    here: Scope | None = scope
    while here is not None and here.function is None and not here.is_class:
        here = here.parent
    owner = here.function.owner if here is not None and here.function is not None else None
    return f"_{owner.name.lstrip('_')}{name}" if owner is not None else name


def _binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Value:
    left, right = machine.evaluate(node.left, scope), machine.evaluate(node.right, scope)
    return operate(machine, OPERATORS[type(node.op)], left, right)


def operate(machine: Machine, operation: Callable[..., Any], left: Value, right: Value) -> Value:
    """Return what an operator gives; what it needs to know and does not is on record."""
    for one in (left, right):
        if isinstance(one, Opaque):
            raise machine.unsupported(f"{one.what} is not interpreted")
        if isinstance(one, Name):
            raise machine.run.stuck("a name is computed with")
        if isinstance(one, Sign) and operation is not operator.mul:
            raise machine.run.stuck("a sign that is not known is computed with")
    if isinstance(left, str) and operation is operator.mod:
        return written(machine, left, right)
    if isinstance(right, Text) or isinstance(left, Text):
        return Text(machine)
    made = machine.host(operation, left, right)
    return machine.created(made) if isinstance(made, (list, dict, set)) else made


def _unary(machine: Machine, node: ast.UnaryOp, scope: Scope) -> Value:
    value = machine.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        return not machine.truth(value)
    kinds: dict[type, Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
    return machine.host(kinds.get(type(node.op), operator.invert), value)


def _boolean(machine: Machine, node: ast.BoolOp, scope: Scope) -> Value:
    stops_at = isinstance(node.op, ast.Or)
    value: Value = None
    for one in node.values:
        value = machine.evaluate(one, scope)
        if one is not node.values[-1] and machine.truth(value) is stops_at:
            break
    return value


def _compare(machine: Machine, node: ast.Compare, scope: Scope) -> Value:
    left, answer = machine.evaluate(node.left, scope), None
    for operation, right_node in zip(node.ops, node.comparators, strict=True):
        right = machine.evaluate(right_node, scope)
        answer = compare(machine, operation, left, right)
        if right_node is not node.comparators[-1] and not machine.truth(answer):
            return answer
        left = right
    return answer


def _conditional(machine: Machine, node: ast.IfExp, scope: Scope) -> Value:
    taken = node.body if machine.truth(machine.evaluate(node.test, scope)) else node.orelse
    return machine.evaluate(taken, scope)


def _call(machine: Any, node: ast.Call, scope: Scope) -> Value:
    function = machine.evaluate(node.func, scope)
    args = list(elements(machine, node.args, scope))
    kwargs: dict[str, Value] = {}
    for one in node.keywords:
        value = machine.evaluate(one.value, scope)
        named = {one.arg: value} if one.arg is not None else machine.host(dict, value)
        if kwargs.keys() & named.keys():
            raise Raised(TypeError("a keyword argument is given twice"))
        kwargs |= named
    machine.at(node, scope)
    return call_in(machine, scope, function, args, kwargs)


def elements(machine: Machine, nodes: list[ast.expr], scope: Scope) -> Iterator[Value]:
    """Yield the values of expressions, starred ones spread out."""
    for one in nodes:
        if isinstance(one, ast.Starred):
            yield from machine.iterate(machine.evaluate(one.value, scope))
        else:
            yield machine.evaluate(one, scope)


def _tuple(machine: Machine, node: ast.Tuple, scope: Scope) -> Value:
    return tuple(elements(machine, node.elts, scope))


def _list(machine: Machine, node: ast.List, scope: Scope) -> Value:
    if node.elts and isinstance(node.elts[0], ast.Starred):
        first = machine.evaluate(node.elts[0].value, scope)
        rest = elements(machine, node.elts[1:], scope)
        if isinstance(first, Growing):
            return first.copied([*rest])
        return machine.created([*machine.iterate(first), *rest])
    return machine.created(list(elements(machine, node.elts, scope)))


def _set_display(machine: Machine, node: ast.Set, scope: Scope) -> Value:
    return machine.created(machine.host(set, list(elements(machine, node.elts, scope))))


def _dict(machine: Machine, node: ast.Dict, scope: Scope) -> Value:
    made: dict[Value, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            machine.host(made.update, machine.evaluate(value, scope))
        else:
            at = machine.evaluate(key, scope)
            machine.host(made.__setitem__, at, machine.evaluate(value, scope))
    return machine.created(made)


def _subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    return subscript(machine, value, machine.evaluate(node.slice, scope))


def _slice(machine: Machine, node: ast.Slice, scope: Scope) -> Value:
    ends = (node.lower, node.upper, node.step)
    return slice(*(None if one is None else machine.evaluate(one, scope) for one in ends))


def _lambda(machine: Machine, node: ast.Lambda, scope: Scope) -> Value:
    return make_function(machine, node, scope)


def make_function(machine: Machine, node: Any, scope: Scope) -> Function:
    """Return a function with the defaults that it has here."""
    spec = node.args
    defaults = [machine.evaluate(one, scope) for one in spec.defaults]
    pairs = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    named = {one.arg: machine.evaluate(value, scope) for one, value in pairs if value is not None}
    made = Function(machine, node, scope, defaults, named, declared(node))
    machine.created(made)
    return made


def _f_string(machine: Machine, node: ast.JoinedStr, scope: Scope) -> Value:
    parts = [machine.evaluate(one, scope) for one in node.values]
    return Text(machine) if any(isinstance(one, Text) for one in parts) else "".join(parts)


def _f_string_part(machine: Machine, node: ast.FormattedValue, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    spec = "" if node.format_spec is None else machine.evaluate(node.format_spec, scope)
    how = {115: "{!s:%s}", 114: "{!r:%s}", 97: "{!a:%s}"}.get(node.conversion, "{:%s}")
    if isinstance(spec, Text):
        return spec
    return written(machine, how % spec, value, formats=True)


def _walrus(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    home = scope
    while home.declared is None and home.function is not None and home.parent is not None:
        home = home.parent  # a comprehension's own scope
    assign(node.target.id, value, home, machine)
    return value


def _refuse_starred(machine: Machine, node: ast.Starred, scope: Scope) -> Value:
    raise machine.unsupported("a starred expression here")


def _await(machine: Machine, node: ast.Await, scope: Scope) -> Value:
    return awaited(machine, machine.evaluate(node.value, scope))


def awaited(machine: Machine, value: Value) -> Value:
    """Run what a call of an `async def` has put off; nothing else is waited for."""
    if not isinstance(value, Coroutine) or not machine.may_change(value):
        raise machine.unsupported("`await` of something else than an own `async def`")
    if value.started:
        raise machine.unsupported("`await` of the same call twice")
    value.started = True
    return machine.body(value.function, value.scope)


def _yield(machine: Machine, node: ast.AST, scope: Scope) -> Value:
    raise machine.unsupported("`yield` inside of an expression")


# --- comprehensions -----------------------------------------------------------------------------


def _items(
    machine: Machine, generators: list[ast.comprehension], scope: Scope, first: Iterator[Value]
) -> Iterator[None]:
    """Bind the loop variables of a comprehension, one round after the other."""
    here, *others = generators
    if here.is_async:
        raise machine.unsupported("`async for`")
    for value in first:
        bind(machine, here.target, value, scope)
        if not all(machine.truth(machine.evaluate(one, scope)) for one in here.ifs):
            continue
        if not others:
            yield
        else:
            inner = machine.iterate(machine.evaluate(others[0].iter, scope))
            yield from _items(machine, others, scope, inner)


def _source(machine: Machine, node: Any, scope: Scope) -> Value:
    """Return what a comprehension goes through."""
    return machine.evaluate(node.generators[0].iter, scope)


def _rounds(machine: Machine, node: Any, scope: Scope, over: Value) -> tuple[Scope, Iterator[None]]:
    first = machine.iterate(over)
    inner = Scope({}, scope.module, scope, None, scope.function)
    return inner, _items(machine, node.generators, inner, first)


def _list_of(machine: Machine, node: ast.ListComp, scope: Scope) -> Value:
    over = _source(machine, node, scope)
    if isinstance(over, Growing):
        return comprehended(machine, node, over)
    inner, rounds = _rounds(machine, node, scope, over)
    return machine.created([machine.evaluate(node.elt, inner) for _ in rounds])


def _set_of(machine: Machine, node: ast.SetComp, scope: Scope) -> Value:
    inner, rounds = _rounds(machine, node, scope, _source(machine, node, scope))
    return machine.created(machine.host(set, [machine.evaluate(node.elt, inner) for _ in rounds]))


def _dict_of(machine: Machine, node: ast.DictComp, scope: Scope) -> Value:
    inner, rounds = _rounds(machine, node, scope, _source(machine, node, scope))
    made: dict[Value, Value] = {}
    for _ in rounds:
        key = machine.evaluate(node.key, inner)
        machine.host(made.__setitem__, key, machine.evaluate(node.value, inner))
    return machine.created(made)


def _generator(machine: Machine, node: ast.GeneratorExp, scope: Scope) -> Value:
    over = _source(machine, node, scope)
    if isinstance(over, Growing):
        return comprehended(machine, node, over)
    inner, rounds = _rounds(machine, node, scope, over)
    return machine.created(machine.evaluate(node.elt, inner) for _ in rounds)


def bind(machine: Machine, target: ast.expr, value: Value, scope: Scope) -> None:
    """Assign a value to a name, an attribute, a subscript, or several of them."""
    if isinstance(target, ast.Name):
        assign(target.id, value, scope, machine)
    elif isinstance(target, ast.Attribute):
        obj = machine.evaluate(target.value, scope)
        machine.put(obj, mangled(target.attr, scope), value)
    elif isinstance(target, ast.Subscript):
        obj, key = machine.evaluate(target.value, scope), machine.evaluate(target.slice, scope)
        machine.change(obj)
        subscript(machine, obj, key, operation=lambda o, k: operator.setitem(o, k, value))
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(machine, target.elts, value, scope)
    else:
        raise machine.unsupported(f"an assignment to a {type(target).__name__}")


def _unpack(machine: Machine, targets: list[ast.expr], value: Value, scope: Scope) -> None:
    parts = list(machine.iterate(value))
    stars = [i for i, one in enumerate(targets) if isinstance(one, ast.Starred)]
    if len(parts) < len(targets) - len(stars) or (not stars and len(parts) > len(targets)):
        raise Raised(ValueError(f"{len(parts)} values for {len(targets)} names"))
    if stars:
        at, rest = stars[0], len(parts) - len(targets) + 1
        parts[at : at + rest] = [machine.created(parts[at : at + rest])]
    for target, part in zip(targets, parts, strict=True):
        bind(machine, target.value if isinstance(target, ast.Starred) else target, part, scope)


EXPRESSIONS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Call: _call,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set_display,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.JoinedStr: _f_string,
    ast.FormattedValue: _f_string_part,
    ast.NamedExpr: _walrus,
    ast.Starred: _refuse_starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.ListComp: _list_of,
    ast.SetComp: _set_of,
    ast.DictComp: _dict_of,
    ast.GeneratorExp: _generator,
}
