"""Imports point one way, between packages and between rooms, and files stay short.

Each module may import only what stands before it in ORDER, or what shares its own entry.  Inside
one entry modules may use one another, but never in a circle.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDER = [
    "filterproof.unknown",
    "filterproof.collection_pause",
    "filterproof.http_routes",
    "filterproof.call_expressions",
    "filterproof.free_arguments",
    "filterproof.budget_calls",
    "filterproof.exact",
    "filterproof.radicals",
    "filterproof.directed_rounding",
    "filterproof.directed_columns",
    "filterproof.game.law",
    "filterproof.game.databases",
    "filterproof.game.promises",
    "filterproof.game.game",
    "filterproof.game",
    "filterproof.palette",
    "filterproof.privacy",
    "filterproof.filter",
    "filterproof.adversary",
    "filterproof.witness",
    "filterproof.tail",
    "filterproof.odometer",
    "filterproof.filters",
    "filterproof.odometers",
    "filterproof.engine",
    "filterproof.engine.by_position",
    "filterproof.engine.by_round",
    "filterproof.fast",
    "filterproof.certificate",
    "filterproof",
    "filterproof.utility",
    "filterproof.curves",
    "filterproof.runtime",
    "filterproof_proofs",
    "filterproof_properties",
    "filterproof_properties.case",
    "filterproof_properties.transcripts",
    "filterproof_properties.games",
    "filterproof_properties.relations",
    "filterproof_properties.strategies",
    "filterproof_properties.processes",
    "filterproof_properties.options",
    "filterproof_properties.adapters",
    "filterproof_properties.targets",
    "filterproof_properties.claims",
    "filterproof_properties.failopen",
    "filterproof_properties.search",
    "filterproof_properties.audit",
    "filterproof_properties.choose",
    "filterproof_properties.vectors",
    "filterproof_properties.reports",
    "filterproof_properties.cli",
    "filterproof_properties.plugin.properties",
    "filterproof_properties.plugin.watch",
    "filterproof_properties.plugin.options",
    "filterproof_properties.plugin.outcome",
    "filterproof_properties.plugin.property_items",
    "filterproof_properties.plugin.fixture",
    "filterproof_properties.plugin",
]
FOREIGN = {  # which third-party packages each root may use at all
    "reference": {"mpmath", "numpy", "scipy", "gmpy2", "flint", "psycopg"},
    "proofs": {"z3", "cvc5", "mpmath"},
}
KNOWN = {
    "mpmath",
    "numpy",
    "scipy",
    "gmpy2",
    "flint",
    "psycopg",
    "z3",
    "cvc5",
    "hypothesis",
    "rich",
}
MOST_LINES = 400
SOURCES = sorted(
    path
    for root in ("reference", "properties", "proofs")
    for path in (ROOT / root).rglob("*.py")
    if not path.name.startswith("test_")  # the properties, which import whatever they are about
)


def rank(module: str) -> int | None:
    """The most specific entry of ORDER that covers the module."""
    covering = [entry for entry in ORDER if f"{module}.".startswith(f"{entry}.")]
    return ORDER.index(max(covering, key=len)) if covering else None


@cache
def imported(source: str) -> tuple[str, ...]:
    """Every module that a source text may import, wherever the statement stands."""
    return tuple(_imported(source))


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def upward(module: str, source: str) -> list[str]:
    """The imports of a module that point the wrong way."""
    own = rank(module)
    assert own is not None, f"add {module} to ORDER"
    return [name for name in imported(source) if (used := rank(name)) is not None and used > own]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(part for part in parts if part != "__init__")


def uses(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Which of the modules each one imports; `from package import module` is the module alone."""
    found = {}
    for module, source in sources.items():
        names = {name for name in imported(source) if name in sources}
        parents = {name.rpartition(".")[0] for name in names}
        found[module] = names - parents - {module}
    return found


def circle(used: Mapping[str, set[str]]) -> list[str]:
    """Modules that import one another in a circle; none if there is no circle."""
    left = {module: set(names) for module, names in used.items()}
    while loose := set(left) - {m for m in left if left[m] and m in set().union(*left.values())}:
        left = {m: names - loose for m, names in left.items() if m not in loose}
    return sorted(left)


def test_imports_point_one_way() -> None:
    found = {path: upward(module_of(path), path.read_text()) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circle(uses({module_of(path): path.read_text() for path in SOURCES})) == []


@pytest.mark.parametrize("root", FOREIGN)
def test_each_root_uses_its_own_packages_only(root: str) -> None:
    inside = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == root]
    found = {path: foreign(path.read_text()) - FOREIGN[root] for path in inside}
    assert {path: names for path, names in found.items() if names} == {}
    assert foreign("def f():\n    import z3.z3util\n    import os") == {"z3"}


def foreign(source: str) -> set[str]:
    """The third-party packages that a source text may import."""
    return {name.split(".")[0] for name in imported(source)} & KNOWN


def test_files_stay_short() -> None:
    paths = [*SOURCES, *(ROOT / "tests").rglob("*.py")]
    lines = {path: len(path.read_text().splitlines()) for path in paths}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


PLANTED = [
    ("filterproof.exact", "from filterproof.game import Game"),
    ("filterproof.game.game", "import filterproof.adversary"),
    ("filterproof.filters.naive", "from filterproof_properties.audit import engine"),
    ("filterproof.adversary", "def f():\n    from filterproof.fast import worst_case"),
    ("filterproof.engine.by_position.graph", "from filterproof.engine.by_round import arrays"),
    ("filterproof.utility.rounds", "from filterproof.runtime import Domain"),
    ("filterproof_proofs.checker", "from filterproof_properties import search"),
    ("filterproof_properties.case", "from filterproof_properties.games.named import guess"),
    ("filterproof_properties.games.named", "from filterproof_properties import search"),
    ("filterproof_properties.targets.loading", "from filterproof_properties.audit import engine"),
    ("filterproof_properties.search.loop", "from filterproof_properties.audit import record"),
    ("filterproof_properties.audit.engine", "from filterproof_properties.reports import html"),
    ("filterproof_properties.reports.html", "from filterproof_properties.cli import options"),
]


@pytest.mark.parametrize(("module", "planted"), PLANTED)
def test_a_planted_upward_import_is_caught(module: str, planted: str) -> None:
    assert upward(module, planted) != []


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("filterproof.game.game", "from filterproof.exact import Log"),
        ("filterproof_properties.audit.engine", "from filterproof.game import Game"),
        ("filterproof_properties.audit.engine", "from filterproof_properties.search import plan"),
    ],
)
def test_a_downward_import_is_not(module: str, planted: str) -> None:
    assert upward(module, planted) == []


def test_a_planted_circle_is_caught() -> None:
    planted = {"p.a": "from p import b", "p.b": "def f():\n    import p.c", "p.c": "import p.a"}
    assert circle(uses({**planted, "p.d": "import p.a", "p.e": ""})) == ["p.a", "p.b", "p.c"]
    assert circle(uses({**planted, "p.c": ""})) == []
