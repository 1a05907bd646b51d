"""Proves or refutes a filter's own code: every shape of state, every path, every question.

The proof is an induction over rounds.  The opening round starts from the filter's first state.
Every later round starts from *any* state of a shape that some round leads to, as long as its
invariant holds and its potential is not negative; both are proved of every state that follows.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from typing import Any

import z3

from filterproof.exact import Epsilon
from filterproof.filter import Decision, ProtocolError, parameter_sets
from filterproof_proofs.potential.models import round_of, simplified, whole_names
from filterproof_proofs.potential.obligations import CRASH, MARGINS, Obligation, obligations, shapes
from filterproof_proofs.potential.plays import Crash, Played, Subject, play
from filterproof_proofs.potential.questions import LITTLE, MUCH, SAT, UNKNOWN, UNSAT, Answer, Asker
from filterproof_proofs.potential.replay import NotAllowed, replay
from filterproof_proofs.potential.rounds import Kind, NeedsMenus, World, all_menus
from filterproof_proofs.potential.verdicts import (
    CodeProof,
    OpenQuestion,
    Part,
    Refutation,
    Round,
    SecondOpinions,
    Verdict,
)
from filterproof_proofs.smt.cvc5_solver import SecondOpinion
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Case, Limits, Paths, TooMuch
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.shapes import BadState, Shape, describe, shape_of
from filterproof_proofs.symbolic.terms import value
from filterproof_proofs.symbolic.values import Raised

MOST_SHAPES = 64
SECOND_EFFORT, SECOND_PATIENCE = 200_000, 20.0
NOTHING_RUNS = "no path runs a mechanism: what runs nothing proves nothing"


class CannotRun(ProtocolError):
    """The target cannot be run on unknown numbers: the message names the line and the reason."""


class Disagreement(RuntimeError):
    """The second solver found a model of a question that the first one denied."""


@dataclass(frozen=True)
class Effort:
    """How hard to try: outputs of a law, databases, processor seconds, effort for one question."""

    outputs: int = 3
    databases: int = 2
    seconds: float = 600.0
    paths: int = 20_000
    effort: int = MUCH
    second_opinion: bool = True

    def __post_init__(self) -> None:
        if self.outputs < 1 or self.databases < 2:
            raise ValueError(
                "a proof needs laws of at least 1 output and at least 2 databases; "
                f"got {self.outputs} and {self.databases}"
            )


@dataclass
class _Proof:
    """What is known so far."""

    subject: Subject
    effort: Effort
    limits: Limits
    on_event: Callable[[str], object]
    menus: bool = False
    runs: bool = False
    parts: list[Part] = field(default_factory=list)
    open: list[OpenQuestion] = field(default_factory=list)
    denied: list[list[Any]] = field(default_factory=list)
    refutation: Refutation | None = None


def prove(
    program: Program,
    effort: Effort | None = None,
    name: str = "",
    on_event: Callable[[str], object] = str,
) -> CodeProof:
    """Return the verdict on a target's source; `CannotRun` says which line needs a known number."""
    effort = effort or Effort()
    begun = time.monotonic()
    limits = Limits(effort.paths, time.monotonic() + effort.seconds)
    proofs: list[_Proof] = []
    try:
        with _said_why():
            subjects = _subjects(program, limits)
        proofs += [
            _prove_with_or_without_menus(subject, effort, limits, on_event) for subject in subjects
        ]
    except TooMuch as error:
        never = _Proof(Subject(program, {}), effort, limits, on_event)
        never.open.append(OpenQuestion("the whole proof", str(error), 0.0))
        proofs.append(never)
    return _verdict(name, effort, proofs, begun)


@contextmanager
def _said_why() -> Iterator[None]:
    """Turn what the interpreter could not go on with into `CannotRun`."""
    try:
        yield
    except (NeedsKnown, BadState) as error:
        raise CannotRun(str(error)) from None
    except Raised as error:
        raise CannotRun(f"the target raised {error}") from None


def _subjects(program: Program, limits: Limits) -> list[Subject]:
    """Return the target with each set of parameters that it wants to be tried with, as unknowns."""
    found: list[Subject] = []
    for one in offered(program, Fraction(1), Fraction(1, 10), 3, limits):
        subject = Subject(program, {name: shape_of(value) for name, value in one.items()})
        found += [subject] if subject not in found else []
    return found


