"""The fourth blind set: wrong filters with witnesses, and sound ones that look wrong.

The levels are the author's judgement, with an eye on some 3500 random games of the author's own;
they were not measured as those of the other sets were.
"""

from corpus.blind.base import Sound, Wrong
from corpus.blind.fourth import (
    ahead,
    billing,
    distances,
    domains,
    losses,
    numbers,
    sound_losses,
    theorems,
)

WRONG: dict[str, Wrong] = {
    **billing.WRONG,
    **numbers.WRONG,
    **theorems.WRONG,
    **distances.WRONG,
    **losses.WRONG,
    **domains.WRONG,
    **ahead.WRONG,
}
SOUND: dict[str, Sound] = {
    **billing.SOUND,
    **numbers.SOUND,
    **theorems.SOUND,
    **distances.SOUND,
    **domains.SOUND,
    **ahead.SOUND,
    **sound_losses.SOUND,
}
