"""Cases that travel between processes, and a filter asked in another one.

A game is pickled as its JSON form: importing this module is all it takes.
"""

import copyreg
import json
import os
import pickle
import subprocess
import sys
from base64 import b64decode, b64encode
from typing import Any

from filterproof.game import Game
from filterproof.game.json import game_from_json, game_to_json
from filterproof_properties.targets.walk import questions, rule_of

HASH_SEED = "4242"


def _reduce(game: Game) -> tuple[Any, ...]:
    return game_from_json, (game_to_json(game),)


copyreg.pickle(Game, _reduce)


def answers_elsewhere(target: Any, case: Any) -> list[str]:
    """Return the decisions that a filter gives in a new process with another hash seed."""
    packed = b64encode(pickle.dumps((target, case))).decode()
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-m", "filterproof_properties.targets.elsewhere"],
        input=packed,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": HASH_SEED, "PYTHONPATH": paths},
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Read a packed target and case from standard input; write the filter's decisions."""
    target, case = pickle.loads(b64decode(sys.stdin.read()))
    decisions = [str(one.decision) for one in questions(rule_of(target, case), case.game)]
    sys.stdout.write(json.dumps(decisions))


if __name__ == "__main__":
    main()
