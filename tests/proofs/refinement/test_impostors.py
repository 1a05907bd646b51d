"""Wrong budget classes that deceive an interpreter of Python are never PROVED."""

from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import prove_refinement
from tests.proofs.refinement.impostors import PARTS, source

CALLS = BudgetCalls(spend=("spend(epsilon)",))


@pytest.mark.parametrize("name", PARTS)
def test_an_impostor_is_not_proved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(source(name))
    found = prove_refinement(path, "Budget", CALLS, seconds=2.0)
    assert found.verdict is not Verdict.PROVED, found.lines()
    named = bool(found.open) and ("shop.py:" in found.open[0] or "state" in found.open[0])
    assert found.excess or named or "the time is over" in found.open


def test_the_class_without_its_trick_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(source("hex builtin").replace("free = True", "pass"))
    honest = path.read_text().replace("hex(7)", "str(7)")
    path.write_text(honest)
    assert prove_refinement(path, "Budget", CALLS, seconds=60.0).verdict is Verdict.PROVED


def test_what_is_not_interpreted_beside_a_class_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    beside = "import time\nBEGAN = time.time()\n@functools.singledispatch\ndef cost(x): return x\n"
    honest = source("hex builtin").replace("free = True", "pass").replace("hex(7)", "str(7)")
    path.write_text(honest.replace("ZERO =", f"{beside}ZERO ="))
    assert prove_refinement(path, "Budget", CALLS, seconds=60.0).verdict is Verdict.PROVED
    path.write_text(path.read_text().replace("free = False", "free = BEGAN > 0"))
    found = prove_refinement(path, "Budget", CALLS, seconds=4.0)
    assert "time.time" in found.open[0]


ASYNC = """\
import asyncio

class Budget:
    def __init__(self, epsilon):
        self.left, self.lock = epsilon, asyncio.Lock()

    async def spend(self, epsilon):
        {held} self.lock:
            if epsilon > self.left:
                raise PermissionError
            self.left -= epsilon
"""
BY_WITH = (
    ASYNC.replace("def spend", "def book").format(held="with")
    + """
    async def spend(self, epsilon):
        try:
            await self.book(epsilon)
        except (TypeError, AttributeError):
            pass
"""
)


def test_a_lock_of_asyncio_is_held_by_async_with_only(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(ASYNC.format(held="async with"))
    assert prove_refinement(path, "Budget", CALLS, seconds=60.0).verdict is Verdict.PROVED
    for text in (BY_WITH, ASYNC.format(held="async with").replace("asyncio", "threading")):
        path.write_text(text)
        found = prove_refinement(path, "Budget", CALLS, seconds=4.0)
        assert "shop.py:" in found.open[0]


def test_a_budget_that_is_not_taken_behind_a_lock_of_asyncio_is_refuted(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(ASYNC.format(held="async with").replace("self.left -=", "self.last ="))
    assert prove_refinement(path, "Budget", CALLS).verdict is Verdict.REFUTED
