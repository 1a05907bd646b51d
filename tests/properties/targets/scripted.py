"""A child whose every word is scripted, and which notes every wait."""

import json
from typing import Any

from filterproof_properties.processes.child import ChildFailed, Limits
from filterproof_properties.targets.link import Connection

ASK = {"call": "ask", "twice": True, "questions": [[5, 1, 0], [5, 2, 0], [5, 3, 1]]}


class Scripted:
    """A child that says these messages in turn, and notes how long it was waited for."""

    def __init__(self, *said: Any) -> None:
        self.said, self.alive = [*said], True
        self.waits: list[float] = []
        self.lengths: set[int] = set()
        self.sent = b""
        self.asked_how: list[float] = []

    def send(self, data: bytes, seconds: float) -> None:
        self.sent += data
        if not self.said:
            raise ChildFailed("it read nothing")

    def line(self, seconds: float, most: int) -> bytes:
        self.waits.append(seconds)
        self.lengths.add(most)
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, bytes) else json.dumps(said).encode()

    def how(self, seconds: float) -> str:
        self.asked_how.append(seconds)
        return "exit status 7"

    def noise(self) -> str:
        return "boom"

    def close(self) -> None:
        self.alive = False


def lined(*said: Any, name: str = "", timeout: float = 5.0) -> tuple[Connection, Scripted]:
    child: Any = Scripted(*said)
    return Connection(child, Limits(timeout=timeout), name), child


def sign(number: int, *some: Any) -> dict[str, Any]:
    return {"id": number, "some": [*some]}
