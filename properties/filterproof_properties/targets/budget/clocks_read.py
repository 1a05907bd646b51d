"""Which function that tells the time a source uses: an audit that leaves it alone says so."""

import ast
from collections.abc import Iterator

CLOCKS = {
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
}


def clock_read(source: str) -> str:
    """Return the first clock that a source uses, as `--clock` takes it; "" if there is none.

    >>> clock_read("from datetime import date as day\\ndef f():\\n    return day.today()")
    'datetime.date.today'
    >>> clock_read("def time(): ...\\nnow = time()")
    ''
    """
    tree = ast.parse(source)
    imported = dict(_imported(tree))
    used = (_dotted(node, imported) for node in ast.walk(tree) if isinstance(node, ast.expr))
    return next((name for name in used if name in CLOCKS), "")


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield every name that an import of a whole source binds, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.asname or one.name, one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def _dotted(node: ast.expr, imported: dict[str, str]) -> str:
    """Return a name with its attributes, the first of them as it was imported; else ""."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imported:
        return ""
    return ".".join([imported[node.id], *reversed(parts)])
