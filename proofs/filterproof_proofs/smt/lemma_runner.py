"""Runs every lemma and every control, with two solvers, and says what came out.

A statement is *proved* when each solver asked says that its negation has no model, and its
premises have one. It is *refuted* when a model was found whose numbers, put back into the
text with fractions, make every assertion true, and no solver objects. Anything less is shown
as what it is: `unknown`, `vacuous`, or a `disagreement`.

The solvers are imported when `run` is called, not before.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from filterproof.certificate import NotCertifiable
from filterproof_proofs.checker import Rejected
from filterproof_proofs.smt.cvc5_solver import SecondOpinion, require
from filterproof_proofs.smt.entry import Entry, Outcome, Verdict
from filterproof_proofs.smt.smtlib import Model, NotEvaluable, Table, Value, satisfies

if TYPE_CHECKING:
    from filterproof_proofs.smt.statement import Lemma, Statement

PATIENCE = 60.0  # seconds after which a solver that has not answered is given up


def ignore(entry: Entry) -> None:
    """Do nothing with an entry: the listener where nobody listens."""


def run(
    second_opinion: bool = True,
    on_event: Callable[[Entry], object] = ignore,
    lemmas: "Iterable[Lemma] | None" = None,
) -> list[Entry]:
    """Examine the lemmas, all of them unless some are named, and report each as it is done."""
    require("z3")
    if lemmas is None:
        from filterproof_proofs.smt.lemmas import LEMMAS

        lemmas = LEMMAS
    if not second_opinion:
        return [_tell(examine(each, None), on_event) for each in lemmas]
    with SecondOpinion(PATIENCE) as second:
        return [_tell(examine(each, second), on_event) for each in lemmas]


def _tell(entry: Entry, on_event: Callable[[Entry], object]) -> Entry:
    on_event(entry)
    return entry


def as_expected(entries: Iterable[Entry]) -> bool:
    """Say whether every lemma and every control came out as it must."""
    return all(entry.as_expected for entry in entries)


def examine(lemma: "Lemma", second: SecondOpinion | None = None) -> Entry:
    """Decide a lemma and its controls; a control must get the opposite verdict."""
    claim = lemma.build()
    outcome = decide(lemma.words, claim.statement, lemma.expected, second)
    controls = tuple(
        decide(words, statement, lemma.expected.opposite, second)
        for words, statement in claim.controls.items()
    )
    return Entry(lemma.label, lemma.area, lemma.place, outcome, controls)


def decide(
    words: str, statement: "Statement", expected: Verdict, second: SecondOpinion | None
) -> Outcome:
    """Put one statement to the solvers."""
    started = time.perf_counter()
    text = statement.negation()
    answers, model = _answers(text, second)
    verdict = judge(text, answers, model)
    if verdict is Verdict.PROVED and not _satisfiable(statement.premises()):
        verdict = Verdict.VACUOUS
    audited = ""
    if verdict is Verdict.REFUTED and statement.audit is not None:
        verdict, audited = _verdict_of_audit(statement.audit, model)
    shown = readable(model, statement.shown) if verdict is Verdict.REFUTED else {}
    seconds = time.perf_counter() - started
    return Outcome(words, expected, verdict, answers, shown, seconds, audited)


def _verdict_of_audit(audit: Callable[[Model], str], model: Model) -> tuple[Verdict, str]:
    """A counterexample that the audit cannot certify is not believed."""
    try:
        return Verdict.REFUTED, audit(model)
    except (NotCertifiable, Rejected) as error:
        return Verdict.UNKNOWN, f"not certified: {error}"


def _answers(text: str, second: SecondOpinion | None) -> tuple[dict[str, str], Model]:
    """Ask both at once: the second solver works while the first does."""
    from filterproof_proofs.smt import z3_solver

    if second is None:
        said, model = z3_solver.decide(text, PATIENCE)
        return {"z3": said}, model
    second.ask(text)
    said, model = z3_solver.decide(text, PATIENCE)
    return {"z3": said, "cvc5": second.answer()}, model


def judge(text: str, answers: Mapping[str, str], model: Model) -> Verdict:
    """Turn the answers about a negated statement into a verdict.

    >>> judge("", {"z3": "unsat", "cvc5": "unknown"}, {})
    <Verdict.UNKNOWN: 'unknown'>
    >>> judge("", {"z3": "unsat", "cvc5": "sat"}, {})
    <Verdict.DISAGREEMENT: 'disagreement'>
    """
    said = set(answers.values())
    if {"sat", "unsat"} <= said:
        return Verdict.DISAGREEMENT
    if said == {"unsat"}:
        return Verdict.PROVED
    if said == {"sat"} and _holds(text, model):
        return Verdict.REFUTED
    return Verdict.UNKNOWN


def _holds(text: str, model: Model) -> bool:
    """Whether the model makes the text true; a text that cannot be evaluated is not believed."""
    try:
        return satisfies(text, model)
    except NotEvaluable:
        return False


def _satisfiable(text: str) -> bool:
    from filterproof_proofs.smt import z3_solver

    answer, model = z3_solver.decide(text, PATIENCE)
    return answer == "sat" and _holds(text, model)


def readable(model: Model, names: Collection[str] = ()) -> dict[str, str]:
    """A model's numbers, by name, as fractions; all of them, or those that are named.

    >>> from fractions import Fraction
    >>> readable({"theta": Fraction(1, 4), "safe": True})
    {'safe': 'true', 'theta': '1/4'}
    """
    return {name: _value_words(model[name]) for name in sorted(model) if not names or name in names}


def _value_words(value: Value | Table) -> str:
    if isinstance(value, Table):
        entries = [
            f"{', '.join(map(_value_words, k))}: {_value_words(v)}"
            for k, v in value.entries.items()
        ]
        return "{" + "; ".join([*entries, f"else: {_value_words(value.default)}"]) + "}"
    return str(value).lower()
