"""Calls as a user writes them on a command line: expressions, read and checked, never run here.

`spend(epsilon, delta)` is one: a method's name, and arguments made of the names of costs.
"""

import ast
from collections.abc import Sequence
from difflib import get_close_matches

from filterproof.http_routes import IDENTITY, CallError, is_route, read_route, with_body

BUDGETS = ("epsilon", "delta", "rho", "mu", "rdp", "orders", "count")
"""What the call that makes the object may be given: its whole budget, in its currency."""
HELPERS = ("float", "int", "str", "round", "max", "min", "Fraction", "Decimal", "ceil", "floor")
"""Functions that a call may apply to a cost: a ledger may want a Decimal, or whole micro-units."""


def is_bare(text: str) -> bool:
    """Whether a call is the name of a method only, so that its arguments are to be found out.

    >>> is_bare("spend"), is_bare("accounts.spend"), is_bare("spend(epsilon)")
    (True, True, False)
    """
    return all(part.isidentifier() for part in text.split("."))


def lacks_arguments(text: str) -> bool:
    """Whether a call says nothing of what it hands over: a bare name, or a path without a body.

    >>> lacks_arguments("spend"), lacks_arguments("POST /spend"), lacks_arguments("GET /spend/{id}")
    (True, True, False)
    """
    return is_bare(text) or (is_route(text) and with_body(text, ("-",)) != text)


def with_arguments(text: str, names: Sequence[str]) -> str:
    """Return a call with these arguments where it is a bare name, or a path without a body.

    >>> with_arguments("spend", ["epsilon", "delta"]), with_arguments("take(epsilon)", ["rho"])
    ('spend(epsilon, delta)', 'take(epsilon)')
    """
    if is_route(text):
        return with_body(text, tuple(names))
    return f"{text}({', '.join(names)})" if is_bare(text) else text


def check_call(text: str, names: Sequence[str]) -> None:
    """Raise unless the text is a call, of a method or over HTTP, that uses these names only.

    >>> check_call("spend(cost=epsilon)", ["epsilon"])
    >>> check_call("POST /budgets/{id}/spend {epsilon}", ["epsilon"])
    >>> check_call("spend(epsilom)", ["epsilon", "delta"])
    Traceback (most recent call last):
    filterproof.http_routes.CallError: 'spend(epsilom)': no 'epsilom' here; did you mean \
epsilon?
    """
    if is_route(text):
        _check_route(text, names)
        return
    found = _parse(text)
    if not isinstance(found, ast.Call) or not is_bare(ast.unparse(found.func)):
        raise CallError(f"need NAME or NAME(...), such as spend(epsilon, delta); got {text!r}")
    for one in (*found.args, *(keyword.value for keyword in found.keywords)):
        _check_names(text, one, names)


def _check_route(text: str, names: Sequence[str]) -> None:
    route = read_route(text)
    used = ast.Tuple([ast.Name(name) for name in sorted(route.names)])
    body = [ast.parse(route.body, mode="eval").body] if route.body else []
    for one in (used, *body):
        _check_names(text, one, (*names, IDENTITY, *HELPERS))


def check_open(text: str, arguments: Sequence[str] = ()) -> None:
    """Raise unless the text makes an object: arguments in brackets, or a factory's call.

    >>> check_open("(total=epsilon)"), check_open("tests.helpers:budget(epsilon)")
    (None, None)
    >>> check_open("Budget.instance(epsilon)")
    >>> check_open("epsilon")
    Traceback (most recent call last):
    filterproof.http_routes.CallError: need arguments in brackets or a factory's call, such \
as (epsilon) or tests.helpers:budget(epsilon); got 'epsilon'
    """
    if is_route(text):
        _check_route(text, (*BUDGETS, *arguments))
        return
    factory, bracket, rest = text.partition("(")
    if not bracket or (factory and not is_bare(factory.rpartition(":")[2])):
        raise CallError(
            "need arguments in brackets or a factory's call, such as (epsilon) or "
            f"tests.helpers:budget(epsilon); got {text!r}"
        )
    check_call(f"target({rest}", (*BUDGETS, *arguments))


def check_expression(text: str, names: Sequence[str]) -> None:
    """Raise unless the text is an expression over these names; classes may be the object's own.

    >>> check_expression("result == Outcome.GRANTED", ["result"])
    >>> check_expression("result['status'] == 'ok'", ["result"])
    >>> check_expression("answer.ok", ["result"])
    Traceback (most recent call last):
    filterproof.http_routes.CallError: 'answer.ok': no 'answer' here; it has result
    """
    found = _parse(text)
    if found is None:
        raise CallError(f"need a Python expression over {', '.join(names)}; got {text!r}")
    classes = [
        one.id for one in ast.walk(found) if isinstance(one, ast.Name) and one.id[0].isupper()
    ]
    _check_names(text, found, (*names, *classes))


def names_in(text: str) -> set[str]:
    """Return the names that the arguments of a call use."""
    if is_route(text):
        return read_route(text).names - {IDENTITY}
    found = _parse(text)
    inside = [*found.args, *found.keywords] if isinstance(found, ast.Call) else []
    nodes = [node for one in inside for node in ast.walk(one)]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _parse(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # too deep
        return None


def _check_names(text: str, tree: ast.expr, names: Sequence[str]) -> None:
    """Raise where a name means nothing; what is called may be a class of the object's module."""
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = {*names, *HELPERS, *bound, *_called_classes(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known:
            near = get_close_matches(node.id, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}"
            raise CallError(f"{text!r}: no {node.id!r} here; {hint}")


def _called_classes(tree: ast.expr) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {one.id for one in calls if isinstance(one, ast.Name) and one.id[0].isupper()}


def keyword_arguments(text: str) -> dict[str, str]:
    """Return the arguments of a call by name, each as an expression.

    >>> keyword_arguments("spend(epsilon, who=analyst)")
    {'epsilon': 'epsilon', 'who': 'analyst'}
    >>> keyword_arguments("spend(ceil(epsilon))")
    Traceback (most recent call last):
    filterproof.http_routes.CallError: 'spend(ceil(epsilon))': name it, as in \
cost=ceil(epsilon)
    """
    found = _parse(text)
    assert isinstance(found, ast.Call)
    for one in found.args:
        if not isinstance(one, ast.Name):
            raise CallError(f"{text!r}: name it, as in cost={ast.unparse(one)}")
    by_place = {ast.unparse(one): ast.unparse(one) for one in found.args}
    by_name = {str(one.arg): ast.unparse(one.value) for one in found.keywords}
    return by_place | by_name
