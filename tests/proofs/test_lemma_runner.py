"""The lemma runner believes two solvers that agree and numbers that check out, and nothing else."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations

import pytest
import z3

from filterproof_proofs.smt import cvc5_solver, lemma_runner, z3_solver
from filterproof_proofs.smt.cvc5_solver import SecondOpinion, SolverError, SolverMissing
from filterproof_proofs.smt.entry import Entry, Outcome, Verdict
from filterproof_proofs.smt.lemmas import LEMMAS
from filterproof_proofs.smt.lemmas.constraint import constraint_step
from filterproof_proofs.smt.lemmas.hockey import dp_implies_tail
from filterproof_proofs.smt.smtlib import Table
from filterproof_proofs.smt.statement import Lemma, Sentence, Statement, lemma

PATIENCE = 60.0
x, y = z3.Reals("x y")
FALSE = "(set-logic ALL) (declare-fun x () Real) (assert (< x x)) (check-sat)"
TRUE = "(set-logic ALL) (declare-fun x () Real) (assert (< 0.0 x)) (check-sat)"
SITS = [[z3.Bool(f"pigeon{i}_hole{j}") for j in range(10)] for i in range(11)]
PIGEONS = Statement(  # a question that no solver of this kind answers soon
    [z3.Or(row) for row in SITS],
    z3.Or([z3.And(a[j], b[j]) for a, b in combinations(SITS, 2) for j in range(10)]),
)


@pytest.fixture(scope="module")
def cvc5() -> Iterator[SecondOpinion]:
    with SecondOpinion(PATIENCE) as opinion:
        yield opinion


def test_every_lemma_and_every_control_comes_out_as_it_must_by_both_solvers() -> None:
    seen: list[Entry] = []
    entries = lemma_runner.run(second_opinion=True, on_event=seen.append)
    assert [entry.label for entry in entries if not entry.as_expected] == []
    assert lemma_runner.as_expected(entries)
    assert seen == entries
    assert [entry.label for entry in entries] == [each.label for each in LEMMAS]
    outcomes = [o for entry in entries for o in (entry.outcome, *entry.controls)]
    for outcome in outcomes:
        answer = "unsat" if outcome.verdict is Verdict.PROVED else "sat"
        assert outcome.answers == {"z3": answer, "cvc5": answer}
        assert bool(outcome.model) == (outcome.verdict is Verdict.REFUTED)
    audited = {entry.label for entry in entries if entry.outcome.audit}
    assert audited == {
        "theorem_with_two_rounds",
        "theorem_with_three_rounds",
        "advanced_delta_test_as_printed",
        "naive_filter",
    }


def test_without_a_second_opinion_only_the_first_solver_is_asked() -> None:
    (entry,) = lemma_runner.run(second_opinion=False, lemmas=[constraint_step])
    assert entry.outcome.answers == {"z3": "unsat"}
    assert entry.as_expected
    assert entry.seconds > 0


# --- verdicts ---


@pytest.mark.parametrize(
    ("z3_says", "cvc5_says", "verdict"),
    [
        ("unsat", "unsat", Verdict.PROVED),
        ("unsat", "sat", Verdict.DISAGREEMENT),
        ("sat", "unsat", Verdict.DISAGREEMENT),
        ("unsat", "unknown", Verdict.UNKNOWN),
        ("unknown", "unsat", Verdict.UNKNOWN),
        ("unknown", "unknown", Verdict.UNKNOWN),
        ("sat", "unknown", Verdict.UNKNOWN),
        ("sat", "sat", Verdict.REFUTED),
    ],
)
def test_a_verdict_needs_both_solvers(z3_says: str, cvc5_says: str, verdict: Verdict) -> None:
    answers = {"z3": z3_says, "cvc5": cvc5_says}
    assert lemma_runner.judge(TRUE, answers, {"x": Fraction(1)}) is verdict


@pytest.mark.parametrize("value", [Fraction(0), Fraction(-1), True])
def test_a_model_that_does_not_satisfy_the_text_refutes_nothing(value: Fraction | bool) -> None:
    verdict = lemma_runner.judge(
        "(assert (< 0.0 x)) (assert (< x 1.0))", {"z3": "sat"}, {"x": value}
    )
    assert verdict is Verdict.UNKNOWN


def test_a_text_that_cannot_be_evaluated_refutes_nothing() -> None:
    assert lemma_runner.judge("(assert (sqrt 2.0))", {"z3": "sat"}, {}) is Verdict.UNKNOWN


def test_an_irrational_model_refutes_nothing() -> None:
    outcome = lemma_runner.decide("x² is never 2", Statement([], x * x != 2), Verdict.REFUTED, None)
    assert (outcome.answers, outcome.verdict) == ({"z3": "sat"}, Verdict.UNKNOWN)
    assert outcome.model == {}


def test_premises_that_nothing_satisfies_make_a_lemma_vacuous_not_proved() -> None:
    outcome = lemma_runner.decide(
        "anything", Statement([x < 0, x > 0], y == 1), Verdict.PROVED, None
    )
    assert outcome.verdict is Verdict.VACUOUS
    assert not outcome.as_expected


def test_a_lemma_without_controls_is_never_as_expected() -> None:
    bare = replace(constraint_step, build=lambda: Sentence(Statement([x > 1], x > 0), {}))
    entry = lemma_runner.examine(bare)
    assert entry.outcome.as_expected
    assert not entry.as_expected


def test_a_control_that_is_not_caught_turns_the_lemma_red() -> None:
    claim = Sentence(Statement([x > 1], x > 0), {"no change at all": Statement([x > 1], x > 0)})
    entry = lemma_runner.examine(replace(constraint_step, build=lambda: claim))
    assert entry.outcome.as_expected
    assert not entry.as_expected
    assert not lemma_runner.as_expected([entry])


def test_a_refuted_lemma_shows_its_numbers() -> None:
    outcome = lemma_runner.examine(dp_implies_tail).outcome
    assert outcome.verdict is Verdict.REFUTED
    assert all(Fraction(number) >= 0 for number in outcome.model.values())
    assert set(outcome.model) >= {"delta", "p0", "z0"}


def test_a_function_in_a_model_is_shown_as_a_table() -> None:
    table = Table({(Fraction(1, 2),): Fraction(3)}, Fraction(0))
    assert lemma_runner.readable({"Phi": table}) == {"Phi": "{1/2: 3; else: 0}"}


def test_a_lemma_must_say_what_it_states() -> None:
    def unexplained() -> Sentence:
        return Sentence(Statement([], x == x), {})

    with pytest.raises(ValueError, match="lemma unexplained must say in words"):
        lemma("nowhere")(unexplained)


def test_an_outcome_knows_whether_it_is_the_expected_one() -> None:
    outcome = Outcome("words", Verdict.PROVED, Verdict.UNKNOWN, {}, {}, 0.0)
    assert not outcome.as_expected
    assert replace(outcome, verdict=Verdict.PROVED).as_expected


# --- the second opinion ---


def test_the_second_solver_answers_in_order(cvc5: SecondOpinion) -> None:
    answers = []
    for text in (FALSE, TRUE, FALSE):
        cvc5.ask(text)
        answers.append(cvc5.answer())
    assert answers == ["unsat", "sat", "unsat"]


def test_a_question_beyond_the_effort_is_unknown() -> None:
    assert cvc5_solver.decide(PIGEONS.negation(), effort=1000).startswith("unknown")


def test_a_process_that_hangs_is_replaced_and_the_next_question_answered() -> None:
    with SecondOpinion(patience=0.0, effort=10**9) as impatient:
        impatient.ask(PIGEONS.negation())
        assert impatient.answer() == "unknown"
        impatient.patience = PATIENCE
        impatient.ask(FALSE)
        assert impatient.answer() == "unsat"


def test_text_the_second_solver_cannot_read_is_an_error_not_an_answer() -> None:
    with SecondOpinion(PATIENCE) as opinion:
        opinion.ask("(assert (nonsense")
        with pytest.raises(SolverError, match="cvc5 said: error"):
            opinion.answer()


@pytest.mark.parametrize("package", ["z3", "cvc5"])
def test_a_missing_solver_is_named_with_the_cure(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "filterproof_proofs.smt.cvc5_solver.find_spec",
        lambda name: None if name == package else find_spec(name),
    )
    with pytest.raises(SolverMissing, match=rf"{package} is not installed.*filterproof\[proofs\]"):
        lemma_runner.run(lemmas=[constraint_step])


def test_the_first_solver_reads_the_text_alone() -> None:
    assert z3_solver.decide(TRUE, PATIENCE)[0] == "sat"
    assert z3_solver.decide(FALSE, PATIENCE) == ("unsat", {})


def test_a_mutated_lemma_says_what_the_control_says() -> None:
    control = next(iter(constraint_step.build().controls))
    mutant: Lemma = constraint_step.mutate(control)
    assert mutant.label == constraint_step.label
    assert lemma_runner.examine(mutant).outcome.verdict is Verdict.REFUTED
