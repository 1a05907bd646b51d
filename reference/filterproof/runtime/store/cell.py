"""What every store is: one cell that is changed by compare-and-swap, and a log of the changes.

A cell holds the text of a state and the digest of the last record of the log.  Each record names
the digest of the record before it and of the state that it led to, so that a log cannot be
shortened in the middle, reordered or edited without being noticed, and the cell belongs to the
end of its log.  A writer says which head it has read; where another one has written since, it
is refused.  A state that was reserved before a draw says that the loss of that round is
unknown: whoever finds it there has to assume the worst, so nothing depends on the
writers taking turns.  Turns only keep that from happening for no reason.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

FIRST = ""
"""What stands for the digest of the record before the first."""


class StoreError(RuntimeError):
    """A store that is missing, in use, damaged, out of reach, or of another filter."""


class Cell(NamedTuple):
    """The state as text, and the digest of the last record."""

    head: str
    body: str


class Store(Protocol):
    """Where the state of a filter lives."""

    def turn(self) -> AbstractContextManager[None]:
        """Wait until no other filter is between a reservation and its settlement."""
        ...

    def read(self) -> Cell | None:
        """Return the cell as it is now; None where nothing was written yet."""
        ...

    def write(self, head: str, cell: Cell, record: str) -> None:
        """Replace the cell whose head is `head`, append the record, and make both last."""
        ...

    def history(self, last: int | None = None) -> tuple[Cell | None, list[str]]:
        """Return the cell and the log as they are at one moment, or the log's `last` records."""
        ...

    def close(self) -> None:
        """Give up the store; writing is refused from here on."""
        ...


def digest(text: str) -> str:
    """Return the digest of a record or a state."""
    return hashlib.sha256(text.encode()).hexdigest()


def record(before: str, body: str, facts: dict[str, Any]) -> str:
    """Return the text of a record."""
    return json.dumps(facts | {"before": before, "state": digest(body)}, sort_keys=True)


def checked_records(records: Iterable[str], cell: Cell | None) -> Iterator[dict[str, Any]]:
    """Yield the records as facts; raise where the chain of digests breaks.

    >>> first = record(FIRST, "{}", {"kind": "open"})
    >>> [one["kind"] for one in checked_records([first], Cell(digest(first), "{}"))]
    ['open']
    >>> [*checked_records([first.replace("open", "none")], Cell(digest(first), "{}"))]
    Traceback (most recent call last):
    filterproof.runtime.store.cell.StoreError: the log ends in another record than the state says
    """
    before, text = FIRST, ""
    for number, text in enumerate(records, 1):
        facts = _facts(text)
        if facts.get("before") != before:
            raise StoreError(f"record {number} of the log does not follow the one before it")
        before = digest(text)
        yield facts
    check_last(cell, text)


def cell_after(store: Store, head: str) -> Cell:
    """Return the cell of a store whose log goes on from the record `head`; raise if it does not.

    A filter that has seen `head` must find it in the log, with an unbroken chain from there to
    the end.  An older copy that was put in the place of the store does not have it.
    """
    many = 8
    while True:
        cell, records = store.history(many)
        heads = [*_heads(records)]
        if cell is None or not records:
            raise StoreError("the store is empty, and this filter has spent from it")
        check_last(cell, records[-1])
        if head in heads:
            return cell
        if len(records) < many:
            raise StoreError(
                "the log does not go on from what this filter has seen: an older copy of the "
                "store, or another one, was put in its place"
            )
        many *= 8


def _heads(records: Iterable[str]) -> Iterator[str]:
    """Yield what the first record follows, then each record's digest; raise where a link breaks."""
    before: str | None = None
    for text in records:
        follows = _facts(text).get("before")
        if before is None:
            yield str(follows)
        elif follows != before:
            raise StoreError("a record of the log does not follow the one before it")
        before = digest(text)
        yield before


def follows(text: str, head: str) -> bool:
    """Whether a record says that it follows the record of that digest."""
    return bool(_facts(text).get("before") == head)


def check_last(cell: Cell | None, text: str) -> None:
    """Raise unless the cell is the one that the log's last record speaks of."""
    if cell is None or digest(text) != cell.head:
        raise StoreError("the log ends in another record than the state says")
    if _facts(text).get("state") != digest(cell.body):
        raise StoreError("the state is not the one that the log ends with")


def _facts(text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"a record of the log is damaged: {error}") from error
    if not isinstance(facts, dict):
        raise StoreError(f"a record of the log is damaged: {text[:40]!r}")
    return facts
