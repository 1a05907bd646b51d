"""Filters with one line changed: text in, another text out, and the filter that comes of it."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from filterproof.filter import ProtocolError
from filterproof_proofs.symbolic import Effort, NoPotential, Verdict, prove

ROOT = Path(__file__).parents[3]
FILTERS = ROOT / "reference/filterproof/filters"


def changed(file: str, *changes: tuple[str, str]) -> ModuleType:
    """The module of a filter after the changes; every text that is to be changed must be there."""
    source = (FILTERS / file).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in source, f"{file} has no {old!r}"
        source = source.replace(old, new, 1)
    name = f"filterproof_wrong_{file.removesuffix('.py')}"
    module = ModuleType(name)
    sys.modules[name] = module  # data classes look their module up
    exec(compile(source, file, "exec"), vars(module))
    return module


def said(target: Callable[..., Any], outputs: int = 2, seconds: float = 120) -> str:
    """REFUTED, OPEN, PROVED, or why the code cannot run on unknown numbers."""
    try:
        effort = Effort(outputs=outputs, seconds=seconds, second_opinion=False)
        return str(prove(target, effort).verdict)
    except (ProtocolError, NoPotential) as error:
        return str(error)


PROVED = str(Verdict.PROVED)
