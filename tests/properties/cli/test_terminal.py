"""What a person at a terminal sees, and what NO_COLOR takes away."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

COLOUR = re.compile(rb"\x1b\[[0-9;]*\b[34][0-9]\b[0-9;]*m")

BUDGET = """
class Budget:
    def __init__(self, epsilon):
        self.left = epsilon

    def spend(self, epsilon):
        if epsilon > self.left:
            raise ValueError
        self.left -= epsilon
"""


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


def test_a_command_without_a_count_says_on_a_terminal_what_it_does(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(BUDGET, encoding="utf-8")
    shown = at_a_terminal("failopen", f"{tmp_path / 'shop.py'}:Budget", "--spend", "spend")
    assert b"odd input to " in shown
