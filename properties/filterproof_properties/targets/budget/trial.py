"""The first look at a budget object: its calls are completed from its code and tried once.

What is missing in the words (arguments of a bare name, how the budget is handed over, what a return
value means) is read off the signatures and off two answers: to a request that fits, and to one that
does not.  Whatever is in the way is said at once, with what was called and what came back.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from filterproof.budget_calls import (
    COSTS,
    EXCEPTION,
    MECHANISM,
    BudgetCalls,
    to_table,
)
from filterproof.call_expressions import is_bare, names_in, with_arguments
from filterproof.filter import ProtocolError
from filterproof_properties.targets.budget.costs import opening_values
from filterproof_properties.targets.budget.loading import Parameters
from filterproof_properties.targets.budget.player import Answer
from filterproof_properties.targets.budget.plays import asked, started
from filterproof_properties.targets.target import Declined, TargetError

BUDGET = Fraction(1), Fraction(1, 128)
"""The budget at which an object is tried; both numbers are doubles."""
QUARTER, WHOLE, TOO_MUCH = 0.25, 1.0, 4.0
"""Shares of the budget that are asked for."""
TIMES = 3
"""So often too much is asked for: a ledger that is wrong may grant it at first."""
REFUSALS = ("raised", "none", "false")
"""Kinds of answers that are a refusal where something else was returned for a grant."""
SOME_ANSWER = "result is not None and result is not False"
"""What grants where an object returns something when it grants, and nothing when it refuses."""
PRIMARY = {"approx": "epsilon", "pure": "epsilon", "zcdp": "rho", "rdp": "rdp", "gdp": "mu"}
HINTS = {"delta": "delta", "rho": "rho", "mu": "mu", "rdp": "rdp", "renyi": "rdp", "eps": "epsilon"}
"""A parameter whose name has this in it is given that."""
RUNNERS = {"mechanism", "fn", "func", "function", "callback", "run", "query_fn", "thunk", "action"}
"""A parameter of one of these names is given the mechanism."""


@dataclass(frozen=True)
class Tried:
    """An object whose calls were completed and tried; `notes` is what the user should know."""

    target: str
    calls: BudgetCalls
    notes: tuple[str, ...] = ()


def tried(target: str, calls: BudgetCalls) -> Tried:
    """Return the calls, completed and tried in a process of the object's own."""
    try:
        whole = completed(target, calls)
        return _tried(target, whole)
    except ProtocolError as error:
        raise TargetError(f"{target}: {error}") from None
    except Declined as error:
        raise TargetError(f"{target}: it rejects the budget {budget(calls)}: {error}") from None


# --- completing ---------------------------------------------------------------------------------


def completed(target: str, calls: BudgetCalls) -> BudgetCalls:
    """Return the calls with the arguments that the object's own signatures ask for."""
    names = [*calls.spend, calls.check, "" if calls.fails == EXCEPTION else calls.fails]
    methods = [text.partition("(")[0] for text in names if text]
    seen = described(calls.python, target, methods)
    spend = tuple(_filled(calls, text, seen["methods"]) for text in calls.spend)
    known = replace(calls, spend=spend)
    check, fails = (_filled(known, text, seen["methods"]) for text in (calls.check, calls.fails))
    opens = calls.open or _opening(known, seen["open"])
    return replace(known, open=opens, check=check, fails=fails)


def described(python: str, target: str, methods: list[str]) -> dict[str, Any]:
    """Return the parameters of a class and its methods, read in a process of its own."""
    process = started(python or sys.executable, {"describe": {"target": target, "calls": methods}})
    with process:
        found: dict[str, Any] = asked(process, {})
        process.stdin and process.stdin.close()
    return found


def _filled(calls: BudgetCalls, text: str, methods: dict[str, Parameters | None]) -> str:
    """Return a call with the arguments that its parameters ask for, if it is a bare name."""
    if not text or text == EXCEPTION or not is_bare(text):
        return text
    kind = calls.currency.partition(":")[0]
    parameters = methods[text]
    if parameters is None:
        return with_arguments(text, COSTS[kind or "approx"])
    return f"{text}({', '.join(_arguments(calls, text, parameters, kind))})"


def _arguments(calls: BudgetCalls, text: str, parameters: Parameters, kind: str) -> list[str]:
    """Return the arguments of a method: costs by name, then the currency's in their order."""
    rest = [*COSTS[kind]] if kind else ["epsilon"]
    found: list[tuple[str, str]] = []
    for name, required in parameters:
        value = _meaning(calls, name)
        if value is None and required and rest:
            value = rest[0]
        if value is None and required:
            shown = ", ".join(one for one, needed in parameters if needed)
            raise TargetError(
                f"{text}({shown}): what is {name!r}? Write the call, as in "
                f"--spend '{text}(epsilon, {name}={name})' --free {name}=a,b"
            )
        if value is not None and (required or value != MECHANISM):
            rest = [one for one in rest if one != value]
            found.append((name, value))
    return _in_order(parameters, found)


