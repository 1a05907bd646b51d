"""The filter's own code in one round, on every path: what it decides and what its potential does.

`play` is run once per path.  What follows an output is explored by itself and put together again
as one number per pair, so that paths of different outputs add up and do not multiply.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, count
from typing import Any

from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import OTHER_WAYS, Decision, ProtocolError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof_proofs.potential.rounds import PARAMETER, World
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.kinds import kind_of
from filterproof_proofs.symbolic.library import is_instance
from filterproof_proofs.symbolic.memory import held_by
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.paths import Case, Infeasible
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import Around, Shape, numbers, shape_of
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.values import Raised, kind_of_instance, type_name

Potential = dict[Pair, Any]


class NoPotential(ValueError):
    """A filter without `remaining`: there is nothing to prove it by."""


@dataclass(frozen=True)
class Crash:
    """The code raised on this path."""

    where: str
    error: Exception


@dataclass(frozen=True)
class After:
    """What is known after an output (or a refusal): the potential, the shape, the invariant."""

    potential: Potential
    shape: Shape
    kept: bool


@dataclass(frozen=True)
class Played:
    """One path of a round: the answer, the potential before, and what each output leads to."""

    decision: Decision
    before: Potential
    then: dict[Output, list[Case[After | Crash]]]
    start: bool = True
    """Whether the invariant holds of the first state; True in every later round."""


@dataclass(frozen=True)
class Subject:
    """The filter under proof: the target's source, and the parameters it is made with."""

    program: Program
    parameters: Mapping[str, Shape]

    def filled(self, number: Callable[[str, type], Any], epsilon: Epsilon) -> dict[str, Any]:
        """Return the parameters, with a number for each of theirs."""
        made = {}
        for name, shape in self.parameters.items():
            made[name] = fill(shape, _naming(name, number), epsilon)
        return made

    def whole(self) -> list[str]:
        """Return the names of the parameters that are integers."""
        found: list[str] = []
        self.filled(
            lambda name, kind: found.append(name) if kind is int else Fraction(0), Fraction(0)
        )
        return found

    def rule(self, machine: Interpreter, world: World) -> Any:
        """Make the filter for any budget and any parameters that it accepts."""
        chosen = self.filled(
            lambda name, kind: world.paths.unknown(name, python_type=kind), world.epsilon()
        )
        try:
            rule = machine.call(machine.attribute(), world.epsilon(), world.delta, **chosen)
        except Raised as error:
            if is_instance(machine, error.value, ValueError):
                raise Infeasible from error  # refused at the door: no filter, no promise
            raise ProtocolError(f"the target raised {error}") from error
        check_interface(rule)
        machine.seal()
        return rule


def check_interface(rule: Any) -> None:
    """Say so if a filter, or one that it is made of, is not what the proof speaks of."""
    while rule is not None:
        name = type_name(rule)
        if getattr(rule, "remaining", None) is None:
            raise NoPotential(f"{name} has no remaining(state, step, pair): see docs/PROVE.md")
        for way in OTHER_WAYS:
            if getattr(rule, way, None) is not None:
                raise ProtocolError(f"{name} answers through {way}(); a proof is about decide()")
        rule = getattr(rule, "inner", None)


def _naming(name: str, number: Callable[[str, type], Any]) -> Callable[[type], Any]:
    """Give the first number of a parameter the parameter's name, and the others numbered ones."""
    names = chain([f"{PARAMETER}{name}"], (f"{PARAMETER}{name}[{i}]" for i in count(1)))
    return lambda kind: number(next(names), kind)


def play(subject: Subject, world: World) -> Played | Crash:
    """Run one round of the filter along the path that is being explored."""
    for fact in world.facts:
        world.paths.assume(fact)
    machine = Interpreter(subject.program, world.paths)
    rule = subject.rule(machine, world)
    try:
        return _round(machine, rule, world)
    except Raised as error:
        return Crash("decide()", error)


