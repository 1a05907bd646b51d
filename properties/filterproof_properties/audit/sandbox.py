"""Runs an untrusted target in a process of its own, so that nothing it does can end in a pass.

The child loads the target, guards it (`guard`) and sends JSON lines back: how far it is, twice a
second that it is alive and for how long the current call has been running, and the outcome.  The
parent kills the child's process group when a call takes too long, when the child falls silent,
and when the parent leaves for whatever reason.  A child that ends without an outcome (a crash,
`os._exit`) is a failure too.  Memory is limited by the operating system.
"""

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Any

from filterproof.certificate import read_certificate, replay
from filterproof.exact import format_epsilon, format_rational, parse_epsilon, parse_rational
from filterproof.filter import ProtocolError
from filterproof_properties.audit.diff import Comparison, compare, comparison_from_json
from filterproof_properties.audit.engine import ALWAYS, Verdict, audit, cases
from filterproof_properties.audit.record import Record, Recorder, Tick, from_json
from filterproof_properties.settings import Settings
from filterproof_properties.targets import loading as targets
from filterproof_properties.targets import program as command
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.guard import Watch, guard
from filterproof_properties.targets.target import COMMAND, Loaded, TargetError

HEARTBEAT = 0.5
SILENCE = 5.0
"""Seconds without any sign of life after which a child counts as hung (a C call keeps the lock)."""

Emit = Callable[[Tick | Record], None]
Message = dict[str, Any]


class SandboxError(ProtocolError):
    """A target that hung, crashed, ran out of memory or could not be loaded."""


@dataclass(frozen=True)
class Limits:
    """What an untrusted target may use: seconds for one call, MiB of memory."""

    timeout: float = command.TIMEOUT
    memory: int = 4096


# --- the parent -----------------------------------------------------------------------------


def run_audit(spec: str, settings: Settings, limits: Limits, emit: Emit) -> Record:
    """Audit one target, untrusted ones in a sandbox, and return its record."""
    if targets.is_trusted(spec):
        return audit_here(targets.load(spec), settings, emit)
    begun, ticks = monotonic(), [Tick(spec)]

    def note(news: Tick | Record) -> None:
        ticks[:] = [news] if isinstance(news, Tick) else ticks
        emit(news)

    audit_it = audit_command if spec.startswith(COMMAND) else audit_in_sandbox
    try:
        return audit_it(spec, settings, limits, note)
    except (ProtocolError, TargetError) as error:
        tried, spent = ticks[0].tried, monotonic() - begun
        failed = Record(spec, Verdict.FAILED, None, "", tried, spent, error=str(error))
        emit(failed)
        return failed


def audit_in_sandbox(spec: str, settings: Settings, limits: Limits, emit: Emit) -> Record:
    """Audit a Python target in a process of its own."""
    emit(Tick(spec))
    arguments = {"spec": spec, "settings": _settings_to_json(settings)}
    for message in conversation("audit", arguments, limits):
        if "tick" in message:
            emit(Tick(**message["tick"]))
        elif "done" in message:
            emit(found := from_json(message["done"]))
            return found
    raise SandboxError("the process ended without a result")


def audit_command(spec: str, settings: Settings, limits: Limits, emit: Emit) -> Record:
    """Audit a program, which runs in a process of its own anyway."""
    loaded = command.load(spec, limits.timeout)
    try:
        return audit_here(guard(loaded, Watch()), settings, emit)
    finally:
        command.close(loaded)


def audit_here(loaded: Loaded, settings: Settings, emit: Emit) -> Record:
    """Audit a target in this process."""
    recorder = Recorder()
    audit([loaded], settings, lambda event: emit(recorder(event)))
    return recorder.records[0]


def run_replay(spec: str, certificate: str, limits: Limits) -> int:
    """Ask a target for every answer of a certificate; return how many it gave."""
    if targets.is_trusted(spec):
        return replay_here(targets.load(spec), certificate)
    if spec.startswith(COMMAND):
        return replay_command(spec, certificate, limits)
    return int(call("replay", {"spec": spec, "certificate": certificate}, limits))


