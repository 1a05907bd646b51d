"""What must hold on a path of a round, each written as what would have to be true if it failed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import z3

from filterproof.filter import Decision
from filterproof.game.law import Pair
from filterproof_proofs.potential import rules
from filterproof_proofs.potential.plays import After, Crash, Played
from filterproof_proofs.potential.rounds import World, total
from filterproof_proofs.symbolic.paths import Case
from filterproof_proofs.symbolic.shapes import Shape
from filterproof_proofs.symbolic.terms import value

CRASH = "the code does not raise"
MARGINS = (Fraction(1, 10), Fraction(1, 100))


@dataclass(frozen=True)
class Obligation:
    """A rule, and formulas that hold together only where it fails; `gap` is by how much."""

    rule: str
    failure: tuple[Any, ...]
    gap: Any = None
    crash: Crash | None = None
    suppose: tuple[Any, ...] = ()
    """What would help if it were true."""

    def wide(self, margin: Fraction) -> tuple[Any, ...]:
        """Return the failure with a margin that can be seen."""
        return (*self.failure, self.gap > value(margin))


def obligations(world: World, played: Played | Crash) -> Iterator[Obligation]:
    """Yield what must be asked about one path."""
    if isinstance(played, Crash):
        yield Obligation(CRASH, (z3.BoolVal(True),), crash=played)
        return
    if not played.start:
        yield Obligation(rules.FIRST_INVARIANT, (z3.BoolVal(True),))
        return
    if world.opening:
        for number in played.before.values():
            yield _below(rules.START, value(number), world.delta.term)
            yield _below(rules.NEGATIVE, z3.RealVal(0), value(number))
    for cases in played.then.values():
        yield from _what_follows_is_allowed(cases)
    for pair, number in played.before.items():
        yield from _round_is_paid_for(world, played, pair, value(number))


def _below(rule: str, left: Any, right: Any, *conditions: Any) -> Obligation:
    return Obligation(rule, (left > right, *conditions), left - right)


def _what_follows_is_allowed(cases: list[Case[After | Crash]]) -> Iterator[Obligation]:
    """Whatever follows an output is allowed: nothing raised, the invariant holds, B >= 0."""
    for case in cases:
        if isinstance(case.value, Crash):
            yield Obligation(CRASH, _all(case.conditions), crash=case.value)
        elif not case.value.kept:
            yield Obligation(rules.INVARIANT, _all(case.conditions))
        else:
            for number in case.value.potential.values():
                zero = z3.RealVal(0)
                yield _below(rules.NEGATIVE, zero, value(number), *case.conditions)


def _all(conditions: tuple[Any, ...]) -> tuple[Any, ...]:
    return conditions or (z3.BoolVal(True),)


def _round_is_paid_for(
    world: World, played: Played, pair: Pair, before: Any
) -> Iterator[Obligation]:
    if played.decision is Decision.LAST:
        yield _below(rules.LAST, world.charge(pair), before)
    if played.decision is Decision.REFUSE:
        yield _below(rules.REFUSAL, _potential(world, played.then[""], pair), before)
    if played.decision is Decision.CONTINUE:
        left = [
            value(world.law[y][world.first]) * _potential(world, cases, pair)
            for y, cases in played.then.items()
        ]
        rests = [z3.Real(name) for name in sorted(world.paths.equals)]
        charge = world.paths.named(world.charge(pair))
        paid = _below(rules.PAYS, total(left) + charge, before)
        yield replace(paid, suppose=tuple(charge + rest <= before for rest in rests))


def _potential(world: World, cases: list[Case[After | Crash]], pair: Pair) -> Any:
    """Return the pair's potential after an output as one number; 0 if the output never comes."""
    known = [
        Case(case.conditions, case.value.potential[pair])
        for case in cases
        if isinstance(case.value, After)
    ]
    return value(world.paths.joined(known)) if known else z3.RealVal(0)


def shapes(played: Played | Crash) -> set[Shape]:
    """Return the shapes of the states in which the play can go on."""
    if isinstance(played, Crash):
        return set()
    cases = [case.value for cases in played.then.values() for case in cases]
    return {after.shape for after in cases if isinstance(after, After)}
