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
from filterproof.filter import Decision, ProtocolError
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof_proofs.symbolic.paths import Case, Infeasible
from filterproof_proofs.symbolic.rounds import World
from filterproof_proofs.symbolic.states import BadState, Shape, fill, numbers, shape_of
from filterproof_proofs.symbolic.terms import Term, value

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
    """The filter under proof: the target, and the parameters it is made with."""

    target: Callable[..., Any]
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

    def rule(self, world: World) -> Any:
        """Make the filter for any budget and any parameters that it accepts."""
        chosen = self.filled(
            lambda name, kind: world.paths.unknown(
                name, python_type=int if kind is int else Fraction
            ),
            world.epsilon(),
        )
        world.paths.at_the_door = True
        try:
            rule = self.target(world.epsilon(), world.delta, **chosen)
        except ValueError as error:
            raise Infeasible from error  # refused at the door: no filter, no promise
        except Exception as error:
            raise ProtocolError(f"the target raised {type(error).__name__}: {error}") from error
        finally:
            world.paths.at_the_door = False
        if getattr(rule, "remaining", None) is None:
            raise NoPotential(f"{type(rule).__name__} has no remaining(state, step, pair)")
        return rule


def _naming(name: str, number: Callable[[str, type], Any]) -> Callable[[type], Any]:
    """Give the first number of a parameter the parameter's name, and the others numbered ones."""
    names = chain([name], (f"{name}[{i}]" for i in count(1)))
    return lambda kind: number(next(names), kind)


def play(subject: Subject, world: World) -> Played | Crash:
    """Run one round of the filter along the path that is being explored."""
    for fact in world.facts:
        world.paths.assume(fact)
    rule = subject.rule(world)
    try:
        return _round(rule, world)
    except (BadState, ProtocolError):
        raise
    except Exception as error:
        return Crash("decide()", error)


def _round(rule: Any, world: World) -> Played:
    step, now = world.step(), world.before()
    state = rule.start() if world.opening else world.state()
    if world.opening and not invariant(rule, state, now):
        return Played(Decision.HALT, {}, {}, start=False)
    if not invariant(rule, state, now):
        raise Infeasible
    before = {pair: _merged(rule, state, now, pair, world) for pair in now.pairs}
    if not world.opening:
        for number in before.values():
            world.paths.assume(value(number) >= 0)
    decision, after = _answer(rule.decide(state, step))
    asked = {pair: number for pair, number in before.items() if pair[0] is world.first}
    return Played(decision, asked, _then(rule, world, step, decision, after))


def _then(
    rule: Any, world: World, step: Step, decision: Decision, state: Any
) -> dict[Output, list[Case[After | Crash]]]:
    if decision is Decision.REFUSE:
        return {"": world.paths.cases(lambda: _guarded(rule, state, world.before(), world))}
    if decision is not Decision.CONTINUE:
        return {}
    observe = getattr(rule, "observe", lambda state, step, y: state)

    def released(y: Output) -> After | Crash:
        if not world.law[y][world.first]:
            raise Infeasible
        try:
            later = observe(state, step, y)
        except Exception as error:
            return Crash("observe()", error)
        return _guarded(rule, later, world.released(y), world)

    return {y: world.paths.cases(partial(released, y)) for y in world.law}


def _guarded(rule: Any, state: Any, step: Step, world: World) -> After | Crash:
    try:
        return _after(rule, state, step, world)
    except BadState:
        raise
    except Exception as error:
        return Crash("remaining()", error)


def _after(rule: Any, state: Any, step: Step, world: World) -> After:
    shape = shape_of(state)
    if any(isinstance(one, Term) and one.degree for one in numbers(state)):
        raise world.paths.stuck("a mass is kept in the state: only ratios of masses count")
    own = [pair for pair in step.game.pairs if pair[0] is world.first]
    potential = {pair: number_of(rule.remaining(state, step, pair), pair) for pair in own}
    return After(potential, shape, invariant(rule, state, step))


def _merged(rule: Any, state: Any, step: Step, pair: Pair, world: World) -> Any:
    """Return the potential of a pair, all its cases in one number."""
    cases = world.paths.cases(lambda: number_of(rule.remaining(state, step, pair), pair))
    return world.paths.joined(cases)


def number_of(remaining: Any, pair: Pair) -> Fraction:
    """Return what `remaining` said as one number, or say what is wrong with it."""
    if isinstance(remaining, ExpLinear) and not remaining.b:
        return remaining.a
    if isinstance(remaining, (Fraction, int)) and not isinstance(remaining, bool):
        return remaining if isinstance(remaining, Fraction) else Fraction(remaining)
    raise ProtocolError(f"remaining() must return a number for {pair}; got {remaining!r:.100}")


def invariant(rule: Any, state: Any, step: Step) -> bool:
    """Return what the filter says that it knows about its states; True if it says nothing."""
    method = getattr(rule, "invariant", None)
    return True if method is None else bool(method(state, step))


def _answer(answer: Any) -> tuple[Decision, Any]:
    if not (isinstance(answer, tuple) and len(answer) == 2 and answer[0] in set(Decision)):
        raise ProtocolError("decide() must return (decision, state)")
    return Decision(answer[0]), answer[1]
