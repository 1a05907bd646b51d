"""Every lemma says something: each change that makes it false turns its entry red."""

from fractions import Fraction
from math import factorial
from pathlib import Path

import pytest

from filterproof.exact import Log
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.repaired import Repaired
from filterproof.witness import worst_case
from filterproof_proofs.smt import lemma_runner, lemmas, z3_solver
from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.jointmass import Rule, Shape, Tree, optimum
from filterproof_proofs.smt.lemmas import LEMMAS, mechanismlevel, trees
from filterproof_proofs.smt.smtlib import Model
from filterproof_proofs.smt.statement import Lemma, rational
from filterproof_proofs.smt.witness import game_of, published_rule_broken

MUTATIONS = [(each, control) for each in LEMMAS for control in each.build().controls]
SHAPES = [(trees.TWO_ROUNDS, trees.QUARTER), (trees.THREE_ROUNDS, trees.THIRTIETH)]
ISSUE_AREAS = {
    "constraint": "the parameter constraint",
    "deltahat": "delta-hat against the check",
    "stopping": "T = 0",
    "onestep": "one-step inequalities",
    "hockey": "hockey-stick and tail",
    "gaussian": "kappa and i.i.d. thresholds",
    "mechanismlevel": "additive, Renyi, advanced, naive",
    "compensator": "charges and budgets",
    "trees": "whole games",
}


def test_every_area_has_lemmas() -> None:
    assert {each.area for each in LEMMAS} == set(ISSUE_AREAS)


def test_every_file_of_lemmas_is_listed() -> None:
    files = {path.stem for path in Path(lemmas.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {area.__name__.rpartition(".")[2] for area in lemmas.AREAS}


def test_names_are_unique() -> None:
    assert len({each.label for each in LEMMAS}) == len(LEMMAS)


@pytest.mark.parametrize("each", LEMMAS, ids=lambda each: each.label)
def test_a_lemma_has_words_a_place_and_a_control(each: Lemma) -> None:
    assert each.words.endswith(".")
    assert each.place
    assert each.build().controls
    assert each.expected in (Verdict.PROVED, Verdict.REFUTED)


@pytest.mark.parametrize(
    ("each", "control"), MUTATIONS, ids=[f"{each.label}: {words}" for each, words in MUTATIONS]
)
def test_a_change_that_makes_a_lemma_false_turns_it_red(each: Lemma, control: str) -> None:
    assert not lemma_runner.examine(each.mutate(control)).outcome.as_expected


# --- whole games ---


@pytest.mark.parametrize(
    ("shape", "theta", "rule", "best"),
    [
        (trees.TWO_ROUNDS, trees.QUARTER, Rule.PUBLISHED, Fraction(3, 4)),
        (trees.TWO_ROUNDS, trees.QUARTER, Rule.REPAIRED, Fraction(1, 4)),
        (trees.THREE_ROUNDS, trees.THIRTIETH, Rule.PUBLISHED, Fraction(29, 225)),
        (trees.THREE_ROUNDS, trees.THIRTIETH, Rule.REPAIRED, Fraction(59, 900)),
    ],
)
def test_the_optimiser_finds_the_optimum_that_the_ledger_proves(
    shape: Shape, theta: Fraction, rule: Rule, best: Fraction
) -> None:
    assert optimum(trees.tree(shape, rule, theta)) == best


def test_the_optimum_at_a_positive_delta_tilde_is_the_sharp_constant() -> None:
    delta_tilde = Fraction(1, 10)
    games = trees.tree(trees.TWO_ROUNDS, Rule.REPAIRED, trees.QUARTER, delta_tilde)
    assert optimum(games) == 1 - (1 - delta_tilde) * (1 - trees.QUARTER) == Fraction(13, 40)


def a_game_that_reaches(bound: Fraction, games: Tree) -> Model:
    answer, model = z3_solver.decide(trees.below(bound, games).negation(), patience=60)
    assert answer == "sat"
    return model


@pytest.mark.parametrize(
    ("shape", "theta", "best"),
    [
        (trees.TWO_ROUNDS, trees.QUARTER, Fraction(3, 4)),
        (trees.THREE_ROUNDS, trees.THIRTIETH, Fraction(29, 225)),
    ],
)
def test_the_audit_agrees_with_the_encoding_on_the_published_rules_worst_game(
    shape: Shape, theta: Fraction, best: Fraction
) -> None:
    games = trees.tree(shape, Rule.PUBLISHED, theta)
    game = game_of(games, a_game_that_reaches(best, games))
    promised = theta * shape.rounds
    rule = Algorithm1(
        Log(Fraction(2)), promised, N=shape.rounds, theta=theta, delta_tilde=Fraction(0)
    )
    assert worst_case(rule, game, Log(Fraction(2))).value == best > promised


@pytest.mark.parametrize(("shape", "theta"), SHAPES)
def test_the_audit_agrees_with_the_encoding_on_the_repaired_rules_worst_game(
    shape: Shape, theta: Fraction
) -> None:
    best = 1 - (1 - theta) ** (shape.rounds - 1)
    games = trees.tree(shape, Rule.REPAIRED, theta)
    game = game_of(games, a_game_that_reaches(best, games))
    rule = Repaired(
        Log(Fraction(2)),
        theta * shape.rounds,
        N=shape.rounds,
        theta=theta,
        delta_tilde=Fraction(0),
    )
    assert worst_case(rule, game, Log(Fraction(2))).value == best


def test_the_repaired_rule_stops_the_game_that_breaks_the_published_one() -> None:
    games = trees.tree(trees.TWO_ROUNDS, Rule.PUBLISHED, trees.QUARTER)
    model = a_game_that_reaches(Fraction(3, 4), games)
    half = Fraction(1, 2)
    rule = Repaired(Log(Fraction(2)), half, N=2, theta=trees.QUARTER, delta_tilde=Fraction(0))
    assert "not (log(2), 1/2)-DP" in published_rule_broken(games, model, half)
    assert worst_case(rule, game_of(games, model), Log(Fraction(2))).value <= half


def test_a_counterexample_the_audit_cannot_certify_is_not_believed() -> None:
    """Leave out the rule, and the encoding's models are no games that break it."""
    games = trees.tree(trees.TWO_ROUNDS, Rule.PUBLISHED, trees.QUARTER)
    honest = trees.promised(games)
    silent = [games.P[h] * 2 == games.Q[h] for h in games.P if h]
    loose = type(honest)([*games.laws(), *silent], rational(0) > 1, honest.logic, honest.audit)
    outcome = lemma_runner.decide("any game at all", loose, Verdict.REFUTED, None)
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.audit.startswith("not certified: H = ")


# --- numbers that the lemmas lean on ---


def test_the_odds_of_the_advanced_lemma_lie_above_e_cubed() -> None:
    """So ε_1 = log 21 > 3, by the series of e³ and a geometric bound on its tail."""
    terms = [Fraction(3**n, factorial(n)) for n in range(13)]
    tail = Fraction(3**13, factorial(13)) / (1 - Fraction(3, 14))
    assert sum(terms) + tail < mechanismlevel.ODDS
