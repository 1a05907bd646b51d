"""An argument that callers may give a budget object now, and could not before."""

from pathlib import Path

import pytest

from filterproof_properties.audit.new_arguments import check_arguments
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.target import TargetError

LEDGER = """
class Budget:
    def __init__(self, epsilon, delta{made}):
        self.left = epsilon

    def spend(self, epsilon, delta{asked}):
        return True
"""
LIMITS = Limits(sandbox="off")
SPEND = "--spend 'spend(epsilon, delta)'"


def check(folder: Path, old: str, new: str, words: str = SPEND, made: str = "") -> None:
    for name, asked in (("old", old), ("new", new)):
        text = LEDGER.format(made=made if name == "new" else "", asked=asked)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    before, now = (f"{folder / one}.py:Budget" for one in ("old", "new"))
    check_arguments(f"{before} {SPEND}", f"{now} {words}", LIMITS, LIMITS)


def test_a_new_argument_that_nothing_gives_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="spend takes 'user' now, which it did not before"):
        check(tmp_path, "", ', user="x"')
    with pytest.raises(TargetError, match="'tag'"):
        check(tmp_path, ', user="x"', ', user="x", *, tag=None')


def test_what_is_given_or_was_there_before_is_compared(tmp_path: Path) -> None:
    check(tmp_path, ', user="x"', ', user="x"')
    check(tmp_path, "", ', user="x"', "--spend 'spend(epsilon, delta, user=user)' --free user=a,b")
    check(tmp_path, "", "", made=", slack=0")  # who makes the object is no adversary
    check_arguments("naive", "additive", LIMITS, LIMITS)
