"""How many basic operations one check takes: the paper's count, and ours on finite outputs.

The paper counts C = sum over x of N(x)·|R_{i+1}|·M, where N(x) is the number of neighbours of x
and M the work for one triple (x, x′, r_{i+1}).  For Gaussian rounds M = 1 and C = 2.  On finite
outputs the work for one triple is a comparison with e^ε for every (y_i, y_{i+1}).  The compensator
looks at the present mechanism only: no requests, no second output.
"""

from dataclasses import dataclass

from filterproof.game import Step


@dataclass(frozen=True)
class Operations:
    """Comparisons with e^ε that one check takes at most."""

    triples: int
    """The paper's C with M = 1: ordered pairs times requests that may follow."""
    look_ahead: int
    """`eq: better check` on finite outputs: for each triple, all (y_i, y_{i+1})."""
    compensator: int
    """The charges of one round: for each ordered pair, its outputs and the history itself."""


def operations(step: Step) -> Operations:
    """Count the comparisons of one check at a partial transcript.

    >>> from fractions import Fraction
    >>> from filterproof.game import opening
    >>> from filterproof.palette import erasure, game, repeated
    >>> first = opening(game(repeated(erasure(Fraction(1, 10)), 2)))
    >>> operations(first.next("⊥", "ask"))
    Operations(triples=2, look_ahead=18, compensator=8)
    """
    pairs, outputs = len(step.pairs), step.mechanism.law
    ahead = sum(len(m.law) for y in outputs for m in step.menu_after(y).values())
    return Operations(
        triples=pairs * len(step.requests_after),
        look_ahead=pairs * ahead,
        compensator=pairs * (len(outputs) + 1),
    )
