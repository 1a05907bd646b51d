"""`prove_refinement`: the verdict on one budget class or filter, by every rule that fits it."""

import ast
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from filterproof.budget_calls import BudgetCalls, complete
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement.budget import PARTS, BudgetMachine
from filterproof_proofs.refinement.filter import FilterMachine
from filterproof_proofs.refinement.proof import prove_setting
from filterproof_proofs.refinement.rules import Rule, rules_for
from filterproof_proofs.refinement.samples import Count, Setting
from filterproof_proofs.refinement.verdicts import Refinement
from filterproof_proofs.refinement.versions import VersionsMachine
from filterproof_proofs.symbolic.program import NoSource, Program
from filterproof_proofs.symbolic.run import Unsupported


@dataclass(frozen=True)
class Code:
    """Where code is: a file, and a name in it."""

    path: Path
    attribute: str


ANY = {"str": "any text, however many", "int": "any whole number", "rate": "any rate in [0, 1]"}
"""What a kind of a free argument stands for in a proof."""
PART_THEOREMS = ("parts_private",)
"""What adding up for each part of the data rests on."""
OLD_VERSION = "the old version"
ONLY_ROUNDING = "in exact arithmetic it is never looser: only rounding can make a difference"
ALLOWED = "every transcript that the new version allows, the old one allows"


def prove_refinement(
    path: Path,
    attribute: str,
    calls: BudgetCalls | None = None,
    by: str = "",
    seconds: float = 60.0,
) -> Refinement:
    """Return whether a budget class, or a filter (no calls), is never looser than a rule."""
    name = f"{path.name}:{attribute}"
    try:
        program = Program.load(path, attribute)
    except (Unsupported, NoSource) as why:
        return Refinement(name, Verdict.OPEN, by or "any rule", open=(str(why),))
    return prove_program(program, name, calls, by, seconds)


def prove_program(
    program: Program,
    name: str,
    calls: BudgetCalls | None = None,
    by: str = "",
    seconds: float = 60.0,
) -> Refinement:
    """Return the same for source that was read; `by` names a rule, otherwise all that fit."""
    whole = complete(calls) if calls is not None else None
    rules = rules_for(whole.kind(whole.spend[0]) if whole else "declared", by)
    found = []
    for rule in rules:
        setting = budget_setting(program, whole, rule) if whole else filter_setting(program, rule)
        if whole and whole.part:
            rule = replace(rule, theorems=PART_THEOREMS)
        found.append(prove_setting(name, setting, rule, seconds / len(rules)))
    chosen = _with_chosen(best(found), whole) if whole else best(found)
    return _without_asserts(chosen, program)


def _with_chosen(found: Refinement, calls: BudgetCalls) -> Refinement:
    """Return a verdict that says for which values of what the caller chooses it is shown."""
    said = [f"every {calls.part}, however many: a promise for each"] if calls.part else []
    for text in calls.free:
        name, _, kind = text.partition("=")
        said.append(f"{name}: {ANY.get(kind) or kind.replace(',', ', ') + ', and nothing else'}")
    if found.verdict is not Verdict.PROVED:
        return found
    return replace(found, covers=(*found.covers, *said))


def _without_asserts(found: Refinement, program: Program) -> Refinement:
    """Return a verdict that says which lines decide nothing under `python -O`."""
    nodes = ast.walk(program.main.tree)
    asserts = [str(node.lineno) for node in nodes if isinstance(node, ast.Assert)]
    if found.verdict is not Verdict.PROVED or not asserts:
        return found
    said = f"python -O, which drops every assert (line {', '.join(asserts)})"
    return replace(found, leaves_out=(*found.leaves_out, said))


def prove_no_looser(
    new: Code, old: Code, calls: BudgetCalls | None = None, seconds: float = 60.0
) -> Refinement:
    """Return whether a new version runs a round only where the old one runs it."""
    name = f"{new.path.name}:{new.attribute}"
    try:
        programs = [Program.load(one.path, one.attribute) for one in (new, old)]
    except (Unsupported, NoSource) as why:
        return Refinement(name, Verdict.OPEN, OLD_VERSION, open=(str(why),))
    return prove_versions(programs[0], programs[1], name, calls, seconds)


def prove_versions(
    new: Program, old: Program, name: str, calls: BudgetCalls | None, seconds: float
) -> Refinement:
    """Return the same for source that was read; each of two attempts takes so many seconds."""
    whole = complete(calls) if calls is not None else None
    rule = rules_for(whole.kind(whole.spend[0]) if whole else "declared")[0]
    versions = Rule(OLD_VERSION, rule.currency, (), (), ALLOWED)
    machines = [BudgetMachine(one, whole) if whole else FilterMachine(one) for one in (new, old)]
    kind = float if whole else Fraction
    setting = Setting(VersionsMachine(*machines), (), rule.limits, rule.costs, kind)
    found = prove_setting(name, setting, versions, seconds)
    if found.verdict is Verdict.PROVED or kind is Fraction:
        return found
    exact = prove_setting(name, replace(setting, ideal=True), versions, seconds)
    if exact.verdict is Verdict.PROVED:
        return replace(found, verdict=Verdict.OPEN, open=(ONLY_ROUNDING, *found.open))
    return found


def budget_setting(program: Program, calls: BudgetCalls, rule: Rule) -> Setting:
    """Return what is to be proved of a budget class: it is given floats."""
    parts = PARTS if calls.part else ("",)
    counts = tuple(Count(ghost, part) for ghost in rule.ghosts for part in parts)
    return Setting(BudgetMachine(program, calls), counts, rule.limits, rule.costs, float)


def filter_setting(program: Program, rule: Rule) -> Setting:
    """Return what is to be proved of a filter: it is given exact numbers."""
    counts = tuple(Count(ghost) for ghost in rule.ghosts)
    return Setting(FilterMachine(program), counts, rule.limits, rule.costs, Fraction)


def best(found: list[Refinement]) -> Refinement:
    """Return the strongest of several verdicts, PROVED before REFUTED before OPEN."""
    order = (Verdict.PROVED, Verdict.REFUTED, Verdict.OPEN)
    return min(found, key=lambda one: order.index(one.verdict))
