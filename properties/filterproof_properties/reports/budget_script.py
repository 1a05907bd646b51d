"""A violation of a budget object as a script, or a pytest test, that makes its calls again.

It imports the user's class, makes the calls of every play on a fresh object, and ends with 1 as
long as all of them are answered as they were when the violation was found.
"""

from importlib.resources import files
from pathlib import Path
from string import Template

from filterproof.budget_calls import EXCEPTION
from filterproof_properties.reports.own_words import (
    MadeCall,
    Told,
    all_plays,
    own_words,
    winning_branch,
)
from filterproof_properties.reports.service_script import service_script
from filterproof_properties.targets.budget.names import is_service
from filterproof_properties.targets.budget.spelling import spelled_call

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
    calls = [line for play in plays for line in _play(told, play)]
    body = ["answers = []", *calls, "return answers"]
    asked = [made for play in plays for made in play if made.event]
    return Template(text).substitute(
        title=f"{told.target} grants more than it promises.",
        story=story,
        needs=told.target.partition(":")[0],
        ending="" if test else ENDS,
        imports="\n".join(_imports(told)),
        refusal=_refusal(told),
        granted=told.calls.granted or "result is None or bool(result)",
        calls="\n".join(f"    {line}" for line in body),
        before=[made.decision in ("continue", "last") for made in asked],
        last=TEST if test else MAIN,
    )


def _refusal(told: Told) -> str:
    """Return what catches a refusal by the name of its exception, wherever that is defined."""
    names = told.calls.refusal.split(",")
    return f"refusal({names!r})" if told.calls.refusal else "Exception"


def _imports(told: Told) -> list[str]:
    """Return the lines that import what makes the object."""
    factory = told.calls.open.partition("(")[0]
    where, _, name = (factory or told.target).rpartition(":")
    if not where.endswith(".py"):
        return [f"from {where} import {name.partition('.')[0]}"]
    path = Path(where)
    folder = repr(str(path.parent))
    return [f"sys.path.insert(0, {folder})", f"from {path.stem} import {name.partition('.')[0]}"]


def _play(told: Told, play: tuple[MadeCall, ...]) -> list[str]:
    """Return the lines of one play on a fresh object."""
    opening = [f"{name} = settled({told.opening})" for name in told.names]
    return [*opening, *(line for made in play for line in _lines(told, made))]


def _lines(told: Told, made: MadeCall) -> list[str]:
    """Return the lines that put one request to the object again."""
    if made.event is None:
        return []
    name = told.names[made.event.instance]
    values = {**dict(made.event.values)}
    spend = f"{name}.{spelled_call(told.calls.spend[made.event.call], values)}"
    fails, then = "", ""
    if made.failed:
        fails = ", fails=True"
        call = told.calls.fails
        told_so = call not in ("", EXCEPTION)
        then = f", then=lambda: {name}.{spelled_call(call, values)}" if told_so else ""
    check = f"{name}.{spelled_call(told.calls.check, values)}" if told.calls.check else ""
    if told.calls.between and made.failed:
        return [f"answers.append(ask(lambda mechanism: {check}))"]
    first = f"ask(lambda mechanism: {check}) and " if check else ""
    return [f"answers.append({first}ask(lambda mechanism: {spend}{fails}{then}))"]
