"""A target in a process of its own, asked in version 2 of the protocol; it looks like any other."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from filterproof.certificate import parameter_from_json, parameter_to_json
from filterproof.exact import Epsilon, ExactError
from filterproof.filter import Decision
from filterproof.game import Game, Step
from filterproof.game.law import Output
from filterproof_properties.processes.quoting import quoted
from filterproof_properties.targets.guard import (
    Answer,
    Guarded,
    Misbehaved,
    Question,
    compared,
    guarded,
)
from filterproof_properties.targets.link import Link, Message
from filterproof_properties.targets.messages import (
    Known,
    Reference,
    budget_to_json,
    game_to_wire,
    new_histories,
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
DECISIONS = frozenset(Decision)
OPENING = 3
"""The length of a reference to the opening round, the game's number included."""


# --- version 2 of the protocol -------------------------------------------------------------------


@dataclass(frozen=True)
class Elsewhere:
    """A parameter that JSON cannot hold: it stays with the target, and goes by a number."""

    number: int
    shown: str = field(compare=False)

    def __repr__(self) -> str:
        return self.shown


class Told:
    """A game that the target has: its number, and the histories that it has been told."""

    def __init__(self, game: Game, number: int) -> None:
        self.game, self.number, self.told = game, number, 1
        self.histories: Known = {(): 0}

    def news(self) -> list[list[Any]]:
        """Return the histories that have come since the last time."""
        found = new_histories(self.histories, self.told)
        self.told = len(self.histories)
        return found

    def learn(self, histories: Any) -> None:
        """Take over the numbers that the target has given to new histories."""
        known = [*self.histories]
        for before, request, output in histories:
            self.histories[*known[before], (request, output)] = len(known)
            known.append((*known[before], (request, output)))
        if len(known) != len(self.histories):
            raise ValueError("a history has two numbers")
        self.told = len(known)


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
        self.known: OrderedDict[int, Told] = OrderedDict()
        self.gone: list[int] = []
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

    def told(self, game: Game, news: Message) -> Told:
        """Return what is known of a game; if it is new, add it to the news of a message."""
        if (known := self.known.get(id(game))) is not None:
            self.known.move_to_end(id(game))
            return known
        known = self.known[id(game)] = Told(game, self.games)
        self.games, self.menus = self.games + 1, self.menus + len(game.nodes)
        wire = game_to_wire(game, declared=self.spelled)
        news.setdefault("games", []).append({**wire, "game": known.number})
        return known

    def too_many(self) -> list[int]:
        """Return the games that are to be forgotten, those that were not asked about for long."""
        gone = []
        while len(self.known) > 1 and (len(self.known) > GAMES or self.menus > MENUS):
            old = self.known.popitem(last=False)[1]
            self.menus -= len(old.game.nodes)
            gone.append(old.number)
        return gone

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


