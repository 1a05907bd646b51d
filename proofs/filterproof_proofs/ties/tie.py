"""Is a filter's code tied to its theorem?  Every path of a round, from every state.

A rule of `proofs/coq` allows a round by what it counts over the rounds that ran.  The code is
*tied* to it if three things hold on every path, whatever is asked:

* the first state is one that stands for nothing counted;
* from a state that stands for some counts, a round runs only where the rule allows it;
* and the next state stands for the counts with that round.

The code is interpreted on unknown numbers, nothing of it is run.  How states stand for counts is
written down with each rule (`Rule.states`), and shown here, not believed.
"""

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import z3

from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.game import OPENING
from filterproof_proofs.refinement.induction import Clock, TooLong, ask
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.library import is_instance
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.modules import Cached, Library
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.paths import Infeasible, Limits, Paths, TooMuch
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Function,
    Instance,
    Opaque,
    Raised,
    kind_of_instance,
)
from filterproof_proofs.ties.contracts import (
    CONTRACTS,
    ITSELF,
    Order,
    RenyiSum,
    power,
)
from filterproof_proofs.ties.states import State, equal
from filterproof_proofs.ties.world import Moment, Round, Size

RUNS = (Decision.CONTINUE, Decision.LAST)
ODOMETER = "filterproof.odometer"
EXCEEDS = "filterproof.exact.exceeds"
"""Decides p > e^eps*q: unknown numbers answer in its place."""


PATIENCE = 60.0
"""Seconds for one question: most take milliseconds, but a busy machine may be slow."""


class NotTied(Exception):
    """The code does something that the rule does not allow, or that was not shown."""


class Rule(Protocol):
    """A rule of `proofs/coq`, and how the states of a filter stand for what it counts."""

    @property
    def coq(self) -> str:
        """Its name in `proofs/coq`."""
        ...

    @property
    def answers_all(self) -> bool:
        """Whether the rule says what is answered where nothing runs, too."""
        ...

    def parameters(self, now: Round) -> dict[str, Any]:
        """Return what the filter is made with beside epsilon and delta."""
        ...

    def accepted(self, now: Round) -> Any:
        """Return what the theorem asks of the parameters."""
        ...

    def counts(self, now: Round) -> dict[str, Any]:
        """Return what is counted before a round: unknown numbers."""
        ...

    def known(self, now: Round, counts: Mapping[str, Any]) -> Any:
        """Return what is true of everything that is counted; it is shown too."""
        ...

    def first(self, now: Round) -> dict[str, Any]:
        """Return what is counted before the first round."""
        ...

    def after(self, now: Round, before: Moment, y: str) -> dict[str, Any]:
        """Return what is counted once this round has run."""
        ...

    def states(self, machine: "Tied", now: Round, moment: Moment, actual: Any) -> list[State]:
        """Return the states that stand for the counts of a moment, each with its condition.

        `actual` is the state that is looked at, where there is one.
        """
        ...

    def allowed(self, now: Round, before: Moment, decision: Decision) -> Any:
        """Return where the rule lets a round run, and go on."""
        ...

    def told(self, now: Round, moment: Moment, report: Any) -> Any:
        """Return where an odometer may report this."""
        ...


