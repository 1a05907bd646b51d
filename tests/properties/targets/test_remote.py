"""A filter that is asked by messages is the filter: the same worst case, whatever it looks at."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Capped, Compensator
from filterproof.filters.repaired import Repaired
from filterproof_properties.audit.recheck import recheck
from filterproof_properties.audit.suiting import small_cases
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.case import Case
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.evaluate import parameters_for, worst
from filterproof_properties.targets.guard import Guarded
from filterproof_properties.targets.target import Loaded, make_filter
from filterproof_properties.targets.transcript import Transcript
from tests.properties.audit.odometer_targets import Halved, Honest


class Backwards(Additive):
    """Looks at the history of each step, and is no Markov filter."""

    markov = False

    def decide(self, state: Any, step: Any) -> Any:
        decision, after = super().decide(state, step)
        return decision, (after, len(step.history), sum(step.mass.values(), Fraction(0)))

    def start(self) -> Any:
        return (super().start(), 0, Fraction(1))


class Plain(Backwards):
    """Takes the state apart again."""

    def decide(self, state: Any, step: Any) -> Any:
        return super().decide(state[0], step)


FILTERS = [Additive, Compensator, Capped, Repaired, Plain, Halved, Honest]


def pairs(target: Any, asked: Any) -> Iterator[tuple[Case, Any, Any]]:
    """Yield small cases with the filter as it is, and as it is asked."""
    for case in small_cases():
        for parameters in parameters_for(asked, case)[:2]:
            given = case.epsilon, case.delta, parameters
            yield case, make_filter(target, *given), make_filter(asked, *given)


@pytest.mark.parametrize("target", FILTERS, ids=lambda one: one.__name__)
def test_the_worst_case_is_the_same(target: Any, tmp_path: Path) -> None:
    asked: Any = connect_here(Loaded("mine.py:F", target, ("dp",))).target
    asked.book = Transcript(tmp_path / "t.gz", "mine.py:F")
    plays = broken = 0
    for case, here, there in pairs(target, asked):
        assert isinstance(there, Guarded)
        value = worst(there, case.game, case.epsilon).value
        assert value == worst(here, case.game, case.epsilon).value
        plays, broken = plays + 1, broken + (value > case.delta)
    del there
    assert asked.book.close(Verdict.VIOLATED if broken else Verdict.NOT_FOUND, plays) == ""
    found = recheck(tmp_path / "t.gz")
    assert (found.judged >= plays, len(found.violations) >= broken) == (True, True)
    assert bool(found.violations) == bool(broken)
