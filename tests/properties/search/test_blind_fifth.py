"""Every witness of the sets of budget classes is granted more than its budget; no sound one is."""

import ast
import inspect
from collections import Counter
from random import Random

import pytest

from corpus.blind.eighth.cases import CASES as EIGHTH
from corpus.blind.fifth.base import Case
from corpus.blind.fifth.cases import CASES as FIFTH
from corpus.blind.fifth.replay import Clock, Played, told
from corpus.blind.seventh.cases import CASES as SEVENTH

CASES = (*FIFTH, *SEVENTH, *EIGHTH)
WRONG = [case for case in CASES if case.wrong]
SOUND = [case for case in CASES if not case.wrong]
ROUNDING = 1 + 1e-9
SEQUENCES, LENGTH = 200, 12


def test_the_set_is_large_and_each_class_is_in_it_once() -> None:
    assert len(WRONG) >= 60
    assert len(SOUND) >= 20
    assert max(Counter(case.name for case in CASES).values()) == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_class_says_what_it_does(case: Case) -> None:
    assert ast.get_docstring(ast.parse(inspect.getsource(case.made)).body[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_a_witness_is_granted_more_than_the_budget(case: Case) -> None:
    clock = Clock()
    with told(case, clock):
        played = Played(case, clock)
        for step in case.calls:
            for _ in range(step.times):
                played.make(step)
    assert played.clear(), played.excess()


@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.name)
def test_a_sound_one_grants_no_more_than_the_budget(case: Case) -> None:
    random, granted = Random(5), 0
    assert case.draw is not None
    for _ in range(SEQUENCES):
        clock = Clock()
        with told(case, clock):
            played = Played(case, clock)
            for _ in range(LENGTH):
                for step in case.draw(random):
                    if not played.make(step):
                        break
        granted += sum(map(len, played.granted.values()))
        within = any if case.theory == "orders" else all
        assert within(one <= ROUNDING for one in played.excess()), played.granted
    assert granted >= SEQUENCES
