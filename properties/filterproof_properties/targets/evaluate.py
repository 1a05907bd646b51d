"""A target at one case: the filter it makes there, and the certificate of a broken promise."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.certificate import certify, certify_reports, read_certificate, replay
from filterproof.engine.by_position.reports import worst_report
from filterproof.exact import Epsilon
from filterproof.fast import worst_case
from filterproof.filter import Filter, parameter_sets
from filterproof.game import Game
from filterproof.odometer import is_odometer
from filterproof.witness import WorstCase
from filterproof_proofs.certificates import check
from filterproof_properties.case import Case, Scored
from filterproof_properties.targets.target import Target
from filterproof_properties.targets.target import make_filter as make_filter


@dataclass(frozen=True)
class Violation:
    """A case on which the promise is broken, with the certificate that the checker accepted."""

    case: Case
    worst: WorstCase
    certificate: str
    summary: str


def worst(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the worst case of what is promised: H of a filter, P(L > report) of an odometer."""
    return (worst_report if is_odometer(rule) else worst_case)(rule, game, epsilon)


ROUNDING = Fraction(1, 2**40)
"""An excess that a budget larger by this share would not have is of the size of rounding."""
SMALL_EPSILON, CLEAR = Fraction(3), Fraction(1, 2**30)
"""At most this ε, an excess above this is none of rounding: e^ε moves by 2^-34 at most."""


def is_rounding(rule: Filter[Any], game: Game, scored: Scored) -> bool:
    """Whether an excess is gone at a budget that is larger by the size of rounding.

    What an odometer reports is not compared with a budget, and is never excused; nor is what
    breaks a promise of a pair's own, which is not the budget that the rule was opened with.
    """
    case = scored.case
    if is_odometer(rule) or game.promises:
        return False
    epsilon, delta = larger_budget(case)
    if epsilon <= SMALL_EPSILON and scored.value > case.delta + CLEAR:
        return False
    return not worst(rule, game, epsilon).value > delta


def larger_budget(case: Case) -> tuple[Fraction, Fraction]:
    """Return the budget of a case, larger by the size of rounding."""
    from filterproof.directed_rounding import epsilon_interval  # loads flint

    upper = Fraction(epsilon_interval(case.epsilon)[1])
    return upper * (1 + ROUNDING), case.delta * (1 + ROUNDING)


def parameters_for(target: Target, case: Case) -> list[dict[str, Any]]:
    """Return the keyword sets to try: the target's own, and the case's if they have its names."""
    offered = parameter_sets(target, case.epsilon, case.delta, case.game.depth)
    own = dict(case.parameters)
    fits = own and any(set(own) == set(one) for one in offered)
    return [own, *(one for one in offered if one != own)] if fits else offered


def certify_violation(name: str, target: Target, case: Case) -> Violation:
    """Return the violation with its certificate, checked independently and replayed."""
    parameters = dict(case.parameters)
    rule = make_filter(target, case.epsilon, case.delta, parameters)
    found = worst(rule, case.game, case.epsilon)
    written = certify_reports if is_odometer(rule) else certify
    text = written(name, parameters, case.game, case.epsilon, case.delta, found)
    summary = check(text)
    replay(make_filter(target, case.epsilon, case.delta, parameters), read_certificate(text))
    return Violation(case, found, text, summary)