def _in_order(parameters: Parameters, found: list[tuple[str, str]]) -> list[str]:
    """Return arguments by position as long as none is left out, and then by name.

    >>> _in_order([("cost", True), ("note", False), ("delta", False)],
    ...           [("cost", "epsilon"), ("delta", "delta")])
    ['epsilon', 'delta=delta']
    """
    places = [name for name, _ in parameters]
    by_position = [name == place for (name, _), place in zip(found, places, strict=False)]
    first = by_position.index(False) if False in by_position else len(found)
    return [value if n < first else f"{name}={value}" for n, (name, value) in enumerate(found)]


def _meaning(calls: BudgetCalls, name: str) -> str | None:
    """Return what a parameter is given by its name; None if that does not say."""
    if name in calls.arguments:
        return name
    if name.lower() in RUNNERS:
        return MECHANISM
    words = name.lower().split("_")
    hints = (cost for hint, cost in HINTS.items() if any(word.startswith(hint) for word in words))
    return next(hints, None)


def _opening(calls: BudgetCalls, parameters: Parameters | None) -> str:
    """Return the arguments that make the object, by the names of its parameters."""
    kind = calls.kind(calls.spend[0])
    primary = PRIMARY.get(kind, "count")
    if parameters is None:
        return f"({', '.join(COSTS[kind]) or 'count'})"
    found: list[tuple[str, str]] = []
    for name, required in parameters:
        value = None if name in calls.arguments else _meaning(calls, name)
        value = value or (primary if required and not found else None)
        if value is None and required:
            raise TargetError(
                f"what is {name!r}, which makes the object? Write --open, as in --open "
                f"'({primary}, {name}=...)', or name a function of yours that makes it: "
                "--open 'tests.helpers:budget(epsilon)'"
            )
        if value is not None:
            found.append((name, value))
    return f"({', '.join(_in_order(parameters, found))})"


# --- trying -------------------------------------------------------------------------------------


def budget(calls: BudgetCalls) -> dict[str, Any]:
    """Return the budget at which an object is tried."""
    return dict(opening_values(calls, BUDGET))


def event(calls: BudgetCalls, share: float, call: int = 0) -> dict[str, Any]:
    """Return a request for a share of the budget; rho goes with the square of epsilon."""
    whole = budget(calls)
    names = set().union(*map(names_in, (*calls.spend, calls.check, calls.fails)))
    values = {name: _share(name, whole[name], share) for name in names & {*whole}}
    values |= {one.name: one.values[0] for one in calls.chosen}
    values |= {calls.part: "a"} if calls.part else {}
    return {"call": call, "values": values}


def _share(name: str, whole: Any, share: float) -> Any:
    if name == "rdp":
        return [max(one, 2.0**-20) * share for one in whole]
    return whole * (share**2 if name == "rho" else min(share, 1.0) if name == "delta" else share)


def _tried(target: str, calls: BudgetCalls) -> Tried:
    """Ask for what fits and for too much, call by call, and conclude what the answers mean."""
    words = {**to_table(calls), "target": target, "trial": True}
    notes: list[str] = []
    with started(calls.python or sys.executable, words) as process:
        for number in range(len(calls.spend)):
            answers = _two_answers(calls, number, lambda question: asked(process, question))
            calls, said = _concluded(calls, *answers)
            notes += said
        process.stdin and process.stdin.close()
    return Tried(target, calls, tuple(notes))


def _two_answers(
    calls: BudgetCalls, number: int, put: Callable[[dict[str, Any]], Any]
) -> tuple[Answer, Answer]:
    """Return the answers to what fits and, some times in a row, to what does not: the last."""
    fits, more = (event(calls, share, number) for share in (QUARTER, TOO_MUCH))
    counts = calls.kind(calls.spend[number]) == "count"
    events = [fits, *([fits] * calls.count if counts else [more] * TIMES)]
    found = [Answer(*one) for one in put({"budget": budget(calls), "events": events})["answers"]]
    return found[0], next((one for one in found[1:] if one.kind in REFUSALS), found[-1])


def _concluded(calls: BudgetCalls, fits: Answer, more: Answer) -> tuple[BudgetCalls, list[str]]:
    """Return the calls with what the two answers mean; raise where they mean nothing."""
    if not fits.granted:
        raise TargetError(f"it refuses a quarter of its budget: {fits.shown}")
    if fits.kind == "ran" and not calls.fails:
        calls = replace(calls, fails=EXCEPTION)
    if fits.kind == "other" and not calls.granted:
        if more.kind not in REFUSALS:
            raise TargetError(
                f"cannot tell a grant from a refusal: {fits.shown}, which fits, and {more.shown}, "
                'which does not: say what grants, as in --granted "result.ok"'
            )
        calls = replace(calls, granted=SOME_ANSWER)
    elif more.kind == "other" and not calls.granted:
        raise TargetError(
            f"cannot tell a grant from a refusal: {fits.shown}, then {more.shown}: say what "
            'grants, as in --granted "result.ok"'
        )
    if more.granted:
        return calls, [f"it grants four times its budget, {TIMES} times: {more.shown}"]
    return calls, []
