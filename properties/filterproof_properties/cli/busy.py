"""That something is being done, for commands that have nothing to count."""

import sys
from contextlib import AbstractContextManager, nullcontext


def busy(words: str) -> AbstractContextManager[object]:
    """Return what shows these words on a terminal while it is entered; elsewhere nothing."""
    if not sys.stderr.isatty():
        return nullcontext()
    from filterproof_properties.reports.terminal import console  # loads rich

    return console(stderr=True).status(words)
