"""The first look at a budget object: its calls are completed from its code and tried once.

What is missing in the words (arguments of a bare name, how the budget is handed over, what a return
value means) is read off the signatures and off two answers: to a request that fits, and to one that
does not.  Whatever is in the way is said at once, with what was called and what came back.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.budget_calls import (
    COSTS,
    EXCEPTION,
    MECHANISM,
    BudgetCalls,
    complete,
    to_table,
)
from filterproof.call_expressions import is_bare, names_in, with_arguments
from filterproof.filter import ProtocolError
from filterproof_properties.processes import isolated
from filterproof_properties.processes.child import Child, ChildFailed, Limits
from filterproof_properties.processes.sandbox import with_directories
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget import playing, services
from filterproof_properties.targets.budget.costs import opening_values
from filterproof_properties.targets.budget.loading import Parameters
from filterproof_properties.targets.budget.names import HTTP, is_service
from filterproof_properties.targets.budget.player import Answer
from filterproof_properties.targets.budget.plays import PATIENCE, STARTS, played
from filterproof_properties.targets.budget.replies import read_reply
from filterproof_properties.targets.budget.services import check_service, service_player
from filterproof_properties.targets.target import Declined, TargetError

BUDGET = Fraction(1), Fraction(1, 128)
"""The budget at which an object is tried; both numbers are doubles."""
QUARTER, MOST, WHOLE, TOO_MUCH = 0.25, 0.75, 1.0, 4.0
"""Shares of the budget that are asked for."""
LESS = (2.0**-5, 2.0**-8)
"""Shares for an object that counts otherwise than its currency, and so refuses a quarter."""
SHARING = (
    "a second object refuses what fits its own budget, once the first one has spent: they share "
    "what they remember (a class attribute, a default argument)"
)
TIMES = 3
"""So often too much is asked for: a ledger that is wrong may grant it at first."""
MOST_BYTES = 2**20
"""The longest answer that is read."""
REFUSALS = ("raised", "none", "false")
"""Kinds of answers that are a refusal where something else was returned for a grant."""
SOME_ANSWER = "result is not None and result is not False"
"""What grants where an object returns something when it grants, and nothing when it refuses."""
MAIN_COSTS = {name for names in COSTS.values() for name in names} - {"delta"}
"""A budget or a spend has one of these; delta alone is none."""
PRIMARY = {"approx": "epsilon", "pure": "epsilon", "zcdp": "rho", "rdp": "rdp", "gdp": "mu"}
HINTS = {"delta": "delta", "rho": "rho", "mu": "mu", "rdp": "rdp", "renyi": "rdp", "eps": "epsilon"}
"""A parameter whose name has this in it is given that."""
UNITS = {"micro", "micros", "milli", "millis", "nano", "nanos", "cents", "units", "bps", "percent"}
"""A parameter whose name has one of these words in it is no epsilon as it stands."""
RUNNERS = {"mechanism", "fn", "func", "function", "callback", "run", "query_fn", "thunk", "action"}
"""A parameter of one of these names is given the mechanism."""


Put = Callable[[dict[str, Any]], Any]
"""Puts a question to the object and returns its answer."""


@dataclass(frozen=True)
class Tried:
    """An object whose calls were completed and tried; `notes` is what the user should know."""

    target: str
    calls: BudgetCalls
    notes: Sequence[str] = ()


def tried(target: str, calls: BudgetCalls, limits: Limits | None = None) -> Tried:
    """Return the calls, completed and tried in a process of the object's own."""
    allowed = limits or Limits()
    try:
        if is_service(target):
            return _tried_service(target, complete(calls), allowed)
        return _tried_class(target, completed(target, calls, allowed), allowed)
    except (ProtocolError, TargetError) as error:
        raise TargetError(f"{target}: {error}") from None
    except Declined as error:
        raise TargetError(f"{target}: it rejects the budget {budget(calls)}: {error}") from None


# --- completing ---------------------------------------------------------------------------------


@contextmanager
def conversation(python: str, target: str, words: dict[str, Any], limits: Limits) -> Iterator[Put]:
    """Yield what puts questions to the object, in a process of its own that is ended afterwards."""
    described = words.get("describe", {}).get("calls", ())
    patience = max(PATIENCE, limits.timeout)
    told = json.dumps({**words, "patience": limits.timeout})
    command = isolated.python((services if is_service(target) else playing).__name__, told)
    if python:
        command = [python, "-c", STARTS, isolated.ROOTS[-1], told]
    shown = with_directories([target.rpartition(":")[0], python, *re.split("[ =:]+", target)])
    child = Child(command, limits, visible=shown)

    def put(question: dict[str, Any]) -> Any:
        try:
            child.send(json.dumps(question).encode() + b"\n", patience)
            line = child.line(patience, MOST_BYTES)
        except ChildFailed as error:
            how = child.how(1.0)
            said = " ".join(filter(None, (quoted(error, 300), how, child.noise())))
            raise ProtocolError(f"its process: {said}") from None
        return read_reply(line, question, question.get("methods", described))

    try:
        yield put
    finally:
        child.close()


