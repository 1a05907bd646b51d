"""A target in a process of its own, asked in version 2 of the protocol; it looks like any other."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from filterproof.certificate import parameter_from_json, parameter_to_json
from filterproof.exact import Epsilon, ExactError
from filterproof.filter import Decision, ProtocolError
from filterproof.game import Game, Step
from filterproof.game.law import Output
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.guard import (
    Answer,
    Guarded,
    Misbehaved,
    Question,
    TimeIsUp,
    compared,
    guarded,
)
from filterproof_properties.targets.lexicon import Lexicon
from filterproof_properties.targets.link import Link, Message
from filterproof_properties.targets.messages import (
    Reference,
    budget_to_json,
    game_to_wire,
    reference,
    settled,
)
from filterproof_properties.targets.reporting import Reports
from filterproof_properties.targets.target import Declined
from filterproof_properties.targets.transcript import Transcript

GAMES, MENUS = 2000, 100_000
"""So many games, and menus in all of them, a target's process keeps at a time."""
AHEAD = 64
"""So many answers at most are volunteered when a game begins."""
MOST_STATES = 500_000
"""A target's process that numbers more states than this is told to begin anew."""
TERMS = 50_000
"""Likelihoods and histories that go by numbers; if a filter has more, both sides begin anew."""
DECISIONS = {str(one): one for one in Decision}
GAME, OPENING = 2, 3
"""Where a reference has the game's number; the length of one to the opening round."""


