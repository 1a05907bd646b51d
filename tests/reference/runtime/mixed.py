"""Mixed faults at random on a store in use, and a count: nothing regained, nothing uncharged.

`python -m tests.reference.runtime.mixed KIND SECONDS [SEED]` with KIND one of memory, file, sqlite
and postgres.  Workers release for ever.  They are killed, interrupted and stopped; their system
calls and allocations fail; their connections are cut, and the server is restarted under them.
Every quarter of a minute the letters that they have left are compared with what the store says.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random

from filterproof.runtime import CompensatorFilter, FilterMisuse, StoreError
from tests.reference.runtime.budgets import ONE_BIT, place
from tests.reference.runtime.campaign import DELTA, EPSILON, RESPONSE, counted, filter_at
from tests.reference.runtime.faults import COUNT, FAIL
from tests.reference.runtime.server import MEMORY, Server

TURN = 15.0
"""Seconds that one store is used for: its floor lasts for several times as many rounds."""
LETTERS = {"d": "drawn", "r": "released", "e": "StoreError", "o": "OSError"}
LETTERS |= {"m": "MemoryError", "i": "KeyboardInterrupt", "s": "failing call", "a": "no memory"}
KNOWN = {StoreError: b"e", MemoryError: b"m", KeyboardInterrupt: b"i", OSError: b"o"}
"""What a fault may raise; anything else ends the worker, and the run."""
OF_SERVER = {"postgres": ("cut", "cut", "restart")}
OTHERS = ("kill",) * 3 + ("interrupt",) * 6 + ("stop",) * 3


class Broken(AssertionError):
    """A promise of the runtime that did not hold."""


# --- a worker -------------------------------------------------------------------------------------


class Worker:
    """Releases for ever; every draw, release and error leaves a letter that nothing takes back."""

    def __init__(self, where: str, witness: Path, seed: int) -> None:
        self.where, self.rng = where, Random(seed)
        self.seen = os.open(witness, os.O_RDWR | os.O_APPEND)
        self.only: CompensatorFilter | None = None  # without a store there is never another one
        self.shim = ctypes.CDLL(None) if "LD_PRELOAD" in os.environ else None

        self.inside = False

    def interrupt(self, *_: object) -> None:
        """Be interrupted, once in each release: what is tested is the runtime, not this file."""
        if self.inside:
            self.inside = False
            raise KeyboardInterrupt

    def note(self, letter: bytes) -> None:
        """Leave a letter."""
        os.write(self.seen, letter)

    def draw(self) -> int:
        """Say that data were looked at, and take a while, so that many faults fall here."""
        self.note(b"d")
        time.sleep(0.002)
        return 0

    def arm(self, call: int, way: int) -> None:
        """Let this call on the store's files fail; with 0 they are only counted."""
        if self.shim is not None:
            folder = os.path.dirname(self.where.removeprefix("sqlite:"))
            self.shim.fault_arm(folder.encode(), call, way)

    def release(self, guard: CompensatorFilter) -> None:
        """Release once, one time in ten with a failing call, one time in ten short of memory."""
        chance = self.rng.random()
        if chance < 0.1 and self.shim is not None:
            self.note(b"s")
            self.arm(self.rng.randrange(1, 40), FAIL)
        elif chance > 0.9:
            self.note(b"a")
            without_memory(self.rng.randrange(2000), lambda: guard.release(RESPONSE, self.draw))
            return
        guard.release(RESPONSE, self.draw)
        self.note(b"r")
        self.arm(0, COUNT)

    def work(self) -> None:
        """Release until something goes wrong; one time in two go on with the same filter then."""
        guard = self.opened()
        while True:
            try:
                self.inside = True
                self.release(guard)
                self.inside = False
            except tuple(KNOWN) as error:
                self.inside = False
                self.arm(0, COUNT)
                self.note(letter_of(error))
                self.check(guard)
                if self.where and self.rng.random() < 0.5:
                    with suppress(StoreError, OSError, FilterMisuse):
                        guard.close()
                    return

    def opened(self) -> CompensatorFilter:
        """Return the filter, as soon as whoever was killed has let go of the store."""
        if not self.where:
            self.only = self.only or CompensatorFilter(EPSILON, DELTA, domain=ONE_BIT)
            return self.only
        self.arm(0, COUNT)  # calls on files that are opened from now on are known
        while True:
            try:
                return filter_at(self.where)
            except (StoreError, OSError):
                time.sleep(0.002)

    def check(self, guard: CompensatorFilter) -> None:
        """Compare a filter without a store, which is all that remembers, with the letters."""
        if not self.where:
            drawn = os.pread(self.seen, 2**24, 0).count(b"d")
            if drawn > guard.rounds:
                raise Broken(f"{drawn} drawn, {guard.rounds} remembered")


def letter_of(error: BaseException) -> bytes:
    """Return the letter of the first kind that an error is of."""
    return next(KNOWN[kind] for kind in type(error).__mro__ if kind in KNOWN)


def without_memory(first: int, run: Callable[[], object]) -> None:
    """Run something in which one allocation fails; what other people's code then raises, too."""
    _testcapi = import_module("_testcapi")  # a part of CPython that has no types
    _testcapi.set_nomemory(first, first + 1)
    try:
        run()
    except Exception as error:
        raise MemoryError from error
    finally:
        _testcapi.remove_mem_hooks()


