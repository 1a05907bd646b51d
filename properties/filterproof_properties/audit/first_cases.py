"""What an audit tries before all else: what is known of this target, and what its code suggests."""

from collections.abc import Sequence
from fractions import Fraction

from filterproof_properties.audit.code import CodeVerdict
from filterproof_properties.audit.coverage_record import own_code
from filterproof_properties.case import Case
from filterproof_properties.games import interactive, odometers, promised
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.options.settings import Settings
from filterproof_properties.search.constants import EPSILON, Constants, cases, constants_in
from filterproof_properties.search.plan import (
    CONSTANTS,
    IDEAS,
    LONG_CONSTANTS,
    REMEMBERED,
    SPECIMEN,
)
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.coverage.own_code import OwnFile
from filterproof_properties.targets.target import Loaded

LONG = 24
"""Plays of more rounds are a task of their own, so that they do not take the time of others."""
DELTA = Fraction(1, 100)
"""Where the user fixes no budget, games from constants are played at (1, 1/100)."""


def first_cases(
    target: Loaded, code: CodeVerdict | None, settings: Settings
) -> dict[str, Sequence[Case]]:
    """Return cases by the name of their source, in the order in which they are tried.

    They are what broke it before, then a known-bad filter's specimen, or rounds that the prover has
    refuted, what budget objects are known to lose, and games made from constants in its own code.
    """
    games = {**SPECIMENS, **odometers.SPECIMENS}
    known = games.get(target.spec) if target.expected_sound is False else None
    before: dict[str, Sequence[Case]] = {REMEMBERED: target.remembered}
    if known is not None and not settings.budget_is_fixed:
        return {**before, SPECIMEN: [known()]}
    ideas = () if _is_chosen(target.spec, settings) else (*(code.ideas if code else ()),)
    objects = () if _is_chosen(target.spec, settings) else _known_losses(target.spec)
    return {
        **before,
        IDEAS: [*ideas, *objects],
        **from_constants(target.spec, own_code(target), settings),
    }


def _is_chosen(spec: str, settings: Settings) -> bool:
    """Whether the user has chosen a budget; that pure objects have δ = 0 is not a choice."""
    pure = is_budget_object(spec) and settings.delta == 0
    return settings.epsilon is not None or (settings.delta is not None and not pure)


def _known_losses(spec: str) -> list[Case]:
    """Return the games that it is about, or that budget objects are known to lose."""
    about = {**promised.FIRST, **interactive.FIRST}
    if spec in about:
        return about[spec]()
    if not is_budget_object(spec):
        return []
    from filterproof_properties.targets.budget.ideas import ideas  # loads numpy

    return ideas(named(spec)[1])


def from_constants(
    spec: str, own: Sequence[OwnFile], settings: Settings, *, changed: bool = False
) -> dict[str, Sequence[Case]]:
    """Return the games made from the constants in some code or what changed of it, in two parts."""
    found = constants_in(own, changed=changed)
    made = _from_constants(spec, found, settings) if own and settings.attacks else []
    return {
        CONSTANTS: [case for case in made if case.game.depth <= LONG],
        LONG_CONSTANTS: [case for case in made if case.game.depth > LONG],
    }


def _from_constants(spec: str, found: Constants, settings: Settings) -> list[Case]:
    budget = (
        EPSILON if settings.epsilon is None else settings.epsilon,
        DELTA if settings.delta is None else settings.delta,
    )
    free = not _is_chosen(spec, settings)
    return cases(found, budget, named=not is_budget_object(spec), free=free)
