"""A filter asked in one more process, with another hash seed."""

from filterproof_properties.case import Case
from filterproof_properties.targets.connect import elsewhere
from filterproof_properties.targets.target import Target
from filterproof_properties.targets.walk import questions, rule_of

HASH_SEED = {"PYTHONHASHSEED": "4242"}


def answers_of_other_process(target: Target, case: Case) -> list[str]:
    """Return the decisions that a filter gives in a new process with another hash seed."""
    with elsewhere(target, HASH_SEED) as other:
        return [str(one.decision) for one in questions(rule_of(other, case), case.game)]
