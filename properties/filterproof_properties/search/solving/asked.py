"""Targets as the solver asks them: filters with whole steps, budget objects with their calls.

A step has an index, a request, a law, what it declares, likelihoods and a history.  The menus that
follow are not there: code that looks at them ends the play before that round.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from filterproof.budget_calls import COSTS, BudgetCalls
from filterproof.game import OPENING, Game, Mechanism, Step
from filterproof.game.law import Declared
from filterproof_proofs.refinement.budget import BudgetMachine, Live
from filterproof_proofs.refinement.filter import SILENT, FilterMachine, Running
from filterproof_proofs.refinement.machine import PLAIN, Answer, Choice, Request
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.names import Hidden
from filterproof_proofs.symbolic.paths import Paths
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_properties.games.families import ASK
from filterproof_properties.search.solving.rounds import NEIGHBOURS, Kind, law_of, outputs_of
from filterproof_properties.targets.budget.named import OTHER, PARTS, choices

PAIRS = (("0", "1"), ("1", "0"))


@dataclass(frozen=True)
class Way:
    """One way to ask: what the request is called, and what the code is given beside costs."""

    name: str = ASK
    choice: Choice = PLAIN[0]
    elsewhere: bool = False
    """Whether it is about another part of the data, or to another object."""

    @property
    def fails(self) -> bool:
        """Whether the mechanism fails."""
        return self.choice.fails


class Asked(Protocol):
    """A target that is made for a budget, and asked."""

    @property
    def costs(self) -> Sequence[str]:
        """What a request costs: epsilon, odds, rho or mu, and perhaps delta."""
        ...

    @property
    def kind(self) -> type:
        """What numbers the code is given: Fraction or float."""
        ...

    @property
    def multiplies(self) -> bool:
        """Whether sizes are odds, which are multiplied, and not added up."""
        ...

    @property
    def ways(self) -> Sequence[Way]:
        """The ways to ask, the plainest first."""
        ...

    def first(self, run: Any, size: Any, delta: Any) -> Any:
        """Return the state at the start."""
        ...

    def step(self, run: Any, state: Any, kind: Kind, size: Any, delta: Any, way: Way) -> Answer:
        """Return what the code does with a request."""
        ...


# --- filters -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AskedMechanism:
    """A mechanism with these losses; its law is made where it is looked at."""

    stands_for = Mechanism

    kind: Kind
    declared: Declared
    run: Paths
    pairs: tuple[tuple[str, str], ...] = PAIRS

    @property
    def stated(self) -> Declared:
        """What is declared by hand."""
        return self.declared

    @property
    def law(self) -> Any:
        """The law, whose rows are known by the odds and delta."""
        odds, delta = self.declared
        p = odds / (1 + odds)
        rows = law_of(self.kind, p, delta)
        return MappingProxyType({y: MappingProxyType(row) for y, row in rows.items()})

    def __getattr__(self, name: str) -> Hidden:
        return Hidden(lambda: self.run.stuck(f"the mechanism's {name} is looked at"))


class AskedGame:
    """A game of two databases."""

    stands_for = Game
    databases, pairs = NEIGHBOURS, PAIRS

    def __init__(self, run: Paths) -> None:
        self.run = run

    def __getattr__(self, name: str) -> Hidden:
        return Hidden(lambda: self.run.stuck(f"step.game.{name} is looked at"))


Rounds = tuple[tuple[Kind, Any, Any, str], ...]
"""The rounds that ran: kind, odds, delta and request of each."""


class AskedStep(Step):
    """A step after some rounds, each of which has released its first output."""

    stands_for = Step
    _ran: Rounds
    _run: Paths

    def __init__(self, index: Any, mechanism: Any, name: str, ran: Rounds, run: Paths) -> None:
        game: Any = AskedGame(run)
        menu = Hidden(lambda: run.stuck("step.menu is looked at"))
        history = tuple((request, outputs_of(kind)[0]) for kind, _, _, request in ran)
        vars(self).update(index=index, mechanism=mechanism, request=name, history=history)
        vars(self).update(game=game, menu=menu, _ran=ran, _run=run)

    @cached_property
    def mass(self) -> Any:
        """The likelihoods, made where they are looked at."""
        found = dict.fromkeys(NEIGHBOURS, Term(self._run, value(1), 1))
        for kind, size, delta, _ in self._ran:
            first = law_of(kind, size / (1 + size), delta)[outputs_of(kind)[0]]
            found = {x: found[x] * p for x, p in first.items()}
        return MappingProxyType(found)


@dataclass(frozen=True)
class Begun:
    """A filter at work, and the rounds that ran."""

    now: Running
    ran: Rounds = ()


class LawMachine(FilterMachine):
    """Filters of one class, which see whole steps."""

    def opening_step(self, interpreter: Interpreter) -> Any:
        """Return the step of the opening round, whose law says nothing."""
        run = interpreter.run
        asked = AskedMechanism(Kind.QUIET, SILENT, run)
        return AskedStep(0, asked, OPENING, (), run)

    def output(self, step: Any) -> str:
        """Return the first output, after which the play goes on."""
        return outputs_of(step.mechanism.kind)[0]


@dataclass(frozen=True)
class AskedFilter:
    """Filters of one class."""

    machine: LawMachine
    costs: ClassVar[Sequence[str]] = ("odds", "delta")
    kind: ClassVar[type] = Fraction
    multiplies: ClassVar[bool] = True
    ways: ClassVar[Sequence[Way]] = (Way(),)

    def first(self, run: Any, size: Any, delta: Any) -> Begun:
        """Return the filter after the opening round."""
        return Begun(self.machine.first(run, {"odds": size, "delta": delta}))

    def step(self, run: Any, state: Begun, kind: Kind, size: Any, delta: Any, way: Way) -> Answer:
        """Put one request to the filter."""
        asked = AskedMechanism(kind, Declared(size, delta), run)
        step = AskedStep(state.now.index, asked, way.name, state.ran, run)
        answer = self.machine.answer(state.now, step)
        ran = (*state.ran, (kind, size, delta, way.name)) if answer.ran else state.ran
        return replace(answer, state=Begun(answer.state, ran))


# --- budget objects ------------------------------------------------------------------------------


@dataclass(frozen=True)
class AskedBudget:
    """Budget objects of one class."""

    machine: BudgetMachine
    costs: Sequence[str]
    ways: Sequence[Way]
    epsilon: float = 1.0
    kind: ClassVar[type] = float
    multiplies: ClassVar[bool] = False

    def first(self, run: Any, size: Any, delta: Any) -> Live:
        """Return fresh objects."""
        budget = {"epsilon": self.epsilon, self.costs[0]: size, "delta": delta}
        return self.machine.first(run, budget)

    def step(self, run: Any, state: Live, kind: Kind, size: Any, delta: Any, way: Way) -> Answer:
        """Put one request to the object."""
        costs = {self.costs[0]: size, "delta": delta}
        return self.machine.step(run, state, Request(costs, way.choice))


def asked_budget(program: Program, calls: BudgetCalls, epsilon: float = 1.0) -> AskedBudget:
    """Return a budget class as it is asked; `calls` are complete."""
    machine = BudgetMachine(program, calls)
    known = {(one.call, one.arguments): number for number, one in enumerate(choices(calls))}
    ways = []
    for one in machine.choices:
        given = tuple(pair for pair in one.arguments if pair[0] != calls.part)
        elsewhere = one.place > 0 or one.part == PARTS[1]
        if (one.call, given) in known and not (one.place and one.part == PARTS[0]):
            name = f"{ASK}|{known[one.call, given]}{OTHER if elsewhere else ''}"
            ways.append(Way(name, one, elsewhere))
    return AskedBudget(machine, COSTS[calls.kind(calls.spend[0])], ways, epsilon)
