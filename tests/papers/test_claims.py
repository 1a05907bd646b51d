"""Claims of papers, settled on finite games, exactly; docs/internals/CLAIMS.md is the table."""

from fractions import Fraction

import pytest
from mpmath import mp, mpf

from filterproof.adversary import pair_hockey_stick
from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filters.composition import ExactComposition
from filterproof.filters.gdp import GaussianDP, budget_mu
from filterproof.filters.ledger_bugs import PerAnalyst
from filterproof.filters.run_all import RunAll
from filterproof.filters.sessions_delta import PayLargestDelta, PayOnceDelta
from filterproof.palette import erasure, game, response, reveal, table
from filterproof.privacy import risk
from filterproof_properties.games.interactive import updated_parts
from filterproof_properties.games.specimens import SPECIMENS
from tests.papers.claims import (
    above,
    adaptive_range,
    best_of_all,
    first_of_all,
    fixed_ranges,
    in_order,
    run_all_value,
    same_menu,
    seen_above,
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


# --- orders that are fixed in advance, 2004.07223 -------------------------------------------------

TWO, FIVE_QUARTERS = F(2), F(5, 4)
EIGHTHS = [1 + F(k, 8) for k in range(1, 8)]
PURE = [(F(2, 3), F(1, 3)), (F(1, 3), F(2, 3))]
ALONE = [(F(1), F(1))]


def then_pure(threshold: F) -> F:
    return best_of_all(threshold, TWO, PURE)


def pure_then_any(threshold: F) -> F:
    return sum((p * best_of_all(threshold * q / p, TWO, ALONE) for p, q in PURE), F(0))


def test_2004_07223_a_pure_mechanism_first_costs_more_than_one_later() -> None:
    """One pure and two bounded-range mechanisms of log 2 at e^eps = 5/4.

    Pure first reaches 53891/189728 = 0.2840... with seven responses on offer; in the two other
    orders *no* mechanisms of the two classes exceed 0.2827.
    """
    first = run_all_value(in_order("PRR", TWO, EIGHTHS), Log(FIVE_QUARTERS))
    assert str(first) == "53891/189728"
    for later in (pure_then_any, then_pure):
        assert first_of_all(FIVE_QUARTERS, TWO, later, 300) < F(283, 1000) < F(284, 1000) < first


@pytest.mark.parametrize(("order", "value"), [("RPR", "19585/69696"), ("RRP", "19585/69696")])
def test_2004_07223_the_bounds_of_the_other_orders_are_nearly_reached(
    order: str, value: str
) -> None:
    found = run_all_value(in_order(order, TWO, EIGHTHS), Log(FIVE_QUARTERS))
    assert str(found) == value
    assert found > F(281, 1000)


def test_2004_07223_with_one_of_each_the_order_does_not_matter_on_this_menu() -> None:
    for odds in (F(9, 8), FIVE_QUARTERS, F(3, 2), TWO):
        values = [run_all_value(in_order(o, TWO, EIGHTHS), Log(odds)) for o in ("PR", "RP")]
        assert values[0] == values[1]


@pytest.mark.parametrize("threshold", [F(1, 2), F(1), F(3, 2), F(3)])
@pytest.mark.parametrize("then", [ALONE, PURE])
def test_the_bound_over_all_responses_is_above_each_and_close(
    threshold: F, then: list[tuple[F, F]]
) -> None:
    """H at a threshold of every response on a grid, by its definition."""

    def value(up: F) -> F:
        rows = [((TWO - up) / up, up), ((up - 1) * TWO / up, up / TWO)]
        parts = ((q * ratio * p, q * s) for q, ratio in rows for p, s in then)
        return sum((max(F(0), p - threshold * q) for p, q in parts), F(0))

    most = max(value(1 + F(k, 128)) for k in range(129))
    assert most <= best_of_all(threshold, TWO, then) <= most + F(1, 1000)


# --- an approximate filter as if it were exact, 2602.06756 v1 -------------------------------------

LAST = F(13, 8), F(1, 10**5)


def test_2602_06756_the_central_limit_is_optimistic_for_ten_subsampled_rounds() -> None:
    """Rate 1/10, sigma 1: ten rounds fit by the limit's mu, and lose 12.9 times delta."""
    epsilon, delta = LAST
    squares = 10 * F(1, 100) * (F(27183, 10**4) - 1)  # rate^2·(e^(1/sigma^2) - 1), rounded up
    assert squares <= budget_mu(epsilon, delta) ** 2
    found = run_all_value(seen_above(F(1, 10), F(1), F(42, 10), 10), epsilon)
    assert 12 * delta < found < 13 * delta


def test_2602_06756_with_more_noise_the_same_look_shows_nothing() -> None:
    """The twin: it is the law that loses, not the way of looking."""
    epsilon, delta = LAST
    assert run_all_value(seen_above(F(1, 10), F(4), F(42, 10), 10), epsilon) < delta


def test_the_chances_of_the_normal_law_are_on_their_sides() -> None:
    for z in (F(-3), F(0), F(1, 2), F(4)):
        low, high = above(z, 0), above(z, 1)
        with mp.workdps(60):
            chance = mp.ncdf(-mpf(z.numerator) / z.denominator)
            ends = [mpf(one.numerator) / one.denominator for one in (low, high)]
            assert ends[0] <= chance <= ends[1]
        assert high <= low + F(1, 2**39)


# --- parts, and updates of the data, 2411.03299 -------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5])
def test_2411_03299_parts_with_a_delta_add_up_under_updates(parts: int) -> None:
    """Each part alone is (0, 1/10)-DP, one record in all is put into one of them."""
    play = updated_parts(parts, TENTH, reveal())
    assert run_all_value(play, LOG_2) == 1 - F(9, 10) ** parts


def test_2411_03299_pure_parts_do_not() -> None:
    play = updated_parts(4, TENTH, response(F(2, 3)), TWO)
    assert run_all_value(play, LOG_2) == 0
    assert run_all_value(play, Log(F(19, 10))) > 0, "and log 2 is what one of them costs"


def test_2411_03299_the_largest_pair_is_no_filter_there_and_the_sum_is() -> None:
    play = updated_parts(2, TENTH, reveal())
    kinds = (PayLargestDelta, PayOnceDelta)
    found = [worst_case(kind(LOG_2, TENTH), play, LOG_2).value for kind in kinds]
    assert [str(value) for value in found] == ["19/100", "1/10"]
