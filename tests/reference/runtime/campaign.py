"""Kill workers at random moments and count: nothing regained, nothing released uncharged.

`python -m tests.reference.runtime.campaign STORE KILLS` with STORE one of file, sqlite, postgres.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from filterproof.runtime import CompensatorFilter, StoreError, randomised_response
from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import checked_records
from tests.reference.runtime.budgets import ONE_BIT, place
from tests.reference.runtime.server import MEMORY, Server

EPSILON, DELTA = 40, Fraction(1, 2)
"""So large that the floor takes thousands of rounds: its sum tells how many were booked."""
RESPONSE = randomised_response(Fraction(51, 100), [0, 1])


@dataclass(frozen=True)
class Outcome:
    """What was seen outside, and what the store says."""

    kills: int
    drawn: int
    released: int
    reserved: int
    settled: int
    booked: int

    def holds(self) -> bool:
        """Nothing was drawn without a reservation, nor released without a settlement."""
        return (
            self.drawn <= self.reserved == self.booked
            and self.released <= self.settled <= self.reserved
        )

    def __str__(self) -> str:
        return (
            f"{self.kills} kills: {self.drawn} drawn, {self.released} released; "
            f"{self.reserved} reserved, {self.settled} settled, {self.booked} booked"
        )


def filter_at(where: str, create: bool = False) -> CompensatorFilter:
    return CompensatorFilter(EPSILON, DELTA, domain=ONE_BIT, store=where, create=create)


def worker(where: str, witness: Path) -> None:
    """Release for ever; every draw and every release leaves a letter that no kill takes back."""
    seen = os.open(witness, os.O_WRONLY | os.O_APPEND)

    def draw() -> int:
        os.write(seen, b"d")
        time.sleep(0.003)  # so that many die between reservation and settlement
        return 0

    while True:
        try:
            guard = filter_at(where)
        except StoreError:
            time.sleep(0.002)  # the one that was killed still holds the file
            continue
        while True:
            guard.release(RESPONSE, draw)
            os.write(seen, b"r")


def started(where: str, witness: Path) -> int:
    child = os.fork()
    if child == 0:
        try:
            worker(where, witness)
        except BaseException as error:
            sys.stderr.write(f"{error!r}\n")
        finally:
            os._exit(1)
    return child


def campaign(where: str, witness: Path, kills: int, workers: int, rng: Random) -> Outcome:
    """Keep some workers busy, kill one at a time, and compare the store with the witness."""
    filter_at(where, create=True).close()
    witness.touch()
    running = [started(where, witness) for _ in range(workers)]
    try:
        for _ in range(kills):
            _wait_for_work(witness, seconds=5)
            time.sleep(rng.random() * 0.01)
            ended = _killed(running.pop(rng.randrange(len(running))))
            assert ended == signal.SIGKILL, "a worker ended by itself"
            running.append(started(where, witness))
    finally:
        for child in running:
            _killed(child)
    return counted(where, witness, kills)


def _killed(child: int) -> int:
    """Kill a worker; return the signal that it died of."""
    os.kill(child, signal.SIGKILL)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def _wait_for_work(witness: Path, seconds: float) -> None:
    """Wait until somebody has drawn again, so that no kill is wasted on a sleeper."""
    before, end = witness.stat().st_size, time.monotonic() + seconds
    while witness.stat().st_size == before and time.monotonic() < end:
        time.sleep(0.001)


def counted(where: str, witness: Path, kills: int) -> Outcome:
    letters = Counter(witness.read_bytes())
    store = open_store(where)
    cell, records = store.history()
    kinds = Counter(facts["kind"] for facts in checked_records(records, cell))
    store.close()
    guard = filter_at(where)
    each = RESPONSE.mu(0, 1).amount ** 2
    booked = round(guard._account.squares[0] / each)
    assert guard.rounds == booked
    guard.close()
    drawn, released = letters[ord("d")], letters[ord("r")]
    return Outcome(kills, drawn, released, kinds["reserve"], kinds["settle"], booked)


def main(kind: str, kills: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="filterproof-kills-", dir=MEMORY))
    server = Server() if kind == "postgres" else None
    try:
        where = server.url if server else place(kind, folder)
        workers = 1 if kind == "file" else 4
        outcome = campaign(where, folder / "witness", kills, workers, Random(0))
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder)
    sys.stdout.write(f"{kind}: {outcome}\n")
    assert outcome.holds()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
