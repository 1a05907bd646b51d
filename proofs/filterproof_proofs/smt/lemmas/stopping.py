"""When the filter stops: the proof of Theorem 1 round by round, and what it says about T = 0.

`t0, t1, t2` are the probabilities of stopping at 0, 1, 2 and `a0, a1, a2` those of doing so with a
loss of at most ε; N = 2.
"""

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Claim,
    Statement,
    lemma,
    nonnegative,
    numbered,
    probabilities,
    reals,
    total,
    where,
)

delta_tilde, theta, delta, epsilon, loss = reals("delta_tilde theta delta epsilon loss")
within, stops = numbered("a", 3), numbered("t", 3)
CHAIN = [
    *probabilities(delta_tilde, theta),
    *nonnegative(*within, *stops),
    total(stops) == 1,
    *[a <= t for a, t in zip(within, stops, strict=True)],
    *[a >= (1 - delta_tilde) * (t - theta) for a, t in zip(within[1:], stops[1:], strict=True)],
    delta_tilde + 2 * theta * (1 - delta_tilde) <= delta,
]
BOUND = 1 - total(within) <= delta
PRINTED = within[0] == 0
TRUE = within[0] == stops[0]


@lemma("Theorem 1, `eq: B proof 4`")
def eq_b_proof_4() -> Claim:
    """If Z >= 1 has probability at least 1-θ, then P(A_i, T=i) >= (1-δ̃)(P(T=i) - θ)."""
    a, t, good, both = reals("a t good both")  # both: T = i and Z >= 1
    union = [*probabilities(t, good, both, delta_tilde, theta), both >= t + good - 1]

    def says(least: z3.ArithRef) -> Statement:
        given = [*union, good >= least, a >= (1 - delta_tilde) * both]
        return Statement(given, a >= (1 - delta_tilde) * (t - theta))

    return Claim(says(1 - theta), {"with probability at least 1-2θ": says(1 - 2 * theta)})


@lemma("Theorem 1, 'P_x(A_0, T=0) = 0'", Verdict.REFUTED)
def stopping_at_zero_as_printed() -> Claim:
    """With P(A_0, T=0) taken to be 0, as printed, the chain gives P(L > ε) <= δ."""
    return Claim(
        Statement([*CHAIN, PRINTED], BOUND),
        {"P(A_0, T=0) = P(T=0) instead": Statement([*CHAIN, TRUE], BOUND)},
    )


@lemma("Theorem 1, the same step repaired")
def stopping_at_zero() -> Claim:
    """With P(A_0, T=0) = P(T=0), the chain gives P(L > ε) <= δ whether or not T = 0 can happen."""
    return Claim(
        Statement([*CHAIN, TRUE], BOUND),
        {"P(A_0, T=0) = 0 instead": Statement([*CHAIN, PRINTED], BOUND)},
    )


@lemma("Theorem 1, the same step where T > 0")
def stopping_at_zero_excluded() -> Claim:
    """If T = 0 has probability 0, the printed step is right."""
    given = [*CHAIN, PRINTED]
    return Claim(
        Statement([*given, stops[0] == 0], BOUND),
        {"T = 0 has some probability": Statement([*given, stops[0] > 0], BOUND)},
    )


@lemma("Theorem 1, L^(0) = 0")
def empty_transcript_has_no_loss() -> Claim:
    """With T = 0 nothing is released, the loss is 0 <= ε, and so A_0 contains {T = 0}."""
    given = [loss == 0, within[0] == where(loss <= epsilon, stops[0])]
    return Claim(
        Statement([*given, epsilon >= 0], TRUE), {"epsilon may be negative": Statement(given, TRUE)}
    )


@lemma("Theorem 1, last display, third line to fourth", Verdict.REFUTED)
def stopping_sum_from_one() -> Claim:
    """The probabilities P(T = i) for i from 1 to N add up to 1."""
    given = [*nonnegative(*stops), total(stops) == 1]
    then = total(stops[1:]) == 1
    return Claim(
        Statement(given, then),
        {"P(T = 0) = 0": Statement([*given, stops[0] == 0], then)},
    )
