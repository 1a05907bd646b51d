"""Every filter of the blind sets as an attribute (`first--no-delta`), to be audited by name."""

from typing import Any

from corpus.blind import first, fourth, ninth, second, seventh, sixth, third

SETS = {
    "first": first,
    "second": second,
    "third": third,
    "fourth": fourth,
    "sixth": sixth,
    "seventh": seventh,
    "ninth": ninth,
}


def __getattr__(name: str) -> Any:
    chosen, found, entry = name.partition("--")
    entries = {**SETS[chosen].WRONG, **SETS[chosen].SOUND} if found and chosen in SETS else {}
    if entry not in entries:
        raise AttributeError(name)
    return entries[entry].target
