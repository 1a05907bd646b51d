"""The code of the filters that are called sound is tied to their theorems; wrong code is not."""

from pathlib import Path

import pytest

from filterproof_proofs.backing import PROVED
from filterproof_proofs.coq import SOURCES
from filterproof_proofs.ties import __main__ as program
from filterproof_proofs.ties.__main__ import SLOW, main
from filterproof_proofs.ties.table import HEAD, WAYS, ByRule, Untied, section_of, tie
from filterproof_proofs.ties.tie import NotTied
from tests.proofs.ties.mutants import MUTANTS, Mutant, mutated

TIED = [name for name, way in WAYS.items() if not isinstance(way, Untied)]
PAGE = Path(__file__).parents[3] / "docs" / "internals" / "THEOREMS.md"


def test_every_filter_with_a_theorem_is_tied_or_says_why_not() -> None:
    assert set(WAYS) == set(PROVED)
    assert all(way.why for way in WAYS.values() if isinstance(way, Untied))


@pytest.mark.parametrize("name", [name for name in TIED if name not in SLOW])
def test_its_code_runs_a_round_only_where_the_rule_allows_it(name: str) -> None:
    found = tie(name)
    assert found.tied
    assert found.row() in section_of(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_a_line_for_every_one_of_them() -> None:
    text = section_of(PAGE.read_text(encoding="utf-8"))
    assert text.startswith(HEAD)
    lines = text.splitlines()
    assert {tie(name).row() for name in WAYS.keys() - {*TIED}} <= {*lines}
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[-len(WAYS) :]] == [*WAYS]


def test_a_slow_one_is_compared_with_its_line_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {*TIED} > {*SLOW}
    monkeypatch.setattr(program, "SLOW", {"additive"})
    monkeypatch.setattr(program, "PAGE", tmp_path / "page.md")
    text = PAGE.read_text(encoding="utf-8")
    for written, code in ((text, 0), (text.replace("`additive_fits`", "`rogers_fits`"), 1)):
        (tmp_path / "page.md").write_text(written, encoding="utf-8")
        assert main(["--slow"]) == code
    assert capsys.readouterr().out.count("1 of 1 tied to their theorems") == 2


def test_every_rule_is_one_of_coq() -> None:
    rules = {rule.coq for way in WAYS.values() if isinstance(way, ByRule) for rule in way.rules}
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.v"))
    assert {name for name in rules if f" {name} " not in text} == set()
    assert {"additive_fits", "in_turn", "theta_kept", "order_report"} <= rules


def test_every_one_that_is_tied_has_a_wrong_variant() -> None:
    assert set(MUTANTS) == set(TIED)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [(name, mutant) for name, some in MUTANTS.items() for mutant in some],
    ids=[f"{name}-{place}" for name, some in MUTANTS.items() for place in range(len(some))],
)
def test_a_wrong_variant_is_not_tied(name: str, mutant: Mutant) -> None:
    with pytest.raises(NotTied):
        tie(name, mutated(name, mutant))


def test_what_runs_nothing_is_not_tied() -> None:
    halts = ("additive", "return Decision.CONTINUE, spent", "return Decision.HALT, spent")
    with pytest.raises(NotTied, match="what runs nothing proves nothing"):
        tie("additive", mutated("additive", halts))


def test_a_stricter_variant_stays_tied() -> None:
    stricter = ("additive", "spent.delta > self.delta", "spent.delta >= self.delta")
    assert tie("additive", mutated("additive", stricter)).tied


def test_rules_that_look_at_no_law_hide_it() -> None:
    looks = ("additive", "spent = self.spend(", "bool(step.mass)\n        spent = self.spend(")
    with pytest.raises(NotTied, match=r"step\.mass is looked at"):
        tie("additive", mutated("additive", looks))
    assert isinstance(WAYS["additive"], ByRule)
