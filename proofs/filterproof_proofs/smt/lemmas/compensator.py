"""The exact identity and the filters built on it: plain, capped and recycling compensator.

Everything is unnormalised: `w` is the prefix mass under x, `z` is e^ε times that under x', and
`a`, `b` are the same for the transcripts one output later. The excess of a transcript is
max(0, w - z), and a round's charge is the excess after it less the excess before it.
"""

from collections.abc import Sequence

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
    where,
)

OUTPUTS = 3
w, z, B, cap = reals("w z B lam")  # B: the budget before the round, per unit of mass
a, b = numbered_reals("a", OUTPUTS), numbered_reals("b", OUTPUTS)
future = numbered_reals("future", OUTPUTS)  # what later rounds charge, per output
UNIT = {"^without w == 1": "a choice of unit: budgets and charges are per unit of mass"}
SPLIT = [*nonnegative(*a, *b), total(a) == w, total(b) == z]
MASSES = [*nonnegative(*a), total(a) == w]


def excess_after(scale: int = 1) -> z3.ArithRef:
    """The excess summed over outputs, with e^ε multiplied by `scale`."""
    return total([positive_part(x - scale * y) for x, y in zip(a, b, strict=True)])


def charge_at(scale: int = 1) -> z3.ArithRef:
    """The round's charge, with e^ε multiplied by `scale`."""
    return excess_after(scale) - positive_part(w - scale * z)


charge = charge_at()


def within(limits: Sequence[z3.ArithRef]) -> list[z3.BoolRef]:
    """Each branch later charges at most its limit."""
    return [later <= limit for later, limit in zip(future, limits, strict=True)]


@lemma("beyond the paper: the charge is never negative")
def charge_nonnegative() -> Sentence:
    """c_i >= 0: the excess is a submartingale under P_x (three outputs)."""
    return Sentence(
        Statement(SPLIT, charge >= 0),
        {"the x' masses do not add up": Statement(SPLIT[:-1], charge >= 0)},
    )


@lemma("beyond the paper: the charge is at most what is left to lose")
def charge_within_headroom() -> Sentence:
    """c_i <= 1 - h(l): no branch is charged beyond certainty (three outputs)."""
    return Sentence(
        Statement(SPLIT, charge <= w - positive_part(w - z)),
        {"at most half of that": Statement(SPLIT, charge <= (w - positive_part(w - z)) / 2)},
    )


@lemma("beyond the paper: the charge is the privacy profile at the remaining budget")
def charge_is_profile() -> Sentence:
    """max(0, w·p - z·q) = w·max(0, p - e^(ε-l)·q), where e^(ε-l) = z/w."""
    p, q, odds = reals("p q odds")
    given = [*nonnegative(p, q, z), w > 0, w * odds == z]

    def says(factor: z3.ArithRef) -> Statement:
        return Statement(given, positive_part(w * p - z * q) == w * positive_part(p - factor * q))

    return Sentence(says(odds), {"the realised loss is ignored (factor z)": says(z)})


@lemma("beyond the paper: every private filter, by budgets, one round", survives=UNIT)
def budgets_step() -> Sentence:
    """If branches later charge within budgets whose mean is at most B - c, all charges are <= B
    (three outputs).
    """
    c = z3.Real("c")
    budget = numbered_reals("B", OUTPUTS)

    def says(mean: z3.ArithRef) -> Statement:
        limits = [mass * share for mass, share in zip(a, budget, strict=True)]
        given = [*MASSES, w == 1, c >= 0, *within(limits), total(limits) <= mean]
        return Statement(given, c + total(future) <= B)

    return Sentence(says(B - c), {"whose mean is at most B": says(B)})


@lemma("beyond the paper: compensator, one round")
def compensator_step() -> Sentence:
    """If each branch later charges at most the rest of the budget, all charges are at most B
    (three outputs).
    """
    c = z3.Real("c")  # the charge per unit of mass

    def says(rest: z3.ArithRef) -> Statement:
        given = [*MASSES, w == 1, c >= 0, *within([mass * rest for mass in a])]
        return Statement(given, c + total(future) <= B)

    return Sentence(says(B - c), {"the charge is not deducted": says(B)})


