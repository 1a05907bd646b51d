"""A filter's own code on unknown numbers: proved, refuted by one round, or open.

A *potential* is a number B >= 0 per ordered pair that follows from the filter's state and the
likelihoods, starts at δ or below, and pays for every round: the expected potential after the round
plus the round's charge is at most the potential before it.  A filter that has one is (ε, δ)-DP for
every adversary and any number of rounds, because H is the expected sum of the charges.  The
condition speaks of one round only, so the filter's source can be interpreted on terms of a solver.
"""

from filterproof_proofs.potential.driver import CannotRun, Disagreement, Effort, prove
from filterproof_proofs.potential.guard import Guarded, guard
from filterproof_proofs.potential.plays import NoPotential
from filterproof_proofs.potential.verdicts import CodeProof, Refutation, Round, Verdict

__all__ = [
    "CannotRun",
    "CodeProof",
    "Disagreement",
    "Effort",
    "Guarded",
    "NoPotential",
    "Refutation",
    "Round",
    "Verdict",
    "guard",
    "prove",
]
