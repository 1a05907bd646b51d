"""Every lemma, by area; one file an area, one function a lemma, each with its controls.

A control is the lemma with one thing changed, and it must come out the other way: that is
what shows that the lemma says something.
"""

from filterproof_proofs.smt.lemmas import (
    compensator,
    constraint,
    deltahat,
    gaussian,
    hockey,
    mechanismlevel,
    onestep,
    stopping,
    trees,
)
from filterproof_proofs.smt.statement import Lemma

AREAS = (
    constraint,
    deltahat,
    stopping,
    onestep,
    hockey,
    gaussian,
    mechanismlevel,
    compensator,
    trees,
)

LEMMAS: tuple[Lemma, ...] = tuple(
    member for area in AREAS for member in vars(area).values() if isinstance(member, Lemma)
)