def started(where: str, witness: Path, seed: int) -> int:
    """Start a worker; return its process.  It is not interrupted before it has begun."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    child = os.fork()
    if not child:
        try:
            work_for_ever(Worker(where, witness, seed))
        except BaseException as error:
            sys.stderr.write(f"a worker: {error!r}\n")
        finally:
            os._exit(1)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return child


def work_for_ever(worker: Worker) -> None:
    """Begin again and again, whatever known fault has ended the work."""
    signal.signal(signal.SIGINT, worker.interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    while True:
        with suppress(*KNOWN):
            worker.work()


# --- the faults -----------------------------------------------------------------------------------


class Storm:
    """Some workers on one store, and what was done to them."""

    def __init__(self, kind: str, where: str, witness: Path, rng: Random, server: Server | None):
        self.where, self.witness, self.rng, self.server = where, witness, rng, server
        self.kinds = (*OTHERS, *OF_SERVER.get(kind, ())) if where else ("interrupt", "stop")
        self.done: Counter[str] = Counter()
        self.running = [self.start() for _ in range(1 if kind in ("file", "memory") else 3)]

    def start(self) -> int:
        """Start one more worker."""
        return started(self.where, self.witness, self.rng.getrandbits(32))

    def rage(self, seconds: float) -> None:
        """Do one thing after the other, at least until something was drawn; end the workers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end or b"d" not in self.witness.read_bytes():
            time.sleep(self.rng.random() * 0.04)
            name = self.rng.choice(self.kinds)
            getattr(self, name)()
            self.done[name] += 1
            self.replace_the_dead()
        for child in self.running:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def replace_the_dead(self) -> None:
        """Start a worker for each that has ended; one that found something broken ends it all."""
        for number, child in enumerate(self.running):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended and os.WIFEXITED(status):
                raise Broken("a worker has ended by itself: its error is above")
            if ended:
                self.done["died"] += os.WTERMSIG(status) != signal.SIGKILL
                self.running[number] = self.start()

    def one(self) -> int:
        """Return one of the workers."""
        return self.rng.choice(self.running)

    def kill(self) -> None:
        """Kill a worker; another one takes its place."""
        os.kill(self.one(), signal.SIGKILL)
        time.sleep(0.005)

    def interrupt(self) -> None:
        """Interrupt a worker, as Ctrl-C does."""
        os.kill(self.one(), signal.SIGINT)

    def stop(self) -> None:
        """Stop a worker for a moment."""
        child = self.one()
        os.kill(child, signal.SIGSTOP)
        time.sleep(self.rng.random() * 0.05)
        os.kill(child, signal.SIGCONT)

    def cut(self) -> None:
        """Cut every connection to the server."""
        from tests.reference.runtime.test_shared import cut

        cut(self.where)

    def restart(self) -> None:
        """Restart the server, which has to recover."""
        assert self.server is not None
        self.server.control("restart", "-m", "immediate")


# --- the account ----------------------------------------------------------------------------------


def turn(kind: str, seconds: float, rng: Random, server: Server | None) -> Counter[str]:
    """Use one store for a while; return what happened, or raise if more ran than was paid for."""
    folder = Path(tempfile.mkdtemp(prefix="filterproof-mixed-", dir=MEMORY))
    witness = folder / "letters"
    witness.touch()
    where = "" if kind == "memory" else server.url if server else place(kind, folder / "store")
    try:
        (folder / "store").mkdir()
        if where:
            filter_at(where, create=True).close()
        storm = Storm(kind, where, witness, rng, server)
        storm.rage(seconds)
        letters = Counter(witness.read_text())
        found = storm.done + Counter({LETTERS[one]: count for one, count in letters.items()})
        return found + (account(where, witness) if where else Counter())
    finally:
        shutil.rmtree(folder)


def account(where: str, witness: Path) -> Counter[str]:
    """Return what the store says, which must cover every letter; then let it be forgotten."""
    outcome = counted(where, witness, 0)
    if not outcome.holds():
        raise Broken(str(outcome))
    return Counter(reserved=outcome.reserved, settled=outcome.settled)


def main(kind: str, seconds: float, seed: int = 0) -> Counter[str]:
    """Rage for so long, store after store; return and print what was counted."""
    rng, found, end = Random(seed), Counter[str](), time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        server = Server() if kind == "postgres" else None
        try:
            found += turn(kind, min(left, TURN), rng, server)
        finally:
            if server:
                server.stop()
    sys.stdout.write(f"{kind}: {', '.join(f'{n} {name}' for name, n in sorted(found.items()))}\n")
    return found


def with_shim(words: list[str]) -> int:
    """Run this file again with `faults.c` before the C library, so that calls can fail."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "faults.so"
        source = Path(__file__).with_name("faults.c")
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"], check=True
        )
        environment = {**os.environ, "LD_PRELOAD": str(made)}
        again = [sys.executable, "-m", "tests.reference.runtime.mixed", *words]
        return subprocess.run(again, env=environment).returncode


if __name__ == "__main__":
    if "LD_PRELOAD" not in os.environ and sys.argv[1] in ("file", "sqlite"):
        sys.exit(with_shim(sys.argv[1:]))
    main(sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:4]))
