"""The process in which a player plays on an object: `main` answers JSON lines about it.

It uses the standard library only, like `player`, so that any interpreter can run it.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from filterproof_properties.processes.checkout import enter as enter_checkout
from filterproof_properties.targets.budget.loading import Fault, described, said
from filterproof_properties.targets.budget.player import Answer, Player
from filterproof_properties.targets.budget.spelling import spelled_call

ALARM = 60
"""After so many seconds a play that hangs is ended; nobody waits for it so long."""
ENDED = "the object ended its process"


def play(player: Any, budget: dict[str, Any], events: list[dict[str, Any]]) -> list[Answer]:
    """Return the answers of a fresh object to one request after the other."""
    objects = player.open(budget)
    asks = {True: answer_to_odd, False: type(player).ask}
    return [asks[event.get("odd", False)](player, objects, event) for event in events]


def answer_to_odd(player: Any, objects: list[Any], event: dict[str, Any]) -> Answer:
    """Return the answer to a request that an object may have no answer to, and go on.

    What it raises that is no refusal is of the kind `fault`, by its name.
    """
    try:
        answer: Answer = player.ask(objects, event)
    except Fault as error:
        if not error.raised:
            raise
        return Answer(False, error.raised, "fault")
    return answer


def replied(player: Player, question: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to one line: the answers, or what went wrong."""
    try:
        if "methods" in question:
            return player.described(player.open(question["budget"])[0], question["methods"])
        return {"answers": play(player, question["budget"], question["events"])}
    except ValueError as error:
        return {"declined": said(error)}
    except Fault as error:
        return {"fault": str(error)}


def answered(player: Player, question: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to one line from a copy of this process."""
    found = in_copy(lambda: replied(player, question))
    if found != {"fault": ENDED}:
        return found
    asked = [(player.spends[one.get("call", 0)], one["values"]) for one in question["events"]]
    shown = "; ".join(spelled_call(call, values) for call, values in asked)
    return {"fault": f"{ENDED} on one of these: {shown}"}


def in_copy(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a function returns in a copy of this process; what it changes is lost there."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(ALARM)
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(run()))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(text) if text else {"fault": ENDED}
    return found


def main(arguments: list[str]) -> int:
    """Answer lines `{"budget": ..., "events": [...]}` about the object of the first argument.

    Every play is in a copy of this process, so that what objects share is fresh as well.
    """
    writing = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    enter_checkout(os.environ)
    words = json.loads(arguments[0])
    player: Player | None = None
    for line in sys.stdin:
        try:
            player = player or (None if "describe" in words else Player(words))
            reply = answered(player, json.loads(line)) if player else described(**words["describe"])
        except Fault as error:
            reply = {"fault": str(error)}
        writing.write(json.dumps(reply) + "\n")
        writing.flush()
    return 0
