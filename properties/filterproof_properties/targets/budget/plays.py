"""Answers of a budget object at every place of a tree of plays, though an object has one past only.

What happened to an object is a tuple of events; every question is about such a tuple, and its
answer is remembered.  A live object is copied where that works, the events are played again on a
fresh one where it does not, and in a copy of this process where fresh objects share something.
"""

import json
import os
import subprocess
from collections import OrderedDict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from filterproof.filter import ProtocolError
from filterproof_properties.targets.budget.currencies import Values
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.player import Answer, Player, play
from filterproof_properties.targets.target import Declined

PATIENCE = 30.0
"""So many seconds an object's own process may take for one play."""
NO_ANSWER = f"the object ended its process, or took more than {PATIENCE:g} s for one play"
MOST_LIVE = 256
"""So many objects at most are kept alive."""
COPY, REPLAY, FORK = "copied", "played again", "played again in a fresh process"
"""How the same past is reached twice."""


class Event(NamedTuple):
    """One request as it was put to the object."""

    call: int
    values: Values
    instance: int = 0
    wait: float = 0.0
    failed: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the event as the player reads it."""
        return {**self._asdict(), "values": dict(self.values)}


Past = tuple[Event, ...]


class Remembered:
    """Answers that are remembered: a matter of speed, so a copy of a filter shares them."""

    def __deepcopy__(self, _: object) -> "Remembered":
        return self


@dataclass(eq=False)
class Plays(Remembered):
    """What the object answers after any past, for one budget."""

    player: Player
    budget: Values
    how: str
    answers: dict[Past, bool] = field(default_factory=dict)
    live: "OrderedDict[Past, list[Any]]" = field(default_factory=OrderedDict)

    def granted(self, past: Past) -> bool:
        """Return whether the last event of a past is granted."""
        if past not in self.answers:
            self.answers[past] = self.forked(past) if self.how == FORK else self.asked(past)
        return self.answers[past]

    def asked(self, past: Past) -> bool:
        """Ask an object of this process."""
        objects = self.at(past[:-1])
        self.player.set_time(sum(event.wait for event in past[:-1]))
        answer = self.player.ask(objects, past[-1].as_json())
        self.keep(past, objects)
        return answer.granted

    def at(self, past: Past) -> list[Any]:
        """Return objects with this past, from the latest that is alive or from fresh ones."""
        known = next((n for n in range(len(past), 0, -1) if past[:n] in self.live), 0)
        objects = self.taken(past[:known]) if known else self.player.open(dict(self.budget))
        self.player.set_time(sum(event.wait for event in past[:known]))
        for event in past[known:]:
            self.player.ask(objects, event.as_json())
        return objects

    def taken(self, past: Past) -> list[Any]:
        """Return live objects: a copy of them, or themselves where they cannot be copied."""
        return deepcopy(self.live[past]) if self.how == COPY else self.live.pop(past)

    def keep(self, past: Past, objects: list[Any]) -> None:
        """Keep objects alive for what comes after this past."""
        self.live[past] = objects
        while len(self.live) > MOST_LIVE:
            self.live.popitem(last=False)

    def forked(self, past: Past) -> bool:
        """Ask a fresh object in a copy of this process."""
        events = [event.as_json() for event in past]
        return bool(in_copy(lambda: play(self.player, dict(self.budget), events)[-1].granted))


@dataclass(eq=False)
class OtherPython(Remembered):
    """The same, asked in a process of another interpreter that has what the object needs."""

    process: "subprocess.Popen[str]"
    budget: Values
    answers: dict[Past, bool] = field(default_factory=dict)

    def granted(self, past: Past) -> bool:
        """Return whether the last event of a past is granted."""
        if past not in self.answers:
            events = [event.as_json() for event in past]
            found = asked(self.process, {"budget": dict(self.budget), "events": events})
            self.answers[past] = Answer(*found["answers"][-1]).granted
        return self.answers[past]


# --- copies of this process, and other interpreters ---------------------------------------------


def in_copy(run: Callable[[], Any]) -> Any:
    """Return what a function returns in a copy of this process; what it changes is lost there."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(_outcome(run)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return outcome(json.loads(text) if text else {"fault": "the object ended its process"})


def _outcome(run: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": run()}
    except Fault as error:
        return {"fault": str(error)}
    except ValueError as error:
        return {"declined": str(error)}


def outcome(found: dict[str, Any]) -> Any:
    """Return what another process has found; raise what it has raised."""
    if "fault" in found:
        raise ProtocolError(found["fault"])
    if "declined" in found:
        raise Declined(found["declined"])
    return found.get("value", found)


STARTS = """\
import sys
root = sys.argv[1]
sys.path.append(root)
from filterproof_properties.targets.budget.player import main
sys.path.remove(root)
sys.exit(main(sys.argv[2]))
"""
"""Starts the player under another interpreter; nothing else of ours can be imported there."""


def started(python: str, words: dict[str, Any]) -> "subprocess.Popen[str]":
    """Start the player under an interpreter, which needs nothing but the object's own packages."""
    root = str(Path(__file__).parents[3])
    return subprocess.Popen(
        [python, "-c", STARTS, root, json.dumps(words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def asked(process: "subprocess.Popen[str]", question: dict[str, Any]) -> Any:
    """Put one question to a player in another process; one that takes too long is ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    watch = Timer(PATIENCE, process.kill)
    watch.start()
    try:
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        line = ""
    finally:
        watch.cancel()
    return outcome(json.loads(line) if line else {"fault": NO_ANSWER})
