"""The play as a drawing: requests, outputs with both probabilities, the winning branch in colour.

Time runs from left to right: a box is a request with the filter's answer, a pill one of its
outputs.  A play with many endings is cut to those that win.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markupsafe import escape

from filterproof_properties.reports.picture import Branch, Picture, Turn
from filterproof_properties.reports.sentence import decimal, sentence

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
    rows: int = 0
    width: int = 0

    def next_row(self) -> float:
        """Return the middle of the next free row."""
        self.rows += 1
        return (self.rows - 0.5) * ROW


def play_svg(shown: Picture) -> str:
    """Return the drawing of a violation as SVG."""
    first = shown.first
    if endings(first) > MOST_ENDINGS:
        first = winning_only(first)
    canvas = Canvas()
    _draw_turn(canvas, first, 0)
    height = canvas.rows * ROW
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


def _draw_turn(canvas: Canvas, turn: Turn, depth: int) -> tuple[float, bool]:
    """Draw a request and all that follows; return its height and whether a winning branch does."""
    left = depth * (BOX + PILL + 2 * GAP)
    halted = turn.decision == "halt"
    ends = [(one, *_draw_branch(canvas, one, depth)) for one in turn.branches if not halted]
    y = (ends[0][1] + ends[-1][1]) / 2 if ends else canvas.next_row()
    won = any(one[2] for one in ends) or any(one.in_event for one in turn.branches if halted)
    for _, there, wins_there in ends:
        canvas.shapes.append(_edge(left + BOX, y, left + BOX + GAP, there, won=wins_there))
    canvas.shapes += reversed([*_box(turn, left, y, won=won)])
    canvas.width = max(canvas.width, left + BOX + 2)
    return y, won


def _draw_branch(canvas: Canvas, branch: Branch, depth: int) -> tuple[float, bool]:
    left = depth * (BOX + PILL + 2 * GAP) + BOX + GAP
    won = branch.in_event
    if branch.turn and depth + 1 < DEEPEST:
        y, below = _draw_turn(canvas, branch.turn, depth + 1)
        canvas.shapes.append(_edge(left + PILL, y, left + PILL + GAP, y, won=below))
        won = won or below
    else:
        y = canvas.next_row()
    canvas.shapes += reversed([*_pill(branch, left, y, won=won, cut=depth + 1 >= DEEPEST)])
    canvas.width = max(canvas.width, left + PILL + 2)
    return y, won


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
