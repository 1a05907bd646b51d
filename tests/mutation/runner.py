"""Judges mutants inside of one run of pytest: everything is imported and collected once.

Each mutant lives in a forked copy of that process, and in the file in a copy of the project, so
that also the processes that a test starts are changed.  The copy runs the tests that run the
changed line and ends at the first that fails.  A test that takes much longer than it did fails.
"""

import ast
import importlib
import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from filterproof_proofs.potential.mutants import Mutant, mutants
from filterproof_properties.processes.supervisor import adopt_orphans, end_everything_below
from tests.mutation.inplace import CannotBeApplied, apply, functions_of
from tests.mutation.lines import WATCH, covered, watch
from tests.mutation.page import reason
from tests.mutation.places import Suite, noticed_by
from tests.mutation.rooms import ROOMS, ROOT, Room

SLOWEST = 2.0
"""A test that takes more processor seconds than this, watched, is not asked about mutants."""
KILLED, SURVIVED, UNSEEN, NOT_IN_PLACE = 1, 0, 2, 3
SAID = {KILLED: "killed", SURVIVED: "survived", UNSEEN: "survived: no test runs it"}

QUIET = settings(
    deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
"""Hypothesis without anything that depends on the machine."""


class Runner:
    """A plugin that judges mutants where pytest would run its tests."""

    def __init__(
        self,
        room: Room,
        kept: Path,
        chosen: list[tuple[Path, Mutant]],
        most: float,
        say: Callable[[dict[str, Any]], None],
    ) -> None:
        self.room, self.kept, self.chosen, self.most, self.say = room, kept, chosen, most, say

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once, then some of them for each mutant."""
        adopt_orphans()
        self.items = {item.nodeid: item for item in session.items}
        tests = self.tests()
        code = ROOT / self.room.code
        functions = functions_of(str(code))
        for path, one in self.chosen:
            some = noticed_by(tests, ROOT / path, one.line, code)
            found = self.judged(path, one, some, tests, functions) if some else UNSEEN
            self.say({**told(path, one), "said": SAID[found], "tests": len(some)})
        return True

    # --- the tests --------------------------------------------------------------------------------

    def tests(self) -> Suite:
        """Run the tests that were not run before in a copy of this process, watched."""
        code, notes, results = f"{ROOT / self.room.code}/", self.kept / "lines", self.kept / "tests"
        known = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
        fresh = [item for name, item in self.items.items() if name not in known]
        os.environ[WATCH] = os.pathsep.join([code, str(notes)])
        in_a_copy(lambda: watched(fresh, known, code, notes, results))
        del os.environ[WATCH]
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # what is compiled is of the unchanged files
        known = json.loads(results.read_text(encoding="utf-8"))
        for item in self.items.values():  # what tests import when they run is imported once
            load(known[item.nodeid]["modules"])
        quick = {
            name: known[name]["seconds"]
            for name in self.items
            if known[name]["passed"] and known[name]["seconds"] <= SLOWEST
        }
        texts = {name: source(item) for name, item in self.items.items()}
        self.say({"all tests": len(self.items), "quick": len(quick)})
        return Suite(self.most, quick, covered(notes), texts)

    # --- a mutant ---------------------------------------------------------------------------------

    def judged(self, path: Path, one: Mutant, some: list[str], tests: Suite, functions: Any) -> int:
        """Return what became of a mutant; its file is changed meanwhile."""
        place = ROOT / path
        before, times = place.read_bytes(), place.stat()
        place.write_text(ast.unparse(one.tree), encoding="utf-8")
        os.utime(place, (0, one.line))  # of another time than what was compiled before
        try:
            code = in_a_copy(lambda: self.shown(place, one, some, tests, functions))
            return self.anew(some, tests) if code == NOT_IN_PLACE else code
        finally:
            place.write_bytes(before)
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))

    def shown(self, place: Path, one: Mutant, some: list[str], tests: Suite, functions: Any) -> int:
        """Change this process, and run the tests until one fails."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, patience(0))
        try:
            was, code = (compile(each, str(place), "exec") for each in (one.source, one.tree))
            apply(was, code, module_of(place), functions.get(str(place), []))
        except CannotBeApplied:
            return NOT_IN_PLACE
        except Exception:
            return KILLED  # it cannot be imported
        for item, after in pairs(self.items[name] for name in some):
            signal.setitimer(signal.ITIMER_REAL, patience(tests.seconds[item.nodeid]))
            if failed(item, after):
                return KILLED
        return SURVIVED

    def anew(self, some: list[str], tests: Suite) -> int:
        """Run the tests in a new process, for a change that shows when a file is imported."""
        words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *some]
        limit = patience(30 + sum(tests.seconds[one] for one in some))
        try:
            done = subprocess.run(
                [sys.executable, *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return KILLED
        return KILLED if done.returncode else SURVIVED


def watched(
    items: list[pytest.Item], known: dict[str, Any], code: str, notes: Path, results: Path
) -> int:
    """Write down how long each test takes, whether it passes, and what it imports."""
    begin = watch(code, str(notes))
    for item, after in pairs(items):
        begin()
        begun, there = sum(os.times()[:4]), set(sys.modules)
        passed = not failed(item, after)
        known[item.nodeid] = {
            "passed": passed,
            "seconds": sum(os.times()[:4]) - begun,
            "modules": sorted(one for one in set(sys.modules) - there if one[:6] != "tests."),
        }
    results.write_text(json.dumps(known), encoding="utf-8")
    return 0


def load(modules: list[str]) -> None:
    """Import modules; one that is of a test's own making is left out."""
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)


def patience(seconds: float) -> float:
    """Return after how many seconds a test is taken to hang that takes so many of a processor."""
    return 10 + 10 * seconds


def in_a_copy(work: Callable[[], int]) -> int:
    """Run a function in a copy of this process; return its result, or that it was killed."""
    pid = os.fork()
    if not pid:
        _leave(work)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    end_everything_below()  # what its tests have left behind, wherever it went
    return code if code in (SURVIVED, NOT_IN_PLACE) else KILLED


def _leave(work: Callable[[], int]) -> NoReturn:
    code = KILLED
    try:
        os.setsid()
        code = work()
    finally:
        os._exit(code)


def pairs(items: Iterable[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Yield each test with the one after it, which may share its fixtures."""
    every = list(items)
    return zip(every, [*every[1:], None], strict=True)


def failed(item: pytest.Item, after: pytest.Item | None) -> bool:
    """Run one test."""
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=after))


def source(item: pytest.Item) -> str:
    """Return the text of a test."""
    return inspect.getsource(item.function) if isinstance(item, pytest.Function) else ""


def module_of(place: Path) -> Any:
    """Return the module that this file is."""
    found = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == str(place)]
    return found[0]


def told(path: Path, one: Mutant) -> dict[str, Any]:
    """Return a mutant as data."""
    short = {"text": one.text, "before": one.before, "after": one.after}
    words = {key: " ".join(text.split()) for key, text in short.items()}
    return {"file": str(path), "line": one.line, "column": one.column, "owner": one.owner, **words}


def key(one: dict[str, Any]) -> tuple[Any, ...]:
    """Return what tells a mutant from all others of the same code."""
    return one["file"], one["line"], one["column"], one["before"], one["after"]


def fates(kept: Path) -> list[dict[str, Any]]:
    """Return what became of the mutants that were judged, each as it was judged last."""
    place = kept / "judged"
    lines = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
    return list({key(one): one for one in map(json.loads, lines)}.values())


def all_mutants(room: Room) -> Iterator[tuple[Path, Mutant]]:
    """Yield every mutant of every file of a room."""
    for path in room.files():
        for one in mutants((ROOT / path).read_text(encoding="utf-8")):
            yield path, one


def main(name: str, kept: str, count: str, seconds: str) -> int:
    """Judge mutants of a room in this copy of the project; say each as a line of JSON.

    `kept` is a folder for what is known of the tests, and of mutants that were judged before.
    """
    room, out = ROOMS[name], os.fdopen(os.dup(1), "w", encoding="utf-8")

    def say(what: dict[str, Any]) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    settings.register_profile("mutation", QUIET)
    settings.load_profile("mutation")
    every = list(all_mutants(room))
    say({"mutants": len(every)})
    chosen = Random(0).sample(every, min(int(count), len(every)))
    settled = {key(one) for one in fates(Path(kept)) if one["said"] == SAID[KILLED] or reason(one)}
    left = [one for one in chosen if key(told(*one)) not in settled]
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={ROOT}/pytest"]
    runner = Runner(room, Path(kept), left, float(seconds), say)
    return int(pytest.main([*options, *room.tests], plugins=[runner]))


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # threads and exit handlers of what tests import have no say
