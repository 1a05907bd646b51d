"""Filters to test the search with: wrong ones of every family, and sound ones that look wrong.

They were written before the search was tuned.  While it was tuned, the specimens in `HELD_OUT`
(every third one, in the order of their names) were not looked at.
"""

from tests.zoo import lookahead, mechanism_level, protocol, realised, sound
from tests.zoo.base import Specimen

WRONG: tuple[Specimen, ...] = (
    *mechanism_level.SPECIMENS,
    *realised.SPECIMENS,
    *lookahead.SPECIMENS,
    *protocol.SPECIMENS,
)
SOUND: tuple[Specimen, ...] = sound.SPECIMENS

HELD_OUT = frozenset(sorted(one.name for one in WRONG)[1::3])

__all__ = ["HELD_OUT", "SOUND", "WRONG", "Specimen"]
