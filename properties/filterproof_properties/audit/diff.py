"""What a change of a filter changes: the same games through the old and the new one.

Two filters are compared by what they *run*: at a partial transcript that both reach, NEW halts
later if it runs a mechanism that OLD does not, and earlier the other way round.  Saying LAST and
then hearing nothing is the same as saying CONTINUE and then HALT.  Below the first difference
the plays are no longer comparable, so the walk ends there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from filterproof.certificate import canonical
from filterproof.exact import format_epsilon, format_rational
from filterproof.fast import worst_case
from filterproof.game import Game
from filterproof.game.json import game_to_json
from filterproof.odometer import is_odometer
from filterproof.utility.rounds import expected_rounds
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.case import Case
from filterproof_properties.games.editing import without_request
from filterproof_properties.targets.evaluate import certified, make_filter, parameters_for
from filterproof_properties.targets.target import Declined, Loaded, TargetError
from filterproof_properties.targets.walk import EARLIER, LATER, Difference, Rules, differences

Parameters = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True)
class Changed:
    """One case: how often NEW halts later and earlier, and the expected rounds of both."""

    case: str
    epsilon: str
    delta: str
    parameters: str
    later: int
    earlier: int
    rounds_old: str
    rounds_new: str


@dataclass(frozen=True)
class Witness:
    """The smallest game found that shows a difference, and where in it."""

    direction: str
    history: tuple[tuple[str, str], ...]
    request: str
    old: str
    new: str
    game: str


@dataclass(frozen=True)
class Comparison:
    """All cases, a witness per direction, and the certificate if NEW breaks its budget."""

    old: str
    new: str
    cases: tuple[Changed, ...]
    witnesses: tuple[Witness, ...] = ()
    certificate: str = ""

    def total(self, direction: str) -> int:
        """Return how many partial transcripts differ in this direction."""
        return sum(getattr(one, direction) for one in self.cases)

    @property
    def verdict(self) -> Verdict:
        """The outcome: a violation of NEW counts first, and nothing compared is inconclusive."""
        if self.certificate:
            return Verdict.VIOLATED
        if self.total(LATER):
            return Verdict.LOOSER
        return Verdict.NO_LOOSER_PLAY if self.cases else Verdict.INCONCLUSIVE


@dataclass(frozen=True)
class _Shown:
    """A difference together with the filters and the game that show it."""

    rules: Rules
    game: Game
    difference: Difference


def compare(old: Loaded, new: Loaded, cases: Iterable[Case]) -> Comparison:
    """Play every case against both filters; declined budgets and parameters are left out."""
    changed: list[Changed] = []
    smallest: dict[str, _Shown] = {}
    certificate = ""
    for case, parameters, rules in _plays(old, new, cases):
        if any(map(is_odometer, rules)):
            raise TargetError("diff compares what filters run; an odometer runs everything")
        found = [*differences(rules, case.game)]
        changed.append(_changed(rules, case, parameters, found))
        for one in found:
            kept = smallest.setdefault(one.direction, _Shown(rules, case.game, one))
            if len(case.game.nodes) < len(kept.game.nodes):
                smallest[one.direction] = _Shown(rules, case.game, one)
        worst = worst_case(rules[1], case.game, case.epsilon)
        if worst.value > case.delta and not certificate:
            worse = replace(case, parameters=parameters[1])
            certificate = certified(new.spec, new.target, worse).certificate
    witnesses = tuple(shrunk(smallest[way]) for way in (LATER, EARLIER) if way in smallest)
    return Comparison(old.spec, new.spec, tuple(changed), witnesses, certificate)


def _plays(
    old: Loaded, new: Loaded, cases: Iterable[Case]
) -> Iterator[tuple[Case, Parameters, Rules]]:
    for case in cases:
        for parameters in _parameter_pairs(old, new, case):
            try:
                yield case, parameters, _rules(old, new, case, parameters)
            except Declined:
                continue


def _rules(old: Loaded, new: Loaded, case: Case, parameters: Parameters) -> Rules:
    return (
        make_filter(old.target, case.epsilon, case.delta, parameters[0]),
        make_filter(new.target, case.epsilon, case.delta, parameters[1]),
    )


def _parameter_pairs(old: Loaded, new: Loaded, case: Case) -> Iterator[Parameters]:
    """Yield keyword sets for both: the same where the names agree, else in the order offered."""
    ours, theirs = (parameters_for(one.target, case) for one in (old, new))
    if ours and theirs and set(ours[0]) == set(theirs[0]):
        shared = [*ours, *(one for one in theirs if one not in ours)]
        yield from ((one, one) for one in shared)
    elif ours and theirs:
        for i in range(max(len(ours), len(theirs))):
            yield ours[min(i, len(ours) - 1)], theirs[min(i, len(theirs) - 1)]


def _changed(rules: Rules, case: Case, parameters: Parameters, found: list[Difference]) -> Changed:
    later = sum(one.direction == LATER for one in found)
    rounds = [format_rational(expected_rounds(rule, case.game)) for rule in rules]
    return Changed(
        case.name,
        format_epsilon(case.epsilon),
        format_rational(case.delta),
        _shown(parameters),
        later,
        len(found) - later,
        rounds[0],
        rounds[1],
    )


def _shown(parameters: Parameters) -> str:
    both = [", ".join(f"{name} = {value}" for name, value in one.items()) for one in parameters]
    return both[0] if both[0] == both[1] else " | ".join(both)


# --- the smallest game that shows it --------------------------------------------------------


def shrunk(shown: _Shown) -> Witness:
    """Take requests away, one at a time, as long as a difference in this direction remains."""
    game, difference = shown.game, shown.difference
    progress = True
    while progress:
        progress = False
        for smaller in _one_request_less(game):
            left = _same_way(shown.rules, smaller, difference.direction)
            if left is not None:
                game, difference, progress = smaller, left, True
                break
    text = canonical(game_to_json(game))
    step = difference.step
    return Witness(
        difference.direction, step.history, step.request, difference.old, difference.new, text
    )


def _same_way(rules: Rules, game: Game, direction: str) -> Difference | None:
    found = (one for one in differences(rules, game) if one.direction == direction)
    return min(found, key=lambda one: one.step.index, default=None)


def _one_request_less(game: Game) -> Iterator[Game]:
    """Yield the games without one request, those that lose most (near the root) first."""
    for menu in reversed(game.nodes):
        for request in menu:
            if len(menu) > 1 or menu is not game.nodes[-1]:
                yield without_request(game, menu.id, request)


def rounds_change(comparison: Comparison) -> tuple[Fraction, Fraction]:
    """Return the expected rounds of OLD and of NEW, added up over all cases."""
    return (
        sum((Fraction(one.rounds_old) for one in comparison.cases), Fraction(0)),
        sum((Fraction(one.rounds_new) for one in comparison.cases), Fraction(0)),
    )
