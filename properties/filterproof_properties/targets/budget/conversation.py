"""Talks to a budget object in a process of its own: questions and answers are JSON lines."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from filterproof.filter import ProtocolError
from filterproof_properties.processes import isolated
from filterproof_properties.processes.child import Child, ChildFailed, Limits
from filterproof_properties.processes.sandbox import with_directories
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget import playing, services
from filterproof_properties.targets.budget.names import is_service
from filterproof_properties.targets.budget.plays import PATIENCE, STARTS
from filterproof_properties.targets.budget.replies import read_reply

MOST_BYTES = 2**20
"""The longest answer that is read."""
Put = Callable[[dict[str, Any]], Any]
"""Puts a question to the object and returns its answer."""


@contextmanager
def conversation(python: str, target: str, words: dict[str, Any], limits: Limits) -> Iterator[Put]:
    """Yield what puts questions to the object, in a process of its own that is ended afterwards."""
    described = words.get("describe", {}).get("calls", ())
    patience = max(PATIENCE, limits.timeout)
    told = json.dumps({**words, "patience": limits.timeout})
    command = isolated.python((services if is_service(target) else playing).__name__, told)
    if python:
        command = [python, "-c", STARTS, isolated.ROOTS[-1], told]
    shown = with_directories([target.rpartition(":")[0], python, *re.split("[ =:]+", target)])
    child = Child(command, limits, visible=shown)

    def put(question: dict[str, Any]) -> Any:
        try:
            child.send(json.dumps(question).encode() + b"\n", patience)
            line = child.line(patience, MOST_BYTES)
        except ChildFailed as error:
            how = child.how(1.0)
            said = " ".join(filter(None, (quoted(error, 300), how, child.noise())))
            raise ProtocolError(f"its process: {said}") from None
        return read_reply(line, question, question.get("methods", described))

    try:
        yield put
    finally:
        child.close()
