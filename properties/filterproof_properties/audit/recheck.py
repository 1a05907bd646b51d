"""Every play of a transcript judged again, from the recorded answers and nothing else.

The target is not needed and not trusted with anything: a play counts if the transcript holds an
answer to every question of the strongest adversary, and its H is computed here, exactly.  What a
transcript cannot show is that the answers are really the target's.
"""

import zlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from gzip import BadGzipFile, GzipFile
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from filterproof.exact import Epsilon, ExactError, format_epsilon, parse_epsilon, parse_rational
from filterproof.filter import Decision, ProtocolError
from filterproof.game import Game, Step
from filterproof.game.json import BadJson, expect, game_from_json, game_to_json, load_json
from filterproof.game.law import Output
from filterproof.odometer import Reported, parse_report, revealing_game
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.processes.reading import refuse_endless
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.transcript import SCHEMA, VERSION, Key, key

T = TypeVar("T")
LONGEST_LINE = 2**26


class BadTranscript(ExactError):
    """A file that is no transcript, was cut off or changed, or contradicts itself."""


class Missing(ProtocolError):
    """A question that was never put to the filter: this was no whole play."""


@dataclass
class Rechecked:
    """What a transcript says (`verdict`, `plays`), and what follows from its answers."""

    target: str
    verdict: str = ""
    plays: int = 0
    whole: bool = False
    judged: int = 0
    highest: float = 0.0
    violations: list[str] = field(default_factory=list)

    def exit_code(self) -> int:
        """Return 1 for a violation, 3 where the audit or its transcript shows nothing, else 0."""
        if self.violations:
            return entry(Verdict.VIOLATED).exit_code
        shows = self.judged and self.whole and self.verdict == Verdict.NOT_FOUND
        return entry(Verdict.NOT_FOUND if shows else Verdict.INCONCLUSIVE).exit_code


class Recorded:
    """A filter that gives the recorded answers."""

    def __init__(self, epsilon: Epsilon, delta: Fraction, first: Hashable) -> None:
        self.epsilon, self.delta, self.first = epsilon, delta, first
        self.markov = False
        self.games: dict[int, Game] = {}
        self.numbers: dict[int, int] = {}
        self.answers: dict[Key, tuple[Decision, Hashable]] = {}
        self.states: dict[Key, Hashable] = {}
        self.reports: dict[Key, Reported] = {}

    def start(self) -> Hashable:
        """Return the first state."""
        return self.first

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        """Return the recorded answer."""
        return self._found(self.answers, (self.numbers.get(id(step.game)), *key(state, step)))

    def _found(self, told: dict[Key, T], place: Key) -> T:
        if place not in told:
            raise Missing("never asked")
        return told[place]

    def report(self, state: Hashable) -> Reported:
        """Return the recorded report of an odometer."""
        return self._found(self.reports, (state,))

    def plays(self) -> Iterator[Game]:
        """Yield the games in which the filter was asked to begin."""
        for number, game in self.games.items():
            if (number, self.first, 0) in self.answers:
                yield game


class RecordedObserver(Recorded):
    """A filter that also wanted to see what was released."""

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Return the recorded state after an output."""
        place = (self.numbers[id(step.game)], *key(state, step), output)
        return self._found(self.states, place)


def recheck(path: Path) -> Rechecked:
    """Judge every play of a transcript; raises `BadTranscript` if it cannot be relied on."""
    refuse_endless(path)
    lines = _lines(path)
    head = next(lines, {})
    if (head.get("schema"), head.get("version")) != (SCHEMA, VERSION):
        raise BadTranscript(f"need {SCHEMA!r} version {VERSION}; got {quoted(head, 80)}")
    reader = Reader(Rechecked(quoted(head.get("target", "?"), 400)))
    try:
        for line in lines:
            reader.read(line)
        return reader.finished()
    except BadTranscript:
        raise
    except (
        ExactError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        ProtocolError,
    ) as error:
        said = f"{type(error).__name__}: {quoted(error, 300)}"
        raise BadTranscript(f"line {reader.lines + 2}: {said}") from None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines; the last two are the verdict and a digest that has to be right."""
    digest, before = sha256(), b""
    try:
        with path.open("rb") as file, GzipFile(fileobj=file) as packed:
            while line := packed.readline(LONGEST_LINE):
                if before:
                    digest.update(before)
                    yield load_json(before.decode("ascii"))
                before = line
    except EOFError:
        raise BadTranscript("it was cut off: the file ends in the middle") from None
    except (BadGzipFile, zlib.error, UnicodeDecodeError, BadJson) as error:
        raise BadTranscript(f"it is damaged or no transcript: {quoted(error, 300)}") from None
    if before != b'{"digest": "%s"}\n' % digest.hexdigest().encode():
        what = "is not that of its lines" if b'"digest"' in before else "is missing: it was cut off"
        raise BadTranscript(f"its digest {what}")


