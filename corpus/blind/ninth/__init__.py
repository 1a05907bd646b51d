"""The ninth blind set: pure filters as dataclasses, wrong ones with witnesses, and sound ones."""

from corpus.blind.base import Sound, Wrong
from corpus.blind.ninth import ledger_entries, loss_entries, sound

WRONG: dict[str, Wrong] = {**ledger_entries.WRONG, **loss_entries.WRONG}
SOUND: dict[str, Sound] = sound.SOUND
