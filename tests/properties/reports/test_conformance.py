"""The conformance page says what was observed, links to it, and is readable in a browser."""

import ast
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conformance import history
from conformance import observe as conformance
from conformance import page as drawing
from conformance.__main__ import main
from conformance.findings import Finding, finding_of
from conformance.mends import MENDS
from conformance.observe import ASPECTS, Cell, Observed
from conformance.odometers import PUBLISHED
from filterproof.filter import ProtocolError
from filterproof.filters.naive import Naive
from filterproof.witness import worst_case
from filterproof_properties.adapters import ADAPTERS, info_of, load
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.targets.evaluate import certify_violation
from tests.needs import needs_chromium
from tests.properties.adapters.test_failopen import COLUMNS, LIVENESS
from tests.properties.adapters.test_findings import text_of
from tests.properties.reports.test_browser import chromium

DOCS = Path(__file__).parents[3] / "docs"
ROWS = {row["adapter"]: row for row in drawing.rows(DOCS / "conformance")}
SLICED = {
    name: ast.literal_eval(said) for name, said in (one.split(": ", 1) for one in LIVENESS[199:])
}
NOTHING = Record("opendp", Verdict.NOT_FOUND, None, "", 100, 30.0)
SEEN = Observed(NOTHING, (), None, None)


def cell(name: str, aspect: str) -> Cell:
    told = ROWS[name]["cells"][aspect]
    return Cell(told["mark"], told["says"], tuple(told["evidence"]))


# --- the committed files ------------------------------------------------------------------------


def test_every_library_that_is_asked_as_a_filter_has_a_file() -> None:
    missing = {one.name for one in ADAPTERS.values() if "odometer" not in one.kind} - set(ROWS)
    assert not missing, f"run: python -m conformance NAME --output docs/conformance; {missing}"
    assert set(ROWS) <= set(ADAPTERS)


