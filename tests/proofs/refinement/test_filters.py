"""Filters of this project's interface: `additive` in full generality, its broken cousin refuted."""

from pathlib import Path

import pytest

import filterproof
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import (
    Code,
    prove_no_looser,
    prove_program,
    prove_refinement,
)
from filterproof_proofs.symbolic.program import Program

ADDITIVE = Path(filterproof.__file__).parent / "filters" / "additive.py"


def test_additive_is_never_looser_than_its_rule_for_all_laws() -> None:
    found = prove_refinement(ADDITIVE, "Additive")
    assert found.verdict is Verdict.PROVED, found.lines()
    assert found.theorems == ("additive_private",)
    assert "state.odds is the product of the odds that ran" in " ".join(found.invariant)
    assert "all laws, outputs, databases, adversaries; any number of rounds" in found.covers


def test_its_cousin_that_forgets_to_add_deltas_is_refuted_by_a_run() -> None:
    found = prove_refinement(ADDITIVE, "PerRoundDelta")
    assert found.verdict is Verdict.REFUTED
    assert "of 0.01 (the sum of the deltas that ran)" in str(found.excess)


def test_the_cousin_is_looser_and_additive_is_not() -> None:
    good, bad = Code(ADDITIVE, "Additive"), Code(ADDITIVE, "PerRoundDelta")
    assert prove_no_looser(good, bad).verdict is Verdict.PROVED
    assert prove_no_looser(bad, good).verdict is Verdict.REFUTED


def test_a_filter_that_looks_at_the_law_is_open() -> None:
    found = prove_refinement(ADDITIVE.with_name("compensator.py"), "Compensator")
    assert found.verdict is Verdict.OPEN


LEDGER = """\
from fractions import Fraction

from filterproof.exact import exceeds


class Ledger:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def start(self):
        return Fraction(1)

    def decide(self, spent, step):
        odds, delta = step.mechanism.declared
        if {free}:
            return "continue", spent
        if delta > 0 or exceeds(spent * odds, Fraction(1), self.epsilon):
            return "halt", spent
        return "continue", spent * odds
"""


@pytest.mark.parametrize("free", ["isinstance(self.epsilon, Fraction)", "self.epsilon == 1"])
def test_what_is_free_for_a_rational_epsilon_is_not_proved(free: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(LEDGER.format(free=free))
    found = prove_refinement(path, "Ledger", seconds=4.0)
    assert found.verdict is not Verdict.PROVED, found.lines()
    path.write_text(LEDGER.format(free="isinstance(self.epsilon, str)"))
    assert prove_refinement(path, "Ledger").verdict is Verdict.PROVED


OFFERED = """\
from fractions import Fraction

from filterproof.exact import exceeds


class Ledger:
    def __init__(self, epsilon, delta, *, most=0, mode="strict"):
        self.epsilon, self.delta, self.most, self.mode = epsilon, delta, most, mode

    @classmethod
    def parameters(cls, epsilon, delta, depth):
        yield {{"most": 0}}
        yield {{"most": depth, "mode": "{mode}"}}

    def start(self):
        return Fraction(1), Fraction(0)

    def decide(self, spent, step):
        odds, delta = step.mechanism.declared
        total = spent[0] * odds, spent[1] + delta
        fits = not exceeds(total[0], Fraction(1), self.epsilon) and total[1] <= self.delta
        if fits and (step.index < self.most or self.mode == "strict"){free}:
            return "continue", total
        return "refuse", spent
"""
FREE = {
    "nothing": ("loose", "", Verdict.PROVED),
    "a number": ("loose", " or self.most and step.index == self.most + 1", Verdict.OPEN),
    "a text": ("all", ' or self.mode == "all"', Verdict.REFUTED),
}


@pytest.mark.parametrize("free", FREE)
def test_every_set_of_parameters_that_a_filter_offers_is_proved(tmp_path: Path, free: str) -> None:
    mode, condition, verdict = FREE[free]
    path = tmp_path / "ledger.py"
    path.write_text(OFFERED.format(mode=mode, free=condition))
    found = prove_refinement(path, "Ledger", seconds=10.0 if verdict is Verdict.OPEN else 120.0)
    assert found.verdict is verdict, found.lines()
    said = [line for line in found.covers if line.startswith("parameters as offered")]
    assert len(said) == (2 if verdict is Verdict.PROVED else 0)
    assert {play.offer for play in found.replays} == ({0, 1} if said else set())
    strict = tmp_path / "strict.py"
    strict.write_text(OFFERED.format(mode="strict", free=""))
    if verdict is not Verdict.PROVED:
        versions = prove_no_looser(Code(path, "Ledger"), Code(strict, "Ledger"), seconds=10.0)
        assert versions.verdict is not Verdict.PROVED


def test_a_sound_filter_that_refuses_is_proved_whatever_budgets_its_first_runs_have() -> None:
    text = OFFERED.format(mode="strict", free="")
    program = Program.of_text(text.replace("parameters", "others"), "Ledger", "mine.py")
    assert prove_program(program, "mine.py:Ledger").verdict is Verdict.PROVED
