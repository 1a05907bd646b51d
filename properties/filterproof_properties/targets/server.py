"""The server of answers: the only place where a stranger's Python code runs.

Its process (`processes.isolated`) imports one target and answers questions about it
(docs/internals/PROTOCOL.md, version 3).  States stay in this process and go by numbers.  Only this
side can notice a filter that changes its step, prints, or gives an answer that is none.
"""

import base64
import json
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any

from filterproof.certificate import NotCertifiable, parameter_from_json, parameter_to_json
from filterproof.engine.hidden import WatchedStep
from filterproof.exact import Epsilon, parse_epsilon, parse_rational
from filterproof.filter import (
    Decision,
    ProtocolError,
    ask,
    is_markov,
    is_plain,
    observe,
    parameter_sets,
    start,
)
from filterproof.game import Step
from filterproof_properties.processes.gc_pause import collecting_seldom
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.attribute import attribute
from filterproof_properties.targets.budget.names import is_budget_object
from filterproof_properties.targets.contents import contents
from filterproof_properties.targets.coverage.marks import REACHED
from filterproof_properties.targets.coverage.recording import begin
from filterproof_properties.targets.exploring import explore
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp, fingerprint, same
from filterproof_properties.targets.messages import PROTOCOL, ToldGame, as_line
from filterproof_properties.targets.probing import Unable, probe
from filterproof_properties.targets.reporting import SIGN, reports_of
from filterproof_properties.targets.target import Declined, TargetError, make_filter

OUTPUT = "wrote to standard output: a filter is a pure function (print to standard error instead)"

Message = dict[str, Any]


@dataclass
class Made:
    """A filter, and what it was made for: states of filters made for the same are comparable."""

    rule: Any
    key: str
    make: Callable[[], Any]
    first: int = 0
    budget: tuple[Any, Any] = (0, 0)
    probers: dict[str, Any] = field(default_factory=dict)


