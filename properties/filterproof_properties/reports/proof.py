"""A proof of a filter's code for people and for machines; nothing is computed here."""

from typing import Any

from filterproof.exact import format_epsilon, format_rational
from filterproof_proofs.potential.verdicts import CodeProof, Refutation, Verdict


def as_text(proof: CodeProof) -> str:
    """Return the verdict, what it covers, and a refuted round or the open questions."""
    return "\n".join([f"{proof.target}: {proof.verdict}", *_body(proof), *_work(proof)]) + "\n"


def _body(proof: CodeProof) -> list[str]:
    if proof.verdict is Verdict.PROVED:
        return [
            f"  covered: {proof.covered()}",
            f"  not covered: {proof.not_covered()}",
            f"  why one round is enough: {proof.explanation()}",
        ]
    if proof.refutation is not None:
        return [
            "  one round breaks a rule of a potential; the filter itself computed these numbers:",
            *(f"    {line}" for line in proof.refutation.lines()),
            "  this does not yet break the filter: it says that this potential does not prove it",
        ]
    return [f"  open: {one.where}: {one.question} ({one.seconds:.1f} s)" for one in proof.open]


def _work(proof: CodeProof) -> list[str]:
    parts = [
        f"  {part.shape}: {part.verdict}, {part.paths} paths, {part.questions} questions, "
        f"{part.seconds:.1f} s"
        for part in proof.parts
    ]
    second = proof.second
    cvc5 = f"agrees {second.agreed} times, cannot say {second.unknown} times"
    return [*parts, f"  second opinion (cvc5): {cvc5 if second.asked else 'not asked'}"]


def as_data(proof: CodeProof) -> dict[str, Any]:
    """Return the proof as JSON data; numbers are texts."""
    return {
        "target": proof.target,
        "verdict": str(proof.verdict),
        "covered": proof.covered() if proof.verdict is Verdict.PROVED else None,
        "not_covered": proof.not_covered(),
        "outputs": proof.outputs,
        "databases": proof.databases,
        "seconds": round(proof.seconds, 3),
        "parts": [
            {
                "states": part.shape,
                "verdict": str(part.verdict),
                "paths": part.paths,
                "questions": part.questions,
            }
            for part in proof.parts
        ],
        "second_opinion": {
            "asked": proof.second.asked,
            "agreed": proof.second.agreed,
            "unknown": proof.second.unknown,
        },
        "open": [{"where": one.where, "question": one.question} for one in proof.open],
        "refutation": _refutation(proof.refutation),
    }


def _refutation(found: Refutation | None) -> dict[str, Any] | None:
    if found is None:
        return None
    here = found.round
    return {
        "rule": found.rule,
        "pair": list(found.broken.pair),
        "decision": str(found.broken.decision),
        "left": str(found.broken.left),
        "right": str(found.broken.right),
        "epsilon": format_epsilon(here.epsilon),
        "delta": format_rational(here.delta),
        "index": here.index,
        "state": str(here.state),
        "mass": {x: format_rational(w) for x, w in here.mass.items()},
        "law": {y: {x: format_rational(p) for x, p in row.items()} for y, row in here.law.items()},
    }
