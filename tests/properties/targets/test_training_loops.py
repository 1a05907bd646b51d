"""Training loops that stop at epsilon, audited as budget objects: each has the verdict it says."""

from pathlib import Path

import pytest

from filterproof_properties.cli.main import main

LOOPS = Path(__file__).parents[3] / "examples" / "training" / "loops.py"
VALIDATES = ("--spend", "step", "--spend", "validate()")


@pytest.mark.parametrize(
    ("loop", "calls", "wanted"),
    [
        ("LooksAhead", ("--spend", "step"), 0),
        ("Guarded", ("--spend", "step"), 0),
        ("ReadsBefore", ("--spend", "step"), 1),
        ("Tolerant", ("--spend", "step"), 1),
        ("StopsByLoss", VALIDATES, 1),
    ],
)
def test_a_loop_has_the_verdict_that_it_announces(
    loop: str, calls: tuple[str, ...], wanted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["audit", f"{LOOPS}:{loop}", *calls, "--examples", "8" if wanted == 0 else "300"]
    assert main(words) == wanted, capsys.readouterr()
