"""Interactive mechanisms as one request: what a session costs, paying once, and two ways not to."""

from fractions import Fraction
from itertools import product

import pytest

from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.pan import Bayesian
from filterproof.filters.run_all import RunAll
from filterproof.filters.sessions import (
    PayFirstRound,
    PayLargest,
    PayOnce,
    largest,
    round_odds,
    session_odds,
)
from filterproof.game import Game, Mechanism, opening
from filterproof.palette import erasure, game
from filterproof_properties.case import Case
from filterproof_properties.games.interactive import (
    interleaved_sessions,
    session_cases,
    sparse_vector,
)
from tests.plays import rounds_run

F = Fraction
LOG_8 = Log(F(8))


def whole(play: Game, name: str = "svt") -> Fraction:
    """Return e^loss of a session that may begin with any request of the first menu."""
    prices = [largest(session_odds(one, (name, True))) for one in play.menu.values()]
    return max(price for price in prices if price is not None)


def added_up(menu: dict[str, Mechanism]) -> Fraction:
    """Return what adding up each round's own largest loss comes to on the worst way."""
    found = [F(1)]
    for one in menu.values():
        here = largest(round_odds(one))
        assert here is not None
        found.append(here * max(added_up(dict(after)) for after in one.after.values()))
    return max(found)


# --- the sparse vector ------------------------------------------------------------------------


def test_a_sparse_vector_costs_less_than_its_rounds_added_up() -> None:
    session = [whole(sparse_vector(n)) for n in (1, 2, 3, 4)]
    added = [added_up(dict(sparse_vector(n).menu)) for n in (1, 2, 3, 4)]
    assert session[0] == added[0]
    assert [int(100 * odds) for odds in session] == [157, 275, 488, 661]
    assert [int(100 * odds) for odds in added] == [157, 275, 513, 1169]
    assert session[3] < 8 < added[3]


def test_its_price_is_what_an_adversary_can_reach() -> None:
    """No more is lost at the price, and something is just below it."""
    play = sparse_vector(3)
    price = whole(play)
    for odds, lost in ((price, False), (price * F(99, 100), True)):
        assert (worst_case(RunAll(), play, Log(odds)).value > 0) is lost


def test_one_that_goes_on_after_a_yes_exceeds_what_one_that_stops_keeps() -> None:
    found = [worst_case(RunAll(), sparse_vector(4, on), LOG_8).value for on in (False, True)]
    assert found[0] == 0 < found[1]


def test_paying_once_answers_where_adding_up_stops() -> None:
    play = sparse_vector(3)
    epsilon = Log(whole(play))
    everything = rounds_run(RunAll(), play)
    assert rounds_run(PayOnce(epsilon, F(0)), play) == everything
    assert rounds_run(Additive(epsilon, F(0)), play) < everything


# --- interleaved sessions -----------------------------------------------------------------------


def test_interleaved_sessions_cost_the_product_of_what_each_costs() -> None:
    play = interleaved_sessions({"a": 2, "b": 1}, {"a": F(3, 2), "b": F(2)})
    a, b = (session_odds(play.menu[f"{name}: ask"], (name, True)) for name in "ab")
    assert (largest(a), largest(b)) == (F(9, 4), F(2))
    for odds, lost in ((F(9, 2), False), (F(4), True)):
        assert (worst_case(RunAll(), play, Log(odds)).value > 0) is lost


def test_a_session_that_does_not_fit_is_refused_and_one_that_began_goes_on() -> None:
    play = interleaved_sessions({"a": 2, "b": 1}, {"a": F(3, 2), "b": F(2)})
    rule, step = PayOnce(Log(F(9, 4)), F(0)), opening(play)
    decision, books = rule.decide(rule.start(), step.next("⊥", "a: ask"))
    assert (decision, books) == (Decision.CONTINUE, (("a", F(9, 4)),))
    later = step.next("⊥", "a: ask")
    assert rule.decide(books, later.next("0", "b: ask")) == (Decision.REFUSE, books)
    assert rule.decide(books, later.next("0", "a: ask")) == (Decision.CONTINUE, books)


@pytest.mark.parametrize("case", session_cases(), ids=lambda case: f"{case.name}, {case.epsilon}")
def test_paying_once_keeps_its_promise_and_runs_within_the_bayesian_filter(case: Case) -> None:
    rule = PayOnce(case.epsilon, case.delta)
    assert worst_case(rule, case.game, case.epsilon).value == 0
    assert rounds_run(rule, case.game) <= rounds_run(Bayesian(case.epsilon, F(0)), case.game)


@pytest.mark.parametrize("kind", [PayFirstRound, PayLargest])
def test_the_other_two_break_it_on_some_of_these(kind: type[PayOnce]) -> None:
    cases = session_cases()
    found = [worst_case(kind(one.epsilon, F(0)), one.game, one.epsilon).value for one in cases]
    assert any(value > 0 for value in found)


@pytest.mark.parametrize("kind", [PayOnce, PayFirstRound, PayLargest])
def test_what_rules_a_database_out_has_no_price(kind: type[PayOnce]) -> None:
    play = game(erasure(F(1, 100)))
    rule = kind(F(5), F(1, 2))
    assert rule.decide(rule.start(), opening(play).next("⊥", "ask"))[0] is Decision.REFUSE


def test_a_request_without_a_session_is_charged_every_time() -> None:
    again = Game(["0", "1"], [("0", "1")], {"count": plain({"count": plain({})})})
    rule, step = PayOnce(Log(F(4)), F(0)), opening(again).next("⊥", "count")
    first = rule.decide(rule.start(), step)
    assert first == (Decision.CONTINUE, (("count", F(2)),))
    assert rule.decide(first[1], step.next("0", "count"))[1] == (("count", F(4)),)


def plain(after: dict[str, Mechanism]) -> Mechanism:
    """Return randomised response of odds 2."""
    law = {x: {z: F(2 if x == z else 1, 3) for z in "01"} for x in "01"}
    return Mechanism(law, dict.fromkeys(law, after) if after else {})


def test_no_way_through_the_game_costs_more_than_the_price() -> None:
    """Every way through two rounds, one by one."""
    play = sparse_vector(2)
    found = [F(0)]
    for one in play.menu.values():
        for y, (x, x_) in product(one.law, (("0", "1"), ("1", "0"))):
            ratio = one.law[y][x] / one.law[y][x_]
            below = [row[x] / row[x_] for two in one.after[y].values() for row in two.law.values()]
            found.append(ratio * max(below, default=F(1)))
    assert max(found) == whole(play)
