"""Two versions side by side: harmless edits are proved, looser ones have a run that shows it."""

from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import Code, Refinement, prove_no_looser

OLD = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta, self.spent, self.risk = epsilon, delta, 0.0, 0.0

    def spend(self, epsilon, delta):
        if self.spent + epsilon > self.epsilon or self.risk + delta > self.delta:
            return False
        self.spent += epsilon
        self.risk += delta
        return True
"""
COUNTED = OLD.replace("delta, 0.0, 0.0", "delta, 0.0, 0.0\n        self.n = 0")
HARMLESS = {
    "renamed": OLD.replace("spent", "used").replace("risk", "d"),
    "another layout": """
class Budget:
    def __init__(self, epsilon, delta):
        self.total, self.used = (epsilon, delta), [0.0, 0.0]

    def spend(self, epsilon, delta):
        after = self.used[0] + epsilon, self.used[1] + delta
        if after[0] <= self.total[0] and after[1] <= self.total[1]:
            self.used = list(after)
            return True
        raise RuntimeError("exhausted")
""",
    "stricter": OLD.replace(
        "        self.spent +=",
        "        if epsilon > 0.5:\n            return False\n        self.spent +=",
    ),
    "counts refusals": COUNTED.replace(
        "            return False", "            self.n += 1\n            return False"
    ),
}
LOOSER = {
    "every eighth is free": COUNTED.replace(
        "        if self.spent",
        "        self.n += 1\n        if self.n % 8 == 0:\n            return True\n"
        "        if self.spent",
    ),
    "cents": OLD.replace("if self.spent + epsilon >", "if round(self.spent + epsilon, 2) >"),
    "tolerance": OLD.replace("> self.epsilon or", "> self.epsilon + 1e-9 or"),
    "forgets delta": OLD.replace("        self.risk += delta\n", ""),
}


def proof_of(folder: Path, text: str) -> Refinement:
    paths = [folder / "new.py", folder / "old.py"]
    for path, source in zip(paths, (text, OLD), strict=True):
        path.write_text(source)
    new, old = (Code(path, "Budget") for path in paths)
    return prove_no_looser(new, old, BudgetCalls(spend=("spend",)), 60.0)


@pytest.mark.parametrize("edit", HARMLESS)
def test_an_edit_that_lets_no_more_through_is_proved(edit: str, tmp_path: Path) -> None:
    found = proof_of(tmp_path, HARMLESS[edit])
    assert found.verdict is Verdict.PROVED, found.lines()
    assert "every transcript that the new version allows" in found.promise


@pytest.mark.parametrize("edit", LOOSER)
def test_an_edit_that_lets_more_through_has_a_run(edit: str, tmp_path: Path) -> None:
    found = proof_of(tmp_path, LOOSER[edit])
    assert found.verdict is Verdict.REFUTED, found.lines()
    assert "the old version does not run this round" in str(found.excess)


def test_sums_as_differences_are_the_same_up_to_rounding_only(tmp_path: Path) -> None:
    text = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def spend(self, epsilon, delta):
        if epsilon > self.epsilon or delta > self.delta:
            return False
        self.epsilon -= epsilon
        self.delta -= delta
        return True
"""
    found = proof_of(tmp_path, text)
    assert found.verdict is Verdict.OPEN
    assert "only rounding can make a difference" in found.open[0]
