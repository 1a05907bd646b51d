"""Answers of a budget object at every place of a tree of plays, though an object has one past only.

What happened to an object is a tuple of events; every question is about such a tuple, and its
answer is remembered.  A live object is copied where that works, the events are played again on a
fresh one where it does not, and in a process that is copied where fresh objects share something.
"""

import json
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
from filterproof_properties.targets.budget.player import Answer, Player
from filterproof_properties.targets.budget.playing import in_copy, replied
from filterproof_properties.targets.target import Declined

PATIENCE = 30.0
"""So many seconds an object's own process may take for one play."""
NO_ANSWER = f"the object ended its process, or took more than {PATIENCE:g} s for one play"
MOST_LIVE = 256
"""So many objects at most are kept alive."""
STRIDE = 16
"""Of a long past that is played again, an object is kept after every so many events."""
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
    copies: bool
    answers: dict[Past, bool] = field(default_factory=dict)
    live: "OrderedDict[Past, list[Any]]" = field(default_factory=OrderedDict)

    def granted(self, past: Past) -> bool:
        """Return whether the last event of a past is granted."""
        if past not in self.answers:
            self.answers[past] = self.asked(past)
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
        lengths = sorted({len(one) for one in self.live if len(one) <= len(past)}, reverse=True)
        known = next((n for n in lengths if past[:n] in self.live), 0)
        objects = self.taken(past[:known]) if known else self.player.open(dict(self.budget))
        self.player.set_time(sum(event.wait for event in past[:known]))
        for number, event in enumerate(past[known:], known + 1):
            self.player.ask(objects, event.as_json())
            if self.copies and number % STRIDE == 0:  # the next past is often a little shorter
                self.keep(past[:number], deepcopy(objects))
        return objects

    def taken(self, past: Past) -> list[Any]:
        """Return live objects: a copy of them, or themselves where they cannot be copied."""
        return deepcopy(self.live[past]) if self.copies else self.live.pop(past)

    def keep(self, past: Past, objects: list[Any]) -> None:
        """Keep objects alive for what comes after this past; of a service's only one is not."""
        if objects[0] is None:
            return
        self.live[past] = objects
        while len(self.live) > MOST_LIVE:
            self.live.popitem(last=False)


@dataclass(eq=False)
class FreshProcesses(Remembered):
    """The same, every play in a fresh copy of a process, perhaps of another interpreter."""

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


# --- other processes ----------------------------------------------------------------------------


def aside(run: Callable[[], Any]) -> Any:
    """Return what a function returns in a copy of this process; raise what it raises there."""
    return outcome(in_copy(lambda: _outcome(run)))["value"]


def _outcome(run: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": run()}
    except Fault as error:
        return {"fault": str(error)}
    except ValueError as error:
        return {"declined": str(error)}


def played(player: Player, question: dict[str, Any]) -> dict[str, Any]:
    """Return the answers of a fresh object that is asked from this process."""
    return outcome(replied(player, question))


def outcome(found: dict[str, Any]) -> dict[str, Any]:
    """Return what another process has found; raise what it has raised."""
    if "fault" in found:
        raise ProtocolError(found["fault"])
    if "declined" in found:
        raise Declined(found["declined"])
    return found


STARTS = """\
import sys
here, sys.path[:] = sys.path[:1], sys.path[1:]
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
spec = PathFinder.find_spec("filterproof_properties", sys.argv[1:2])
sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
from filterproof_properties.targets.budget.playing import main
sys.path[:0] = here
sys.exit(main(sys.argv[2:]))
"""
"""Starts the player under another interpreter; nothing else of ours can be imported there.

A directory of our packages' names in the current directory, or another version of ours that is
installed there, is not imported in their place.
"""


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
