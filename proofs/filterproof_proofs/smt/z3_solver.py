"""The first opinion: Z3, and its model as fractions.

Each question is read from its SMT-LIB text into a context of its own, so that the answer
depends on the text alone and not on what was asked before.
"""

import re
from fractions import Fraction

import z3

from filterproof_proofs.smt.smtlib import Model, Table, Value

LOGIC = re.compile(r"\(set-logic (\w+)\)")


def decide(text: str, patience: float) -> tuple[str, Model]:
    """Return `sat`, `unsat` or `unknown`, and the model where there is one.

    >>> decide("(declare-fun p () Real) (assert (= (* 3.0 p) 1.0))", 5)
    ('sat', {'p': Fraction(1, 3)})
    """
    solver = _solver(text)
    solver.set("timeout", round(1000 * patience))
    solver.from_string(text)
    answer = str(solver.check())
    return answer, (_model(solver.model()) if answer == "sat" else {})


def _solver(text: str) -> z3.Solver:
    context = z3.Context()
    logic = LOGIC.search(text)
    if logic is None or logic[1] == "ALL":
        return z3.Solver(ctx=context)
    return z3.SolverFor(logic[1], ctx=context)


def _model(model: z3.ModelRef) -> Model:
    return {declared.name(): _value_of(model[declared]) for declared in model.decls()}


def _value_of(value: z3.ExprRef | z3.FuncInterp) -> Value | Table:
    if isinstance(value, z3.FuncInterp):
        *entries, default = value.as_list()
        table = {tuple(map(_number, entry[:-1])): _number(entry[-1]) for entry in entries}
        return Table(table, _number(default))
    return _number(value)


def _number(value: z3.ExprRef) -> Value:
    """A truth value or a rational; an irrational root is rounded, and re-evaluation decides."""
    if z3.is_bool(value):
        return bool(z3.is_true(value))
    if z3.is_algebraic_value(value):
        value = value.approx(20)
    return Fraction(value.as_fraction())