class Reader:
    """Goes through a transcript line by line, and judges the plays of each filter at its end."""

    def __init__(self, found: Rechecked) -> None:
        self.found, self.lines = found, 0
        self.filters: dict[int, Recorded] = {}
        self.games: dict[int, Game] = {}

    def read(self, line: dict[str, Any]) -> None:
        """Take one line in."""
        if self.found.verdict:
            raise BadTranscript("something follows the verdict")
        reading = next((read for name, read in LINES.items() if name in line), None)
        if reading is None:
            raise BadTranscript(f"a line that is none: {quoted(line, 80)}")
        reading(self, line)
        self.lines += 1

    def finished(self) -> Rechecked:
        """Judge what is left, and compare with what the audit said."""
        for number in [*self.filters]:
            self.drop({"drop": number})
        found = self.found
        if not found.verdict:
            raise BadTranscript("the verdict is missing")
        if found.judged < found.plays:
            counts = f"the audit counts {found.plays} plays, the answers make {found.judged}"
            raise BadTranscript(f"{counts}: some are missing")
        if found.verdict == Verdict.VIOLATED and not found.violations:
            raise BadTranscript("the audit says VIOLATED, and no recorded play is a violation")
        return found

    def game(self, line: dict[str, Any]) -> None:
        """Take a game, checked like any other; the one that tells odometers is known.

        That one comes first; another one like it is a play.
        """
        made, known = game_from_json(expect(line, "is", dict)), revealing_game()
        first = all(one is not known for one in self.games.values())
        same = len(made.nodes) == len(known.nodes) and game_to_json(made) == game_to_json(known)
        self.games[expect(line, "game", int)] = known if first and same else made

    def forget(self, line: dict[str, Any]) -> None:
        """Let a game go; filters that were asked about it keep it."""
        del self.games[line["forget"]]

    def filter(self, line: dict[str, Any]) -> None:
        """Take a filter."""
        epsilon = parse_epsilon(expect(line, "epsilon", str))
        delta = parse_rational(expect(line, "delta", str))
        if not 0 <= delta < 1 or line["filter"] in self.filters:
            raise BadTranscript(f"need 0 <= delta < 1 and a new number; got {quoted(line, 80)}")
        kind = RecordedObserver if line["observes"] is True else Recorded
        rule = self.filters[expect(line, "filter", int)] = kind(epsilon, delta, line["state"])
        rule.markov = line["markov"] is True
        if line.get("reports") is True:
            vars(rule)["reported"] = rule.report

    def asked(self, line: dict[str, Any]) -> None:
        """Take questions and answers; one question has one answer."""
        rule = self.filters[line["by"]]
        for number, *question, decision, state in line["asked"]:
            self._once(rule, rule.answers, number, question, (Decision(decision), state))

    def observed(self, line: dict[str, Any]) -> None:
        """Take a state after an output."""
        rule = self.filters[line["by"]]
        number, *question, output, state = line["observed"]
        self._once(rule, rule.states, number, question, state, output)

    def reported(self, line: dict[str, Any]) -> None:
        """Take what an odometer reports; one state has one report."""
        rule = self.filters[line["by"]]
        for state, text in line["reported"]:
            if rule.reports.setdefault((state,), said := parse_report(text)) != said:
                raise BadTranscript("one state has two reports")

    def _once(
        self,
        rule: Recorded,
        told: dict[Key, Any],
        number: int,
        question: Any,
        said: Any,
        *more: str,
    ) -> None:
        if number not in rule.games:
            rule.games[number] = self.games[number]
            rule.numbers[id(self.games[number])] = number
        place = (number, *_key(question), *more)
        if told.setdefault(place, said) != said:
            raise BadTranscript("one question has two answers")

    def drop(self, line: dict[str, Any]) -> None:
        """Judge every whole play of a filter that is asked no more."""
        rule = self.filters.pop(line["drop"])
        for game in rule.plays():
            try:
                value = worst(rule, game, rule.epsilon).value
            except Missing:
                continue
            self.found.judged += 1
            if rule.delta:
                self.found.highest = max(self.found.highest, float(value / rule.delta))
            if value > rule.delta:
                at = f"epsilon = {format_epsilon(rule.epsilon)}, delta = {rule.delta}"
                what = "P(loss > report)" if hasattr(rule, "reported") else "H"
                self.found.violations.append(f"{what} = {value} exceeds delta, at {at}")

    def verdict(self, line: dict[str, Any]) -> None:
        """Take what the audit concluded."""
        self.found.whole = line["whole"] is True
        self.found.plays = expect(line, "plays", int)
        self.found.verdict = Verdict(line["verdict"]) if self.found.whole else "cut"


def _key(question: list[Any]) -> Key:
    """Return a question as `key` returns it."""
    if len(question) == 2:
        return tuple(question)
    state, index, node, request, mass, history = question
    told = history and tuple((r, y) for r, y in history)
    return state, index, node, request, tuple(mass), () if history == [] else told


LINES: dict[str, Callable[[Reader, dict[str, Any]], None]] = {
    "game": Reader.game,
    "forget": Reader.forget,
    "filter": Reader.filter,
    "asked": Reader.asked,
    "observed": Reader.observed,
    "reported": Reader.reported,
    "drop": Reader.drop,
    "verdict": Reader.verdict,
}
"""How a line is read, by a key that only lines of its kind have."""
