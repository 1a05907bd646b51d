"""States that `==` does not tell apart, but that differ, are two states."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.audit.engine import audit_one
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.contents import contents


@dataclass(frozen=True)
class Account:
    left: Fraction
    rounds: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Plain:
    left: int


class Slotted:
    __slots__ = ("hidden",)

    def __init__(self, hidden: int) -> None:
        self.hidden = hidden

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted)

    def __hash__(self) -> int:
        return 0


class Phase(StrEnum):
    OPEN = "open"


def with_attribute(value: int) -> Any:
    made = Plain(1)
    object.__setattr__(made, "extra", value)
    return made


DIFFERENT: list[tuple[Any, Any]] = [
    (Account(Fraction(1), 1), Account(Fraction(1), 2)),
    (with_attribute(1), with_attribute(2)),
    (with_attribute(1), Plain(1)),
    (Slotted(1), Slotted(2)),
    ((1,), (True,)),
    ((1,), (Fraction(1),)),
    (("open",), (Phase.OPEN,)),
    ((Plain(1), (Account(Fraction(1), 1),)), (Plain(1), (Account(Fraction(1), 2),))),
    (frozenset({1}), frozenset({True})),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_equal_states_that_differ_are_told_apart(one: Any, other: Any) -> None:
    assert one == other
    assert contents(one) != contents(other)


SAME: list[tuple[Any, Any]] = [
    (Account(Fraction(1), 1), Account(Fraction(1), 1)),
    ((Fraction(1), None, "a", Phase.OPEN), (Fraction(1), None, "a", Phase.OPEN)),
    (with_attribute(3), with_attribute(3)),
    (frozenset({1, 2}), frozenset({2, 1})),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_states_that_cannot_be_told_apart_are_one(one: Any, other: Any) -> None:
    assert contents(one) == contents(other)


SECRET = '''
from dataclasses import dataclass, field
from fractions import Fraction

@dataclass(frozen=True)
class Account:
    spent: Fraction = Fraction(0)
    rounds: int = field(default=0, compare=False)

class Secret:
    """Charges nothing from the third round on; `==` does not see which round it is."""

    markov = True

    def __init__(self, epsilon, delta):
        self.delta = delta

    def start(self):
        return Account()

    def decide(self, state, step):
        if state.rounds > 2:
            return "continue", state
        mechanism = step.mechanism.declared
        spent = state.spent + mechanism.delta + (mechanism.odds - 1)
        if spent > self.delta:
            return "refuse", Account(state.spent, state.rounds + 1)
        return "continue", Account(spent, state.rounds + 1)
'''


def test_an_audit_finds_what_a_field_that_is_not_compared_hides(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(SECRET)
    with open_target(f"{tmp_path}/secret.py:Secret", Limits()) as target:
        result = audit_one(target, Settings(examples=200), lambda event: None)
    assert result.verdict is Verdict.VIOLATED
