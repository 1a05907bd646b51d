"""Likelihoods and histories that go by numbers: both sides mean the same by each."""

import json
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from filterproof.exact import ExactError
from filterproof.game import History
from filterproof_properties.targets.lexicon import Lexicon

EVEN, UNEVEN = ({"a": Fraction(1), "b": Fraction(n)} for n in (1, 3))
ONE, TWO, THREE = (("r", y) for y in "123")


def learned(news: Any) -> Lexicon:
    """What the other side makes of it, by way of JSON."""
    found, told = Lexicon(), json.loads(json.dumps(news))
    found.learn(told.get("masses", []), told.get("histories", []))
    return found


def test_likelihoods_are_sent_once_and_equal_ones_have_the_same_number() -> None:
    lexicon = Lexicon()
    assert [lexicon.mass(one) for one in (EVEN, UNEVEN, EVEN, {**EVEN})] == [0, 1, 0, 0]
    news = lexicon.news()
    assert news == {"masses": [{"a": "1", "b": "1"}, {"a": "1", "b": "3"}]}
    assert lexicon.news() == {}
    there = learned(news)
    assert [dict(one) for one in there.masses] == [EVEN, UNEVEN]
    assert all(isinstance(one, MappingProxyType) for one in there.masses)


def test_equal_numbers_of_other_databases_are_other_likelihoods() -> None:
    lexicon = Lexicon()
    assert [lexicon.mass(dict.fromkeys(names, Fraction(1))) for names in ("ab", "ac")] == [0, 1]


def test_the_beginnings_of_a_history_get_their_numbers_first() -> None:
    lexicon = Lexicon()
    histories: list[History] = [(ONE, TWO, THREE), (ONE, TWO), (ONE, THREE), ()]
    assert [lexicon.history(one) for one in histories] == [3, 2, 4, 0]
    news = lexicon.news()
    assert news == {"histories": [[0, "r", "1"], [1, "r", "2"], [2, "r", "3"], [1, "r", "3"]]}
    assert learned(news).histories == lexicon.histories
    assert lexicon.history((TWO,)) == 5
    assert lexicon.news() == {"histories": [[0, "r", "2"]]}


def test_either_side_may_add_and_both_go_on_with_the_same_numbers() -> None:
    here = Lexicon()
    here.mass(EVEN), here.history((ONE,))
    there = learned(here.news())
    assert (there.mass(EVEN), there.mass(UNEVEN), there.history((ONE, TWO))) == (0, 1, 2)
    added = there.news()
    assert added == {"masses": [{"a": "1", "b": "3"}], "histories": [[1, "r", "2"]]}
    here.learn(added["masses"], added["histories"])
    assert here.news() == {}
    assert (here.mass({**UNEVEN}), here.history((ONE, TWO))) == (1, 2)
    assert (len(here.masses), len(here.histories)) == (2, 3)


def test_what_was_met_is_kept_so_that_no_identity_is_used_twice() -> None:
    lexicon = Lexicon()
    numbers = [lexicon.mass({"a": Fraction(n), "b": Fraction(1)}) for n in range(200)]
    assert numbers == [*range(200)]


def test_all_that_is_kept_makes_it_longer() -> None:
    lexicon = Lexicon()
    lengths = [len(lexicon)]
    for one in (EVEN, EVEN, {**EVEN}, UNEVEN):
        lexicon.mass(one)
        lengths.append(len(lexicon))
    assert lengths == [1, 3, 3, 4, 6]


def test_to_begin_anew_is_said_once() -> None:
    lexicon = Lexicon(anew=True)
    assert lexicon.news() == {"anew": True}
    assert lexicon.news() == {}
    assert Lexicon().news() == {}


@pytest.mark.parametrize(
    ("masses", "histories", "why"),
    [
        ([{"a": "1"}, {"a": "1"}], [], "two numbers"),
        ([], [[0, "r", "1"], [0, "r", "1"]], "two numbers"),
        ([], [[0, "r"]], "not enough values"),
        ([], [[7, "r", "y"]], "index out of range"),
        ([{"a": "x"}], [], "need a rational"),
        ([{"a": 1}], [], "no len"),
        (["a"], [], "items"),
        ([{"a": ["1"]}], [], "unhashable"),
    ],
)
def test_what_cannot_be_learned_is_an_error(masses: Any, histories: Any, why: str) -> None:
    with pytest.raises((TypeError, ValueError, LookupError, AttributeError, ExactError), match=why):
        Lexicon().learn(masses, histories)
