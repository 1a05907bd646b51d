"""Budgets behind a program or an HTTP service: the calls open and spend, in any language.

A program reads JSON lines, `{"call": "open", ...}` and `{"call": "spend", "id": ..., ...}`, and
answers each with one line (docs/internals/PROTOCOL.md).  An HTTP service on this machine is asked
as its routes say.  The budget of every play is opened afresh.
"""

import json
import select
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from filterproof.budget_calls import BudgetCalls, to_table
from filterproof.call_expressions import keyword_arguments
from filterproof.http_routes import IDENTITY, Route, is_route, read_route
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.names import HTTP, PROGRAM
from filterproof_properties.targets.budget.player import HELPERS, Player, Refused
from filterproof_properties.targets.budget.playing import replied
from filterproof_properties.targets.target import TargetError

REFUSALS = (402, 403, 409, 422, 423, 429)
"""The statuses of an HTTP answer that are a refusal; others that are no success are faults."""
ENDED = "the program ended"
MOST = 2**20
"""So many bytes of one answer are read at most."""


def service_player(
    target: str, calls: BudgetCalls, *, trial: bool = False, patience: float = Limits.timeout
) -> Player:
    """Return what opens and asks the budgets of a service, and waits so long for each answer."""
    words = {**to_table(calls), "target": target, "trial": trial}
    kind = HttpPlayer if target.startswith(HTTP) else ProgramPlayer
    return kind(words, patience)


class ServicePlayer(Player):
    """Opens budgets at a service and plays requests on them; the service is a process elsewhere."""

    def __init__(self, words: dict[str, Any], patience: float) -> None:
        self.words, self.spends, self.patience = words, words["spend"], patience
        self.target: str = words["target"]
        self.opens: str = words["open"]
        self.loop = self.now = None
        self.known = HELPERS

    def open(self, budget: dict[str, Any]) -> list[Any]:
        """Return the name of a fresh budget."""
        return [self.open_one(budget)]


# --- a program ----------------------------------------------------------------------------------


