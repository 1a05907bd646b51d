"""Proposition 1 (`prop: equiv condition`): the look-ahead check is a threshold on the loss.

Nothing is assumed of Φ but that it increases strictly and that it inverts its quantile, and of
either only the instances named here, so what is proved holds for every such Φ. `tau` is 1/σ. The
loss has mean τ²/2 and deviation τ, so P(L <= c) = Φ(u) for the u with τu = c - τ²/2.
"""

from collections.abc import Sequence
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

delta_tilde, theta, epsilon, loss, tau = reals("delta_tilde theta epsilon loss tau")
u, q_delta, q_theta = reals("u q_delta q_theta")  # q_delta is the quantile at 1-δ̃
Phi = z3.Function("Phi", z3.RealSort(), z3.RealSort())
PARAMETERS = [tau > 0, delta_tilde > 0, delta_tilde < 1, theta > 0, theta < 1, epsilon >= 0]
AT_DELTA, AT_THETA = Phi(q_delta) == 1 - delta_tilde, Phi(q_theta) == 1 - theta
HALF = tau * tau / 2
THRESHOLD = epsilon - HALF - tau * q_delta  # what l^(i) must not exceed
KAPPA = epsilon - tau * tau - tau * (q_delta + q_theta)


def increasing(*points: z3.ArithRef) -> list[z3.BoolRef]:
    """Φ increases strictly, on these points."""
    return [z3.Implies(a < b, Phi(a) < Phi(b)) for a in points for b in points if not a.eq(b)]


def standardised(limit: z3.ArithRef, mean: z3.ArithRef = HALF) -> z3.BoolRef:
    """u is `limit` measured in deviations from the mean of the loss."""
    return tau * u == limit - mean


@lemma("`eq: y tilde inner prob` and the line after it")
def inner_set() -> Sentence:
    """P(L > ε - l) <= δ̃ exactly if l <= ε - 1/(2σ²) - Φ⁻¹(1-δ̃)/σ."""
    given = [*PARAMETERS, AT_DELTA, standardised(epsilon - loss)]
    then = (1 - Phi(u) <= delta_tilde) == (loss <= THRESHOLD)
    return Sentence(
        Statement([*given, *increasing(u, q_delta)], then),
        {"Phi need not increase": Statement(given, then)},
    )


@lemma("`eq: y tilde inner prob`, as printed with 2/σ", Verdict.REFUTED)
def inner_set_as_printed() -> Sentence:
    """1 - Φ(σ(ε-l) - 2/σ) <= δ̃ exactly if l <= ε - 1/(2σ²) - Φ⁻¹(1-δ̃)/σ, for the paper's σ = 2."""

    def says(shift: z3.ArithRef) -> Statement:
        given = [*PARAMETERS, AT_DELTA, standardised(epsilon - loss, shift)]
        given += [*increasing(u, q_delta), tau == rational(Fraction(1, 2))]
        return Statement(given, (1 - Phi(u) <= delta_tilde) == (loss <= THRESHOLD))

    return Sentence(says(2 * tau * tau), {"1/(2σ) in place of 2/σ": says(HALF)})


@lemma(
    "`eq: y tilde inner prob`, as printed with 2/σ: for every σ",
    survives={"^without Implies": "Φ increases; here one of the two orders of u and q is enough"},
)
def inner_set_never_as_printed() -> Sentence:
    """At the loss l = ε - 1/(2σ²) - Φ⁻¹(1-δ̃)/σ the printed probability exceeds δ̃, whatever σ is."""

    def says(shift: z3.ArithRef) -> Statement:
        given = [*PARAMETERS, AT_DELTA, standardised(epsilon - THRESHOLD, shift)]
        return Statement([*given, *increasing(u, q_delta)], 1 - Phi(u) > delta_tilde)

    return Sentence(says(2 * tau * tau), {"1/(2σ) in place of 2/σ": says(HALF)})


