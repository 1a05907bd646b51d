"""Completes the calls of a budget object from its own code: what is missing is read off signatures.

An argument of a bare name, and how the budget is handed over, are known by the names and types of
parameters; where these do not say enough, the user is asked.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.budget_calls import (
    COSTS,
    EXCEPTION,
    MECHANISM,
    MODULE,
    RESULT,
    BudgetCalls,
    complete,
    to_table,
)
from filterproof.call_expressions import is_bare, with_arguments
from filterproof.http_routes import IDENTITY
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.conversation import conversation
from filterproof_properties.targets.budget.costs import opening_values
from filterproof_properties.targets.budget.loading import Parameters
from filterproof_properties.targets.target import TargetError

BUDGET = Fraction(1), Fraction(1, 128)
"""The budget at which an object is tried; both numbers are doubles."""
MAIN_COSTS = {name for names in COSTS.values() for name in names} - {"delta"}
"""A budget or a spend has one of these; delta alone is none."""
PRIMARY = {"approx": "epsilon", "pure": "epsilon", "zcdp": "rho", "rdp": "rdp", "gdp": "mu"}
HINTS = {"delta": "delta", "rho": "rho", "mu": "mu", "rdp": "rdp", "renyi": "rdp", "eps": "epsilon"}
"""A parameter whose name has this in it is given that."""
UNITS = {"micro", "micros", "milli", "millis", "nano", "nanos", "cents", "units", "bps", "percent"}
"""A parameter whose name has one of these words in it is no epsilon as it stands."""
RUNNERS = {"mechanism", "fn", "func", "function", "callback", "run", "query_fn", "thunk", "action"}
"""A parameter of one of these names is given the mechanism."""
HANDLES = {"id", "handle", "key", "account", "budget", "ledger", "session", "uid"}
"""A parameter of a function whose name has one of these words in it is given the object."""
TICKETS = {"ticket", "reservation", "receipt", "token", "lease", "hold", "handle", "grant", "id"}
"""A parameter whose name has one of these words is given what the call before has returned."""


def budget(calls: BudgetCalls) -> dict[str, Any]:
    """Return the budget at which an object is tried."""
    return dict(opening_values(calls, BUDGET))


def located(target: str, calls: BudgetCalls) -> tuple[str, BudgetCalls]:
    """Return the target and its calls, `--open NAME(...)` being a name of the target's module.

    >>> located("bank.py", BudgetCalls(("spend",), "account(epsilon)"))[0]
    'bank.py:account'
    >>> located("bank.py:Bank", BudgetCalls(("spend",), "Bank.instance()"))[1].open
    'bank.py:Bank.instance()'
    """
    factory, _, arguments = calls.open.partition("(")
    where, _, name = target.rpartition(":")
    if not factory or ":" in factory:
        return target, calls
    if not where:
        return f"{name}:{factory}", replace(calls, open=f"({arguments}")
    return target, replace(calls, open=f"{where}:{calls.open}")


def completed(target: str, calls: BudgetCalls, limits: Limits) -> BudgetCalls:
    """Return the calls with the arguments that the object's own signatures ask for."""
    names = [*calls.spend, calls.check, "" if calls.fails == EXCEPTION else calls.fails]
    methods = [text.partition("(")[0] for text in names if text]
    seen = described(target, calls, methods, limits)
    if None in seen["methods"].values():
        seen |= _made_methods(target, calls, seen["open"], methods, limits)
        calls = _of_module(calls, seen)
    spend = tuple(_with_arguments(calls, text, seen["methods"]) for text in calls.spend)
    known = replace(calls, spend=spend)
    if "rdp" in map(known.kind, spend) and not known.orders:
        raise TargetError("which Renyi orders does it count? Write them: --currency rdp:2,4,8")
    check, fails = (
        _with_arguments(known, text, seen["methods"]) for text in (calls.check, calls.fails)
    )
    known = replace(known, check=check, fails=fails)
    opens = calls.open or _opening(known, seen["open"])
    return _counted(replace(known, open=opens))


def _counted(calls: BudgetCalls) -> BudgetCalls:
    """Return the calls; raise where requests are counted, and nobody knows how many there are."""
    counts_only = {*map(calls.kind, calls.spend)} == {"count"} and calls.currency in ("", "count")
    if counts_only and "count" not in calls.opened_with:
        raise TargetError("how many requests does it grant? Write it: --currency count:5")
    return calls


