"""Claims of papers, settled on finite games, exactly; docs/internals/CLAIMS.md is the table."""

from fractions import Fraction

import pytest

from filterproof.adversary import pair_hockey_stick
from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filters.composition import ExactComposition
from filterproof.filters.gdp import GaussianDP
from filterproof.filters.ledger_bugs import PerAnalyst
from filterproof.filters.run_all import RunAll
from filterproof.palette import erasure, game, response, table
from filterproof.privacy import risk
from filterproof_properties.games.specimens import SPECIMENS
from tests.papers.claims import (
    adaptive_range,
    fixed_ranges,
    run_all_value,
    same_menu,
    subsampled,
)

F = Fraction
TENTH = F(1, 10)
LOG_2 = Log(F(2))


def test_1909_13830_choosing_adaptively_costs_more_at_fixed_bounded_ranges() -> None:
    """Three rounds of range log 2 at e^eps = 7/4: 3427/39600 against 67/864 at best."""
    odds, ups, epsilon = F(2), [1 + F(k, 6) for k in range(1, 6)], Log(F(7, 4))
    fixed = max(run_all_value(one, epsilon) for one in fixed_ranges(odds, ups, 3))
    adaptive = run_all_value(adaptive_range(odds, ups, 3), epsilon)
    assert (str(adaptive), str(fixed)) == ("3427/39600", "67/864")
    assert adaptive > fixed


def test_1909_13830_in_one_round_there_is_nothing_to_adapt_to() -> None:
    odds, ups, epsilon = F(2), [1 + F(k, 6) for k in range(1, 6)], Log(F(7, 4))
    fixed = max(run_all_value(one, epsilon) for one in fixed_ranges(odds, ups, 1))
    assert run_all_value(adaptive_range(odds, ups, 1), epsilon) == fixed


@pytest.mark.parametrize(
    ("rounds", "with_record", "without"), [(1, "1/8", "0"), (2, "5/32", "3/16")]
)
def test_2405_20769_the_worst_data_set_does_not_survive_composition(
    rounds: int, with_record: str, without: str
) -> None:
    """Responses of 3/4 on a half sample, e^eps = 3/2: the worse direction changes."""
    made, epsilon = subsampled(F(1, 2), F(3, 4), rounds), Log(F(3, 2))
    found = [
        str(pair_hockey_stick(RunAll(), made, pair, epsilon)) for pair in (("0", "1"), ("1", "0"))
    ]
    assert found == [with_record, without]


def test_2509_22213_a_bound_on_the_loss_does_not_survive_post_processing() -> None:
    """P(L > log 2) is 1/100 and 51/100 once two outputs are reported as one."""
    even = {"0": F(1), "1": F(1)}
    law = {
        "leak": {"0": F(1, 100), "1": F(0)},
        "twice": {"0": F(1, 2), "1": F(1, 4)},
        "rest": {"0": F(49, 100), "1": F(3, 4)},
    }
    both = {x: law["leak"][x] + law["twice"][x] for x in even}
    merged = {"either": both, "rest": law["rest"]}
    assert risk(law, ("0", "1"), even, LOG_2) == F(1, 100)
    assert risk(merged, ("0", "1"), even, LOG_2) == F(51, 100)


def test_2509_22213_h_does_survive_it() -> None:
    """The twin: (eps, delta)-DP itself is immune, here 1/100 before and after."""
    rest = {"rest": (F(49, 100), F(3, 4))}
    plain = game(table({"leak": (F(1, 100), F(0)), "twice": (F(1, 2), F(1, 4)), **rest}))
    merged = game(table({"either": (F(51, 100), F(1, 4)), "rest": (F(49, 100), F(3, 4))}))
    values = [pair_hockey_stick(RunAll(), one, ("0", "1"), LOG_2) for one in (plain, merged)]
    assert values[1] <= values[0] == F(1, 100)


def test_2506_05290_budgets_per_querier_are_not_enough() -> None:
    case = SPECIMENS["budget-per-analyst"]()
    rule = PerAnalyst(case.epsilon, case.delta, **dict(case.parameters))
    assert worst_case(rule, case.game, case.epsilon).value > case.delta


MENU = [
    *((f"response {p}", response(p)) for p in (F(11, 20), F(3, 5), F(17, 25))),
    *((f"erasure {d}", erasure(d)) for d in (TENTH, F(1, 20), F(1, 40))),
]


@pytest.mark.parametrize(
    ("rounds", "value"),
    [(1, "1/10"), (2, "131/1000"), (3, "2917/20000"), (4, "2967/20000"), (5, "6033/40000")],
)
def test_2602_15815_the_natural_filter_exceeds_delta_and_grows_with_depth(
    rounds: int, value: str
) -> None:
    found = worst_case(ExactComposition(LOG_2, TENTH), same_menu(MENU, rounds), LOG_2)
    assert str(found.value) == value


def test_2602_15815_the_gaussian_filter_does_not() -> None:
    """The twin: accounting in mu, a family that is totally ordered, keeps delta there."""
    found = worst_case(GaussianDP(LOG_2, TENTH), same_menu(MENU, 4), LOG_2)
    assert found.value <= TENTH
