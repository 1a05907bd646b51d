"""Which excess is one of rounding: what a budget larger by 2^-40 would not have."""

from fractions import Fraction

import pytest

from filterproof.exact import exp_enclosure
from filterproof.filters.additive import Additive
from filterproof.palette import game, repeated, response
from filterproof_properties.case import Case, Scored
from filterproof_properties.targets.evaluate import ROUNDING, is_rounding, worst


def scored(epsilon: Fraction, larger: Fraction, delta: Fraction) -> tuple[Additive, Scored]:
    """A filter whose budget is larger by this share, and the H of a play that uses all of it."""
    rule = Additive(epsilon * (1 + larger), delta)
    odds = exp_enclosure(epsilon * (1 + larger), 400)[0]
    played = game(repeated(response(odds / (1 + odds)), 1))
    case = Case("all of it", played, epsilon, delta)
    return rule, Scored(case, worst(rule, played, epsilon).value)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(20)])
@pytest.mark.parametrize(
    ("larger", "excused"),
    [
        (Fraction(1, 2**52), True),
        (ROUNDING / 2, True),
        (2 * ROUNDING, False),
        (Fraction(1, 9), False),
    ],
)
def test_an_excess_is_excused_up_to_the_size_of_rounding(
    epsilon: Fraction, larger: Fraction, excused: bool
) -> None:
    rule, found = scored(epsilon, larger, Fraction(0))
    assert found.violated
    assert is_rounding(rule, found.case.game, found) is excused
