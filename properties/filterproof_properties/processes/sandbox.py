"""Runs a stranger's program where it sees its own files and can write to none of ours.

Namespaces of its own for users, processes, network, host name and mounts: the file system is
read-only, /tmp is private, /proc shows nothing but itself, home directories are empty except for
what it needs, and there is no network.  `bwrap` does it where it is installed, otherwise `unshare`
with `confine.py`, otherwise nobody does: `missing` says why.  Inside, `syscalls.py` gives up system
calls that nobody needs.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from filterproof_properties.processes import confine, isolated, syscalls

AUTO, REQUIRE, OFF = "auto", "require", "off"
PROBE_SECONDS = 20.0
"""A probe that takes longer than this has failed: it is a hundred times what it takes."""
PRIVATE = "/tmp"
"""The one directory that can be written to; nobody else sees it."""
CHOSEN = "as chosen (sandbox off)"


def _hidden_directories() -> list[str]:
    """Return the directories that look empty from inside, apart from what is needed."""
    own = os.path.expanduser("~")
    some = (PRIVATE, "/var/tmp", "/run", "/home", "/root", own, os.environ.get("TMPDIR", PRIVATE))
    real = dict.fromkeys(map(os.path.realpath, some))
    return [one for one in real if os.path.isdir(one) and one != "/"]


def with_directories(words: Iterable[str | None]) -> list[str]:
    """Return the files among some words, each with its directory; a `bin` with all beside it.

    Of a file inside a package the whole package is shown, and what a link leads to as well.
    """
    files = [path for path in words if path and os.path.isfile(path)]
    found = [where(path) for path in files for where in (os.path.abspath, os.path.realpath)]
    folders = [_top(os.path.dirname(path)) for path in found]
    beside = [os.path.dirname(one) for one in folders if os.path.basename(one) == "bin"]
    return [*found, *folders, *beside]


def _top(folder: str) -> str:
    """Return the outermost package that a directory is in; itself where it is no package."""
    above = os.path.dirname(folder)
    return _top(above) if os.path.isfile(os.path.join(above, "__init__.py")) else folder


def shown_again(visible: Iterable[str], hidden: Sequence[str]) -> list[str]:
    """Return what has to be shown again of what is hidden: Python, our code, and what is visible.

    Of a directory that is itself hidden, or holds one that is, only Python files are shown.
    """
    prefixes = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable)))
    paths = (*prefixes, *isolated.ROOTS, *isolated.target_path(), os.getcwd(), *visible)
    found: dict[str, None] = {}
    for path in (one for name in paths for one in (os.path.abspath(name), os.path.realpath(name))):
        if any(_inside(one, path) for one in hidden):
            found |= dict.fromkeys(map(str, Path(path).glob("*.py")))
        elif os.path.exists(path) and any(_inside(path, one) for one in hidden):
            found[path] = None
    every = sorted(found)  # a directory before what is in it, which need not be shown again
    return [one for one in every if not any(_inside(one, path) for path in found if path != one)]


def _inside(path: str, directory: str) -> bool:
    return Path(path).is_relative_to(directory)


def _bubblewrap(disk: int, visible: Iterable[str], folder: str) -> list[str]:
    hidden = _hidden_directories()
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]
    for one in hidden:
        words += ["--size", str(disk * 2**20), "--tmpfs", one]
    for one in shown_again(visible, hidden):
        words += ["--ro-bind", one, one]
    for one in hidden:
        words += ["--remount-ro", one] if one != PRIVATE else []
    return [*words, *_variables("--setenv", " "), "--chdir", folder, "--", *_fewer_calls()]


def _fewer_calls() -> list[str]:
    """Return the words that run other words with fewer system calls and bounded processes."""
    return [sys.executable, "-I", "-S", str(Path(syscalls.__file__).resolve())]


def _variables(word: str, between: str) -> list[str]:
    """Return the words that set the variables which name a directory."""
    named = (f"{name}{between}{PRIVATE}" for name in ("HOME", "TMPDIR"))
    return [part for one in named for part in (word, *one.split(" "))]


def _unshare(disk: int, visible: Iterable[str], folder: str) -> list[str]:
    hidden = _hidden_directories()
    told = {
        "hidden": hidden,
        "shown": shown_again(visible, hidden),
        "private": PRIVATE,
        "disk": disk,
    }
    told["folder"] = folder
    namespaces = ["--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts"]
    python = [sys.executable, "-I", "-S", str(Path(confine.__file__).resolve())]
    environment = ["env", f"HOME={PRIVATE}", f"TMPDIR={PRIVATE}"]
    inside = [*python, json.dumps(told), *environment, *_fewer_calls()]
    return ["unshare", *namespaces, "--fork", "--kill-child", "--", *inside]


WAYS = {"bwrap": _bubblewrap, "unshare": _unshare}
"""What can make a sandbox, the better one first."""


@lru_cache(maxsize=1)
def found() -> tuple[str, str]:
    """Return which of the ways works here, and why none does where that is empty."""
    problems = []
    for name, words in WAYS.items():
        if shutil.which(name) is None:
            problems.append(f"{name} is not installed")
        elif problem := _probe([*words(1, (), os.getcwd()), shutil.which("true") or "true"]):
            problems.append(f"{name} does not work here ({problem})")
        else:
            return name, ""
    return "", "; ".join(problems)


def _probe(words: list[str]) -> str:
    """Return why this command fails, or nothing."""
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
            env=isolated.environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return "" if done.returncode == 0 else (last or [f"exit status {done.returncode}"])[0][:120]


def missing(mode: str) -> str:
    """Say why there is no sandbox; nothing if there is one."""
    return CHOSEN if mode == OFF else found()[1]


def enclose(
    words: Sequence[str], mode: str, disk: int, visible: Iterable[str], folder: str
) -> list[str]:
    """Return the command that runs these words in the sandbox, or the words where there is none."""
    if missing(mode):
        return [*words]
    return [*WAYS[found()[0]](disk, visible, folder), *words]


def exit_status(said: str) -> str:
    """Return how a program ended, as its sandbox reports it: a signal as 128 and its number.

    >>> exit_status("exit status 139"), exit_status("exit status 1")
    ('killed by SIGSEGV', 'exit status 1')
    """
    number = int(said.removeprefix("exit status ")) - 128 if said.startswith("exit status ") else 0
    known = {one.value: one.name for one in signal.Signals}
    return f"killed by {known[number]}" if number in known else said