def described(
    target: str, calls: BudgetCalls, methods: list[str], limits: Limits
) -> dict[str, Any]:
    """Return the parameters of a class and its methods, read in a process of its own."""
    makes = not calls.open.partition("(")[0] and calls.open != "()"
    words = {"describe": {"target": target, "calls": methods, "makes": makes}}
    with conversation(calls.python, target, words, limits) as put:
        found: dict[str, Any] = put({})
    return found


def _made_methods(
    target: str,
    calls: BudgetCalls,
    parameters: Parameters | None,
    methods: list[str],
    limits: Limits,
) -> dict[str, Any]:
    """Return what is known of the methods of an object, which is made for that."""
    opens = calls.open or _opening(complete(calls), parameters)
    words = {**to_table(replace(calls, open=opens)), "target": target}
    with conversation(calls.python, target, words, limits) as put:
        found: dict[str, Any] = put({"budget": budget(calls), "methods": methods})
    return found


def _of_module(calls: BudgetCalls, seen: dict[str, Any]) -> BudgetCalls:
    """Return the calls, those of functions of the module named as such.

    What was seen of these is known by that name, too; one parameter is for the object itself.
    """
    functions = {name: _prefixed(name) for name in seen["functions"]}

    def written(text: str) -> str:
        return _prefixed(text) if text.partition("(")[0] in functions else text

    for name, full in functions.items():
        known = seen["methods"][name]
        seen["methods"][full] = _with_handle(known) if known and seen["handle"] else known
    spend = tuple(map(written, calls.spend))
    return replace(calls, spend=spend, check=written(calls.check), fails=written(calls.fails))


def _prefixed(text: str) -> str:
    return f"{MODULE}.{text.removeprefix(f'{MODULE}.')}"


def _with_handle(parameters: Parameters) -> Parameters:
    """Return parameters of a function, one of them for the object: by its name, or the first."""
    names = [name for name, required, *_ in parameters if required]
    meant = (name for name in names if {*name.lower().split("_")} & HANDLES)
    handle = next(meant, names[0] if len(names) > 1 else "")
    return [
        (name, required, by_name, IDENTITY if name == handle else of)
        for name, required, by_name, of in parameters
    ]


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
    said |= {name: _no_cost(calls, text, name, of) or said[name] for name, *_, of in parameters}
    rest = [one for one in COSTS[kind or "pure"] if one not in said.values()]
    if not kind and {*said.values()} & MAIN_COSTS:
        rest = []
    found: list[tuple[str, str]] = []
    for name, required, _, kind_of in parameters:
        value = said[name]
        if value is None and required and rest:
            value = rest.pop(0)
        if value is None and required:
            unknown = [one for one, needed, *_ in parameters if needed and said[one] is None]
            raise TargetError(_question_about(text, parameters, *unknown))
        if value is not None and (required or value != MECHANISM):
            found.append((name, _as_declared(calls, "spend", f"{text}(", name, kind_of, value)))
    return _in_order(parameters, found)


def _no_cost(calls: BudgetCalls, text: str, name: str, declared: str) -> str | None:
    """Return what a parameter is given that is no cost: the object, or what came back before."""
    if name in calls.arguments:
        return None
    if declared == IDENTITY:
        return IDENTITY
    follows = text == calls.fails or (text in calls.spend and calls.check)
    return RESULT if follows and {*name.lower().split("_")} & TICKETS else None


def _question_about(text: str, parameters: Parameters, name: str, *more: str) -> str:
    """Ask what a parameter is, or which is the cost, with the call that would say so."""
    needed = [one for one, required, *_ in parameters if required]
    asked = f"{text}({', '.join(needed)}): "
    if more:
        call = ", ".join(f"{one}=..." for one in (name, *more[:-1]))
        said = f"is {' or '.join(map(repr, (name, *more)))} the cost? Say so in the call, as in "
        return f"{asked}{said}--spend '{text}({call}, {more[-1]}=epsilon)'"
    cost = next((f"{one}=epsilon" for one in needed if one != name), "epsilon")
    return (
        f"{asked}what is {name!r}? If the caller chooses it, --free {name}=a,b; if it names a part "
        f"of the data, --part {name}; else write the call: --spend '{text}({cost}, {name}=...)'"
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