def offered(
    program: Program, epsilon: Epsilon, delta: Fraction, depth: int, limits: Limits
) -> list[dict[str, Any]]:
    """Return the sets of parameters that a target's source offers."""
    run = Paths(limits)

    def asked() -> list[dict[str, Any]]:
        return parameter_sets(Interpreter(program, run).attribute(), epsilon, delta, depth)

    (case,) = run.cases(asked)
    return case.value


def _prove_with_or_without_menus(
    subject: Subject, effort: Effort, limits: Limits, on_event: Callable[[str], object]
) -> _Proof:
    """Prove with the menus of the next round left out; with them, if the filter looks at them."""
    with _said_why():
        try:
            return _go_through_shapes(_Proof(subject, effort, limits, on_event))
        except NeedsMenus:
            return _go_through_shapes(_Proof(subject, effort, limits, on_event, menus=True))


def _go_through_shapes(proof: _Proof) -> _Proof:
    """Go through the shapes of states until no new one turns up."""
    todo: list[Shape | None] = [None]
    seen: set[Shape | None] = {None}
    try:
        while todo and proof.refutation is None:
            found = _shape(proof, todo.pop())
            todo += [one for one in found if one not in seen]
            seen |= found
            if len(seen) > MOST_SHAPES:
                raise TooMuch(f"states of more than {MOST_SHAPES} shapes")
    except TooMuch as error:
        proof.open.append(OpenQuestion("the whole proof", str(error), 0.0))
    return proof


def _shape(proof: _Proof, shape: Shape | None) -> set[Shape]:
    """Prove every kind of round that starts from states of a shape; return where they lead."""
    begun, before, found = time.monotonic(), len(proof.open), set[Shape]()
    paths = questions = 0
    for kind in _kinds(proof, shape):
        if proof.refutation is not None:
            break
        said = "the opening round" if shape is None else f"states {describe(shape)}"
        proof.on_event(f"{said}, {kind.outputs} outputs")
        world = World(Paths(proof.limits), kind)
        for case in world.paths.cases(partial(play, proof.subject, world)):
            paths += 1
            found |= shapes(case.value)
            questions += _path(proof, world, case)
            if proof.refutation is not None:
                break
    verdict = Verdict.OPEN if len(proof.open) > before else Verdict.PROVED
    verdict = Verdict.REFUTED if proof.refutation else verdict
    named = "opening round" if shape is None else describe(shape)
    proof.parts.append(Part(named, verdict, paths, questions, time.monotonic() - begun))
    return found


def _kinds(proof: _Proof, shape: Shape | None) -> Iterator[Kind]:
    databases = proof.effort.databases
    for outputs in range(1, proof.effort.outputs + 1) if shape is not None else (1,):
        menus = all_menus(outputs) if proof.menus else [None]
        for menu in menus:
            if shape is None and menu is not None and (menu.now != 1 or not menu.after[0]):
                continue  # a game has a first request
            for first in range(databases):
                yield Kind(outputs, databases, first, shape, menu)


def _path(proof: _Proof, world: World, case: Case[Played | Crash]) -> int:
    """Ask everything about one path; return how many questions that were."""
    factors = (world.odds.term, *(value(row[world.first]) for row in world.law.values()))
    asker = Asker(world.paths, case.conditions, factors, proof.effort.effort)
    proof.runs = proof.runs or (not world.opening and _runs(case.value))
    count = 0
    for one in obligations(world, case.value):
        count += 1
        begun = time.monotonic()
        answer = asker.ask(*one.failure, suppose=one.suppose)
        if answer.said == SAT:
            proof.refutation = _refutation(proof, world, asker, one, answer)
            if proof.refutation is not None:
                break
        if answer.said != UNSAT:
            why = "unknown" if answer.said == UNKNOWN else "a model that no numbers reproduce"
            where = f"{_world_words(world)}, {_decision_words(case.value)}"
            asked = OpenQuestion(where, f"{one.rule}: {why}", time.monotonic() - begun)
            proof.open.append(asked)
    proof.denied += asker.denied
    return count


def _runs(played: Played | Crash) -> bool:
    running = (Decision.CONTINUE, Decision.LAST)
    return isinstance(played, Played) and played.decision in running


def _world_words(world: World) -> str:
    shape = world.kind.shape
    state = "opening round" if shape is None else f"states {describe(shape)}"
    menus = f", menus {world.kind.menus}" if world.kind.menus else ""
    return f"{state}, {world.kind.outputs} outputs{menus}, x = {world.first}"


def _decision_words(played: Played | Crash) -> str:
    return str(played.decision) if isinstance(played, Played) else f"{played.where} raises"


