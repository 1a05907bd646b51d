"""A scripted list of calls on an ordinary budget object, in a process of its own."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from filterproof.budget_calls import BudgetCalls, complete, to_table
from filterproof_properties.targets.budget.player import Answer
from filterproof_properties.targets.budget.plays import asked, started


def run_calls(
    target: str,
    calls: BudgetCalls,
    budget: Mapping[str, Any],
    costs: Sequence[Mapping[str, Any]],
) -> list[Answer]:
    """Make a fresh object for a budget, ask it for one cost after the other, return its answers.

    `budget` and `costs` give values to the names that the calls use; a cost with `failed` true is
    that of a mechanism that fails.  What the object does wrong raises `ProtocolError`, a budget
    that it rejects raises `Declined`.
    """
    words = {**to_table(complete(calls)), "target": target}
    with started(calls.python or sys.executable, words) as process:
        events = [_event(one) for one in costs]
        found = asked(process, {"budget": dict(budget), "events": events})
        assert process.stdin is not None
        process.stdin.close()
    return [Answer(*one) for one in found["answers"]]


def _event(cost: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: value for name, value in cost.items() if name not in ("failed", "call")}
    return {"values": values, "failed": cost.get("failed", False), "call": cost.get("call", 0)}
