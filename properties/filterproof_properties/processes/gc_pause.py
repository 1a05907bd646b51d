"""When the interpreter looks for garbage: games are many small objects without circles in them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 50_000
"""So many new objects are made before the next look for garbage."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Look for garbage less often, and as before afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(before[0] and max(SELDOM, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
