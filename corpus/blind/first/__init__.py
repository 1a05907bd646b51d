"""The first blind set: wrong filters with witnesses, and sound ones that look wrong."""

from corpus.blind.base import Sound, Wrong
from corpus.blind.first import (
    adaptive,
    budgets,
    composition,
    ledgers,
    memory,
    numbers,
    pairs,
    phases,
    realised,
    renyi,
    sound,
    sound_charges,
)

WRONG: dict[str, Wrong] = {
    **ledgers.WRONG,
    **memory.WRONG,
    **composition.WRONG,
    **renyi.WRONG,
    **realised.WRONG,
    **pairs.WRONG,
    **phases.WRONG,
    **budgets.WRONG,
    **numbers.WRONG,
    **adaptive.WRONG,
}
SOUND: dict[str, Sound] = {**sound.SOUND, **sound_charges.SOUND}