@lemma("beyond the paper: compensator at δ = 0")
def compensator_without_delta() -> Sentence:
    """While l <= ε, a round is free exactly if no output takes the loss above ε: Pan's filter
    (three outputs).
    """
    safe = z3.And([x <= y for x, y in zip(a, b, strict=True)])
    then = (charge <= 0) == safe
    return Sentence(
        Statement([*SPLIT, w <= z], then),
        {"the loss is already above ε": Statement([*SPLIT, w > z], then)},
    )


@lemma(
    "beyond the paper: compensator, does a larger ε charge less?",
    Verdict.REFUTED,
    survives={"^only": "a charge that was 0 can become positive: no factor is enough"},
)
def charge_falls_with_epsilon() -> Sentence:
    """A round's charge at ten times e^ε is at most its charge at e^ε (three outputs)."""
    given = [*SPLIT, w > 0, z > 0]
    then = charge_at(10) <= charge_at(1)
    return Sentence(
        Statement(given, then), {"the first round, where w <= z": Statement([*given, w <= z], then)}
    )


@lemma("beyond the paper: compensator, are charges within δ necessary?", Verdict.REFUTED)
def charges_within_delta_are_necessary() -> Sentence:
    """Erasure p, then erasure q on the blank branch, is (ε, δ)-DP only if p + q <= δ."""
    p, q, delta = reals("p q delta")
    given = [*probabilities(p, q, delta), p + (1 - p) * q <= delta]
    then = p + q <= delta
    return Sentence(
        Statement([*given, p == rational(1) / 20], then),
        {"the first erasure never reveals": Statement([*given, p == 0], then)},
    )


def capped(share: z3.ArithRef, mass: z3.ArithRef, other: z3.ArithRef) -> z3.ArithRef:
    """mass·min(share, 1 - h): a branch's budget, no more than is left to lose on it."""
    room = mass - positive_part(mass - other)
    return z3.If(share * mass <= room, share * mass, room)


def shares(lam: z3.ArithRef) -> list[z3.ArithRef]:
    """The budgets of all branches when the cap is lam."""
    return [capped(lam, x, y) for x, y in zip(a, b, strict=True)]


@lemma("beyond the paper: capped compensator, one round", survives=UNIT)
def capped_step() -> Sentence:
    """If branch budgets are min(lam, 1-h) with mean B - c, the round charges at most B in all
    (three outputs).
    """
    spend = charge + total(future) <= B
    given = [*SPLIT, w == 1, cap >= 0, *within(shares(cap))]
    return Sentence(
        Statement([*given, total(shares(cap)) <= B - charge], spend),
        {"the charge is not deducted": Statement([*given, total(shares(cap)) <= B], spend)},
    )


@lemma("beyond the paper: capped compensator, it never halts where the plain one runs")
def capped_dominates() -> Sentence:
    """The cap lam is at least the plain remainder B - c, since no branch gets more than lam
    (three outputs).
    """
    given = [*SPLIT, w == 1, cap >= 0, total(shares(cap)) == B]  # B: what is left after the charge
    return Sentence(
        Statement(given, cap >= B),
        {"at least twice that": Statement([*given, B > 0], cap >= 2 * B)},
    )


@lemma("beyond the paper: recycling compensator, nothing is left to charge after a reveal")
def revealed_branch_is_free() -> Sentence:
    """Where x' has become impossible, a round's charge is 0 (three outputs)."""
    return Sentence(
        Statement([*SPLIT, z == 0], charge == 0),
        {"x' is still possible": Statement([*SPLIT, z > 0], charge == 0)},
    )


@lemma("beyond the paper: recycling compensator, one round", survives=UNIT)
def recycling_step() -> Sentence:
    """With the rest of the budget divided by P_x(x' is possible), a round charges at most B
    (three outputs).
    """
    c, share = reals("c share")
    alive = total([where(y > 0, x) for x, y in zip(a, b, strict=True)])

    def says(everywhere: bool) -> Statement:
        limits = [share * x if everywhere else where(y > 0, share * x)
                  for x, y in zip(a, b, strict=True)]  # fmt: skip
        given = [*SPLIT, w == 1, share >= 0, share * alive == B - c, *within(limits)]
        return Statement(given, c + total(future) <= B)

    return Sentence(says(False), {"revealed branches get a share as well": says(True)})
