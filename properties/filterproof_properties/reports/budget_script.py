"""A violation of a budget object as a script, or a pytest test, that makes its calls again.

It imports the user's class, makes the calls of every play on a fresh object, and ends with 1 as
long as all of them are answered as they were when the violation was found.
"""

from importlib.resources import files
from pathlib import Path
from string import Template

from filterproof.budget_calls import EXCEPTION, is_function
from filterproof_properties.reports.own_words import (
    MadeCall,
    Told,
    all_plays,
    own_words,
    shown_call,
    winning_branch,
)
from filterproof_properties.reports.service_script import service_script
from filterproof_properties.targets.budget.names import is_service

MAIN = """\
if __name__ == "__main__":
    again = granted_again()
    print("granted:", again, "before:", BEFORE)
    sys.exit(1 if again == BEFORE else 0)
"""
TEST = """\
def test_the_budget_grants_no_more_than_it_promises():
    assert granted_again() != BEFORE
"""
ENDS = "\nIt ends with 1 while the bug is there, and with 0 when it is mended."


def budget_script(certificate: str, *, test: bool = False) -> str | None:
    """Return the script of a certificate; None if it is not that of a budget object."""
    told = winning_branch(certificate)
    if told is None:
        return None
    if is_service(told.target):
        return None if test else service_script(certificate, told)
    text = (files("filterproof_properties.reports") / "budget_script.txt").read_text("utf-8")
    story = "\n".join(f"    {line}" for line in own_words(certificate))
    plays = all_plays(certificate)
    imports = [] if len(plays) > 1 else _imports(told)
    calls = [line for play in plays for line in _play(told, play, fresh=not imports)]
    body = ["answers = []", *calls, "return answers"]
    asked = [made for play in plays for made in play if made.event]
    return Template(text).substitute(
        title=f"{told.target} grants more than it promises.",
        story=story,
        needs=told.target.partition(":")[0],
        ending="" if test else ENDS,
        imports="\n".join(imports),
        refusal=_refusal(told),
        granted=_granted(told),
        calls="\n".join(f"    {line}" for line in body),
        before=[made.decision in ("continue", "last") for made in asked],
        last=TEST if test else MAIN,
    )


def _refusal(told: Told) -> str:
    """Return what catches a refusal by the name of its exception, wherever that is defined."""
    names = told.calls.refusal.split(",")
    return f"refusal({names!r})" if told.calls.refusal else "Exception"


def _granted(told: Told) -> str:
    """Return what is true of a result that grants."""
    if told.calls.takes_ticket:
        return "result is not False"
    return told.calls.granted or "result is None or bool(result)"


def _imports(told: Told) -> list[str]:
    """Return the lines that import what makes the object, and functions of its module."""
    calls = (*told.calls.spend, told.calls.check, told.calls.fails)
    functions = [one.partition("(")[0] for one in calls if is_function(one)]
    target, factory = told.target, told.calls.open.partition("(")[0]
    beside = [f"{target.rpartition(':')[0]}:{one.partition('.')[2]}" for one in functions]
    lines = [line for one in (factory or target, *beside) for line in _import(one)]
    return [*dict.fromkeys(lines)]


def _import(spec: str) -> list[str]:
    """Return the lines that import one name."""
    where, _, name = spec.rpartition(":")
    first = name.partition(".")[0]
    if not where.endswith(".py"):
        return [f"from {where} import {first}"]
    path = Path(where)
    return [f"sys.path.insert(0, {str(path.parent)!r})", f"from {path.stem} import {first}"]


def _play(told: Told, play: tuple[MadeCall, ...], *, fresh: bool) -> list[str]:
    """Return the lines of one play on a fresh object, or on all that its module has, afresh."""
    where = (told.calls.open.partition("(")[0] or told.target).rpartition(":")[0]
    top = Path(where).stem if where.endswith(".py") else where.partition(".")[0]
    imports = [f"forget({top!r})", *_imports(told)] if fresh else []
    opening = [f"{name} = opened({told.opening}{_beside(told)})" for name in told.names]
    return [*imports, *opening, *(line for made in play for line in _lines(told, made))]


def _beside(told: Told) -> str:
    """Return what is asked where the call that opens a budget returns nothing, if there is any."""
    name = told.target.rpartition(":")[2]
    return f", {name}" if told.opening.startswith(f"{name}.") else ""


def _lines(told: Told, made: MadeCall) -> list[str]:
    """Return the lines that put one request to the object again."""
    if made.event is None:
        return []
    name = told.names[made.event.instance]
    values = {**dict(made.event.values)}
    spend = shown_call(told, name, told.calls.spend[made.event.call], values)
    fails, then = "", ""
    if made.failed:
        fails = ", fails=True"
        call = told.calls.fails
        told_so = call not in ("", EXCEPTION)
        then = f", then=lambda: {shown_call(told, name, call, values)}" if told_so else ""
    check = shown_call(told, name, told.calls.check, values) if told.calls.check else ""
    gives = ", gives=True" if told.calls.takes_ticket and not told.calls.granted else ""
    if told.calls.between and made.failed:
        return [f"answers.append(ask(lambda mechanism: {check}{gives}{fails}{then}))"]
    first = f"ask(lambda mechanism: {check}{gives}) and " if check else ""
    return [f"answers.append({first}ask(lambda mechanism: {spend}{fails}{then}))"]