def replay_command(spec: str, certificate: str, limits: Limits) -> int:
    """Replay a certificate against a program."""
    loaded = command.load(spec, limits.timeout)
    try:
        return replay_here(loaded, certificate)
    finally:
        command.close(loaded)


def replay_here(loaded: Loaded, text: str) -> int:
    """Replay a certificate in this process."""
    told = read_certificate(text)
    return replay(make_filter(loaded.target, told.epsilon, told.delta, told.parameters), told)


def run_claims(spec: str, limits: Limits) -> list[str]:
    """Return the names of the claims that an audit of this target checks."""
    if targets.is_trusted(spec):
        return checked_claims(targets.load(spec))
    return list(call("claims", {"spec": spec}, limits))


def checked_claims(loaded: Loaded) -> list[str]:
    """Return dp, then what every filter has to be, then what this one claims besides."""
    return list(dict.fromkeys(("dp", *ALWAYS, *loaded.claims)))


def run_diff(old: str, new: str, settings: Settings, limits: Limits) -> Comparison:
    """Compare two targets; unless both are code of this project, in a sandbox."""
    if targets.is_trusted(old) and targets.is_trusted(new):
        return compare(targets.load(old), targets.load(new), cases(settings))
    arguments = {"old": old, "new": new, "settings": _settings_to_json(settings)}
    return comparison_from_json(call("diff", arguments, limits))


def call(task: str, arguments: Mapping[str, Any], limits: Limits) -> Any:
    """Run one task about untrusted targets and return its outcome."""
    for message in conversation(task, arguments, limits):
        if "done" in message:
            return message["done"]
    raise SandboxError("the process ended without a result")


