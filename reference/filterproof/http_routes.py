"""Calls of a budget service over HTTP, as a user writes them on a command line.

`POST /budgets/{id}/spend {epsilon, delta}` is one: a method, a path with names in braces, and what
the body holds, by names or as a dictionary.  `-> id` says which field of the answer names the
budget.  Nothing is sent here.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
IDENTITY = "id"
"""What stands for the budget in a path or a body, and the field that names it in an answer."""
_ROUTE = re.compile(
    rf"(?P<method>{'|'.join(METHODS)}) (?P<path>/\S*)"
    r"(?: (?P<body>\{.*\}))?(?: -> (?P<field>[^\s{}]+))?"
)
_PLACE = re.compile(r"\{(\w+)\}")


class CallError(ValueError):
    """A call that cannot be read; the message says what was expected and what is near."""


@dataclass(frozen=True)
class Route:
    """One call over HTTP; `body` is a dictionary as Python writes it, or ""."""

    method: str
    path: str
    body: str = ""
    field: str = IDENTITY

    @property
    def names(self) -> set[str]:
        """The names that the path and the body use, that of the budget among them."""
        tree = ast.walk(ast.parse(self.body or "0", mode="eval"))
        inside = {node.id for node in tree if isinstance(node, ast.Name)}
        return inside | {*_PLACE.findall(self.path)}

    def filled_path(self, values: Mapping[str, Any]) -> str:
        """Return the path with values in the place of names.

        >>> read_route("GET /spend/{id}?cost={epsilon}").filled_path({"id": "a b", "epsilon": 0.5})
        '/spend/a%20b?cost=0.5'
        """
        return _PLACE.sub(lambda found: quote(str(values[found[1]]), safe=""), self.path)


def is_route(text: str) -> bool:
    """Whether a text is meant as a call over HTTP.

    >>> is_route("POST /spend"), is_route("/spend"), is_route("spend(epsilon)")
    (True, True, False)
    """
    return text.startswith("/") or text.split(" ", 1)[0] in METHODS


def read_route(text: str) -> Route:
    """Return the call that a text stands for; without a method it is POST.

    >>> read_route("/budgets {epsilon, delta} -> budget.id")
    Route(method='POST', path='/budgets', body="{'epsilon': epsilon, 'delta': delta}", \
field='budget.id')
    >>> read_route("POST spend")
    Traceback (most recent call last):
    filterproof.http_routes.CallError: need METHOD /PATH {BODY} -> FIELD, such as \
POST /budgets/{id}/spend {epsilon, delta}; got 'POST spend'
    """
    found = _ROUTE.fullmatch(f"POST {text}" if text.startswith("/") else text)
    body = None if found is None else _dictionary(found["body"] or "")
    if found is None or body is None:
        raise CallError(
            "need METHOD /PATH {BODY} -> FIELD, such as POST /budgets/{id}/spend {epsilon, delta}; "
            f"got {text!r}"
        )
    return Route(found["method"], found["path"], body, found["field"] or IDENTITY)


def _dictionary(text: str) -> str | None:
    """Return a body as a dictionary; None if it is neither names in braces nor one."""
    try:
        tree = ast.parse(text, mode="eval").body if text else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # too deep
        return None
    if isinstance(tree, ast.Set) and all(isinstance(one, ast.Name) for one in tree.elts):
        names = [ast.unparse(one) for one in tree.elts]
        return f"{{{', '.join(f'{name!r}: {name}' for name in names)}}}"
    return text if tree is None or isinstance(tree, ast.Dict) else None


def with_body(text: str, names: tuple[str, ...]) -> str:
    """Return a route that hands these names over where it says nothing of what it hands over.

    >>> with_body("/budgets/{id}/spend", ("epsilon",)), with_body("POST /spend {rho}", ("rho",))
    ('POST /budgets/{id}/spend {epsilon}', 'POST /spend {rho}')
    """
    route = read_route(text)
    if route.body or route.names - {IDENTITY} or route.method == "GET":
        return text
    field = "" if route.field == IDENTITY else f" -> {route.field}"
    return f"{route.method} {route.path} {{{', '.join(names)}}}{field}"
