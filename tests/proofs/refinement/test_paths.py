"""Every path of the first requests gets a run of its own, which random runs do not give it."""

from pathlib import Path

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import prove_refinement
from filterproof_proofs.refinement.proof import REPLAYS
from filterproof_proofs.refinement.verdicts import Play

RARE = """\
class Budget:
    def __init__(self, epsilon):
        self.left = epsilon

    def spend(self, epsilon):
        if 0.3331 < epsilon < 0.3332 and self.left < 0.6:
            return False
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True
"""


def is_rare(play: Play) -> bool:
    return any(0.3331 < call.costs["epsilon"] < 0.3332 for call in play.calls[1:])


def test_a_path_that_no_random_run_takes_is_made_again_with_the_object(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(RARE)
    found = prove_refinement(path, "Budget", BudgetCalls(spend=("spend(epsilon)",)), seconds=120.0)
    assert found.verdict is Verdict.PROVED, found.lines()
    assert not any(map(is_rare, found.replays[:REPLAYS]))
    rare = [play for play in found.replays[REPLAYS:] if is_rare(play)]
    assert rare
    assert any([call.ran for call in play.calls] == [True, False] for play in rare)


LATE = """\
class Budget:
    def __init__(self, epsilon):
        self.left, self.count = epsilon, 0

    def spend(self, epsilon):
        if self.count >= 4 and 0.03331 < epsilon < 0.03332:
            return False
        if epsilon > self.left:
            return False
        self.left -= epsilon
        self.count += 1
        return True
"""


def test_a_path_that_is_taken_deep_in_a_run_only_is_made_again_too(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(LATE)
    found = prove_refinement(path, "Budget", BudgetCalls(spend=("spend(epsilon)",)), seconds=120.0)
    assert found.verdict is Verdict.PROVED, found.lines()
    last = [play.calls[-1] for play in found.replays if len(play.calls) > 4]
    rare = [call for call in last if 0.03331 < call.costs["epsilon"] < 0.03332]
    assert rare
    assert not any(call.ran for call in rare)


def test_requests_beyond_any_budget_are_made_again_too(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(LATE)
    found = prove_refinement(path, "Budget", BudgetCalls(spend=("spend(epsilon)",)), seconds=120.0)
    far = [call for play in found.replays for call in play.calls if call.costs["epsilon"] > 2.0**64]
    assert far
    assert not any(call.ran for call in far)
    assert any("costs of any size" in line for line in found.covers)
