"""`python -m tests.gate [--base COMMIT] [--required]`: every sound filter against the last release.

Without `--base` that is the newest tag before this commit; without a tag, where this branch began.
Exit code 0: none is looser; 1: one is; 2: one failed, or there is no such commit; 3: too little was
compared, or (with `--required`) there is no older commit here.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from filterproof.filters.registry import REGISTRY
from filterproof_properties.audit.base import Commit, base_commit, checked_out
from filterproof_properties.audit.comparison import Comparison
from filterproof_properties.audit.diff import run_diff
from filterproof_properties.audit.verdicts import entry
from filterproof_properties.cli.diff import shown
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.reports import terminal
from filterproof_properties.targets.target import TargetError
from tests.gate.versions import (
    FILTERS,
    ROOT,
    attribute,
    changed_for_both,
    registered,
    unchanged,
    write_versions,
)

SECONDS, LEAST = 100.0, 3.0
"""So long all comparisons may take together, and one of them at least."""


def main(words: list[str]) -> int:
    """Compare, print, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.gate")
    parser.add_argument("--base", default="")
    parser.add_argument("--required", action="store_true")
    options = parser.parse_args(words)
    missing = 3 if options.required else 0
    try:
        commit = last_release(ROOT, options.base)
    except TargetError as error:
        say(f"nothing was compared: {error}")
        return 2 if options.base else missing
    if commit is None:
        say("nothing was compared: this is the first commit")
        return missing
    return gate(commit, ROOT)


def last_release(top: Path, ref: str) -> Commit | None:
    """Return the commit named; else the newest tag before this commit; else where it branched."""
    told = ["git", "-C", str(top), "describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD^"]
    tag = subprocess.run(told, capture_output=True, text=True, check=False).stdout.strip()
    return base_commit(top, ref or tag, os.environ)


def gate(commit: Commit, top: Path) -> int:
    """Compare every sound filter that has changed since a commit; return the exit code."""
    say(f"the base is {commit.words}")
    new, sound = top / FILTERS, [one.name for one in REGISTRY if one.sound]
    with checked_out(commit) as base, tempfile.TemporaryDirectory() as temporary:
        old, folder = base.folder / FILTERS, Path(temporary).resolve()
        before = registered(old)
        same = [one for one in sound if unchanged(one, old, new)]
        todo = [one for one in sound if one in before and one not in same]
        tell("unchanged", same)
        tell("not in the base, not compared", [one for one in sound if one not in before])
        tell("asked in by both, so not compared", changed_for_both(old, new))
        tell("gone since the base", [one for one in before if one not in registered(new)])
        write_versions(old, folder, todo)
        seconds = max(LEAST, SECONDS / len(todo)) if todo else LEAST
        codes = [compare(folder, one, Settings(seconds=seconds)) for one in todo]
    say(f"{len(todo)} compared, {sum(code != 0 for code in codes)} of them not passed")
    return next((code for code in (1, 2, 4, 3) if code in codes), 0)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def tell(what: str, names: list[str]) -> None:
    """Print the names of which the same is to be said."""
    if names:
        say(f"{what}: {', '.join(names)}")


def compare(folder: Path, name: str, settings: Settings) -> int:
    """Compare the two versions of one filter, print what came out, return the exit code."""
    old, new = (f"{folder / version}.py:{attribute(name)}" for version in ("old", "new"))
    found: Comparison = run_diff(old, new, settings, Limits(), lambda _: None)
    say(f"== {name}")
    terminal.console().print(shown(found))
    return entry(found.verdict).exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
