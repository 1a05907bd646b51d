"""A filter in any language: version 1 of the protocol, in which every question says everything.

The protocol is `docs/internals/PROTOCOL.md`, with a JSON Schema beside it.  A program may speak
version 2, too, like our own server of Python targets; then it is a `remote.RemoteTarget`.
"""

import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.exact import Epsilon, format_rational
from filterproof.filter import Decision
from filterproof.game import Mechanism, Step
from filterproof.game.law import Output
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.guard import (
    Answer,
    Guarded,
    Misbehaved,
    Question,
    check_agreement,
    guard_filter,
)
from filterproof_properties.targets.link import Link, Message
from filterproof_properties.targets.messages import budget_to_json
from filterproof_properties.targets.target import COMMAND, Declined, TargetError
from filterproof_properties.targets.transcript import Transcript


def words_of(spec: str) -> list[str]:
    """Return the words of "command:prog args"."""
    try:
        words = shlex.split(spec.removeprefix(COMMAND))
    except ValueError as error:
        raise TargetError(f"{quoted(spec)} is no command: {error}") from None
    if not words:
        raise TargetError('need a command such as "node filter.js"; got an empty one')
    return words


class ProgramTarget:
    """Makes filters that ask one running program in version 1 of the protocol."""

    def __init__(self, link: Link, hello: Message) -> None:
        self.link, self.claims, self.name = link, ("dp",), "a program"
        self.again: Callable[[Mapping[str, str]], Any] | None = None
        self.book: Transcript | None = None
        self.observes = hello.get("observe") is True
        self.markov = hello.get("markov") is True

    def __call__(self, epsilon: Epsilon, delta: Fraction) -> Guarded:
        """Return the filter for one budget; `Declined` if the program has none."""
        budget = budget_to_json(epsilon, delta)
        answer = self.link.ask([{"call": "start", **budget}])[0]
        if "declined" in answer:
            raise Declined(f"the program declines: {quoted(answer['declined'], 200)!r}")
        made = ProgramFilter(self, budget)
        first = _state(answer)
        return guard_filter(
            made,
            (epsilon, delta, {}),
            first,
            markov=self.markov,
            observes=self.observes,
            book=self.book,
        )


class ProgramFilter:
    """One filter of a program: every question carries the budget, the state and the step."""

    def __init__(self, target: ProgramTarget, budget: dict[str, Any]) -> None:
        self.target, self.budget = target, budget

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        """Put all questions, and once more from the end: a program has no copies."""
        answers = [self.decide(*one) for one in questions]
        if again:
            check_agreement(
                questions, answers, [self.decide(*one) for one in questions[::-1]][::-1]
            )
        return answers

    def decide(self, state: Hashable, step: Step) -> Answer:
        """Ask the program for a decision."""
        answer = self.question("decide", state, step)
        decision = answer.get("decision")
        if not isinstance(decision, str) or decision not in set(Decision):
            known = [*map(str, Decision)]
            raise Misbehaved(f"a decision is one of {known}; got {quoted(decision, 200)!r}")
        return Decision(decision), _state(answer)

    def observe(self, state: Hashable, step: Step, output: Output) -> str:
        """Tell the program y_i; its answer is the next state."""
        return _state(self.question("observe", state, step, output=output))

    def hold(self) -> bool:
        """A program gets all it may know with every question; there is nothing to look into."""
        return False

    def question(self, call: str, state: Hashable, step: Step, **more: Any) -> Message:
        """Send one question about a step and return the program's answer."""
        shown = step_to_json(step, with_history=not self.target.markov)
        asked = {"call": call, **self.budget, "state": state, "step": shown, **more}
        return self.target.link.ask([asked])[0]


def _state(answer: Message) -> str:
    state = answer.get("state")
    if not isinstance(state, str):
        raise Misbehaved(f"'state' must be a JSON string; got {quoted(state, 200)}")
    return state


# --- a step as JSON -------------------------------------------------------------------------


def step_to_json(step: Step, *, with_history: bool) -> dict[str, Any]:
    """Return all that a filter may know at this step; merged histories have no single one."""
    history = {"history": [list(one) for one in step.history]} if with_history else {}
    return {
        "index": step.index,
        "request": step.request,
        "mechanism": _mechanism(step.mechanism),
        "mass": {x: format_rational(mass) for x, mass in step.mass.items()},
        "pairs": [list(pair) for pair in step.pairs],
        "menus": {
            y: {r: _mechanism(m) for r, m in step.menu_after(y).items()} for y in step.mechanism.law
        },
        **history,
    }


@lru_cache(maxsize=4096)
def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    rows = mechanism.law.items()
    return {
        "law": {y: {x: format_rational(p) for x, p in row.items()} for y, row in rows},
        "declared": [format_rational(value) for value in mechanism.declared],
    }
