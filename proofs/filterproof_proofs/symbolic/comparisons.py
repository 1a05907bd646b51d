"""Comparisons of interpreted code: `<`, `==`, `is`, `in`."""

import ast
import enum
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from filterproof_proofs.symbolic.library import contains
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.texts import Text
from filterproof_proofs.symbolic.values import Opaque

COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
LOOSE = (Term, Text, Name, int, float, complex, Fraction, Decimal, str, bytes, tuple, frozenset)
MIRRORED = {
    operator.lt: operator.gt,
    operator.gt: operator.lt,
    operator.le: operator.ge,
    operator.ge: operator.le,
    operator.eq: operator.eq,
    operator.ne: operator.ne,
}


def compare(machine: Machine, operation: ast.cmpop, left: Value, right: Value) -> Value:
    """Return what a comparison says; between numbers this may be a fork."""
    if isinstance(operation, (ast.Is, ast.IsNot)):
        return _identical(machine, left, right) is isinstance(operation, ast.Is)
    if isinstance(operation, (ast.In, ast.NotIn)):
        return contains(machine, right, left) is isinstance(operation, ast.In)
    return related(machine, COMPARISONS[type(operation)], left, right)


def related(machine: Machine, asked: Callable[..., Any], left: Value, right: Value) -> Value:
    """Compare two values; an unknown number is asked first."""
    for one in (left, right):
        if isinstance(one, Opaque):
            raise machine.unsupported(f"{one.what} is not interpreted")
    if isinstance(right, Term) and not isinstance(left, Term):
        return machine.host(MIRRORED[asked], right, left)
    if Name in (type(left), type(right)) and asked not in (operator.eq, operator.ne):
        raise machine.run.stuck("the order of names is asked for")
    return machine.host(asked, left, right)


def _identical(machine: Machine, left: Value, right: Value) -> bool:
    """Answer `is`; whether two equal numbers or texts are one object is nobody's business."""
    for one in (left, right):
        if isinstance(one, Opaque):
            raise machine.unsupported(one.what)
    if isinstance(left, LOOSE) and isinstance(right, LOOSE):
        kinds = (type(left), type(right))
        if (bool in kinds and Term not in kinds) or all(issubclass(k, enum.Enum) for k in kinds):
            return left is right
        raise machine.unsupported("`is` between numbers, texts or tuples")
    return left is right
