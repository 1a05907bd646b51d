"""Dot charts as SVG text: rows of marks on a number line, panels side by side; needs nothing."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

LABELS, WIDTH, ROW, TOP, GAP = 176, 250, 17, 34, 26
"""Widths and heights in pixels: row labels, a panel, a row, above a panel, between panels."""

HEADER, LEGEND = 30, 24

DARK = (
    "<style>@media (prefers-color-scheme: dark) "
    "{ svg { filter: invert(0.92) hue-rotate(180deg) } }</style>"
)
"""Where the reader's screen is dark, light and dark change places and hues stay."""


@dataclass(frozen=True)
class Series:
    """One kind of mark: how it is called and drawn."""

    name: str
    shape: str
    colour: str


@dataclass(frozen=True)
class Mark:
    """A value of a series in a row of a panel, with the half-width of its error bar.

    With a label it is a bar from the left, and the label stands behind it; `lane` is how far below
    the middle of the row it stands.
    """

    row: int
    series: Series
    value: float
    error: float = 0.0
    label: str = ""
    lane: float = 0.0


@dataclass(frozen=True)
class Panel:
    """A number line for every row; `place` maps a value to 0..1."""

    title: str
    ticks: tuple[float, ...]
    place: Callable[[float], float]
    marks: tuple[Mark, ...]


def chart(
    title: str,
    rows: Sequence[str],
    panels: Sequence[Sequence[Panel]],
    legend: Sequence[Series],
    notes: Sequence[str],
    height: int = ROW,
) -> str:
    """Return the picture: lines of panels that share the row labels on the left."""
    across = max(len(line) for line in panels)
    wide = LABELS + across * (WIDTH + GAP)
    high = TOP + len(rows) * height + GAP
    start = HEADER + (LEGEND if legend else 0)
    whole = start + len(panels) * high + 16 * len(notes) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{whole}" '
        f'viewBox="0 0 {wide} {whole}" font-family="Helvetica, Arial, sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        DARK,
        f'<rect width="{wide}" height="{whole}" fill="white"/>',
        _text(12, 20, title, size=15),
        *_legend(legend, HEADER + 14),
    ]
    for down, line in enumerate(panels):
        top = start + down * high
        parts += [
            _text(LABELS - 10, top + TOP + height * (i + 0.5) + 4, row, anchor="end")
            for i, row in enumerate(rows)
        ]
        for right, panel in enumerate(line):
            parts += _panel(panel, len(rows), height, LABELS + right * (WIDTH + GAP), top)
    end = start + len(panels) * high + 6
    parts += [_text(12, end + 16 * i, note, colour="#555") for i, note in enumerate(notes)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(legend: Sequence[Series], y: float) -> Iterator[str]:
    x = 20.0
    for series in legend:
        yield _shape(series, x, y - 4)
        yield _text(x + 12, y, series.name)
        x += 30 + 6.2 * len(series.name)


def _panel(panel: Panel, rows: int, height: int, left: float, top: float) -> Iterator[str]:
    low, high = top + TOP, top + TOP + rows * height
    yield _text(left, top + 14, panel.title)
    for tick in panel.ticks:
        x = left + WIDTH * panel.place(tick)
        yield _line(x, low, x, high, "#ddd")
        yield _text(x, high + 13, f"{tick:g}", anchor="middle", colour="#555")
    for i in range(rows):
        y = low + height * (i + (0.5 if height == ROW else 1))
        yield _line(left, y, left + WIDTH, y, "#eee")
    for mark in panel.marks:
        y = low + height * (mark.row + 0.5) + mark.lane
        yield from _mark(mark, panel, left, y)


def _mark(mark: Mark, panel: Panel, left: float, y: float) -> Iterator[str]:
    ends = (mark.value - mark.error, mark.value + mark.error)
    x, x_ = (left + WIDTH * min(1.0, max(0.0, panel.place(end))) for end in ends)
    end = left + WIDTH * panel.place(mark.value)
    if mark.error:
        yield _line(x, y, x_, y, mark.series.colour)
    if mark.label:
        yield _bar(left, y, end, mark.series.colour)
        yield _text(x_ + 7, y + 4, mark.label)
    yield _shape(mark.series, end, y)


def _bar(left: float, y: float, end: float, colour: str) -> str:
    return (
        f'<rect x="{left:.1f}" y="{y - 4:.1f}" width="{end - left:.1f}" height="8" '
        f'fill="{colour}" fill-opacity="0.3"/>'
    )


def _shape(series: Series, x: float, y: float) -> str:
    c = series.colour
    shapes = {
        "dot": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{c}"/>',
        "bar": f'<path d="M{x:.1f} {y - 6:.1f}v12" stroke="{c}" stroke-width="1.6"/>',
        "square": f'<path d="M{x - 2:.1f} {y - 2:.1f}h4v4h-4z" fill="{c}"/>',
        "diamond": f'<path d="M{x:.1f} {y - 2.8:.1f}l2.8 2.8l-2.8 2.8l-2.8-2.8z" fill="{c}"/>',
        "triangle": f'<path d="M{x:.1f} {y - 2.6:.1f}l2.8 5h-5.6z" fill="{c}"/>',
    }
    return shapes[series.shape]


def _line(x: float, y: float, x_: float, y_: float, colour: str) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x_:.1f}" y2="{y_:.1f}" stroke="{colour}" '
        'stroke-width="1"/>'
    )


def _text(
    x: float, y: float, text: str, *, size: int = 11, anchor: str = "start", colour: str = "#222"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}">{escape(text)}</text>'
    )
