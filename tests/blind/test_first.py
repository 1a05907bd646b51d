"""Every witness of the first blind set breaks its filter, exactly; the sound ones hold."""

from collections import Counter
from fractions import Fraction

import pytest

from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filter import Decision, ask, start
from filterproof.game import opening
from tests.blind.first import SOUND, WRONG


@pytest.mark.parametrize("name", WRONG)
def test_the_witness_breaks_the_filter(name: str) -> None:
    one = WRONG[name]
    seen = one.witness
    found = worst_case(one.target(seen.epsilon, seen.delta), seen.game(), seen.epsilon)
    assert found.value > seen.delta
