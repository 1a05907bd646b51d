"""The paper's figure of survival curves: as CSV, on a terminal, and as a picture.

The numbers come from `filterproof.curves.figure`; nothing is computed here.  A picture needs
matplotlib, which the extra `filterproof[report]` installs; the rest does not.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from filterproof.curves.baselines import composition_rows
from filterproof.curves.figure import BOUND, REALISED
from filterproof.curves.gaussian import (
    PRINTED,
    Parameters,
    Setting,
    best_parameters,
    kappa,
)
from filterproof.curves.survival import Curve

DEFAULT_EPSILON = 10.0
"""The ε that is plotted when none is asked for."""

BLOCKS = " ▁▂▃▄▅▆▇█"
FORMATS = (".png", ".svg")

Curves = Sequence[tuple[str, Curve]]


class FigureError(ValueError):
    """A picture that cannot be drawn as asked."""


# --- words -----------------------------------------------------------------------------------


def caption(setting: Setting) -> str:
    """Return what the reader must know: the setting, and that its ε is not the paper's."""
    return (
        f"P(T >= t) for one count asked again and again with Gaussian noise: "
        f"epsilon = {setting.epsilon:g}, delta = {setting.delta:g}, sigma = {setting.sigma:g}, "
        f"N = {setting.rounds}; Algorithm 1 with its best (delta_tilde, theta).\n"
        "In brackets: expected rounds, at most N. The paper does not print the epsilon of its "
        f"figure: the default, {DEFAULT_EPSILON:g}, is this project's choice."
    )


def parameter_lines(setting: Setting) -> list[str]:
    """Return the parameters of Algorithm 1: the best, the best under the sharp constraint."""
    lines = []
    for label, sharp in (("paper's constraint", False), ("sharp constraint", True)):
        found = best_parameters(setting, sharp=sharp)
        lines.append(_parameter_line(label, setting, found))
    if (setting.rounds, setting.delta) == (PRINTED[0], 1e-3):
        lines.append(_parameter_line("as printed", setting, Parameters(*PRINTED)))
    return lines


def _parameter_line(label: str, setting: Setting, found: Parameters) -> str:
    return (
        f"Algorithm 1, {label}: delta_tilde = {found.delta_tilde:.3e}, theta = {found.theta:.3e}, "
        f"kappa = {kappa(setting, found):.6f}"
    )