def test_every_file_has_the_shape_of_the_schema() -> None:
    schema = json.loads((DOCS / "schemas/conformance.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    for row in ROWS.values():
        validator.validate(row)
    bare = json.loads(json.dumps(ROWS["opendp"]))
    bare["cells"]["privacy"]["evidence"] = []
    assert not validator.is_valid(bare)


def test_all_evidence_is_there() -> None:
    for row in ROWS.values():
        for one in row["cells"].values():
            assert all((DOCS / path).is_file() for path in one["evidence"]), row["adapter"]


def test_the_page_and_the_badges_are_drawn_from_the_files() -> None:
    made = drawing.pictures(DOCS / "conformance")
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, "run: make -C conformance page"
    assert {*(DOCS / "conformance/badges").iterdir()} <= set(made)


def test_a_badge_does_not_pass_over_failures_that_are_not_charged() -> None:
    for name, says in (("lomas", "failures are not charged"), ("tmlt", "no violation found")):
        assert says in drawing.drawn(ROWS[name])
    assert ROWS["lomas"]["cells"]["privacy"]["mark"] == "kept"


@pytest.mark.parametrize("name", sorted({*ROWS} & {*COLUMNS}))
def test_the_cells_of_odd_input_are_those_of_the_fail_open_table(name: str) -> None:
    column = COLUMNS[name]
    assert ROWS[name]["library_version"] == column["version"]
    findings = tuple(one for one in PUBLISHED if one.adapter == name)
    seen = replace(SEEN, inputs=column["seen"], findings=findings)
    assert conformance.inputs(column["seen"]) == cell(name, "fail-open inputs")
    assert conformance.failure(seen) == cell(name, "failure charged")
    assert conformance.threads(info_of(name), column["seen"]) == cell(name, "threads")


@pytest.mark.parametrize("name", sorted({*ROWS} & {*SLICED}))
def test_the_cell_of_liveness_is_that_of_the_table(name: str) -> None:
    assert conformance.live(SLICED[name]) == cell(name, "liveness")


def test_every_published_finding_is_evidence_in_its_row() -> None:
    for finding in PUBLISHED:
        if finding.adapter in ROWS:
            told = ROWS[finding.adapter]["cells"][conformance.aspect(finding)]
            assert f"findings/{finding.name}.md" in told["evidence"]
            assert told["mark"] in ("broken", "open")


# --- what follows from what was seen --------------------------------------------------------------


def test_a_finding_is_the_librarys_or_that_of_the_use() -> None:
    use, library = (
        replace(SEEN, findings=(finding_of(name),))
        for name in ("dp-accounting-pld-as-filter", "opacus-forgets-after-refusal")
    )
    assert conformance.privacy(info_of("dp-accounting-pld"), use).mark == "open"
    assert conformance.privacy(info_of("opacus"), library).mark == "broken"
    assert conformance.privacy(info_of("opacus"), SEEN).mark == "kept"


def test_what_the_search_finds_is_a_violation_unless_it_is_tiny() -> None:
    found = certify_violation("naive", Naive, SPECIMENS["naive"]())
    real, tiny = (
        replace(SEEN, record=replace(NOTHING, verdict=Verdict.VIOLATED, certificate=text))
        for text in (found.certificate, text_of("diffprivlib-absorbed-epsilon"))
    )
    info = info_of("opendp")
    assert conformance.privacy(info, real).mark == "broken"
    assert "opendp.certificate.json" in conformance.files("opendp", real)
    assert conformance.privacy(info, tiny).says.startswith("no violation beyond rounding found")
    assert [*conformance.files("opendp", tiny)] == ["opendp.json"]
    assert conformance.rounding(tiny).mark == "open"
    assert conformance.rounding(SEEN) == conformance.NOT_ASKED


def test_a_failure_that_the_search_finds_is_told_apart_from_the_rest() -> None:
    text = text_of("opendp-failure-not-charged")
    assert conformance.rests_on_failure(text)
    assert not conformance.rests_on_failure(text_of("diffprivlib-absorbed-epsilon"))
    told = replace(SEEN, failing=text)
    assert "failures apart" in conformance.privacy(info_of("opendp"), told).says
    assert conformance.failure(told).mark == "open"
    assert conformance.files("opendp", told)["opendp.certificate.json"] == text


def test_a_target_that_is_not_told_of_failures_charges_them() -> None:
    finding = finding_of("opendp-failure-not-charged")
    charging = conformance.charged(load(finding.adapter))(finding.epsilon, finding.delta)
    assert worst_case(charging, finding.make(), finding.epsilon).value == 0


def test_an_audit_that_concludes_nothing_is_not_a_pass() -> None:
    failed = replace(SEEN, record=replace(NOTHING, verdict=Verdict.FAILED, error="it raised"))
    told = conformance.privacy(info_of("opendp"), failed)
    assert told == Cell("not asked", "target failed: it raised")


def test_slices_granted_too_often_are_a_matter_of_rounding() -> None:
    late, early = ({"early": 0, "exact": 7, "late": 2}, {"early": 3, "exact": 6, "late": 0})
    assert conformance.rounding(replace(SEEN, slices=late)).mark == "open"
    assert conformance.rounding(replace(SEEN, slices=early)).mark == "kept"
    assert (conformance.live(late).mark, conformance.live(early).mark) == ("kept", "strict")


def test_open_rows_are_counted_and_named() -> None:
    row = {"text": "", "open": True}
    closed = {"text": "", "open": False}
    assert conformance.inputs({"NaN": row, "zero": closed}).says == "1 of 2 open: NaN"
    assert conformance.inputs({"zero": closed, "racing threads": row}).mark == "kept"
    assert conformance.failure(replace(SEEN, inputs={"failing mechanism": closed})).mark == "kept"


def test_one_command_observes_an_adapter(tmp_path: Path) -> None:
    name = "dp-accounting-rdp-one-order"
    assert main([name, "--examples", "2", "--output", str(tmp_path)]) == 0
    (row,) = drawing.rows(tmp_path)
    assert [row["cells"][aspect]["mark"] for aspect in ASPECTS] == ["kept"] + ["not asked"] * 5
    assert len(drawing.pictures(tmp_path)) == 2


def test_an_unknown_adapter_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opendb"]) == 2
    assert "no adapter 'opendb'; near: opendp" in capsys.readouterr().err


@pytest.mark.parametrize("change", [{"version": 2}, {"adapter": "other"}, {"cells": {}}])
def test_a_file_of_another_shape_is_not_drawn(change: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "opendp.json"
    path.write_text(json.dumps(ROWS["opendp"] | change), encoding="utf-8")
    with pytest.raises(drawing.NotConformance, match=re.escape(str(path))):
        drawing.rows(tmp_path)


def test_a_cell_that_was_not_asked_says_what_it_lacks() -> None:
    text = drawing.page([ROWS["jax-privacy"]], {})
    assert all(drawing.WHY_NOT[one] in text for one in ASPECTS[1:])
    assert set(drawing.WHY_NOT) == set(ASPECTS)


# --- by version -------------------------------------------------------------------------------

HISTORY = (DOCS / "history.jsonl").read_text(encoding="ascii").splitlines()


def test_the_newest_version_of_the_history_is_the_one_that_the_page_speaks_of() -> None:
    for library, lines in history.by_library(HISTORY).items():
        versions = {row["library_version"] for row in ROWS.values() if row["library"] == library}
        assert versions == {lines[0]["version"]}


def test_every_finding_of_the_history_is_published_and_shown_on_its_newest_version() -> None:
    for library, lines in history.by_library(HISTORY).items():
        mine = [one for one in PUBLISHED if info_of(one.adapter).extra == library]
        assert [*lines[0]["seen"]] == [one.name for one in mine]
        assert all(said.endswith(" over") for said in lines[0]["seen"].values())


def test_a_version_is_observed_and_takes_the_place_of_its_old_line() -> None:
    (line,) = (one for one in HISTORY if '"opendp", "version": "0.16.0"' in one)
    assert history.observed("opendp") == json.loads(line)
    old = json.dumps({"library": "opendp", "version": "0.9.0", "seen": {}})
    made = history.written(
        [line.replace("over", "?"), line.replace("0.16.0", "0.2.0")], json.loads(line)
    )
    assert [json.loads(one)["version"] for one in made.splitlines()] == ["0.2.0", "0.16.0"]
    assert history.written([line], json.loads(old)).splitlines() == [old, line]


def test_a_version_without_the_part_says_so_and_another_error_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finding = finding_of("opendp-failure-not-charged")

    def lacks(self: Finding) -> None:
        raise ProtocolError("decide() raised") from AttributeError("no such filter")

    monkeypatch.setattr(Finding, "played", lacks)
    assert history.outcome(finding) == "no such part"

    def breaks(self: Finding) -> None:
        raise ProtocolError("decide() raised") from ValueError("another one")

    monkeypatch.setattr(Finding, "played", breaks)
    with pytest.raises(ProtocolError):
        history.outcome(finding)


def test_a_change_that_mends_a_finding_stands_on_its_page() -> None:
    for name, mend in MENDS.items():
        library = info_of(finding_of(name).adapter).library
        text = (DOCS / "findings" / f"{name}.md").read_text(encoding="utf-8")
        assert text.endswith(mend.text(library))


def test_what_a_file_says_is_escaped() -> None:
    row = ROWS["opendp"] | {"adapter": "<b>", "library_version": "1<script>"}
    text = drawing.page([row], {})
    assert "<script" not in text
    assert "<b>" not in text


# --- in a browser -----------------------------------------------------------------------------

DRIVER = """
<script>
const found = {};
const all = (what) => [...document.querySelectorAll(what)];
found.rows = all('.table tbody tr').map((row) => row.querySelectorAll('td').length);
const lacks = (td) => !td.querySelector('.not-asked') && !td.querySelector('a');
found.bare = all('.table td').filter(lacks).length;
found.wide = document.documentElement.scrollWidth - innerWidth;
const gone = (one) => !one.checkVisibility() && !one.closest('.silent');
found.hidden = all('.pill, .says, tbody svg').filter(gone).length;
found.badges = all('tbody svg').length;
const edge = (one) => one.getBoundingClientRect().right;
found.cut = all('tbody svg').filter((one) => edge(one.querySelector('g')) > edge(one) + 1).length;
found.requests = performance.getEntriesByType('resource').length;
found.background = getComputedStyle(document.body).backgroundColor;
const out = document.createElement('pre');
out.id = 'found';
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>
"""


def opened(page: Path, folder: Path, *options: str) -> dict[str, object]:
    dom = chromium(page, folder, "--dump-dom", "--window-size=1280,900", *options)
    match = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert match is not None
    found: dict[str, object] = json.loads(unescape(match[1]))
    return found


@needs_chromium
def test_the_page_is_readable_in_a_browser_in_light_and_in_dark(tmp_path: Path) -> None:
    text = (DOCS / "conformance/index.html").read_text(encoding="utf-8")
    page = tmp_path / "driven.html"
    text = re.sub(r"<meta http-equiv[^>]*>", "", text)  # which allows no script
    page.write_text(text.replace("</body>", DRIVER + "</body>"), encoding="utf-8")
    schemes = ("--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0")
    light, dark = (opened(page, tmp_path / str(i), one) for i, one in enumerate(schemes))
    assert light["rows"] == [len(ASPECTS)] * len(ROWS)
    assert (light["bare"], light["hidden"], light["requests"]) == (0, 0, 0)
    assert (light["badges"], light["cut"]) == (len(ROWS), 0)
    assert isinstance(light["wide"], int)
    assert light["wide"] <= 0  # a wide table scrolls inside its frame
    assert light["background"] != dark["background"]
    phone = opened(page, tmp_path / "phone", "--window-size=390,844")
    assert isinstance(phone["wide"], int)
    assert (phone["wide"] <= 0, phone["bare"], phone["hidden"]) == (True, 0, 0)
