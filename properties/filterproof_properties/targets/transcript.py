"""A transcript of an audit: every question that a stranger's filter was asked, and its answer.

A gzip stream of JSON lines (docs/internals/TRANSCRIPT.md), written as the audit goes.  Last
come the verdict and the SHA-256 digest of all lines before that; without these it was cut off.
From a transcript alone `audit.recheck` judges every play again.
"""

import gzip
import json
import zlib
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from filterproof.exact import Epsilon, format_epsilon, format_rational
from filterproof.filter import Decision
from filterproof.game import Game, Menu, Step
from filterproof.game.json import VERSION as GAME_VERSION
from filterproof.game.law import Output
from filterproof.odometer import Reported, format_report
from filterproof_properties.processes.writing import open_at_once
from filterproof_properties.targets.messages import game_to_wire, plain_step

SCHEMA = "filterproof.transcript"
VERSION = 1
MOST_BYTES = 256 * 2**20
"""A transcript is no longer than this on disk; then it stops and says so."""
GAMES = 2000
"""So many games are known by their number at a time."""
OFTEN = 500
"""After so many lines what was written so far can be read by others."""

Key = tuple[Any, ...]
Question = tuple[Hashable, Step]
Made = tuple[Epsilon, Fraction, Mapping[str, Any]]
"""What a filter was made for: the budget, and the parameters as JSON."""


def key(state: Hashable, step: Step) -> Key:
    """Return all that tells a question of one game from another one."""
    if not step.index:
        return state, 0
    step = plain_step(step)
    assert isinstance(step.menu, Menu)
    mass = tuple(format_rational(one) for one in step.mass.values())
    history = vars(step).get("history")
    return state, step.index, step.menu.id, step.request, mass, history


class Transcript:
    """A transcript that is being written; `problem` says why nothing more is."""

    def __init__(self, path: Path, target: str, most: int = MOST_BYTES) -> None:
        self.most, self.problem, self.lines = most, "", 0
        self.file = open_at_once(path)
        self.packed = gzip.GzipFile("", "wb", fileobj=self.file, mtime=0)
        self.digest = sha256()
        self.filters = self.games = 0
        self.known: OrderedDict[int, tuple[int, Game]] = OrderedDict()
        self.write({"schema": SCHEMA, "version": VERSION, "target": target})

    def write(self, line: Mapping[str, Any]) -> None:
        """Add one line, unless there is no room or no disk."""
        if self.problem:
            return
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            self.packed.write(data)
            self.lines += 1
            if self.lines % OFTEN == 0:
                self.packed.flush(zlib.Z_SYNC_FLUSH)
        except OSError as error:
            self.problem = str(error.strerror)
            return
        self.digest.update(data)
        if self.file.tell() > self.most:
            self.end("", 0, whole=False)
            self.problem = f"it would be longer than {self.most} bytes"

    def end(self, verdict: str, plays: int, *, whole: bool = True) -> None:
        """Write the verdict and the digest, and close the file."""
        if self.problem:
            return
        self.problem = "it has ended"
        last = {"verdict": verdict, "plays": plays, "whole": whole}
        text = json.dumps(last).encode() + b"\n"
        self.digest.update(text)
        text += json.dumps({"digest": self.digest.hexdigest()}).encode() + b"\n"
        try:
            self.packed.write(text)
            self.packed.close()
            self.file.close()
        except OSError as error:
            self.problem = str(error.strerror)

    def close(self, verdict: str, plays: int) -> str:
        """End the transcript; return why it is not whole, or nothing."""
        problem = self.problem
        self.end(verdict, plays)
        return problem if self.problem == "it has ended" else self.problem

    def filter(self, made: Made, first: Hashable, like: Mapping[str, bool]) -> "Pen":
        """Begin to write down what one filter says that is like this."""
        self.filters += 1
        epsilon, delta, parameters = made
        budget = {"epsilon": format_epsilon(epsilon), "delta": format_rational(delta)}
        own = {"parameters": parameters, "state": first}
        self.write({"filter": self.filters, **budget, **own, **like})
        return Pen(self, self.filters)

    def number(self, game: Game) -> int:
        """Return the number of a game, which is written down if it is new."""
        if id(game) in self.known:
            self.known.move_to_end(id(game))
            return self.known[id(game)][0]
        self.games += 1
        self.known[id(game)] = self.games, game
        if len(self.known) > GAMES:
            self.write({"forget": self.known.popitem(last=False)[1][0]})
        self.write({"game": self.games, "is": _game(game)})
        return self.games


class Pen:
    """Writes down the questions to one filter and its answers, until the filter is dropped."""

    def __init__(self, transcript: Transcript, filter: int) -> None:
        self.transcript, self.filter = transcript, filter
        self.told: set[Hashable] = set()

    def asked(
        self, questions: Sequence[Question], answers: Sequence[tuple[Decision, Hashable]]
    ) -> None:
        """Write down some questions and their answers."""
        said = [
            [self.transcript.number(question[1].game), *key(*question), str(decision), state]
            for question, (decision, state) in zip(questions, answers, strict=True)
        ]
        self.transcript.write({"by": self.filter, "asked": said})

    def observed(self, question: Question, output: Output, after: Hashable) -> None:
        """Write down the state after an output."""
        said = [self.transcript.number(question[1].game), *key(*question), output, after]
        self.transcript.write({"by": self.filter, "observed": said})

    def reported(self, states: Sequence[Hashable], reports: Sequence[Reported]) -> None:
        """Write down what an odometer reports, once for each state."""
        known = zip(states, map(format_report, reports), strict=True)
        if new := {state: report for state, report in known if state not in self.told}:
            self.told |= set(new)
            self.transcript.write({"by": self.filter, "reported": [*map(list, new.items())]})

    def __del__(self) -> None:
        self.transcript.write({"drop": self.filter})


def _game(game: Game) -> dict[str, Any]:
    """Return a game as certificates hold it, tightest declared pairs left out."""
    wire = game_to_wire(game, declared=False)
    for node in wire["nodes"]:
        for mechanism in node.values():
            if mechanism["declared"] is None:
                del mechanism["declared"]
    return {"schema": "filterproof.game", "version": GAME_VERSION, **wire}
