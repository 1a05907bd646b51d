"""The server of answers as a process: what it is asked by its lines, and what a target gets."""

import base64
import json
import pickle
import subprocess
from pathlib import Path

import pytest

from filterproof.filters.additive import Additive
from filterproof_properties.processes import isolated
from filterproof_properties.targets import server
from tests.properties.targets.wire import Message

BUDGET = {"epsilon": "1", "delta": "1/10", "parameters": {}}


def talked(told: Message, *asked: Message) -> list[Message]:
    """Let the server run as a process."""
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = subprocess.run(
        isolated.python(server.__name__, json.dumps(told)),
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env=isolated.environment(),
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_pickled_target_is_served() -> None:
    packed = base64.b64encode(pickle.dumps(Additive)).decode()
    sign, hello, made = talked(
        {"pickled": packed},
        {"id": 1, "call": "hello"},
        {"id": 2, "call": "make", "filter": 1, **BUDGET},
    )
    assert (sign, hello["id"], made["id"]) == ({"id": 1, "some": []}, 1, 2)
    assert hello["name"].endswith(":Additive")


LOUD = """
import os, sys
class Loud:
    def __init__(self, epsilon, delta):
        {what}
    def start(self):
        return 0
    def decide(self, state, step):
        return "halt", state
"""


@pytest.mark.parametrize(
    "what",
    [
        "print('loud')",
        "os.write(1, b'loud')",
        "assert os.path.samestat(os.fstat(0), os.stat(os.devnull)); print(sys.stdout.fileno())",
    ],
)
def test_the_target_gets_neither_stream(what: str, tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(LOUD.format(what=what))
    _, _, made = talked(
        {"spec": f"{path}:Loud", "timeout": 10},
        {"id": 1, "call": "hello"},
        {"id": 2, "call": "make", "filter": 1, **BUDGET},
    )
    assert made["error"].startswith("making the filter wrote to standard output")
