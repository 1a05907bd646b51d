"""The interpreter does what Python does on known numbers, and says where it does not know."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Limits, Paths, TooMuch
from filterproof_proofs.symbolic.program import NoSource, Program
from filterproof_proofs.symbolic.run import NeedsKnown, Unsupported
from filterproof_proofs.symbolic.shapes import BadState, describe, names, numbers, shape_of
from filterproof_proofs.symbolic.values import Raised
from tests.proofs.symbolic.programs import language, operators

HERE = Path(__file__).parent / "programs"


def result(program: Program, *args: Any) -> Any:
    """What a function returns when it is interpreted; it must have one path."""
    run = Paths(Limits())

    def once() -> Any:
        machine = Interpreter(program, run, sealed=False)
        return machine.call(machine.attribute(), *args)

    (case,) = run.cases(once)
    return case.value


@pytest.mark.parametrize(
    "function", [*language.PROGRAMS, *operators.PROGRAMS], ids=lambda one: one.__name__
)
def test_a_program_without_unknown_numbers_does_what_python_does(function: Any) -> None:
    program = Program.load(Path(function.__code__.co_filename), function.__name__)
    assert repr(result(program)) == repr(function())


def outcomes(text: str, *kinds: type, name: str = "f") -> list[Any]:
    """What a function of unknown numbers of these types returns or raises, path by path."""
    run, program = Paths(Limits()), Program.of_text(text, name, "mine.py")
    unknown = [run.unknown(f"x{i}", python_type=kind) for i, kind in enumerate(kinds)]

    def once() -> Any:
        machine = Interpreter(program, run)
        try:
            return machine.call(machine.attribute(), *unknown)
        except Raised as error:
            return str(error)

    return [case.value for case in run.cases(once)]


ANSWERS: list[tuple[str, type, list[Any]]] = [
    ("return isinstance(x, int)", Fraction, [False]),
    ("return isinstance(x, int)", int, [True]),
    ("return isinstance(x, (float, int))", float, [True]),
    ("return type(x) is int", int, [True]),
    ("return type(x).__name__", Fraction, ["Fraction"]),
    ("match x:\n        case int(): return 'int'\n        case _: return 'no'", Fraction, ["no"]),
    ("return x == 365.25 * 4", int, [True, False]),
    ("return x < float('inf'), x == float('nan'), x > -1e400", Fraction, [(True, False, True)]),
    ("return math.isnan(x) or not math.isfinite(x)", float, [False]),
    ("return int(x) <= x", Fraction, [True, True, False]),
    ("return x // 1 <= x", Fraction, [True]),
    ("return x / 0", Fraction, ["ZeroDivisionError: Fraction(1, 0)"]),
    ("return x.argument", Fraction, ["AttributeError: 'Fraction' object has no attribute 'argument'"]),
    ("try:\n        return 1 / x and 'finite'\n    except ZeroDivisionError:\n        return 'zero'", Fraction, ["finite", "zero"]),
    ("return x in (1, 2)", int, [True, True, False]),
    ("return sum([x, x]) == 2 * x, max(x, x) == x, min(x, x + 1) == x", Fraction, [(True,) * 3]),
    ("raise ValueError(f'{x} is too much')", Fraction, ["ValueError: ?"]),
    ("return bool(x)", int, [True, False]),
    ("return callable(x), hasattr(x, 'argument')", Fraction, [(False, False)]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "expected"), ANSWERS)
def test_a_question_about_an_unknown_number_is_answered_as_for_a_number_of_its_type(
    body: str, kind: type, expected: list[Any]
) -> None:
    found = outcomes(f"import math\ndef f(x):\n    {body}", kind)
    assert sorted(map(str, found)) == sorted(map(str, expected))


UNKNOWN: list[tuple[str, str]] = [
    ("return f'{x}' == '1'", "text"),
    ("return len(str(x))", "text"),
    ("return {x: 1}", "key"),
    ("return hash(x)", "looks behind"),
    ("return id(x)", "looks behind"),
    ("return x + 0.5", "float is computed"),
    ("return float(x)", "float is computed"),
    ("return [1, 2][x]", "place in a sequence"),
    ("return list(range(x))", "whole number"),
    ("return math.sqrt(x)", "sqrt"),
    ("return x.numerator", "numerator"),
    ("return x is y", "`is`"),
    ("return eval('1')", "looks behind"),
    ("import time\n    return time.time()", "time"),
    ("return {'a', 'b'}.pop()", "pop"),
    ("return [v for v in {'a', 'b'}]", "order of a set"),
    ("math.floor = 3", "not the code's own"),
    ("return f.__globals__", "__globals__"),
    ("import random\n    return random.random()", "random"),
    ("class C:\n        __add__ = staticmethod(max)\n    return C() + x", "no plain method"),
    (
        "class C:\n        def __hash__(self): return 1\n    class D(C):\n        def __eq__(self, o): return True\n    return {D(): 1}",
        "unhashable",
    ),
    ("class C:\n        __call__ = classmethod(max)\n    return C()(x)", "no plain method"),
    (
        "import enum\n    class D:\n        def __get__(self, o, k): return 1\n    class E(enum.Enum):\n        A = D()\n    return E.A",
        "descriptor",
    ),
    (
        "from dataclasses import dataclass\n    @dataclass\n    class C:\n        y: int = 0\n        @property\n        def y(self): return 1\n    return C().y",
        "a property",
    ),
]


@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize(("body", "reason"), UNKNOWN)
def test_what_is_not_answered_ends_the_run_with_its_line_also_if_it_is_swallowed(
    body: str, reason: str, swallowed: bool
) -> None:
    text = f"import math\ndef g(x, y):\n    {body}\ndef f(x, y):\n    return g(x, y)\n"
    if swallowed:
        text = text.replace(
            "return g(x, y)",
            "try:\n        return g(x, y)\n    except BaseException:\n        return 0",
        )
    with pytest.raises(NeedsKnown, match=rf"mine\.py:\d+.*{reason}"):
        outcomes(text, Fraction, Fraction)


SECRETS = [
    "class A:\n    n = 0\n    def go(self):\n        A.n += 1",
    "class A:\n    n = 0\n    def go(self):\n        type(self).n += 1",
    "count = 0\nclass A:\n    def go(self):\n        global count\n        count += 1",
    "seen = []\nclass A:\n    def go(self):\n        seen.append(1)",
    "class A:\n    def go(self, seen=[]):\n        seen.append(1)",
    "class A:\n    def go(self):\n        A.go.n = 1",
    "def make():\n    n = 0\n    class B:\n        def go(self):\n            nonlocal n\n            n += 1\n    return B\nA = make()",
    "from collections import defaultdict\nseen = defaultdict(int)\nclass A:\n    def go(self):\n        seen['a']",
    "rest = iter([1, 2])\nclass A:\n    def go(self):\n        next(rest)",
    "rest = (i for i in [1, 2])\nclass A:\n    def go(self):\n        return [*rest]",
    "rest = map(int, '12')\nclass A:\n    def go(self):\n        return list(rest)",
    "def g():\n    yield 1\nrest = g()\nclass A:\n    def go(self):\n        return 1 in rest",
    "class B: pass\nb = B()\nclass A:\n    def go(self):\n        b.x = 1",
]  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_state_in_a_secret_place_is_refused_and_state_in_the_object_is_not(text: str) -> None:
    program, run = Program.of_text(text, "A", "mine.py"), Paths(Limits())

    def once() -> Any:
        machine = Interpreter(program, run)
        obj = machine.call(machine.attribute())
        machine.seal(obj)
        return machine.method(obj, "go")

    with pytest.raises(Unsupported, match=r"mine\.py:\d+: .*a change of"):
        run.cases(once)


def test_state_in_the_object_may_change() -> None:
    text = "class A:\n    def __init__(self): self.n, self.log = 0, {'a': []}\n    def go(self):\n        self.n += 1\n        self.log['a'].append(self.n)\n        return self.n"
    run = Paths(Limits())

    def once() -> Any:
        machine = Interpreter(Program.of_text(text, "A"), run)
        obj = machine.call(machine.attribute())
        machine.seal(obj)
        machine.method(obj, "go")
        return machine.method(obj, "go"), describe(shape_of(obj)), names(obj), numbers(obj)

    (case,) = run.cases(once)
    assert case.value == (
        2,
        "A(n=#, log={'a': [#, #]})",
        ["self.n", "self.log['a'][0]", "self.log['a'][1]"],
        [2, 1, 2],
    )


EVERY_KIND: list[Any] = ["a", True, 1, Fraction(1), 1.0, (1,), [1], None, {}]


def test_shapes_keep_types_and_are_filled_again() -> None:
    text = "from enum import StrEnum\nclass P(StrEnum):\n    A = 'a'\nclass C:\n    def __init__(self): self.p, self.q, self.t = P.A, [1, True], (1, [])\ndef f(): return C()"
    program, run = Program.of_text(text, "f"), Paths(Limits())

    def made() -> tuple[Any, Interpreter]:
        machine = Interpreter(program, run)
        return machine.call(machine.attribute()), machine

    (one, _), (other, machine) = made(), made()
    assert shape_of(one) == shape_of(other)
    again = fill(shape_of(one), lambda kind: kind(5), Fraction(1), machine.find)
    assert shape_of(again) == shape_of(one)
    assert machine.get(again, "p") is machine.get(other, "p")
    assert numbers(again) == [5, 5]
    shapes = [shape_of(value) for value in EVERY_KIND]
    assert len(set(shapes)) == len(shapes)
    with pytest.raises(BadState):
        shape_of(object())


def test_a_target_without_source_says_so() -> None:
    with pytest.raises(NoSource):
        Program.of(len)
    with pytest.raises(NoSource):
        Program.load(HERE / "missing.py", "A")
    with pytest.raises(Unsupported, match="no Python"):
        Program.of_text("def f(:", "f")


def test_an_endless_loop_is_stopped_by_the_limits() -> None:
    run = Paths(Limits(deadline=0.0))
    with pytest.raises(TooMuch):
        run.cases(lambda: Interpreter(Program.of_text("while True:\n    pass", "f"), run))
