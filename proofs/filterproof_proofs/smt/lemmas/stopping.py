"""When the filter stops: the proof of Theorem 1 round by round, and what it says about T = 0.

`t0, t1, t2` are the probabilities of stopping at 0, 1, 2 and `a0, a1, a2` those of doing so with a
loss of at most ε; N = 2.
"""

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Sentence,
    Statement,
    lemma,
    nonnegative,
    numbered_reals,
    probabilities,
    reals,
    total,
)

delta_tilde, theta, delta = reals("delta_tilde theta delta")
within, stops = numbered_reals("a", 3), numbered_reals("t", 3)
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
def eq_b_proof_4() -> Sentence:
    """If Z >= 1 has probability at least 1-θ, then P(A_i, T=i) >= (1-δ̃)(P(T=i) - θ)."""
    a, t, good, both = reals("a t good both")  # both: T = i and Z >= 1
    union = [*probabilities(t, good, both, delta_tilde, theta), both >= t + good - 1]

    def says(least: z3.ArithRef) -> Statement:
        given = [*union, good >= least, a >= (1 - delta_tilde) * both]
        return Statement(given, a >= (1 - delta_tilde) * (t - theta))

    return Sentence(says(1 - theta), {"with probability at least 1-2θ": says(1 - 2 * theta)})


PART = {"^without a[0-2] <= t[0-2]": "A_i and T = i is part of T = i; only the refutation needs it"}


@lemma(
    "Theorem 1, 'P_x(A_0, T=0) = 0'",
    Verdict.REFUTED,
    survives={"^only": "a filter that releases nothing makes the bound 1, whatever δ is"},
)
def stopping_at_zero_as_printed() -> Sentence:
    """With P(A_0, T=0) taken to be 0, as printed, the chain gives P(L > ε) <= δ (N = 2)."""
    return Sentence(
        Statement([*CHAIN, PRINTED], BOUND),
        {"P(A_0, T=0) = P(T=0) instead": Statement([*CHAIN, TRUE], BOUND)},
    )


@lemma("Theorem 1, the same step repaired", survives=PART)
def stopping_at_zero() -> Sentence:
    """With P(A_0, T=0) = P(T=0), the chain gives P(L > ε) <= δ whether T = 0 can happen or not
    (N = 2).
    """
    return Sentence(
        Statement([*CHAIN, TRUE], BOUND),
        {"P(A_0, T=0) = 0 instead": Statement([*CHAIN, PRINTED], BOUND)},
    )


@lemma(
    "Theorem 1, the same step where T > 0",
    survives=PART | {"^without a0 == 0": "the printed step itself, which P(T=0) = 0 implies"},
)
def stopping_at_zero_excluded() -> Sentence:
    """If T = 0 has probability 0, the printed step is right (N = 2)."""
    given = [*CHAIN, PRINTED]
    return Sentence(
        Statement([*given, stops[0] == 0], BOUND),
        {"T = 0 has some probability": Statement([*given, stops[0] > 0], BOUND)},
    )


@lemma(
    "Theorem 1, last display, third line to fourth",
    Verdict.REFUTED,
    survives={"^only 1 <= ": "the sum falls short by P(T = 0)"},
)
def stopping_sum_from_one() -> Sentence:
    """The probabilities P(T = i) for i from 1 to N = 2 add up to 1."""
    given = [*nonnegative(*stops), total(stops) == 1]
    then = total(stops[1:]) == 1
    return Sentence(
        Statement(given, then),
        {"P(T = 0) = 0": Statement([*given, stops[0] == 0], then)},
    )
