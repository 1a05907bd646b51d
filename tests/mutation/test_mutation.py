"""A change reaches the functions that are in use, the tests that run it are found, and an
unexplained survivor is a failure.
"""

import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from filterproof_proofs.potential.mutants import Mutant, mutants
from tests.mutation import page, rooms
from tests.mutation.inplace import CannotBeApplied, apply, functions_of
from tests.mutation.lines import covered, watch
from tests.mutation.page import Found
from tests.mutation.places import Suite, noticed_by
from tests.mutation.survivors import REASONS
from tests.mutation.survivors.words import FROZEN, SHOWN, usual

CODE = """\
from dataclasses import dataclass
from functools import lru_cache

MOST = 7


@dataclass(frozen=True)
class Limits:
    seconds: int = 5


def enough(count, least=2):
    return least <= count < MOST


@lru_cache(maxsize=3)
def doubled(count):
    return [one for one in range(2) for _ in range(count)]
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    path = tmp_path / "victim.py"
    path.write_text(CODE, encoding="utf-8")
    made = ModuleType("victim")
    made.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "victim", made)
    exec(compile(CODE, str(path), "exec"), vars(made))
    return made


def changed(module: Any, before: str, after: str) -> Any:
    one = next(one for one in mutants(CODE) if (one.before, one.after) == (before, after))
    was, code = (compile(each, module.__file__, "exec") for each in (CODE, one.tree))
    found = functions_of(str(Path(module.__file__).parent))
    apply(was, code, module, found[module.__file__])
    return module


def test_functions_that_are_in_use_take_the_changed_code(module: Any) -> None:
    enough = module.enough
    assert enough(2)
    changed(module, "least <= count < MOST", "least < count < MOST")
    assert not enough(2)
    assert enough(3)


def test_what_is_worked_out_at_import_is_put_into_its_place(module: Any) -> None:
    enough = module.enough
    assert not enough(7)
    changed(module, "7", "8")
    assert enough(7)
    changed(module, "2", "3")  # the default of `enough`
    assert not enough(2)
    changed(module, "5", "6")
    assert module.Limits().seconds == module.Limits.seconds == 6


def test_a_function_that_was_rewritten_does_not_hide_a_change_of_a_constant(module: Any) -> None:
    rewritten = compile(CODE.replace("count < MOST", "count < MOST or None"), "victim", "exec")
    scratch: dict[str, Any] = {"__name__": "victim"}
    exec(rewritten, scratch)
    module.enough.__code__ = scratch["enough"].__code__.replace(co_filename=module.__file__)
    changed(module, "7", "8")
    assert module.MOST == 8
    assert module.enough(8) is None


@pytest.mark.parametrize(("before", "after"), [("True", "False"), ("3", "4")])
def test_what_shows_only_in_a_new_process_is_told(module: Any, before: str, after: str) -> None:
    with pytest.raises(CannotBeApplied):
        changed(module, before, after)


def test_the_tests_that_run_a_line_are_found_and_the_quickest_chosen(tmp_path: Path) -> None:
    path = tmp_path / "victim.py"
    path.write_text(CODE, encoding="utf-8")
    notes = tmp_path / "lines"
    notes.write_text("a::b (call)\tvictim.py\t13\nc::d (call)\tvictim.py\t13\nnoise\n")
    tests = Suite(4.0, {"a::b": 3.0, "c::d": 2.0, "e::f": 1.0}, covered(notes), {"e::f": "MOST"})
    assert noticed_by(tests, path, 13, tmp_path) == ["c::d"]
    assert noticed_by(tests, path, 12, tmp_path) == ["c::d"], "a default value"
    assert noticed_by(tests, path, 4, tmp_path) == ["e::f", "c::d"], "a constant, by its name"
    assert noticed_by(tests, path, 18, tmp_path) == []


def test_a_survivor_without_a_reason_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    fate = {"file": "x/a.py", "line": 3, "column": 0, "owner": "f", "text": "return 1 + 1"}
    lived = [{**fate, "before": "1", "after": "2", "said": "survived", "tests": 3}]
    killed = [{**fate, "before": "1 + 1", "after": "1 - 1", "said": "killed", "tests": 3}]
    found = Found("room", 5, lived + killed)
    assert found.line() == "| `room` | 5 | 2 | 1 | 1 | 0 | 1 |"
    monkeypatch.setattr(page, "REASONS", {("a.py", "return 1 + 1"): {"1 -> 2": "on purpose"}})
    assert found.line() == "| `room` | 5 | 2 | 1 | 1 | 1 | 0 |"
    monkeypatch.setattr(page, "REASONS", {("a.py", "return 1 + 1"): {"1 -> 3": "on purpose"}})
    assert found.unexplained == lived


def test_every_room_has_code_and_tests() -> None:
    for room in rooms.ROOMS.values():
        assert room.files()
        assert all((rooms.ROOT / one).exists() for one in room.tests)
        first = next(mutants((rooms.ROOT / room.files()[-1]).read_text(encoding="utf-8")))
        assert isinstance(first, Mutant)


def test_a_watch_that_was_ended_begins_again(module: Any, tmp_path: Path) -> None:
    before, others = sys.gettrace(), threading.gettrace()
    try:
        begin = watch(f"{tmp_path}/", str(tmp_path / "lines"))
        sys.settrace(None)
        module.enough(2)
        begin()
        module.doubled(1)
    finally:
        sys.settrace(before)
        threading.settrace(others)
    assert {line for _, line in covered(tmp_path / "lines")} == {18}


def test_a_line_that_is_explained_is_there() -> None:
    lines = {
        (path.name, " ".join(line.split()))
        for room in rooms.ROOMS.values()
        for path in room.files()
        for line in (rooms.ROOT / path).read_text(encoding="utf-8").splitlines()
    }
    assert set(REASONS) - lines == set()


def test_such_lines_as_are_usual_need_no_reason_of_their_own() -> None:
    assert usual('raise Odd(f"got {quoted(raw, 200)}")', "200 -> 201") == SHOWN
    assert usual("@dataclass(frozen=True, eq=False)", "True -> False") == FROZEN
    assert usual("@dataclass(frozen=True, eq=False)", "False -> True") == ""
    assert usual("return quoted(raw[0], 200)", "raw[0] -> raw[1]") == ""
