"""docs/internals/MUTANTS.md: how many mutants of a room were tried, why survivors are no fault."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutation.survivors import PAGE, REASONS
from tests.mutation.survivors.words import usual

Fate = Mapping[str, Any]
HEADS = "| survivor | was | is | why it is no fault |\n|---|---|---|---|"


@dataclass(frozen=True)
class Found:
    """What is known of one room: how many mutants it has, and what became of some."""

    room: str
    mutants: int
    fates: Sequence[Fate]

    @property
    def survivors(self) -> list[Fate]:
        """The mutants that no test noticed, as they stand in the code."""
        alive = [one for one in self.fates if one["said"] != "killed"]
        return sorted(alive, key=lambda one: (one["file"], one["line"], one["column"]))

    @property
    def unexplained(self) -> list[Fate]:
        """The survivors without a reason."""
        return [one for one in self.survivors if not reason(one)]

    def line(self) -> str:
        """Return the counts as Markdown."""
        tried, lived, open_ = len(self.fates), len(self.survivors), len(self.unexplained)
        cells = (f"`{self.room}`", self.mutants, tried, tried - lived, lived, lived - open_, open_)
        return "| " + " | ".join(map(str, cells)) + " |"


def reason(one: Fate) -> str:
    """Return why a survivor is no fault: that of its line, of just this change, or of all such."""
    said = REASONS.get((Path(one["file"]).name, one["text"]), "")
    change = f"{one['before']} -> {one['after']}"
    own = said if isinstance(said, str) else said.get(change, "")
    return own or usual(one["text"], change)


def row(one: Fate) -> str:
    """Return a survivor as Markdown."""
    where = f"`{Path(one['file']).name}` {one['line']}, `{one['owner'] or 'module'}`"
    cells = (where, _cell(one["before"]), _cell(one["after"]), reason(one) or "**not explained**")
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    short = text.replace("|", "¦")
    return f"`{short if len(short) <= 60 else short[:57] + '...'}`"


def page(rooms: list[Found]) -> str:
    """Return the whole page; a survivor with a reason is only counted."""
    rows = [row(one) for found in rooms for one in found.unexplained]
    table = "\n".join(["", HEADS, *rows, ""]) if rows else ""
    return PAGE.format(rooms="\n".join(found.line() for found in rooms), table=table)
