"""One attempt: a target on a case, the exact worst H, and the certificate if that is too much."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.adversary import WorstCase
from filterproof.adversary import worst_case as specification
from filterproof.certificate import certify, read_certificate, replay
from filterproof.exact import Epsilon
from filterproof.filter import Filter, ProtocolError, parameter_sets
from filterproof.game import Game
from filterproof_proofs.checker import check
from filterproof_properties.named import Case

Worst = Callable[[Filter[Any], Game, Epsilon], WorstCase]
Target = Callable[..., Filter[Any]]


class Declined(ValueError):
    """A target that has no filter for this budget or these parameters."""


@dataclass(frozen=True)
class Attempt:
    """What the strongest adversary reached against one filter on one case."""

    case: Case
    parameters: dict[str, Any]
    worst: WorstCase

    @property
    def violated(self) -> bool:
        """Whether H exceeds δ, decided exactly."""
        return self.worst.value > self.case.delta

    @property
    def ratio(self) -> float:
        """H/δ for display and for guiding a search; infinite where δ = 0 is exceeded."""
        if self.case.delta:
            return float(self.worst.value / self.case.delta)
        return float("inf") if self.violated else 0.0


@dataclass(frozen=True)
class Violation:
    """An attempt that went over the budget, with the certificate the checker accepted."""

    attempt: Attempt
    certificate: str
    summary: str


def make_filter(
    target: Target, epsilon: Epsilon, delta: Fraction, parameters: dict[str, Any]
) -> Filter[Any]:
    """Make the filter; a `ValueError` means that the target declines, the rest is its fault."""
    try:
        return target(epsilon, delta, **parameters)
    except ValueError as error:
        raise Declined(str(error)) from error
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"the target raised {type(error).__name__}: {error}") from error


def attempts(target: Target, case: Case, worst: Worst = specification) -> Iterator[Attempt]:
    """Play every parameter set of the target (and the case's own, if it takes them)."""
    for parameters in parameters_for(target, case):
        try:
            rule = make_filter(target, case.epsilon, case.delta, parameters)
        except Declined:
            continue
        yield Attempt(case, parameters, worst(rule, case.game, case.epsilon))


def parameters_for(target: Target, case: Case) -> list[dict[str, Any]]:
    """Return the keyword sets to try: the target's own, and the case's if they have its names."""
    offered = parameter_sets(target, case.epsilon, case.delta, case.game.depth)
    own = dict(case.parameters)
    fits = own and any(set(own) == set(one) for one in offered)
    return [own, *(one for one in offered if one != own)] if fits else offered


def certified(name: str, target: Target, attempt: Attempt) -> Violation:
    """Return the violation with its certificate, checked independently and replayed."""
    case, parameters = attempt.case, attempt.parameters
    text = certify(name, parameters, case.game, case.epsilon, case.delta, attempt.worst)
    summary = check(text)
    replay(make_filter(target, case.epsilon, case.delta, parameters), read_certificate(text))
    return Violation(attempt, text, summary)
