"""The Coq theorems compile, assume what they may, say what they should, and run as programs.

Where Coq is missing locally, `test_coq_is_installed` is skipped and says how to get it, and the
tests that need it are not collected; under CI they all run, and fail.
"""

import fcntl
import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pytest

from filterproof.exact import Log
from filterproof.filter import Decision, ask, observe, start
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, Mechanism, Step, node_after, opening
from filterproof_proofs import coq
from filterproof_properties.named import Case, named_cases
from filterproof_properties.strategies import draw_case
from filterproof_properties.thresholds import realised_risks

Test = TypeVar("Test", bound=Callable[..., object])
INSTALLED = all(map(shutil.which, ("coqc", "ocamlopt")))
WANTED = INSTALLED or "CI" in os.environ


def needs_coq(test: Test) -> Test:
    """Collect the test only where Coq is installed, or must be."""
    test.__test__ = WANTED  # type: ignore[attr-defined]
    return test


def test_coq_is_installed() -> None:
    if not WANTED:
        pytest.skip(f"the Coq theorems are not compiled here; {coq.HOW_TO_GET_IT}")
    assert coq.tool("coqc")
    assert coq.tool("ocamlopt")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[coq.Theorem]]:
    """One build for all workers of a test run."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    directory = root / "coq-build"
    directory.mkdir(exist_ok=True)
    known = directory / "theorems.json"
    with (root / "coq-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not known.exists():
            known.write_text(json.dumps([asdict(one) for one in coq.prove_theorems(directory)]))
    rows: list[dict[str, Any]] = json.loads(known.read_text())
    return directory, [coq.Theorem(**{**row, "axioms": tuple(row["axioms"])}) for row in rows]


Built = tuple[Path, list[coq.Theorem]]

# --- the build ------------------------------------------------------------------------------


@needs_coq
def test_every_theorem_compiles_and_rests_on_the_allowed_axioms_only(built: Built) -> None:
    theorems = built[1]
    assert [one.name for one in theorems] == [one.name for one in coq.index()]
    assert all(set(one.axioms) <= coq.allowed_axioms() for one in theorems)
    assert {one.file for one in theorems} <= set(coq.files())


def test_the_project_lists_every_file_after_its_imports() -> None:
    listed = coq.files()
    assert sorted(listed) == sorted(path.name for path in coq.SOURCES.glob("*.v"))
    for place, name in enumerate(listed):
        assert set(coq._imports((coq.SOURCES / name).read_text())) <= set(listed[:place])


def test_nothing_is_admitted_and_the_source_tree_holds_sources_only() -> None:
    for path in coq.SOURCES.iterdir():
        assert path.suffix in {".v", ".ml", ".md", ".allowed", ""}, path.name
        words = set(path.read_text().replace(".", " ").split())
        assert path.suffix != ".v" or not words & {"Admitted", "admit", "Axiom", "Parameter"}
        assert len(path.read_text().splitlines()) <= 400


@needs_coq
def test_an_axiom_of_our_own_is_caught(built: Built) -> None:
    cheat = "Axiom cheat : 1 = 2.\nTheorem t : 1 = 2.\nProof. exact cheat. Qed.\n"
    (built[0] / "Cheat.v").write_text(cheat + "Print Assumptions t.\n")
    found = coq.assumptions(coq.compile_file(built[0], "Cheat.v").output)
    with pytest.raises(coq.ForbiddenAxiom, match="cheat"):
        coq.check_axioms(found)


@needs_coq
def test_a_false_theorem_stops_the_build_and_is_named(built: Built) -> None:
    (built[0] / "Wrong.v").write_text("Theorem t : 1 = 2.\nProof. reflexivity. Qed.\n")
    with pytest.raises(coq.BuildFailed, match=r"Wrong\.v does not compile"):
        coq.compile_file(built[0], "Wrong.v")


def test_a_missing_coq_is_reported_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(coq.CoqMissing, match="apt-get install coq"):
        coq.prove_theorems()


def test_missing_sources_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(coq, "SOURCES", tmp_path)
    with pytest.raises(coq.SourcesMissing, match="checkout"):
        coq.index()


def test_an_index_that_leaves_a_theorem_unchecked_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (coq.SOURCES / coq.INDEX).read_text().replace("@repaired_private, ", "", 1)
    (tmp_path / coq.INDEX).write_text(text)
    monkeypatch.setattr(coq, "SOURCES", tmp_path)
    with pytest.raises(coq.BuildFailed, match="'repaired_private'"):
        coq.index()


# --- mutated statements ---------------------------------------------------------------------

MUTANTS: dict[str, tuple[str, str]] = {  # each is false, and the proof must not go through
    "private_iff_hockey": ("hockey A F M e x x'", "hockey A F M e x' x"),
    "repaired_private": ("(N - 1)", "(N - 2)"),
    "repaired_private_paper": ("INR N", "INR (N - 2)"),
    "repaired_tail": ("persistent B -> ", ""),
    "cautious_private": (
        "check_repaired menu M e dt pairs th h r",
        "check_published offer M pairs e dt th h r",
    ),
    "ledger_private": ("good menu M e dt x x' [] = true", "True"),
    "published_private_one": ("<= 1)%nat", "<= 3)%nat"),
    "published_private_few": ("(1 - INR m * th)", "(1 - th)"),
    "published_private_delayed": ("delayed menu A -> ", ""),
    "delta_hat_iff_check": ("delta_hat <= dt", "delta_hat < dt"),
    "identity_expectation": ("law A F M x n", "law A F M x' n"),
    "audit_exact": ("worst menu M F e x x'", "worst menu M F e x' x"),
    "audit_by_charges": ("N [] <= worst", "N [] < worst"),
    "budgets_complete": ("1 <= e", "0 <= e"),
    "spending_private": ("spends_within menu M F e d x x'", "spends_within menu M F e d x' x"),
    "compensator_private": ("(comp e d) e d x x'", "(comp e d) e (d / 2) x x'"),
    "refusing_compensator_private": ("e pairs d) e d x x'", "e pairs d) e (d / 2) x x'"),
    "compensator_at_zero": ("= bayesian M e pairs h r", "= Halt"),
    "recycling_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "recycling_dominates": ("runs (comp e d h r) = true ->", ""),
    "capped_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "capped_dominates": ("runs (comp e d h r) = true ->", ""),
    "published_refuted": ("0 < d < 1", "0 < d <= 1"),
    "guess_reveals": ("x 2 says_true", "x 1 says_true"),
    "repaired_refuses": ("2 <= m", "1 <= m"),
    "sharp_constant": ("(1 - th) ^ (N - 1)", "(1 - th) ^ N"),
    "naive_refuted": ("e (1/3) true false", "e 1 true false"),
    "start_check_needed": ("lookahead true", "lookahead false"),
    "early_stop_breaks_tail": ("= 3/4", "<= 1/2"),
    "capped_runs_more": ("blank1 tt = Halt", "blank1 tt = Continue"),
    "converse_with_headroom": (" - excess M e x x' ((r, Some c) :: k)) ->", ") ->"),
    "unconditional_converse_refuted": (
        "always_private er_menu er_outs e (1/2)",
        "always_private er_menu er_outs e (1/3)",
    ),
    "kappa_iff_check": ("/ sigma ^ 2", "/ (2 * sigma ^ 2)"),
    "appendix_display_differs": ("~ good_loss_as_displayed", "good_loss_as_displayed"),
    "repaired_computes": ("(Q2R dt) (Q2R th)", "(Q2R th) (Q2R dt)"),
    "compensator_computes": ("pairs (Q2R d)", "pairs (Q2R q)"),
    "tree_repaired_private": ("(N - 1)", "(N - 2)"),
    "tree_compensator_private": ("(Q2R q) (Q2R d)", "(Q2R q) 0"),
}


def mutated(entry: coq.Entry) -> str:
    """The entry with its mutated statement, whose proof is asserted to fail."""
    old, new = MUTANTS[entry.name]
    assert old in entry.statement, entry.name
    statement = entry.statement.replace(old, new, 1)
    return f"Goal {statement}.\nProof. Fail ({entry.proof}). Abort."


@needs_coq
def test_for_every_theorem_a_mutated_statement_is_not_proved(built: Built) -> None:
    text = (coq.SOURCES / coq.INDEX).read_text().partition("Definition entries")[0]
    assert MUTANTS.keys() == {one.name for one in coq.index()}
    for one in coq.index():
        original = f"Theorem {one.name} : {one.statement}.\nProof. {one.proof}. Qed."
        assert original in text
        text = text.replace(original, mutated(one))
    (built[0] / "Mutants.v").write_text(text)
    assert text.count("Fail (") == len(MUTANTS)
    assert coq.compile_file(built[0], "Mutants.v").output == ""


@needs_coq
def test_a_mutant_that_changes_nothing_would_be_noticed(built: Built) -> None:
    entry = next(one for one in coq.index() if one.name == "published_refuted")
    imports = (coq.SOURCES / coq.INDEX).read_text().partition("Section Index")[0]
    unchanged = f"Goal {entry.statement}.\nProof. Fail ({entry.proof}). Abort.\n"
    (built[0] / "Idle.v").write_text(imports + unchanged)
    with pytest.raises(coq.BuildFailed, match="has not failed"):
        coq.compile_file(built[0], "Idle.v")


# --- the extracted filters against the reference --------------------------------------------


def binary(number: Fraction) -> str:
    return f"{number.numerator:b}/{number.denominator:b}"


class Wire:
    """A case and its partial transcripts in the words that `play.ml` reads."""

    def __init__(self, case: Case) -> None:
        assert isinstance(case.epsilon, Log)
        self.case, self.odds = case, case.epsilon.argument
        self.numbers: dict[str, int] = {}
        self.steps = list(partial_transcripts(case.game))

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def words(self) -> Iterator[object]:
        game, chosen = self.case.game, self.case.parameters
        place = {x: i for i, x in enumerate(game.databases)}
        yield from (len(place) - 1, len(game.pairs))
        yield from (place[x] for pair in game.pairs for x in pair)
        yield from map(binary, (self.odds, chosen["delta_tilde"], chosen["theta"]))
        yield from (chosen["N"], binary(self.case.delta), len(game.nodes))
        for menu in game.nodes:
            yield len(menu)
            for request, mechanism in menu.items():
                yield from (self.number(request), len(mechanism.law))
                yield from self.rows(mechanism)
        yield len(self.steps)
        for step in self.steps:
            yield len(step.history)
            yield from (self.number(name) for turn in step.history for name in turn)
            yield self.number(step.request)

    def rows(self, mechanism: Mechanism) -> Iterator[object]:
        for y, row in mechanism.law.items():
            yield self.number(y)
            yield from (binary(row[x]) for x in self.case.game.databases)
            yield node_after(mechanism, y).id


def partial_transcripts(game: Game) -> Iterator[Step]:
    """Every (r^i, y^(i-1)) with i >= 1, likely or not."""
    todo = [opening(game)]
    for step in todo:
        after = step.mechanism.after
        todo += [step.next(y, request) for y, menu in after.items() for request in menu]
    return iter(todo[1:])


def reference_answers(case: Case) -> dict[tuple[object, ...], list[Decision | None]]:
    """The answers of the reference by transcript; None where the filter is not asked."""
    most = Fraction(1)  # delta limits the parameters of these two, and nothing else
    rules = [kind(case.epsilon, most, **case.parameters) for kind in (Repaired, Algorithm1)]
    opened = [rule.decide(None, opening(case.game))[0] for rule in rules]
    compensated = compensator_answers(case)
    answers: dict[tuple[object, ...], list[Decision | None]] = {}
    for step in partial_transcripts(case.game):
        place = (step.history, step.request)
        looked: list[Decision | None] = [
            None
            if step.index > case.parameters["N"]
            else rule.decide(None, step)[0]
            if first is Decision.CONTINUE
            else Decision.HALT
            for rule, first in zip(rules, opened, strict=True)
        ]
        answers[place] = [*looked, compensated.get(place)]
    return answers


def compensator_answers(case: Case) -> dict[tuple[object, ...], Decision]:
    """The compensator's answers at the transcripts it reaches."""
    rule = Compensator(case.epsilon, case.delta)
    answers: dict[tuple[object, ...], Decision] = {}
    todo = [(opening(case.game), start(rule))]
    for step, state in todo:
        decision, kept = ask(rule, state, step)
        answers[step.history, step.request] = decision
        if decision is Decision.CONTINUE:
            for y, menu in step.mechanism.after.items():
                seen = observe(rule, kept, step, y)
                todo += [(step.next(y, request), seen) for request in menu]
    return answers


