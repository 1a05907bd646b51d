"""A filter that nobody vouches for, watched: some questions are put twice.

A filter is a pure function of (state, step).  Here it is found out, as far as asking can, when
one is not: questions are put again, in the opposite order and to a fresh copy of the filter, and
the answers compared.  A filter that answers differently ends the audit with an error that names
the rule; it cannot end in "no violation found".
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from operator import is_
from typing import Any, Protocol, runtime_checkable

from filterproof.engine.hidden import LazyStep
from filterproof.filter import Decision, Filter, ProtocolError
from filterproof.game import Game, Step
from filterproof.game.law import Output
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.target import Target
from filterproof_properties.targets.transcript import Made, Pen, Transcript

ALWAYS = 64
"""So many first questions of each filter are repeated; then all of every `SOMETIMES`-th time."""
SOMETIMES = 16
NOTHING: Mapping[str, object] = {}

Question = tuple[Hashable, Step]
Answer = tuple[Decision, Hashable]


class Misbehaved(ProtocolError):
    """A target that is not the pure function it has to be, or does not speak the protocol."""


class TimeIsUp(BaseException):
    """Ends a play between two answers of a slow target; no `except Exception` holds it."""


class Asked(Protocol):
    """Anything that answers questions, and the same ones again by a fresh copy of itself."""

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        """Return the answers; with `again`, raise `Misbehaved` if they differ when put again."""
        ...

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the state after an output."""
        ...

    def hold(self) -> bool:
        """Remember what the filter holds; the next time, say whether that has changed."""
        ...


@runtime_checkable
class Elsewhere(Asked, Protocol):
    """Anything that explores games and holds inquiries in a process of its own."""

    def explore(self, game: Game, *, again: bool) -> "Table":
        """Return all answers that a game needs; with `again`, raise if they differ then."""
        ...

    def inquire(self, context: Any, inquiries: Sequence[Any], *, again: bool) -> list[Any] | None:
        """Return what inquiries find; None if the filter has to be asked question by question."""
        ...


@dataclass(frozen=True)
class Table:
    """Answers in the order in which the engine's walk asks, each with the states after outputs.

    One that is not whole ends early: a filter may be slow, and a game large.
    """

    answers: Sequence[tuple[Decision, Hashable, Sequence[Hashable] | None]]
    whole: bool


Reported = Callable[[Sequence[Hashable]], list[Any]]
"""What an odometer reports in some states."""


class Guarded:
    """A filter whose first questions, and some of the later ones, are put twice.

    An odometer has `reports`: what it reports in some states.  With a `pen` every answer is
    written into a transcript.
    """

    def __init__(
        self,
        asked: Asked,
        first: Hashable,
        markov: bool,
        pen: Pen | None = None,
        reports: Reported | None = None,
    ) -> None:
        self.asked, self.first, self.markov, self.pen = asked, first, markov, pen
        self.questions = self.times = self.inquiries = 0
        if isinstance(asked, Elsewhere) and pen is None:  # a transcript has every question
            self.explored, self.hold_inquiries = partial(explore_table, self, asked), self._inquire
        if reports is not None:
            self.reports = reports
            self.reported_many = self._reported_many
            self.reported = lambda state: self._reported_many([state])[0]

    def start(self) -> Hashable:
        """Return the first state."""
        return self.first

    def decide(self, state: Hashable, step: Step) -> Answer:
        """Answer one request."""
        return self.decide_many([(state, step)])[0]

    def decide_many(self, questions: Sequence[Question]) -> list[Answer]:
        """Answer many requests, each on its own."""
        again = self.is_put_again()
        self.questions += len(questions)
        answers = self.asked.ask(questions, again=again)
        if self.pen is not None:
            self.pen.asked(questions, answers)
        return answers

    def is_put_again(self) -> bool:
        """Whether the next questions are put twice; it counts how often this was wanted."""
        self.times += 1
        return self.questions < ALWAYS or self.times % SOMETIMES == 0

    def _inquire(self, context: Any, inquiries: Sequence[Any]) -> list[Any] | None:
        """Return what inquiries find that are held by the target's process; None: it cannot."""
        assert isinstance(self.asked, Elsewhere)
        self.inquiries += 1
        again = self.inquiries % SOMETIMES == 1
        return self.asked.inquire(context, inquiries, again=again)

    def _reported_many(self, states: Sequence[Hashable]) -> list[Any]:
        found = self.reports(states)
        if self.pen is not None:
            self.pen.reported(states, found)
        return found


Walk = Callable[[Filter[Any], Game], Any]
"""Asks a filter all questions of a game."""


def explore_table(rule: Guarded, asked: Elsewhere, game: Game, walk: Walk) -> Any:
    """Walk through a game with the table of all answers; raise if the table has too many."""
    table = asked.explore(game, again=rule.is_put_again())
    rule.questions += len(table.answers)
    told = (ToldObserver if isinstance(rule, GuardedObserver) else Told)(rule, table)
    found = walk(told, game)
    if told.used < len(table.answers):
        raise Misbehaved(f"{len(table.answers)} answers for {told.used} questions of a game")
    return found


