"""A play as two versions answered it: what was asked in the target's own words, line by line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from filterproof.budget_calls import BudgetCalls, complete
from filterproof.call_expressions import names_in
from filterproof.exact import format_epsilon, format_rational
from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Step
from filterproof_properties.audit.replays import Run
from filterproof_properties.case import Case
from filterproof_properties.targets.budget.named import choices, event_of, passing
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.budget.spelling import spelled_call
from filterproof_properties.targets.walk import Asked, Difference

GRANTS = ("continue", "last")


@dataclass(frozen=True)
class Row:
    """One request: what was asked, what the old and the new version said, what was released."""

    asked: str
    old: str
    new: str
    released: str = ""


def rows(spec: str, case: Case, found: Difference) -> tuple[Row, ...]:
    """Return a play up to where the two versions differ."""
    last = Asked(found.step, found.old, found.new)
    return tuple(_rows(spec, case, (*found.trail, last)))


def _rows(spec: str, case: Case, trail: tuple[Asked, ...]) -> Iterator[Row]:
    budget = is_budget_object(spec)
    for one in trail:
        asked = _call(named(spec)[1], case, one.step) if budget else _request_words(one.step)
        said = [_answer(text) if budget else text for text in (one.old, one.new)]
        released = "" if one.output is None else _output_words(one.output)
        yield Row(asked, said[0], said[1], released)


def _answer(decision: str) -> str:
    return "granted" if decision in GRANTS else "refused"


def _output_words(output: str) -> str:
    return "the mechanism fails" if output == FAILS else repr(output)


def _call(calls: BudgetCalls, case: Case, step: Step) -> str:
    event = event_of(calls, (case.epsilon, case.delta), choices(calls), step)
    if event is None:
        return f"{step.request!r} (not asked: no cost in this currency)"
    wait = f"({passing(event.wait)}) " if event.wait else ""
    which = f"object {event.instance + 1}: " if calls.instances > 1 else ""
    return f"{wait}{which}{spelled_call(calls.spend[event.call], dict(event.values))}"


def _request_words(step: Step) -> str:
    odds, delta = step.mechanism.declared
    return f"request {step.request!r} of (log({format_rational(odds)}), {format_rational(delta)})"


def run_rows(spec: str, run: Run) -> tuple[Row, ...]:
    """Return a run that refutes a proof; the old version is not asked what the new one refuses."""
    last = len(run["answers"]) - 1
    pairs = zip(_run_words(spec, run), run["answers"], strict=True)
    return tuple(
        Row(asked, ("refused" if i == last else "granted") if ran else "", _answer_words(ran))
        for i, (asked, ran) in enumerate(pairs)
    )


def _answer_words(ran: bool) -> str:
    return "granted" if ran else "refused"


def _run_words(spec: str, run: Run) -> list[str]:
    if not is_budget_object(spec):
        return [f"request of (log({odds}), {delta})" for odds, delta in run["declared"]]
    spend = complete(named(spec)[1]).spend
    return [spelled_call(spend[one["call"]], one["values"]) for one in run["events"]]


def run_opening(spec: str, run: Run) -> str:
    """Return how the target is made at the budget of a run."""
    if not is_budget_object(spec):
        return "budget " + ", ".join(f"{name} = {value}" for name, value in run["budget"].items())
    return _making_call(spec, run["budget"])


def _making_call(spec: str, values: dict[str, Any]) -> str:
    """Return the call that makes a budget object."""
    target, calls = named(spec)
    factory, _, arguments = calls.open.partition("(")
    name = (factory or target).rpartition(":")[2]
    used = {key: values[key] for key in names_in(f"f({arguments}") & {*values}}
    return f"{name}{spelled_call(f'f({arguments}', used)[1:]}"


def opening_words(spec: str, case: Case) -> str:
    """Return how the target is made at the budget of a case."""
    from filterproof_properties.targets.budget.costs import opening_values  # loads flint

    budget = f"({format_epsilon(case.epsilon)}, {format_rational(case.delta)})"
    if not is_budget_object(spec):
        given = "".join(f", {name} = {value}" for name, value in case.parameters.items())
        return f"budget {budget}{given}"
    values = dict(opening_values(named(spec)[1], (case.epsilon, case.delta)))
    return f"{_making_call(spec, values)}, budget {budget}"
