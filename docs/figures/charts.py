"""The charts of the documentation, drawn from the data that lies beside them.

`python -m docs.figures.charts docs/pictures` draws them again.
"""

import csv
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.figures.dots import DARK, Mark, Panel, Series, chart
from docs.figures.surveys import (
    DELTAS,
    EPSILONS,
    OPTIMUM,
    PART,
    ROUNDS,
    VALUES,
    Cell,
    Survey,
    read,
)
from filterproof.curves.gaussian import Setting
from filterproof.curves.survival import Curve
from filterproof_properties.reports.figure import DEFAULT_EPSILON, draw

# --- surveys of one record ------------------------------------------------------------------

REALISED = ("compensator", "hybrid", "floor-additive")
"""Filters that look at realised losses: one mark for all, a line where they differ."""

SURVEYED = {
    REALISED: Series("compensator, Pan's hybrid, floor", "dot", "#c0392b"),
    (OPTIMUM,): Series("optimum (no filter)", "bar", "#8e24aa"),
    ("additive",): Series("adding up", "square", "#666"),
    ("rdp-tight",): Series("Rényi", "triangle", "#2e7d32"),
    ("gdp",): Series("Gaussian DP", "diamond", "#1565c0"),
}
"""What the picture shows of the table, and how; the table has more filters."""

LANES = {REALISED: -6.0, (OPTIMUM,): -6.0, ("additive",): -1.5, ("rdp-tight",): 3.0, ("gdp",): 7.5}
"""How far below the middle of its row each mark stands, so that none hides another."""


def surveys(text: str) -> str:
    """Return the picture of `surveys.csv`, without its middle delta and without equal rows."""
    cells = [cell for cell in read(text) if drawn_row(cell.survey)]
    rows = list(dict.fromkeys(row_name(cell.survey) for cell in cells))

    def panel(epsilon: object, delta: object) -> Panel:
        here = [c for c in cells if (c.survey.epsilon, c.survey.delta) == (epsilon, delta)]
        marks = tuple(_surveyed(here, rows))
        title = f"epsilon = {epsilon}, delta = {delta}"
        return Panel(title, (0, 4, 8, 12), lambda value: value / ROUNDS, marks)

    shown = (DELTAS[0], DELTAS[-1])
    panels = [[panel(epsilon, delta) for epsilon in EPSILONS] for delta in shown]
    notes = [
        f"Expected answers of at most {ROUNDS}, each so strong that {PART} of them add up to "
        "epsilon (to delta for erasure). One record with k values, each equally likely.",
        "A red line joins the three filters where they differ, with 3.3 standard errors where they "
        "are simulated: k = 16, and at k = 4 unary encoding and the floor. All else is exact.",
        "Geometric noise with k = 2 is k-ary response with k = 2.",
    ]
    title = (
        "Realised losses answer about two to three times as many questions as adding up, "
        "save for erasure and 16 bits"
    )
    return chart(title, rows, panels, list(SURVEYED.values()), notes, height=27)


def drawn_row(survey: Survey) -> bool:
    """Return whether a row is drawn: erasure is the same for every k, and two values for two."""
    if survey.kind == "erasure":
        return survey.values == VALUES[0]
    return survey.kind != "geometric" or survey.values > VALUES[0]


def row_name(survey: Survey) -> str:
    """Return what a row is called."""
    return "erasure, any k" if survey.kind == "erasure" else survey.name


def _surveyed(cells: list[Cell], rows: list[str]) -> Iterator[Mark]:
    """Yield one mark per row and group of filters, from the least of these to the most."""
    for row, name in enumerate(rows):
        for group, series in SURVEYED.items():
            found = [c for c in cells if row_name(c.survey) == name and c.filter in group]
            if found:
                low, high = (end(map(_ends, found)) for end in (_least, _most))
                yield Mark(row, series, (low + high) / 2, (high - low) / 2, lane=LANES[group])


def _ends(cell: Cell) -> tuple[float, float]:
    error = 0.0 if cell.error == "exact" else float(cell.error)
    return float(cell.rounds) - error, float(cell.rounds) + error


def _least(ends: Iterable[tuple[float, float]]) -> float:
    return min(low for low, _ in ends)


def _most(ends: Iterable[tuple[float, float]]) -> float:
    return max(high for _, high in ends)


# --- two databases, and many ----------------------------------------------------------------

COLUMNS = {
    "accountant": Series("Gaussian accounting", "dot", "#1565c0"),
    "compensator": Series("compensator alone", "dot", "#c0392b"),
    "floor 1/2": Series("floor, share 1/2", "dot", "#2e7d32"),
    "floor 9/10": Series("floor, share 9/10", "dot", "#2e7d32"),
}


def wide(text: str) -> str:
    """Return the picture of `wide.csv`."""
    lines = list(csv.DictReader(text.splitlines()))
    domains = list(dict.fromkeys(line["domain"] for line in lines))
    filters = list(dict.fromkeys(line["filter"] for line in lines))
    rows = [
        name
        for domain in domains
        for name in (domain.upper(), *(COLUMNS[one].name for one in filters))
    ]

    def mark(line: dict[str, str]) -> Mark:
        row = domains.index(line["domain"]) * (1 + len(filters)) + 1 + filters.index(line["filter"])
        rounds = line["rounds"]
        return Mark(row, COLUMNS[line["filter"]], float(rounds), float(line["error"]), rounds)

    def panel(setting: str) -> Panel:
        marks = tuple(mark(line) for line in lines if line["setting"] == setting)
        return Panel(setting, (1, 3, 10, 30, 100, 300), _logarithmic, marks)

    panels = [[panel(setting) for setting in dict.fromkeys(line["setting"] for line in lines)]]
    notes = [
        "Rounds until refusal of the filter to run, on a logarithmic scale: mean of 40 seeded "
        "plays, lines are 99% confidence intervals.",
        "One count, which is 30, asked again and again with discrete Gaussian noise.",
    ]
    title = (
        "Realised losses answer far more on two databases and far less on many; "
        "a floor keeps most of both"
    )
    return chart(title, rows, panels, [], notes)


def _logarithmic(value: float) -> float:
    return math.log(max(value, 1.0)) / math.log(1000)


# --- the paper's figure ---------------------------------------------------------------------


def gaussian(text: str) -> str:
    """Return the paper's figure from `gaussian.csv`, which `filterproof figure` writes."""
    lines = csv.DictReader(text.splitlines())
    found = []
    for (name, kind), points in groupby(lines, key=lambda line: (line["filter"], line["kind"])):
        known = list(points)
        survival = tuple(float(point["survival"]) for point in known)
        found.append((kind, Curve(name, survival, float(known[0]["error"]))))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        draw(Setting(epsilon=DEFAULT_EPSILON), found, path)
        return path.read_text(encoding="utf-8").replace("<defs>", f"{DARK}\n <defs>", 1)


CHARTS: dict[str, Callable[[str], str]] = {"surveys": surveys, "wide": wide, "gaussian": gaussian}
"""The name of a data file, and the picture of the same name that is drawn from it."""


def main(folder: Path) -> None:
    """Draw every chart from the data in the folder into the same folder."""
    for name, drawn in CHARTS.items():
        text = (folder / f"{name}.csv").read_text(encoding="utf-8")
        (folder / f"{name}.svg").write_text(drawn(text), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
