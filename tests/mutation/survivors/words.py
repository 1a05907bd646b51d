"""Reasons that hold for many survivors, by the line and the change."""

import re
from collections.abc import Mapping

TASTE = "a number that somebody chose; tests use it by its name"
SHOWN = "only how much is quoted, or read in one go"
FROZEN = "nothing assigns to it; that nothing may is a habit"
KEPT = "how many answers are kept; without any they are the same"
LATER = "the same results, a moment later"
STRICT = "the lists are made side by side; that they are as long is looked at a second time"
NUMBERED = "any numbers do that differ"
MODE = "who may execute a file of data may not read it for that"

Reasons = Mapping[tuple[str, str], str | Mapping[str, str]]

USUAL = (
    (r"\bquoted\(", r"\d+ -> \d+", SHOWN),
    (r"^@lru_cache\(maxsize=", r"\d+ -> \d+", KEPT),
    (r"^@dataclass\(frozen=True\b", "True -> False", FROZEN),
)
"""What a line looks like, what was changed in it, and why that is no fault wherever it stands."""


def usual(text: str, change: str) -> str:
    """Return why a change of such a line is no fault, or nothing.

    >>> usual("@lru_cache(maxsize=16)", "16 -> 17") == KEPT
    True
    """
    found = (
        why for line, what, why in USUAL if re.search(line, text) and re.fullmatch(what, change)
    )
    return next(found, "")