def _refutation(
    proof: _Proof, world: World, asker: Asker, one: Obligation, answer: Answer
) -> Refutation | None:
    """Return the refutation that the ordinary filter reproduces, with a wide gap if any."""
    answers = [asker.ask(*one.wide(margin)) for margin in MARGINS] if one.gap is not None else []
    answers += [_on_the_path(world, asker)] if one.crash is not None else []
    for found in (*answers, answer):
        if found.said == SAT:
            numbers = simplified(found.formulas, found.model, whole_names(proof.subject))
            try:
                here = round_of(world, proof.subject, numbers, asker.conditions)
                broken = _replay_round(proof, here, one)
            except (NotAllowed, ValueError, ArithmeticError, Raised):
                continue
            if broken:
                return broken[0]
    return None


def _on_the_path(world: World, asker: Asker) -> Answer:
    """Return numbers that take the path, all its conditions told."""
    formulas = world.paths.complete(asker.conditions)
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", LITTLE)
    solver.add(*formulas)
    found = solver.check() == z3.sat
    return Answer(SAT, solver.model(), formulas) if found else Answer(UNKNOWN)


def _replay_round(proof: _Proof, here: Round, one: Obligation) -> list[Refutation]:
    """Play the round in known numbers; code that raises there breaks the protocol."""
    try:
        broken = replay(proof.subject, here, proof.limits)
    except NotAllowed:
        raise
    except Exception as error:
        if one.crash is None:
            raise NotAllowed(str(error)) from error
        raise CannotRun(_crash_words(error.__cause__ or error, one.crash, here)) from error
    if one.rule == CRASH:
        return []
    return sorted(broken, key=lambda found: found.rule != one.rule)


def _crash_words(error: BaseException, crash: Crash, here: Round) -> str:
    said = str(error) if isinstance(error, Raised) else f"{type(error).__name__}: {error}"
    return (
        f"{crash.where} raises {said}\n"
        f"  at round {here.index}, state {here.state}, likelihoods {dict(here.mass)}; "
        "if no play gets there, say so in invariant(state, step)"
    )


def _verdict(name: str, effort: Effort, proofs: list[_Proof], begun: float) -> CodeProof:
    refutation = next((one.refutation for one in proofs if one.refutation), None)
    still_open = tuple(question for one in proofs for question in one.open)
    if refutation is None and not any(one.runs for one in proofs):
        still_open += (OpenQuestion("every round", NOTHING_RUNS, 0.0),)
    verdict = Verdict.OPEN if still_open else Verdict.PROVED
    second = SecondOpinions(asked=False)
    if verdict is Verdict.PROVED and refutation is None and effort.second_opinion:
        second = _second([text for one in proofs for text in one.denied])
    return CodeProof(
        name,
        Verdict.REFUTED if refutation else verdict,
        effort.outputs,
        effort.databases,
        any(one.menus for one in proofs),
        tuple(part for one in proofs for part in one.parts),
        second,
        time.monotonic() - begun,
        refutation,
        still_open,
        tuple({name: None for one in proofs for name in _numbers_of(one.subject)}),
        tuple({text: None for one in proofs for text in _fixed_parameters(one.subject)}),
    )


def _numbers_of(subject: Subject) -> list[str]:
    return [name for name, shape in subject.parameters.items() if "#" in describe(shape)]


def _fixed_parameters(subject: Subject) -> list[str]:
    shapes = subject.parameters.items()
    return [f"{name} = {describe(one)}" for name, one in shapes if "#" not in describe(one)]


def _second(questions: list[list[Any]]) -> SecondOpinions:
    """Put every question that was denied to the second solver; a model of one is an error."""
    if find_spec("cvc5") is None:
        return SecondOpinions(asked=False)
    agreed = unknown = 0
    with SecondOpinion(SECOND_PATIENCE, SECOND_EFFORT) as second:
        for formulas in questions:
            text = _text(formulas)
            second.ask(text)
            said = second.answer()
            if said == SAT:
                raise Disagreement(f"Z3 denies what cvc5 has a model of:\n{text}")
            agreed, unknown = agreed + (said == UNSAT), unknown + (said == UNKNOWN)
    return SecondOpinions(agreed, unknown)


def _text(formulas: list[Any]) -> str:
    solver = z3.Solver()
    solver.add(*formulas)
    body = str(solver.to_smt2()).replace("(set-info :status unknown)\n", "")
    return f"(set-logic QF_NRA)\n{body}"