class Tied(Interpreter):
    """An interpreter in which trusted functions answer by their contracts."""

    def __init__(
        self,
        program: Program,
        now: Round,
        replaced: Mapping[str, Any],
        contracts: Mapping[str, Any] = CONTRACTS,
    ) -> None:
        self.now, self.used = now, set[str]()
        self._answers = {**contracts, **replaced}
        super().__init__(program, now.run)

    def call(self, function: Value, *args: Value, **kwargs: Value) -> Value:
        """Call a function, or take its contract's word."""
        path = path_of(function)
        if path in self._answers or path == EXCEEDS:
            self.used.add(path)
        if path not in self._answers:
            return super().call(function, *args, **kwargs)
        return self._answers[path](self.now, *args, **kwargs)

    def evaluate(self, node: Any, scope: Any) -> Value:
        """Return the value of an expression; a power may have an exponent that is not known."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, exponent = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
            if isinstance(exponent, Term):
                return power(self.now, value(base), exponent.term)
            return self.host(operator.pow, base, exponent)
        return super().evaluate(node, scope)

    def get(self, obj: Value, name: str) -> Value:
        """Return an attribute; an order has a denominator, any whole number."""
        if isinstance(obj, Order) and name == "denominator":
            return self.run.unknown("denominator", python_type=int)
        if isinstance(obj, RenyiSum) and name == "rational":
            return functools.partial(ITSELF, obj)
        return super().get(obj, name)

    def module(self, name: str) -> Value:
        """Return a module; of `filterproof.odometer` only what a report is."""
        return Library(name) if name == ODOMETER else super().module(name)

    def library(self, module: str, name: str) -> Value:
        """Return what a known module offers."""
        if module != ODOMETER:
            return super().library(module, name)
        return float("inf") if name == "INFINITE" else Opaque(f"{module}.{name}")


def path_of(function: Value) -> str:
    """Return the module and name of a function or class; a method has none."""
    if isinstance(function, Cached):
        return path_of(function.function)
    if isinstance(function, Function):
        return "" if function.owner else f"{function.scope.module.name}.{function.name}"
    if isinstance(function, Class):
        return f"{function.module.name}.{function.name}"
    module = getattr(function, "__module__", None)
    return f"{module}.{getattr(function, '__qualname__', '')}" if isinstance(module, str) else ""


@dataclass
class Proof:
    """One proof on its way: what is tied to what, and how far it is."""

    program: Program
    rule: Rule
    size: Size
    clock: Clock
    replaced: Mapping[str, Any] = field(default_factory=dict)
    paths: int = 0
    running: int = 0
    """Whether numbers are known that take a path on which a round runs."""
    questions: int = 0
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Path:
    """What must be shown of one path: words, and the formula."""

    runs: bool
    claims: tuple[tuple[str, Any], ...]


def prove(proof: Proof) -> None:
    """Show that the code is tied to the rule, or raise `NotTied`."""
    try:
        _explore(proof, functools.partial(_opening, proof), opening=True)
        for place in range(_count(proof)):
            _explore(proof, functools.partial(_round, proof, place), opening=False)
    except (NeedsKnown, TooMuch, TooLong) as error:
        raise NotTied(str(error)) from None
    if not proof.running:
        raise NotTied("no path runs a round: what runs nothing proves nothing")


def _explore(proof: Proof, play: Callable[[Round], Path], opening: bool) -> None:
    run = Paths(Limits(4000, proof.clock.deadline))
    for case in run.cases(lambda: play(Round(run, proof.size, opening))):
        proof.paths += 1
        if case.value.runs and not opening and not proof.running:
            proof.running += ask(proof.clock, run.complete(case.conditions), PATIENCE)[0] == "sat"
        for words, claim in case.value.claims:
            proof.questions += 1
            formulas = run.complete([*case.conditions, z3.Not(claim)])
            said, model = ask(proof.clock, formulas, PATIENCE)
            if said != "unsat":
                where = "the opening round" if opening else "a round"
                raise NotTied(f"{words} ({where}, the solver says {said}){_model_words(model)}")


def _model_words(model: Any) -> str:
    if model is None:
        return ""
    known = sorted((str(one), model[one]) for one in model.decls() if one.arity() == 0)
    return ": " + ", ".join(f"{name} = {number}" for name, number in known)[:600]


def _count(proof: Proof) -> int:
    """Return how many kinds of states stand for counts."""
    run = Paths(Limits())

    def counted() -> int:
        now = Round(run, proof.size, opening=False)
        machine = Tied(proof.program, now, proof.replaced)
        _make_filter(proof, machine, now)
        return len(proof.rule.states(machine, now, _before(proof, now), None))

    return max(case.value for case in run.cases(counted))


def _make_filter(proof: Proof, machine: Tied, now: Round) -> tuple[Any, Any]:
    """Return the filter, and what the theorem asks of its parameters."""
    chosen = proof.rule.parameters(now)
    try:
        made = machine.call(machine.attribute(), now.epsilon, now.delta, **chosen)
    except Raised as error:
        if is_instance(machine, error.value, ValueError):
            raise Infeasible from None  # refused at the door: no filter, no promise
        raise NotTied(f"the constructor raises {error}") from None
    if isinstance(made, Instance) and kind_of_instance(made).find("decide_many") is not MISSING:
        raise NotTied("it answers through decide_many, which is not interpreted")
    machine.seal()
    return made, proof.rule.accepted(now)


def _opening(proof: Proof, now: Round) -> Path:
    """Follow the constructor, `start` and the opening round."""
    machine = Tied(proof.program, now, proof.replaced)
    made, accepted = _make_filter(proof, machine, now)
    claims = [("the parameters are those of the theorem", accepted)]
    before = Moment(proof.rule.first(now), _terms(now.mass), now.notes.get("inner"))
    state = answered(machine, made, "start")
    decision, state = asked(machine, now, made, state)
    if decision in RUNS or proof.rule.answers_all:
        claims.append(("the opening round is allowed", proof.rule.allowed(now, before, decision)))
    if decision is Decision.CONTINUE:
        y = Name(OPENING)
        claims += _next(proof, machine, now, made, state, proof.rule.after(now, before, y), y)
    elif decision is Decision.REFUSE:
        raise NotTied("it refuses the opening round")
    proof.used |= machine.used
    return Path(decision in RUNS, tuple(claims))


def _terms(mass: Mapping[str, Any]) -> dict[str, Any]:
    return {x: value(one) for x, one in mass.items()}


def _before(proof: Proof, now: Round) -> Moment:
    counts = proof.rule.counts(now)
    now.run.assume(proof.rule.known(now, counts))
    return Moment(counts, _terms(now.mass), now.notes.get("inner"))


def _round(proof: Proof, place: int, now: Round) -> Path:
    """Follow one round from a state that stands for some counts."""
    machine = Tied(proof.program, now, proof.replaced)
    made, _ = _make_filter(proof, machine, now)
    before = _before(proof, now)
    states = proof.rule.states(machine, now, before, None)
    if place >= len(states):
        raise Infeasible
    condition, state = states[place]
    now.run.assume(condition)
    decision, after = asked(machine, now, made, state)
    claims = []
    if decision in RUNS or proof.rule.answers_all:
        claims.append(("the rule allows it", proof.rule.allowed(now, before, decision)))
    if decision is Decision.REFUSE:
        claims += _stands(proof, machine, now, after, before.counts, before.mass)
    if decision is Decision.CONTINUE:
        y = _released_output(now)
        claims += _next(proof, machine, now, made, after, proof.rule.after(now, before, y), y)
    proof.used |= machine.used
    return Path(decision in RUNS, tuple(claims))


def _released_output(now: Round) -> str:
    """Return an output that some database can give now; every one on some path."""
    every = list(now.outputs())
    for y in every[:-1]:
        if now.run.branch(z3.Real(f"{y} is released") > 0):
            return y
    return every[-1]


def _next(
    proof: Proof, machine: Tied, now: Round, made: Any, state: Any, counts: Any, y: str
) -> list[tuple[str, Any]]:
    """Return that the state after an output stands for the counts, and that a report is right."""
    now.released, mass = y, now.mass_after(y)
    now.run.assume(z3.Or(*(one > 0 for one in mass.values())))
    if not isinstance(made, Instance) or kind_of_instance(made).find("observe") is not MISSING:
        state = answered(machine, made, "observe", state, now.step_now, y)
    claims = _stands(proof, machine, now, state, counts, mass)
    if isinstance(made, Instance) and kind_of_instance(made).find("reported") is not MISSING:
        told = _report(answered(machine, made, "reported", state))
        moment = Moment(counts, mass, now.notes.get("inner"))
        claims.append(("the report is one of the rule's", proof.rule.told(now, moment, told)))
    return claims


def _stands(
    proof: Proof, machine: Tied, now: Round, state: Any, counts: Any, mass: Any
) -> list[tuple[str, Any]]:
    """Return that a state stands for counts: it is like one of those that do."""
    moment = Moment(counts, mass, now.notes.get("inner"))
    found = []
    for condition, expected in proof.rule.states(machine, now, moment, state):
        alike = equal(state, expected)
        if alike is not None:
            found.append(z3.And(condition, alike))
    return [
        ("what is counted is what it should be", proof.rule.known(now, counts)),
        ("the next state stands for what was counted", z3.Or(*found)),
    ]


def asked(machine: Tied, now: Round, made: Any, state: Any) -> tuple[Decision, Any]:
    """Return what a filter decides in this round, and its next state."""
    now.step_now = now.step()
    machine.seal(state)
    answer = answered(machine, made, "decide", state, now.step_now)
    try:
        decision, after = answer
        return Decision(decision), after
    except (TypeError, ValueError) as error:
        raise NotTied(f"no decision and state came back: {error}") from None


def answered(machine: Tied, made: Any, method: str, *args: Any) -> Any:
    """Return what a method says; raise if it raises, or if something is not interpreted."""
    try:
        answer = machine.method(made, method, *args)
    except Raised as error:
        raise NotTied(f"{method} raises {error}") from None
    if machine.run.reason is not None:
        raise machine.run.reason
    return answer


def _report(said: Any) -> Any:
    """Return the odds that are reported, None for an infinite report."""
    if isinstance(said, Log):
        return value(said.argument)
    if type(said) is float and said == float("inf"):
        return None
    if isinstance(said, (Fraction, int)) and not isinstance(said, Term):
        return Fraction(said)
    raise NotTied(f"a report of another kind: {type(said).__name__}")