# --- version 2 of the protocol -------------------------------------------------------------------


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
        self.news: Message = {}  # of games; it goes with the next question
        self.book: Transcript | None = None
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
        return guarded(
            made,
            given,
            first,
            markov=made.markov,
            observes=observes,
            book=self.book,
            reports=reports,
        )

    def _parameters(self, epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, Any]]:
        asked = {"call": "parameters", **budget_to_json(epsilon, delta), "depth": depth}
        sets = self.link.ask([asked])[0].get("parameters")
        if not (isinstance(sets, list) and all(isinstance(one, dict) for one in sets)):
            raise Misbehaved(f"parameters() must yield dicts; got {quoted(sets, 200)}")
        return [{_name(name): _read(value) for name, value in one.items()} for one in sets]

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
        return {"call": "make", **making, "filter": self.filters, "forget": gone}

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
        self.lexicon = Lexicon()
        self.seen: dict[Reference, tuple[int, ...]] = {}
        self.more: dict[Reference, Any] = {}
        self.about: set[int] = set()

    def __del__(self) -> None:
        self.target.gone.append(self.number)

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        """Return all answers, those that were volunteered without asking."""
        if len(questions) > 1:  # one of many is asked in full: another has looked already
            questions = [(state, settled(step)) for state, step in questions]
        self._make_room()
        asked = [self._asked_for(*one) for one in questions]
        self._remember({one[GAME] for one in asked})
        if not self.more:
            return self._asked(questions, asked, again)
        found = [self._volunteered(one) for one in asked]
        new = [i for i, one in enumerate(found) if one is None]
        if new:
            fresh = self._asked([questions[i] for i in new], [asked[i] for i in new], again)
            for i, answer in zip(new, fresh, strict=True):
                found[i] = answer
        return [one for one in found if one is not None]

    def _make_room(self) -> None:
        """Let both sides forget what they have by numbers, if that is much."""
        self.target.make_room()
        if len(self.lexicon) > TERMS:
            self._begin_anew()

    def _begin_anew(self) -> None:
        self.lexicon, self.seen, self.more = Lexicon(anew=True), {}, {}

    def _asked_for(self, state: Hashable, step: Step) -> Reference:
        """Return the short form of a question."""
        return reference(state, step, self.target.told(step.game), self.lexicon)

    def _volunteered(self, asked: Reference) -> Answer | None:
        """Return an answer that was given before it was asked for; it is used once."""
        if (raw := self.more.pop(asked, None)) is None and self.markov:
            raw = self.more.pop((*asked[:-1], None), None)
        return None if raw is None else self._answer(raw, asked)

    def _asked(
        self, questions: Sequence[Question], asked: list[Reference], again: bool
    ) -> list[Answer]:
        """Ask all at once; what cannot be answered unseen is asked once more in full."""
        ahead = AHEAD if len(asked[-1]) == OPENING else 0
        answer = self._sent({"call": "ask", "questions": asked, "ahead": ahead, "twice": again})
        more = self._kept(answer) if ahead else []
        raw = _listed(answer, len(asked) + (len(asked) + len(more) if again else 0))
        first, second = raw[: len(asked)], raw[len(asked) :]
        if None in first:
            full = [(state, settled(step)) for state, step in questions]
            if any(old[1] is new[1] for old, new in zip(questions, full, strict=True)):
                raise Misbehaved("it wants to see more of a step than there is")
            return self._asked(full, [self._asked_for(*one) for one in full], again)
        if again:
            compared(questions, first + more, second[::-1])
        return [self._answer(one, key) for one, key in zip(first, asked, strict=True)]

    def _sent(self, question: Message) -> Message:
        """Send a question, with the games and the terms in it that are new; return its answer."""
        news = {**self.target.taken(), **self.lexicon.news()}
        try:
            return self.target.link.ask([{**question, "filter": self.number, **news}])[0]
        except (TimeIsUp, ProtocolError):  # what has arrived, or would have been told, is not known
            self.target.lose_track()
            self._begin_anew()
            raise

    def _remember(self, games: set[int]) -> None:
        """Keep what was volunteered and observed only for as long as the same games are asked."""
        if self.about != games:
            self.seen, self.more, self.about = {}, {}, games

    def _kept(self, answer: Message) -> list[Any]:
        """Keep the answers that nobody has asked for yet; return them in their order."""
        more = answer.get("more", [])
        try:
            self.lexicon.learn(answer.get("masses", []), answer.get("histories", []))
            self.more = {tuple(one): raw for one, raw in more}
        except (TypeError, ValueError, LookupError, AttributeError, ExactError):
            raise Misbehaved(f"answers ahead of time are no answers: {quoted(more, 200)}") from None
        return [raw for _, raw in more]

    def _answer(self, raw: Any, key: Reference) -> Answer:
        if not (isinstance(raw, list) and len(raw) in (2, 3)):
            raise Misbehaved(f"an answer is [decision, state]; got {quoted(raw, 200)}")
        decision, state = raw[0], _state(raw[1])
        self.target.highest = max(self.target.highest, state)
        if not isinstance(decision, str) or (said := DECISIONS.get(decision)) is None:
            known = [*map(str, Decision)]
            raise Misbehaved(f"a decision is one of {known}; got {quoted(decision, 200)}")
        if len(raw) == 3:
            if not isinstance(raw[2], list):
                raise Misbehaved(f"need a state after each output; got {quoted(raw[2], 200)}")
            self.seen[state, *key[1:]] = tuple(_state(one) for one in raw[2])
        return said, state

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the state after y_i: known from the decision, or asked for."""
        outputs = [*step.mechanism.law]
        for shown in (step, settled(step)):
            key = self._asked_for(state, shown)
            seen = self.seen.get(key, ())
            if len(seen) == len(outputs):
                return seen[outputs.index(output)]
        return _state(
            self._sent({"call": "observe", "question": key, "output": output}).get("state")
        )

    def hold(self) -> bool:
        """Let the target remember what the filter holds; the next time, say if it has changed."""
        answer = self.target.link.ask([{"call": "hold", "filter": self.number}])[0]
        return answer.get("changed") is True


def _listed(answer: Message, count: int) -> list[Any]:
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
    match value:
        case {"object": int(number), "shown": str(shown)}:
            return Elsewhere(number, quoted(shown, 80))
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
