"""Budget classes and pure filters after reports in public trackers: the seventh blind set."""

from corpus.blind.base import Sound, Wrong
from corpus.blind.seventh import filters, sound_filters

WRONG: dict[str, Wrong] = filters.WRONG
SOUND: dict[str, Sound] = sound_filters.SOUND
