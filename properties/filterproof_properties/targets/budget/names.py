"""The names of budget objects: a class, followed by the words for its calls."""

from filterproof.budget_calls import BudgetCalls, command_words, complete, read_words
from filterproof_properties.targets.target import COMMAND

MARK = " --"
"""What stands between the name of a class and the words for its calls."""
PROGRAM, HTTP = "program:", "http://"
"""How the names of budgets begin that are behind a program, or an HTTP service."""


def is_budget_object(spec: str) -> bool:
    """Whether a target's name is that of a class with words for its calls."""
    return MARK in spec and not spec.startswith(COMMAND)


def is_service(target: str) -> bool:
    """Whether a budget is behind a program or an HTTP service.

    >>> is_service("http://127.0.0.1:8000"), is_service("shop.py:Budget")
    (True, False)
    """
    return target.startswith((PROGRAM, HTTP))


def named(spec: str) -> tuple[str, BudgetCalls]:
    """Return the class and the calls that a name stands for."""
    mark = " --spend " if spec.startswith(PROGRAM) else MARK  # a program has options of its own
    target, _, words = spec.partition(mark)
    return target, read_words(f"{mark.strip()} {words}" if mark != MARK else f"--{words}")


def spec_of(target: str, calls: BudgetCalls) -> str:
    """Return the name of a budget object, from which it can be found again anywhere."""
    return f"{target} {command_words(calls)}"


def promises_no_delta(spec: str) -> bool:
    """Whether a budget object counts epsilon and nothing else, and is opened with nothing else."""
    return complete(named(spec)[1]).promises_no_delta


def plays_failures(spec: str) -> bool:
    """Whether a target can notice that a mechanism failed; a budget object may not be told."""
    return not is_budget_object(spec) or named(spec)[1].plays_failures
