"""`python -m tests.fuzz.mutate SECONDS [SEED] [READER...]`: inputs made from the corpus by chance.

All readers take their turns.  It needs nothing that is not installed, and knows nothing of
coverage; the same seed makes the same inputs.  What breaks a reader, or keeps it for longer than
ten seconds, is written to `crash-*`.
"""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.harness import READERS

CORPUS = Path(__file__).parent / "corpus"
HANGS = 10
"""After so many seconds of the processor a reader hangs."""
ODD = [
    *(b"null", b"true", b"-1", b"1e999", b"NaN", b"9" * 400, b"1" + b"0" * 5000, b"0.1", b'""'),
    *(b"[]", b"{}", b"[" * 3000, b'{"a":' * 3000, b"\x00", b"\xff\xfe", b"\\ud800", b'"\\ud800"'),
    *(b"1/0", b"log(0)", b"inf", b"--", b"\n", b"\r\n", b"__import__('os')", b"2**-1075"),
]


def changed(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Return the data after one to four small changes."""
    for _ in range(rng.randrange(1, 5)):
        data = rng.choice(CHANGES)(data, others, rng)[:20_000]
    return data


def part(data: bytes, rng: Random) -> tuple[int, int]:
    """Return a piece of some data, mostly a short one."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(rng.expovariate(1 / 12)))


def cut(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, end = part(data, rng)
    return data[:start] + data[end:]


def flip(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, end = part(data, rng)
    return data[:start] + rng.randbytes(end - start) + data[end:]


def odd(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, end = part(data, rng)
    return data[:start] + rng.choice(ODD) + data[end:]


def spliced(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(others)
    start, end = part(other, rng)
    place = rng.randrange(len(data) + 1)
    return data[:place] + other[start:end] + data[place:]


def again(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, end = part(data, rng)
    return data[:end] + data[start:end] * rng.randrange(1, 40) + data[end:]


def value(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Put anything in the place of one value of a JSON line, if it is one."""
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    try:
        whole = json.loads(data) if rng.random() < 0.5 else json.loads(lines[number])
    except (ValueError, RecursionError):
        return odd(data, others, rng)
    new = json.dumps(replaced(whole, rng)).encode()
    lines[number] = new
    return new if rng.random() < 0.5 else b"\n".join(lines)


def replaced(data: Any, rng: Random) -> Any:
    """Return JSON data with one value replaced, left out or doubled."""
    if not data or not isinstance(data, (list, dict)) or rng.random() < 0.15:
        return rng.choice([None, True, -1, 0, 7, 0.5, 10**400, "", "x", "1/3", [], {}, [[]], data])
    if isinstance(data, list):
        at = rng.randrange(len(data))
        new = rng.choice([[replaced(data[at], rng)]] * 6 + [[], [data[at]] * 2])
        return data[:at] + new + data[at + 1 :]
    key = rng.choice([*data])
    rest = {name: one for name, one in data.items() if name != key}
    return rest if rng.random() < 0.1 else {**data, key: replaced(data[key], rng)}


CHANGES = (cut, flip, odd, odd, spliced, again, value, value, value)


@contextmanager
def limited() -> Iterator[None]:
    """Raise `TimeoutError` where something takes too long."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {HANGS} s")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def corpus(reader: str) -> list[bytes]:
    """Return the inputs that a reader's corpus has."""
    return [path.read_bytes() for path in sorted((CORPUS / reader).iterdir())]


def made(reader: str, rng: Random) -> Iterator[bytes]:
    """Yield inputs for a reader, without end."""
    inputs = corpus(reader)
    while True:
        yield changed(rng.choice(inputs), inputs, rng)


def fuzz(name: str, read: Callable[[bytes], None], seconds: float, rng: Random) -> tuple[int, int]:
    """Give a reader changed inputs for so long; return how many, and how many broke it."""
    tried, broken, end = 0, 0, time.monotonic() + seconds
    for data in made(name, rng):
        if time.monotonic() > end:
            break
        tried += 1
        try:
            with limited():
                read(data)
        except Exception as error:
            broken += 1
            digest = sha256(data).hexdigest()[:12]
            Path(f"crash-{name}-{digest}").write_bytes(data)
            sys.stdout.write(f"{name}: crash-{name}-{digest}: {error!r:.300}\n")
    return tried, broken


def main(seconds: str, seed: str = "0", *names: str) -> int:
    """Fuzz some readers, all of them by default, for so long in total; return how many broke."""
    chosen, bad = names or (*READERS,), 0
    for name in chosen:
        rng = Random(f"{seed} {name}")
        tried, broken = fuzz(name, READERS[name], float(seconds) / len(chosen), rng)
        sys.stdout.write(f"{name}: {tried} inputs, {broken} broke it\n")
        sys.stdout.flush()
        bad += broken
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
