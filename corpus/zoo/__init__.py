"""Filters to test the search with: wrong ones of every family, and sound ones that look wrong.

They were written before the search was tuned.  While it was tuned, the specimens in `HELD_OUT`
(every third one, in the order of their names) were not looked at.  Those in `LATER` came after.
"""

from corpus.zoo import (
    classes,
    insisting,
    ledgers,
    lookahead,
    mechanism_level,
    protocol,
    realised,
    rules,
    sound,
)
from corpus.zoo.base import Specimen

FIRST: tuple[Specimen, ...] = (
    *mechanism_level.SPECIMENS,
    *realised.SPECIMENS,
    *lookahead.SPECIMENS,
    *protocol.SPECIMENS,
)
LATER: tuple[Specimen, ...] = (*ledgers.SPECIMENS, *classes.SPECIMENS, *insisting.SPECIMENS)
WRONG: tuple[Specimen, ...] = (*FIRST, *LATER)
SOUND: tuple[Specimen, ...] = (
    *sound.SPECIMENS,
    *ledgers.MENDED,
    *classes.TWINS,
    *insisting.TWINS,
    *rules.MENDED,
)

HELD_OUT = frozenset(sorted(one.name for one in FIRST)[1::3])

__all__ = ["FIRST", "HELD_OUT", "LATER", "SOUND", "WRONG", "Specimen"]
