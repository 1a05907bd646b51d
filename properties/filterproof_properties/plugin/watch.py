"""What the pytest plugin can notice of a module that tests nothing: no proof that there is none.

A test module runs in the process of pytest and can do there what it likes; `filterproof gate` never
imports one.  What happens by accident, or without care, is noticed here.
"""

import ast
import re
import sys
from types import ModuleType
from typing import Any

PARTS = ("", ".fixture", ".options", ".outcome", ".property_items", ".watch")
TARGET = re.compile(r"[\w./-]+\.py:[A-Za-z_]\w*( --.*)?")
"""How a target of a file is named."""


def target_of_unused_fixture(source: str | bytes, fixture: str) -> str:
    """Return the target that a fixture names which nothing in its module uses; "" if none.

    >>> text = "def mine():\\n    return 'ledger.py:Budget'\\n"
    >>> target_of_unused_fixture(text, "mine")
    'ledger.py:Budget'
    >>> target_of_unused_fixture(text + "def test(mine): ...", "mine")
    ''
    """
    nodes = [*ast.walk(ast.parse(source))]
    used = any(fixture in (_text(one), getattr(one, "arg", ""), _name(one)) for one in nodes)
    made = [one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == fixture]
    texts = [_text(one) for function in made for one in ast.walk(function)]
    return "" if used else next((one for one in texts if TARGET.fullmatch(one)), "")


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def parts() -> dict[str, Any]:
    """Return every function and class of the plugin, and every method, by name."""
    found: dict[str, Any] = {}
    package = __name__.rpartition(".")[0]
    for module in (sys.modules[f"{package}{one}"] for one in PARTS):
        found |= {f"{module.__name__}.{name}": one for name, one in _code(module)}
    return found


def _code(module: ModuleType) -> list[tuple[str, Any]]:
    own = [(name, one) for name, one in vars(module).items() if callable(one)]
    classes = [
        (name, one) for name, one in own if getattr(one, "__module__", "") == module.__name__
    ]
    methods = [
        (f"{name}.{method}", body)
        for name, one in classes
        if isinstance(one, type)
        for method, body in vars(one).items()
        if callable(body)
    ]
    return own + methods


def patched(before: dict[str, Any]) -> list[str]:
    """Return the names of what is no longer what it was."""
    now = parts()
    return sorted(name for name, one in before.items() if now.get(name) is not one)