def completed(target: str, calls: BudgetCalls, limits: Limits) -> BudgetCalls:
    """Return the calls with the arguments that the object's own signatures ask for."""
    names = [*calls.spend, calls.check, "" if calls.fails == EXCEPTION else calls.fails]
    methods = [text.partition("(")[0] for text in names if text]
    seen = described(calls.python, target, methods, limits)
    if None in seen["methods"].values():
        seen["methods"] |= _made_methods(target, calls, seen["open"], methods, limits)
    spend = tuple(_with_arguments(calls, text, seen["methods"]) for text in calls.spend)
    known = replace(calls, spend=spend)
    if "rdp" in map(known.kind, spend) and not known.orders:
        raise TargetError("which Renyi orders does it count? Write them: --currency rdp:2,4,8")
    check, fails = (
        _with_arguments(known, text, seen["methods"]) for text in (calls.check, calls.fails)
    )
    opens = calls.open or _opening(known, seen["open"])
    return replace(known, open=opens, check=check, fails=fails)


def described(python: str, target: str, methods: list[str], limits: Limits) -> dict[str, Any]:
    """Return the parameters of a class and its methods, read in a process of its own."""
    words = {"describe": {"target": target, "calls": methods}}
    with conversation(python, target, words, limits) as put:
        found: dict[str, Any] = put({})
    return found


def _made_methods(
    target: str,
    calls: BudgetCalls,
    parameters: Parameters | None,
    methods: list[str],
    limits: Limits,
) -> dict[str, Parameters | None]:
    """Return the parameters of the methods of an object, which is made for that."""
    opens = calls.open or _opening(complete(calls), parameters)
    words = {**to_table(replace(calls, open=opens)), "target": target}
    with conversation(calls.python, target, words, limits) as put:
        found: dict[str, Parameters | None] = put({"budget": budget(calls), "methods": methods})[
            "methods"
        ]
        return found


def _with_arguments(calls: BudgetCalls, text: str, methods: dict[str, Parameters | None]) -> str:
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
    said = {name: _meaning(calls, name) for name, *_ in parameters}
    rest = [one for one in COSTS[kind or "pure"] if one not in said.values()]
    if not kind and {*said.values()} & MAIN_COSTS:
        rest = []
    found: list[tuple[str, str]] = []
    for name, required, _, kind_of in parameters:
        value = said[name]
        if value is None and required and rest:
            value = rest.pop(0)
        if value is None and required:
            raise TargetError(_question_about(text, parameters, name))
        if value is not None and (required or value != MECHANISM):
            found.append((name, _as_declared(calls, "spend", f"{text}(", name, kind_of, value)))
    return _in_order(parameters, found)


def _question_about(text: str, parameters: Parameters, name: str) -> str:
    """Ask what a parameter is, with the call that would say so."""
    needed = [one for one, required, *_ in parameters if required]
    cost = next((one for one in needed if one != name), "epsilon")
    meant = "epsilon" if cost == "epsilon" else f"{cost}=epsilon"
    return (
        f"{text}({', '.join(needed)}): what is {name!r}? If the caller chooses it, --free "
        f"{name}=a,b; if it names a part of the data, --part {name}; else write the call, as in "
        f"--spend '{text}({meant}, {name}=...)'"
    )


def _in_order(parameters: Parameters, found: list[tuple[str, str]]) -> list[str]:
    """Return arguments by position as long as none is left out, and then by name.

    >>> names = [("cost", True, False, ""), ("note", False, False, ""), ("delta", False, False, "")]
    >>> _in_order(names, [("cost", "epsilon"), ("delta", "delta")])
    ['epsilon', 'delta=delta']
    """
    places = [name for name, _, by_name, _ in parameters if not by_name]
    by_position = [name == place for (name, _), place in zip(found, places, strict=False)]
    first = by_position.index(False) if False in by_position else len(by_position)
    return [value if n < first else f"{name}={value}" for n, (name, value) in enumerate(found)]


def _as_declared(
    calls: BudgetCalls, word: str, called: str, name: str, declared: str, value: str
) -> str:
    """Return a cost as its parameter declares it: in Decimals, or as an object of its class.

    A whole number of something is of nobody knows what: then the user is asked.
    """
    if value not in MAIN_COSTS | {"delta"} or value == "rdp":
        return value
    if declared in ("Decimal", "Fraction"):
        return f"{declared}({value})"
    if declared == "int" or {*name.lower().split("_")} & UNITS:
        rounded = "ceil" if word == "spend" else "floor"
        raise TargetError(
            f"{called}{name}) counts {value} in units of its own: say which, as in --{word} "
            f"'{called}{rounded}({value} * 1_000_000))'"
        )
    kind, bracket, fields = declared.rstrip(")").partition("(")
    meant = [one for one in map(partial(_meaning, calls), fields.split(", ")) if one]
    return f"{kind}({', '.join(meant)})" if bracket and {*meant} & MAIN_COSTS else value


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
    said = {n: None if n in calls.arguments else _meaning(calls, n) for n, *_ in parameters}
    said = {name: None if value == MECHANISM else value for name, value in said.items()}
    rest = [] if {*said.values()} & MAIN_COSTS else [primary]
    found: list[tuple[str, str]] = []
    opened: set[str] = set()
    for name, required, _, kind_of in parameters:
        value = said[name] or (rest.pop() if required and rest else None)
        if not required and value in opened:
            continue  # a counter with a default, such as spent_epsilon=0.0
        if value is None and required:
            raise TargetError(
                f"what is {name!r}, which makes the object? Write --open, as in --open "
                f"'({primary}, {name}=...)', or name a function of yours that makes it: "
                "--open 'tests.helpers:budget(epsilon)'"
            )
        if value is not None:
            opened.add(value)
            found.append((name, _as_declared(calls, "open", "(", name, kind_of, value)))
    return f"({', '.join(_in_order(parameters, found))})"


