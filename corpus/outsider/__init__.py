"""Filters by an outsider: wrong ones in three grades of difficulty, and sound ones that look wrong.

They were written by someone who had read the filters and the manual, but not the search, the
attacks or the zoo.  The search was run on them for the first time afterwards.  The grades are the
author's guess at how hard a violation is to find; `witnesses` has one for every wrong filter.
"""

from corpus.outsider import easy, hard, medium, sound
from corpus.zoo.base import Specimen

WRONG: tuple[Specimen, ...] = (*easy.SPECIMENS, *medium.SPECIMENS, *hard.SPECIMENS)
SOUND: tuple[Specimen, ...] = sound.SPECIMENS

__all__ = ["SOUND", "WRONG", "Specimen"]
