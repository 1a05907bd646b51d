"""The first look at a budget object: its calls are completed from its code and tried once.

What is missing in the words (arguments of a bare name, how the budget is handed over, what a return
value means) is read off the signatures and off two answers: to a request that fits, and to one that
does not.  Whatever is in the way is said at once, with what was called and what came back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from filterproof.budget_calls import EXCEPTION, MODULE, BudgetCalls, complete, to_table
from filterproof.call_expressions import names_in
from filterproof.filter import ProtocolError
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.completing import budget, completed, located
from filterproof_properties.targets.budget.conversation import Put, conversation
from filterproof_properties.targets.budget.names import HTTP, is_service
from filterproof_properties.targets.budget.player import Answer
from filterproof_properties.targets.budget.plays import played
from filterproof_properties.targets.budget.services import check_service, service_player
from filterproof_properties.targets.target import Declined, TargetError

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
REFUSALS = ("raised", "none", "false")
"""Kinds of answers that are a refusal where something else was returned for a grant."""
SOME_ANSWER = "result is not None and result is not False"
"""What grants where an object returns something when it grants, and nothing when it refuses."""


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
        target, calls = located(target, calls)
        return _tried_class(target, completed(target, calls, allowed), allowed)
    except (ProtocolError, TargetError) as error:
        raise TargetError(f"{target}: {error}") from None
    except Declined as error:
        raise TargetError(f"{target}: it rejects the budget {budget(calls)}: {error}") from None


# --- trying -------------------------------------------------------------------------------------


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
        return Tried(target, calls, [*notes, *_sharing(target, calls, put)])


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


def _sharing(target: str, calls: BudgetCalls, put: Put) -> list[str]:
    """Say so if a second object refuses what fits, after the first one has spent its own.

    Of functions of a module, or of an object that is there already, nobody expects a second one.
    """
    beside = calls.open.startswith(f"{target.rpartition(':')[0]}:")
    if calls.kind(calls.spend[0]) == "count" or beside or calls.spend[0].startswith(MODULE):
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
    if (
        more.granted
        and not calls.has_own_budget
        and not (calls.granted == SOME_ANSWER and more.kind in REFUSALS)
    ):
        return calls, [f"it grants four times its budget, {TIMES} times: {more.shown}"]
    return calls, []
