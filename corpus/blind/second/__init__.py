"""Wrong and sound filters, written without a look at the search: a measure of its strength.

`WRONG` has filters as they are written by mistake in libraries, services and papers, each with a
game on which its exact H exceeds delta.  `SOUND` has filters that look just as wrong and are not.
"""

from corpus.blind.second import (
    advanced,
    ahead,
    bookings,
    charges,
    databases,
    ledgers,
    outputs,
    phases,
    realised,
    renyi,
    sound_charges,
    sound_ledgers,
)
from corpus.blind.second.base import Sound, Wrong

_ROOMS = (
    ledgers,
    bookings,
    advanced,
    renyi,
    realised,
    outputs,
    databases,
    charges,
    phases,
    ahead,
)

WRONG: dict[str, Wrong] = {name: one for room in _ROOMS for name, one in room.WRONG.items()}
SOUND: dict[str, Sound] = {**sound_ledgers.SOUND, **sound_charges.SOUND}
