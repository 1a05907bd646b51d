"""Targets that do what no filter may do; `test_hostile` audits each of them."""

import contextlib
import ctypes
import os
import random
import sys
import time
from typing import Any


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


class RaisesLate(Quiet):
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
