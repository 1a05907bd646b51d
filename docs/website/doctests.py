"""Docstrings as Markdown: examples become fenced code, and `law[y][x]` in prose is no link."""

import re
from collections.abc import Iterator
from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Rewrites every docstring before it is rendered."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Take one module, class or function."""
        if obj.docstring is not None:
            obj.docstring.value = "\n".join(markdown(obj.docstring.value.splitlines()))


def markdown(lines: list[str]) -> Iterator[str]:
    """Yield the lines, examples between fences.

    >>> list(markdown(["Adds.", "", ">>> 1 + 1", "2", "", "Says law[y][x]."]))
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'Says law[y]\\\\[x].', '']
    """
    inside = False
    for line in [*lines, ""]:
        begins, ends = line.startswith(">>> ") and not inside, inside and not line.strip()
        inside = (inside or begins) and not ends
        yield from ["```pycon"] if begins else ["```"] if ends else []
        yield line if inside or line.startswith("    ") else escaped(line)


def escaped(line: str) -> str:
    """Return a line of prose in which nothing outside of code looks like a link."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else part.replace("][", "]\\[") for part in parts)
