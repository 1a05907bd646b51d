"""Which lines of a target were run: the marks change nothing, and none is missed or made up."""

import builtins
import fractions
import marshal
from collections.abc import Iterator
from fractions import Fraction
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.audit.coverage_record import coverage_record
from filterproof_properties.audit.record import Record, to_json
from filterproof_properties.audit.running import run_audit
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.reports import html, markdown, sarif, terminal
from filterproof_properties.reports.plain import plain
from filterproof_properties.targets.coverage.marks import (
    HIT,
    MARKS,
    compile_marked,
    from_digits,
    marks_in,
    to_digits,
)
from filterproof_properties.targets.coverage.own_code import OwnFile, own_files
from filterproof_properties.targets.coverage.unreached import Coverage

SHOP = '''from fractions import Fraction
class Budget:
    """Counts."""

    def __init__(self, total):
        self.total, self.spent = total, Fraction(0)

    def spend(self, epsilon):
        if self.spent + Fraction(epsilon) > self.total:
            return False
        self.spent += Fraction(epsilon)
        return True
'''
REFUND = '''
    def refund(self, epsilon):
        """Give it back."""
        self.spent -= rounded(epsilon)


def rounded(epsilon):
    return round(epsilon, 3)


class Unrelated:
    def never(self):
        return 1
'''
EXAMPLES = Settings(examples=40)


@pytest.fixture
def marks() -> Iterator[bytearray]:
    found = bytearray(100_000)
    setattr(builtins, MARKS, found)
    setattr(builtins, HIT, found.__setitem__)
    yield found
    delattr(builtins, MARKS)
    delattr(builtins, HIT)


def run_marked(text: str, names: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "marked"}
    exec(compile_marked(text.encode(), "marked.py", names, 0), found)
    return found


def test_marked_code_computes_the_same(marks: bytearray) -> None:
    """A module of the standard library with every way of writing a function, marked."""
    text = Path(fractions.__file__).read_text(encoding="utf-8")
    marked = run_marked(text, ["Fraction"])["Fraction"]
    for a, b in ((3, 4), (-7, 2), (10, 5)):
        one, other = marked(a, b), Fraction(a, b)
        for plain_one, marked_one in ((other + 1, one + 1), (other**-2, one**-2), (-other, -one)):
            assert str(plain_one) == str(marked_one)
        assert (one < 2, hash(one), float(one)) == (other < 2, hash(other), float(other))
    assert str(marked("7/4").limit_denominator(3)) == "5/3"
    assert 0 < sum(marks) < len(marks_in(text, ["Fraction"]))


FUNCTION = '''
def f(x, y=lambda: 7):
    """Documented."""
    global counted
    total = 0
    for i in range(x):
        if i == 2:
            continue
        total += i if i % 2 else 10
    else:
        total += 100
    try:
        total //= x
    except ZeroDivisionError:
        return y() if x else -1
    while total > 50:
        total -= 50
    match total:
        case 3:
            return "three"
        case _:
            with open(__import__("os").devnull):
                return total
'''


@pytest.mark.parametrize("x", range(7))
def test_every_kind_of_statement_is_marked(marks: bytearray, x: int) -> None:
    plain_found: dict[str, Any] = {}
    exec(FUNCTION, plain_found)
    assert run_marked(FUNCTION, ["f"])["f"](x) == plain_found["f"](x)
    unreached = Coverage((OwnFile("f.py", FUNCTION, ("f",)),), from_digits(to_digits(bytes(marks))))
    places = [one for one in unreached.unreached() if not one.way]
    lines = {n for one in places for n in range(one.first, one.last + 1)}
    assert (15 in lines) == bool(x)
    assert (8 in lines) == (x < 3)


ALWAYS_TRUE = "def f(x):\n    if x:\n        x = 0\n    return 1 if x else 2\n"


def test_a_way_that_was_never_taken_is_named(marks: bytearray) -> None:
    f = run_marked(ALWAYS_TRUE, ["f"])["f"]
    own = (OwnFile("f.py", ALWAYS_TRUE, ("f",)),)
    f(1)
    said = [str(one) for one in Coverage(own, from_digits(to_digits(bytes(marks)))).unreached()]
    assert said == [
        "line 2 (in f; the condition was never false)",
        "line 4 (in f; a part of an expression)",
    ]
    f(0)
    said = [str(one) for one in Coverage(own, from_digits(to_digits(bytes(marks)))).unreached()]
    assert said == ["line 4 (in f; a part of an expression)"]


