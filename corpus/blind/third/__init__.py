"""The third blind set: wrong filters with witnesses, and sound ones that look wrong."""

from corpus.blind.base import Sound, Wrong
from corpus.blind.third import (
    ahead,
    answers,
    calendar,
    composition,
    databases,
    ledgers,
    measures,
    realised,
    sound_composition,
    sound_declared,
    sound_realised,
    statements,
)

WRONG: dict[str, Wrong] = {
    **ledgers.WRONG,
    **calendar.WRONG,
    **composition.WRONG,
    **measures.WRONG,
    **statements.WRONG,
    **realised.WRONG,
    **databases.WRONG,
    **ahead.WRONG,
    **answers.WRONG,
}
SOUND: dict[str, Sound] = {
    **sound_declared.SOUND,
    **sound_composition.SOUND,
    **sound_realised.SOUND,
    **statements.SOUND,
}