def conversation(task: str, arguments: Mapping[str, Any], limits: Limits) -> Iterator[Message]:
    """Yield the child's messages; raise SandboxError when it fails, hangs or dies."""
    reading, writing = os.pipe()
    request = {"task": task, "arguments": arguments, "path": sys.path, "memory": limits.memory}
    child = subprocess.Popen(
        [sys.executable, "-m", "filterproof_properties.audit.sandbox", str(writing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=[writing],
        start_new_session=True,
    )
    os.close(writing)
    try:
        yield from _messages(child, reading, json.dumps(request), limits)
    finally:
        _end(child)
        os.close(reading)


def _messages(
    child: "subprocess.Popen[bytes]", reading: int, request: str, limits: Limits
) -> Iterator[Message]:
    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError), child.stdin as stdin:
        stdin.write(request.encode())
    for line in _lines(reading, limits.timeout + SILENCE):
        message = _message(line)
        if "failed" in message:
            raise SandboxError(message["failed"])
        if message.get("busy", 0) > limits.timeout:
            raise SandboxError(f"{message['what']} did not answer within {limits.timeout:g} s")
        if "busy" not in message:
            yield message
        if "done" in message:
            return
    raise SandboxError(f"the target ended its process ({_how(child.wait())})")


def _message(line: bytes) -> Message:
    try:
        return dict(json.loads(line))
    except (ValueError, TypeError):
        raise SandboxError(f"the target wrote to what is not its own: {line[:80]!r}") from None


def _lines(reading: int, silence: float) -> Iterator[bytes]:
    """Yield complete lines until the other side closes."""
    kept = b""
    while True:
        if not select.select([reading], [], [], silence)[0]:
            raise SandboxError(f"the target's process gave no sign of life for {silence:g} s")
        chunk = os.read(reading, 2**16)
        if not chunk:
            return
        *lines, kept = (kept + chunk).split(b"\n")
        yield from lines


def _how(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Kill the child and everything it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _settings_to_json(settings: Settings) -> dict[str, Any]:
    data = asdict(replace(settings, epsilon=None, delta=None))
    data["epsilon"] = None if settings.epsilon is None else format_epsilon(settings.epsilon)
    data["delta"] = None if settings.delta is None else format_rational(settings.delta)
    return data


# --- the child ------------------------------------------------------------------------------


def _settings_from_json(data: Mapping[str, Any]) -> Settings:
    epsilon = None if data["epsilon"] is None else parse_epsilon(data["epsilon"])
    delta: Fraction | None = None if data["delta"] is None else parse_rational(data["delta"])
    return Settings(**{**data, "epsilon": epsilon, "delta": delta})


class Child:
    """The sandboxed side: a channel to the parent and a watch on the target."""

    def __init__(self, channel: int, watch: Watch) -> None:
        self.channel, self.watch, self.lock = channel, watch, threading.Lock()

    def send(self, **message: Any) -> None:
        """Send one line, whole."""
        data = json.dumps(message).encode() + b"\n"
        with self.lock:
            while data:
                data = data[os.write(self.channel, data) :]

    def beat(self) -> None:
        """Say twice a second what the target is doing; when nobody listens any more, end it all."""
        while True:
            try:
                self.send(busy=self.watch.busy, what=self.watch.what)
            except BrokenPipeError:  # the parent was killed
                os.killpg(0, signal.SIGKILL)
            threading.Event().wait(HEARTBEAT)

    def load(self, spec: str) -> Loaded:
        """Load a target under the watch and guard it."""
        loaded = self.watch.call(f"loading {spec}", self._load, spec)
        return guard(loaded, self.watch)

    def _load(self, spec: str) -> Loaded:
        if spec.startswith(COMMAND):  # it must end with this process group
            return command.load(spec, own_group=False)
        return targets.load(spec)


def audit_task(child: Child, spec: str, settings: Mapping[str, Any]) -> Any:
    """Audit one target; its record is the outcome."""

    def emit(news: Tick | Record) -> None:
        if isinstance(news, Tick):
            child.send(tick=asdict(news))

    return asdict(audit_here(child.load(spec), _settings_from_json(settings), emit))


def replay_task(child: Child, spec: str, certificate: str) -> Any:
    """Ask a target for every answer of a certificate; how many there are is the outcome."""
    return replay_here(child.load(spec), certificate)


def claims_task(child: Child, spec: str) -> Any:
    """Load a target; the names of the claims it makes are the outcome."""
    return list(checked_claims(child.load(spec)))


def diff_task(child: Child, old: str, new: str, settings: Mapping[str, Any]) -> Any:
    """Compare two targets; the comparison is the outcome."""
    chosen = cases(_settings_from_json(settings))
    return asdict(compare(child.load(old), child.load(new), chosen))


TASKS: Mapping[str, Callable[..., Any]] = {
    "audit": audit_task,
    "replay": replay_task,
    "diff": diff_task,
    "claims": claims_task,
}


def main() -> None:
    """Run one task that the parent asked for on standard input."""
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    limit = request["memory"] * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    child = Child(int(sys.argv[1]), Watch(_divert_stdout()))
    threading.Thread(target=child.beat, daemon=True).start()
    try:
        outcome = TASKS[request["task"]](child, **request["arguments"])
        child.send(done=outcome)
    except MemoryError:
        child.send(failed=f"out of memory at {request['memory']} MiB: is the state too large?")
    except BaseException as error:  # whatever it was, the parent has to hear of it
        child.send(failed=_said(error))
    os._exit(0)  # the target's threads and exit handlers have no say


def _said(error: BaseException) -> str:
    known = isinstance(error, (ProtocolError, TargetError))
    kind = type(error).__name__
    try:
        return str(error) if known else f"{kind}: {error}"
    except Exception:  # its own text raises
        return f"{kind}, which cannot be printed"


def _divert_stdout() -> int:
    """Send all that is printed to a file that nobody reads, and return its descriptor."""
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    return 1


if __name__ == "__main__":
    main()
