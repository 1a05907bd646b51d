"""What budget objects and services may answer, and the words for them: readers to be fuzzed."""

import socket
import tempfile
from contextlib import suppress
from fractions import Fraction
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from unittest.mock import patch

from filterproof.budget_calls import BudgetCalls, CallError, complete
from filterproof.exact import Log
from filterproof.filter import ProtocolError
from filterproof_properties.audit.memory import recall
from filterproof_properties.failopen.table import cell_from
from filterproof_properties.games.named import switch
from filterproof_properties.options.settings import Settings
from filterproof_properties.targets.budget import services
from filterproof_properties.targets.budget.completing import budget
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.named import BudgetTarget
from filterproof_properties.targets.budget.names import HTTP, PROGRAM, named, spec_of
from filterproof_properties.targets.budget.plays import played
from filterproof_properties.targets.budget.replies import read_reply
from filterproof_properties.targets.budget.services import service_player
from filterproof_properties.targets.budget.trial import interpreted
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.target import Declined, Loaded, TargetError

READABLE = 20_000
"""Longer inputs only take longer."""
WRONG = (ProtocolError, TargetError, Declined)
"""What a target may do wrong."""
OPEN, SPEND = "POST /budgets {epsilon, delta} -> id", "POST /budgets/{id}/spend {epsilon, delta}"
OVER_HTTP = complete(BudgetCalls(spend=(SPEND,), open=OPEN))
BY_PROGRAM = complete(BudgetCalls(spend=("spend(epsilon, delta)",), open="(epsilon, delta)"))
IN_PYTHON = complete(BudgetCalls(spend=("spend(epsilon)",), open="(epsilon)"))


def asked(target: str, calls: BudgetCalls, player: Any) -> None:
    """Try the calls of a service, and then play on it."""
    with suppress(*WRONG):
        interpreted(calls, lambda question: played(player, question))
    made = BudgetTarget(target, calls)
    vars(made)["player"] = player
    with suppress(*WRONG):
        case = switch()
        rule = connect_here(Loaded("", made, ("dp",))).target(Log(Fraction(2)), Fraction(1, 8))
        worst(rule, case.game, case.epsilon)


def service(data: bytes) -> None:
    """Ask a program that writes these lines."""
    lines = iter(data[:READABLE].split(b"\n"))

    def exchanged(line: bytes) -> bytes:
        if (found := next(lines, None)) is None:
            raise Fault("the program ended")
        return found

    target = f"{PROGRAM}none"
    player: Any = service_player(target, BY_PROGRAM, trial=True)
    player.exchanged = exchanged
    asked(target, BY_PROGRAM, player)


class Wired(HTTPConnection):
    """A connection to nobody: all that comes from there is given."""

    said = b""

    def connect(self) -> None:
        """Be connected, with the answer there already."""
        self.sock, there = socket.socketpair()
        self.sock.settimeout(5)
        with there:
            there.sendall(self.said)
            there.shutdown(socket.SHUT_WR)
            self.there = there.dup()  # somebody who takes what is asked, and does not look


def http(data: bytes) -> None:
    """Ask an HTTP service that gives this answer to everything."""
    target = f"{HTTP}127.0.0.1:9"
    answers = type("Wired", (Wired,), {"said": data[:READABLE]})
    with patch.object(services, "HTTPConnection", answers):
        asked(target, OVER_HTTP, service_player(target, OVER_HTTP, trial=True, patience=5))


def words(data: bytes) -> None:
    """Read the words of a budget object, and write them again."""
    with suppress(CallError, TargetError):
        target, calls = named(data[:READABLE].decode(errors="replace"))
        again = spec_of(target, complete(calls))
        assert named(again)[1] == complete(calls), again


def reply(data: bytes) -> None:
    """Read what an object's own process says of its methods, and of two requests."""
    events = {"budget": budget(IN_PYTHON), "events": [{}, {}]}
    for question in (events, {"methods": ["spend"]}, {}):
        with suppress(*WRONG):
            read_reply(data[:READABLE], question, ["spend"])
    with suppress(*WRONG):
        cell_from(data[:READABLE])


def memory(data: bytes) -> None:
    """Recall a counterexample that is written down so."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "one.json").write_bytes(data[:READABLE])
        with suppress(TargetError):
            recall("mine.py:Mine", Settings(corpus=folder), Path(folder))