def extracted_answers(player: Path, wires: list[Wire]) -> list[list[list[str]]]:
    """The answers of the extracted filters: per case, per partial transcript, three words."""
    text = "\n".join(" ".join(map(str, wire.words())) for wire in wires)
    done = subprocess.run([player], input=text, capture_output=True, text=True, check=True)
    lines = iter(done.stdout.splitlines())
    return [[next(lines).split() for _ in wire.steps] for wire in wires]


def playable_cases(count: int) -> list[Case]:
    """Named and generated games with a rational e^eps and varied parameters, some of them ties."""
    rng = random.Random(20240607)
    cases = [case for case in named_cases() if case.name != "guess(20)"]
    cases += [draw_case(rng.randrange) for _ in range(count)]
    return [playable(case, rng) for case in cases]


def playable(case: Case, rng: random.Random) -> Case:
    """The case with e^eps rational; parameters are drawn unless it comes with some."""
    odds = rng.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)])
    epsilon = case.epsilon if isinstance(case.epsilon, Log) else Log(odds)
    rounds = rng.randint(1, case.game.depth + 1)
    risks = [Fraction(0), Fraction(1, 3), Fraction(9, 10), *realised_risks(case.game, epsilon)[:20]]
    drawn = {
        "N": rounds,
        "theta": rng.choice([Fraction(0), Fraction(1, 2 * rounds), Fraction(1, rounds + 1)]),
        "delta_tilde": rng.choice([risk for risk in risks if risk <= 1]),
    }
    return Case(case.name, case.game, epsilon, case.delta, case.parameters or drawn)


