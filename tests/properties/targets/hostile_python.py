"""Targets that tamper with Python itself, or return what only looks like an answer."""

import atexit
import contextlib
import fractions
import gc
import json
import os
import sys
import threading
import time
from typing import Any

from filterproof.filters.additive import Additive


class RunsEverything:
    """Not private at all; some of those below are this, and try to hide it."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        self.asked = 0

    def start(self) -> Any:
        return 0

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", state


# --- the standard library, patched ------------------------------------------------------------


class PatchesFractions(RunsEverything):
    """Every number that is read in its process is nought, and every one equals every other."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        super().__init__(epsilon, delta)
        fractions.Fraction.__eq__ = lambda self, other: True  # type: ignore[method-assign]
        fractions.Fraction.__str__ = lambda self: "0"  # type: ignore[method-assign]


def written(text: str) -> Any:
    """Write this for every message, with its number."""
    return lambda self, message, **named: [text.format(**message) if "{{" in text else text]


class PatchesJson(RunsEverything):
    """Whatever the server wants to say, NaN is written."""

    def decide(self, state: Any, step: Any) -> Any:
        json.JSONEncoder.iterencode = written('{"id": NaN}')  # type: ignore[method-assign]
        return "continue", state


class PatchesJsonWithVerdicts(RunsEverything):
    """Whatever the server wants to say, the verdict is written, with the number that is due."""

    def decide(self, state: Any, step: Any) -> Any:
        verdict = '{{"id": {id}, "verdict": "no violation found", "error": null}}'
        json.JSONEncoder.iterencode = written(verdict)  # type: ignore[method-assign]
        return "continue", state


class PatchesTheServer(RunsEverything):
    """Lets the server of answers forget that it compares, counts and reports anything."""

    def __init__(self, epsilon: Any, delta: Any) -> None:
        super().__init__(epsilon, delta)
        server = sys.modules["filterproof_properties.targets.server"]
        for name in ("same", "quoted"):
            setattr(server, name, lambda *given: 1)

    def decide(self, state: Any, step: Any) -> Any:
        object.__setattr__(step, "index", 0)
        return "continue", state


class LeavesInTheCollector(Additive):
    """Ends its process, as if all were well, the next time that garbage is collected."""

    def decide(self, state: Any, step: Any) -> Any:
        gc.callbacks.append(lambda phase, info: os._exit(0))
        gc.collect()
        return super().decide(state, step)


class HangsAtExit(RunsEverything):
    """Its exit handlers never return, and neither does a thread that is no daemon."""

    atexit.register(time.sleep, 600)
    threading.Thread(target=time.sleep, args=(600,)).start()


class AnswersLate(RunsEverything):
    """A thread goes on to answer questions that have not been put yet, whenever it is its turn."""

    def decide(self, state: Any, step: Any) -> Any:
        self.asked += 1
        if self.asked == 1:
            threading.Thread(target=self.answer, daemon=True).start()
        return "continue", state

    def answer(self) -> None:
        for number in range(1, 400):
            for file in range(3, 20):
                with contextlib.suppress(OSError):
                    line = {"id": number, "answers": [["halt", 0]]}
                    os.write(file, json.dumps(line).encode() + b"\n")
            time.sleep(0.001)


# --- answers that only look like answers --------------------------------------------------------


class Chameleon(str):
    """A text that equals every other one, and reads differently each time."""

    __slots__ = ()
    turn = [0]  # noqa: RUF012

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("continue")

    def __str__(self) -> str:
        Chameleon.turn[0] += 1
        return "halt" if Chameleon.turn[0] % 2 else "continue"


class SaysBoth(RunsEverything):
    def decide(self, state: Any, step: Any) -> Any:
        word = Chameleon("maybe")
        return (str(word) if step.index else "continue"), state


class LyingDecision(RunsEverything):
    """A decision that claims to be any decision, and whose letters are none."""

    def decide(self, state: Any, step: Any) -> Any:
        return Chameleon("maybe"), state


class AnyNumber(int):
    """A number that equals every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class LyingState(RunsEverything):
    """Counts its rounds in states that call themselves equal."""

    def start(self) -> Any:
        return AnyNumber(0)

    def decide(self, state: Any, step: Any) -> Any:
        return ("continue" if int(state) < 2 else "halt"), AnyNumber(int(state) + 1)


class NotATuple(RunsEverything):
    class Pair(tuple[Any, ...]):
        """A pair with a length of its own."""

        __slots__ = ()

        def __len__(self) -> int:
            return 2

        def __getitem__(self, place: Any) -> Any:
            return "continue" if place == 0 else 0

    def decide(self, state: Any, step: Any) -> Any:
        return self.Pair()


class HugeNumbers(RunsEverything):
    """Offers a parameter with more digits than Python writes."""

    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        return [{"N": 10**5000}]

    def __init__(self, epsilon: Any, delta: Any, N: int) -> None:
        super().__init__(epsilon, delta)


class GrowingState(RunsEverything):
    """A number that is squared in every round: soon it fills the memory, or the time."""

    def decide(self, state: Any, step: Any) -> Any:
        grown = 3 ** (10**6)
        for _ in range(30):
            grown *= grown
        return "continue", grown


class HashesForever(RunsEverything):
    class Deep:
        def __hash__(self) -> int:
            return hash((self,))

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", self.Deep()


class Unpicklable(Additive):
    """Holds a lock and a generator in its class; that is allowed."""

    lock = threading.Lock()
    numbers = (one for one in range(3))


class Surrogates(RunsEverything):
    """Half characters wherever a name can be."""

    claims: tuple[str, ...] = ("dp", "\ud800\u202e")

    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        return [{"N\udfff": 1}]

    def __init__(self, epsilon: Any, delta: Any, **parameters: Any) -> None:
        super().__init__(epsilon, delta)


class SurrogateParameters(Surrogates):
    claims = ("dp",)


class EscapingParameters(Surrogates):
    """A value that would clear the screen where it is shown."""

    claims = ("dp",)

    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        return [{"mode": ("plain", "\x1b[2J")}]


class SurrogateError(RunsEverything):
    def decide(self, state: Any, step: Any) -> Any:
        raise RuntimeError("\ud800 \udfff \x9b2J")


SurrogateError.__qualname__ = "Surrogate\ud800Error"


class SurrogateDeclines(RunsEverything):
    def __init__(self, epsilon: Any, delta: Any) -> None:
        raise ValueError("\ud800 no")


class SlowsDown(Additive):
    """Quick for a while; then every answer takes long, though less than it may."""

    asked = 0

    def decide(self, state: Any, step: Any) -> Any:
        SlowsDown.asked += 1
        if self.asked > 5000:
            time.sleep(1.5)
        return super().decide(state, step)
