"""Inquiries at positions, held in the target's own process: how far families go, when a probe runs.

What comes of them steers the search and is no evidence: every game that the search makes of it is
explored, answer by answer.  The code is the search's own (`prober`).
"""

import json
from collections.abc import Hashable
from fractions import Fraction
from time import monotonic
from typing import Any

from filterproof.exact import format_rational
from filterproof.filter import ProtocolError, ask, is_markov, observe
from filterproof.game import Step
from filterproof.game.law import Output
from filterproof_properties.games.families_json import context_from_json, family_from_json
from filterproof_properties.targets.guard import Misbehaved, check_agreement, fingerprint, same
from filterproof_properties.targets.inquiry import interleave
from filterproof_properties.targets.messages import position_from_wire
from filterproof_properties.targets.prober import PlayState, Prober, game_cache
from filterproof_properties.targets.reporting import SIGN

Message = dict[str, Any]
MOST_SECONDS = 0.5
"""An inquiry takes so long at most; a slower filter is asked question by question."""
SLOW = "too slow"
MOST_NOTED = 512
"""So many questions of one inquiry are put again."""
MOST_POSITIONS = 2000
"""Of so many positions it is remembered what ran there."""


class Unable(BaseException):
    """A filter that raised or is slow: the audit asks it question by question."""


class Direct:
    """A filter in its own process, asked directly; `noted` has questions with their answers."""

    def __init__(self, server: Any, made: Any) -> None:
        self.server, self.made, self.rule = server, made, made.rule
        self.markov = is_markov(made.rule)
        self.noted: list[tuple[int, Hashable, Step, list[Any]]] = []
        self.noting, self.until = False, 0.0
        if hasattr(made.rule, "observe"):
            self.observe = self._observe

    def start(self) -> Hashable:
        """Return the first state."""
        return self.server.states[self.made.first]  # type: ignore[no-any-return]

    def decide(self, state: Hashable, step: Step) -> tuple[Any, Hashable]:
        """Return the filter's answer; raise `Unable` if it raises, or takes too long."""
        before = fingerprint(step)
        try:
            answer = ask(self.rule, state, step)
        except ProtocolError as error:
            raise Unable(str(error)) from None
        if not same(before, fingerprint(step)):
            raise Misbehaved(
                f"decide() at round {step.index} changed the step it was shown: a step is read-only"
            )
        if self.noting and len(self.noted) < MOST_NOTED:
            self.note(state, step, answer)
        self.sign()
        return answer

    def note(self, state: Hashable, step: Step, answer: tuple[Any, Hashable]) -> None:
        """Note a question, to put it again."""
        number = self.server.number(self.made, state, "decide()")
        after = self.server.number(self.made, answer[1], "decide()")
        self.noted.append((number, state, step, [answer[0], after]))

    def sign(self) -> None:
        """Give a sign of life if it is time for one, or give up."""
        if (now := monotonic()) - self.server.last > SIGN:
            if now > self.until:
                raise Unable(SLOW)
            self.server.tell({"id": self.id, "some": []})

    def _observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        try:
            return observe(self.rule, state, step, output)
        except ProtocolError as error:
            raise Unable(str(error)) from None

    def begin(self, question: Message) -> None:
        """Begin with a message of inquiries."""
        self.id, self.noting, self.noted = question["id"], question["twice"], []
        self.until = monotonic() + MOST_SECONDS


def probe(server: Any, question: Message) -> Message:
    """Answer the call `probe`: hold inquiries side by side, and perhaps put questions again."""
    made = server.filter_of(question)
    prober, rule = prober_of(server, made, question["context"])
    rule.begin(question)
    inquiries = [inquiry_of(server, prober, one) for one in question["inquiries"]]
    try:
        found = server.call("decide()", prober.ask, interleave(inquiries))
        check_again(rule)
    except Unable as error:
        return {"unable": str(error)[:200]}
    return {"answers": [*map(to_wire, found)]}


def prober_of(server: Any, made: Any, context: Message) -> tuple[Prober, Direct]:
    """Return the prober of a filter in a context, which guesses from what it has found before."""
    key = json.dumps(context)
    if key not in made.probers:
        here, rule = context_from_json(context), Direct(server, made)
        made.probers[key] = Prober(rule, here, game_cache(here.name, *made.budget)), rule
    return made.probers[key]  # type: ignore[no-any-return]


def inquiry_of(server: Any, prober: Prober, asked: Message) -> Any:
    """Return the inquiry that a message asks for."""
    there = position_of(server, prober, asked["position"])
    if "families" in asked:
        families = [family_from_json(one) for one in asked["families"]]
        return prober.find_largest(there, families, asked["bits"])
    rounds = [
        (server.games[game].game, request, output)
        for game, request, output, times in asked["rounds"]
        for _ in range(times)
    ]
    game, request = asked["probe"]
    return prober.follow(there, rounds, (server.games[game].game, request), asked["each"])


def position_of(server: Any, prober: Prober, position: list[Any]) -> PlayState:
    """Return a position, with what is known there from earlier inquiries."""
    key = json.dumps(position)
    if len(prober.positions) > MOST_POSITIONS:
        prober.positions.clear()
    if key not in prober.positions:
        state, index, mass, history = position
        likely, told = position_from_wire(prober.context.databases, mass, history)
        there = PlayState(index, server.states[state], likely, told or ())
        prober.positions[key] = there
    return prober.positions[key]


def check_again(rule: Direct) -> None:
    """Put questions again, from the end and to a fresh copy; raise if an answer is another one."""
    if not rule.noted:
        return
    server, made, again = rule.server, rule.made, list[Any]()
    copy = server.copied(made).rule
    for number, _, step, _ in rule.noted[::-1]:
        answer = server.call("decide()", ask, copy, server.latest[number], step)
        again.append([answer[0], server.number(made, answer[1], "decide()")])
        rule.sign()
    asked = [(state, step) for _, state, step, _ in rule.noted]
    check_agreement(asked, [answer for *_, answer in rule.noted], again[::-1])


def to_wire(found: Any) -> Any:
    """Return what an inquiry has found: strengths by family, or a number of rounds."""
    if isinstance(found, dict):
        return {name: format_rational(Fraction(strength)) for name, strength in found.items()}
    return found
