"""The outsider's filters are what they are said to be: each wrong one breaks on its witness."""

import pytest

from corpus.outsider import SOUND, WRONG, Specimen
from corpus.outsider.witnesses import WITNESSES
from filterproof.fast import worst_case
from filterproof_properties.targets.evaluate import certify_violation
from tests.plays import rounds_run


def names(specimens: tuple[Specimen, ...]) -> list[str]:
    return [one.name for one in specimens]


@pytest.mark.parametrize("specimen", WRONG, ids=names(WRONG))
def test_a_wrong_filter_breaks_its_promise_on_its_witness(specimen: Specimen) -> None:
    case = next(case for case in WITNESSES if case.name == specimen.name)
    assert certify_violation(specimen.name, specimen.target, case).worst.value > case.delta


@pytest.mark.parametrize("specimen", SOUND, ids=names(SOUND))
def test_a_sound_filter_keeps_its_promise_on_every_witness(specimen: Specimen) -> None:
    for case in WITNESSES:
        rule = specimen.target(case.epsilon, case.delta)
        assert worst_case(rule, case.game, case.epsilon).value <= case.delta, case.name
    rules = ((specimen.target(case.epsilon, case.delta), case.game) for case in WITNESSES)
    assert any(rounds_run(rule, game) for rule, game in rules), "it answers nothing"


def test_every_filter_has_a_name_of_its_own_an_idea_and_a_grade() -> None:
    every = (*WRONG, *SOUND)
    assert (len(WRONG), len(SOUND)) == (35, 10)
    assert len({one.name for one in every}) == len(every)
    assert all(one.idea for one in every)
    assert {one.family for one in WRONG} == {"easy", "medium", "hard"}
    assert all(one.sound is (one.family == "sound") for one in every)


def test_every_wrong_filter_has_one_witness() -> None:
    assert [case.name for case in WITNESSES] == names(WRONG)
