"""A small project in git: a ledger of several files in a package, and its versions."""

import os
import subprocess
from pathlib import Path

COSTS = """
from fractions import Fraction

def charged(delta):
    return delta
"""
LEDGER = """
from fractions import Fraction
from filterproof.exact import exceeds
from .costs import charged

class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta
    def start(self):
        exec("")
        return Fraction(1), Fraction(0)
    def decide(self, state, step):
        odds, delta = step.mechanism.declared
        spent = state[0] * odds, state[1] + charged(delta)
        fits = not exceeds(spent[0], Fraction(1), self.epsilon) and spent[1] <= self.delta
        return ("continue", spent) if fits else ("refuse", state)
"""
"""A proof is not tried, because of the `exec`: it takes seconds, and most tests need none."""
PROVABLE = LEDGER.replace('        exec("")\n', "")
CONFIG = '[tool.filterproof]\ntargets = ["src/shop/ledger.py:Budget"]\nexamples = 40\n'
TARGET = "src/shop/ledger.py:Budget"
FILES = {
    "src/shop/__init__.py": "",
    "src/shop/costs.py": COSTS,
    "src/shop/ledger.py": LEDGER,
    "pyproject.toml": CONFIG,
}
LOOSER = {"src/shop/costs.py": COSTS.replace("return delta", "return delta / 2")}
STRICTER = {"src/shop/costs.py": COSTS.replace("return delta", "return delta * 2")}
RENAMED = {"src/shop/ledger.py": LEDGER.replace("spent", "used")}


def git(folder: Path, *words: str) -> str:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    named = {f"GIT_{who}_{what}": "nobody@example.org" for who in ("AUTHOR", "COMMITTER")
             for what in ("NAME", "EMAIL")}  # fmt: skip
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        env={**os.environ, **own, **named},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit(folder: Path, files: dict[str, str], message: str = "a change") -> str:
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Return a repository whose branch main has one commit, on a branch of its own."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {**FILES, **(files or {})}, "first")
    git(folder, "switch", "-q", "-c", "change")
    return folder
