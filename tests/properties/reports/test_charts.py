"""The charts of the documentation: drawn anew from the data beside them, and true to it."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.figures.charts import CHARTS, LANES, drawn_row, main
from docs.figures.dots import WIDTH, Mark, Panel, Series, chart
from docs.figures.surveys import read

PICTURES = Path(__file__).parents[3] / "docs/pictures"


def stored(name: str) -> str:
    return (PICTURES / name).read_text(encoding="utf-8")


def comparable(svg: str) -> str:
    """The picture without the version of the library that drew it."""
    return re.sub(r"<dc:title>.*?</dc:title>", "", svg)


@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_is_drawn_anew_as_it_stands(name: str) -> None:
    drawn = CHARTS[name](stored(f"{name}.csv"))
    assert comparable(drawn) == comparable(stored(f"{name}.svg"))


@pytest.mark.parametrize("name", ["surveys", "wide"])
def test_a_chart_follows_its_data(name: str) -> None:
    lines = stored(f"{name}.csv").splitlines()
    place = lines[0].split(",").index("rounds")
    cells = lines[1].split(",")
    cells[place] = "7.5"
    changed = "\n".join([lines[0], ",".join(cells), *lines[2:]])
    assert CHARTS[name](changed) != stored(f"{name}.svg")


def test_marks_stand_where_their_values_are() -> None:
    series = Series("a < b", "dot", "#222")
    marks = (Mark(0, series, 0.0), Mark(1, series, 6.0, error=3.0))
    panel = Panel("p", (0, 12), lambda value: value / 12, marks)
    root = ElementTree.fromstring(chart("t", ["x", "y"], [[panel]], [series], ["note"]))
    dots = [float(one.get("cx", "")) for one in root if one.tag.endswith("circle")]
    assert dots[2] - dots[1] == WIDTH / 2  # the first one is the legend's
    bars = [one for one in root if one.get("stroke") == "#222"]
    assert [float(bars[0].get(end, "")) - dots[1] for end in ("x1", "x2")] == [
        WIDTH / 4,
        3 * WIDTH / 4,
    ]
    assert "a < b" in [one.text for one in root]


def test_a_mark_with_a_label_is_a_bar_from_the_left() -> None:
    series = Series("a", "dot", "#222")
    panel = Panel("p", (0, 12), lambda value: value / 12, (Mark(0, series, 6.0, label="6"),))
    root = ElementTree.fromstring(chart("t", ["x"], [[panel]], [], []))
    bars = [one for one in root if one.get("fill-opacity")]
    assert [float(one.get("width", "")) for one in bars] == [WIDTH / 2]
    assert "6" in [one.text for one in root]


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_has_a_dark_side(name: str) -> None:
    assert "prefers-color-scheme: dark" in stored(f"{name}.svg")


def test_the_wide_chart_has_a_row_for_every_filter_on_every_domain() -> None:
    drawn = stored("wide.svg")
    assert drawn.count("fill-opacity") == len(stored("wide.csv").splitlines()) - 1 == 24


def test_rows_of_the_survey_that_are_not_drawn_are_drawn_by_another_name() -> None:
    """Erasure is the same for every k, and two kinds of noise for two values."""
    cells = read(stored("surveys.csv"))
    known = {(c.survey, c.filter): c.rounds for c in cells}
    hidden = [cell for cell in cells if not drawn_row(cell.survey)]
    assert {cell.survey.kind for cell in hidden} == {"erasure", "geometric"}
    for cell in hidden:
        erased = cell.survey.kind == "erasure"
        twin = replace(cell.survey, kind="erasure" if erased else "k-ary response", values=2)
        assert cell.rounds == known[twin, cell.filter]


def test_no_mark_of_the_survey_hides_another_group() -> None:
    """Every group has a lane of its own; the optimum, a line, stands behind the dot."""
    lanes = sorted(set(LANES.values()))
    assert len(lanes) == len(LANES) - 1
    assert min(b - a for a, b in pairwise(lanes)) >= 4.5


def test_the_title_of_the_survey_says_what_the_table_says() -> None:
    """Two to three times as many, save for erasure and unary encoding of 16 values."""
    known = {(c.survey, c.filter): float(c.rounds) for c in read(stored("surveys.csv"))}
    times: dict[bool, list[float]] = {True: [], False: []}
    for (survey, name), rounds in known.items():
        if name == "compensator" and known[survey, "additive"]:
            weak = survey.kind == "erasure" or survey.name == "unary encoding, k = 16"
            times[weak].append(rounds / known[survey, "additive"])
    assert 1.85 < min(times[False]) < max(times[False]) < 3
    assert max(times[True]) < 1.35


def test_all_charts_are_drawn_into_their_folder(tmp_path: Path) -> None:
    for name in CHARTS:
        (tmp_path / f"{name}.csv").write_text(stored(f"{name}.csv"), encoding="utf-8")
    main(tmp_path)
    assert all((tmp_path / f"{name}.svg").read_text().endswith("</svg>\n") for name in CHARTS)
