"""Two threads that ask for the last unit, one of them held up at a place where it matters.

Where the function that says yes or no is known, each thread is held after it has returned.  Where
it is not, one thread is held at its last line, the line before and so on, each time on a fresh
object, while the other one asks and is answered.  What is found has really happened; a race inside
one line, or in code that is not Python, is not looked for.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from sysconfig import get_path
from typing import Any

from filterproof_properties.failopen.desk import EPSILON, Desk
from filterproof_properties.targets.budget import player

MOST_LINES = 30
"""At how many lines a thread is held at most: the last ones, since a spend is booked at the end."""
BLOCKED = 0.25
"""After so many seconds a thread that is not back is taken to wait for the one that is held."""
MEETING = 2
"""Seconds that a thread waits for the other one after the check."""

LIBRARY, INSTALLED = (get_path(name) for name in ("stdlib", "purelib"))
OURS = (str(Path(__file__).parent), str(Path(player.__file__).parent))
"""Where our own lines are, between which nobody else's race happens."""

Grants = Callable[[Any], bool]


def racing(desk: Desk, grants: Grants) -> int:
    """Return how many of two units are granted at most, where one fits."""
    if desk.checks:
        return held_after_the_check(desk, grants)
    lines = lines_of(desk, grants)
    held = range(lines, max(0, lines - MOST_LINES), -1)
    return max((held_at_line(desk, grants, line) for line in held), default=1)


def held_after_the_check(desk: Desk, grants: Grants) -> int:
    """Hold both threads after the check has returned, until both have arrived."""
    opened, meet = desk.open(EPSILON), threading.Barrier(2)
    said: list[bool] = []

    def hold(frame: Any, event: str, argument: Any) -> None:
        if event == "return" and frame.f_code.co_name == desk.checks:
            sys.setprofile(None)
            wait()

    def wait() -> None:
        try:
            meet.wait(MEETING)
        except threading.BrokenBarrierError:
            return

    def asks() -> None:
        sys.setprofile(hold)
        said.append(grants(opened))
        sys.setprofile(None)

    threads = [threading.Thread(target=asks) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(said)


def lines_of(desk: Desk, grants: Grants) -> int:
    """Return how many lines one grant takes."""
    opened, count = desk.open(EPSILON), 0

    def counts() -> None:
        nonlocal count
        count += 1

    call_traced(lambda: grants(opened), counts)
    return count


def held_at_line(desk: Desk, grants: Grants, line: int) -> int:
    """Hold one thread at a line while the other one asks."""
    opened, arrived, go_on = desk.open(EPSILON), threading.Event(), threading.Event()
    said: list[bool] = []
    count = 0

    def holds() -> None:
        nonlocal count
        count += 1
        if count == line:
            arrived.set()
            go_on.wait()

    def first() -> None:
        call_traced(lambda: said.append(grants(opened)), holds)
        arrived.set()

    threads = [threading.Thread(target=one) for one in (first, lambda: said.append(grants(opened)))]
    threads[0].start()
    arrived.wait()
    threads[1].start()
    threads[1].join(BLOCKED)
    go_on.set()
    for thread in threads:
        thread.join()
    return sum(said)


def call_traced(call: Callable[[], Any], at_line: Callable[[], None]) -> None:
    """Call something in this thread, and something else before its lines, but not in Python's."""

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            at_line()
        file = frame.f_code.co_filename
        return None if is_pythons_own(file) or file.startswith(OURS) else trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)


def is_pythons_own(file: str) -> bool:
    """Whether a file belongs to the standard library.

    >>> is_pythons_own(threading.__file__), is_pythons_own("till.py")
    (True, False)
    """
    return file.startswith((LIBRARY, "<frozen")) and not file.startswith(INSTALLED)
