"""Every report says the same, in a form that its readers accept."""

import json
from dataclasses import replace
from email.message import Message
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.run_all import RunAll
from filterproof_properties.audit.record import (
    SMALL,
    Best,
    ClaimRecord,
    Record,
    Tick,
)
from filterproof_properties.audit.running import audit_here
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.games.named import chain
from filterproof_properties.options.settings import Settings
from filterproof_properties.reports import html, junit, markdown, sarif, terminal
from filterproof_properties.reports.curve import history_svg
from filterproof_properties.reports.files import UnknownReport, certificate_name, json_text, writer
from filterproof_properties.reports.picture import picture
from filterproof_properties.reports.plain import counterexample, plain
from filterproof_properties.targets.evaluate import certify_violation
from filterproof_properties.targets.target import Loaded

DOCS = Path(__file__).parents[3] / "docs"
SCHEMAS = DOCS / "schemas"
EVIL = "<script>alert('&')</script>|\x00"


def note(news: Tick | Record) -> None:
    assert news.target in ("naive", "compensator")


@pytest.fixture(scope="module")
def audited() -> list[Record]:
    """One violation, one filter without, as the engine reports them."""
    targets = [Loaded("naive", Naive, ("dp",)), Loaded("compensator", Compensator, ("dp",))]
    return [audit_here(one, Settings(examples=1), note) for one in targets]


@pytest.fixture(scope="module")
def records(audited: list[Record]) -> list[Record]:
    """All verdicts there are, with names that no format likes."""
    best = Best("a case", "log(3/2)", "0", {}, "1/2 - 1/3*e^eps", None)
    return [
        *audited,
        Record(EVIL, Verdict.FAILED, None, EVIL, 0, 0.1, error=f"it said {EVIL}"),
        Record("dull", Verdict.INCONCLUSIVE, None, "", 0, 0.0, error="declined every case"),
        Record(
            "f.py:F",
            Verdict.CLAIM_BROKEN,
            None,
            "",
            7,
            0.2,
            best,
            (ClaimRecord("monotone", False, EVIL), ClaimRecord("purity", True, "fine")),
            ("all games of 2 rounds",),
            history=((1, None),),
        ),
        replace(audited[0], target="known", as_expected=True),
    ]


def test_table_picture_and_certificate_speak_of_the_same_game(audited: list[Record]) -> None:
    one = audited[0]
    shown, said = picture(one.certificate), json.loads(one.certificate)
    assert one.best is not None
    assert (one.best.epsilon, one.best.delta) == (said["epsilon"], said["delta"])
    assert (one.best.ratio, one.best.value) == (shown.ratio, str(shown.value))
    assert terminal.ratio_text(one).plain == f"{shown.ratio:.4g}"
    assert f"({shown.ratio:.4g} x)" in counterexample(one.certificate)


def test_the_json_report_obeys_its_schema(records: list[Record]) -> None:
    schema = json.loads((SCHEMAS / "report.schema.json").read_text())
    data = json.loads(json_text(records))
    Draft202012Validator(schema).validate(data)
    assert [one["verdict"] for one in data["results"]] == [str(one.verdict) for one in records]


def test_the_schema_demands_a_certificate_of_a_violation(records: list[Record]) -> None:
    schema = json.loads((SCHEMAS / "report.schema.json").read_text())
    data = json.loads(json_text(records))
    data["results"][0]["certificate"] = None
    assert not Draft202012Validator(schema).is_valid(data)


