"""Which known bug a certificate looks like: an exact rule, on the certificate's own play.

A known-bad filter of the registry *answers so* if, at the certificate's budget and with one of the
parameters that it offers there (or the certificate's own, if it has such), it gives every recorded
answer: then the certificate convicts it too.  First come those that run least of the whole game, in
expectation: they grant little beyond what the play shows.  Where none answers so, those are named
whose exact worst case on the same game breaks the budget.  Basic composition, which is sound, is
held against the play to see where it would have stopped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.certificate import Certificate, ReplayMismatch, read_certificate, replay, steps
from filterproof.filter import Decision, Filter, ProtocolError
from filterproof.filters.additive import Additive
from filterproof.filters.registry import Entry
from filterproof.odometers.additive import AdditiveOdometer
from filterproof.utility.rounds import GameTooLarge, expected_rounds
from filterproof_proofs.certificates import is_odometer_certificate
from filterproof_properties.case import Case
from filterproof_properties.targets.evaluate import make_filter, parameters_for, worst
from filterproof_properties.targets.loading import BUILT_INS
from filterproof_properties.targets.target import Declined

MOST_BITS, MOST_TURNS = 100, 500
"""A play with longer probabilities, or more turns, is not compared: it would take too long."""


@dataclass(frozen=True)
class KnownBugMatch:
    """Names and reasons of known bugs; `same` if they answer so, else they break on the same game.

    `parts` says where basic composition does otherwise.  `compared` is False where the play is too
    large for the other filters.
    """

    bugs: tuple[tuple[str, str], ...]
    same: bool
    parts: str
    compared: bool = True


def known_bug_match(text: str) -> KnownBugMatch:
    """Return what a certificate looks like that the checker has accepted."""
    told, odometer = read_certificate(text), is_odometer_certificate(text)
    parts = _reports(told) if odometer else _stops(told)
    if len(told.answers) > MOST_TURNS or _bits(told) > MOST_BITS:
        return KnownBugMatch((), False, parts, compared=False)
    bad = [one for one in BUILT_INS if not one.sound and (one.family == "odometer") == odometer]
    same = {one: rounds for one in bad if (rounds := _rounds(one, told)) is not None}
    likest = sorted(same, key=lambda one: same[one])
    other = (
        []
        if same
        else [one for one in bad if any(_breaks(r, told) for r in _filters_of(one, told))]
    )
    return KnownBugMatch(tuple((one.name, one.why) for one in likest or other), bool(same), parts)


def _rounds(one: Entry, told: Certificate) -> Fraction | None:
    """Return how many rounds of the game a filter runs that answers so; None if it does not."""
    alike = [rule for rule in _filters_of(one, told) if _answers_so(rule, told)]
    try:
        return min((expected_rounds(rule, told.game) for rule in alike), default=None)
    except GameTooLarge:
        return Fraction(told.game.depth)


def _bits(told: Certificate) -> int:
    """Return how many bits the longest denominator has."""
    mechanisms = [one for menu in told.game.nodes for one in menu.values()]
    rows = [row for one in mechanisms for row in one.law.values()]
    return max(p.denominator.bit_length() for row in rows for p in row.values())


def _filters_of(one: Entry, told: Certificate) -> Iterator[Filter[Any]]:
    """Yield a built-in filter at the certificate's budget, with each of its parameters."""
    case = Case(one.name, told.game, told.epsilon, told.delta, told.parameters)
    for parameters in parameters_for(one.target, case):
        try:
            yield make_filter(one.target, told.epsilon, told.delta, parameters)
        except Declined:
            continue


def _answers_so(rule: Filter[Any], told: Certificate) -> bool:
    try:
        return replay(rule, told) > 0
    except (ReplayMismatch, ProtocolError):
        return False


def _breaks(rule: Filter[Any], told: Certificate) -> bool:
    try:
        found = worst(rule, told.game, told.epsilon)
        return found.value > found.allowed(told.game, told.delta)
    except ProtocolError:
        return False


# --- where basic composition would have stopped -----------------------------------------------


def _stops(told: Certificate) -> str:
    """Say in which turn the additive filter would not have run what was run."""
    rule = Additive(told.epsilon, told.delta)
    states = {0: rule.start()}
    for number, (answer, step) in enumerate(zip(told.answers, steps(told), strict=True)):
        state = states[number]
        if answer["decision"] != Decision.REFUSE:
            decision, state = rule.decide(state, step)
            if decision is not Decision.CONTINUE:
                return f"basic composition would not have run {step.request!r} in turn {number}"
        states |= dict.fromkeys({*answer["then"].values()} - {None, *states}, state)
    return ""


def _reports(told: Certificate) -> str:
    """Say where the additive odometer reports something else."""
    try:
        replay(AdditiveOdometer(told.epsilon, told.delta), told)
    except ReplayMismatch as mismatch:
        return f"basic composition would have reported otherwise: {mismatch}"
    return ""
