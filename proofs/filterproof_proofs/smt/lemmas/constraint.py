"""The parameter constraint δ̃ + θ(1-δ̃)N <= δ: sufficient, sharper with N-1, sharpest as a product.

Throughout, `kept` is the probability of ending within ε in the rounds so far and `stopped` that of
stopping in them; `p` stands for a power (1-θ)^k, which is all that induction on k needs.
"""

from fractions import Fraction

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Sentence,
    Statement,
    lemma,
    nonnegative,
    numbered_reals,
    probabilities,
    rational,
    reals,
    total,
)

delta_tilde, theta, delta = reals("delta_tilde theta delta")
N, k, p = reals("N k p")
kept, stopped, a, t = reals("kept stopped a t")
RANGES = probabilities(delta_tilde, theta)


def allowance(rounds: z3.ArithRef) -> z3.ArithRef:
    """δ̃ + θ(1-δ̃)·rounds, the left side of the paper's constraint."""
    return delta_tilde + theta * (1 - delta_tilde) * rounds


def floor(stopping: z3.ArithRef, rounds: z3.ArithRef) -> z3.ArithRef:
    """(1-δ̃)(P(T in these rounds) - rounds·θ), what `eq: B proof 4` sums to."""
    return (1 - delta_tilde) * (stopping - rounds * theta)


@lemma("Theorem 1, `eq: B proof 4` summed")
def constraint_step() -> Sentence:
    """If k rounds keep at least (1-δ̃)(P(T among them) - kθ), one more round keeps it for k+1."""
    given = [*RANGES, k >= 0, kept >= floor(stopped, k), a >= (1 - delta_tilde) * (t - theta)]

    def says(rounds: z3.ArithRef) -> Statement:
        return Statement(given, kept + a >= floor(stopped + t, rounds))

    return Sentence(says(k + 1), {"the new round costs no theta": says(k)})


@lemma("Algorithm 1, choice of (δ̃, θ, N); Theorem 1, last display")
def constraint_with_n() -> Sentence:
    """With kept >= (1-δ̃)(1-Nθ), the constraint δ̃ + θ(1-δ̃)N <= δ gives P(L > ε) <= δ, for any N."""

    def says(rounds: z3.ArithRef) -> Statement:
        given = [*RANGES, N >= 1, kept >= floor(rational(1), N), allowance(rounds) <= delta]
        return Statement(given, 1 - kept <= delta)

    return Sentence(
        says(N),
        {"the constraint counts one round too few": says(N - 1), "half of them": says(N / 2)},
    )


@lemma("Algorithm 1, choice of (δ̃, θ, N), with N-1")
def constraint_with_n_minus_1() -> Sentence:
    """Y_0 is fixed, so the first round has no bad event, and N-1 is enough in the constraint."""

    def says(spared: int) -> Statement:
        before = [kept >= floor(stopped, k - 1), a >= (1 - delta_tilde) * (t - theta)]
        end = [k + 1 == N, k >= 1, stopped + t == 1, allowance(N - spared) <= delta]
        return Statement([*RANGES, *before, *end], 1 - (kept + a) <= delta)

    return Sentence(says(1), {"with N-2": says(2)})


@lemma("Theorem 1, last display, N = 4 written out")
def constraint_chain_of_four() -> Sentence:
    """With four rounds written out, and the first without a bad event, N-1 = 3 is enough."""
    within, stops = numbered_reals("a", 5), numbered_reals("t", 5)

    def says(first_is_free: bool) -> Statement:
        slack = [rational(0) if first_is_free else theta, theta, theta, theta]
        rounds = zip(within[1:], stops[1:], slack, strict=True)
        given = [*RANGES, *nonnegative(*stops), total(stops) == 1, within[0] == stops[0]]
        given += [a >= (1 - delta_tilde) * (t - lost) for a, t, lost in rounds]
        given += [allowance(rational(3)) <= delta]
        return Statement(given, 1 - total(within) <= delta)

    return Sentence(says(True), {"the first round has a bad event as well": says(False)})


@lemma("Theorem 1, sharpened: P(L > ε) <= 1 - (1-δ̃)(1-θ)^(N-1)")
def constraint_product_step() -> Sentence:
    """If v' <= 1-(1-δ̃)p and v <= θ + (1-θ)max(δ̃, v'), then v <= 1-(1-δ̃)p(1-θ)."""
    value, later, worst = reals("value later worst")
    given = [
        *RANGES,
        kept <= 1 - delta_tilde,  # kept is (1-δ̃)p, and p <= 1
        later <= 1 - kept,
        z3.Or(worst <= delta_tilde, worst <= later),
        value <= theta + (1 - theta) * worst,
    ]

    def says(kept_before: z3.ArithRef) -> Statement:
        return Statement(given, value <= 1 - kept_before)

    return Sentence(says(kept * (1 - theta)), {"the bad event is forgotten": says(kept)})


@lemma("beyond the paper: the paper's constraint against the product, induction")
def constraint_bernoulli_step() -> Sentence:
    """If p >= 1-kθ then p(1-θ) >= 1-(k+1)θ: so (1-θ)^k >= 1-kθ for every k."""
    given = [*probabilities(theta, p), k >= 0, p >= 1 - k * theta]

    def says(rounds: z3.ArithRef) -> Statement:
        return Statement(given, p * (1 - theta) >= 1 - rounds * theta)

    return Sentence(says(k + 1), {"no loss in the step": says(k)})


@lemma("beyond the paper: the paper's constraint against the product, conclusion")
def constraint_paper_implies_product() -> Sentence:
    """δ̃ + θ(1-δ̃)(N-1) <= δ implies (1-δ̃)(1-θ)^(N-1) >= 1-δ, hence so does the paper's with N."""
    lost = z3.Real("lost")  # (N-1)θ

    def says(bound: z3.ArithRef) -> Statement:
        constraint = delta_tilde + (1 - delta_tilde) * lost <= delta
        given = [*probabilities(delta_tilde), lost >= 0, p >= 1 - bound, constraint]
        return Statement(given, (1 - delta_tilde) * p >= 1 - delta)

    return Sentence(says(lost), {"the power falls twice as fast": says(2 * lost)})


@lemma("Algorithm 1, choice of (δ̃, θ, N): is it necessary?", Verdict.REFUTED)
def constraint_paper_is_necessary() -> Sentence:
    """Every θ that the product form admits for N = 3 and δ̃ = 0 meets the paper's form with N-1."""
    given = [*probabilities(theta), delta_tilde == 0, delta < 1]

    def says(power: z3.ArithRef, rounds: int) -> Statement:
        return Statement([*given, power >= 1 - delta], allowance(rational(rounds)) <= delta)

    return Sentence(
        says((1 - theta) * (1 - theta), 2), {"N = 2, where the two agree": says(1 - theta, 1)}
    )


@lemma(
    "Section V, the printed (N, δ̃, θ)",
    survives={
        "^by simplification": "a calculation with the paper's own numbers",
        "^strictly": "the printed numbers leave a little room; one round more is too much",
    },
)
def constraint_printed_parameters() -> Sentence:
    """(N, δ̃, θ) = (48, 5.60e-4, 9.17e-6) meets the constraint for δ = 1e-3."""
    printed = [delta_tilde == rational(Fraction("5.60e-4")), theta == rational(Fraction("9.17e-6"))]

    def says(rounds: int) -> Statement:
        return Statement(printed, allowance(rational(rounds)) <= rational(Fraction("1e-3")))

    return Sentence(says(48), {"one round more": says(49)})
