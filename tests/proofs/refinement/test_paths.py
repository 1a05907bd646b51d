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
