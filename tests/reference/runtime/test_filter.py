"""The filter to run: sound on every game, atomic on disk, hard to misuse."""

import threading
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision, ask, observe, start
from filterproof.filters.compensator import Compensator
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.runtime import (
    AddedNoise,
    Bounded,
    BudgetExceeded,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    Geometric,
    Table,
    UndeclaredOutput,
    randomised_response,
)
from filterproof.runtime.audited import RuntimeCompensator
from filterproof.witness import worst_case

RESPONSE = randomised_response(Fraction(3, 5), [0, 1])
ONE_BIT = Domain.record([0, 1])
ZERO, HALF = Fraction(0), Fraction(1, 2)
EPSILONS: list[Epsilon] = [Fraction(1, 2), Fraction(2), Log(Fraction(3, 2)), Log(Fraction(9))]


# --- the same exact audit as everyone else ---------------------------------------------------


def random_law(rng: Random, databases: list[str]) -> dict[str, dict[str, Fraction]]:
    """A law with small denominators; zeros are likely, so losses may be infinite."""
    columns = {}
    for x in databases:
        weights = [rng.choice([0, 1, 1, 2, 9, 30]) for _ in range(3)]
        weights[rng.randrange(3)] += 1
        columns[x] = [Fraction(w, sum(weights)) for w in weights]
    rows = {str(i): {x: columns[x][i] for x in databases} for i in range(3)}
    return {y: row for y, row in rows.items() if any(row.values())}


def random_menu(rng: Random, databases: list[str], depth: int) -> dict[str, Mechanism]:
    if depth == 0:
        return {}
    menu = {}
    for request in "ab"[: rng.randint(1, 2)]:
        law = random_law(rng, databases)
        after = {y: random_menu(rng, databases, depth - 1) for y in law}
        menu[request] = Mechanism(law, after)
    return menu


def random_games(count: int, seed: int) -> Iterator[tuple[Game, Epsilon, Fraction]]:
    rng = Random(seed)
    for _ in range(count):
        databases = ["0", "1", "2"][: rng.randint(2, 3)]
        pairs = list(pairwise(databases))
        game = Game(databases, pairs, random_menu(rng, databases, rng.randint(1, 3)))
        yield game, rng.choice(EPSILONS), Fraction(rng.randint(0, 40), 40)


@pytest.mark.parametrize("seed", range(4))
def test_on_generated_games_no_adversary_gets_more_than_delta(seed: int) -> None:
    for game, epsilon, delta in random_games(10, seed):
        for share in (ZERO, HALF, Fraction(9, 10)):
            rule = RuntimeCompensator(epsilon, delta, share=share)
            assert worst_case(rule, game, epsilon).value <= delta


def steps_both_run(
    game: Game, exact: Any, runtime: Any
) -> Iterator[tuple[Decision, Decision, Step]]:
    """Ask both filters after every history that both allow."""
    todo = [(opening(game), start(exact), start(runtime))]
    while todo:
        step, exact_state, runtime_state = todo.pop()
        here, after = ask(exact, exact_state, step)
        there, after_ = ask(runtime, runtime_state, step)
        yield here, there, step
        if here is not Decision.CONTINUE or there is not Decision.CONTINUE:
            continue
        for y in step.mechanism.law:
            states = observe(exact, after, step, y), observe(runtime, after_, step, y)
            todo += [(step.next(y, r), *states) for r in step.mechanism.after[y]]


@pytest.mark.parametrize("seed", range(10, 14))
def test_without_a_floor_it_allows_what_the_exact_filter_allows_and_no_more(seed: int) -> None:
    allowed = 0
    for game, epsilon, delta in random_games(10, seed):
        pair = Compensator(epsilon, delta), RuntimeCompensator(epsilon, delta, share=ZERO)
        for exact, runtime, step in steps_both_run(game, *pair):
            assert (exact is Decision.CONTINUE) == (runtime is Decision.CONTINUE), step.history
            allowed += runtime is Decision.CONTINUE
    assert allowed > 10


