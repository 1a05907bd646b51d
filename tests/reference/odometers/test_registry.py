"""Every built-in odometer: the sound ones keep their promise, the others break it by this much."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from filterproof.engine.by_position.reports import worst_report
from filterproof.exact import Log
from filterproof.filter import ask, is_markov, observe, parameter_sets, start
from filterproof.filters.composition import losses_of
from filterproof.filters.registry import Entry
from filterproof.game import OPENING, Mechanism, opening
from filterproof.odometer import INFINITE, report_of
from filterproof.odometers.accountant import Accountant, smallest_odds
from filterproof.odometers.additive import AdditiveOdometer
from filterproof.odometers.realised import Forgiving, Realised
from filterproof.odometers.registry import ODOMETERS
from filterproof.odometers.renyi import RenyiOne, RenyiOrders, root_up
from filterproof.palette import erasure, game, repeated, response, reveal, table
from filterproof.privacy import tight_odds
from filterproof_properties.case import Case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.odometers import SPECIMENS
from filterproof_properties.strategies import cases

F = Fraction
SOUND = [one for one in ODOMETERS if one.sound]
BAD = [one for one in ODOMETERS if not one.sound]
PAGE = (Path(__file__).parents[3] / "docs/internals/ODOMETERS.md").read_text(encoding="utf-8")
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
WORST = {
    "odometer-accountant": F(1970199, 100000000),
    "odometer-declared": F(3, 4),
    "odometer-per-round-delta": F(199, 10000),
    "odometer-rounded-down": F(5, 8),
    "odometer-late": F(2, 3),
    "odometer-resets": F(8, 27),
    "odometer-one-direction": F(2, 3),
    "odometer-forgiving-again": F(199, 10000),
    "odometer-renyi-best": F(15937, 1000000),
    "odometer-guesses-undivided": F(186127, 10000000),
    "odometer-guesses-dp": F(16, 25),
}


def by_name(one: Entry) -> str:
    return one.name


def exceeded(one: Entry, case: Case) -> Any:
    """The worst probability over the parameters that the odometer offers."""
    return max(
        worst_report(
            one.target(case.epsilon, case.delta, **parameters), case.game, case.epsilon
        ).value
        for parameters in parameter_sets(one.target, case.epsilon, case.delta, 3)
    )


@pytest.mark.parametrize("one", BAD, ids=by_name)
def test_a_wrong_one_is_exceeded_on_its_own_game_by_the_exact_amount(one: Entry) -> None:
    case = SPECIMENS[one.name]()
    assert exceeded(one, case) == WORST[one.name] > case.delta


# --- which ex-post promise: no loss above its report, or seldom ----------------------------------

ALWAYS = {"odometer-realised"}
WITHOUT_DELTA = {"odometer-realised", "odometer-additive", "odometer-forgiving"}
RARE = {
    "odometer-additive": (F(1, 100), None),
    "odometer-forgiving": (F(1, 100), None),
    "odometer-renyi": (F(1, 100), F(8)),
    "odometer-renyi-orders": (F(1, 100), F(8)),
    "odometer-guesses": (F(1, 200), F(15, 2)),
}
"""How likely a rare loss is and its odds (None: infinite) that an odometer leaves unreported."""


def rare_loss(chance: F, odds: F | None) -> Case:
    other = chance / odds if odds else F(0)
    law = table({"leak": (chance, other), "rest": (1 - chance, 1 - other)})
    return Case("a rare loss", game(law), F(1), F(1, 10))


@pytest.mark.parametrize("one", SOUND, ids=by_name)
def test_only_the_realised_loss_is_a_pure_report_and_the_others_are_exceeded_seldom(
    one: Entry,
) -> None:
    if one.name in ALWAYS:
        cases_ = [rare_loss(*rare) for rare in RARE.values()]
        assert {exceeded(one, case) for case in cases_} == {0}
    else:
        chance, odds = RARE[one.name]
        assert exceeded(one, rare_loss(chance, odds)) == chance <= F(1, 10)


@pytest.mark.parametrize("one", SOUND, ids=by_name)
def test_without_a_delta_no_loss_exceeds_its_report(one: Entry) -> None:
    for case in [*[*named_cases()][:4], *(rare_loss(*rare) for rare in RARE.values())]:
        assert exceeded(one, replace(case, delta=F(0))) == 0


@pytest.mark.parametrize("one", SOUND, ids=by_name)
def test_which_of_them_say_something_without_a_delta(one: Entry) -> None:
    """Randomised response twice: the Renyi odometers report infinity, which bounds nothing."""
    rule = one.target(F(1), F(0), **parameter_sets(one.target, F(1), F(0), 3)[0])
    step = opening(game(response(F(2, 3)))).next(OPENING, "ask")
    state = ask(rule, start(rule), step)[1]
    said = report_of(rule, observe(rule, state, step, "1"))
    assert (said != INFINITE) is (one.name in WITHOUT_DELTA)


def test_the_page_says_which_promise_each_makes() -> None:
    for one in SOUND:
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{one.name}` |"))
        told = row.split("|")[3]
        assert ("pure, whatever" in told) is (one.name in ALWAYS)
        assert ("pure" in told) is (one.name in WITHOUT_DELTA)


def test_a_summary_of_the_transcript_exceeds_what_additive_reports() -> None:
    """A leak and odds 2 told as one: loss log(51/25) with probability 51/100, reported log 2."""
    law = {"leak": (F(1, 100), F(0)), "twice": (F(1, 2), F(1, 4)), "rest": (F(49, 100), F(3, 4))}
    case = Case("merged", game(table(law)), F(1), F(1, 50))
    additive = next(one for one in SOUND if one.name == "odometer-additive")
    assert exceeded(additive, case) == F(1, 100)
    rule, step = AdditiveOdometer(F(1), F(1, 50)), opening(case.game).next(OPENING, "ask")
    report = report_of(rule, ask(rule, start(rule), step)[1])
    merged, merged_ = law["leak"][0] + law["twice"][0], law["leak"][1] + law["twice"][1]
    assert report == Log(F(2))
    assert merged == F(51, 100) > 2 * merged_


@pytest.mark.parametrize("one", SOUND, ids=by_name)
def test_a_sound_one_is_not_exceeded_there_nor_on_the_named_games(one: Entry) -> None:
    for case in (*(make() for make in SPECIMENS.values()), *named_cases()):
        if case.name != "guess(20)":
            assert exceeded(one, case) <= case.delta


@given(st.sampled_from(SOUND), cases(max_rounds=3, max_requests=2, max_databases=3))
@settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=SLOW)
def test_a_sound_one_is_not_exceeded_on_drawn_games(one: Entry, case: Case) -> None:
    assert exceeded(one, case) <= case.delta


def test_every_wrong_one_has_a_game_and_a_reason() -> None:
    assert set(SPECIMENS) == {one.name for one in BAD} == set(WORST)
    assert all(bool(one.why) is not one.sound for one in ODOMETERS)
    assert len({one.name for one in ODOMETERS}) == len(ODOMETERS)
    assert all(is_markov(one.target(F(1), F(1, 10))) for one in ODOMETERS)


def test_the_documentation_names_every_odometer_and_the_exact_probability() -> None:
    text = (Path(__file__).parents[3] / "docs" / "internals" / "ODOMETERS.md").read_text(
        encoding="utf-8"
    )
    rows = [line for line in text.splitlines() if line.startswith("| `odometer-")]
    assert len(rows) == len(ODOMETERS)
    for one in ODOMETERS:
        (row,) = (line for line in rows if f"`{one.name}`" in line)
        if not one.sound:
            delta, worst = (cell.strip() for cell in row.split("|")[-3:-1])
            assert (delta, worst) == (str(SPECIMENS[one.name]().delta), str(WORST[one.name]))


# --- what each of them reports --------------------------------------------------------------


def told(rule: Any, *laws: Any, output: str = "0") -> Any:
    """What is reported after these rounds, each of which releases the output."""
    one = laws[-1]
    for law in reversed(laws[:-1]):
        one = Mechanism(law.law, {y: {"ask": one} for y in law.law})
    step, y = opening(game(one)), OPENING
    state = start(rule)
    for number in range(len(laws) + 1):
        state = observe(rule, ask(rule, state, step)[1], step, y)
        if number < len(laws):
            step, y = step.next(y, "ask"), output
    return rule.reported(state)


RR = response(F(2, 3))
LEAK = erasure(F(1, 10))


def test_the_additive_one_adds_the_largest_losses() -> None:
    assert told(AdditiveOdometer(F(1), F(0)), RR, RR) == Log(F(4))
    assert told(AdditiveOdometer(F(1), F(1, 10)), LEAK, RR) == Log(F(2))
    assert told(AdditiveOdometer(F(1), F(1, 10)), LEAK, LEAK) == INFINITE


def test_the_realised_one_says_what_was_lost() -> None:
    rule = Realised(F(1), F(0))
    assert told(rule, RR, RR) == Log(F(4))
    assert told(rule, RR, LEAK, output="0") == INFINITE


def test_the_forgiving_one_forgives_an_infinite_loss_once() -> None:
    assert told(Forgiving(F(1), F(1, 10)), LEAK) == Log(F(1))
    assert told(Forgiving(F(1), F(1, 11)), LEAK) == INFINITE


def test_a_round_that_reveals_x_is_forgiven_where_delta_is_1() -> None:
    assert told(Forgiving(F(1), F(1)), reveal()) == Log(F(1))


def test_one_renyi_order_reports_what_an_accountant_of_that_order_does() -> None:
    # S(2) of RR(2/3) is 3/2, so that ε = log(3/2 / δ)
    assert told(RenyiOne(F(1), F(1, 10)), RR) == Log(F(15))
    assert told(RenyiOne(F(1), F(0)), RR) == INFINITE
    assert told(RenyiOne(F(1), F(1, 10)), LEAK) == INFINITE
    assert told(RenyiOrders(F(1), F(1, 10), orders=(2,)), RR) == Log(F(15))
    assert told(RenyiOrders(F(1), F(1, 10), orders=(2, 3)), RR).argument < 30


@given(st.fractions(F(1, 50), 10**6).filter(bool), st.integers(1, 15))
def test_a_root_is_rounded_up_and_not_far(q: Fraction, degree: int) -> None:
    root = root_up(q, degree)
    assert root**degree >= q
    assert root == 1 or (root - F(1, 2**16)) ** degree < q


def test_an_accountant_reports_a_tight_epsilon_and_log_2() -> None:
    # RR(3/4) is (log 2, 1/4)-DP and no better, and log 2 comes on top
    assert told(Accountant(F(1), F(1, 2)), response(F(3, 4))) == Log(F(4))


@given(cases(max_rounds=1, max_requests=1), st.fractions(0, 1, max_denominator=40))
@settings(deadline=None, derandomize=True, max_examples=60, suppress_health_check=SLOW)
def test_the_smallest_odds_are_those_of_the_mechanism(case: Case, delta: Fraction) -> None:
    (mechanism,) = case.game.menu.values()
    for pair in case.game.pairs:
        assert smallest_odds(losses_of(mechanism.law, pair), delta) == tight_odds(
            mechanism.law, [pair], delta
        )


def test_repeated_rounds_stay_small() -> None:
    many = game(repeated(RR, 40))
    assert worst_report(AdditiveOdometer(F(1), F(0)), many, F(1)).value == 0
