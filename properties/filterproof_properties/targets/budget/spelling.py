"""Calls as they were made, with their values; the standard library only, like `player`."""

import ast
from functools import lru_cache
from typing import Any


def spelled_call(call: str, values: dict[str, Any]) -> str:
    """Return a call with the values in the place of the names, as it was made.

    >>> spelled_call("spend(epsilon, who=analyst)", {"epsilon": 0.5, "analyst": "a"})
    "spend(0.5, who='a')"
    >>> spelled_call("module.spend(id, epsilon)", {"epsilon": 0.5})
    'spend(id, 0.5)'
    """
    written = tuple((name, repr(value)) for name, value in values.items())
    return _spell_call(call.removeprefix("module."), written)


@lru_cache(maxsize=4096)
def _spell_call(call: str, written: tuple[tuple[str, str], ...]) -> str:
    values = dict(written)

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.Name(values[node.id]) if node.id in values else node

    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    tree.args = [Filled().visit(one) for one in tree.args]
    for keyword in tree.keywords:
        keyword.value = Filled().visit(keyword.value)
    return ast.unparse(tree)
