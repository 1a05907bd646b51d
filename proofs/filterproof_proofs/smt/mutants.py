"""Every lemma changed by machine, and what becomes of it: killed, or survived with a reason.

A proved lemma loses each of its hypotheses in turn, and its inequality is made strict; a mutant
that is still proved shows that the lemma assumes what it does not need, or says less than holds.
A refuted lemma has its conclusion weakened, an inequality by a factor of two and an equation to
either side; a mutant that is still refuted shows that more than the lemma is false.  Last, a lemma
must not follow by simplification alone.

What survives has a reason beside the lemma (`survives`), and no reason stands there without a
mutant.  One reason is given once for all: a hypothesis that says what a symbol is (`is_setting`),
a probability, a mass, a law that adds up, may be spare in a proof, since every counterexample to a
control obeys it too.  Those are dropped one after another and stay out while the lemma is proved,
so that those called spare are spare all at once.  `python -m filterproof_proofs.smt.mutants` prints
docs/internals/LEMMAS.md.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import z3

from filterproof_proofs.smt import lemma_runner
from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import Lemma, Statement

Change = tuple[str, Statement]
STRICT: Mapping[int, Callable[[z3.ArithRef, z3.ArithRef], z3.BoolRef]] = {
    z3.Z3_OP_LE: lambda a, b: a < b,
    z3.Z3_OP_GE: lambda a, b: a > b,
}
COMPARED = {z3.Z3_OP_LE, z3.Z3_OP_GE, z3.Z3_OP_LT, z3.Z3_OP_GT, z3.Z3_OP_EQ}
SIMPLER = "by simplification alone"


class Unexplained(Exception):
    """Mutants that survive without a reason, or reasons without a mutant."""


# --- the mutants ----------------------------------------------------------------------------


def changes(lemma: Lemma) -> list[Change]:
    """Return the lemma's mutants: what is changed, and the statement after it."""
    statement = replace(lemma.build().statement, audit=None)
    if lemma.expected is Verdict.REFUTED:
        return [*_weaker_conclusions(statement)]
    return [
        *_without_hypotheses(statement, is_setting),
        *_without_hypotheses(statement, _is_more),
        *_strict_conclusions(statement),
    ]


def hypotheses(statement: Statement) -> list[z3.BoolRef]:
    """Return what a statement assumes, conjunctions taken apart."""
    return [part for formula in statement.given for part in _conjuncts(formula)]


def _conjuncts(formula: z3.BoolRef) -> list[z3.BoolRef]:
    if not z3.is_and(formula):
        return [formula]
    return [part for child in formula.children() for part in _conjuncts(child)]


def _without_hypotheses(
    statement: Statement, which: Callable[[z3.BoolRef], bool]
) -> Iterator[Change]:
    given = hypotheses(statement)
    for number, hypothesis in enumerate(given):
        if which(hypothesis):
            rest = [*given[:number], *given[number + 1 :]]
            yield f"without {formula_line(hypothesis)}", replace(statement, given=rest)


def _strict_conclusions(statement: Statement) -> Iterator[Change]:
    parts = _conjuncts(statement.then)
    for number, part in enumerate(parts):
        if (kind := _kind(part)) in STRICT:
            sharp = STRICT[kind](*part.children())
            then = z3.And([*parts[:number], sharp, *parts[number + 1 :]])
            yield f"strictly {formula_line(sharp)}", replace(statement, then=then)


def _weaker_conclusions(statement: Statement) -> Iterator[Change]:
    kind, sides = _kind(statement.then), statement.then.children()
    if kind not in (z3.Z3_OP_LE, z3.Z3_OP_GE, z3.Z3_OP_EQ) or z3.is_bool(sides[0]):
        return
    left, right = sides
    weaker = {
        z3.Z3_OP_LE: [left <= 2 * right],
        z3.Z3_OP_GE: [2 * left >= right],
        z3.Z3_OP_EQ: [left <= right, left >= right],
    }
    for one in weaker[kind]:
        yield f"only {formula_line(one)}", replace(statement, then=one)


def _kind(formula: z3.BoolRef) -> int:
    """The operator at the top; a quantifier has none."""
    return int(formula.decl().kind()) if z3.is_app(formula) else z3.Z3_OP_UNINTERPRETED


def formula_line(formula: z3.BoolRef) -> str:
    """Write a formula in one line.

    >>> x = z3.Real("x")
    >>> formula_line(z3.And(x >= 0, x <= 1))
    'And(x >= 0, x <= 1)'
    """
    return " ".join(str(formula).split())


def is_setting(hypothesis: z3.BoolRef) -> bool:
    """Whether a hypothesis only says what a symbol is: a range, or what some masses add up to.

    >>> x, y = z3.Reals("x y")
    >>> is_setting(x >= 0), is_setting(x + y == 1), is_setting(x == 0), is_setting(x <= y)
    (True, True, False, False)
    """
    if _kind(hypothesis) not in COMPARED:
        return False
    equation = _kind(hypothesis) == z3.Z3_OP_EQ
    one, other = sorted(hypothesis.children(), key=z3.is_rational_value)
    if z3.is_rational_value(other):
        return _is_sum(one) or (_is_symbol(one) and not equation)
    return equation and any(_is_sum(a) and _is_symbol(b) for a, b in ((one, other), (other, one)))