def csv_text(found: Curves) -> str:
    """Return the numbers, one line per filter and t."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["filter", "kind", "t", "survival", "error"])
    for kind, curve in found:
        for t, value in enumerate(curve.survival, 1):
            writer.writerow([curve.name, kind, t, f"{value:.12g}", f"{curve.error:.1e}"])
    return text.getvalue()


def terminal_text(setting: Setting, found: Curves) -> str:
    """Return the figure for a terminal: a line per filter, longest first, its curve in blocks."""
    lines = [*parameter_lines(setting), "", "Composition of a fixed number of rounds:"]
    lines += [f"  {name}: {rounds} ({kind})" for name, kind, rounds in composition_rows(setting)]
    return f"{caption(setting)}\n\n{table_text(found)}\n" + "\n".join(lines) + "\n"


def table_text(found: Curves) -> str:
    """Return a line per filter, longest first, its curve in blocks."""
    width = max((len(curve.name) for _, curve in found), default=0)
    lines = [f"{'filter':{width}}  rounds          P(T >= t), t = 1, 2, ..."]
    for _, curve in sorted(found, key=lambda one: -one[1].expected):
        lines.append(f"{curve.name:{width}}  {_rounds(curve):14}  {blocks(curve.survival)}")
    return "\n".join(lines) + "\n"


def _rounds(curve: Curve) -> str:
    if curve.expected_error < 0.005:
        return f"{curve.expected:.2f}"
    return f"{curve.expected:.2f} ±{curve.expected_error:.2f}"


def blocks(values: Iterable[float], width: int = 48) -> str:
    """Return numbers from 0 to 1 as a row of at most `width` blocks.

    >>> blocks([1, 0.5, 0])
    '█▄ '
    """
    known = list(values)
    step = max(1, -(-len(known) // width))
    means = [
        sum(known[i : i + step]) / len(known[i : i + step]) for i in range(0, len(known), step)
    ]
    return "".join(BLOCKS[round(8 * min(1.0, max(0.0, value)))] for value in means)


# --- the picture -----------------------------------------------------------------------------

_DASHES: dict[str, Any] = {
    "optimum": (0, (1, 1.5)),
    "compensator": "-",
    "naive at delta/N": (0, (6, 2)),
    "naive product": (0, (3, 1.2)),
    "Algorithm 1": (0, (6, 2, 1, 2)),
}
_WIDTHS = {
    "optimum": 1.2,
    "compensator": 2.4,
    "naive at delta/N": 1.4,
    "naive product": 1.4,
    "Algorithm 1": 2.0,
}


def check_drawable(path: Path) -> None:
    """Refuse, before anything is computed, a picture that could not be written."""
    if path.suffix.lower() not in FORMATS:
        raise FigureError(f"a picture ends in {' or '.join(FORMATS)}; got {path.name!r}")
    try:
        import matplotlib
    except ImportError as error:
        raise FigureError("a picture needs matplotlib: install filterproof[report]") from error
    matplotlib.rcParams["svg.hashsalt"] = "filterproof"
    matplotlib.rcParams["svg.fonttype"] = "none"


def draw(setting: Setting, found: Curves, path: Path) -> None:
    """Write the picture to a .png or .svg file."""
    check_drawable(path)
    figure, axes = _canvas(setting)
    axes.set_title(message(found, setting.rounds), loc="left", fontsize=11)
    moving = [curve for kind, curve in found if kind in (REALISED, BOUND)]
    still = [curve for kind, curve in found if kind not in (REALISED, BOUND)]
    _draw_fixed(axes, still, setting.rounds)
    for curve in moving:
        _draw_moving(axes, curve)
    _label_ends(axes, moving, setting.rounds)
    figure.text(0.01, 0.012, caption(setting), fontsize=7.5, va="bottom", linespacing=1.4)
    figure.savefig(path, dpi=200, metadata={} if path.suffix.lower() == ".png" else {"Date": None})


def message(found: Curves, rounds: int) -> str:
    """Return what the picture shows: how many rounds realised losses and accounting answer.

    >>> mechanism = ("mechanism-level filter", Curve("gdp", (1.0, 1.0)))
    >>> message([mechanism, (REALISED, Curve("compensator", (1.0, 1.0, 0.5)))], 4)
    'Looking at realised losses answers 2.5 of 4 rounds, accounting alone at most 2'
    """
    realised = [curve.expected for kind, curve in found if kind == REALISED]
    still = [curve.expected for kind, curve in found if kind not in (REALISED, BOUND)]
    if not realised or not still:
        return "How long each filter keeps answering"
    ends = dict.fromkeys(f"{one:.3g}" for one in (min(realised), max(realised)))
    return (
        f"Looking at realised losses answers {' to '.join(ends)} of {rounds} rounds, "
        f"accounting alone at most {max(still):.3g}"
    )


def _canvas(setting: Setting) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.07, 0.19, 0.74, 0.73))
    axes.set_xlim(-0.5, setting.rounds + 0.6)
    axes.set_ylim(0, 1.04)
    axes.set_xlabel("round t")
    axes.set_ylabel("P(T ≥ t)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _draw_moving(axes: Any, curve: Curve) -> None:
    ts = range(1, len(curve.survival) + 1)
    style, width = _DASHES[curve.name], _WIDTHS[curve.name]
    axes.plot(ts, curve.survival, color="black", linestyle=style, linewidth=width)


def _label_ends(axes: Any, moving: Sequence[Curve], rounds: int) -> None:
    """Name each curve at its right end; the labels are pushed apart where the ends are close."""
    ranked = sorted(moving, key=lambda one: (-one.survival[-1], -one.expected))
    heights = spread([curve.survival[-1] for curve in ranked])
    for curve, height in zip(ranked, heights, strict=True):
        label = f"{curve.name} ({curve.expected:.1f})"
        axes.text(rounds * 1.02 + 0.6, height, label, fontsize=9, va="center")


def spread(ends: Sequence[float], gap: float = 0.055) -> list[float]:
    """Return falling heights at least a gap apart, none below 0, near the given falling ends.

    >>> spread([0.5, 0.5, 0.0], gap=0.25)
    [0.5, 0.25, 0.0]
    >>> spread([0.0, 0.0], gap=0.25)
    [0.25, 0.0]
    """
    heights: list[float] = []
    for end in ends:
        heights.append(min(end, heights[-1] - gap) if heights else end)
    for i in reversed(range(len(heights))):
        heights[i] = max(heights[i], gap * (len(heights) - 1 - i))
    return heights


def _draw_fixed(axes: Any, still: Sequence[Curve], rounds: int) -> None:
    """Draw each filter that stops at a known round as a drop, and name it beside the drop."""
    names: dict[int, list[str]] = {}
    for curve in still:
        names.setdefault(round(curve.expected), []).append(curve.name)
    for stop, together in sorted(names.items()):
        x = stop + 0.5
        axes.plot([x, x], [0, 1], color="0.45", linewidth=1.0)
        label = f"{', '.join(together)} ({stop if stop < rounds else f'{rounds} or more'})"
        axes.text(x + 0.15, 0.02, label, rotation=90, fontsize=8, color="0.25", va="bottom")
