"""What a target elsewhere offers: claims, parameters, filters; and the games that it is told."""

import gc
from fractions import Fraction
from typing import Any

import pytest

from filterproof.filters.additive import Additive
from filterproof.palette import erasure, game
from filterproof_properties.targets import remote
from filterproof_properties.targets.connect import connect_here
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.remote import Elsewhere
from filterproof_properties.targets.target import Declined, Loaded
from tests.properties.targets.wire import BUDGET, TWO, Message, filtered, told

# --- hello ----------------------------------------------------------------------------------------


def test_a_target_has_the_claims_and_the_name_that_it_says() -> None:
    target, _ = told({"claims": ["dp", "x" * 90], "name": "n" * 500})
    assert target.claims == ("dp", "x" * 77 + "...")
    assert target.name == "n" * 397 + "..."
    assert told()[0].claims == ("dp",)
    assert told()[0].name == "?"


@pytest.mark.parametrize("claims", ["dp", {"dp": 1}, ["dp", 4], None])
def test_claims_are_a_list_of_names(claims: Any) -> None:
    with pytest.raises(Misbehaved, match="claims must be a list of names"):
        told({"claims": claims})


def test_games_are_spelled_out_unless_the_target_says_that_it_can_work_them_out() -> None:
    said: list[Message] = [
        {},
        {"declared": True},
        {"declared": None},
        {"declared": 0},
        {"declared": False},
    ]
    assert [told(one)[0].spelled for one in said] == [True, True, True, True, False]


def test_parameters_are_there_iff_the_target_offers_them() -> None:
    said: list[Message] = [{}, {"parameters": False}, {"parameters": 1}, {"parameters": True}]
    assert [hasattr(told(one)[0], "parameters") for one in said] == [False, False, False, True]


# --- parameters -----------------------------------------------------------------------------------


def offered(sets: Any) -> Any:
    return told({"parameters": True}, parameters={"parameters": sets})[0].parameters(*BUDGET, 3)


def test_parameters_are_read() -> None:
    object_ = {"object": 4, "shown": "a lock"}
    found = offered([{"N": 2, "mode": "plain"}, {"lock": object_}, {"theta": {"tuple": [1, "a"]}}])
    assert found[0] == {"N": 2, "mode": "plain"}
    assert found[1] == {"lock": Elsewhere(4, "anything")}
    assert found[2] == {"theta": (1, "a")}
    assert repr(found[1]["lock"]) == "a lock"
    target, link = told(make={"declined": "no"})
    with pytest.raises(Declined, match=r"^no$"):
        target(*BUDGET, lock=found[1]["lock"], N=2)
    assert link.asked[0]["parameters"] == {"lock": {"object": 4}, "N": 2}


class Offers:
    """A target whose parameters JSON cannot hold, new ones every time."""

    def __call__(self, epsilon: Any, delta: Any, lock: Any) -> Any:
        return Additive(epsilon, delta)

    def parameters(self, epsilon: Any, delta: Any, depth: int) -> list[dict[str, Any]]:
        return [{"lock": object()}]


def objects_after(times: int, *, hold: bool = False) -> int:
    """Return how many of its objects a target's process holds after so many plays."""
    target: Any = connect_here(Loaded("", Offers(), ("dp",))).target
    held = []
    for _ in range(times):
        (parameters,) = target.parameters(*BUDGET, 3)
        target(*BUDGET, **parameters)
        held += [parameters] if hold else []
    return len(target.link.server.objects)


def test_an_object_is_kept_for_as_long_as_it_is_named() -> None:
    assert objects_after(60) == objects_after(20) <= 2
    assert objects_after(20, hold=True) == 20


@pytest.mark.parametrize("sets", [None, {}, [{"N": 1}, 5], "N"])
def test_parameters_are_a_list_of_sets(sets: Any) -> None:
    with pytest.raises(Misbehaved, match=r"parameters\(\) must yield dicts"):
        offered(sets)


@pytest.mark.parametrize(
    ("one", "why"),
    [
        ({"no name": 1}, "must be an identifier; got 'no name'"),
        ({"N": "\x1b[2J"}, "a parameter must be printable"),
        ({"N": {"tuple": ["plain", "\x1b[2J"]}}, "a parameter must be printable"),
        ({"N": {"rational": "1/0"}}, "a parameter cannot be read"),
    ],
)
def test_a_parameter_is_a_name_and_a_value_that_can_be_shown(one: Message, why: str) -> None:
    with pytest.raises(Misbehaved, match=why):
        offered([one])


# --- games ----------------------------------------------------------------------------------------


def test_a_game_is_sent_once_and_known_by_its_number() -> None:
    target, _ = told()
    games = [game(erasure(Fraction(1, n))) for n in (2, 3)]
    assert [target.told(one) for one in (*games, games[0])] == [0, 1, 0]
    assert [one["game"] for one in target.taken()["games"]] == [0, 1]
    assert target.taken() == {}
    assert target.menus == sum(len(one.nodes) for one in games)