def _is_more(hypothesis: z3.BoolRef) -> bool:
    return not is_setting(hypothesis)


def _is_symbol(term: z3.ExprRef) -> bool:
    return z3.is_const(term) and not z3.is_rational_value(term)


def _is_sum(term: z3.ExprRef) -> bool:
    return z3.is_add(term) and all(map(_is_symbol, term.children()))


def is_trivial(statement: Statement) -> bool:
    """Whether solving equations and simplifying is all the proof there is."""
    simplify = z3.With("simplify", som=True, arith_lhs=True)
    tactic = z3.Then(simplify, "propagate-values", "solve-eqs", simplify, "propagate-values")
    goal = z3.Goal()
    goal.add(*statement.given, z3.Not(statement.then))
    return all(part.inconsistent() for part in tactic(goal))


# --- what becomes of them -------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A lemma's line of the table."""

    lemma: Lemma
    killed: int
    setting: int  # hypotheses that say what a symbol is, spare all at once
    reasons: Mapping[str, int]  # why others survive, and how many

    def __str__(self) -> str:
        why = "; ".join(f"{count}: {reason}" for reason, count in self.reasons.items()) or "-"
        counts = f"{self.killed} | {self.setting}"
        words = self.lemma.words.replace("|", "\\|")
        return f"| `{self.lemma.label}` | {words} | {self.lemma.expected} | {counts} | {why} |"


def row(lemma: Lemma) -> Row:
    """Put every mutant of a lemma to the first solver, and account for each that survives."""
    statement = replace(lemma.build().statement, audit=None)
    proved = lemma.expected is Verdict.PROVED
    killed, spare = _count_needed(statement) if proved else (0, 0)
    survivors = [SIMPLER] if proved and is_trivial(statement) else []
    for change, mutant in changes(lemma)[killed + spare :]:
        if _verdict(mutant, lemma.expected.opposite) is lemma.expected.opposite:
            killed += 1
        else:
            survivors.append(change)
    return Row(lemma, killed, spare, _reasons(lemma, survivors))


def _count_needed(statement: Statement) -> tuple[int, int]:
    """How much of the setting a proof needs, and how much it does without, all at once."""
    setting = [one for one in hypotheses(statement) if is_setting(one)]
    given = [one for one in hypotheses(statement) if not is_setting(one)]
    kept: list[z3.BoolRef] = []
    for number, _ in enumerate(setting):
        rest = [*given, *kept, *setting[number + 1 :]]
        verdict = _verdict(replace(statement, given=rest), Verdict.REFUTED)
        if verdict not in (Verdict.PROVED, Verdict.REFUTED):
            raise Unexplained(f"{verdict} without {formula_line(setting[number])}")
        if verdict is Verdict.REFUTED:
            kept.append(setting[number])
    return len(kept), len(setting) - len(kept)


def _verdict(mutant: Statement, expected: Verdict) -> Verdict:
    return lemma_runner.decide("", mutant, expected, None).verdict


def _reasons(lemma: Lemma, survivors: Iterable[str]) -> dict[str, int]:
    used: Counter[str] = Counter()
    for change in survivors:
        found = [pattern for pattern in lemma.survives if re.search(pattern, change)]
        if not found:
            raise Unexplained(f"{lemma.label}: no reason is given why it holds {change[:200]}")
        used[found[0]] += 1
    if idle := lemma.survives.keys() - used.keys():
        raise Unexplained(f"{lemma.label}: nothing survives for the reason at {sorted(idle)}")
    return {lemma.survives[pattern]: count for pattern, count in used.items()}


HEAD = """\
# The lemmas, changed by machine

Made by `make lemmas`; `filterproof prove` decides the lemmas themselves, with two solvers and
controls. Here each lemma is changed by machine and put to Z3 again. Of a *proved* lemma each
hypothesis is dropped in turn and the inequality made strict; the mutant is *killed* if it is
refuted. Of a *refuted* lemma the conclusion is weakened (an inequality by a factor of two, an
equation to either side); the mutant is killed if it is proved.

*Setting* counts the spare hypotheses that only say what a symbol is (a probability, a mass, a law
that adds up): the lemma is proved without all of them at once, and the counterexamples to the
controls obey them. Whatever else *survived* has its reason beside the lemma in the source. A lemma
that follows by simplification alone would be trivial, and has to say why it stands here.

| lemma | says | verdict | killed | setting | survived, and why |
|---|---|---|---|---|---|
"""


def table(lemmas: Iterable[Lemma], tell: Callable[[str], object] = lambda _: None) -> str:
    """Return docs/internals/LEMMAS.md; raise if something survives without a reason."""
    rows = []
    for lemma in lemmas:
        rows.append(row(lemma))
        tell(lemma.label)
    killed, spare = sum(one.killed for one in rows), sum(one.setting for one in rows)
    reasoned = sum(sum(one.reasons.values()) for one in rows)
    total = f"{len(rows)} lemmas, {killed + spare + reasoned} mutants"
    closing = f"\n{total}: {killed} killed, {spare} of the setting, {reasoned} with a reason.\n"
    return HEAD + "".join(f"{one}\n" for one in rows) + closing


if __name__ == "__main__":
    from filterproof_proofs.smt.lemmas import LEMMAS

    sys.stdout.write(table(LEMMAS, lambda label: sys.stderr.write(f"{label}\n")))