@lemma("Proposition 1, `prop: equiv condition`")
def prop_equiv_condition() -> Sentence:
    """P(L^(i) <= threshold | l^(i-1)) >= 1-θ exactly if l^(i-1) <= κ, for i >= 1."""

    def says(kappa: z3.ArithRef, *about_phi: z3.BoolRef) -> Statement:
        given = [*PARAMETERS, AT_THETA, standardised(THRESHOLD - loss), *about_phi]
        return Statement(given, (Phi(u) >= 1 - theta) == (loss <= kappa))

    monotone = increasing(u, q_theta)
    return Sentence(
        says(KAPPA, *monotone),
        {
            "1/(2σ²) in place of 1/σ²": says(KAPPA + HALF, *monotone),
            "Phi need not increase": says(KAPPA),
        },
    )


@lemma("Proposition 1 at i = 1, where l^(0) = 0")
def kappa_second_release() -> Sentence:
    """A second output is released exactly if κ >= 0."""
    given = [*PARAMETERS, AT_THETA, standardised(THRESHOLD), *increasing(u, q_theta)]
    check = Phi(u) >= 1 - theta
    return Sentence(
        Statement(given, check == (KAPPA >= 0)),
        {"exactly if κ > 0": Statement(given, check == (KAPPA > 0))},
    )


@lemma("Algorithm 1 at i = 0, where Y_0 is fixed")
def kappa_first_release() -> Sentence:
    """A first output is released exactly if 1/(2σ²) + Φ⁻¹(1-δ̃)/σ <= ε; κ plays no part."""
    given = [*PARAMETERS, AT_DELTA, standardised(epsilon), *increasing(u, q_delta)]
    more = [AT_THETA, *increasing(u, q_theta), *increasing(q_delta, q_theta)]
    check = 1 - Phi(u) <= delta_tilde
    return Sentence(
        Statement(given, check == (THRESHOLD >= 0)),
        {"exactly if κ >= 0": Statement([*given, *more], check == (KAPPA >= 0))},
    )


JUMPS = 3  # finite losses of one round; a fourth output has infinite loss
jump = numbered_reals("jump", JUMPS)
p, q = numbered_reals("p", JUMPS + 1), numbered_reals("q", JUMPS + 1)
lower, higher = reals("lower higher")  # two realised losses
LAW = [*probabilities(delta_tilde, theta, *p), total(p) == 1]


def risk(at: z3.ArithRef, law: Sequence[z3.ArithRef] = p, closed: bool = False) -> z3.ArithRef:
    """P(L > ε - at) for one more round of the mechanism (or >= where `closed`)."""
    over = [at + step >= epsilon if closed else at + step > epsilon for step in jump]
    return law[-1] + total([where(bad, mass) for bad, mass in zip(over, law[:-1], strict=True)])


def passes(at: z3.ArithRef, law: Sequence[z3.ArithRef] = p, closed: bool = False) -> z3.BoolRef:
    """The look-ahead check from realised loss `at`; `law` is that of the round looked ahead to."""
    safe = [risk(at + step, law, closed) <= delta_tilde for step in jump]
    safe += [delta_tilde >= 1]  # after an infinite loss the risk is 1
    return total([where(good, mass) for good, mass in zip(safe, p, strict=True)]) >= 1 - theta


@lemma("Section VI, general i.i.d. mechanisms")
def iid_threshold() -> Sentence:
    """With i.i.d. rounds, a check that passes at some realised loss passes at every smaller one
    (three finite losses and an infinite one).
    """

    def says(law: Sequence[z3.ArithRef]) -> Statement:
        given = [*LAW, *probabilities(*law), total(law) == 1, lower <= higher, passes(higher)]
        return Statement(given, passes(lower, law))

    return Sentence(says(p), {"the next round's law depends on the past": says(q)})


@lemma(
    "Section VI, the threshold itself passes",
    survives={"^without lower < higher": "what 'just below' means; equal losses pass alike"},
)
def iid_threshold_closed() -> Sentence:
    """With i.i.d. rounds, a check that passes just below a realised loss passes at it
    (three finite losses and an infinite one).
    """
    pairs = [jump[i] + jump[j] for i in range(JUMPS) for j in range(i, JUMPS)]

    def says(closed: bool) -> Statement:
        alike = [z3.Implies(higher + s > epsilon, lower + s > epsilon) for s in pairs]
        given = [*LAW, lower < higher, *alike, passes(lower, p, closed)]
        return Statement(given, passes(higher, p, closed))

    return Sentence(says(False), {"a loss of exactly ε counts as too large": says(True)})