class Told:
    """A filter that answers from a table, and asks for what is beyond it."""

    def __init__(self, rule: Guarded, table: Table) -> None:
        self.rule, self.table, self.markov, self.used = rule, table, rule.markov, 0
        self.after: dict[int, Iterator[Hashable]] = {}

    def start(self) -> Hashable:
        """Return the first state."""
        return self.rule.first

    def decide(self, state: Hashable, step: Step) -> Answer:
        """Answer one request."""
        return self.decide_many([(state, step)])[0]

    def decide_many(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the next answers of the table, and those to what is beyond it."""
        known = self.table.answers[self.used : self.used + len(questions)]
        self.used += len(known)
        beyond = questions[len(known) :]
        if beyond and self.table.whole:
            raise Misbehaved(f"a table of {self.used} answers is not whole: more is asked")
        self.after = {
            id(step): iter(after)
            for (_, step), (_, _, after) in zip(questions, known, strict=False)
            if after is not None
        }
        answers = [(decision, state) for decision, state, _ in known]
        return [*answers, *self.rule.decide_many(beyond)] if beyond else answers


class ToldObserver(Told):
    """One that was also told what was released, each output in its turn."""

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the state after y_i."""
        if (after := self.after.get(id(step))) is None:
            return self.rule.asked.observe(state, step, output)
        if (found := next(after, None)) is None:
            raise Misbehaved("a table lacks the state after an output")
        return found


def guard_filter(
    asked: Asked,
    made: Made,
    first: Hashable,
    *,
    markov: bool,
    observes: bool,
    book: Transcript | None,
    reports: Reported | None = None,
) -> Guarded:
    """Return the watched filter; what it says goes into the transcript, if one is kept."""
    pen = None
    if book is not None:
        told = {"markov": markov, "observes": observes, "reports": reports is not None}
        pen = book.filter(made, first, told)
    return (GuardedObserver if observes else Guarded)(asked, first, markov, pen, reports)


def check_agreement(
    questions: Sequence[Question], first: Sequence[Any], second: Sequence[Any]
) -> None:
    """Raise if a question got two answers."""
    for i, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            step = f" at round {questions[i][1].index}" if i < len(questions) else ""
            said, then = _decision(one), _decision(other)
            raise Misbehaved(
                f"decide(){step} answered {said}, and {then if then != said else 'another state'} "
                "to the same question: a filter is a pure function, what it must remember is the "
                "state it returns (of a budget object --clock says what tells it the time)"
            )


def _decision(answer: Any) -> str:
    """Quote the decision of an answer; of what is no answer, all of it."""
    shaped = isinstance(answer, (list, tuple)) and answer
    return quoted(answer[0] if shaped else answer, 20)


class GuardedObserver(Guarded):
    """A guarded filter that also wants to see what was released."""

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Tell the filter y_i."""
        after = self.asked.observe(state, step, output)
        if self.pen is not None:
            self.pen.observed((state, step), output, after)
        return after


def memory(rule: Filter[Any]) -> Callable[[], bool]:
    """Return a function that tells, once, whether the filter itself has changed since now."""
    if isinstance(rule, Guarded):
        rule.asked.hold()
        return rule.asked.hold
    before = deepcopy(getattr(rule, "__dict__", {}))
    return lambda: getattr(rule, "__dict__", {}) != before


def fingerprint(step: Step) -> tuple[object, ...]:
    """Return what a filter could have changed of a step by force; all of it is frozen."""
    held, game, mechanism = vars(step), step.game, step.mechanism
    mass = step.mass if isinstance(step, LazyStep) else held.get("mass", NOTHING)
    own = held["index"], held["request"], held.get("history"), held["menu"], mass
    shown = mechanism, mechanism.law, mechanism.after, game
    rules = game.databases, game.pairs, game.menu, game.nodes, game.silent
    return (*own, *shown, *rules, *mass.values())  # what is not sent is absent


def same(before: tuple[object, ...], after: tuple[object, ...]) -> bool:
    """Whether two fingerprints are of the very same things, whatever these say of themselves."""
    return len(before) == len(after) and all(map(is_, before, after))


def await_sign(target: Target) -> None:
    """If an answer of a stranger's target is due, wait for a sign of life; raise if none comes."""
    link = getattr(target, "link", None)
    if link is not None:
        link.drain()


@contextmanager
def ending(target: Target, until: float | None) -> Iterator[None]:
    """Ask a stranger's target until then and no longer: a play may take many slow answers."""
    link = getattr(target, "link", None)
    before = None if link is None else link.until
    if link is None or until is None or (before is not None and before <= until):
        yield
        return
    link.until = until
    try:
        yield
    finally:
        link.until = before
