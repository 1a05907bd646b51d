"""Answers of a budget object at every place of a tree of plays, though an object has one past only.

What happened to an object is a tuple of events; every question is about such a tuple, and its
answer is remembered.  A live object is copied where that works, the events are played again on a
fresh one where it does not; where fresh objects share something, on one of a module that is loaded
again, and where even these do, in a process that is copied.
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
COPY, REPLAY, RELOAD = "copied", "played again", "played again in a module that is loaded again"
FORK = "played again in a fresh process"
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


class Live(NamedTuple):
    """Objects that are alive, and the player whose module they are of."""

    player: Player
    objects: list[Any]

    def copied(self) -> "Live":
        """Return copies of the objects."""
        return Live(self.player, deepcopy(self.objects))


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
    live: "OrderedDict[Past, Live]" = field(default_factory=OrderedDict)

    def granted(self, past: Past) -> bool:
        """Return whether the last event of a past is granted."""
        if past not in self.answers:
            self.answers[past] = self.asked(past)
        return self.answers[past]

    def asked(self, past: Past) -> bool:
        """Ask an object of this process."""
        live = self.at(past[:-1])
        self.player.set_time(sum(event.wait for event in past[:-1]))
        answer = live.player.ask(live.objects, past[-1].as_json())
        self.keep(past, live)
        return answer.granted

    def at(self, past: Past) -> Live:
        """Return objects with this past, from the latest that is alive or from fresh ones."""
        lengths = sorted({len(one) for one in self.live if len(one) <= len(past)}, reverse=True)
        known = next((n for n in lengths if past[:n] in self.live), 0)
        live = self.taken(past[:known]) if known else self.opened()
        self.player.set_time(sum(event.wait for event in past[:known]))
        for number, event in enumerate(past[known:], known + 1):
            live.player.ask(live.objects, event.as_json())
            if self.how == COPY and number % STRIDE == 0:  # the next past is often a bit shorter
                self.keep(past[:number], live.copied())
        return live

    def opened(self) -> Live:
        """Return fresh objects, where they would share something of a module loaded again."""
        player = self.player.reloaded() if self.how == RELOAD else self.player
        return Live(player, player.open(dict(self.budget)))

    def taken(self, past: Past) -> Live:
        """Return live objects: a copy of them, or themselves where they cannot be copied."""
        return self.live[past].copied() if self.how == COPY else self.live.pop(past)

    def keep(self, past: Past, live: Live) -> None:
        """Keep objects alive for what comes after this past; of a service's only one is not."""
        if live.objects[0] is None:
            return
        self.live[past] = live
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
