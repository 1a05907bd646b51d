"""Filters that add up declared parameters: additive, Rényi, advanced, and the naive one."""

from functools import partial

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Sentence,
    Statement,
    lemma,
    nonnegative,
    numbered_reals,
    positive_part,
    probabilities,
    rational,
    reals,
    total,
)
from filterproof_proofs.smt.witness import advanced_test_broken, naive_rule_broken

OUTPUTS = 3
delta, delta_prime, d = reals("delta delta_prime d")
p = numbered_reals("p", OUTPUTS)


@lemma("Section II-A, additive filter: from events to tests")
def dp_extends_to_tests() -> Sentence:
    """A hockey-stick divergence <= δ_1 gives E_x[f] <= e^ε E_x'[f] + δ_1 for f in [0, 1]."""
    a, b, s = reals("p q f")  # one output: q stands for e^ε P_x'(y)

    def says(*about_test: z3.BoolRef) -> Statement:
        return Statement([*nonnegative(a, b), *about_test], a * s <= b * s + positive_part(a - b))

    return Sentence(says(s >= 0, s <= 1), {"f may exceed 1": says(s >= 0)})


@lemma("Section II-A, additive filter: one round")
def additive_step() -> Sentence:
    """If what follows is (ε-ε_1, δ-δ_1)-DP after every output, the round and it are (ε, δ)-DP."""
    first, rest, delta_1 = reals("e1 e_rest delta_1")  # e^ε_1 and e^(ε-ε_1)
    start, test, end, event = reals("start test end event")
    # test_y = min(1, e^(ε-ε_1) P_x'(S | y)); start and test are its means under x and x'
    given = [first >= 1, rest >= 1, start <= first * test + delta_1, test <= rest * end]

    def says(slack: z3.ArithRef) -> Statement:
        return Statement([*given, event <= start + slack], event <= first * rest * end + delta)

    return Sentence(says(delta - delta_1), {"δ_1 is not deducted": says(delta)})


@lemma("Section II-A, RDP filter: one round")
def rdp_step() -> Sentence:
    """If this round's moment is S and later ones are at most R/S, all of it is at most R
    (three outputs).
    """
    moment, budget = reals("S R")
    later = numbered_reals("M", OUTPUTS)
    # p: the terms P_x(y)^α P_x'(y)^(1-α), which add up to S
    given = [*nonnegative(*p, *later), total(p) == moment, moment > 0]

    def says(share: z3.ArithRef) -> Statement:
        within = [value * share <= budget for value in later]
        product = total([term * value for term, value in zip(p, later, strict=True)])
        return Statement([*given, *within], product <= budget)

    return Sentence(says(moment), {"the budget is not divided": says(rational(1))})


ODDS = 21  # e^ε_1; more than e³, so ε_1 > 3, and a test that passes with 3·21 passes with ε_1·21


@lemma(
    "Section II-A, advanced filter: the printed test of δ",
    Verdict.REFUTED,
    survives={"^only": "the printed test lets d = 63/2·(δ - δ') pass"},
)
def advanced_delta_test_as_printed() -> Sentence:
    """At e^ε_1 = 21, δ' + 2d/(ε_1 e^ε_1) <= δ makes an erasure with probability d (ε, δ)-DP."""
    given = [*probabilities(d), delta == rational(1) / 100, delta_prime == rational(1) / 200]

    def says(counted: z3.ArithRef) -> Statement:
        passed = delta_prime + counted <= delta
        return Statement([*given, passed], d <= delta, audit=partial(advanced_test_broken, ODDS))

    return Sentence(says(2 * d / (3 * ODDS)), {"δ_1 itself is counted": says(d)})


@lemma("Section II-B, the naive filter", Verdict.REFUTED)
def naive_filter() -> Sentence:
    """Two rounds of erasure, each with probability p <= δ, reveal with probability at most δ."""

    def says(most: z3.ArithRef) -> Statement:
        chance = z3.Real("p")
        given = [*probabilities(chance, delta), chance <= most]
        revealed = 1 - (1 - chance) * (1 - chance)
        return Statement(given, revealed <= delta, audit=naive_rule_broken)

    return Sentence(says(delta), {"each at most δ/2": says(delta / 2)})


@lemma("beyond the paper: the naive filter at δ/N")
def naive_at_delta_over_n() -> Sentence:
    """If k rounds overshoot with probability <= kδ/N, one more that does with <= δ/N keeps it."""
    so_far, k, share, fresh = reals("so_far k share fresh")  # share: δ/N

    def says(most: z3.ArithRef) -> Statement:
        given = [*nonnegative(k, share), *probabilities(so_far, fresh), so_far <= k * share]
        union = so_far + (1 - so_far) * fresh
        return Statement([*given, fresh <= most], union <= (k + 1) * share)

    return Sentence(says(share), {"it overshoots twice as often": says(2 * share)})
