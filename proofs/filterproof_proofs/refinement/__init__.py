"""Code that is never looser than a rule with a theorem, or than an older version of itself.

Most theorems of `proofs/coq` say: every filter that runs a round only where the rule allows it is
private.  So code is private as soon as it is never looser than such a rule, and that is a statement
about code alone: no law, no bound on outputs, databases or rounds.  Here it is shown for ordinary
budget classes and for filters, with an invariant that is found, and with doubles as they round.
"""

from filterproof_proofs.refinement.prove import (
    ONLY_ROUNDING,
    Code,
    prove_no_looser,
    prove_program,
    prove_refinement,
    prove_versions,
)
from filterproof_proofs.refinement.rules import RULES, NoRule, Rule
from filterproof_proofs.refinement.verdicts import Call, Excess, Play, Refinement

__all__ = [
    "ONLY_ROUNDING",
    "RULES",
    "Call",
    "Code",
    "Excess",
    "NoRule",
    "Play",
    "Refinement",
    "Rule",
    "prove_no_looser",
    "prove_program",
    "prove_refinement",
    "prove_versions",
]