class Server:
    """Answers questions about one target; `printed` tells how much it has written so far."""

    def __init__(self, loading: Callable[[], Any], printed: Callable[[], int] = lambda: 0) -> None:
        self.loading, self.printed = loading, printed
        self.filters: dict[int, Made] = {}
        self.games: dict[int, ToldGame] = {}
        self.held: dict[int, Any] = {}
        self.objects: dict[int, Any] = {}
        self.handed_out = 0
        self.written = printed()
        self.forget_states()
        self.sign: Callable[[Message], None] = lambda message: None
        self.last = monotonic()

    def forget_states(self) -> None:
        """Begin to number states anew."""
        self.states: list[Hashable] = []
        self.latest: list[Hashable] = []
        self.numbers: dict[tuple[str, Hashable, Hashable], int] = {}

    def answer(self, question: Message, sign: Callable[[Message], None]) -> Message:
        """Return the answer to one question; whatever goes wrong is an answer too."""
        self.sign, self.last = sign, monotonic()
        number = question["id"]
        try:
            return {"id": number, **CALLS[question["call"]](self, question)}
        except MemoryError:
            return {"id": number, "error": "out of memory: is the state too large?"}
        except TimeIsUp:
            raise
        except Misbehaved as error:
            return {"id": number, "error": quoted(error), "grave": True}
        except (ProtocolError, TargetError) as error:
            return {"id": number, "error": quoted(error)}
        except BaseException as error:  # whatever it was, the other side has to hear of it
            return {"id": number, "error": f"{type(error).__name__}: {quoted(error)}"}

    def call(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run the target's code; its printing is an error, and so is all that it raises."""
        try:
            answer = function(*arguments)
        except (Exception, SystemExit, TimeIsUp, Unable):
            raise
        except BaseException as error:  # nothing that a target raises may end this quietly
            raise Misbehaved(f"{what} raised {type(error).__name__}: {quoted(error)}") from None
        if (now := self.printed()) != self.written:
            self.written = now
            raise Misbehaved(f"{what} {OUTPUT}")
        return answer

    # --- the calls of the protocol --------------------------------------------------------------

    def hello(self, question: Message) -> Message:
        """Load the target and say what it offers."""
        self.sign({"id": question["id"], "some": []})  # this process is up: now it is its turn
        self.target = self.call("loading the target", self.loading)
        claims = self.call("claims", lambda: [*getattr(self.target, "claims", ("dp",))])
        offers = self.call("parameters", lambda: hasattr(self.target, "parameters"))
        spoken = {"protocol": PROTOCOL, "version": 3, "declared": False}
        return {**spoken, "name": name_of(self.target), "claims": claims, "parameters": offers}

    def parameters(self, question: Message) -> Message:
        """Return the keyword sets that the target wants to be tried with."""
        asked = (*budget(question), question["depth"])
        sets = self.call("parameters()", parameter_sets, self.target, *asked)
        return {"parameters": [{k: self.value(v) for k, v in one.items()} for one in sets]}

    def value(self, value: Any) -> Any:
        """Write one parameter; what JSON cannot hold stays here and goes by a number."""
        try:
            return parameter_to_json(value)
        except NotCertifiable:
            self.objects[self.handed_out] = value
            self.handed_out += 1
            return {"object": self.handed_out - 1, "shown": quoted(repr(value), 80)}

    def meant(self, value: Any) -> Any:
        """Read one parameter."""
        if isinstance(value, dict) and "object" in value:
            return self.objects[value["object"]]
        return parameter_from_json(value)

    def make(self, question: Message) -> Message:
        """Make a filter for a budget; say what it is like, and where it starts."""
        for number in question.get("forget", ()):
            self.filters.pop(number, None)
        for number in question.get("let_go", ()):
            self.objects.pop(number, None)
        given = {name: self.meant(one) for name, one in question["parameters"].items()}
        make = partial(make_filter, self.target, *budget(question), given)
        try:
            rule = self.call("making the filter", make)
        except Declined as error:
            return {"declined": quoted(error)}
        made = Made(rule, repr([question[key] for key in ("epsilon", "delta", "parameters")]), make)
        self.filters[question["filter"]] = made

        def flags() -> Message:
            offers = {name: hasattr(rule, name) for name in ("observe", "remaining", "reported")}
            return {"markov": is_markov(rule), **offers}

        state = self.call("start()", lambda: self.number(made, start(rule), "start()"))
        made.first, made.budget = state, budget(question)
        return {"state": state, **self.call("reading the filter's attributes", flags)}

    def filter_of(self, question: Message) -> Made:
        """Take the games that come with a question; return the filter that it is about."""
        for number in question.get("forget", ()):
            self.games.pop(number, None)
        for one in question.get("games", ()):
            self.games[one["game"]] = ToldGame(one)
        return self.filters[question["filter"]]

    def ask(self, question: Message) -> Message:
        """Answer questions in their order, and perhaps once more from the end, by a copy."""
        made, questions = self.filter_of(question), question["questions"]
        asked = [(one[0], self.games[one[2]].step(one)) for one in questions]
        found: list[Any] = []
        self.answer_all(question, made, asked, self.states, found)
        self.answer_again(question, made, asked, found)
        return {"answers": found}

    def explore(self, question: Message) -> Message:
        """Answer all questions of a game, as the engine puts them; say if these were really all."""
        made, found = self.filter_of(question), list[Any]()
        game = self.games[question["game"]].game

        def decide(state: int, step: Step) -> Any:
            return self.decided(made, state, self.states[state], step)

        asked, whole = explore(made.rule, made.first, decide, game, found)
        self.flush(question, found)
        self.answer_again(question, made, asked, found)
        return {"answers": found, "asked": len(asked), "whole": whole}

    def answer_again(
        self, question: Message, made: Made, asked: list[tuple[int, Step]], found: list[Any]
    ) -> None:
        """Where that is wanted, answer the same questions from the end, by a fresh copy."""
        if question["twice"]:
            copy = self.copied(made)
            self.flush(question, found)
            self.answer_all(question, copy, asked[::-1], self.latest, found)

    def copied(self, made: Made) -> Made:
        """Return a fresh copy of a filter, by the same numbers."""
        try:
            rule = self.call("making the filter", made.make)
        except Declined:
            raise Misbehaved(
                "making the filter again was declined: it is no pure function"
            ) from None
        self.call("start()", start, rule)
        return replace(made, rule=rule)

    def answer_all(
        self,
        question: Message,
        made: Made,
        asked: list[tuple[int, Step]],
        states: list[Hashable],
        found: list[Any],
    ) -> None:
        """Find the answers; what there is is sent ahead of the others as a sign of life."""
        for state, step in asked:
            found.append(self.decided(made, state, states[state], step))
            self.flush(question, found)

    def flush(self, question: Message, found: list[Any]) -> None:
        """Give a sign of life if it is time for one: the answers so far."""
        if monotonic() - self.last > SIGN:
            self.tell({"id": question["id"], "some": [*found]})
            found.clear()

    def tell(self, message: Message) -> None:
        """Give a sign of life."""
        self.sign(message)
        self.last = monotonic()

    def decided(self, made: Made, number: int, state: Hashable, step: Step) -> Any:
        """Return one answer, with the states after each output if the filter observes them."""
        what = f"decide() at round {step.index}"
        before = fingerprint(step)
        answer = self.call(what, self._decision_on, made, number, state, step)
        if not same(before, fingerprint(step)):
            raise Misbehaved(f"{what} changed the step it was shown: a step is read-only")
        return answer

    def _decision_on(self, made: Made, number: int, state: Hashable, step: Step) -> list[Any]:
        decision, after = ask(made.rule, state, step)
        if after is not state or not is_plain(after):  # else it cannot have changed
            number = self.number(made, after, "decide()")
        found: list[Any] = [decision, number]
        if decision in (Decision.CONTINUE, Decision.LAST) and hasattr(made.rule, "observe"):
            found.append([*self._observed(made, after, step)])
        if isinstance(step, WatchedStep):
            found += [*([None] if len(found) == 2 else []), step.looked]
        return found

    def _observed(self, made: Made, state: Hashable, step: Step) -> Iterator[int]:
        for y in step.mechanism.law:
            yield self.number(made, observe(made.rule, state, step, y), "observe()")

    def observe(self, question: Message) -> Message:
        """Return the state after an output that was not asked for with its decision."""
        made, asked = self.filter_of(question), question["question"]
        step = self.games[asked[2]].step(asked)
        state, y = self.states[asked[0]], question["output"]
        what = f"observe() at round {step.index}"
        after = self.call(what, observe, made.rule, state, step, y)
        return {"state": self.call(what, self.number, made, after, "observe()")}

    def hold(self, question: Message) -> Message:
        """Remember what a filter holds, or say whether that has changed."""
        number = question["filter"]
        rule = self.filters[number].rule
        held = self.call("copying the filter", lambda: deepcopy(getattr(rule, "__dict__", {})))
        if number not in self.held:
            self.held[number] = held
            return {"changed": False}
        before = self.held.pop(number)
        return {"changed": bool(self.call("comparing the filter", lambda: held != before))}

    def forget(self, question: Message) -> Message:
        """Forget every filter, game and state."""
        self.filters, self.games = {}, {}
        self.forget_states()
        return {}

    # --- states -----------------------------------------------------------------------------------

    def number(self, made: Made, state: Hashable, source: str) -> int:
        """Return the number of a state: its own, or that of one that cannot be told from it."""
        try:
            key = made.key, contents(state), state
            number = self.numbers.setdefault(key, len(self.states))
        except Exception as error:
            said = f"{type(error).__name__}: {quoted(error)}"
            raise ProtocolError(f"comparing the state from {source} raised {said}") from None
        if number == len(self.states):
            self.states.append(state)
            self.latest.append(state)
        self.latest[number] = state
        return number


CALLS: Mapping[str, Callable[[Server, Message], Message]] = {
    "hello": Server.hello,
    "parameters": Server.parameters,
    "make": Server.make,
    "ask": Server.ask,
    "explore": Server.explore,
    "probe": probe,
    "observe": Server.observe,
    "reported": reports_of,
    "hold": Server.hold,
    "forget": Server.forget,
}


def name_of(target: Any) -> str:
    """Return how a target's code calls it."""
    module, name = (getattr(target, key, "?") for key in ("__module__", "__qualname__"))
    return f"{quoted(module, 200)}:{quoted(name, 200)}"


def budget(question: Message) -> tuple[Epsilon, Any]:
    """Read the budget of a question."""
    return parse_epsilon(question["epsilon"]), parse_rational(question["delta"])


# --- the process ----------------------------------------------------------------------------------


def serve(loading: Callable[[], Any], taken: Callable[[], str] = lambda: "") -> None:
    """Answer questions from standard input until it closes; the target gets neither stream.

    `taken` tells which marks of the target's code were set since the last answer.
    """
    reading, writing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    server = Server(loading, partial(os.lseek, 1, 0, os.SEEK_END))

    def send(message: Message) -> None:
        data = as_line(message)
        while data:
            data = data[os.write(writing, data) :]

    with open(reading, "rb") as lines, collecting_seldom():
        for line in lines:
            answer = server.answer(json.loads(line), send)
            send({**answer, REACHED: marks} if (marks := taken()) else answer)
    os._exit(0)  # the target's threads and exit handlers have no say


def main(arguments: list[str]) -> None:
    """Serve the target that the command line names, or the pickled one."""
    told = json.loads(arguments[0])
    if "pickled" in told:
        serve(lambda: pickle.loads(base64.b64decode(told["pickled"])))
    serve(lambda: load_target(told["spec"], told["timeout"]), begin(told.get("own", ())).taken)


def load_target(spec: str, timeout: float) -> Any:
    """Return the target that a name stands for; ours, and adapters, take longer to load."""
    if is_budget_object(spec):
        from filterproof_properties.targets.budget.named import load_budget

        return load_budget(spec, timeout)
    if ":" in spec:
        return attribute(spec)
    from filterproof_properties.targets.loading import load

    return load(spec).target
