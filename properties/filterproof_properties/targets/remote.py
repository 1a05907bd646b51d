"""A target in a process of its own, asked in version 3 of the protocol; it looks like any other."""

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

from filterproof.certificate import parameter_from_json, parameter_to_json
from filterproof.engine.hidden import WatchedStep
from filterproof.exact import Epsilon, ExactError, parse_rational
from filterproof.filter import Decision, ProtocolError
from filterproof.game import Game, Step
from filterproof.game.law import Output
from filterproof_properties.games.contexts import Context
from filterproof_properties.games.families_json import context_to_json, family_to_json
from filterproof_properties.games.strengths import STRENGTHS, TOP
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.coverage.own_code import OwnFile
from filterproof_properties.targets.guard import (
    Answer,
    Guarded,
    Misbehaved,
    Question,
    Table,
    TimeIsUp,
    check_agreement,
    guard_filter,
)
from filterproof_properties.targets.link import Link, Message
from filterproof_properties.targets.messages import Question as Written
from filterproof_properties.targets.messages import (
    budget_to_json,
    game_to_wire,
    mass_to_wire,
    question_to_wire,
)
from filterproof_properties.targets.prober import Follow, Largest, Rounds, Whole
from filterproof_properties.targets.probing import SLOW
from filterproof_properties.targets.reporting import Reports
from filterproof_properties.targets.target import Declined
from filterproof_properties.targets.transcript import Transcript

GAMES, MENUS = 500, 20_000
"""So many games, and menus in all of them, a target's process keeps at a time."""
MOST_STATES = 20_000
"""A target's process that numbers more states than this is told to begin anew."""
DECISIONS = {str(one): one for one in Decision}
Said = tuple[Decision, int, tuple[int, ...] | None, bool]
"""A decision, the state, the states after each output, and whether what is watched was read."""


# --- version 3 of the protocol -------------------------------------------------------------------


@dataclass(frozen=True)
class Elsewhere:
    """A parameter that JSON cannot hold: it stays with the target, and goes by a number."""

    number: int
    shown: str = field(compare=False)

    def __repr__(self) -> str:
        return self.shown


class RemoteTarget:
    """A target in a process of its own; `parameters` is there iff the target offers it."""

    def __init__(self, link: Link, hello: Message) -> None:
        self.link, self.spelled = link, hello.get("declared") is not False
        self.name = quoted(hello.get("name", "?"), 400)
        claims = hello.get("claims", ["dp"])
        if not (isinstance(claims, list) and all(isinstance(one, str) for one in claims)):
            raise Misbehaved(f"claims must be a list of names; got {quoted(claims, 200)}")
        self.claims = tuple(quoted(one, 80) for one in claims)
        self.again: Callable[[Mapping[str, str]], Any] | None = None
        self.filters = self.games = self.menus = self.highest = 0
        self.known: OrderedDict[int, tuple[Game, int]] = OrderedDict()
        self.gone: list[int] = []
        self.let_go: list[int] = []  # objects that nobody here names any more
        self.news: Message = {}  # of games; it goes with the next question
        self.slow = False  # asked question by question
        self.book: Transcript | None = None
        self.own: tuple[OwnFile, ...] = ()  # its own code, where marks are set
        if hello.get("parameters") is True:
            self.parameters = self._parameters

    def __call__(self, epsilon: Epsilon, delta: Fraction, /, **parameters: Any) -> Guarded:
        """Return the filter for one budget; `Declined` if there is none."""
        making = {**budget_to_json(epsilon, delta), "parameters": _written(parameters)}
        made = RemoteFilter(self, making)
        answer = made.made
        if "declined" in answer:
            raise Declined(quoted(answer["declined"], 200))
        first, observes = _state(answer.get("state")), _flag(answer, "observe")
        reports = Reports(self.link.ask, made.number) if _flag(answer, "reported") else None
        given = epsilon, delta, making["parameters"]
        return guard_filter(
            made,
            given,
            first,
            markov=made.markov,
            observes=observes,
            book=self.book,
            reports=reports,
        )

    def take_reached(self) -> int:
        """Return which marks in the target's code were set since the last time, a bit for each."""
        reached, self.link.reached = self.link.reached, 0
        return reached

    def _parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, Any]]:
        asked = {"call": "parameters", **budget_to_json(epsilon, delta), "depth": depth}
        sets = self.link.ask([asked])[0].get("parameters")
        if not (isinstance(sets, list) and all(isinstance(one, dict) for one in sets)):
            raise Misbehaved(f"parameters() must yield dicts; got {quoted(sets, 200)}")
        return [{_name(name): self._read(value) for name, value in one.items()} for one in sets]

    def _read(self, value: Any) -> Any:
        """Return one parameter; the target keeps an object for as long as it is named here."""
        match value:
            case {"object": int(number), "shown": str(shown)}:
                found = Elsewhere(number, quoted(shown, 80))
                weakref.finalize(found, self.let_go.append, number)
                return found
        return _read(value)

    def told(self, game: Game) -> int:
        """Return the number of a game; if it is new, it is sent with the next question."""
        if (known := self.known.get(id(game))) is not None:
            self.known.move_to_end(id(game))
            return known[1]
        self.known[id(game)] = game, self.games
        self.games, self.menus = self.games + 1, self.menus + len(game.nodes)
        wire = {**game_to_wire(game, declared=self.spelled), "game": self.games - 1}
        self.news.setdefault("games", []).append(wire)
        return self.games - 1

    def make_room(self) -> None:
        """Let the target forget games, those that were not asked about for long, if too many."""
        while len(self.known) > 1 and (len(self.known) > GAMES or self.menus > MENUS):
            self._drop()

    def lose_track(self) -> None:
        """Forget what the target was told: it gets it anew, by other numbers."""
        while self.known:
            self._drop()
        self.news.pop("games", None)

    def _drop(self) -> None:
        old, number = self.known.popitem(last=False)[1]
        self.menus -= len(old.nodes)
        self.news.setdefault("forget", []).append(number)

    def taken(self) -> Message:
        """Return the news of games; they are sent now."""
        news, self.news = self.news, {}
        return news

    def making(self, making: Message) -> Message:
        """Return the message that makes one more filter."""
        gone, self.gone = self.gone, []
        self.filters += 1
        objects = [self.let_go.pop() for _ in self.let_go.copy()]
        known = {"filter": self.filters, "forget": gone, "let_go": objects}
        return {"call": "make", **making, **known}

    def refresh(self) -> None:
        """Let the process forget states, games and filters if they are many; nobody holds any."""
        if self.highest > MOST_STATES:
            self.link.ask([{"call": "forget"}])
            self.known.clear()
            self.menus = self.highest = 0
            self.news = {}


