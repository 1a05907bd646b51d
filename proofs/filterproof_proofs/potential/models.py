"""From a solver's model to one round in small rational numbers.

A model may have long or irrational numbers.  One number after the other is replaced by a simple one
nearby, as long as the solver still agrees.  What is left irrational is rounded; the replay decides.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from filterproof.exact import Log
from filterproof.game.law import Law
from filterproof_proofs.potential.plays import Subject
from filterproof_proofs.potential.questions import LITTLE
from filterproof_proofs.potential.replay import NotAllowed
from filterproof_proofs.potential.rounds import (
    DECLARED_DELTA,
    DECLARED_ODDS,
    DELTA,
    INDEX,
    ODDS,
    World,
)
from filterproof_proofs.potential.verdicts import KnownState, Round
from filterproof_proofs.symbolic.epsilons import EPSILON, KIND
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.paths import names

DENOMINATORS = (1, 2, 3, 4, 5, 8, 10, 20, 100, 1000)
DIGITS = 30


@dataclass(frozen=True)
class Numbers:
    """A value for every number of the round, by name."""

    values: dict[str, Fraction]

    def __getitem__(self, name: str) -> Fraction:
        return self.values.get(name, Fraction(0))

    def of_kind(self, name: str, kind: type) -> Any:
        """Return the number as an int where one is needed."""
        value = self[name]
        if kind is not int:
            return value
        if value.denominator != 1:
            raise NotAllowed(f"{name} must be an integer; got {value}")
        return int(value)


def simplified(formulas: list[Any], model: Any, whole: Iterable[str] = ()) -> Numbers:
    """Return values that satisfy the formulas, as simple as they come."""
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", LITTLE)
    solver.add(*formulas)
    variables = [one for one in model.decls() if not one.arity()]
    for variable in sorted(variables, key=lambda one: str(one.name())):
        for simple in _nearby(_number(model, variable()), variable.name() in set(whole)):
            solver.push()
            solver.add(variable() == z3.RealVal(f"{simple.numerator}/{simple.denominator}"))
            if solver.check() == z3.sat:
                model = solver.model()
                break
            solver.pop()
    return Numbers({one.name(): _number(model, one()) for one in variables})


def _nearby(value: Fraction, whole: bool) -> Iterator[Fraction]:
    seen: set[Fraction] = set()
    for most in DENOMINATORS[: 1 if whole else None]:
        near = value.limit_denominator(most)
        if near not in seen:
            seen.add(near)
            yield near


def _number(model: Any, variable: Any) -> Fraction:
    found = model.eval(variable, model_completion=True)
    if z3.is_algebraic_value(found):
        found = found.approx(DIGITS)
    return Fraction(found.as_fraction())


def whole_names(subject: Subject) -> list[str]:
    """Return the numbers that must be integers: the index, and parameters that are counted."""
    return [INDEX, *subject.whole()]


def round_of(
    world: World, subject: Subject, numbers: Numbers, conditions: Iterable[Any] = ()
) -> Round:
    """Return the round that a model describes, on a path with these conditions."""
    rational = any(z3.is_not(one) and KIND in names(one) for one in conditions)
    epsilon = numbers[EPSILON] if rational else Log(numbers[ODDS])
    stated = world.declared.get("")
    declared = (numbers[DECLARED_ODDS], numbers[DECLARED_DELTA]) if stated else None
    return Round(
        index=0 if world.opening else numbers.of_kind(INDEX, int),
        epsilon=epsilon,
        delta=numbers[DELTA],
        parameters=subject.filled(lambda name, kind: numbers.of_kind(name, kind), epsilon),
        state=None if world.opening else _state(world, numbers),
        mass=_masses(world, numbers),
        law=_law(world, "", numbers),
        declared=declared,
        after=_after(world, numbers),
        others={"other": _law(world, "'", numbers)} if "'" in world.laws else {},
    )


def _state(world: World, numbers: Numbers) -> KnownState:
    assert world.kind.shape is not None
    kinds: list[type] = []

    def noted(kind: type) -> Fraction:
        kinds.append(kind)
        return Fraction(0)

    fill(world.kind.shape, noted, Fraction(0), _any_class)
    named = [numbers.of_kind(f"state[{i}]", kind) for i, kind in enumerate(kinds)]
    return KnownState(world.kind.shape, tuple(named))


def _any_class(module: str, name: str) -> Any:
    """Stand for a class of the code where only the holes of a shape are counted."""
    return None


def _masses(world: World, numbers: Numbers) -> dict[str, Fraction]:
    free = {} if world.opening else {a: numbers[f"mass[{a}]"] for a in world.databases}
    return {
        str(a): Fraction(1) if world.opening or a is world.first else free[a]
        for a in world.databases
    }


def _law(world: World, tag: str, numbers: Numbers) -> Law:
    if tag not in world.laws:
        return {str(y): {str(a): Fraction(1) for a in row} for y, row in world.law.items()}
    *others, last = world.laws[tag]
    law: dict[str, dict[str, Fraction]] = {str(y): {} for y in world.laws[tag]}
    for a in world.databases:
        for y in others:
            law[str(y)][str(a)] = numbers[f"P{tag}_{a}({y})"]
        law[str(last)][str(a)] = 1 - sum((law[str(y)][str(a)] for y in others), Fraction(0))
    return law


def _after(world: World, numbers: Numbers) -> dict[str, dict[str, Law]]:
    if world.kind.menus is None:
        return {}
    offers = zip(world.law, world.kind.menus.after, strict=True)
    return {str(y): {r: _law(world, f"[{y},{r}]", numbers) for r in offer} for y, offer in offers}
