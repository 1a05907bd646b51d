"""No full search for garbage while very many objects without circles are made.

A full search walks all objects there are, again and again as their number grows: on a game of
200,000 mechanisms that takes twice as long as making them.  Young objects are still looked at, so
that what a filter leaves behind in circles does not pile up.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEVER = 1_000_000
"""So many searches among objects of middle age come before a full one."""


@contextmanager
def full_collection_paused() -> Iterator[None]:
    """Look only among young objects meanwhile; afterwards as before.

    >>> with full_collection_paused():
    ...     gc.get_threshold()[2] == NEVER
    True
    """
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
