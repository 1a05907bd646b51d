"""The sixth blind set: wrong filters with witnesses, and sound ones that look wrong.

The levels are the author's judgement.
"""

from corpus.blind.base import Sound, Wrong
from corpus.blind.sixth import books, calendar, databases, handed, losses, refusals, sound, theorems

WRONG: dict[str, Wrong] = {
    **calendar.WRONG,
    **books.WRONG,
    **refusals.WRONG,
    **losses.WRONG,
    **handed.WRONG,
    **theorems.WRONG,
    **databases.WRONG,
}
SOUND: dict[str, Sound] = sound.SOUND
