"""A target at one case: the filter it makes there, and the certificate of a broken promise."""

from dataclasses import dataclass
from typing import Any

from filterproof.adversary import WorstCase
from filterproof.certificate import certify, read_certificate, replay
from filterproof.fast import worst_case
from filterproof.filter import parameter_sets
from filterproof_proofs.checker import check
from filterproof_properties.case import Case
from filterproof_properties.targets.target import Target
from filterproof_properties.targets.target import make_filter as make_filter


@dataclass(frozen=True)
class Violation:
    """A case on which H exceeds δ, with the certificate that the checker accepted."""

    case: Case
    worst: WorstCase
    certificate: str
    summary: str


def parameters_for(target: Target, case: Case) -> list[dict[str, Any]]:
    """Return the keyword sets to try: the target's own, and the case's if they have its names."""
    offered = parameter_sets(target, case.epsilon, case.delta, case.game.depth)
    own = dict(case.parameters)
    fits = own and any(set(own) == set(one) for one in offered)
    return [own, *(one for one in offered if one != own)] if fits else offered


def certified(name: str, target: Target, case: Case) -> Violation:
    """Return the violation with its certificate, checked independently and replayed."""
    parameters = dict(case.parameters)
    rule = make_filter(target, case.epsilon, case.delta, parameters)
    worst = worst_case(rule, case.game, case.epsilon)
    text = certify(name, parameters, case.game, case.epsilon, case.delta, worst)
    summary = check(text)
    replay(make_filter(target, case.epsilon, case.delta, parameters), read_certificate(text))
    return Violation(case, worst, text, summary)