class RemoteFilter:
    """One filter of a remote target, by its number there."""

    def __init__(self, target: RemoteTarget, making: Message) -> None:
        self.target = target
        message = target.making(making)
        self.number = message["filter"]
        self.made = target.link.ask([message])[0]
        self.markov = _flag(self.made, "markov")
        self.seen: dict[Written, tuple[tuple[int, ...], bool]] = {}

    def __del__(self) -> None:
        self.target.gone.append(self.number)

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        """Return all answers; they came in one message."""
        self.target.make_room()
        asked = [self._written(*one) for one in questions]
        answer = self._send({"call": "ask", "questions": asked, "twice": again})
        raw = _list_of(answer, len(asked) * (2 if again else 1))
        first, second = raw[: len(asked)], raw[len(asked) :]
        if again:
            check_agreement(questions, first, second[::-1])
        self.seen = {}
        return [
            self._note_answer(self._answer(one), written, step)
            for one, written, (_, step) in zip(first, asked, questions, strict=True)
        ]

    def _written(self, state: Hashable, step: Step) -> Written:
        return question_to_wire(state, step, self.target.told(step.game))

    def _note_answer(self, answer: Said, asked: Written, step: Step) -> Answer:
        """Return an answer, and keep the states after each output; note if the step was read."""
        decision, state, after, looked = answer
        if after is not None:
            self.seen[state, *asked[1:]] = after, looked
        if looked and isinstance(step, WatchedStep):
            step.mark_as_read()
        return decision, state

    def explore(self, game: Game, *, again: bool) -> Table:
        """Return all answers of the filter that a game needs, in the order of the engine's walk."""
        self.target.make_room()
        asked = {"call": "explore", "game": self.target.told(game), "twice": again}
        answer = self._send(asked)
        count = answer.get("asked")
        if type(count) is not int or count < 0:
            raise Misbehaved(f"need the number of questions; got {quoted(count, 80)}")
        raw = _list_of(answer, count * (2 if again else 1))
        if again:
            check_agreement([], raw[:count], raw[count:][::-1])
        return Table([self._answer(one)[:3] for one in raw[:count]], answer.get("whole") is True)

    def inquire(
        self, context: Context, inquiries: Sequence[Whole], *, again: bool
    ) -> list[Any] | None:
        """Return what inquiries find that the target's process holds; None if it cannot."""
        if self.target.slow:
            return None
        self.target.make_room()
        asked = [self._inquiry(one) for one in inquiries]
        message = {"call": "probe", "context": context_to_json(context), "twice": again}
        answer = self._send({**message, "inquiries": asked})
        if "unable" in answer:
            self.target.slow = answer["unable"] == SLOW
            return None
        found = _list_of(answer, len(asked))
        return [read_inquiry(one, raw) for one, raw in zip(inquiries, found, strict=True)]

    def _inquiry(self, asked: Whole) -> Message:
        """Return an inquiry as it is sent."""
        there = asked.there
        position = [there.state, there.index, mass_to_wire(there.mass), there.history]
        if isinstance(asked, Largest):
            families = [family_to_json(one) for one in asked.families]
            return {"position": position, "families": families, "bits": asked.bits}
        rounds = [
            [self.target.told(some[0][0]), *some[0][1:], len(some)]
            for some in runs_of(asked.rounds)
        ]
        probe = [self.target.told(asked.probe[0]), asked.probe[1]]
        return {"position": position, "rounds": rounds, "probe": probe, "each": asked.each}

    def _send(self, question: Message) -> Message:
        """Send a question, with the games in it that are new; return its answer."""
        try:
            asked = {**question, "filter": self.number, **self.target.taken()}
            return self.target.link.ask([asked])[0]
        except (TimeIsUp, ProtocolError):  # what has arrived, or would have been told, is not known
            self.target.lose_track()
            raise

    def _answer(self, raw: Any) -> Said:
        if not (isinstance(raw, list) and len(raw) in (2, 3, 4)):
            raise Misbehaved(f"an answer is [decision, state]; got {quoted(raw, 200)}")
        decision, state = raw[0], _state(raw[1])
        if not isinstance(decision, str) or (said := DECISIONS.get(decision)) is None:
            known = [*map(str, Decision)]
            raise Misbehaved(f"a decision is one of {known}; got {quoted(decision, 200)}")
        after = raw[2] if len(raw) > 2 else None
        if not (after is None or isinstance(after, list)):
            raise Misbehaved(f"need a state after each output; got {quoted(after, 200)}")
        states = None if after is None else tuple(_state(one) for one in after)
        self.target.highest = max(self.target.highest, state, *(states or ()))
        return said, state, states, len(raw) < 4 or raw[3] is not False

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the state after y_i: known from the decision, or asked for."""
        asked, outputs = self._written(state, step), [*step.mechanism.law]
        seen, looked = self.seen.get(asked, ((), True))
        if looked and isinstance(step, WatchedStep):
            step.mark_as_read()
        if len(seen) == len(outputs):
            return seen[outputs.index(output)]
        answer = self._send({"call": "observe", "question": asked, "output": output})
        return _state(answer.get("state"))

    def hold(self) -> bool:
        """Let the target remember what the filter holds; the next time, say if it has changed."""
        answer = self.target.link.ask([{"call": "hold", "filter": self.number}])[0]
        return answer.get("changed") is True


def runs_of(rounds: Rounds) -> Iterator[Rounds]:
    """Yield the rounds, those of equal ones in a row together."""
    for _, some in groupby(rounds, key=lambda one: (id(one[0]), *one[1:])):
        yield [*some]


def read_inquiry(asked: Whole, raw: Any) -> Any:
    """Return what an inquiry has found, checked: strengths by family, or a number of rounds."""
    if isinstance(asked, Follow):
        if raw is None or (type(raw) is int and 0 < raw <= len(asked.rounds)):
            return raw
        raise Misbehaved(f"need a number of rounds; got {quoted(raw, 80)}")
    names = {family.name for family in asked.families}
    if not (isinstance(raw, dict) and names.issuperset(raw)):
        raise Misbehaved(f"need a strength for each family that runs; got {quoted(raw, 200)}")
    return {name: read_strength(one) for name, one in raw.items()}


def read_strength(raw: Any) -> Fraction:
    """Return a strength that came as text."""
    try:
        found = parse_rational(raw)
    except (ExactError, TypeError, AttributeError):
        found = Fraction(0)
    if not 0 < found <= STRENGTHS[TOP]:
        raise Misbehaved(f"a strength is a rational above 0; got {quoted(raw, 80)}")
    return found


def _list_of(answer: Message, count: int) -> list[Any]:
    found = answer.get("answers")
    if not (isinstance(found, list) and len(found) == count):
        raise Misbehaved(f"need {count} answers; got {quoted(found, 200)}")
    return found


def _state(state: Any) -> int:
    if type(state) is not int or state < 0:
        raise Misbehaved(f"a state goes by a number; got {quoted(state, 200)}")
    return state


def _flag(answer: Message, name: str) -> bool:
    return answer.get(name) is True


def _written(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"object": one.number} if isinstance(one, Elsewhere) else parameter_to_json(one)
        for name, one in parameters.items()
    }


def _name(name: str) -> str:
    if not name.isidentifier():
        raise Misbehaved(f"the name of a parameter must be an identifier; got {quoted(name, 80)!r}")
    return name


def _read(value: Any) -> Any:
    try:
        found = parameter_from_json(value)
    except (ExactError, ValueError) as error:
        raise Misbehaved(f"a parameter cannot be read: {quoted(error, 200)}") from None
    if not _printable(found):
        raise Misbehaved(f"a parameter must be printable; got {quoted(found, 80)!r}")
    return found


def _printable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_printable, value))
    return not isinstance(value, str) or value.isprintable()
