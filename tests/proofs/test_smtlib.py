"""The evaluator that models must pass: it agrees with Z3, and it guesses nothing."""

from fractions import Fraction

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from filterproof_proofs.smt.smtlib import NotEvaluable, Table, evaluate, parse, satisfies
from filterproof_proofs.smt.statement import Statement

run = settings(deadline=None, derandomize=True, max_examples=60)
fractions = st.fractions(min_value=-3, max_value=3, max_denominator=4)
x, y, flag = z3.Real("x"), z3.Real("y"), z3.Bool("flag")
numbers = st.recursive(
    st.one_of(st.just(x), st.just(y), fractions.map(lambda f: z3.RealVal(str(f)))),
    lambda part: st.one_of(
        st.builds(lambda a, b: a + b, part, part),
        st.builds(lambda a, b: a - b, part, part),
        st.builds(lambda a, b: a * b, part, part),
        st.builds(lambda a: a / 3, part),
        st.builds(lambda a: -a, part),
        st.builds(lambda a, b: z3.If(z3.Or(flag, a <= b), a, b), part, part),
    ),
    max_leaves=8,
)
truths = st.recursive(
    st.one_of(
        st.just(flag),
        st.builds(lambda a, b: a <= b, numbers, numbers),
        st.builds(lambda a, b: a == b, numbers, numbers),
        st.builds(lambda a, b: z3.Distinct(a, b), numbers, numbers),
    ),
    lambda part: st.one_of(
        st.builds(z3.And, part, part),
        st.builds(z3.Or, part, part),
        st.builds(z3.Implies, part, part),
        st.builds(z3.Not, part),
        st.builds(lambda a, b: a == b, part, part),
    ),
    max_leaves=6,
)


@given(truths, fractions, fractions, st.booleans())
@run
def test_the_evaluator_agrees_with_z3(
    formula: z3.BoolRef, a: Fraction, b: Fraction, c: bool
) -> None:
    values = [(x, z3.RealVal(str(a))), (y, z3.RealVal(str(b))), (flag, z3.BoolVal(c))]
    truth = z3.is_true(z3.simplify(z3.substitute(formula, *values)))
    text = Statement([formula], z3.BoolVal(True)).premises()
    assert satisfies(text, {"x": a, "y": b, "flag": c}) == truth


@pytest.mark.parametrize(
    ("text", "model", "truth"),
    [
        ("(assert (= (f x) 2.0))", {"f": Table({(Fraction(1),): Fraction(2)}), "x": 1}, True),
        ("(assert (= (f x) 2.0))", {"f": Table({(Fraction(1),): Fraction(2)}), "x": 3}, False),
        ("(assert (forall ((z Real)) (or (<= z h) (> z h))))", {"h": 1}, True),
        ("(assert (forall ((z Real)) (<= z h)))", {"h": 1}, False),
        ("(assert (exists ((z Real)) (and (< a z) (< z b))))", {"a": 0, "b": 1}, True),
        ("(assert (exists ((z Real)) (and (< a z) (< z b))))", {"a": 1, "b": 1}, False),
        ("(assert (forall ((g Real)) (=> (< h g) (exists ((z Real)) (and (< h z) (< z g))))))",
         {"h": 0}, True),
        ("(assert (forall ((g Real)) (exists ((z Real)) (and (< h z) (< z g)))))", {"h": 0}, False),
        ("(assert (forall ((a Real) (b Real)) (or (<= a b) (< b a))))", {}, True),
        ("(assert (exists ((a Real) (b Real)) (and (< h a) (< a b) (< b 1.0))))", {"h": 0}, True),
        ("(assert (exists ((a Real) (b Real)) (and (< h a) (< a b) (< b 1.0))))", {"h": 1}, False),
        ("(declare-fun free () Real) (assert (= free 0.0))", {}, True),
        ("(declare-fun |P(1, ask 2)| () Real) (assert (< |P(1, ask 2)| 1.0))", {}, True),
    ],
)  # fmt: skip
def test_functions_and_quantifiers_are_decided(
    text: str, model: dict[str, Table | int], truth: bool
) -> None:
    exact = {name: v if isinstance(v, Table) else Fraction(v) for name, v in model.items()}
    assert satisfies(text, exact) == truth


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(assert (< x 1.0))", "unknown symbol 'x'"),
        ("(assert (sqrt 2.0))", "unknown function 'sqrt'"),
        ("(assert (< (/ 1.0 0.0) 1.0))", "division by zero"),
        ("(assert ((lambda) 1.0))", "a function must be named"),
        ("(assert (forall ((z Real)) (< (* 2.0 z) z)))", "'z' is not only compared"),
        ("(assert (forall ((z Real)) (let ((a (+ 1.0 1.0))) (< z a))))", "not only compared"),
        ("(assert true", "never closed"),
        ("(assert true))", "never opened"),
    ],
)
def test_what_cannot_be_evaluated_is_an_error_never_a_guess(text: str, reason: str) -> None:
    with pytest.raises(NotEvaluable, match=reason):
        satisfies(text, {})


def test_a_chain_of_comparisons_compares_neighbours() -> None:
    (term,) = parse("(<= 0.0 1.0 1.0)")
    assert evaluate(term, {}) is True
    (term,) = parse("(< 0.0 1.0 1.0)")
    assert evaluate(term, {}) is False
