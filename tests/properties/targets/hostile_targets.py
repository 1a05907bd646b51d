"""Targets that do what no filter may do; `test_hostile` audits each of them."""

import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from filterproof.filters.additive import Additive


class Quiet:
    """Halts at once: what the hostile ones are built on."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.asked = 0

    def start(self) -> Any:
        return 0

    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if step.index == 0 else "halt"), state


class Raises(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        raise RuntimeError("no idea")


class RaisesLate(Additive):
    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            raise ZeroDivisionError("at last")
        return super().decide(state, step)


class RaisesAndLeaks(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            raise ZeroDivisionError("at last")
        return "continue", state


class Hangs(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        while True:
            time.sleep(0.01)


class HangsInC(Quiet):
    """Keeps the interpreter's lock, so that not even a second thread can say that it lives."""

    def decide(self, state: Any, step: Any) -> Any:
        return ctypes.PyDLL(None).sleep(60), state


class HangsWhenMade(Quiet):
    def __init__(self, epsilon: Any, delta: Any) -> None:
        while True:
            time.sleep(0.01)


class HugeState(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return "continue", bytes(10**9)


class UnhashableState(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return "continue", [step.index]


class ChangesItsMind(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return random.choice(["continue", "halt"]) if step.index else "continue", state


class RemembersOutsideTheState(Quiet):
    """The classic mistake: the spent budget is kept in the filter, not in its state."""

    def decide(self, state: Any, step: Any) -> Any:
        self.asked += 1
        return "continue" if self.asked < 6 else "halt", state


class AssignsToTheStep(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        step.index = 7
        return "halt", state


class ForcesTheStep(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        object.__setattr__(step, "index", 7)
        return "continue", state


class RewritesTheGame(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        step.game.pairs = ()
        return "continue", state


class Leaves(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        sys.exit(0)


class LeavesForGood(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        os._exit(0)


class Interrupts(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        raise KeyboardInterrupt


class Recurses(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return self.decide(state, step)


def nested(depth: int) -> Any:
    made: Any = ()
    for _ in range(depth):
        made = (made,)
    return made


class NestsItsState(Quiet):
    """Hashing the state recurses in C, which ends the whole process."""

    deep = nested(300_000)

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", self.deep


class Prints(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        sys.stdout.write("continue\n")
        return "halt", state


class PrintsRaw(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        os.write(1, b"continue\n")
        return "halt", state


class WritesEverywhere(Quiet):
    """Writes to every open file but the three of its own, the channel to the parent included."""

    def decide(self, state: Any, step: Any) -> Any:
        for file in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(file, b"all is well\n")
        return "halt", state


class SaysMaybe(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return "maybe", state


class SaysNothing(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return None


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class RaisesTheUnspeakable(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        raise Unspeakable


class EqualToNothing:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("incomparable")

    def __hash__(self) -> int:
        return 1


class IncomparableState(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return "continue", EqualToNothing()


class OffersNonsense(Quiet):
    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        return ["N"]


class OffersForever(Quiet):
    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        while True:
            time.sleep(0.01)
            yield {}


class DeclinesEverything(Quiet):
    def __init__(self, epsilon: Any, delta: Any) -> None:
        raise ValueError("not for me")


# --- tampering: what one process can do to itself must not reach the verdict -------------------


class RunsEverything(Quiet):
    """Not private at all; the tampering ones below are this, and try to hide it."""

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", state


class PatchesComparison(RunsEverything):
    """Makes every Fraction small, so that no H exceeds any delta where the target runs."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        super().__init__(epsilon, delta)
        Fraction.__gt__ = lambda self, other: False  # type: ignore[method-assign]
        Fraction.__lt__ = lambda self, other: True  # type: ignore[method-assign]


class PatchesTheEngine(RunsEverything):
    """Replaces the engine, the search and the checker by ones that find nothing."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        super().__init__(epsilon, delta)
        for name, module in list(sys.modules.items()):
            if name.startswith("filterproof"):
                for key in ("worst_case", "check", "audit", "audit_one"):
                    if hasattr(module, key):
                        setattr(module, key, lambda *given, **named: None)


class WritesTheResult(RunsEverything):
    """Writes to every open file what an audit writes when all is well, then leaves."""

    def decide(self, state: Any, step: Any) -> Any:
        done = {"done": {"verdict": "no violation found", "tried": 5000}, "id": 1, "answers": []}
        for file in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(file, json.dumps(done).encode() + b"\n")
        os._exit(0)


class AnswersForTheServer(RunsEverything):
    """Guesses the protocol: answers the next hundred questions with 'halt' before they come."""

    def decide(self, state: Any, step: Any) -> Any:
        for number in range(1, 100):
            for file in range(3, 20):
                with contextlib.suppress(OSError):
                    line = {"id": number, "answers": [["halt", 0]]}
                    os.write(file, json.dumps(line).encode() + b"\n")
        return "continue", state


# --- late faults, slow operators, survivors ---------------------------------------------------


class CrashesLate(Additive):
    """A sound filter that kills its process in the second round, deep inside a search."""

    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().decide(state, step)


class HangsLate(Additive):
    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            time.sleep(600)
        return super().decide(state, step)


class HangsAfterManyPlays(Additive):
    asked = 0

    def decide(self, state: Any, step: Any) -> Any:
        HangsAfterManyPlays.asked += 1
        if self.asked > 6000:
            time.sleep(600)
        return super().decide(state, step)


class LeavesLate(Additive):
    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            os._exit(0)
        return super().decide(state, step)


class PrintsLate(Additive):
    def decide(self, state: Any, step: Any) -> Any:
        if step.index > 1:
            sys.stdout.write("continue\n")
        return super().decide(state, step)


class Sluggish:
    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        time.sleep(600)
        return True


class SlowEquality(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        return "continue", Sluggish(step.index)


class SlowHash(Quiet):
    class State:
        def __hash__(self) -> int:
            time.sleep(600)
            return 1

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", self.State()


class SlowProperty(Quiet):
    @property
    def markov(self) -> bool:
        time.sleep(600)
        return True


class AllStatesAreEqual(Quiet):
    """States that claim to be equal and are not: merging them would hide what is spent."""

    class State:
        def __init__(self, spent: int) -> None:
            self.spent = spent

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

    def start(self) -> Any:
        return self.State(0)

    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if state.spent < 2 else "halt"), self.State(state.spent + 1)


class Survives(Quiet):
    """Leaves a process behind that has left the session; its number is in a file."""

    def decide(self, state: Any, step: Any) -> Any:
        place = Path(os.environ["TMPDIR"]) / "pid"
        if not place.exists():
            words = ["sh", "-c", f"echo $$ > {place}.new; mv {place}.new {place}; sleep 600"]
            subprocess.Popen(["setsid", *words], stdout=subprocess.DEVNULL)
            while not place.exists():
                time.sleep(0.01)
        return ("continue" if step.index == 0 else "halt"), state


class FillsTheDisk(Quiet):
    def decide(self, state: Any, step: Any) -> Any:
        with tempfile.TemporaryFile() as file:
            for _ in range(64):
                file.write(bytes(2**20))
                file.flush()
        return "halt", state


class ForgesLines(Quiet):
    """An error whose text is a verdict, an escape sequence and a workflow command."""

    def decide(self, state: Any, step: Any) -> Any:
        raise RuntimeError("\n::error::hacked\nno violation found \x1b[2J\x1b[32mreplayed")
