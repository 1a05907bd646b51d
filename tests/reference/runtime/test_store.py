"""The state file of the runtime filter: nothing that is spent ever comes back."""

import doctest
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.runtime import (
    BudgetExceeded,
    CompensatorFilter,
    Domain,
    StoreError,
    randomised_response,
)

RESPONSE = randomised_response(Fraction(3, 5), [0, 1])
ONE_BIT = Domain.record([0, 1])


CHILD = """
import sys
from fractions import Fraction
from filterproof.runtime import CompensatorFilter, Domain, randomised_response
domain = Domain.record([0, 1])
guard = CompensatorFilter(Fraction(1, 2), Fraction(2, 5), domain=domain, store=sys.argv[1])
response = randomised_response(Fraction(3, 5), [0, 1])
guard.release(response, lambda: 0)
def hang():
    print("drawing", flush=True)
    sys.stdin.read()
guard.release(response, hang)
"""


def test_a_killed_process_regains_no_budget(tmp_path: Path) -> None:
    path = tmp_path / "budget.json"
    command = [sys.executable, "-c", CHILD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"drawing\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    whole = CompensatorFilter(Fraction(1, 2), Fraction(2, 5), domain=ONE_BIT)
    for _ in range(2):
        whole.release(RESPONSE, lambda: 0)
    restored = CompensatorFilter(Fraction(1, 2), Fraction(2, 5), domain=ONE_BIT, store=path)
    assert (restored.rounds, restored.spent) == (2, whole.spent)
    assert restored.spent > 0
    assert restored.ask(RESPONSE).asked >= whole.ask(RESPONSE).asked
    restored.release(RESPONSE, lambda: 0)
    with pytest.raises(BudgetExceeded):
        restored.release(RESPONSE, lambda: 0)


def test_a_state_file_carries_everything_over_a_restart(tmp_path: Path) -> None:
    path, kept = tmp_path / "budget.json", CompensatorFilter(2, Fraction(1, 4), domain=ONE_BIT)
    for output in (0, 1, 0, 0):
        guard = CompensatorFilter(2, Fraction(1, 4), domain=ONE_BIT, store=path)
        for one in (guard, kept):
            one.release(RESPONSE, lambda: output)  # noqa: B023
        assert (guard.rounds, guard.left, guard.ask(RESPONSE)) == (
            kept.rounds,
            kept.left,
            kept.ask(RESPONSE),
        )
        guard.close()
    with pytest.raises(StoreError, match="closed"):
        guard.release(RESPONSE, lambda: 0)


def test_the_spend_is_on_disk_before_the_mechanism_runs(tmp_path: Path) -> None:
    path = tmp_path / "budget.json"
    guard = CompensatorFilter(2, Fraction(1, 4), domain=ONE_BIT, store=path)
    before, during = path.read_text(), []

    def draw() -> int:
        during.append(path.read_text())
        return 0

    guard.release(RESPONSE, draw)
    assert '"rounds": 0' in before
    assert '"rounds": 1' in during[0]
    assert "-inf" in during[0]
    assert "-inf" not in path.read_text()


def test_a_state_file_in_use_cannot_be_opened_twice(tmp_path: Path) -> None:
    first = CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=tmp_path / "budget")
    with pytest.raises(StoreError, match="in use"):
        CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=tmp_path / "budget")
    first.close()
    CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=tmp_path / "budget").close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: text.replace('"rounds": 1', '"rounds": 0'),
        lambda text: text.replace("0x1.", "0x0.", 1),
        lambda text: "[]",
        lambda text: "",
        lambda text: "null",
    ],
)
def test_a_damaged_state_file_is_refused(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "budget"
    guard = CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=path)
    guard.release(RESPONSE, lambda: 0)
    guard.close()
    path.write_text(damage(path.read_text()))
    with pytest.raises(StoreError, match="damaged"):
        CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=path)


@pytest.mark.parametrize(
    ("epsilon", "delta", "domain"),
    [
        (2, Fraction(1, 4), ONE_BIT),
        (1, Fraction(1, 2), ONE_BIT),
        (1, Fraction(1, 4), Domain.counts(2)),
    ],
)
def test_a_state_file_of_another_budget_or_domain_is_refused(
    tmp_path: Path, epsilon: int, delta: Fraction, domain: Domain
) -> None:
    CompensatorFilter(1, Fraction(1, 4), domain=ONE_BIT, store=tmp_path / "budget").close()
    with pytest.raises(StoreError, match="belongs to another filter"):
        CompensatorFilter(epsilon, delta, domain=domain, store=tmp_path / "budget")


def test_the_examples_of_the_manual_run_as_printed() -> None:
    manual = Path(__file__).parents[3] / "docs" / "RUNTIME.md"
    result = doctest.testfile(str(manual), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0
