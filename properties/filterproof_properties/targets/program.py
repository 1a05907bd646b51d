"""A filter in any language: a program that answers JSON lines on its standard streams.

The protocol is `docs/PROTOCOL.md`, with a JSON Schema beside it.  One process answers all
questions of an audit.  Whatever goes wrong with it (it hangs, crashes, writes garbage or too
much) is a `CommandError` that quotes what was asked and what came back, and the program's whole
process group is gone afterwards.
"""

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from time import monotonic
from typing import IO, Any

from filterproof.exact import Epsilon, exp_enclosure, format_epsilon, format_rational
from filterproof.filter import Decision, ProtocolError
from filterproof.game import Mechanism, Step
from filterproof.game.json import BadJson, load_json
from filterproof.game.law import Output
from filterproof_properties.targets.target import COMMAND, Loaded, TargetError

PROTOCOL = "filterproof.command"
VERSION = 1
MAX_ANSWER = 2**20
"""The longest line that a program may answer with, in bytes."""
TIMEOUT = 10.0


class CommandError(ProtocolError):
    """A program that does not speak the protocol; the message says where it left it."""


def load(spec: str, timeout: float = TIMEOUT, *, own_group: bool = True) -> Loaded:
    """Return the target behind "command:prog args", with its process running.

    Without a process group of its own the program ends with the group of its caller.
    """
    words = shlex.split(spec.removeprefix(COMMAND))
    if not words:
        raise TargetError('need a command such as "node filter.js"; got an empty one')
    return Loaded(spec, CommandTarget(Program(words, timeout, own_group=own_group)), ("dp",))


def close(loaded: Loaded) -> None:
    """End the program behind a target, if it is one."""
    if isinstance(loaded.target, CommandTarget):
        loaded.target.program.close()


class CommandTarget:
    """Makes filters that ask one running program."""

    def __init__(self, program: "Program") -> None:
        self.program = program
        self.hello = program.ask({"call": "hello", "protocol": PROTOCOL, "versions": [VERSION]})
        spoken = (self.hello.get("protocol"), self.hello.get("version"))
        if spoken != (PROTOCOL, VERSION):
            program.close()
            raise CommandError(f"need protocol {PROTOCOL!r} version {VERSION}; it speaks {spoken}")

    def __call__(self, epsilon: Epsilon, delta: Fraction) -> "CommandFilter":
        """Return the filter for one budget; ValueError if the program declines it."""
        lower, upper = exp_enclosure(epsilon, 64)
        budget = {
            "epsilon": format_epsilon(epsilon),
            "exp_epsilon": [format_rational(lower), format_rational(upper)],
            "delta": format_rational(delta),
        }
        answer = self.program.ask({"call": "start", **budget})
        if "declined" in answer:
            raise ValueError(f"the program declines: {answer['declined']!r:.200}")
        kind = ObservingCommandFilter if self.hello.get("observe") is True else CommandFilter
        markov = self.hello.get("markov") is True
        return kind(self.program, budget, _state(answer), markov)


@dataclass(frozen=True)
class CommandFilter:
    """One filter of a program: every question carries the budget, the state and the step."""

    program: "Program"
    budget: dict[str, Any]
    first: str
    markov: bool

    def start(self) -> str:
        """Return the state that the program began with."""
        return self.first

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, str]:
        """Ask the program for a decision."""
        answer = self.question("decide", state, step)
        decision = answer.get("decision")
        if decision not in set(Decision):
            raise CommandError(
                f"a decision is one of {[*map(str, Decision)]}; got {decision!r:.200}"
            )
        return Decision(decision), _state(answer)

    def question(self, call: str, state: Hashable, step: Step, **more: Any) -> dict[str, Any]:
        """Send one question about a step and return the program's answer."""
        shown = step_to_json(step, with_history=not self.markov)
        return self.program.ask(
            {"call": call, **self.budget, "state": state, "step": shown, **more}
        )


class ObservingCommandFilter(CommandFilter):
    """A filter of a program that also wants to see what was released."""

    def observe(self, state: Hashable, step: Step, output: Output) -> str:
        """Tell the program y_i; its answer is the next state."""
        return _state(self.question("observe", state, step, output=output))


