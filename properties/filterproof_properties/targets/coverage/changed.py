"""Which lines of a target's own code another version of it does not have.

A file is held against the file of the other version whose path ends most alike.
"""

import ast
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from pathlib import PurePath

from filterproof_properties.targets.coverage.marks import LINE, Mark
from filterproof_properties.targets.coverage.own_code import OwnFile
from filterproof_properties.targets.coverage.unreached import Coverage

OwnFiles = tuple[OwnFile, ...]


@lru_cache(maxsize=8)
def with_changes(own: OwnFiles, other: OwnFiles) -> OwnFiles:
    """Return the files of a version, each with the lines that the other version does not have."""
    return tuple(
        replace(file, changed=changed_lines(_counterpart(file, other), file.text)) for file in own
    )


def changed_lines(before: str, now: str) -> frozenset[int]:
    r"""Return the numbers of the lines of a text that are not in another one, in this order.

    >>> sorted(changed_lines("a\nb\nc\n", "a\nx\nc\nd\n"))
    [2, 4]
    """
    matcher = SequenceMatcher(None, before.splitlines(), now.splitlines(), autojunk=False)
    spans = [(low, high) for tag, _, _, low, high in matcher.get_opcodes() if tag != "equal"]
    return frozenset(line + 1 for low, high in spans for line in range(low, high))


def _counterpart(file: OwnFile, others: OwnFiles) -> str:
    return max(others, key=lambda one: _alike(one.path, file.path)).text if others else ""


def _alike(one: str, other: str) -> int:
    """Return how many names at the end of two paths are the same."""
    pairs = zip(reversed(PurePath(one).parts), reversed(PurePath(other).parts), strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


def is_changed(file: OwnFile, mark: Mark) -> bool:
    """Whether any line of a mark is a changed one."""
    return not file.changed.isdisjoint(range(mark.first, mark.last + 1))


@lru_cache(maxsize=8)
def changed_marks(own: OwnFiles) -> int:
    """Return the marks on changed lines, a bit for each."""
    every = [is_changed(file, mark) for file in own for mark in file.marks]
    return sum(1 << i for i, changed in enumerate(every) if changed)


def left_out(found: Coverage) -> int:
    """Return the changed marks that are not set in functions that were run, a bit for each.

    What such a place grants was not asked.  One that raises grants nothing, and a function that
    nothing called was not asked for.
    """
    run = {(file, mark.function) for file, mark, on in found.marks if on}
    bits = 0
    for i, (file, mark, on) in enumerate(found.marks):
        asked = (file, mark.function) in run and not _raises(file, mark)
        bits |= (not on and asked and is_changed(file, mark)) << i
    return bits


def _raises(file: OwnFile, mark: Mark) -> bool:
    return mark.kind == LINE and mark.first in _raising(file)


@lru_cache(maxsize=64)
def _raising(file: OwnFile) -> frozenset[int]:
    return frozenset(n.lineno for n in ast.walk(ast.parse(file.text)) if isinstance(n, ast.Raise))
