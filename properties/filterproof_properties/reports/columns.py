"""A table of plain text whose cells are wrapped to the widths of their columns."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import TextWrapper, wrap

GAP = "  "
PIPED = 200
"""So many letters has a line where nobody says how wide the screen is."""


def screen_width(otherwise: int = PIPED) -> int:
    """Return how many letters a line of the screen has: what COLUMNS says, or the terminal."""
    return get_terminal_size((otherwise, 24)).columns


def columns(widths: Sequence[int], rows: Iterable[Sequence[str]]) -> str:
    """Return the rows as lines, no longer than the widths and the gaps between them allow.

    >>> print(columns((6, 9), [("filter", "verdict"), ("naive", "no: risks add up")]), end="")
    filter  verdict
    naive   no: risks
            add up
    """
    return "".join(f"{line}\n" for row in rows for line in _lines(widths, row))


def stack(width: int, rows: Iterable[Sequence[str]]) -> str:
    """Return each row's first cell as a line, and its other cells indented below it.

    >>> print(stack(16, [("naive", "no: the risks add up")]), end="")
    naive
        no: the
        risks add up
    """
    indent, inner = " " * 4, max(width - 4, 1)
    lines = (
        [row[0], *(f"{indent}{line}" for cell in row[1:] for line in wrap(cell, inner))]
        for row in rows
    )
    return "".join(f"{line}\n" for row in lines for line in row)


def fitted(text: str) -> str:
    """Return a text in lines that fit the screen, where one knows it; the rest is indented.

    >>> fitted("  covers     all laws\\n")
    '  covers     all laws\\n'
    """
    width, made = screen_width(sys.maxsize), []
    for line in text.splitlines():
        begins = re.match(" *(?:[a-z]+  +|leaves out )?", line)
        indent = " " * (begins.end() if begins else 0)
        broken = TextWrapper(
            width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
        )
        made += broken.wrap(line) or [""]
    return "".join(f"{line}\n" for line in made)


def _lines(widths: Sequence[int], row: Sequence[str]) -> Iterator[str]:
    cells = [wrap(text, width) for text, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        padded = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
        yield GAP.join(padded).rstrip()
