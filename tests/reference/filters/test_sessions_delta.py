"""Sessions that are paid for by one (epsilon, delta) each: right, wrong, and parts of the data."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from filterproof.exact import Log
from filterproof.fast import worst_case
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.run_all import RunAll
from filterproof.filters.sessions import PayLargest, PayOnce
from filterproof.filters.sessions_delta import (
    Account,
    PayLargestDelta,
    PayOnceDelta,
    PayUnchecked,
    session_leak,
)
from filterproof.game import Game, Mechanism, opening
from filterproof.palette import response, reveal
from filterproof_properties.case import Case
from filterproof_properties.games.interactive import (
    delta_cases,
    leaking,
    truncated_sparse_vector,
    updated_parts,
)
from tests.plays import rounds_run

F = Fraction
TENTH = F(1, 10)
LOG_2 = Log(F(2))
CASES = delta_cases()
NAMES = [case.name for case in CASES]


def whole(play: Game, name: str, odds: Fraction) -> Fraction:
    """Return the delta of a session at these odds, over its first requests and both directions."""
    return max(
        session_leak(one, (name, True, i, odds)) for one in play.menu.values() for i in range(2)
    )


def brute_force(menu: dict[str, Mechanism], odds: Fraction, direction: tuple[str, str]) -> Fraction:
    """Return the same of a game that is one session, by every way through it."""

    def value(menu: dict[str, Mechanism], p: Fraction, q: Fraction) -> Fraction:
        found = [max(F(0), p - odds * q)]
        for one in menu.values():
            rows = [(y, row[direction[0]], row[direction[1]]) for y, row in one.law.items()]
            found.append(sum((value(dict(one.after[y]), p * a, q * b) for y, a, b in rows), F(0)))
        return max(found)

    return value(menu, F(1), F(1))


# --- the price ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rounds", "delta"), [(2, "0"), (3, "9/400"), (4, "3717/100000")])
def test_truncated_noise_has_a_delta_and_it_is_what_an_adversary_reaches(
    rounds: int, delta: str
) -> None:
    play = truncated_sparse_vector(rounds, 2)
    assert str(whole(play, "svt", F(8))) == delta
    assert str(worst_case(RunAll(), play, Log(F(8))).value) == delta


def test_the_price_is_the_best_of_every_way_through_the_session() -> None:
    play = truncated_sparse_vector(3, 2)
    for odds in (F(2), F(5), F(8), F(20)):
        ways = [brute_force(dict(play.menu), odds, way) for way in (("0", "1"), ("1", "0"))]
        assert whole(play, "svt", odds) == max(ways)


def test_what_others_answer_in_between_counts_as_chosen() -> None:
    """A round of another session, which says nothing, decides whether the first leaks all."""
    coin = {"h": {"0": F(1, 2), "1": F(1, 2)}, "t": {"0": F(1, 2), "1": F(1, 2)}}
    other = Mechanism(coin, {"h": {"a: go on": reveal()}})
    first = Mechanism({"-": {"0": F(1), "1": F(1)}}, {"-": {"b: toss": other}})
    play = Game(["0", "1"], [("0", "1")], {"a: begin": first})
    assert whole(play, "a", F(2)) == 1
    assert worst_case(RunAll(), play, LOG_2).value == F(1, 2)


# --- the three filters ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_paying_once_keeps_its_promise(case: Case) -> None:
    rule = PayOnceDelta(case.epsilon, case.delta)
    assert worst_case(rule, case.game, case.epsilon).value <= case.delta


@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        (PayUnchecked, {"one leaking session", "parts"}),
        (PayLargestDelta, {"two leaking sessions", "leaking", "parts"}),
        (PayOnceDelta, set()),
    ],
)
def test_which_plays_break_which_filter(kind: type[PayOnceDelta], broken: set[str]) -> None:
    found = {
        one.name
        for one in CASES
        if worst_case(kind(one.epsilon, one.delta), one.game, one.epsilon).value > one.delta
    }
    assert found == broken


def test_paying_once_answers_where_adding_up_and_a_price_without_delta_stop() -> None:
    play, epsilon, delta = truncated_sparse_vector(3, 2), Log(F(8)), F(9, 400)
    everything = rounds_run(RunAll(), play)
    assert rounds_run(PayOnceDelta(epsilon, delta), play) == everything
    assert rounds_run(Additive(epsilon, delta), play) < everything
    assert len(rounds_run(PayOnce(epsilon, delta), play)) < len(everything)


def test_a_session_that_does_not_fit_is_refused_and_one_that_began_goes_on() -> None:
    play = leaking({"a": 2, "b": 1}, TENTH)
    rule, step = PayOnceDelta(LOG_2, F(19, 100)), opening(play)
    first = rule.decide(rule.start(), step.next("⊥", "a: ask"))
    books = Account(F(1), F(19, 100), ("a",))
    assert first == (Decision.CONTINUE, books)
    later = step.next("⊥", "a: ask").next("?", "b: ask")
    assert rule.decide(books, later) == (Decision.REFUSE, books)
    again = step.next("⊥", "a: ask").next("?", "a: ask")
    assert rule.decide(books, again) == (Decision.CONTINUE, books)


def test_a_session_may_have_an_empty_name() -> None:
    play = leaking({"": 2}, TENTH)
    assert rounds_run(PayOnceDelta(LOG_2, F(19, 100)), play) == rounds_run(RunAll(), play)


def test_a_request_without_a_session_is_charged_what_it_declares_every_time() -> None:
    menu = {"count": Mechanism(response(F(2, 3)).law, {"0": {"count": response(F(2, 3))}})}
    step = opening(Game(["0", "1"], [("0", "1")], menu)).next("⊥", "count")
    rule = PayOnceDelta(Log(F(4)), F(0))
    books = rule.decide(rule.start(), step)[1]
    assert books == Account(F(2), F(0), ())
    assert rule.decide(books, step.next("0", "count"))[1] == Account(F(4), F(0), ())


# --- parts, and one record that is put where one likes ------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
def test_parts_with_a_delta_add_up_once_the_record_is_put_where_an_answer_invites(
    parts: int,
) -> None:
    play = updated_parts(parts, TENTH, reveal())
    assert worst_case(RunAll(), play, LOG_2).value == 1 - F(9, 10) ** parts
    for number in range(1, parts + 1):
        looks = [one for name, one in menus(play) if name == f"part {number}: look"]
        assert {session_leak(one, (f"part {number}", True, 0, F(1))) for one in looks} == {TENTH}


def test_pure_parts_do_not_and_the_dearest_may_be_charged_there() -> None:
    play = updated_parts(3, TENTH, response(F(2, 3)), F(2))
    assert worst_case(RunAll(), play, LOG_2).value == 0
    assert rounds_run(PayLargest(LOG_2, F(0)), play) == rounds_run(RunAll(), play)


def menus(play: Game) -> list[tuple[str, Mechanism]]:
    """Return every request of every menu of a game."""
    return [(name, one) for menu in play.nodes for name, one in menu.items()]


def test_where_the_part_is_fixed_before_the_largest_is_enough() -> None:
    """The twin: two parts with a leak of 1/10 each, and H = 1/10 whichever has the record."""
    play = updated_parts(2, TENTH, reveal())
    assert rounds_run(PayLargestDelta(LOG_2, TENTH), play) == rounds_run(RunAll(), play)
    for part in (1, 2):
        fixed = Game(["0", "1"], [("0", "1")], without(play.menu, f"part {part}: put it here"))
        assert worst_case(RunAll(), fixed, LOG_2).value == TENTH


def without(menu: Mapping[str, Mechanism], dropped: str) -> dict[str, Mechanism]:
    """Return the menu without one request, here and below."""
    found = {}
    for name, one in menu.items():
        if name != dropped:
            after = {y: without(one.after[y], dropped) for y in one.law}
            found[name] = Mechanism(one.law, {y: below for y, below in after.items() if below})
    return found