def _round(machine: Interpreter, rule: Any, world: World) -> Played:
    step, now = world.step(), world.before()
    first = world.opening
    state = machine.method(rule, "start") if first else world.state(machine.find)
    if first and not invariant(rule, state, now):
        return Played(Decision.HALT, {}, {}, start=False)
    if not invariant(rule, state, now):
        raise Infeasible
    before = {pair: _potential_in_one(machine, rule, state, now, pair, world) for pair in now.pairs}
    if not world.opening:
        for number in before.values():
            world.paths.assume(value(number) >= 0)
    decision, after = _answer(machine.method(rule, "decide", state, step))
    asked = {pair: number for pair, number in before.items() if pair[0] is world.first}
    return Played(decision, asked, _then(machine, rule, world, step, decision, after))


def _then(
    machine: Interpreter, rule: Any, world: World, step: Step, decision: Decision, state: Any
) -> dict[Output, list[Case[After | Crash]]]:
    if decision is Decision.REFUSE:
        return {"": world.paths.cases(lambda: _after_or_crash(machine, rule, state, None, world))}
    if decision is not Decision.CONTINUE:
        return {}

    def released(y: Output) -> After | Crash:
        if not world.law[y][world.first]:
            raise Infeasible
        with machine.sealed():
            try:
                later = observed(machine, rule, state, step, y)
            except Raised as error:
                return Crash("observe()", error)
            return _after_or_crash(machine, rule, later, y, world)

    return {y: world.paths.cases(partial(released, y)) for y in world.law}


def observed(machine: Interpreter, rule: Any, state: Any, step: Step, y: Output) -> Any:
    """Return the state after an output; a filter without `observe` keeps its state."""
    method = getattr(rule, "observe", None)
    return state if method is None else machine.call(method, state, step, y)


def _after_or_crash(
    machine: Interpreter, rule: Any, state: Any, y: Output | None, world: World
) -> After | Crash:
    step = world.before() if y is None else world.released(y)
    with machine.sealed():
        try:
            return _after(machine, rule, state, step, world)
        except Raised as error:
            return Crash("remaining()", error)


def _after(machine: Interpreter, rule: Any, state: Any, step: Step, world: World) -> After:
    shape = shape_of(state, Around({**held_by(rule), **machine.public}))
    if any(isinstance(one, Term) and one.degree for one in numbers(state)):
        raise world.paths.stuck("a mass is kept in the state: only ratios of masses count")
    own = [pair for pair in step.game.pairs if pair[0] is world.first]
    potential = {pair: _remaining(rule, state, step, pair) for pair in own}
    return After(potential, shape, invariant(rule, state, step))


def _potential_in_one(
    machine: Interpreter, rule: Any, state: Any, step: Step, pair: Pair, world: World
) -> Any:
    """Return the potential of a pair, all its cases in one number."""

    def alone() -> Any:
        with machine.sealed():
            try:
                return _remaining(rule, state, step, pair)
            except Raised as error:  # one of its cases does: the others would be lost with it
                raise world.paths.stuck(f"remaining() can raise {error}") from None

    return world.paths.joined(world.paths.cases(alone))


def _remaining(rule: Any, state: Any, step: Step, pair: Pair) -> Fraction:
    machine = kind_of_instance(rule).machine
    return number_of(machine.call(machine.get(rule, "remaining"), state, step, pair), pair)


def number_of(remaining: Any, pair: Pair) -> Fraction:
    """Return what `remaining` said as one number, or say what is wrong with it."""
    if isinstance(remaining, ExpLinear) and not (type(remaining.b) is Fraction and remaining.b):
        return remaining.a
    if kind_of(remaining) in (int, Fraction) and not isinstance(remaining, bool):
        return remaining if isinstance(remaining, Fraction) else Fraction(remaining)
    raise ProtocolError(f"remaining() must return an exact number for {pair}")


def invariant(rule: Any, state: Any, step: Step) -> bool:
    """Return what the filter says that it knows about its states; True if it says nothing."""
    machine = kind_of_instance(rule).machine
    method = getattr(rule, "invariant", None)
    return True if method is None else machine.truth(machine.call(method, state, step))


DECISIONS = {str(one): one for one in Decision}


def _answer(answer: Any) -> tuple[Decision, Any]:
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], str):
        raise ProtocolError("decide() must return (decision, state)")
    if isinstance(answer[0], Name) or answer[0] not in DECISIONS:
        raise ProtocolError(f"a decision is one of {[*map(str, Decision)]}")
    return DECISIONS[answer[0]], answer[1]