Answered = tuple[int, str, Decision]  # which rule, what was extracted, what the reference says


def answered(player: Path, wires: list[Wire]) -> list[Answered]:
    """Both answers of every rule at every partial transcript at which the reference is asked."""
    extracted = extracted_answers(player, wires)
    found: list[Answered] = []
    for wire, lines in zip(wires, extracted, strict=True):
        expected = reference_answers(wire.case)
        for step, words in zip(wire.steps, lines, strict=True):
            both = zip(range(3), words, expected[step.history, step.request], strict=True)
            found += [(rule, word, known) for rule, word, known in both if known is not None]
    return found


@needs_coq
def test_the_extracted_filters_answer_as_the_reference_does(built: Built) -> None:
    wires = [Wire(case) for case in playable_cases(120)]
    found = answered(coq.compile_player(built[0]), wires)
    assert [one for one in found if one[1] != one[2]] == []
    given = {(rule, word) for rule, word, _ in found}
    looking_ahead = {(rule, word) for rule in (0, 1) for word in ("continue", "last", "halt")}
    assert given == looking_ahead | {(2, "continue"), (2, "halt")}


@needs_coq
def test_the_comparison_notices_another_epsilon(built: Built) -> None:
    wires = [Wire(case) for case in playable_cases(40)]
    for wire in wires:
        wire.odds *= 2
    found = answered(coq.compile_player(built[0]), wires)
    assert {rule for rule, word, known in found if word != known} == {0, 1, 2}
