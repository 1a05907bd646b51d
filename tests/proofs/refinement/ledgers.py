"""The ledgers of corpus/ledgers: where each is, how it is asked, and the verdict that is right."""

import importlib.util
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from pathlib import Path
from typing import Any

from filterproof.budget_calls import BudgetCalls, complete, read_words
from filterproof_proofs.refinement import Play

CORPUS = Path(__file__).parents[3] / "corpus" / "ledgers"
MARK = re.compile(r"^# (PROVED|REFUTED|OPEN) (.*)\n(?:@.*\n)*class (\w+)", re.MULTILINE)
HELPERS = {"Fraction": Fraction, "Decimal": Decimal, "ceil": ceil, "floor": floor}


@dataclass(frozen=True)
class Ledger:
    """One class of the corpus."""

    path: Path
    name: str
    calls: BudgetCalls
    verdict: str


def ledgers() -> list[Ledger]:
    """Return every ledger, by the comments above the classes."""
    return [
        Ledger(path, name, read_words(words), verdict)
        for path in sorted(CORPUS.glob("*.py"))
        for verdict, words, name in MARK.findall(path.read_text())
    ]


def ledger(name: str) -> Ledger:
    """Return the ledger of this name."""
    return next(one for one in ledgers() if one.name == name)


@lru_cache
def module(path: Path) -> Any:
    """Return a file of the corpus as Python imports it."""
    spec = importlib.util.spec_from_file_location(f"ledgers_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def played_again(one: Ledger, play: Play) -> list[bool]:
    """Return what the ordinary object answers to the calls of a run."""
    calls = complete(one.calls)
    made = getattr(module(one.path), one.name)
    opened = f"target({calls.open.partition('(')[2]}"
    objects = [
        eval(opened, {**HELPERS, **play.budget, "target": made}) for _ in range(calls.instances)
    ]
    return [_runs(calls, objects[call.choice.place], call) for call in play.calls]


def _runs(calls: BudgetCalls, it: Any, call: Any) -> bool:
    values = {**call.costs, **dict(call.choice.arguments)}
    if calls.check and not _grants(calls, it, calls.check, values):
        return False
    granted = _grants(calls, it, calls.spend[call.choice.call], values)
    if granted and call.choice.fails:
        _grants(calls, it, calls.fails, values)
    return calls.between or granted


def _grants(calls: BudgetCalls, it: Any, text: str, values: dict[str, Any]) -> bool:
    try:
        result = eval(f"it.{text}", {**HELPERS, **values, "it": it})
    except Exception:
        return False
    return bool(eval(calls.granted, {"result": result})) if calls.granted else result is not False