def _state(answer: dict[str, Any]) -> str:
    state = answer.get("state")
    if not isinstance(state, str):
        raise CommandError(f"'state' must be a JSON string; got {state!r:.200}")
    return state


# --- a step as JSON -------------------------------------------------------------------------


def step_to_json(step: Step, *, with_history: bool) -> dict[str, Any]:
    """Return all that a filter may know at this step; merged histories have no single one."""
    history = {"history": [list(one) for one in step.history]} if with_history else {}
    return {
        "index": step.index,
        "request": step.request,
        "mechanism": _mechanism(step.mechanism),
        "mass": {x: format_rational(mass) for x, mass in step.mass.items()},
        "pairs": [list(pair) for pair in step.pairs],
        "menus": {
            y: {r: _mechanism(m) for r, m in step.menu_after(y).items()} for y in step.mechanism.law
        },
        **history,
    }


@lru_cache(maxsize=4096)
def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    rows = mechanism.law.items()
    return {
        "law": {y: {x: format_rational(p) for x, p in row.items()} for y, row in rows},
        "declared": [format_rational(value) for value in mechanism.declared],
    }


# --- the process ----------------------------------------------------------------------------


class Program:
    """One running program; `ask` sends a line and returns the line that answers it."""

    def __init__(self, words: list[str], timeout: float, *, own_group: bool) -> None:
        self.words, self.timeout, self.asked, self.kept = words, timeout, 0, b""
        self.stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the program)
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                start_new_session=own_group,
            )
        except OSError as error:
            raise TargetError(f"cannot start {words[0]!r}: {error.strerror}") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.to, False)
        self.close = weakref.finalize(self, _end, self.process, self.stderr, own_group)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one question; anything else ends the program and raises."""
        if not self.close.alive:
            raise CommandError(f"{self.words[0]} has already been ended")
        self.asked += 1
        try:
            self._send(json.dumps({"id": self.asked, **question}).encode() + b"\n")
            return self._checked(self._line())
        except CommandError as error:
            raise self._explained(error, question) from None

    def _send(self, data: bytes) -> None:
        deadline = monotonic() + self.timeout
        while data:
            if not select.select([], [self.to], [], max(0.0, deadline - monotonic()))[1]:
                raise CommandError(f"it read nothing for {self.timeout:g} s")
            try:
                data = data[os.write(self.to, data) :]
            except BrokenPipeError:  # it may have ended; what it wrote before says so or more
                return

    def _line(self) -> bytes:
        deadline = monotonic() + self.timeout
        while b"\n" not in self.kept:
            if len(self.kept) > MAX_ANSWER:
                raise CommandError(f"its answer is longer than {MAX_ANSWER} bytes")
            if not select.select([self.out], [], [], max(0.0, deadline - monotonic()))[0]:
                raise CommandError(f"it did not answer within {self.timeout:g} s")
            chunk = os.read(self.out, 2**16)
            if not chunk:
                raise CommandError("it ended without an answer")
            self.kept += chunk
        line, _, self.kept = self.kept.partition(b"\n")
        return line

    def _checked(self, line: bytes) -> dict[str, Any]:
        try:
            answer = load_json(line.decode())
        except (BadJson, UnicodeDecodeError) as error:
            raise CommandError(f"its answer is no JSON object ({error}): {line[:120]!r}") from None
        if answer.get("id") != self.asked:
            raise CommandError(f"its answer has id {answer.get('id')!r:.40}, not {self.asked}")
        if "error" in answer:
            raise CommandError(f"it reports an error: {answer['error']!r:.200}")
        return answer

    def _explained(self, error: CommandError, question: dict[str, Any]) -> CommandError:
        """End the program and say what it was asked, how it ended and what it wrote to stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2 if "ended" in str(error) else 0)
        status = self.process.poll()
        ended = f"; exit status {status}" if status is not None else ""
        self.stderr.seek(0)
        noise = self.stderr.read()[-500:].decode(errors="replace").strip()
        said = f"; its standard error ends with: {noise}" if noise else ""
        self.close()
        return CommandError(f"{self.words[0]}, asked to {question['call']!r}: {error}{ended}{said}")


def _end(process: "subprocess.Popen[bytes]", stderr: IO[bytes], own_group: bool) -> None:
    """Kill the program and all it started, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        if own_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, stderr):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
