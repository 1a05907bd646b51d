"""Anybody's budget object, by the words for its calls: how it is made, asked and spent from.

The words, and what is made of the object's answers, are those of an audit (`targets.budget`).
`python -m filterproof_properties.failopen.named JSON ROW ...` is the process in which it runs.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from filterproof.budget_calls import COSTS, BudgetCalls, from_table, to_table
from filterproof.filter import ProtocolError
from filterproof_properties.failopen.desk import DELTA, EPSILON, ONE, PAIRS, Desk, Seen
from filterproof_properties.failopen.probes import NAMED_ROWS
from filterproof_properties.failopen.table import Column, cell, column, work
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.sandbox import with_directories
from filterproof_properties.targets.budget.completing import PRIMARY
from filterproof_properties.targets.budget.conversation import Put, conversation
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.named import how_to_repeat
from filterproof_properties.targets.budget.names import HTTP, is_service
from filterproof_properties.targets.budget.player import Answer, Player
from filterproof_properties.targets.budget.playing import answer_to_odd
from filterproof_properties.targets.budget.plays import REPLAY, Live, Plays, aside
from filterproof_properties.targets.budget.services import service_player
from filterproof_properties.targets.target import Declined, TargetError

ADDS_UP = ("approx", "pure", "zcdp", "rdp")
"""The currencies in which a whole budget is the sum of its parts."""
HALVINGS = 60
"""How often the largest spend that fits is bracketed: to the last bits of a double."""

Number = float
Pair = tuple[float, float]
Values = dict[str, Any]


@dataclass(frozen=True)
class Terms:
    """What the numbers of an odd input stand for in the words of one call of an object."""

    calls: BudgetCalls

    @property
    def kind(self) -> str:
        """The currency of the call."""
        return self.calls.kind(self.calls.spend[0])

    @property
    def primary(self) -> str:
        """The name of its main cost."""
        return PRIMARY.get(self.kind, "count")

    @property
    def is_direct(self) -> bool:
        """Whether the object is opened with what the call counts."""
        return self.primary in self.calls.opened_with

    def budget(self, number: Number, delta: Number = DELTA) -> Values:
        """Return a whole budget under every name that the object may be opened with."""
        if self.kind == "count":
            return {"count": number}
        names = {"epsilon": number, "delta": delta, "rho": number, "mu": number}
        return {**names, "orders": self._orders, "rdp": [number] * len(self._orders)}

    def event(self, pair: Pair, *, failed: bool = False) -> dict[str, Any]:
        """Return the request for a spend; what the caller chooses is the first of its values."""
        rdp = [pair[0]] * len(self._orders)
        values = {"epsilon": pair[0], "delta": pair[1], "rho": pair[0], "mu": pair[0], "rdp": rdp}
        costs = {name: values[name] for name in COSTS[self.kind]}
        chosen = {one.name: one.values[0] for one in self.calls.chosen}
        part = {self.calls.part: "a"} if self.calls.part else {}
        return {"values": {**costs, **chosen, **part}, "failed": failed, "odd": True}

    @property
    def odd(self) -> Mapping[str, Pair]:
        """The odd inputs that there are in this currency."""
        if self.kind == "count":
            return {}
        has_delta = "delta" in COSTS[self.kind]
        return {row: pair for row, pair in PAIRS.items() if has_delta or "delta" not in row}

    @property
    def _orders(self) -> list[float]:
        return [float(order) for order in self.calls.orders]


# --- desks --------------------------------------------------------------------------------------


def desk(words: Mapping[str, Any], patience: float = Limits.timeout) -> Desk:
    """Return the desk at which an object of this process is asked; its code is loaded here."""
    target = words["target"]
    calls = from_table({name: value for name, value in words.items() if name != "target"})
    try:
        if is_service(target):
            player = service_player(target, calls, patience=patience)
        else:
            player = Player({**words})
    except Fault as error:
        raise TargetError(str(error)) from None
    plays = Plays(player, (), _how(player, target, calls))
    made = _desk(Terms(calls), lambda budget: _open_objects(plays, budget), _answer)
    return replace(made, threads=not is_service(target) and player.loop is None)


def _how(player: Player, target: str, calls: BudgetCalls) -> str:
    """Return how fresh objects are had; what is wrong with an object is told by its rows."""
    if is_service(target):
        return REPLAY
    try:
        found: str = aside(lambda: how_to_repeat(player, calls))
    except (ProtocolError, Declined):
        return REPLAY
    return found


def _open_objects(plays: Plays, budget: Values) -> Live:
    """Return fresh objects for a budget, or raise what the class raises."""
    try:
        return replace(plays, budget=tuple(budget.items())).opened()
    except Fault as fault:
        raise (fault.__context__ or fault) from None


def _answer(it: Live, event: dict[str, Any]) -> Answer:
    try:
        return answer_to_odd(it.player, it.objects, event)
    except Fault as error:
        raise TargetError(str(error)) from None


def remote_desk(calls: BudgetCalls, put: Put) -> Desk:
    """Return the desk of an object under another interpreter: all of its past is played again."""

    def opened(budget: Values) -> dict[str, Any]:
        put({"budget": budget, "events": []})
        return {"budget": budget, "events": []}

    def answer(it: Any, event: dict[str, Any]) -> Answer:
        it["events"].append(event)
        try:
            return Answer(*put(it)["answers"][-1])
        except (ProtocolError, Declined) as error:
            raise TargetError(str(error)) from None

    return replace(_desk(Terms(calls), opened, answer), threads=False)


def _desk(
    terms: Terms,
    opened: Callable[[Values], Any],
    answer: Callable[[Any, dict[str, Any]], Answer],
) -> Desk:
    """Return a desk whose unit is all that a budget of one fits, tried once."""

    def ask(it: Any, pair: Pair) -> bool | str:
        found = answer(it, terms.event(pair))
        return found.shown if found.kind == "fault" else found.granted

    def fail(it: Any) -> bool | str:
        found = answer(it, terms.event(made.unit, failed=True))
        if found.granted:
            raise RuntimeError("the mechanism fails after touching the data")
        return found.shown if found.kind == "fault" else False

    def fresh(number: Number, delta: Number = DELTA) -> Any:
        return opened(terms.budget(number, delta))

    sums = terms.is_direct and terms.kind in ADDS_UP
    made = Desk(fresh, ask, ONE, terms.odd, "", fail, pairs=sums, has_delta=terms.kind == "approx")
    made = with_unit(terms, made)
    return made


def with_unit(terms: Terms, made: Desk) -> Desk:
    """Return the desk with the unit that is all of a budget of one, found where it is not one.

    Raise unless it is granted, and one more refused as was announced.
    """
    if not terms.is_direct or _first(made, ONE) is not True:
        made = replace(made, unit=(_largest(made), 0.0), pairs=False)
    it = _open_with(made)
    for _ in range(2):
        said = made.ask(it, made.unit)
        if isinstance(said, str):
            raise TargetError(f"a unit too many raises {said}; a refusal is {terms.calls.refusal}")
    return made


def _open_with(made: Desk) -> Any:
    try:
        return made.open(EPSILON)
    except (Exception, SystemExit) as error:
        raise TargetError(f"it cannot be made: {type(error).__name__}: {error}") from None


def _first(made: Desk, pair: Pair) -> bool | str:
    return made.ask(_open_with(made), pair)


def _largest(made: Desk) -> float:
    """Return the largest spend that a fresh object grants."""
    low, high = 0.0, 16.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _first(made, (middle, 0.0)) is True else (low, middle)
    if low < 2.0**-20:
        raise TargetError(f"it grants no spend of a fresh budget: {_first(made, ONE)}")
    return low


# --- the table ----------------------------------------------------------------------------------


def observe(
    target: str, calls: BudgetCalls, limits: Limits, rows: Sequence[str] | None = None
) -> Column:
    """Return what the object does with odd input, all or some: for all calls that spend from it."""
    rows = (*NAMED_ROWS,) if rows is None else rows
    found = {
        call: _column_of(target, replace(calls, spend=(call,)), limits, rows)
        for call in calls.spend
    }
    if len(found) == 1:
        return found[calls.spend[0]]
    return {row: _together({call: seen[row] for call, seen in found.items()}) for row in rows}


def _together(cells: Mapping[str, Seen]) -> Seen:
    """Return what was seen of several calls as one cell."""
    texts = (f"{call.partition('(')[0]}: {one.text}" for call, one in cells.items())
    return Seen("; ".join(texts), any(one.open for one in cells.values()))


def _column_of(target: str, calls: BudgetCalls, limits: Limits, rows: Sequence[str]) -> Column:
    words = {**to_table(calls), "target": target}
    if target.startswith(HTTP):
        return _cells(desk(words, limits.timeout), rows)
    if calls.python:
        with conversation(calls.python, target, words, limits) as put:
            return _cells(remote_desk(calls, put), rows)
    visible = with_directories([target.rpartition(":")[0], *re.split("[ =:]+", target)])
    return column([__name__, json.dumps(words)], rows, limits, visible)


def _cells(made: Desk, rows: Sequence[str]) -> Column:
    """Observe rows from this process."""
    return {row: cell(row, made, NAMED_ROWS[row]) for row in rows}


def main(arguments: list[str]) -> int:
    """Observe rows here, for whoever has started this process."""
    told, *rows = arguments
    return work(lambda: desk(json.loads(told)), NAMED_ROWS, rows)