def test_the_sarif_report_obeys_the_standard(records: list[Record]) -> None:
    schema = json.loads((SCHEMAS / "sarif-subset.schema.json").read_text())
    log = json.loads(sarif.text(records))
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(log)
    results = log["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["violation", "failed", "inconclusive", "claim"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in results)
    assert results[0]["properties"]["certificate"]["schema"] == "filterproof.certificate"


@pytest.mark.parametrize(
    ("links", "shown"),
    [
        (
            ["Repository, https://x.example/f"],
            "https://x.example/f/blob/main/docs/COUNTEREXAMPLE.md",
        ),
        (["Documentation, https://x.example/f"], None),
        (None, None),
    ],
)
def test_a_rule_links_to_its_page_where_the_package_names_its_repository(
    links: list[str] | None, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Message()
    for link in links or []:
        package["Project-URL"] = link
    monkeypatch.setattr(sarif, "metadata", lambda name: package)
    (run,) = json.loads(sarif.text([]))["runs"]
    assert {rule.get("helpUri") for rule in run["tool"]["driver"]["rules"]} == {shown}


def test_sarif_points_at_the_line_of_a_class(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import os\n\n\nclass Mine:\n    pass\n")
    place = sarif.location(f"{path}:Mine")["physicalLocation"]
    assert place["artifactLocation"]["uri"] == path.as_uri()
    assert place["region"]["startLine"] == 4
    path.write_text("class Mine(:\n")
    assert sarif.location(f"{path}:Mine")["physicalLocation"]["region"]["startLine"] == 1
    assert "physicalLocation" not in sarif.location("package.module:Mine")


def test_the_junit_report_counts_what_failed(records: list[Record]) -> None:
    root = ElementTree.fromstring(junit.text(records))
    assert root.get("tests") == str(len([*root.iter("testcase")]))
    counts = [root.get(count) for count in ("failures", "errors", "skipped")]
    assert counts == ["2", "2", "6"]  # what was not tried is no failure
    cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
    failure = cases["naive", "dp"].find("failure")
    assert failure is not None
    assert "★ in S" in str(failure.text)
    assert cases["naive", "purity"].find("skipped") is not None
    assert cases["compensator", "dp"].find("failure") is None
    assert cases["compensator", "purity"].find("skipped") is None
    assert cases["f.py:F", "monotone"].find("failure") is not None
    assert cases["known", "dp"].find("failure") is None


def test_the_markdown_report_has_a_line_per_target_and_escapes_names(
    records: list[Record],
) -> None:
    text = markdown.text(records)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(records)
    assert all(line.count("|") == 6 for line in table)
    assert "<script>" not in text
    assert "H = P_" in text


def test_the_terminal_says_what_was_tried_and_draws_the_violation(records: list[Record]) -> None:
    text = plain(terminal.report(records))
    assert "naive is not (" in text
    assert "the adversary\n└── asks" in text
    assert "no violation found" in text
    assert "claim 'monotone' fails" in text
    assert "plays, each against the strongest adaptive adversary, in exact numbers" in text


def test_a_picture_shows_the_winning_set_with_its_exact_mass(audited: list[Record]) -> None:
    shown = picture(audited[0].certificate)
    won = Fraction(0)
    todo = [shown.first]
    while todo:
        turn = todo.pop()
        won += sum((one.p for one in turn.branches if one.in_event), Fraction(0))
        todo += [one.turn for one in turn.branches if one.turn is not None]
    assert won == shown.mass_x
    assert shown.value > shown.delta
    assert counterexample(audited[0].certificate).count("★ in S") > 0


def runs_everything(epsilon: object, delta: object) -> RunAll:
    return RunAll()


def test_a_very_deep_violation_is_cut_on_a_terminal_and_in_a_page() -> None:
    case = replace(
        chain(120, Fraction(1, 1000), Fraction(0)), delta=Fraction(1, 1000), parameters={}
    )
    found = certify_violation("deep", runs_everything, case)
    one = Record("deep", Verdict.VIOLATED, None, "", 1, 0.0, certificate=found.certificate)
    assert "more turns: see the HTML report" in plain(terminal.report([one]))
    assert "too deep to draw" in html.text([one])


def test_the_page_escapes_what_targets_say(
    records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "shipped_javascript", lambda: "")
    page = html.text(records)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert page.count("<script>") == 1
    assert "http" not in page.replace("http-equiv", "")


def test_the_curve_of_a_search_survives_odd_histories() -> None:
    for history in ((), ((1, None),), ((1, 0.0),), ((1, 0.5), (9, 3.0))):
        ElementTree.fromstring(history_svg(history, 9))


@pytest.mark.parametrize("ending", [".html", ".json", ".xml", ".sarif", ".md"])
def test_the_ending_of_a_file_chooses_its_report(ending: str, audited: list[Record]) -> None:
    assert "naive" in writer(Path(f"out{ending}"))(audited)


def test_an_unknown_ending_is_named() -> None:
    with pytest.raises(UnknownReport, match=r"'out\.pdf' names no report; there are \.json"):
        writer(Path("out.pdf"))


def test_a_certificate_is_named_after_its_target() -> None:
    assert certificate_name("command:node a/b.js") == "command-node-a-b.js.certificate.json"
    long = [certificate_name(f"command:node {'a' * 300} --{end}") for end in "xy"]
    assert len({*long}) == 2  # what is cut off is not lost
    assert max(map(len, long)) < 120


@pytest.mark.parametrize(
    ("name", "tiny"),
    [("diffprivlib-absorbed-epsilon", True), ("opacus-forgets-after-refusal", False)],
)
def test_an_excess_in_the_last_places_is_told_from_others(name: str, tiny: bool) -> None:
    certificate = (DOCS / f"certificates/{name}.json").read_text(encoding="utf-8")
    record = Record(name, Verdict.VIOLATED, None, "", 1, 0.0, certificate=certificate)
    for text in (counterexample(certificate), html.text([record])):
        assert ("is of the size of rounding errors in doubles" in text) is tiny


def test_an_excess_beside_a_tiny_delta_is_not_called_rounding() -> None:
    tiny = Fraction(1, 10**15)
    case = replace(chain(2, tiny, tiny), delta=tiny, parameters={})
    shown = picture(certify_violation("all", runs_everything, case).certificate)
    assert 0 < shown.value - shown.delta < SMALL
    assert shown.caution == ""


def test_a_page_says_what_came_out_in_a_sentence_and_nothing_twice(records: list[Record]) -> None:
    page = html.text(records)
    assert '<p class="verdict">compensator: no game that was tried breaks the promise.</p>' in page
    long = Best("a case", f"1/{10**30}", "1/10", {}, "1/20", 0.5)
    one = replace(records[0], certificate="", best=long, error="it declined 3 of 4 plays")
    page = html.text([replace(one, unanswered="declined 3 of 4 plays", tried=1)])
    assert page.count("declined 3 of 4 plays") == 1
    assert "<p>1 play, each against" in page
    assert "ε = about 1e-30, δ = 1/10, where H is 0.5 times δ." in page