class ProgramPlayer(ServicePlayer):
    """A program that answers JSON lines on its standard streams."""

    @cached_property
    def process(self) -> "subprocess.Popen[bytes]":
        """The program, started when it is first asked."""
        try:
            words = shlex.split(self.target.removeprefix(PROGRAM))
            return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except (OSError, ValueError, IndexError) as error:
            raise Fault(
                f"{self.target.removeprefix(PROGRAM)!r} cannot be started: {error}"
            ) from None

    def open_one(self, budget: dict[str, Any]) -> Any:
        """Return what the program calls a fresh budget."""
        answer = self.put({"call": "open", **self.arguments(f"open{self.opens}", budget)})
        if "declined" in answer:
            raise ValueError(str(answer["declined"]))
        return answer.get(IDENTITY)

    def called(self, it: Any, call: str, names: dict[str, Any], values: dict[str, Any]) -> Any:
        """Return the answer to one call; where nothing says what grants, its key `granted`."""
        about = {} if it is None else {IDENTITY: it}
        name = call.partition("(")[0]
        answer = self.put({"call": name, **about, **self.arguments(call, values)})
        if self.words.get("granted"):
            return answer
        granted = answer.get("granted")
        if type(granted) is bool or call == self.words.get("fails"):
            return granted
        raise Fault(f'{self.spelled(call, values)} answered {answer}: need {{"granted": true}}')

    def arguments(self, call: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name."""
        parts = keyword_arguments(call)
        return {name: self.evaluated(text, {}, values) for name, text in parts.items()}

    def put(self, question: dict[str, Any]) -> dict[str, Any]:
        """Send one line and return the answer."""
        line = self.exchanged(json.dumps(question).encode() + b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):  # no JSON, or deeper than anything that is meant
            raise Fault(f"{question} is answered by {line[:200]!r}, which is no JSON") from None
        if not isinstance(answer, dict):
            raise Fault(f"{question} is answered by {answer!r:.200}; need an object")
        if "error" in answer:
            raise Fault(f"{question}: {answer['error']}", f"error {answer['error']!r:.60}")
        return answer

    def exchanged(self, line: bytes) -> bytes:
        """Write a line to the program and return the one that it writes."""
        writing, reading = self.process.stdin, self.process.stdout
        assert writing is not None
        assert reading is not None
        if select.select([reading], [], [], 0)[0] and (early := reading.read(MOST)):
            raise self.given_up(f"it wrote {early[:200]!r} before it was asked", line)
        try:
            writing.write(line)
        except BrokenPipeError:
            return self.ended(line)
        found, until = b"", monotonic() + self.patience
        while not found.endswith(b"\n"):
            if not select.select([reading], [], [], max(0.0, until - monotonic()))[0]:
                raise self.given_up(f"no answer in {self.patience:g} s", line)
            more = reading.read(MOST)
            found += more or self.ended(line)
            if len(found) > MOST:
                raise self.given_up(f"more than {MOST} bytes in answer", line)
        return found

    def given_up(self, why: str, line: bytes) -> Fault:
        """End a program whose next line could be the answer to an earlier question."""
        process = vars(self).pop("process")
        process.kill()
        process.wait()
        return Fault(f"{why}, at {line.decode().strip()}")

    def ended(self, line: bytes) -> bytes:
        """Raise that the program has ended; another one is started when it is asked next."""
        how = vars(self).pop("process").wait()
        raise Fault(f"the program ended ({how}) at {line.decode().strip()}", ENDED)


# --- an HTTP service ----------------------------------------------------------------------------


class HttpPlayer(ServicePlayer):
    """A service on a port of this machine."""

    status = 0

    def open_one(self, budget: dict[str, Any]) -> Any:
        """Return what the service calls a fresh budget; None if it has one budget only."""
        route = read_route(self.opens)
        status, result = self.sent(route, budget)
        if status in (400, *REFUSALS):
            raise ValueError(f"{self.spelled(self.opens, budget)} -> {status} {result!r:.200}")
        self.check_status(self.opens, budget, status, result)
        found = result
        for part in route.field.split("."):
            found = found.get(part) if isinstance(found, dict) else found
        if found is None and any(IDENTITY in read_route(call).names for call in self.spends):
            raise Fault(
                f"{self.spelled(self.opens, budget)} answered {result!r:.200}, which has no "
                f"{route.field!r}: say which field names the budget, as in --open "
                f"'{self.opens} -> budget_id'"
            )
        return found

    def called(self, it: Any, call: str, names: dict[str, Any], values: dict[str, Any]) -> Any:
        """Return the body of the answer; True where it is empty."""
        self.status, result = self.sent(read_route(call), {**values, IDENTITY: it})
        asks = self.words.get("granted", "")
        if self.status in REFUSALS and "status" not in asks:
            raise Refused(f"{self.status} {result!r:.200}")
        if "status" not in asks or self.status >= 500:
            self.check_status(call, {**values, IDENTITY: it}, self.status, result)
        if not asks and isinstance(result, dict) and type(result.get("granted")) is bool:
            return result["granted"]
        return result if asks or self.words["trial"] else True  # its status has granted

    def evaluated(self, text: str, names: dict[str, Any], values: dict[str, Any]) -> Any:
        """Return the value of an expression; `status` is that of the last answer."""
        return super().evaluated(text, {"status": self.status, **names}, values)

    def spelled(self, call: str, values: dict[str, Any]) -> str:
        """Return a call as it is made."""
        return spelled_route(call, {IDENTITY: "{id}", **values})

    def check_status(self, call: str, values: dict[str, Any], status: int, result: Any) -> None:
        """Raise unless the status is that of a success."""
        if not 200 <= status < 300:
            raise Fault(f"{self.spelled(call, values)} -> {status} {result!r:.200}", str(status))

    def sent(self, route: Route, values: dict[str, Any]) -> tuple[int, Any]:
        """Send one request; return the status and the body, read as JSON where it is."""
        line = HTTPConnection(self.address[0], self.address[1], timeout=self.patience)
        body = self.evaluated(route.body, {}, values) if route.body else None
        path = self.address[2] + route.filled_path(values)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            text = None if body is None else json.dumps(body)
            with in_time(line, self.patience):
                line.request(route.method, path, text, headers)
                answer = line.getresponse()
                return answer.status, _body(answer.read(MOST + 1))
        except (OSError, HTTPException) as error:
            raise Fault(f"{route.method} {self.target}{path}: {error!r}") from None
        finally:
            line.close()

    @cached_property
    def address(self) -> tuple[str, int, str]:
        """The host, the port and the path before all routes; the host must be this machine."""
        parts = urlsplit(self.target)
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname or ""
        try:
            is_here = ip_address(host).is_loopback
        except ValueError:
            is_here = False
        if not is_here:
            raise TargetError(
                f"a service is asked on this machine only, as in http://127.0.0.1:8000; "
                f"got {self.target!r}"
            )
        return host, parts.port or 80, parts.path.rstrip("/")


@contextmanager
def in_time(line: HTTPConnection, seconds: float) -> Iterator[None]:
    """Open a connection and cut it after so long; its own limit is one for each part alone."""
    line.connect()
    late = threading.Event()

    def cut(held: socket.socket) -> None:
        late.set()
        with suppress(OSError):  # it has ended by itself
            held.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut, [line.sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if late.is_set():
            raise TimeoutError(f"no whole answer in {seconds:g} s")


def _body(data: bytes) -> Any:
    """Return the body of an answer: as JSON, as text, or True where there is none."""
    if len(data) > MOST:  # cut off it would be no JSON, and its status alone would grant
        raise HTTPException(f"more than {MOST} bytes")
    try:
        return json.loads(data) if data else True
    except (ValueError, RecursionError):
        return data.decode(errors="replace")


def spelled_route(call: str, values: dict[str, Any]) -> str:
    """Return a call over HTTP with the values in the place of names.

    >>> spelled_route("POST /budgets/{id}/spend {epsilon}", {"id": 7, "epsilon": 0.5})
    'POST /budgets/7/spend {"epsilon": 0.5}'
    """
    route = read_route(call)
    path = route.filled_path(values).replace("%7Bid%7D", "{id}")
    body = eval(route.body, {**HELPERS, **values}) if route.body else None
    return f"{route.method} {path}" + ("" if body is None else f" {json.dumps(body)}")


def main(arguments: list[str]) -> int:
    """Answer lines `{"budget": ..., "events": [...]}` about a program, for whoever started this."""
    words = json.loads(arguments[0])
    player = ProgramPlayer(words, words["patience"])
    for line in sys.stdin:
        sys.stdout.write(json.dumps(replied(player, json.loads(line))) + "\n")
        sys.stdout.flush()
    return 0


def check_service(target: str, calls: BudgetCalls) -> None:
    """Raise where the calls are not those of a service of this kind."""
    texts = [text for text in (*calls.spend, calls.check, calls.fails) if text]
    if target.startswith(HTTP):
        if not is_route(calls.open):
            raise TargetError("need --open, as in --open 'POST /budgets {epsilon, delta} -> id'")
        wrong = [text for text in texts if not is_route(text)]
        if wrong:
            raise TargetError(f"need a path, as in 'POST /budgets/{{id}}/spend'; got {wrong[0]!r}")
    elif wrong := [text for text in (calls.open, *texts) if is_route(text)]:
        raise TargetError(f"a program has no paths; got {wrong[0]!r}")
    for name in ("clock", "python", "refusal"):
        if getattr(calls, name):
            raise TargetError(f"--{name} is for classes in Python, not for services")
    if calls.instances > 1:
        raise TargetError("--instances is for classes in Python, not for services")
