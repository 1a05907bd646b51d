"""What a person at a terminal sees, and what NO_COLOR takes away."""

import os
import pty
import re
import subprocess
import sys

COLOUR = re.compile(rb"\x1b\[[0-9;]*\b[34][0-9]\b[0-9;]*m")


def at_a_terminal(*words: str, **environment: str) -> bytes:
    """All that a command writes to a terminal."""
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "filterproof_properties.cli.main", *words]
    without = {key: text for key, text in os.environ.items() if key != "NO_COLOR"}
    known = {**without, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
    running = subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=known)
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        shown += more
    os.close(ours)
    running.wait(timeout=60)
    return shown


def test_no_color_is_honoured() -> None:
    words = ("audit", "naive", "--examples", "1")
    assert COLOUR.search(at_a_terminal(*words))
    plain = at_a_terminal(*words, NO_COLOR="1")
    assert b" is not (" in plain
    assert not COLOUR.search(plain)
