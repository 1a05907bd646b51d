"""What the code treats as special is tried: each kind of constant, beside a sound twin."""

from fractions import Fraction
from pathlib import Path

import pytest

from filterproof.filters.additive import Additive
from filterproof_properties.case import Scored
from filterproof_properties.search.constants import Constants, cases, constants_in
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.sources import with_parameters
from filterproof_properties.targets.coverage.own_code import OwnFile

BUDGET = (Fraction(1), Fraction(1, 100))


def played(text: str, name: str = "Mine") -> Tally:
    """Play all games that the constants of a filter suggest."""
    made: dict[str, object] = {}
    exec(text, made)
    found = constants_in([OwnFile("mine.py", text, (name,))])
    target = made[name]
    tried = cases(found, BUDGET, named=True, free=True)
    return Loop(target).run(with_parameters(tried, target))  # type: ignore[arg-type]


FILTER = """
from fractions import Fraction
from filterproof.filters.additive import Additive

LIMIT = {limit}

class Mine(Additive):
    markov = False

    def decide(self, state, step):
        if {special}:
            return "continue", state
        return super().decide(state, step)
"""
SPECIAL = [
    ("step.index == LIMIT", 47),
    ("step.index > LIMIT", 30),
    ("step.index % 9 == 8", 0),
    ("1 < step.mechanism.declared.odds < 1.0003", 0),
    ("step.request == 'health check'", 0),
    ("step.request.startswith('admin')", 0),
    ("0 < step.mechanism.declared.delta < 0.0007", 0),
]


@pytest.mark.parametrize(("special", "limit"), SPECIAL)
def test_what_the_code_treats_as_special_is_found(special: str, limit: int) -> None:
    assert played(FILTER.format(special=special, limit=limit)).violation is not None


@pytest.mark.parametrize(("special", "limit"), SPECIAL)
def test_its_sound_twin_is_not_accused(special: str, limit: int) -> None:
    """The same constants in a condition that changes nothing."""
    tally = played(FILTER.format(special=f"{special} and step.index < 0", limit=limit))
    assert tally.violation is None
    assert not tally.error
    assert tally.tried


def test_every_game_is_over_its_budget_for_who_runs_all() -> None:
    """So each of them is a violation wherever the code makes an exception."""
    from filterproof.filters.run_all import RunAll
    from filterproof_properties.targets.evaluate import worst

    found = Constants((2, 7), (Fraction(1, 1000), Fraction(3, 2)), ("name",))
    for case in cases(found, BUDGET, named=True, free=True):
        value = worst(RunAll(), case.game, case.epsilon).value
        assert Scored(case, value).violated, case.name


def test_constants_are_those_of_the_targets_own_code() -> None:
    own = OwnFile(
        "mine.py",
        'WINDOW = 200\nOTHER = 300\ndef f(x):\n    """5 in words."""\n'
        "    if x > WINDOW:\n        raise ValueError(f'{x} exceeds 77')\n"
        "    return x < 0.25 or x == -1 or x == 'a' or Fraction('1/8')\n",
        ("f",),
    )
    assert constants_in([own]) == Constants((200,), (Fraction(1, 4), Fraction(1, 8)), ("a",))


def test_a_sound_filter_is_not_accused_of_anything(tmp_path: Path) -> None:
    found = Constants((2, 5, 21), (Fraction(1, 100), Fraction(2)), ("a",))
    tried = cases(found, BUDGET, named=True, free=True)
    tally = Loop(Additive).run(with_parameters(tried, Additive))
    assert tally.violation is None
    assert tally.tried == len(tried)


def test_text_that_cannot_name_a_request_is_no_name() -> None:
    text = "def f(out):\n    out.write('continue\\n')\n    return out == 'vip' or out == ''\n"
    assert constants_in([OwnFile("f.py", text, ("f",))]).names == ("vip",)
