"""The quantity δ̂ and the check of `eq: better check`, as published and as repaired.

`p0, p1, ...` are the probabilities of the outputs y_i and `t0_1` is the risk after output 0 under
request 1, that is P_x(L_{i+1} > ε - l^(i)). One ordered pair is enough: others only add conditions.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Sentence,
    Statement,
    lemma,
    numbered_reals,
    probabilities,
    rational,
    reals,
    total,
    where,
)

delta_tilde, theta, h = reals("delta_tilde theta h")
Risks = Sequence[Sequence[z3.ArithRef]]
Check = Callable[[z3.ArithRef], z3.BoolRef]
Below = Callable[[z3.ArithRef, z3.ArithRef], z3.BoolRef]


def at_most(risk: z3.ArithRef, z: z3.ArithRef) -> z3.BoolRef:
    """The comparison in the paper's set of safe outputs."""
    return risk <= z


def less_than(risk: z3.ArithRef, z: z3.ArithRef) -> z3.BoolRef:
    """A comparison that would have been a mistake there."""
    return risk < z


def setting(outputs: int, requests: int) -> tuple[list[z3.BoolRef], list[z3.ArithRef], Risks]:
    """A distribution over the outputs and a risk for each output and request."""
    law = numbered_reals("p", outputs)
    risks = [numbered_reals(f"t{y}_", requests) for y in range(outputs)]
    flat = [risk for row in risks for risk in row]
    given = [*probabilities(delta_tilde, theta, *law, *flat), total(law) == 1]
    return given, law, risks


def published(law: Sequence[z3.ArithRef], risks: Risks, below: Below = at_most) -> Check:
    """For every request: the outputs that are safe for it have probability at least 1-θ."""

    def check(z: z3.ArithRef) -> z3.BoolRef:
        columns = zip(*risks, strict=True)
        safe = [[where(below(t, z), p) for p, t in zip(law, column, strict=True)]
                for column in columns]  # fmt: skip
        return z3.And([total(masses) >= 1 - theta for masses in safe])

    return check


def repaired(law: Sequence[z3.ArithRef], risks: Risks, below: Below = at_most) -> Check:
    """The outputs that are safe for every request at once have probability at least 1-θ."""

    def check(z: z3.ArithRef) -> z3.BoolRef:
        safe = [where(z3.And([below(t, z) for t in row]), p)
                for p, row in zip(law, risks, strict=True)]  # fmt: skip
        return total(safe) >= 1 - theta

    return check


def is_infimum(check: Check) -> z3.BoolRef:
    """h is the infimum of the z in [0, 1] that pass: a lower bound, and no larger number is one."""
    z, g, better = reals("z g better")

    def passes(z: z3.ArithRef) -> z3.BoolRef:
        return z3.And(z >= 0, z <= 1, check(z))

    lower = z3.ForAll([z], z3.Implies(passes(z), h <= z))
    closer = z3.Exists([better], z3.And(passes(better), better < g))
    return z3.And(lower, z3.ForAll([g], z3.Implies(h < g, closer)))


def infimum_claim(rule: Callable[..., Check]) -> Sentence:
    """δ̂ <= δ̃ exactly if the check at δ̃ passes; with a strict comparison it would be false."""
    given, law, risks = setting(outputs=2, requests=2)

    def says(below: Below, *more: z3.BoolRef) -> Statement:
        check = rule(law, risks, below)
        equivalent = (h <= delta_tilde) == check(delta_tilde)
        return Statement([*given, *more, is_infimum(check)], equivalent)

    # where to look for the counterexample: one output is certain
    hint = [delta_tilde == rational(Fraction(1, 2)), theta == 0, law[0] == 1]
    return Sentence(says(at_most), {"safe outputs have risk < z, not <= z": says(less_than, *hint)})


@lemma("`eq: delta hat def` against `eq: better check`")
def delta_hat_iff_check() -> Sentence:
    """δ̂ <= δ̃ if and only if the published check holds (two outputs, two requests)."""
    return infimum_claim(published)


@lemma("beyond the paper: δ̂ and the check, repaired")
def repaired_delta_hat_iff_check() -> Sentence:
    """With the requests inside the probability, still: δ̂ <= δ̃ if and only if the check holds
    (two outputs, two requests).
    """
    return infimum_claim(repaired)


@lemma("`eq: better check`, why the infimum is attained")
def check_right_continuous() -> Sentence:
    """If no risk lies strictly above δ̃ and up to z, a check that passes at z passes at δ̃
    (three outputs, three requests).
    """
    given, law, risks = setting(outputs=3, requests=3)
    z = z3.Real("z")
    gap = [z3.Or(t <= delta_tilde, t > z) for row in risks for t in row]

    def says(below: Below) -> Statement:
        check = published(law, risks, below)
        return Statement([*given, *gap, check(z)], check(delta_tilde))

    return Sentence(says(at_most), {"safe outputs have risk < z, not <= z": says(less_than)})


@lemma("beyond the paper: the repair is the stricter check")
def repaired_check_implies_published() -> Sentence:
    """Where the repaired check passes, the published one passes (three outputs, three requests)."""
    given, law, risks = setting(outputs=3, requests=3)
    inside = repaired(law, risks)(delta_tilde)
    outside = published(law, risks)(delta_tilde)
    return Sentence(
        Statement([*given, inside], outside),
        {"the other way round": Statement([*given, outside], inside)},
    )


@lemma(
    "`eq: better check`, infimum outside or inside",
    Verdict.REFUTED,
    survives={
        "^only": "two requests can be safe after different outputs: 1-2θ is all that is left"
    },
)
def published_check_implies_repaired() -> Sentence:
    """Where the published check passes with two requests, the repaired one passes (three
    outputs).
    """

    def says(requests: int) -> Statement:
        given, law, risks = setting(3, requests)
        check, target = published(law, risks), repaired(law, risks)
        return Statement([*given, check(delta_tilde)], target(delta_tilde))

    return Sentence(says(2), {"one request a round": says(1)})


@lemma("Section VI, bounds in place of exact risks")
def bounded_risk_is_sound() -> Sentence:
    """A repaired check that passes with upper bounds of the risks passes with the risks
    (three outputs, two requests).
    """
    given, law, risks = setting(outputs=3, requests=2)
    bounds = [numbered_reals(f"bound{y}_", 2) for y in range(3)]
    pairs = [pair for row in zip(risks, bounds, strict=True) for pair in zip(*row, strict=True)]

    def says(upper: bool) -> Statement:
        sided = [risk <= bound if upper else bound <= risk for risk, bound in pairs]
        passed = repaired(law, bounds)(delta_tilde)
        return Statement([*given, *sided, passed], repaired(law, risks)(delta_tilde))

    return Sentence(says(True), {"with lower bounds": says(False)})


@lemma("Section VI, the handler rejects some requests")
def fewer_requests_pass_sooner() -> Sentence:
    """A repaired check that passes for three requests passes for the first two of them
    (three outputs).
    """
    given, law, risks = setting(outputs=3, requests=3)
    all_three = repaired(law, risks)(delta_tilde)
    two = repaired(law, [row[:2] for row in risks])(delta_tilde)
    return Sentence(
        Statement([*given, all_three], two),
        {"the other way round": Statement([*given, two], all_three)},
    )
