"""No look for garbage while very many objects without circles are made.

Each look walks the objects made so far: on a game of 200,000 mechanisms that takes twice as long
as making them.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Look for no garbage meanwhile; afterwards again, unless nobody did before.

    >>> with collection_paused():
    ...     gc.isenabled()
    False
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
