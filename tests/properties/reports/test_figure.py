"""The figure: what it says, what its CSV holds, and what happens without matplotlib."""

import csv
import io
import sys
from pathlib import Path

import pytest

from filterproof.curves.figure import BOUND, KNOWN_BAD, MECHANISM, REALISED, curves
from filterproof.curves.gaussian import Setting
from filterproof.curves.survival import Curve, fixed_stop
from filterproof_properties.reports.figure import (
    FigureError,
    blocks,
    caption,
    csv_text,
    draw,
    parameter_lines,
    spread,
    terminal_text,
)

PAPER = Setting(epsilon=10.0)
SHORT = Setting(epsilon=10.0, rounds=4)
FOUND: list[tuple[str, Curve]] = [
    (MECHANISM, fixed_stop("additive", 2, 4)),
    (KNOWN_BAD, fixed_stop("advanced (printed)", 0, 4)),
    (MECHANISM, fixed_stop("exact GDP", 4, 4)),
    (REALISED, Curve("Algorithm 1", (1.0, 1.0, 0.5, 0.25))),
    (REALISED, Curve("naive at delta/N", (1.0, 0.9, 0.75, 0.5))),
    (REALISED, Curve("compensator", (1.0, 1.0, 1.0, 0.75), 0.01)),
    (BOUND, Curve("optimum", (1.0, 1.0, 1.0, 0.875), 0.001)),
]


def test_every_filter_of_the_paper_and_every_missing_baseline_has_a_curve() -> None:
    kinds = {curve.name: kind for kind, curve in curves(Setting(epsilon=1.0, rounds=2))}
    assert list(kinds) == [
        "additive",
        "advanced (printed)",
        "advanced (original)",
        "RDP",
        "RDP, tight conversion",
        "Whitehouse",
        "exact GDP",
        "Algorithm 1",
        "naive at delta/N",
        "naive product",
        "compensator",
        "optimum",
    ]
    assert kinds["advanced (printed)"] == KNOWN_BAD
    assert kinds["optimum"] == BOUND


def test_the_caption_says_that_the_paper_prints_no_epsilon() -> None:
    assert "The paper does not print the epsilon of its figure" in caption(PAPER)
    assert "the default, 10, is this project's choice" in caption(Setting(epsilon=3.0))
    assert "epsilon = 3," in caption(Setting(epsilon=3.0))


def test_the_printed_parameters_are_shown_where_they_apply() -> None:
    assert [line.split(":")[0] for line in parameter_lines(PAPER)] == [
        "Algorithm 1, paper's constraint",
        "Algorithm 1, sharp constraint",
        "Algorithm 1, as printed",
    ]
    assert len(parameter_lines(SHORT)) == 2


def test_the_csv_holds_every_number_once() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(FOUND))))
    assert list(rows[0]) == ["filter", "kind", "t", "survival", "error"]
    read = {(row["filter"], int(row["t"])): float(row["survival"]) for row in rows}
    assert len(read) == len(rows) == 4 * len(FOUND)
    for _, curve in FOUND:
        assert tuple(read[curve.name, t] for t in range(1, 5)) == curve.survival


def test_the_terminal_ranks_filters_by_expected_rounds_and_draws_their_curves() -> None:
    lines = terminal_text(SHORT, FOUND).splitlines()
    order = [line.split("  ")[0] for line in lines[4:11]]
    assert order == [
        "exact GDP",
        "optimum",
        "compensator",
        "naive at delta/N",
        "Algorithm 1",
        "additive",
        "advanced (printed)",
    ]
    assert "3.75 ±0.04" in lines[6]
    assert lines[8].endswith("██▄▂")
    assert "composition, not a filter; approximation, either side" in lines[-2]


def test_long_curves_are_averaged_into_few_blocks() -> None:
    assert blocks([1.0] * 480 + [0.0] * 480) == "█" * 24 + " " * 24
    assert spread([1.0, 1.0, 1.0], gap=0.5) == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("name", ["figure.png", "figure.svg"])
def test_the_same_numbers_give_the_same_picture(tmp_path: Path, name: str) -> None:
    first, second = tmp_path / name, tmp_path / f"again-{name}"
    draw(SHORT, FOUND, first)
    draw(SHORT, FOUND, second)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 5000


def test_the_picture_names_every_curve_directly(tmp_path: Path) -> None:
    draw(SHORT, FOUND, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    for label in ("compensator (3.8)", "optimum (3.9)", "additive (2)", "exact GDP (4 or more)"):
        assert f">{label}<" in text
    assert "legend" not in text


def test_another_kind_of_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FigureError, match=r"ends in \.png or \.svg; got 'figure.pdf'"):
        draw(SHORT, FOUND, tmp_path / "figure.pdf")


def test_without_matplotlib_one_line_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(FigureError, match=r"install filterproof\[report\]") as refusal:
        draw(SHORT, FOUND, tmp_path / "figure.png")
    assert "\n" not in str(refusal.value)
    assert terminal_text(SHORT, FOUND)
    assert csv_text(FOUND)
