"""The wheel has what a command, pytest or a reader of the paper reaches, and nothing else."""

import re
import tomllib
from collections.abc import Iterable

from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.cli.main import COMMANDS
from filterproof_properties.reports.files import FORMATS
from tests.project.test_imports import ROOT, SOURCES, imported, module_of

WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
    "targets"
]["wheel"]
TEXTS = {module_of(path): path.read_text("utf-8") for path in SOURCES}
ENTRIES = {
    "filterproof_properties.cli.main",
    "filterproof_properties.plugin",
    *(f"filterproof_properties.cli.{name.replace('-', '_')}" for name in COMMANDS),
    *(f"filterproof_properties.adapters.{info.module}" for info in ADAPTERS.values()),
    *(f"filterproof_properties.reports.{name}" for name in FORMATS.values()),
}
"""Where a run begins, and what is imported by its name in a table."""
PAPER = {"filterproof.tail"}
"""What the paper states besides: the claim inside the proof of its Theorem 1."""
COPIED = "filterproof_properties.cli.starter."
"""What `filterproof init` writes out, as text."""


def reached(entries: Iterable[str], texts: dict[str, str]) -> set[str]:
    """Return the modules that some import leads to, wherever it stands, or a name in quotes."""
    found: set[str] = set()
    todo = [name for name in entries if name in texts]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            named = {*imported(texts[name]), *re.findall(r"\"([\w.]+)[\":]", texts[name])}
            todo += [one for one in (*named, name.rpartition(".")[0]) if one in texts]
    return found


def unshipped() -> set[str]:
    """Return the modules that are kept out of the wheel."""
    return {module_of(ROOT / path) for path in WHEEL["exclude"]}


def test_what_is_shipped_is_reached_and_what_is_reached_is_shipped() -> None:
    found = reached(ENTRIES | PAPER, TEXTS)
    rest = {name for name in TEXTS.keys() - found if not name.startswith(COPIED)}
    assert rest == unshipped()
    assert all((ROOT / path).is_file() for path in WHEEL["exclude"])


def test_no_command_reaches_what_the_paper_states_besides() -> None:
    assert not reached(ENTRIES, TEXTS) & PAPER


def test_a_module_that_nothing_reaches_is_noticed() -> None:
    texts = {"p": "", "p.a": "def f():\n    from p import b", "p.b": 'X = "p.c:f"', "p.c": ""}
    assert reached({"p.a"}, {**texts, "p.d": "import p.a"}) == set(texts)