def test_what_is_not_run_is_not_said_to_be(marks: bytearray) -> None:
    found = run_marked(f"{SHOP}{REFUND}", ["Budget", "rounded"])
    found["Budget"](1.0).spend(0.5)
    own = OwnFile("shop.py", f"{SHOP}{REFUND}", ("Budget", "rounded"))
    record = coverage_record(Coverage((own,), from_digits(to_digits(bytes(marks)))))
    assert record is not None
    assert record.never == (
        "line 10 (in Budget.spend), line 16 (def Budget.refund), line 20 (def rounded) "
        "were never reached"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shop")
    (made / "right.py").write_text(SHOP)
    (made / "refunds.py").write_text(f"{SHOP}{REFUND}")
    (made / "split.py").write_text(
        "from refunds import Budget as B\n\n\nclass Budget(B):\n    pass\n"
    )
    (made / "shared.py").write_text(SHOP.replace("self.", "Budget."))
    return made


def test_own_code_is_what_the_target_uses(folder: Path) -> None:
    (own,) = own_files(f"{folder}/refunds.py:Budget --spend spend(epsilon)")
    assert own.names == ("Budget", "rounded")
    assert {Path(one.path).name: one.names for one in own_files(f"{folder}/split.py:Budget")} == {
        "split.py": ("Budget",),
        "refunds.py": ("Budget", "rounded"),
    }
    assert own_files("command:node filter.js") == own_files("additive") == ()


def audited(folder: Path, name: str, settings: Settings = EXAMPLES) -> Record:
    spec = f"{folder}/{name}.py:Budget --spend 'spend(epsilon)' --open '(epsilon)'"
    return run_audit(spec, settings, Limits(), lambda event: None)


def test_a_target_that_ran_whole_has_nothing_to_tell(folder: Path) -> None:
    record = audited(folder, "right")
    assert record.coverage is not None
    assert record.coverage.lines == record.coverage.run == 5
    assert record.coverage.never == ""
    assert record.outcome == "no violation found"


def test_every_report_says_what_was_never_reached(folder: Path) -> None:
    record = audited(folder, "refunds")
    never = "line 16 (def Budget.refund), line 20 (def rounded) were never reached"
    assert record.outcome == "no violation found; 2 of 7 lines never reached"
    for report in (plain(terminal.report([record])), markdown.text([record])):
        assert record.outcome in report
        assert never in report.replace("\n", " ")
    page = html.text([record])
    assert never in page
    assert page.count("never reached</span>") == 2 + 2  # two lines of source, and two pills
    assert '"ruleId": "unreached"' in sarif.text([record])
    assert '"startLine": 16' in sarif.text([record])
    told = to_json(record)["coverage"]
    assert (told["lines"], told["run"], len(told["unreached"])) == (7, 5, 2)


def test_copies_of_the_process_are_seen_too(folder: Path) -> None:
    """Objects that share what they remember are each asked in a copy of the target's process."""
    record = audited(folder, "shared", Settings(examples=3))
    assert record.coverage is not None
    assert record.coverage.run == 5


def test_a_compiled_file_that_python_would_run_instead_is_a_fault(tmp_path: Path) -> None:
    """A repository may hold one that Python never compares with the source."""
    source = tmp_path / "right.py"
    source.write_text(SHOP)
    path, sound = Path(cache_from_source(str(source))), source.read_bytes()
    path.parent.mkdir()
    for text in (sound, sound.replace(b"> self.total", b"> 9 * self.total")):
        code = marshal.dumps(compile(text, str(source), "exec"))
        path.write_bytes(MAGIC_NUMBER + (1).to_bytes(4, "little") + source_hash(text) + code)
        record = audited(tmp_path, "right", Settings(examples=1))
        assert ("what is in __pycache__" in str(record)) == (text != sound)
    assert record.verdict == "target failed"


def test_any_number_of_jobs_runs_the_same_lines(folder: Path) -> None:
    one, two = (audited(folder, "refunds", Settings(examples=60, jobs=jobs)) for jobs in (1, 2))
    assert one.coverage == two.coverage


@pytest.mark.parametrize("told", ["", "xyz", 7, None, "f" * 40_000])
def test_marks_that_are_none_are_refused(told: Any) -> None:
    with pytest.raises(ValueError, match="16"):
        from_digits(told)
