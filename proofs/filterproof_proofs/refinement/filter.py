"""A filter of this project's interface as a machine: `start`, `decide`, `observe`, interpreted.

A step shows its index and what its mechanism declares, any pair (odds, delta); whatever else the
code looks at (the law, likelihoods, names, the history) ends the proof: a rule about what is
declared says nothing about it.  The state of the machine is the filter, its own state, and the
index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar

from filterproof.exact import BadEpsilon, Epsilon, Log
from filterproof.filter import OTHER_WAYS, Decision
from filterproof.game import Mechanism, Step
from filterproof.game.law import Declared
from filterproof_proofs.refinement.budget import constants_of
from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.machine import (
    PLAIN,
    Answer,
    Choice,
    Declined,
    Machine,
    Request,
    Shape,
)
from filterproof_proofs.refinement.offers import Offer
from filterproof_proofs.refinement.states import grown_lists, join, split
from filterproof_proofs.refinement.verdicts import written
from filterproof_proofs.symbolic.epsilons import EPSILON, AnyEpsilon
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.memory import held_by
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.paths import Infeasible, Limits, Paths
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import BadState
from filterproof_proofs.symbolic.terms import Term
from filterproof_proofs.symbolic.values import MISSING, Class, Raised

SILENT = Declared(Fraction(1), Fraction(0))
OUTPUT = Name("y")
RUNS = (Decision.CONTINUE, Decision.LAST)


@dataclass(frozen=True, eq=False)
class AnyMechanism:
    """A mechanism of which only the declared pair is known."""

    stands_for: ClassVar[type] = Mechanism

    declared: Declared
    run: Paths

    def __getattr__(self, name: str) -> Hidden:
        return Hidden(lambda: self.run.stuck(f"the mechanism's {name} is looked at"))


@dataclass(frozen=True, eq=False)
class AnyStep:
    """A step of which only the index and the declared pair are known."""

    stands_for: ClassVar[type] = Step

    index: Any
    mechanism: AnyMechanism
    run: Paths

    def __getattr__(self, name: str) -> Hidden:
        return Hidden(lambda: self.run.stuck(f"step.{name} is looked at"))


def any_step(interpreter: Interpreter, index: Any, declared: Declared) -> AnyStep:
    """Return a step of a round that declares this."""
    return AnyStep(index, AnyMechanism(declared, interpreter.run), interpreter.run)


@dataclass(frozen=True)
class Running:
    """A filter in its interpreter, its state, and the index of the next round."""

    interpreter: Interpreter
    filter: Value
    state: Value
    index: Any


@dataclass(frozen=True)
class FilterMachine:
    """Filters of one class."""

    program: Program
    offer: Offer | None = None
    """The parameters that it is made with; None for those that it has without being told."""

    choices: ClassVar[Sequence[Choice]] = PLAIN
    unknown_choices: ClassVar[Sequence[Choice]] = PLAIN
    for_any_names: ClassVar[Machine | None] = None

    @cached_property
    def constants(self) -> Sequence[int]:
        """The whole numbers above 1 that the code names."""
        return constants_of(self.program)

    def first(self, run: Doubles | None, budget: Mapping[str, Any]) -> Running:
        """Return the filter for a budget after the opening round."""
        interpreter = Interpreter(self.program, run or Doubles(Limits()))
        target = interpreter.attribute()
        for way in OTHER_WAYS:
            if isinstance(target, Class) and target.find(way) is not MISSING:
                raise BadState(f"the filter answers through {way}, which is not interpreted")
        interpreter.run.at_the_door = True
        try:
            epsilon = _epsilon(interpreter, budget["odds"])
            given = self._given(interpreter.run, epsilon, budget)
            made = interpreter.call(target, epsilon, budget["delta"], **given)
            state = interpreter.method(made, "start")
        except Raised as error:
            raise Declined(str(error)) from None
        finally:
            interpreter.run.at_the_door = False
            _check(interpreter)
        opened = self.answer(Running(interpreter, made, state, 0), self.opening_step(interpreter))
        if not opened.goes_on:
            raise Declined("it does not go on after the opening round")
        return opened.state  # type: ignore[no-any-return]

    def _given(self, run: Any, epsilon: Epsilon, budget: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters: those offered for a known budget, any such ones for any budget."""
        if self.offer is None:
            return {}
        if isinstance(budget["odds"], Term):
            return self.offer.unknown(run, epsilon)
        return self.offer.known(epsilon, budget["delta"])

    def step(self, run: Doubles | None, state: Running, request: Request) -> Answer:
        """Put one request to the filter."""
        declared = Declared(request.costs["odds"], request.costs["delta"])
        return self.answer(state, any_step(state.interpreter, state.index, declared))

    def opening_step(self, interpreter: Interpreter) -> Any:
        """Return the step of the opening round."""
        return any_step(interpreter, 0, SILENT)

    def output(self, step: Any) -> str:
        """Return the output that is observed: any one."""
        return OUTPUT

    def answer(self, now: Running, step: Any) -> Answer:
        """Return what the filter does with a step."""
        interpreter = now.interpreter
        interpreter.seal(now.state)
        try:
            decision, state = interpreter.method(now.filter, "decide", now.state, step)
            chosen = Decision(decision)
            if chosen is Decision.CONTINUE:
                state = self._observed(now, state, step)
        except Raised as error:
            raise interpreter.unsupported(f"decide or observe raised {error}") from None
        except (TypeError, ValueError) as error:
            raise interpreter.unsupported(f"no decision and state came back: {error}") from None
        _check(interpreter)
        ran = chosen in RUNS
        goes_on = chosen in (Decision.CONTINUE, Decision.REFUSE)
        after = Running(interpreter, now.filter, state, now.index + 1 if ran else now.index)
        return Answer(ran, goes_on, after)

    def _observed(self, now: Running, state: Value, step: Any) -> Value:
        kind = now.filter._kind if hasattr(now.filter, "_kind") else None
        if isinstance(kind, Class) and kind.find("observe") is MISSING:
            return state
        return now.interpreter.method(now.filter, "observe", state, step, self.output(step))

    def split(self, state: Running) -> tuple[Shape, list[Any]]:
        """Return the shape of filter and state, and their numbers with the index."""
        public = state.interpreter.public
        one, numbers = split(state.interpreter, state.filter, "self", public)
        around = {**held_by(state.filter), **public}
        two, more = split(state.interpreter, state.state, "state", around)
        shape = Shape(
            (one.form, two.form),
            (*one.names, *two.names, "step.index"),
            (*one.kinds, *two.kinds, int),
            two.words,
            (*one.lists, *two.lists),
        )
        return shape, [*numbers, *more, state.index]

    def join(self, run: Doubles, shape: Shape, numbers: Sequence[Any]) -> Running:
        """Return a filter and a state of a shape in a fresh interpreter.

        An epsilon has e^epsilon >= 1, whatever the code does: it cannot be made otherwise.
        """
        interpreter = Interpreter(self.program, run)
        left = iter(numbers)
        forms: Any = shape.form
        run.at_the_door = True
        try:
            epsilon = partial(_stored_epsilon, run)
            made, state = (join(interpreter, form, left, epsilon) for form in forms)
        except BadEpsilon:
            raise Infeasible from None
        finally:
            run.at_the_door = False
        return Running(interpreter, made, state, next(left))

    def grow(self, seen: Iterable[Shape]) -> bool:
        """Know lists that have several lengths by a few numbers; return whether there are any."""
        self.program.growing.clear()
        self.program.growing.update(grown_lists(iter(seen)))
        return bool(self.program.growing)

    def opening(self, budget: Mapping[str, Any]) -> str:
        """Return how the filter is made."""
        odds, delta = written(budget["odds"]), written(budget["delta"])
        return f"{self.program.attribute}(log({odds}), {delta})"

    def asking(self, request: Request) -> str:
        """Return what is declared in a request."""
        odds, delta = written(request.costs["odds"]), written(request.costs["delta"])
        return f"declared (log({odds}), {delta})"


def _epsilon(interpreter: Interpreter, odds: Any) -> Log:
    """Return the epsilon of a budget: of any kind where it is not known."""
    return AnyEpsilon(interpreter.run, odds) if isinstance(odds, Term) else Log(odds)


def _stored_epsilon(run: Doubles, odds: Any) -> Log:
    """Return an epsilon that a state holds, of any kind; e^epsilon is at least 1."""
    if not isinstance(odds, Term):
        return Log(odds)
    run.assume(odds.term >= 1)
    return AnyEpsilon(run, odds, f"{EPSILON} of {odds.term}")


def _check(interpreter: Interpreter) -> None:
    """Raise what the code swallowed: something that is not interpreted."""
    if interpreter.run.reason is not None:
        raise interpreter.run.reason
