from fractions import Fraction

import pytest

from filterproof.exact import Log, exceeds, exp_enclosure
from filterproof_properties.games import over_budget, thresholds


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 10), Log(Fraction(3, 2))])
@pytest.mark.parametrize("gap", [*over_budget.COARSE, *over_budget.FINE])
def test_odds_lie_on_the_side_of_e_to_the_eps_that_their_name_says(
    epsilon: Fraction | Log, gap: int
) -> None:
    above, below = thresholds.odds_above(epsilon, gap), thresholds.odds_below(epsilon, gap)
    assert exceeds(above, Fraction(1), epsilon)
    assert not exceeds(below, Fraction(1), epsilon)
    edge = exp_enclosure(epsilon, 200)[0]
    assert above < edge * (1 + Fraction(1, 2 ** (gap - 1)))
    assert below == 1 or below > edge * (1 - Fraction(1, 2 ** (gap - 1)))


@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_a_root_is_never_too_small(k: int) -> None:
    for odds in (Fraction(2), Fraction(9, 4), Fraction(1025, 1024)):
        root = thresholds.root_above(odds, k, 30)
        assert odds <= root**k <= odds * (1 + Fraction(k, 2**25))


def test_an_epsilon_that_is_too_large_to_build_from_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="need epsilon <= 700 to build games; got 701"):
        thresholds.need_buildable(Fraction(701))
