"""The fail-open table is what the real libraries do, and the table's own machinery is honest."""

import json
import threading
from contextlib import nullcontext
from pathlib import Path

import pytest

from conformance import census, failopen, liveness
from filterproof_properties.failopen.desk import Desk
from filterproof_properties.failopen.probes import threads

DOCS = Path(__file__).parents[3] / "docs"
OBSERVED = (DOCS / "fail-open.jsonl").read_text(encoding="utf-8")
COLUMNS = {c["library"]: c for c in map(json.loads, OBSERVED.splitlines())}


@pytest.mark.parametrize(
    "library", ["opendp", "diffprivlib", "dp-accounting-pld", "dp-accounting-rdp"]
)
def test_the_light_libraries_do_what_the_table_says(library: str) -> None:
    assert failopen.main([library, "--against", str(DOCS / "fail-open.jsonl")]) == 0


def test_what_is_not_on_record_is_named() -> None:
    record = DOCS / "fail-open.jsonl"
    line = json.dumps(COLUMNS["tmlt"])
    assert failopen.differences([line], record) == []
    raced = line.replace("2 of 1 units", "1 of 1 units")
    assert "tmlt: racing threads:" in failopen.differences([raced], record)[0]
    newer = line.replace("0.20.0", "0.21.0")
    assert failopen.differences([newer], record) == ["tmlt 0.21.0, where it was 0.20.0"]
    unknown = json.dumps({"library": "other", "version": "1", "seen": {"NaN": {}}})
    assert len(failopen.differences([unknown], record)) == 2


def test_the_page_shows_the_table_as_it_was_observed() -> None:
    assert failopen.as_markdown(OBSERVED) in (DOCS / "internals/FAILOPEN.md").read_text(
        encoding="utf-8"
    )


# --- a library that is held after its check ---------------------------------------------------


@pytest.mark.parametrize("locked", [False, True])
def test_a_check_that_is_apart_from_its_spend_is_seen_to_race(locked: bool) -> None:
    class Apart:
        def __init__(self) -> None:
            self.left, self.lock = 1.0, threading.Lock()

        def allowed(self, number: float) -> bool:
            return number <= self.left

        def take(self, number: float) -> bool:
            with self.lock if locked else nullcontext():
                if not self.allowed(number):
                    return False
                self.left -= number
                return True

    apart = Desk(lambda _: Apart(), lambda t, n: t.take(n), 1.0, {}, "allowed")
    assert threads("racing threads", apart).open is not locked


# --- liveness, a separate verdict ------------------------------------------------------------


LIVENESS = (DOCS / "liveness.txt").read_text(encoding="utf-8").splitlines()
SAMPLE = (2, 3, 10, 49, 56, 98, 147)


def test_the_liveness_table_is_what_the_libraries_do() -> None:
    table = [liveness.slices(k) for k in SAMPLE]
    assert [liveness.line(row) for row in table] == [LIVENESS[k - 2] for k in SAMPLE]


def test_the_table_goes_from_2_to_200_and_ours_is_exact_throughout() -> None:
    assert [int(text[3:7]) for text in LIVENESS[:199]] == list(range(2, 201))
    assert LIVENESS[199:] == [
        "filterproof: {'early': 0, 'exact': 199, 'late': 0}",
        "diffprivlib: {'early': 57, 'exact': 100, 'late': 42}",
        "opendp: {'early': 192, 'exact': 7, 'late': 0}",
    ]


def test_refusing_early_and_granting_late_are_told_apart() -> None:
    row = liveness.Slices(3, {"a": 3, "b": 3, "c": 3}, {"a": 2, "b": 3, "c": 4})
    assert [row.verdict(name) for name in "abc"] == ["early", "exact", "late"]


# --- small classes of a registry ---------------------------------------------------------------


def test_the_page_counts_what_the_census_saw_and_names_nobody() -> None:
    lines = (DOCS / "census.jsonl").read_text(encoding="ascii")
    page = (DOCS / "internals/FAILOPEN.md").read_text(encoding="utf-8")
    assert census.as_markdown(lines) in page
    assert "one unit too many" in census.counts(lines)
    section = page[page.index("## Small classes of a registry") :]
    assert not any(json.loads(line)["target"] in section for line in lines.splitlines())


def test_a_row_counts_the_classes_that_were_asked_it_and_those_that_fail_open() -> None:
    granted, refused = {"text": "granted", "open": True}, {"text": "ValueError", "open": False}
    seen = [{"NaN": granted, "zero": refused}, {"NaN": refused}, {"NaN": granted}]
    counted = census.counts("\n".join(json.dumps({"seen": one}) for one in seen))
    assert counted == {"NaN": (2, 3), "zero": (0, 1)}
