"""The names of budget objects: a class, followed by the words for its calls."""

from filterproof.budget_calls import BudgetCalls, complete, read_words, spelled
from filterproof_properties.targets.target import COMMAND

MARK = " --"
"""What stands between the name of a class and the words for its calls."""


def is_budget_object(spec: str) -> bool:
    """Whether a target's name is that of a class with words for its calls."""
    return MARK in spec and not spec.startswith(COMMAND)


def named(spec: str) -> tuple[str, BudgetCalls]:
    """Return the class and the calls that a name stands for."""
    target, _, words = spec.partition(MARK)
    return target, read_words(f"--{words}")


def spec_of(target: str, calls: BudgetCalls) -> str:
    """Return the name of a budget object, from which it can be found again anywhere."""
    return f"{target} {spelled(calls)}"


def counts_epsilon_only(spec: str) -> bool:
    """Whether every call of a budget object counts epsilon and nothing else."""
    calls = complete(named(spec)[1])
    return {calls.kind(call) for call in calls.spend} == {"pure"}


def plays_failures(spec: str) -> bool:
    """Whether a target can notice that a mechanism failed; a budget object may not be told."""
    return not is_budget_object(spec) or named(spec)[1].plays_failures
