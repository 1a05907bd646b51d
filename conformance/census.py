"""How many small budget classes of a registry fail open, by class of input.

`docs/census.jsonl` has a line for each class: package, version, what `filterproof failopen` was
called with, and what it saw.  The page counts, and names
nobody.
"""

import json

HEAD = "| input | open | classes asked |\n|---|---|---|\n"


def counts(lines: str) -> dict[str, tuple[int, int]]:
    """Return, by class of input, how many classes fail open and how many were asked."""
    columns = [json.loads(line)["seen"] for line in lines.splitlines()]
    rows = dict.fromkeys(row for column in columns for row in column)
    found = {}
    for row in rows:
        asked = [column[row]["open"] for column in columns if column.get(row, {}).get("text")]
        found[row] = sum(asked), len(asked)
    return found


def as_markdown(lines: str) -> str:
    """Return the table of counts.

    >>> line = '{"seen": {"NaN": {"text": "granted", "open": true}}}'
    >>> print(as_markdown(line), end="")
    | input | open | classes asked |
    |---|---|---|
    | NaN | 1 | 1 |
    """
    rows = counts(lines).items()
    return HEAD + "".join(f"| {row} | {opened} | {asked} |\n" for row, (opened, asked) in rows)
