"""One round of look-ahead: from the bound after each output to the bound before it.

`w` is the probability of an output, `v` the worst probability of ending above ε after it, `c` what
is kept for certain after a good one (v <= 1-c). Induction over rounds then covers every depth.
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
    where,
)

OUTPUTS, REQUESTS = 3, 3
delta_tilde, theta, delta, c, N, k = reals("delta_tilde theta delta c N k")
w = numbered_reals("w", OUTPUTS)
bad = [[z3.Bool(f"bad{y}_{r}") for r in range(REQUESTS)] for y in range(OUTPUTS)]
DISTRIBUTION = [*probabilities(theta, *w), total(w) == 1]


def bad_for(request: int) -> z3.ArithRef:
    """The probability of an output that is bad for this request."""
    return total([where(row[request], mass) for mass, row in zip(w, bad, strict=True)])


PUBLISHED = [bad_for(request) <= theta for request in range(REQUESTS)]
bad_for_some = total([where(z3.Or(row), mass) for mass, row in zip(w, bad, strict=True)])
REPAIRED = [bad_for_some <= theta]


@lemma("beyond the paper: repaired check, one output")
def repaired_step_output() -> Sentence:
    """An output of mass w contributes at most w - c·w where it is good, and at most w where not."""
    mass, value, good = z3.Real("w"), z3.Real("v"), z3.Bool("good")
    given = [*nonnegative(mass), *probabilities(c), z3.Implies(good, value <= 1 - c)]
    then = mass * value <= mass - where(good, c * mass)
    return Sentence(
        Statement([*given, value <= 1], then), {"v may exceed 1": Statement(given, then)}
    )


@lemma("beyond the paper: repaired check, all outputs of a round")
def repaired_step() -> Sentence:
    """If good outputs keep c and have probability at least 1-θ, the round keeps c(1-θ)."""
    value, good = reals("value good")

    def says(least: z3.ArithRef) -> Statement:
        given = [*probabilities(c, theta), value <= 1 - c * good, good >= least]
        return Statement(given, value <= 1 - c * (1 - theta))

    return Sentence(says(1 - theta), {"good outputs have probability >= 1-2θ": says(1 - 2 * theta)})


@lemma("beyond the paper: repaired check, the adversary asks after seeing the output")
def repaired_check_survives_adaptivity() -> Sentence:
    """However requests depend on outputs, a bad (output, request) has probability at most θ
    under the repaired check (three outputs, three requests).
    """
    hit = adaptive_hit()
    return Sentence(
        Statement([*DISTRIBUTION, *REPAIRED], hit <= theta),
        {"the published check": Statement([*DISTRIBUTION, *PUBLISHED], hit <= theta)},
    )


@lemma(
    "Theorem 1, `eq: inner exp bounded 1`",
    Verdict.REFUTED,
    survives={"^only": "three requests reach 3θ: `published_check_costs_k_theta`"},
)
def published_check_survives_adaptivity() -> Sentence:
    """Under the published check, a bad (output, request) has probability at most θ
    (three outputs, three requests).
    """
    hit = adaptive_hit()
    oblivious = [z3.Bool(f"asks{y}_{r}") == z3.Bool(f"asks0_{r}")
                 for y in range(OUTPUTS) for r in range(REQUESTS - 1)]  # fmt: skip
    given = [*DISTRIBUTION, *PUBLISHED]
    return Sentence(
        Statement(given, hit <= theta),
        {
            "the request ignores the last output": Statement([*given, *oblivious], hit <= theta),
            "the repaired check": Statement([*DISTRIBUTION, *REPAIRED], hit <= theta),
        },
    )


def adaptive_hit() -> z3.ArithRef:
    """The probability of a bad pair when output y is answered by the request that `asks` names.

    A randomised adversary is a mixture of such plans, so it cannot do better.
    """
    return total(
        [
            where(z3.And(bad[y][r], only(y, r)), w[y])
            for y in range(OUTPUTS)
            for r in range(REQUESTS)
        ]
    )


def only(y: int, r: int) -> z3.BoolRef:
    """Output y is answered by request r: the first that is named, or the last."""
    named = [z3.Bool(f"asks{y}_{other}") for other in range(REQUESTS - 1)]
    earlier = z3.Not(z3.Or(named[:r])) if r else z3.BoolVal(True)
    return z3.And(earlier, named[r]) if r < REQUESTS - 1 else earlier


@lemma("beyond the paper: the published check with k requests a round")
def published_check_costs_k_theta() -> Sentence:
    """Under the published check with three requests, a bad (output, request) has probability <= 3θ
    (three outputs).
    """
    hit = adaptive_hit()
    given = [*DISTRIBUTION, *PUBLISHED]
    return Sentence(
        Statement(given, hit <= REQUESTS * theta),
        {"at most 2θ": Statement(given, hit <= (REQUESTS - 1) * theta)},
    )


@lemma("beyond the paper: when the slack between N and N-1 hides the gap")
def violation_needs_many_requests() -> Sentence:
    """While k(N-1) <= N, the true bound δ̃ + (1-δ̃)k(N-1)θ stays within the paper's."""
    steps = z3.Real("steps")  # k(N-1)
    bound = delta_tilde + (1 - delta_tilde) * steps * theta
    promised = delta_tilde + theta * (1 - delta_tilde) * N
    given = [*probabilities(delta_tilde, theta), N >= 1]
    return Sentence(
        Statement([*given, steps <= N], bound <= promised),
        {"k(N-1) = N+1": Statement([*given, steps == N + 1], bound <= promised)},
    )


survived, kept, good, value = reals("survived kept good value")


@lemma("beyond the paper: product rule, a round that goes on")
def product_rule_continues() -> Sentence:
    """If s·g·(1-v') >= 1-δ after good outputs of probability g, then s(1-v) >= 1-δ before them."""
    given = [*probabilities(survived, good, kept, value), 1 - value >= good * kept]

    def says(product: z3.ArithRef) -> Statement:
        return Statement([*given, product >= 1 - delta], survived * (1 - value) >= 1 - delta)

    return Sentence(
        says(survived * good * kept), {"the bad probability is not charged": says(survived * kept)}
    )


@lemma("beyond the paper: product rule, the last round")
def product_rule_stops() -> Sentence:
    """If (1-δ̃)s >= 1-δ and this round overshoots with probability <= δ̃, then s(1-v) >= 1-δ."""

    def says(overshoot: z3.ArithRef) -> Statement:
        ranges = probabilities(survived, delta_tilde)
        given = [*ranges, (1 - delta_tilde) * survived >= 1 - delta, value <= overshoot]
        return Statement(given, survived * (1 - value) >= 1 - delta)

    return Sentence(says(delta_tilde), {"it overshoots twice as often": says(2 * delta_tilde)})


@lemma("beyond the paper: product rule, it runs wherever the repaired rule runs")
def product_rule_dominates() -> Sentence:
    """If s >= (1-θ)^k and this round is bad with probability <= θ, then s(1-b) >= (1-θ)^(k+1)."""
    power, b = reals("power b")

    def says(most: z3.ArithRef) -> Statement:
        given = [*probabilities(theta, power, b), survived >= power, b <= most]
        return Statement(given, survived * (1 - b) >= power * (1 - theta))

    return Sentence(says(theta), {"it is bad twice as often": says(2 * theta)})
