"""`prove_refinement`: the verdict on one budget class or filter, by every rule that fits it."""

import ast
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from filterproof.budget_calls import BudgetCalls, complete
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement.budget import PARTS, BudgetMachine
from filterproof_proofs.refinement.filter import FilterMachine
from filterproof_proofs.refinement.offers import Offer, offers
from filterproof_proofs.refinement.proof import prove_setting
from filterproof_proofs.refinement.rules import Rule, rules_for
from filterproof_proofs.refinement.samples import Count, Setting
from filterproof_proofs.refinement.verdicts import Refinement
from filterproof_proofs.refinement.versions import VersionsMachine
from filterproof_proofs.symbolic.program import NoSource, Program
from filterproof_proofs.symbolic.run import NeedsKnown, Unsupported
from filterproof_proofs.symbolic.shapes import BadState


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
    if whole:
        found = _by_rules(name, BudgetMachine(program, whole), rules, seconds)
        return _without_asserts(_with_chosen(found, whole), program)
    try:
        sets = offers(program)
        each = [_by_offer(name, one, rules, seconds / len(sets)) for one in sets]
    except (BadState, NeedsKnown) as why:
        return Refinement(name, Verdict.OPEN, by or "any rule", open=(str(why),))
    return _without_asserts(_all_of(each), program)


def _by_offer(name: str, offer: Offer, rules: tuple[Rule, ...], seconds: float) -> Refinement:
    """Return the verdict on a filter with one of the sets of parameters that it offers."""
    found = _by_rules(name, FilterMachine(offer.program, offer), rules, seconds)
    plays = tuple(replace(one, offer=offer.number) for one in found.replays)
    if found.excess is not None:
        ran = replace(found.excess.play, offer=offer.number)
        found = replace(found, excess=replace(found.excess, play=ran))
    return _said(replace(found, replays=plays), offer)


def _said(found: Refinement, offer: Offer) -> Refinement:
    """Return a verdict that says which parameters it is about."""
    said = (str(offer),) if offer.shapes and found.verdict is Verdict.PROVED else ()
    return replace(found, covers=(*found.covers, *said))


def _by_rules(
    name: str, machine: BudgetMachine | FilterMachine, rules: tuple[Rule, ...], seconds: float
) -> Refinement:
    """Return the strongest verdict by any of the rules."""
    found = []
    for rule in rules:
        if isinstance(machine, BudgetMachine) and machine.calls.part:
            rule = replace(rule, theorems=PART_THEOREMS)
        found.append(prove_setting(name, setting_of(machine, rule), rule, seconds / len(rules)))
    return best(found)


def _all_of(each: list[Refinement]) -> Refinement:
    """Return PROVED if each is, with all that is covered; otherwise the first that is not."""
    left = [one for one in each if one.verdict is not Verdict.PROVED]
    if left or not each:
        nothing = Refinement("", Verdict.OPEN, "any rule", open=("parameters() offers nothing",))
        return min(left or [nothing], key=lambda one: one.verdict is not Verdict.REFUTED)
    return replace(
        each[0],
        covers=tuple(dict.fromkeys(line for one in each for line in one.covers)),
        replays=tuple(play for one in each for play in one.replays),
        paths=sum(one.paths for one in each),
        seconds=sum(one.seconds for one in each),
    )


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
    if whole is None:
        return _filter_versions(new, old, name, (versions, rule), seconds)
    both = VersionsMachine(BudgetMachine(new, whole), BudgetMachine(old, whole))
    setting = Setting(both, (), rule.limits, rule.costs, float)
    found = prove_setting(name, setting, versions, seconds)
    if found.verdict is Verdict.PROVED:
        return found
    ideal = prove_setting(name, replace(setting, ideal=True), versions, seconds)
    if ideal.verdict is Verdict.PROVED:
        return replace(found, verdict=Verdict.OPEN, open=(ONLY_ROUNDING, *found.open))
    return found


def _filter_versions(
    new: Program, old: Program, name: str, rules: tuple[Rule, Rule], seconds: float
) -> Refinement:
    """Return the same for filters, with every set of parameters that the new version offers."""
    versions, rule = rules
    try:
        sets = offers(new)
    except (BadState, NeedsKnown) as why:
        return Refinement(name, Verdict.OPEN, OLD_VERSION, open=(str(why),))
    each = []
    for one in sets:
        both = VersionsMachine(FilterMachine(new, one), FilterMachine(old, one))
        setting = Setting(both, (), rule.limits, rule.costs, Fraction)
        each.append(_said(prove_setting(name, setting, versions, seconds / len(sets)), one))
    return _all_of(each)


def setting_of(machine: BudgetMachine | FilterMachine, rule: Rule) -> Setting:
    """Return what is to be proved: a budget class is given floats, a filter exact numbers."""
    budget = isinstance(machine, BudgetMachine)
    parts = PARTS if isinstance(machine, BudgetMachine) and machine.calls.part else ("",)
    counts = tuple(Count(ghost, part) for ghost in rule.ghosts for part in parts)
    return Setting(machine, counts, rule.limits, rule.costs, float if budget else Fraction)


def best(found: list[Refinement]) -> Refinement:
    """Return the strongest of several verdicts, PROVED before REFUTED before OPEN."""
    order = (Verdict.PROVED, Verdict.REFUTED, Verdict.OPEN)
    return min(found, key=lambda one: order.index(one.verdict))
