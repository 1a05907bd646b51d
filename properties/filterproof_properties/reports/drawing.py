"""The play as a drawing: requests, outputs with both probabilities, the winning branch in colour.

Time runs from left to right: a box is a request with the filter's answer, a pill one of its
outputs.  What leads to a winning output runs straight on, and the rest hangs below it.  A play with
many endings is cut to those that win.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markupsafe import escape

from filterproof_properties.reports.own_words import decimal
from filterproof_properties.reports.picture import Branch, Picture, Turn
from filterproof_properties.reports.sentence import sentence

BOX, PILL, GAP, ROW, HALF = 112, 150, 26, 52, 21
"""Widths of a request and an output, the space between, the height of a row, half of a shape's."""
MOST_ENDINGS = 12
"""More endings than this do not fit a screen: those that do not win are left out."""
DEEPEST = 6
"""So many requests in a row are drawn; a reader loses the thread beyond, and the list has them."""
LETTERS = 13
"""As many letters of a name as fit into a shape."""
ANSWERS = {"continue": "runs, goes on", "last": "runs, ends", "halt": "halts", "refuse": "refused"}


@dataclass
class Canvas:
    """What was drawn so far, and how far it reaches."""

    shapes: list[str] = field(default_factory=list)
    free: list[int] = field(default_factory=lambda: [0] * DEEPEST)
    width: int = 0

    def take_row(self, depth: int, *, leads_on: bool) -> int:
        """Return the next row that is free at a depth; and beyond it, for what leads on."""
        return max(self.free[depth : None if leads_on else depth + 1])

    def middle(self, row: int, depth: int) -> float:
        """Return the height of the middle of a row, which is taken at this depth from now on."""
        self.free[depth] = max(self.free[depth], row + 1)
        return (row + 0.5) * ROW


def play_svg(shown: Picture) -> str:
    """Return the drawing of a violation as SVG."""
    first = shown.first
    if endings(first) > MOST_ENDINGS:
        first = winning_only(first)
    canvas = Canvas()
    _draw_turn(canvas, first, 0, 0)
    height = max(canvas.free) * ROW
    return (
        f'<svg class="play" width="{canvas.width}" height="{height}" role="img" '
        f'viewBox="0 0 {canvas.width} {height}" aria-label="{escape(sentence(shown))}">'
        f"{''.join(reversed(canvas.shapes))}</svg>"
    )


def endings(turn: Turn) -> int:
    """Return how many branches end below a turn."""
    return sum(endings(one.turn) if one.turn else 1 for one in turn.branches)


def winning_only(turn: Turn) -> Turn:
    """Return the turn with those branches only that lead to a winning output."""
    kept = [one for one in turn.branches if wins(one)]
    shorter = (replace(one, turn=winning_only(one.turn)) if one.turn else one for one in kept)
    return replace(turn, branches=tuple(shorter))


def wins(branch: Branch) -> bool:
    """Whether a branch ends in the winning set, or some branch below it does."""
    below = branch.turn.branches if branch.turn else ()
    return branch.in_event or any(wins(one) for one in below)


def _draw_turn(canvas: Canvas, turn: Turn, depth: int, row: int) -> None:
    """Draw a request and all that follows; what wins, and leads on, goes straight on."""
    left = depth * (BOX + PILL + 2 * GAP)
    y = canvas.middle(row, depth)
    won = any(wins(one) for one in turn.branches)
    if turn.decision != "halt":
        for place, branch in enumerate(sorted(turn.branches, key=_aside)):
            leads_on = branch.turn is not None and depth + 1 < DEEPEST
            there = canvas.take_row(depth, leads_on=leads_on) if place else row
            _draw_branch(canvas, branch, depth, there)
            end = canvas.middle(there, depth)
            canvas.shapes.append(_edge(left + BOX, y, left + BOX + GAP, end, won=wins(branch)))
    canvas.shapes += reversed([*_box(turn, left, y, won=won)])
    canvas.width = max(canvas.width, left + BOX + 2)


def _aside(branch: Branch) -> tuple[bool, bool]:
    """Return what sorts branches: those that win come first, and of these what leads on."""
    return not wins(branch), branch.turn is None


def _draw_branch(canvas: Canvas, branch: Branch, depth: int, row: int) -> None:
    left = depth * (BOX + PILL + 2 * GAP) + BOX + GAP
    y = canvas.middle(row, depth)
    if branch.turn and depth + 1 < DEEPEST:
        _draw_turn(canvas, branch.turn, depth + 1, row)
        canvas.shapes.append(_edge(left + PILL, y, left + PILL + GAP, y, won=wins(branch)))
    cut = depth + 1 >= DEEPEST
    canvas.shapes += reversed([*_pill(branch, left, y, won=wins(branch), cut=cut)])
    canvas.width = max(canvas.width, left + PILL + 2)


def _edge(x: float, y: float, x_: float, y_: float, *, won: bool) -> str:
    middle = (x + x_) / 2
    curve = f"M{x} {y}C{middle} {y} {middle} {y_} {x_} {y_}"
    return f'<path class="edge{" won" if won else ""}" d="{curve}"/>'


def _box(turn: Turn, left: float, y: float, *, won: bool) -> Iterator[str]:
    often = f" × {turn.times}" if turn.times > 1 else ""
    yield _shape("asks", left, y, BOX, 6, won=won)
    yield _line(left + BOX / 2, y - 4, "name", f"asks {_short(turn.request)}{often}", turn.request)
    yield _line(left + BOX / 2, y + 12, "soft", ANSWERS[turn.decision])


def _pill(branch: Branch, left: float, y: float, *, won: bool, cut: bool) -> Iterator[str]:
    name = branch.output or "nothing released"
    more = " …" if branch.turn and cut else ""
    star = "★ " if branch.in_event else ""
    yield _shape("output", left, y, PILL, HALF, won=won)
    yield _line(left + PILL / 2, y - 4, "name", f"{star}{_short(name)}{more}", name)
    masses = (
        f'<tspan class="px">{decimal(branch.p)}</tspan> '
        f'<tspan class="px2">{decimal(branch.q)}</tspan>'
    )
    yield f'<text class="masses" x="{left + PILL / 2}" y="{y + 12}">{masses}</text>'


def _shape(kind: str, left: float, y: float, width: int, round_: int, *, won: bool) -> str:
    size = f'width="{width}" height="{2 * HALF}" rx="{round_}"'
    return f'<rect class="{kind}{" won" if won else ""}" x="{left + 1}" y="{y - HALF}" {size}/>'


def _line(x: float, y: float, kind: str, said: str, whole: str = "") -> str:
    title = f"<title>{escape(whole)}</title>" if whole else ""
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(said)}{title}</text>'


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