@pytest.mark.parametrize(
    ("games", "menus", "gone"),
    [
        (5, 99, []),
        (4, 99, []),
        (3, 99, [0]),
        (1, 99, [0, 1, 2]),
        (0, 99, [0, 1, 2]),
        (9, 8, []),
        (9, 7, [0]),
        (9, 4, [0, 1]),
        (9, 2, [0, 1, 2]),
        (9, 0, [0, 1, 2]),
    ],
)
def test_games_that_are_too_many_are_forgotten_the_oldest_first_but_one(
    games: int, menus: int, gone: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "GAMES", games)
    monkeypatch.setattr(remote, "MENUS", menus)
    target, _ = told()
    held = [game(erasure(Fraction(1, n))) for n in (2, 3, 4, 5)]
    for one in held:
        target.told(one)
    assert {len(one.nodes) for one in held} == {2}
    target.make_room()
    assert target.taken().get("forget", []) == gone
    assert target.menus == 8 - 2 * len(gone)
    assert [number for _, number in target.known.values()] == [*range(len(gone), 4)]


def test_a_game_that_is_asked_about_is_not_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "GAMES", 2)
    target, _ = told()
    held = [game(erasure(Fraction(1, n))) for n in (2, 3, 4)]
    for one in (held[0], held[1], held[0], held[2]):
        target.told(one)
    target.make_room()
    assert target.taken()["forget"] == [1]


@pytest.mark.parametrize(("highest", "anew"), [(4, False), (5, False), (6, True)])
def test_a_target_with_too_many_states_is_told_to_begin_anew(
    highest: int, anew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MOST_STATES", 5)
    target, link = told()
    target.told(TWO)
    target.highest = highest
    target.refresh()
    assert (len(link.asked), len(target.known)) == ((1, 0) if anew else (0, 1))
    assert len(target.news) == (0 if anew else 1)
    assert (target.highest, target.menus) == ((0, 0) if anew else (highest, len(TWO.nodes)))


def test_what_may_not_have_arrived_is_sent_anew_by_other_numbers() -> None:
    target, _ = told()
    games = [game(erasure(Fraction(1, n))) for n in (2, 3)]
    target.told(games[0])
    target.taken()
    target.told(games[1])
    target.lose_track()
    assert (target.known, target.menus) == ({}, 0)
    assert target.told(games[1]) == 2
    news = target.taken()
    assert (news["forget"], [one["game"] for one in news["games"]]) == ([0, 1], [2])


# --- filters --------------------------------------------------------------------------------------


def test_filters_have_numbers_of_their_own_and_are_forgotten_when_they_are_dropped() -> None:
    target, link = told()
    one, other = (target(*BUDGET) for _ in range(2))
    assert link.asked[0]["filter"] != link.asked[1]["filter"]
    del one
    gc.collect()
    target(*BUDGET)
    assert link.asked[2]["forget"] == [link.asked[0]["filter"]]
    assert other.start() == 0


@pytest.mark.parametrize("flag", ["observe", "reported", "markov"])
def test_a_filter_has_what_it_says_with_true_and_nothing_else(flag: str) -> None:
    for said in (True, False, 1, None):
        target, _ = told(make={"state": 0, flag: said})
        rule = target(*BUDGET)
        found = rule.markov if flag == "markov" else hasattr(rule, flag)
        assert found == (said is True)


@pytest.mark.parametrize("state", [-1, "0", None, True, 0.0, [0]])
def test_a_state_goes_by_a_number(state: Any) -> None:
    target, _ = told(make={"state": state})
    with pytest.raises(Misbehaved, match="a state goes by a number"):
        target(*BUDGET)


@pytest.mark.parametrize(("said", "held"), [(True, True), (False, False), (1, False)])
def test_whether_a_filter_has_changed_is_what_it_says(said: Any, held: bool) -> None:
    rule, _ = filtered(hold={"changed": said})
    assert rule.hold() is held


# --- the real one ---------------------------------------------------------------------------------


class Odd:
    """Halts where its parameter says so; the parameter is nothing that JSON can hold."""

    lock = object()

    def __init__(self, epsilon: Any, delta: Any, lock: Any) -> None:
        assert lock is self.lock

    @classmethod
    def parameters(cls, epsilon: Any, delta: Any, depth: int) -> Any:
        return [{"lock": object()}, {"lock": cls.lock}]

    def start(self) -> Any:
        return 0

    def decide(self, state: Any, step: Any) -> Any:
        return "continue", state


def test_an_object_that_stays_with_the_target_is_found_there_again() -> None:
    target: Any = connect_here(Loaded("mine.py:Odd", Odd, ("dp",))).target
    wrong, right = target.parameters(*BUDGET, 2)
    assert target(*BUDGET, **right).start() == 0
    with pytest.raises(Exception, match="AssertionError"):
        target(*BUDGET, **wrong)
