"""Arrays of numpy: what they do that lists and floats do not is refused with its line."""

from pathlib import Path

import numpy as np
import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import prove_refinement
from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Limits
from filterproof_proofs.symbolic.program import Program

CALLS = BudgetCalls(spend=("spend(epsilon)",))
BUDGET = """\
import numpy as np


class Budget:
    def __init__(self, epsilon):
        self.n, self.left = 0, {left}

    def spend(self, epsilon):
        self.n += 1
{body}
        if epsilon > self.left[0]:
            return False
        {book}
        return True
"""
FLOAT = "np.array([epsilon, 0.0])"
BOOK = "self.left[0] -= epsilon"
WRONG = {
    "ints are cut off": ("np.array([epsilon])", "", BOOK),
    "a part is a view": (FLOAT, "part = self.left[:1]; part += 1.0", BOOK),
    "a division by 0 gives inf": (
        FLOAT,
        "try: self.n = 1.0 / self.left[1]\n        except ZeroDivisionError: pass",
        BOOK,
    ),
    "single precision": ("np.array([epsilon], dtype=np.float32)", "", BOOK),
    "another array": (FLOAT, "", "self.left = self.left - 0 * epsilon"),
    "all elements at once": (FLOAT, "if self.n == 5000: self.left[:] = [9.0, 0.0]", BOOK),
    "two names of one array": (
        FLOAT,
        "same = self.left\n        if self.n == 5000: same += 1.0",
        BOOK,
    ),
}


def write(path: Path, left: str, body: str, book: str) -> Path:
    file = path / "shop.py"
    file.write_text(BUDGET.format(left=left, body=f"        {body or 'pass'}", book=book))
    return file


@pytest.mark.parametrize("name", WRONG)
def test_a_trick_with_arrays_is_not_proved(name: str, tmp_path: Path) -> None:
    found = prove_refinement(write(tmp_path, *WRONG[name]), "Budget", CALLS, seconds=2.0)
    assert found.verdict is not Verdict.PROVED, found.lines()


def test_the_class_without_a_trick_is_proved(tmp_path: Path) -> None:
    file = write(tmp_path, FLOAT, "", BOOK)
    assert prove_refinement(file, "Budget", CALLS, seconds=120.0).verdict is Verdict.PROVED


EXPRESSIONS = (
    "np.array([1.5, 2.0]) + 1",
    "3 - np.array([1.5, 2.0])",
    "np.array([1.0, 1e16, 1.0, -1e16]).sum()",
    "np.maximum(np.array([1.0, 5.0]), [2.0, 3.0])",
    "np.minimum(np.array([1.0, 5.0]), 2.0)",
    "np.where(np.array([1.0, 5.0]) > 2, 0.0, np.ones(2))",
    "~(np.array([1.0, 5.0]) <= 1) | (np.zeros(2) == 0)",
    "np.array([1.0, 5.0]) ** 2 / np.full(2, 4.0)",
    "abs(-np.array([1.0, -5.0]))",
    "np.array([3.0, 5.0])[-1] * 2",
    "np.all(np.array([3.0, 5.0]) >= [3.0, 4.0])",
    "np.array([0.1, 0.2]).copy().max()",
)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_arrays_compute_what_numpy_computes(text: str, tmp_path: Path) -> None:
    file = tmp_path / "shop.py"
    file.write_text(f"import numpy as np\n\n\ndef made():\n    return {text}\n")
    machine = Interpreter(Program.load(file, "made"), Doubles(Limits()))
    found = machine.call(machine.attribute())
    real = eval(text, {"np": np})
    assert found.items == np.atleast_1d(real).tolist()
    assert found.scalar == (np.ndim(real) == 0)
