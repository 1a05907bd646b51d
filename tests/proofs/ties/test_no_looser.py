"""Two versions of a filter that looks at laws: what is proved of them, and what is not."""

from pathlib import Path

import pytest

from corpus.edits import TARGETS, edits
from filterproof_proofs.refinement.verdicts import Refinement
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.ties.no_looser import prove_laws

SECONDS = 15.0
BEFORE = Path(__file__).parents[3] / "corpus" / "edits" / "before"


def proved(old: Path, new: Path, base: str) -> Refinement:
    after, before = (Program.load(path, TARGETS[base][0]) for path in (new, old))
    return prove_laws(after, before, base, SECONDS)


def edited(kind: str, name: str, folder: Path) -> Refinement:
    (edit,) = [one for one in edits(kind) if one.name == name]
    return proved(*edit.versions(folder.resolve()), edit.base)


def changed(base: str, before: str, after: str, folder: Path) -> Refinement:
    old, new = BEFORE / f"{base}.py", folder / f"{base}.py"
    text = old.read_text(encoding="utf-8")
    assert before in text
    new.write_text(text.replace(before, after), encoding="utf-8")
    return proved(old, new, base)


@pytest.mark.parametrize(
    ("kind", "name", "known"),
    [
        ("harmless", "compensator-counts-up", "new[0] + old[0] = delta"),
        ("harmless", "naive-product-failure", "new[0] + old[0] = 1"),
        ("stricter", "compensator-declared", "new[0] is old[0]"),
    ],
)
def test_a_version_is_proved_by_what_ties_its_state_to_the_old_one(
    kind: str, name: str, known: str, tmp_path: Path
) -> None:
    found = edited(kind, name, tmp_path)
    assert str(found.verdict) == "PROVED", found.open
    assert any(known in line for line in found.invariant)
    assert any("every law, any number of outputs, 2" in line for line in found.covers)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("naive-product-spent-pair", "the old version does not run this round"),
        ("compensator-fresh-mass", "likelihoods that are not those of the history"),
        ("additive-finishes", "the old version does not run this round"),
        ("additive-repeated", "step.history is looked at"),
    ],
)
def test_a_looser_version_stays_open_with_the_reason(name: str, why: str, tmp_path: Path) -> None:
    found = edited("looser", name, tmp_path)
    assert str(found.verdict) == "OPEN"
    assert why in found.open[0]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("rest.sign() < 0", "True", "what runs nothing proves nothing"),
        ("budget - charge", "budget - 2 * charge", ""),
        ("budget - charge", "budget - Fraction(1, 2) * charge", "does not run this round"),
        ("    def observe", "    parameters = None\n\n    def observe", "has parameters"),
        ("Decision.HALT, before", "Decision.LAST, before", "does not run this round"),
        ("survivors(state, step, output)", "state", "cannot have"),
    ],
)
def test_a_small_change_of_the_compensator(
    before: str, after: str, why: str, tmp_path: Path
) -> None:
    found = changed("compensator", before, after, tmp_path)
    assert str(found.verdict) == ("OPEN" if why else "PROVED")
    assert why in "".join(found.open)


def test_an_old_version_that_ended_runs_nothing_more(tmp_path: Path) -> None:
    old, new = tmp_path / "old.py", BEFORE / "compensator.py"
    last = new.read_text(encoding="utf-8").replace(
        "Decision.CONTINUE, tuple", "Decision.LAST, tuple"
    )
    old.write_text(last, encoding="utf-8")
    assert "does not run this round" in proved(old, new, "compensator").open[0]
    assert str(proved(new, old, "compensator").verdict) == "OPEN"  # it runs the opening round only
