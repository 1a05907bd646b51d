"""Whatever the errata page names exists: lemmas, theorems, games, tests and files."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.filters.algorithm1 import Algorithm1
from filterproof.witness import worst_case
from filterproof_proofs.smt.lemmas import LEMMAS
from filterproof_properties.case import Case
from filterproof_properties.games import named

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "proofs/ERRATA.md").read_text()
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(/[\w.-]+)+\Z")
PAPER = {"eq: better check", "eq: inner exp bounded 1", "eq: y tilde inner prob"}
COMMANDS = {"filterproof prove", "filterproof prove --coq"}
LABELS = {each.label for each in LEMMAS}


def listed(page: str, kind: str) -> list[str]:
    """The code spans of every list item that starts with the kind."""
    items = re.findall(rf"^- {kind}: (.*?)(?=^- |^$)", page, re.MULTILINE | re.DOTALL)
    return [span for item in items for span in CODE.findall(item)]


def in_files(spans: list[str]) -> list[tuple[str, str]]:
    """Pair each name with the file that was named before it."""
    pairs, current = [], ""
    for span in spans:
        if PATH.match(span):
            current = span
        else:
            pairs.append((current, span))
    return pairs


def missing_theorems(page: str) -> list[tuple[str, str]]:
    declares = r"^(Theorem|Corollary|Lemma) {} "
    return [
        (file, name)
        for file, name in in_files(listed(page, "Coq"))
        if not re.search(declares.format(name), (ROOT / file).read_text(), re.MULTILINE)
    ]


def missing_tests(page: str) -> list[tuple[str, str]]:
    return [
        (file, name)
        for file, name in in_files(listed(page, "tests"))
        if f"def {name}(" not in (ROOT / file).read_text()
    ]


def unexplained(page: str) -> set[str]:
    """Code spans that are neither a path that exists nor a name that is checked elsewhere."""
    known = {*LABELS, *PAPER, *COMMANDS, *listed(page, "games")}
    known |= {name for kind in ("Coq", "tests") for _, name in in_files(listed(page, kind))}
    coq = "\n".join(path.read_text() for path in (ROOT / "proofs/coq").glob("*.v"))
    return {
        span
        for span in set(CODE.findall(page)) - known
        if not (PATH.match(span) and (ROOT / span).exists())
        and not re.search(rf"^Theorem {re.escape(span)} ", coq, re.MULTILINE)
    }


def test_every_lemma_that_is_named_is_in_the_ledger() -> None:
    assert [name for name in listed(PAGE, "lemmas") if name not in LABELS] == []
    assert len(listed(PAGE, "lemmas")) > 30


def test_every_theorem_that_is_named_is_in_its_file() -> None:
    assert missing_theorems(PAGE) == []
    assert listed(PAGE, "Coq")


def test_every_game_that_is_named_can_be_built() -> None:
    games = listed(PAGE, "games")
    assert {"guess", "lottery_3_of_4", "twice_2", "chain", "closed_menu"} <= set(games)
    assert all(callable(getattr(named, game)) for game in games)


def test_every_test_that_is_named_is_in_its_file() -> None:
    assert missing_tests(PAGE) == []
    assert listed(PAGE, "tests")


def test_nothing_is_named_that_does_not_exist() -> None:
    assert unexplained(PAGE) == set()


def test_every_erratum_says_what_is_printed_a_counterexample_what_holds_and_who_checks() -> None:
    entries = re.split(r"^## \d+\. ", PAGE, flags=re.MULTILINE)[1:]
    assert len(entries) == 8
    for entry in entries:
        for part in ("**Printed.**", "**Smallest ", "**What holds instead.**", "**Checked by**"):
            assert part in entry


def test_every_refuted_lemma_is_on_the_page_or_about_our_own_filters() -> None:
    refuted = {each.label for each in LEMMAS if each.expected == "refuted"}
    ours = {each.label for each in LEMMAS if each.area == "compensator"}
    assert refuted - ours <= set(CODE.findall(PAGE))


@pytest.mark.parametrize(
    ("check", "page"),
    [
        (missing_theorems, "- Coq: `proofs/coq/Guessing.v`: `published_proved`\n\n"),
        (missing_tests, "- tests: `tests/project/test_errata.py`: `test_that_is_not`\n\n"),
        (unexplained, "see `no_such_lemma`"),
        (unexplained, "see `proofs/coq/NoSuchFile.v`"),
    ],
)
def test_a_name_that_does_not_exist_is_found(check: object, page: str) -> None:
    assert callable(check)
    assert check(page)


@pytest.mark.parametrize(
    ("case", "reached"),
    [
        (named.guess(3), Fraction(1)),
        (named.lottery_3_of_4(), Fraction(3, 20)),
        (named.twice_2(), Fraction(29, 225)),
    ],
    ids=["three symbols", "small budget", "two requests"],
)
def test_the_counterexamples_to_theorem_1_reach_what_the_page_says(
    case: Case, reached: Fraction
) -> None:
    rule = Algorithm1(case.epsilon, case.delta, **case.parameters)
    assert worst_case(rule, case.game, case.epsilon).value == reached > case.delta
    assert str(reached) in PAGE