# --- trying -------------------------------------------------------------------------------------


def budget(calls: BudgetCalls) -> dict[str, Any]:
    """Return the budget at which an object is tried."""
    return dict(opening_values(calls, BUDGET))


def event(calls: BudgetCalls, share: float, call: int = 0) -> dict[str, Any]:
    """Return a request for a share of the budget; rho goes with the square of epsilon."""
    whole = budget(calls)
    names = set().union(*map(names_in, (*calls.spend, calls.check, calls.fails)))
    values = {name: share_of(name, whole[name], share) for name in names & {*whole}}
    values |= {one.name: one.values[0] for one in calls.chosen}
    values |= {calls.part: "a"} if calls.part else {}
    return {"call": call, "values": values}


def share_of(name: str, whole: Any, share: float) -> Any:
    """Return a share of one number of a budget; rho goes with the square of epsilon."""
    if name == "rdp":
        return [max(one, 2.0**-20) * share for one in whole]
    return whole * (share**2 if name == "rho" else min(share, 1.0) if name == "delta" else share)


def _tried_class(target: str, calls: BudgetCalls, limits: Limits) -> Tried:
    """Try the calls of a class in a process of its own."""
    words = {**words_of(target, calls), "instances": 2}
    with conversation(calls.python, target, words, limits) as put:
        calls, notes = interpreted(calls, put)
        return Tried(target, calls, [*notes, *_sharing(calls, put)])


def _tried_service(target: str, calls: BudgetCalls, limits: Limits) -> Tried:
    """Try the calls of a service: of a program in a process of its own, as in an audit."""
    check_service(target, calls)
    if target.startswith(HTTP):
        player = service_player(target, calls, trial=True, patience=limits.timeout)
        calls, notes = interpreted(calls, lambda question: played(player, question))
    else:
        with conversation("", target, words_of(target, calls), limits) as put:
            calls, notes = interpreted(calls, put)
    by_status = calls.granted == SOME_ANSWER
    return Tried(target, replace(calls, granted="") if by_status else calls, notes)


def words_of(target: str, calls: BudgetCalls) -> dict[str, Any]:
    """Return the table that a player reads, of calls that are tried."""
    return {**to_table(calls), "target": target, "trial": True}


def interpreted(calls: BudgetCalls, put: Put) -> tuple[BudgetCalls, list[str]]:
    """Ask for what fits and for too much, call by call, and conclude what the answers mean."""
    notes: list[str] = []
    for number in range(len(calls.spend)):
        calls, said = _conclude(calls, *_two_answers(calls, number, put))
        notes += said
    return calls, notes


def _two_answers(calls: BudgetCalls, number: int, put: Put) -> tuple[Answer, Answer]:
    """Return the answers to what fits and, some times in a row, to what does not: the last.

    What fits is a quarter of the budget, or less where that is refused.
    """
    first = _answers_after(calls, number, put, QUARTER)
    for share in () if first[0].granted else LESS:
        if (found := _answers_after(calls, number, put, share))[0].granted:
            return found
    return first


def _answers_after(
    calls: BudgetCalls, number: int, put: Put, share: float
) -> tuple[Answer, Answer]:
    """Return the answers to a share of the budget, and to too much after it."""
    fits, more = (event(calls, one, number) for one in (share, TOO_MUCH))
    counts = calls.kind(calls.spend[number]) == "count"
    events = [fits, *([fits] * calls.count if counts else [more] * TIMES)]
    found = [Answer(*one) for one in put({"budget": budget(calls), "events": events})["answers"]]
    return found[0], next((one for one in found[1:] if one.kind in REFUSALS), found[-1])


def _sharing(calls: BudgetCalls, put: Put) -> list[str]:
    """Say so if a second object refuses what fits, after the first one has spent its own."""
    if calls.kind(calls.spend[0]) == "count":
        return []
    one = event(calls, MOST)
    events = [one, {**one, "instance": 1}]
    found = [Answer(*each) for each in put({"budget": budget(calls), "events": events})["answers"]]
    return [SHARING] if found[0].granted and not found[1].granted else []


def _conclude(calls: BudgetCalls, fits: Answer, more: Answer) -> tuple[BudgetCalls, list[str]]:
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
    if more.granted and not (calls.granted == SOME_ANSWER and more.kind in REFUSALS):
        return calls, [f"it grants four times its budget, {TIMES} times: {more.shown}"]
    return calls, []
