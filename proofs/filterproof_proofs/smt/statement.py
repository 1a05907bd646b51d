"""How a lemma is written down: premises, a conclusion, and controls that must come out otherwise.

A lemma is a function whose docstring is the statement in words and whose value is a `Sentence`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.smtlib import Model


@dataclass(frozen=True)
class Statement:
    """Whatever satisfies all of `given` satisfies `then`.

    Where there is an `audit`, a counterexample must pass it too; it returns what it found. Of a
    large counterexample only the symbols in `shown` are for people; without them all are.
    """

    given: Sequence[z3.BoolRef]
    then: z3.BoolRef
    logic: str = "ALL"
    audit: Callable[[Model], str] | None = None
    shown: frozenset[str] = frozenset()

    def negation(self) -> str:
        """The SMT-LIB text that is unsatisfiable exactly if the statement holds."""
        return _export([*self.given, z3.Not(self.then)], self.logic)

    def premises(self) -> str:
        """The SMT-LIB text that is satisfiable exactly if the statement is not vacuous."""
        return _export(self.given, self.logic)


@dataclass(frozen=True)
class Sentence:
    """A statement, and its controls: the statement with one thing changed, in words."""

    statement: Statement
    controls: Mapping[str, Statement]


@dataclass(frozen=True)
class Lemma:
    """A claim with its name, the paper's place, and the verdict it must get."""

    label: str
    area: str
    place: str
    words: str
    expected: Verdict
    build: Callable[[], Sentence]
    survives: Mapping[str, str] = field(default_factory=dict)  # a mutant's change -> why it may

    def mutate(self, control: str) -> "Lemma":
        """The same lemma after the change that the control names: it must turn red."""
        claim = self.build()
        changed = replace(claim, statement=claim.controls[control])
        return replace(self, build=lambda: changed)


def lemma(
    place: str, expected: Verdict = Verdict.PROVED, survives: Mapping[str, str] | None = None
) -> Callable[[Callable[[], Sentence]], Lemma]:
    """Turn a function into the lemma of the same name.

    `survives` gives the reason for each of its mutants that comes out as the lemma does (see
    `mutants`): the key is a regular expression for the change.
    """

    def enter(build: Callable[[], Sentence]) -> Lemma:
        words = " ".join((build.__doc__ or "").split())
        if not words:
            raise ValueError(f"lemma {build.__name__} must say in words what it states")
        area = build.__module__.rpartition(".")[2]
        return Lemma(build.__name__, area, place, words, expected, build, survives or {})

    return enter


def _export(formulas: Sequence[z3.BoolRef], logic: str) -> str:
    solver = z3.Solver()
    solver.add(*formulas)
    body = str(solver.to_smt2()).replace("(set-info :status unknown)\n", "")
    return f"(set-logic {logic})\n{body}"


def rational(value: Fraction | int) -> z3.RatNumRef:
    """An exact constant."""
    return z3.RealVal(str(value))


def reals(names: str) -> list[z3.ArithRef]:
    """Real variables, named by one string."""
    return list(z3.Reals(names))


def numbered_reals(name: str, count: int) -> list[z3.ArithRef]:
    """Real variables name0, name1, ..."""
    return [z3.Real(f"{name}{index}") for index in range(count)]


def total(terms: Sequence[z3.ArithRef]) -> z3.ArithRef:
    """The sum of the terms."""
    return z3.Sum(list(terms))


def where(condition: z3.BoolRef, term: z3.ArithRef) -> z3.ArithRef:
    """The term where the condition holds, and zero elsewhere."""
    return z3.If(condition, term, rational(0))


def positive_part(term: z3.ArithRef) -> z3.ArithRef:
    """max(0, term)."""
    return where(term > 0, term)


def probabilities(*terms: z3.ArithRef) -> list[z3.BoolRef]:
    """Each term lies in [0, 1]."""
    return [z3.And(term >= 0, term <= 1) for term in terms]


def nonnegative(*terms: z3.ArithRef) -> list[z3.BoolRef]:
    """No term is negative."""
    return [term >= 0 for term in terms]