class RemoteFilter:
    """One filter of a remote target, by its number there."""

    def __init__(self, target: RemoteTarget, making: Message) -> None:
        self.target, self.making = target, making
        message = target.making(making)
        self.number = message["filter"]
        self.made = target.link.ask([message])[0]
        self.markov = _flag(self.made, "markov")
        self.seen: dict[Reference, tuple[int, ...]] = {}
        self.more: dict[Reference, Any] = {}
        self.about: set[int] = set()

    def __del__(self) -> None:
        self.target.gone.append(self.number)

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        """Return all answers, those that were volunteered without asking."""
        if len(questions) > 1:  # one of many is asked in full: another has looked already
            questions = [(state, settled(step)) for state, step in questions]
        news: Message = {"forget": self.target.too_many()}
        games = [self.target.told(step.game, news) for _, step in questions]
        self._remember({told.number for told in games})
        asked = [self._asked_for(*one, told) for one, told in zip(questions, games, strict=True)]
        found = [self._volunteered(one) for one in asked]
        new = [i for i, one in enumerate(found) if one is None]
        if new:
            left, about = [questions[i] for i in new], [games[i] for i in new]
            fresh = self._asked(news, left, about, [asked[i] for i in new], again)
            for i, answer in zip(new, fresh, strict=True):
                found[i] = answer
        return [one for one in found if one is not None]

    def _asked_for(self, state: Hashable, step: Step, told: Told) -> Reference:
        """Return what a question is known by here: the game's number, and the short form."""
        return told.number, *reference(state, step, told.histories)

    def _volunteered(self, asked: Reference) -> Answer | None:
        """Return an answer that was given before it was asked for; it is used once."""
        if (raw := self.more.pop(asked, None)) is None and self.markov:
            raw = self.more.pop((*asked[:-1], None), None)
        return None if raw is None else self._answer(raw, asked)

    def _asked(
        self,
        news: Message,
        questions: list[Question],
        games: list[Told],
        asked: list[Reference],
        again: bool,
    ) -> list[Answer]:
        """Ask all at once; what cannot be answered unseen is asked once more in full."""
        ask = {"call": "ask", "filter": self.number, "again": False}
        ahead = AHEAD if len(asked[-1]) == OPENING else 0
        messages: list[Message] = [{**ask, **news, "parts": _parts(asked, games), "ahead": ahead}]
        if again:
            twin = self.target.making(self.making)
            self.target.gone.append(twin["filter"])
            messages += [twin, {**ask, "filter": twin["filter"], "again": True}]
        got = self.target.link.ask(messages)
        raw = _listed(got[0], len(asked))
        if None in raw:
            full = [(state, settled(step)) for state, step in questions]
            if any(old[1] is new[1] for old, new in zip(questions, full, strict=True)):
                raise Misbehaved("it wants to see more of a step than there is")
            known = [self._asked_for(*one, told) for one, told in zip(full, games, strict=True)]
            return self._asked({}, full, games, known, again)
        volunteered = self._kept(games[-1], got[0]) if ahead else []
        if again:
            if "declined" in got[1]:
                raise Misbehaved("making the filter again was declined: it is no pure function")
            first = raw + volunteered
            compared(questions, first, _listed(got[2], len(first))[::-1])
        return [self._answer(one, key) for one, key in zip(raw, asked, strict=True)]

    def _remember(self, games: set[int]) -> None:
        """Keep what was volunteered and observed only for as long as the same games are asked."""
        if self.about != games:
            self.seen, self.more, self.about = {}, {}, games

    def _kept(self, told: Told, answer: Message) -> list[Any]:
        """Keep the answers that nobody has asked for yet; return them in their order."""
        more, histories = answer.get("more", []), answer.get("histories", [])
        try:
            told.learn(histories)
            pairs = [((told.number, *one[:4], tuple(one[4]), one[5]), raw) for one, raw in more]
            self.more = dict(pairs)
        except (TypeError, ValueError, LookupError):
            raise Misbehaved(f"answers ahead of time are no answers: {quoted(more, 200)}") from None
        return [raw for _, raw in pairs]

    def _answer(self, raw: Any, key: Reference) -> Answer:
        if not (isinstance(raw, list) and len(raw) in (2, 3)):
            raise Misbehaved(f"an answer is [decision, state]; got {quoted(raw, 200)}")
        decision, state = raw[0], _state(raw[1])
        self.target.highest = max(self.target.highest, state)
        if not isinstance(decision, str) or decision not in DECISIONS:
            known = [*map(str, Decision)]
            raise Misbehaved(f"a decision is one of {known}; got {quoted(decision, 200)}")
        if len(raw) == 3:
            if not isinstance(raw[2], list):
                raise Misbehaved(f"need a state after each output; got {quoted(raw[2], 200)}")
            self.seen[key[0], state, *key[2:]] = tuple(_state(one) for one in raw[2])
        return Decision(decision), state

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the state after y_i: known from the decision, or asked for."""
        news: Message = {"forget": self.target.too_many()}
        told = self.target.told(step.game, news)
        outputs = [*step.mechanism.law]
        for shown in (step, settled(step)):
            key = self._asked_for(state, shown, told)
            seen = self.seen.get(key, ())
            if len(seen) == len(outputs):
                return seen[outputs.index(output)]
        ask = {"call": "observe", "filter": self.number, "output": output}
        ((number, histories, questions),) = _parts([key], [told])
        more = {"game": number, "histories": histories, "question": questions[0]}
        return _state(self.target.link.ask([{**ask, **news, **more}])[0].get("state"))

    def hold(self) -> bool:
        """Let the target remember what the filter holds; the next time, say if it has changed."""
        answer = self.target.link.ask([{"call": "hold", "filter": self.number}])[0]
        return answer.get("changed") is True


def _parts(asked: list[Reference], games: list[Told]) -> list[list[Any]]:
    """Return questions as [game, its new histories, questions], a part per game in a row."""
    parts: list[list[Any]] = []
    for one, told in zip(asked, games, strict=True):
        if not parts or parts[-1][0] != told.number:
            parts.append([told.number, told.news(), []])
        parts[-1][2].append(one[1:])
    return parts


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
