"""A promise per ordered pair: the engine, the specification, the certificate and the checker."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from filterproof.adversary import keeps_promises, pair_hockey_stick
from filterproof.certificate import (
    NotCertifiable,
    canonical,
    certify,
    certify_reports,
    read_certificate,
    replay,
)
from filterproof.exact import Epsilon, Log
from filterproof.fast import worst_case
from filterproof.filter import Filter
from filterproof.filters.additive import Additive
from filterproof.filters.individual import IndividualActual, IndividualSupremum
from filterproof.filters.personal import AdditivePerPair, LargestPromise
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism, Promise
from filterproof.game.individual import by_actual_data, by_supremum, individual_game
from filterproof.game.json import BadJson, game_from_json, game_to_json
from filterproof.game.promises import PromiseError, distances, group_promise, group_promises
from filterproof.witness import worst_case as plain_worst_case
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.games.promised import (
    NEIGHBOURS,
    PEOPLE,
    both_asked_about,
    group_cases,
    individual_cases,
    largest_promise,
    personal,
    personal_cases,
)

F = Fraction
TWO = F(2)
TIGHT, LOOSE = Promise(Log(TWO), F(0)), Promise(Log(TWO**2), F(0))


def violates(rule: Filter[Any], game: Game, epsilon: Epsilon, delta: F) -> bool:
    found = worst_case(rule, game, epsilon)
    return found.value > found.allowed(game, delta)


def violated() -> tuple[Game, str]:
    """A game with promises, and the certificate that the larger one is given to everybody."""
    case = largest_promise()
    rule = LargestPromise(case.epsilon, case.delta)
    found = worst_case(rule, case.game, case.epsilon)
    text = certify("largest-promise", {}, case.game, case.epsilon, case.delta, found)
    return case.game, text


# --- promises and games ---------------------------------------------------------------------------


def test_promises_are_part_of_the_game_and_travel_with_it() -> None:
    game = personal(TIGHT, LOOSE, TWO, 2)
    again = game_from_json(game_to_json(game))
    assert again.promises == game.promises
    assert game.promise(("nobody", "ann"), F(1), F(0)) == TIGHT
    assert Game(PEOPLE, NEIGHBOURS, game.menu).promise(("nobody", "ann"), F(1), F(0))[0] == 1


def test_a_game_without_promises_is_written_as_before() -> None:
    assert "promises" not in game_to_json(Game(PEOPLE, NEIGHBOURS, both_asked_about(TWO, 1)))


@pytest.mark.parametrize(
    "promises",
    [
        {("nobody", "ann"): TIGHT},
        {("ann", "ann"): TIGHT},
        {("nobody", "eve"): TIGHT},
        {pair: (F(1), F(2)) for pair in [*NEIGHBOURS, *((b, a) for a, b in NEIGHBOURS)]},
    ],
    ids=["a neighbour without one", "one database", "unknown", "delta above 1"],
)
def test_promises_that_do_not_fit_are_refused(promises: dict[tuple[str, str], Promise]) -> None:
    with pytest.raises(PromiseError):
        Game(PEOPLE, NEIGHBOURS, both_asked_about(TWO, 1), promises)


@pytest.mark.parametrize("wrong", [[["nobody", "ann", "1"]], [["a", "b", "1", 0]]])
def test_malformed_promises_are_refused(wrong: list[list[object]]) -> None:
    data = game_to_json(personal(TIGHT, LOOSE, TWO, 1)) | {"promises": wrong}
    with pytest.raises(BadJson):
        game_from_json(data)


# --- groups ---------------------------------------------------------------------------------------


def test_group_privacy_by_distance() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    assert distances("abcd", chain)["a", "d"] == 3
    found = group_promises("abcd", chain, Log(TWO), F(1, 10))
    assert found["a", "d"] == Promise(Log(F(8)), F(7, 10))
    assert ("a", "d") not in group_promises("abcd", chain, Log(TWO), F(1, 5))


def test_an_irrational_group_delta_is_rounded_up() -> None:
    promise = group_promise(2, F(1), F(1, 10))
    assert promise.epsilon == 2
    assert F("0.37182818284590452353") < promise.delta < F("0.3718281828459045237")


@pytest.mark.parametrize("case", group_cases(), ids=lambda case: f"{case.name} {case.epsilon}")
def test_what_neighbours_are_promised_protects_groups(case) -> None:  # type: ignore[no-untyped-def]
    rule = Additive(case.epsilon, case.delta)
    assert keeps_promises(rule, case.game, case.epsilon, case.delta)
    assert not violates(rule, case.game, case.epsilon, case.delta)


def test_a_group_is_not_protected_as_well_as_one_person() -> None:
    """The twin: with epsilon itself promised at distance two, additive breaks it."""
    epsilon = Log(F(3, 2))
    promises = dict(group_promises(PEOPLE, NEIGHBOURS, epsilon, F(0)))
    promises["ann", "bob"] = Promise(epsilon, F(0))
    yes = {"nobody": F(1, 2), "ann": F(2, 3), "bob": F(1, 3)}
    law = {"yes": yes, "no": {x: 1 - p for x, p in yes.items()}}
    game = Game(PEOPLE, NEIGHBOURS, {"ann rather than bob": Mechanism(law)}, promises)
    found = worst_case(Additive(epsilon, F(0)), game, epsilon)
    assert (found.pair, str(found.value)) == (("ann", "bob"), "1/6")


# --- the engine -----------------------------------------------------------------------------------


def drawn(rng: Random) -> Game:
    budgets = [Promise(e, d) for e in (F(1, 2), F(1), Log(TWO)) for d in (F(0), F(1, 10))]
    odds = rng.choice([F(3, 2), TWO, F(3)])
    return personal(rng.choice(budgets), rng.choice(budgets), odds, rng.randrange(1, 4))


@pytest.mark.parametrize("seed", range(12))
def test_the_engine_and_the_specification_agree(seed: int) -> None:
    game = drawn(Random(seed))
    for rule in (RunAll(), Additive(F(2), F(0)), AdditivePerPair(F(1), F(0))):
        plain, fast = plain_worst_case(rule, game, F(1)), worst_case(rule, game, F(1))
        assert (plain.pair, plain.value) == (fast.pair, fast.value)
        own = game.promises[fast.pair]
        assert fast.value == pair_hockey_stick(rule, game, fast.pair, own.epsilon)
        kept = keeps_promises(rule, game, F(1), F(0))
        assert kept is (fast.value <= fast.allowed(game, F(0)))


def test_a_large_game_with_promises_is_valued_pair_by_pair() -> None:
    game = personal(TIGHT, LOOSE, F(11, 10), 14)
    found = worst_case(AdditivePerPair(F(1), F(0)), game, F(1))
    assert found.value <= found.allowed(game, F(0))


# --- filters --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*personal_cases(), *group_cases()], ids=lambda c: c.name)
def test_an_account_per_pair_keeps_every_promise(case) -> None:  # type: ignore[no-untyped-def]
    rule = AdditivePerPair(case.epsilon, case.delta)
    assert keeps_promises(rule, case.game, case.epsilon, case.delta)


def test_it_runs_what_one_account_for_all_refuses() -> None:
    """Questions about Bob alone cost Ann nothing: of three, two are answered."""
    game, about_bob = personal(TIGHT, LOOSE, F(3, 2), 4), ("nobody", "bob")
    own, for_all = AdditivePerPair(Log(TWO), F(0)), Additive(Log(TWO), F(0))
    epsilon = Log(F(3, 2))
    assert pair_hockey_stick(own, game, about_bob, epsilon) > 0
    assert pair_hockey_stick(for_all, game, about_bob, epsilon) == 0


def test_the_largest_promise_for_everybody_breaks_the_smaller_one() -> None:
    case = largest_promise()
    found = worst_case(LargestPromise(case.epsilon, case.delta), case.game, case.epsilon)
    assert ({*found.pair}, str(found.value)) == ({"nobody", "ann"}, "2/9")


@pytest.mark.parametrize("number", range(3))
def test_individual_filters_on_their_own_games(number: int) -> None:
    sound, bad = (individual_cases(pays)[number] for pays in (by_supremum, by_actual_data))
    kept = IndividualSupremum(sound.epsilon, sound.delta)
    assert not violates(kept, sound.game, sound.epsilon, sound.delta)
    leaks = IndividualActual(bad.epsilon, bad.delta)
    assert violates(leaks, bad.game, bad.epsilon, bad.delta)


def test_an_individual_filter_runs_its_own_games_whole_and_nothing_else() -> None:
    own = individual_game(by_supremum, TWO, 2)
    other = individual_game(by_actual_data, TWO, 2)
    rule = IndividualSupremum(Log(TWO), F(0))
    at_zero = worst_case(rule, own, F(0)).value
    assert at_zero == worst_case(RunAll(), own, F(0)).value
    assert not violates(rule, other, Log(TWO), F(0))
    assert violates(RunAll(), other, Log(TWO), F(0))
    assert worst_case(rule, personal(TIGHT, LOOSE, TWO, 1), F(0)).value == 0


def test_an_individual_filter_halts_where_neighbours_differ_in_two_people() -> None:
    game = individual_game(by_supremum, TWO, 1)
    far = Game(game.databases, [("{}", "{1,2}")], game.menu)
    assert worst_case(IndividualSupremum(Log(TWO), F(0)), far, F(0)).value == 0


# --- certificates ---------------------------------------------------------------------------------


def test_a_certificate_is_about_what_its_pair_is_promised() -> None:
    game, text = violated()
    assert check(text) == "P_nobody(S) = 4/9 and P_ann(S) = 1/9: not (log(2), 0)-DP"
    read = read_certificate(text)
    assert read.game.promises == game.promises
    assert read.epsilon == Log(TWO**2)  # what the filter was opened with
    assert replay(LargestPromise(read.epsilon, read.delta), read) == len(read.answers)


def changed(text: str, **new: object) -> str:
    data = json.loads(text)
    data["game"] |= new
    return canonical(data)


def promises(text: str) -> list[list[str]]:
    found: list[list[str]] = json.loads(text)["game"]["promises"]
    return found


WRONG: dict[str, Callable[[list[list[str]]], list[list[str]]]] = {
    "a larger promise": lambda own: [[x, z, "log(4)", d] for x, z, _, d in own],
    "none left": lambda own: [],
    "a neighbour without one": lambda own: own[1:],
    "out of order": lambda own: own[::-1],
    "named twice": lambda own: [own[0], *own],
    "negative": lambda own: [[x, z, "-1", d] for x, z, _, d in own],
    "delta above 1": lambda own: [[x, z, e, "2"] for x, z, e, _ in own],
    "unknown database": lambda own: [*own, ["nobody", "eve", "1", "0"]],
    "one database": lambda own: sorted([*own, ["ann", "ann", "1", "0"]]),
    "not lowest terms": lambda own: [[x, z, e, "0/1"] for x, z, e, _ in own],
    "three entries": lambda own: [one[:3] for one in own],
}


@pytest.mark.parametrize("name", WRONG)
def test_the_checker_refuses_other_promises(name: str) -> None:
    _, text = violated()
    with pytest.raises(Rejected):
        check(changed(text, promises=WRONG[name](promises(text))))


def test_a_pair_that_is_not_promised_anything_is_no_violation() -> None:
    game = personal(LOOSE, LOOSE, TWO, 2)
    far = Game(PEOPLE, NEIGHBOURS, game.menu, {**game.promises, ("ann", "bob"): TIGHT})
    found = worst_case(RunAll(), far, F(1))
    assert found.pair == ("ann", "bob")
    text = certify("run-all", {}, far, F(1), F(0), found)
    check(text)
    kept = [one for one in promises(text) if one[:2] != ["ann", "bob"]]
    with pytest.raises(Rejected, match="are not neighbours"):
        check(changed(text, promises=kept))


def test_an_odometer_has_no_promises_per_pair() -> None:
    game, _ = violated()
    found = worst_case(RunAll(), game, F(0))
    with pytest.raises(NotCertifiable):
        certify_reports("x", {}, game, F(0), F(0), found)
