"""The charts of the documentation, drawn from the data that lies beside them.

`python -m docs.figures.charts docs/pictures` draws them again.
"""

import csv
import math
import sys
from collections.abc import Callable
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
    Cell,
    read,
)
from filterproof.curves.gaussian import Setting
from filterproof.curves.survival import Curve
from filterproof_properties.reports.figure import DEFAULT_EPSILON, draw

# --- surveys of one record ------------------------------------------------------------------

SURVEYED = {
    "floor-additive": Series("floor over additive", "wide ring", "#b8860b"),
    "compensator": Series("compensator", "ring", "#c0392b"),
    "additive": Series("additive", "square", "#888"),
    "rdp-tight": Series("Rényi", "triangle", "#2e7d32"),
    "gdp": Series("Gaussian DP", "diamond", "#1565c0"),
    "hybrid": Series("Pan's hybrid", "dot", "#222"),
    OPTIMUM: Series("optimum (no filter)", "bar", "#8e24aa"),
}
"""What the picture shows of the table, and how; the table has more filters."""


def surveys(text: str) -> str:
    """Return the picture of `surveys.csv`."""
    cells = [cell for cell in read(text) if cell.filter in SURVEYED]
    rows = list(dict.fromkeys(cell.survey.name for cell in cells))

    def panel(epsilon: object, delta: object) -> Panel:
        here = (c for c in cells if (c.survey.epsilon, c.survey.delta) == (epsilon, delta))
        marks = tuple(_surveyed(cell, rows) for cell in here)
        title = f"epsilon = {epsilon}, delta = {delta}"
        return Panel(title, (0, 4, 8, 12), lambda value: value / ROUNDS, marks)

    panels = [[panel(epsilon, delta) for epsilon in EPSILONS] for delta in DELTAS]
    notes = [
        f"Expected answers of at most {ROUNDS}, each so strong that {PART} of them add up to "
        "epsilon (to delta for erasure). One record with k values, each equally likely.",
        "k = 2 and erasure: all exact. k = 4: the floor and unary encoding are simulated, the "
        "rest is exact. k = 16: simulated; lines are 3.3 standard errors.",
    ]
    title = "How many questions about one record each filter answers"
    return chart(title, rows, panels, list(SURVEYED.values()), notes)


def _surveyed(cell: Cell, rows: list[str]) -> Mark:
    error = 0.0 if cell.error == "exact" else float(cell.error)
    row = rows.index(cell.survey.name)
    return Mark(row, SURVEYED[cell.filter], float(cell.rounds), error)


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
