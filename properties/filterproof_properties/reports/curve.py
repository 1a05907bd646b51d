"""The history of a search as a small step curve in SVG."""

from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 180, 48, 28, 12


def history_svg(history: Sequence[tuple[int, float | None]], tried: int) -> str:
    """Return how the worst H/δ grew with the number of plays; a dashed line marks H = δ."""
    points = [(plays, ratio) for plays, ratio in history if ratio is not None]
    top = max([1.0, *(ratio for _, ratio in points)]) * 1.1
    last = max(tried, *(plays for plays, _ in points), 2) if points else 2

    def x(plays: float) -> float:
        return LEFT + (WIDTH - LEFT - 8) * (plays - 1) / (last - 1)

    def y(ratio: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * ratio / top

    steps = "".join(
        _step(x(plays), y(ratio), first=not i) for i, (plays, ratio) in enumerate(points)
    )
    worst = f"{points[-1][1]:.4g}" if points else "none"
    ticks = [(1.0, "1"), *([(points[-1][1], worst)] if points and points[-1][1] > 1.2 else [])]
    labels = "".join(
        f'<text x="{LEFT - 6}" y="{y(ratio) + 4:.1f}" text-anchor="end">{said}</text>'
        for ratio, said in ticks
    )
    return (
        f'<svg class="history" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="worst H over delta after {tried} plays: {worst}">'
        f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - 8}" fill="none"/>'
        f'<path class="limit" d="M{LEFT} {y(1):.1f}H{WIDTH - 8}"/>'
        f'<path class="curve" d="{steps}H{x(last):.1f}"/>{labels}'
        f'<text x="{LEFT}" y="{HEIGHT - 8}">1</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 8}" text-anchor="end">{last} plays</text></svg>'
    )


def _step(x: float, y: float, *, first: bool) -> str:
    return f"M{x:.1f} {y:.1f}" if first else f"H{x:.1f}V{y:.1f}"
