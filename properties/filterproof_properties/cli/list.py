"""`filterproof list`: what can be audited by name."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from filterproof_proofs.coq_theorems import standing
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.adapters.entry_points import GROUP, published_targets
from filterproof_properties.reports.columns import GAP, columns, screen_width, stack
from filterproof_properties.targets.loading import BUILT_INS

EPILOG = """\
example:
  filterproof list"""

WIDTHS = (27, 17, 22, 28)
"""Of four columns: with the gaps between them they are 100 characters."""


def add(made: argparse.ArgumentParser) -> None:
    """Declare no options: it has none."""


def run(options: argparse.Namespace) -> int:
    """Print the built-in filters, then the adapters."""
    sys.stdout.write(f"{table(filters())}\n{table(adapters())}")
    return 0


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows in columns, or below each other where the screen is narrower."""
    needed = sum(WIDTHS) + len(GAP) * (len(WIDTHS) - 1)
    width = screen_width(needed)
    return columns(WIDTHS, rows) if width >= needed else stack(width, rows)


def filters() -> Iterator[tuple[str, ...]]:
    """Yield every built-in filter: its source, and its theorem in Coq or what breaks it."""
    yield "built-in filter", "family", "source", "keeps its promise?"
    for one in BUILT_INS:
        says = f"yes: {standing(one.name)}" if one.sound else f"no: {one.why}"
        yield one.name, one.family, one.source, says


def adapters() -> Iterator[tuple[str, ...]]:
    """Yield every adapter with the extra that installs its library."""
    yield "adapter", "kind", "needs", "what the library promises"
    for one in ADAPTERS.values():
        yield one.name, one.kind, f"filterproof[{one.extra}]", one.promise
    for name, value in published_targets().items():
        yield name, "published", value, f"entry point of the group {GROUP}"
