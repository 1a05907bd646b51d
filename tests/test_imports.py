"""Imports point one way, and files stay short.

Each module may import only what stands before it in ORDER (or in its own entry).
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = [
    "filterproof.unknown",
    "filterproof.exact",
    "filterproof.radicals",
    "filterproof.law",
    "filterproof.game",
    "filterproof.gamejson",
    "filterproof.rows",
    "filterproof.palette",
    "filterproof.privacy",
    "filterproof.filter",
    "filterproof.adversary",
    "filterproof.filters",
    "filterproof.engine",
    "filterproof.fast",
    "filterproof.certificate",
    "filterproof",
    "filterproof_proofs",
    "filterproof_properties",
]
FOREIGN = {  # which third-party packages each root may use at all
    "reference": {"mpmath", "numpy", "scipy", "gmpy2"},
    "proofs": {"z3", "cvc5", "mpmath"},
}
MOST_LINES = 400
SOURCES = sorted(
    path for root in ("reference", "properties", "proofs") for path in (ROOT / root).rglob("*.py")
)


def rank(module: str) -> int | None:
    """The most specific entry of ORDER that covers the module."""
    covering = [entry for entry in ORDER if f"{module}.".startswith(f"{entry}.")]
    return ORDER.index(max(covering, key=len)) if covering else None


def imported(source: str) -> Iterator[str]:
    """Every module that a source text imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
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


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    assert upward(module_of(path), path.read_text()) == []


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_each_root_uses_its_own_packages_only(path: Path) -> None:
    allowed = FOREIGN.get(path.relative_to(ROOT).parts[0])
    known = {"mpmath", "numpy", "scipy", "gmpy2", "z3", "cvc5", "hypothesis", "rich", "matplotlib"}
    used = {name.split(".")[0] for name in imported(path.read_text())} & known
    assert allowed is None or used <= allowed


@pytest.mark.parametrize(
    "path", [*SOURCES, *sorted((ROOT / "tests").rglob("*.py"))], ids=lambda path: path.stem
)
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("filterproof.exact", "from filterproof.game import Game"),
        ("filterproof.game", "import filterproof.adversary"),
        ("filterproof.filters.naive", "from filterproof_properties.audit import audit"),
        ("filterproof_proofs.ledger", "from filterproof_properties import search"),
        ("filterproof.adversary", "def f():\n    from filterproof.fast import worst_case"),
    ],
)
def test_a_planted_upward_import_is_caught(module: str, planted: str) -> None:
    assert upward(module, planted) != []


def test_a_downward_import_is_not() -> None:
    assert upward("filterproof.game", "from filterproof.exact import Log") == []
    assert upward("filterproof_properties.audit", "from filterproof.game import Game") == []
