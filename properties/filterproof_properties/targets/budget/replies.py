"""Replies of a budget object's own process, checked: its code may have written them itself."""

import json
from collections.abc import Iterable
from typing import Any

from filterproof.filter import ProtocolError
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.plays import outcome


def read_reply(line: bytes, question: dict[str, Any], methods: Iterable[str]) -> dict[str, Any]:
    """Return what a process has found, or raise what it says is wrong; it may say anything.

    It was asked the question, or what these methods' parameters are.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not _fits(found, question, methods):
        raise ProtocolError(f"no reply to a question: {quoted(line.decode(errors='replace'), 120)}")
    return outcome(found)


def _fits(found: dict[str, Any], question: dict[str, Any], methods: Iterable[str]) -> bool:
    for what in ("fault", "declined"):
        if what in found:
            return isinstance(found[what], str)
    if "events" in question:
        return _are_answers(found.get("answers"), len(question["events"]))
    told: Any = found.get("methods")
    if not isinstance(told, dict) or {*told} != {*methods}:
        return False
    functions, handle = found.get("functions", []), found.get("handle", False)
    if not isinstance(functions, list) or not all(one in [*methods] for one in functions):
        return False
    if type(handle) is not bool:
        return False
    return all(map(_are_parameters, (*told.values(), found.get("open"))))


def _are_answers(found: Any, count: int) -> bool:
    return isinstance(found, list) and len(found) == count and all(map(_is_answer, found))


def _is_answer(one: Any) -> bool:
    return isinstance(one, list) and [*map(type, one)] == [bool, str, str]


def _are_parameters(found: Any) -> bool:
    """Whether these are `loading.Parameters`, or nothing is known."""
    if found is None:
        return True
    return isinstance(found, list) and all(
        isinstance(one, list) and [*map(type, one)] == [str, bool, bool, str] for one in found
    )
