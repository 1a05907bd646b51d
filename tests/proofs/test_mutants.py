"""The lemmas need what they assume, and docs/internals/LEMMAS.md says what they do not need.

`make lemmas` puts every mutant to the solver; here a sample is, and the page is compared with the
lemmas as they stand.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import z3

from filterproof_proofs.smt import mutants
from filterproof_proofs.smt.entry import Verdict
from filterproof_proofs.smt.lemmas import LEMMAS
from filterproof_proofs.smt.mutants import Unexplained, changes, is_setting, row
from filterproof_proofs.smt.statement import Lemma, Sentence, Statement

PAGE = (Path(__file__).parents[2] / "docs/internals/LEMMAS.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]
SLOW = {"trees", "deltahat"}
SAMPLE = [each for each in LEMMAS if each.area not in SLOW][::5]
x, y = z3.Reals("x y")


def counts(line: str) -> list[int]:
    """Killed, setting, and the survivors with a reason."""
    *_, killed, setting, why = (cell.strip() for cell in line.strip("| ").split(" | "))
    return [int(killed), int(setting), *map(int, re.findall(r"(?:^|; )(\d+): ", why))]


def test_the_page_has_every_lemma_in_order_with_its_words_and_all_its_mutants() -> None:
    assert len(ROWS) == len(LEMMAS)
    for line, each in zip(ROWS, LEMMAS, strict=True):
        words = each.words.replace("|", "\\|")
        assert line.startswith(f"| `{each.label}` | {words} | {each.expected} | ")
        trivial = sum("simplification" in pattern for pattern in each.survives)
        assert sum(counts(line)) == len(changes(each)) + trivial, each.label
        for reason in each.survives.values():
            assert reason in line
    assert PAGE.startswith(mutants.HEAD)


def test_the_page_adds_up() -> None:
    killed, setting = (sum(counts(line)[place] for line in ROWS) for place in (0, 1))
    reasoned = sum(sum(counts(line)[2:]) for line in ROWS)
    total = f"{len(ROWS)} lemmas, {killed + setting + reasoned} mutants"
    closing = f"{total}: {killed} killed, {setting} of the setting, {reasoned} with a reason."
    assert PAGE.splitlines()[-1] == closing


@pytest.mark.parametrize("each", SAMPLE, ids=lambda each: each.label)
def test_a_sample_comes_out_as_the_page_says(each: Lemma) -> None:
    assert str(row(each)) in ROWS


# --- what the lemma runner would not let pass -----------------------------------------------------


def claim(
    given: list[z3.BoolRef], then: z3.BoolRef, verdict: Verdict = Verdict.PROVED, **survives: str
) -> Lemma:
    build = lambda: Sentence(Statement(given, then), {})  # noqa: E731
    reasons = {f"^{pattern}": reason for pattern, reason in survives.items()}
    return Lemma("planted", "here", "nowhere", "Planted.", verdict, build, reasons)


SOUND = claim([x >= 0, y >= x], x * x <= x * y)


def test_a_lemma_that_needs_what_it_assumes_has_no_survivors() -> None:
    found = row(SOUND)
    assert (found.killed, found.setting, found.reasons) == (3, 0, {})


@pytest.mark.parametrize(
    ("planted", "why"),
    [
        (claim([x >= 0, y >= x, y >= 2 * x - 1], x * x <= x * y), "without y >= 2*x - 1"),
        (claim([x > 0, y >= x], x * x <= x * y + 1), "strictly"),
        (claim([x == 2 * y], x + y == 3 * y), "by simplification alone"),
        (claim([x >= 0, y >= 0], x <= y, Verdict.REFUTED), "only x <= 2*y"),
        (claim([x >= 0], x == y, Verdict.REFUTED, only_nothing="idle"), "only x <= y"),
        (replace(SOUND, survives={"^without z": "idle"}), "nothing survives for the reason"),
    ],
    ids=[
        "a spare hypothesis",
        "a blunt bound",
        "trivial",
        "refuted",
        "an equation",
        "an idle reason",
    ],
)
def test_what_survives_without_a_reason_is_named(planted: Lemma, why: str) -> None:
    with pytest.raises(Unexplained, match=re.escape(why)):
        row(planted)


def test_a_reason_lets_it_pass_and_stands_in_the_table() -> None:
    found = row(claim([x > 0, y >= x], x * x <= x * y + 1, strictly="there is room"))
    assert found.reasons == {"there is room": 1}
    assert str(found).endswith("| 1: there is room |")


def test_only_what_a_symbol_is_counts_as_its_setting() -> None:
    total = x + y
    assert all(map(is_setting, [x >= 0, x <= 1, x < 1, total == 1, total == z3.Real("w")]))
    others = [x <= y, x == 0, x * y >= 0, total <= z3.Real("w"), z3.Or(x > 0, y > 0)]
    assert not any(map(is_setting, [*others, z3.ForAll([x], x >= y)]))


# --- words ----------------------------------------------------------------------------------

SHAPE = re.compile(r"\b(two|three|four|\d) (outputs|requests|transcripts|rounds|finite)|\bN = \d")


def numbered(each: Lemma) -> bool:
    """Whether the statement is written out for some number of things: p0, p1, ..."""
    text = each.build().statement.negation()
    names = re.findall(r"\(declare-fun \|?([A-Za-z]+)\(?(\d)", text)
    return len({number for _, number in names}) > 1


@pytest.mark.parametrize("each", LEMMAS, ids=lambda each: each.label)
def test_the_words_say_the_shape_for_which_it_is_decided(each: Lemma) -> None:
    assert SHAPE.search(each.words) or not numbered(each)


def test_the_shapes_are_seen() -> None:
    assert sum(map(numbered, LEMMAS)) > 30
