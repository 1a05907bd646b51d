"""Each reader takes any bytes: it returns, or raises the error that it is documented to raise.

Anything else (a TypeError, a RecursionError, an endless loop) is a defect, because it would end a
command with exit code 4, or worse, with a verdict.
"""

import gzip
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from filterproof.certificate import NotCertifiable, read_certificate
from filterproof.exact import ExactError, Log
from filterproof.filter import ProtocolError, parameter_sets
from filterproof.game.json import game_from_json, load_json
from filterproof_proofs import odometer_checker
from filterproof_proofs.certificates import check
from filterproof_proofs.checker import Rejected
from filterproof_properties.audit.recheck import BadTranscript, recheck
from filterproof_properties.games.named import switch
from filterproof_properties.options.config import ConfigError, read_config
from filterproof_properties.processes.child import ChildFailed, Limits
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.link import Connection
from filterproof_properties.targets.program import ProgramTarget
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Declined
from tests.fuzz import budgets

READABLE = 20_000
"""Longer inputs only take longer."""


def certificate(data: bytes) -> None:
    """Check a certificate, and read it for a replay."""
    text = data[:READABLE].decode(errors="replace")
    with suppress(Rejected):
        check(text)
    with suppress(ExactError):
        read_certificate(text)


def odometer(data: bytes) -> None:
    """Check the certificate of an odometer, whatever kind it says it is."""
    with suppress(Rejected):
        odometer_checker.check(data[:READABLE].decode(errors="replace"))


def game(data: bytes) -> None:
    """Read a game."""
    with suppress(ExactError):
        game_from_json(load_json(data[:READABLE].decode(errors="replace")))


def config(data: bytes) -> None:
    """Read a pyproject.toml."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pyproject.toml"
        path.write_bytes(data[:READABLE])
        with suppress(ConfigError):
            read_config(path)


class Canned:
    """A child whose answers are given: the number of each, then whatever the input says."""

    alive = True

    def __init__(self, data: bytes) -> None:
        self.lines, self.number = data[:READABLE].split(b"\n"), 0

    def send(self, data: bytes, seconds: float) -> None:
        """Take a question."""

    def line(self, seconds: float, most: int) -> bytes:
        """Return the next line, made an answer to the next question."""
        if self.number >= len(self.lines):
            raise ChildFailed("it ended without an answer")
        self.number += 1
        return b'{"id":%d,' % self.number + self.lines[self.number - 1]

    def how(self, seconds: float) -> str:
        """It has not ended."""
        return ""

    def noise(self) -> str:
        """It says nothing else."""
        return ""

    def close(self) -> None:
        """There is nothing to end."""


def asked(data: bytes, kind: Callable[[Connection, Any], Any]) -> None:
    """Ask a target whose process writes this for parameters, a filter and a whole play."""
    canned: Any = Canned(data)
    link = Connection(canned, Limits(), "")
    case = switch()
    with suppress(ProtocolError, Declined, NotCertifiable):
        target = kind(link, link.ask([{"call": "hello"}])[0])
        for parameters in parameter_sets(target, Log(Fraction(2)), Fraction(0), 2):
            rule = target(case.epsilon, case.delta, **parameters)
            worst(rule, case.game, case.epsilon)


def protocol(data: bytes) -> None:
    """Ask a filter or an odometer that speaks version 3."""
    asked(data, RemoteTarget)


def program(data: bytes) -> None:
    """Ask a filter that speaks version 1."""
    asked(data, ProgramTarget)


def transcript(data: bytes) -> None:
    """Recheck a transcript of these lines, with the digest that they need."""
    lines = data[:READABLE] + b"\n"
    digest = b'{"digest": "%s"}\n' % sha256(lines).hexdigest().encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "transcript.gz"
        path.write_bytes(gzip.compress(lines + digest, 1))
        with suppress(BadTranscript):
            recheck(path)


READERS: Mapping[str, Callable[[bytes], None]] = {
    "certificate": certificate,
    "odometer": odometer,
    "game": game,
    "config": config,
    "protocol": protocol,
    "program": program,
    "transcript": transcript,
    "service": budgets.service,
    "http": budgets.http,
    "words": budgets.words,
    "reply": budgets.reply,
    "memory": budgets.memory,
}
