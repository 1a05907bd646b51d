"""Hockey-stick divergence, tail bound and (ε, δ)-DP, for any law on finitely many transcripts.

`p` is a transcript's probability under x and `z` is e^ε times that under x', so every statement is
linear. What holds transcript by transcript holds for any number of them by adding up.
"""

import z3

from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.statement import (
    Sentence,
    Statement,
    lemma,
    nonnegative,
    numbered_reals,
    positive_part,
    reals,
    total,
    where,
)

TRANSCRIPTS = 4
p, z = numbered_reals("p", TRANSCRIPTS), numbered_reals("z", TRANSCRIPTS)
event = [z3.Bool(f"in{index}") for index in range(TRANSCRIPTS)]
delta = z3.Real("delta")
LAWS = [*nonnegative(*p, *z), total(p) == 1, total(z) >= 1]  # e^ε >= 1
ATOMS = list(zip(p, z, event, strict=True))

hockey = total([positive_part(a - b) for a, b, _ in ATOMS])
tail = total([where(a > b, a) for a, b, _ in ATOMS])
event_x = total([where(chosen, a) for a, _, chosen in ATOMS])
event_x_prime = total([where(chosen, b) for _, b, chosen in ATOMS])


@lemma("Definition 1, for all S at once")
def hockey_bounds_every_event() -> Sentence:
    """P_x(S) - e^ε P_x'(S) is at most the hockey-stick divergence, whatever S is (four
    transcripts).
    """
    gain = event_x - event_x_prime
    return Sentence(
        Statement(LAWS, gain <= hockey),
        {"half of the divergence": Statement(LAWS, gain <= hockey / 2)},
    )


@lemma("Definition 1, the witness")
def hockey_attained() -> Sentence:
    """The event of all transcripts with P_x > e^ε P_x' attains the hockey-stick divergence
    (four transcripts).
    """

    def says(keep_equal: bool) -> Statement:
        best = [chosen == ((a > b) if keep_equal else (a < b)) for a, b, chosen in ATOMS]
        return Statement([*LAWS, *best], event_x - event_x_prime == hockey)

    return Sentence(says(True), {"the event of all transcripts with P_x < e^ε P_x'": says(False)})


@lemma("Theorem 1, from `eq: alg proof first part` to (ε, δ)-DP")
def tail_implies_dp() -> Sentence:
    """If P_x(L > ε) <= δ then P_x(S) <= e^ε P_x'(S) + δ for every S (four transcripts)."""
    scaled = total([where(a > b, b) for a, b, _ in ATOMS])  # e^ε times the tail under x'

    def says(bound: z3.ArithRef) -> Statement:
        return Statement([*LAWS, bound <= delta], event_x <= event_x_prime + delta)

    return Sentence(says(tail), {"the tail is taken under x'": says(scaled)})


@lemma("Theorem 1, the same for one transcript (so for any number)")
def tail_implies_dp_atom() -> Sentence:
    """A transcript adds to P_x(S) at most what it adds to e^ε P_x'(S) and to the tail together."""
    a, b, chosen = p[0], z[0], event[0]

    def says(excess: z3.ArithRef) -> Statement:
        return Statement(nonnegative(a, b), where(chosen, a) <= where(chosen, b) + excess)

    return Sentence(says(where(a > b, a)), {"half of the tail": says(where(a > b, a / 2))})


@lemma("Definition 1, the same for one transcript (so for any number)")
def hockey_atom() -> Sentence:
    """A transcript adds to P_x(S) - e^ε P_x'(S) at most max(0, P_x - e^ε P_x') <= P_x."""
    a, b, chosen = p[0], z[0], event[0]

    def says(excess: z3.ArithRef) -> Statement:
        inside = where(chosen, a) - where(chosen, b) <= excess
        return Statement(nonnegative(a, b), z3.And(inside, excess <= where(a > b, a)))

    return Sentence(says(positive_part(a - b)), {"its size in either direction": says(abs_(a - b))})


def abs_(term: z3.ArithRef) -> z3.ArithRef:
    """|term|."""
    return z3.If(term > 0, term, -term)


@lemma(
    "Theorem 1, the converse of `eq: alg proof first part`",
    Verdict.REFUTED,
    survives={"^only": "a loss just above ε counts in full for the tail: no factor is enough"},
)
def dp_implies_tail() -> Sentence:
    """If the hockey-stick divergence is at most δ then P_x(L > ε) <= δ (four transcripts)."""
    given = [*LAWS, hockey <= delta]
    reveals = [z3.Or(a <= b, b == 0) for a, b, _ in ATOMS]
    return Sentence(
        Statement(given, tail <= delta),
        {"a loss above ε is infinite": Statement([*given, *reveals], tail <= delta)},
    )


@lemma("beyond the paper: an adversary that stops asking")
def abort_never_gains() -> Sentence:
    """Asking on never lowers the divergence: max(0, w-z) <= sum of max(0, w_y-z_y) over four
    outputs.
    """
    mass, other = reals("w z")
    split = [*nonnegative(*p, *z), total(p) == mass, total(z) == other]
    gained = positive_part(mass - other) <= hockey
    return Sentence(
        Statement(split, gained),
        {"the x' masses do not add up": Statement(split[:-1], gained)},
    )


@lemma(
    "beyond the paper: an adversary that stops asking, and the tail",
    Verdict.REFUTED,
    survives={
        "^only": "an output can take nearly all of the mass back below ε: no factor is enough"
    },
)
def abort_never_raises_tail() -> Sentence:
    """Asking on never lowers P(L > ε): the tail before an output is at most the tail after it
    (four outputs).
    """
    mass, other = reals("w z")
    split = [*nonnegative(*p, *z), total(p) == mass, total(z) == other, mass > other]
    return Sentence(
        Statement(split, mass <= tail),
        {"the divergence instead of the tail": Statement(split, mass - other <= hockey)},
    )
