"""A cheap version of `make power`: a third of the wrong filters found, no sound one violated."""

import pytest

from corpus.power import Row, Trial, detect, size_of, table
from corpus.zoo import FIRST, HELD_OUT, SOUND, WRONG, Specimen
from filterproof_properties.audit.engine import Result, audit_one
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.targets.target import Loaded


def names(specimens: tuple[Specimen, ...]) -> list[str]:
    return [one.name for one in specimens]


def audited(specimen: Specimen, examples: int, seconds: float | None = None) -> Result:
    loaded = Loaded(specimen.spec, specimen.target, ("dp",))
    settings = Settings(examples=examples, seconds=seconds, exact=True)  # rounding counts here
    return audit_one(loaded, settings, lambda event: None)


LONG = {"three-for-e", "refund-on-failure", "float-sums", "rounds-to-nearest"}
"""Each takes six seconds of the processor and more."""
EVERY_THIRD = tuple(one for one in WRONG[::3] if one.name not in LONG)
"""`make power` looks for all of them, for minutes."""


@pytest.mark.parametrize("specimen", EVERY_THIRD, ids=names(EVERY_THIRD))
def test_a_wrong_filter_is_found_shrunk_and_certified(specimen: Specimen) -> None:
    found = audited(specimen, 60_000, seconds=90)  # so long only on a machine with much to do
    assert not found.error
    assert found.violation is not None, specimen.idea
    assert found.violation.worst.value > found.violation.case.delta


@pytest.mark.parametrize("specimen", SOUND, ids=names(SOUND))
def test_a_sound_filter_is_never_violated(specimen: Specimen) -> None:
    found = audited(specimen, 40)
    assert found.violation is None
    assert found.verdict is not Verdict.FAILED
    assert found.tried > 0


def test_the_zoo_is_large_and_every_specimen_says_its_idea() -> None:
    assert len(WRONG) >= 40
    assert len(SOUND) >= 12
    every = (*WRONG, *SOUND)
    assert len({one.name for one in every}) == len(every)
    assert all(one.idea for one in every)
    assert len(HELD_OUT) * 3 >= len(FIRST)
    assert set(names(FIRST)) > HELD_OUT
    assert {*names(WRONG)} > LONG


def test_a_row_of_the_matrix_says_what_was_found() -> None:
    wrong = next(one for one in WRONG if one.name == "saturates")
    row = detect(Trial(wrong.name, wrong.spec, 0, wrong.sound), Settings(examples=500))
    assert row.as_expected
    assert row.size == "1 x 1 x 2"
    assert "1 of 1 as expected" in table("title", [row])


def test_a_missed_filter_is_marked() -> None:
    missed = Row("missed", 0, False, 30.0, 1000)
    assert not missed.as_expected
    assert "30.0!" in table("title", [missed])
    assert "0 of 1 as expected" in table("title", [missed])


def test_a_size_names_databases_beyond_two() -> None:
    wrong = next(one for one in WRONG if one.name == "two-databases-only")
    found = audited(wrong, 5000)
    assert found.violation is not None
    assert size_of(found.violation.case.game).endswith("3 databases")