def test_halved_charges_are_caught_by_both_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a profile rounded the wrong way is seen by the audit and by the comparison."""
    true_profile: Any = Table.profile
    true_charge: Any = Table.exact_charge
    monkeypatch.setattr(Table, "profile", lambda self, *args: true_profile(self, *args) / 2)
    monkeypatch.setattr(Table, "exact_charge", lambda self, *args: true_charge(self, *args) / 2)
    over, ahead = 0, 0
    for game, epsilon, delta in random_games(9, 0):
        cheap = RuntimeCompensator(epsilon, delta, share=ZERO)
        over += worst_case(cheap, game, epsilon).value > delta
        for exact, runtime, _ in steps_both_run(game, Compensator(epsilon, delta), cheap):
            ahead += exact is Decision.HALT and runtime is Decision.CONTINUE
    assert over > 0
    assert ahead > 0


# --- spending --------------------------------------------------------------------------------


def used_up(guard: CompensatorFilter, mechanism: Any = RESPONSE, output: Any = 0) -> int:
    """Release the same output until the filter refuses; say how often it did not."""
    for count in range(200):
        try:
            guard.release(mechanism, lambda: output)
        except BudgetExceeded:
            return count
    raise AssertionError("the filter never refused")


def test_a_refusal_runs_nothing_and_says_spent_asked_and_left() -> None:
    guard = CompensatorFilter(1, Fraction(19, 100), domain=ONE_BIT, share=0)
    used_up(guard)
    before, ran = (guard.spent, guard.left, guard.floor_left, guard.rounds), []
    with pytest.raises(BudgetExceeded) as refusal:
        guard.release(RESPONSE, lambda: ran.append(1))
    quote = guard.ask(RESPONSE)
    assert refusal.value.quote == quote
    assert (ran, guard.spent, guard.left, guard.floor_left, guard.rounds) == ([], *before)
    assert not quote.allowed
    assert quote.asked > quote.left
    shown = f"spent {quote.spent:.3g} of 0.19, asked {quote.asked:.3g}, left {quote.left:.3g}"
    assert f"refused: {shown}; no weaker form was found to fit" == str(refusal.value)


def test_asking_spends_nothing() -> None:
    guard = CompensatorFilter(0, Fraction(1, 2), domain=ONE_BIT)
    assert guard.ask(RESPONSE).allowed
    assert (guard.rounds, guard.spent, guard.left, guard.floor_left) == (0, 0.0, 0.25, 1.0)


def test_a_mechanism_that_raises_is_charged_and_its_loss_counts_as_unknown() -> None:
    charged, answered = (
        CompensatorFilter(Fraction(1, 10), Fraction(9, 20), domain=ONE_BIT, share=0)
        for _ in range(2)
    )

    def touch_and_fail() -> int:
        raise OSError("the disk failed after the data was read")

    asked = charged.ask(RESPONSE).asked
    with pytest.raises(OSError, match="after the data was read"):
        charged.release(RESPONSE, touch_and_fail)
    answered.release(RESPONSE, lambda: 0)
    assert (charged.rounds, charged.spent) == (1, asked) == (1, answered.spent)
    assert charged.ask(RESPONSE).asked > answered.ask(RESPONSE).asked
    assert used_up(charged) == 1


def test_an_output_that_no_declared_database_explains_is_not_released() -> None:
    guard = CompensatorFilter(1, Fraction(1, 10), domain=Domain.counts(10))
    with pytest.raises(UndeclaredOutput, match="no declared database explains the output 5000"):
        guard.release(AddedNoise(DiscreteGaussian(400)), lambda: 5000)
    assert guard.rounds == 1


def test_threads_together_get_what_one_would_get() -> None:
    alone = used_up(CompensatorFilter(2, Fraction(3, 20), domain=ONE_BIT))
    shared = CompensatorFilter(2, Fraction(3, 20), domain=ONE_BIT)
    runs: list[int] = []

    def draw() -> int:
        runs.append(1)
        return 0

    def work() -> None:
        for _ in range(alone + 1):
            try:
                shared.release(RESPONSE, draw)
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == shared.rounds == alone > 0


def test_work_grows_linearly_with_rounds() -> None:
    calls = []

    class Counted:  # a mechanism of one's own
        def profile(self, *args: Any) -> float:
            calls.append("profile")
            return RESPONSE.profile(*args)

        def loss(self, *args: Any) -> Any:
            calls.append("loss")
            return RESPONSE.loss(*args)

        def plausible(self, *args: Any) -> bool:
            return True

    guard = CompensatorFilter(50, HALF, domain=ONE_BIT, allow_own_mechanisms=True)
    for i in range(3000):
        guard.release(Counted(), lambda i=i: i % 2)  # type: ignore[misc]
    assert calls.count("profile") == calls.count("loss") == 2 * 3000


def test_a_domain_too_large_to_list_is_guarded_by_bounds() -> None:
    guard = CompensatorFilter(1, Fraction(1, 1000), domain=Domain.unlisted())
    mechanism = Bounded(Geometric(Fraction(1, 4)), 1)
    assert used_up(guard, mechanism, 7) == 4
