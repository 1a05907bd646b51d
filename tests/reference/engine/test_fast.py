"""The fast engines give the specification's answers: value, worst pair, and the whole play."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest

from filterproof import fast, tail, witness
from filterproof.engine.by_position import graph
from filterproof.engine.by_round import exploring
from filterproof.engine.by_round.verdicts import RoundAnalysis
from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision, Filter, parameter_sets
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.filters.naive import Naive
from filterproof.filters.registry import REGISTRY, Entry, entry
from filterproof.game import Game, Step
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import TRANSPLANTS
from filterproof_properties.games.drawn import draw_case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.over_budget import COARSE, in_slices, small
from tests.unrolled import by_level, by_place, played

ENGINES = [by_place, by_level]
GRID = Entry("compensator-grid", CompensatorGrid, "compensator", "", "", True)
FILTERS = (*REGISTRY, GRID)


@pytest.fixture(autouse=True)
def every_level_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never hand a game over to the other engine."""
    monkeypatch.setattr(exploring, "MOST_GROUPS", 10**9)


def agree(rule: Filter[Any], game: Game, epsilon: Epsilon) -> None:
    expected = played(witness.worst_case(rule, game, epsilon))
    for engine in ENGINES:
        assert played(engine(rule, game, epsilon)) == expected, engine.__name__


def made(one: Entry, case: Case, number: int) -> Filter[Any] | None:
    """Return one of the entry's filters at the case's budget; None if it has none there."""
    try:
        sets = parameter_sets(one.target, case.epsilon, case.delta, case.game.depth)
        return one.target(case.epsilon, case.delta, **sets[number % len(sets)])
    except (ValueError, IndexError):
        return None


def drawn_cases(seed: int) -> Iterator[Case]:
    random = Random(seed)
    return (draw_case(lambda n: random.randrange(n)) for _ in cycle([0]))


class Whimsical:
    """Gives any answer at all, as its seed says; looks at the history unless it is markov."""

    def __init__(self, seed: int, markov: bool) -> None:
        self.seed, self.markov = seed, markov

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        if not step.index:
            return Decision.CONTINUE, state
        seen = () if self.markov else step.history
        mass = tuple(map(str, step.mass.values()))
        random = Random(f"{self.seed} {state} {step.index} {step.request} {mass} {seen}")
        kinds = [Decision.HALT, Decision.LAST, *[Decision.CONTINUE, Decision.REFUSE] * 3]
        return random.choice(kinds), random.randrange(3)

    def observe(self, state: int, step: Step, output: str) -> int:
        return (state + len(output) + step.index) % 3


@pytest.mark.parametrize("seed", range(4))
def test_every_built_in_filter_agrees_on_drawn_games(seed: int) -> None:
    pairs = zip(cycle(FILTERS), drawn_cases(seed), strict=False)
    for number, (one, case) in enumerate(islice(pairs, 300)):
        if (rule := made(one, case, number)) is not None:
            agree(rule, case.game, case.epsilon)


@pytest.mark.parametrize("seed", range(4))
def test_filters_with_all_four_answers_agree_on_drawn_games(seed: int) -> None:
    for number, case in enumerate(islice(drawn_cases(100 + seed), 250)):
        agree(Whimsical(number, markov=bool(number % 2)), case.game, case.epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(1), Log(Fraction(2))])
def test_every_filter_agrees_on_what_is_over_the_budget_in_other_scenes(epsilon: Epsilon) -> None:
    tenth = Fraction(1, 10)
    games = [game for _, game in small(epsilon, tenth)]
    lifted = [
        one.transplant(game) for one, game in zip(TRANSPLANTS[::4], cycle(games), strict=False)
    ]
    sliced_in_two = [game for _, game in in_slices(epsilon, tenth, COARSE) if game.depth == 2]
    cases = [Case("over", one, epsilon, tenth) for one in (*lifted, *sliced_in_two)]
    pairs = zip(FILTERS, cycle(cases), strict=False)
    for number, (one, case) in enumerate(pairs):
        if (rule := made(one, case, number)) is not None:
            agree(rule, case.game, case.epsilon)


@pytest.mark.parametrize("case", [c for c in named_cases() if c.parameters], ids=lambda c: c.name)
def test_algorithm_1_and_its_repair_agree_on_the_named_games(case: Case) -> None:
    for name in ("algorithm1", "repaired"):
        try:
            rule = entry(name).target(case.epsilon, case.delta, **case.parameters)
        except ValueError:  # the chain is made for the sharp constraint only
            rule = entry("repaired-sharp").target(case.epsilon, case.delta, **case.parameters)
        agree(rule, case.game, case.epsilon)


def test_a_filter_may_weigh_losses_against_another_epsilon_than_the_adversary() -> None:
    for number, case in enumerate(islice(drawn_cases(7), 40)):
        other = Fraction(number % 5, 2)
        for name in ("algorithm1", "repaired", "naive", "compensator"):
            rule = made(entry(name), Case("", case.game, other, Fraction(1, 4)), number)
            assert rule is not None
            agree(rule, case.game, case.epsilon)


def test_a_subclass_that_changes_the_rule_is_asked_for_its_own_answers() -> None:
    class Halting(Algorithm1):
        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            return (Decision.HALT if step.index == 2 else Decision.CONTINUE), None

    class Generous(Compensator):
        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            decision, after = super().decide(state, step)
            return Decision.CONTINUE, (after if decision is Decision.CONTINUE else state)

    third = Fraction(1, 3)
    play = game(repeated(erasure(third), 3))
    halting = Halting(Fraction(1), third, N=3, theta=Fraction(0), delta_tilde=third)
    assert by_level(halting, play, Fraction(1)).value == third
    assert by_level(Generous(Fraction(1), third), play, Fraction(1)).value == Fraction(19, 27)


def test_the_worst_tail_agrees_with_and_without_early_abort() -> None:
    for number, case in enumerate(islice(drawn_cases(11), 100)):
        rule = Whimsical(number, markov=bool(number % 2))
        for may_stop in (True, False):
            expected = tail.worst_tail(rule, case.game, case.epsilon, may_stop=may_stop)
            found = fast.worst_tail(rule, case.game, case.epsilon, may_stop=may_stop)
            assert found == expected


def test_a_game_of_any_size_goes_to_an_engine_that_suits_it() -> None:
    rule = Naive(Fraction(1), Fraction(1, 10))
    for rounds in (3, 9):
        play = game(repeated(erasure(Fraction(1, 10)), rounds))
        value = fast.worst_case(rule, play, Fraction(1)).value
        assert value == 1 - Fraction(9, 10) ** rounds


def test_states_that_are_all_different_go_to_the_engine_by_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Counting(Naive):
        def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
            return Decision.CONTINUE, state

        def observe(self, state: Any, step: Step, output: str) -> Any:
            return (*(state or ()), output)

    monkeypatch.setattr(exploring, "MOST_GROUPS", 4)
    play = game(repeated(response(Fraction(2, 3)), 11))
    rule = Counting(Fraction(1), Fraction(1, 10))
    with pytest.raises(exploring.Scattered):
        by_level(rule, play, Fraction(1))
    assert fast.worst_case(rule, play, Fraction(1)).value == by_place(rule, play, Fraction(1)).value


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_violation_is_decided_exactly_however_close_h_is_to_delta(off: int) -> None:
    rule = Naive(Fraction(1), Fraction(1, 10))
    play = game(repeated(erasure(Fraction(1, 10)), 9))
    delta = 1 - Fraction(9, 10) ** 9 + Fraction(off, 10**40)
    assert (fast.worst_case(rule, play, Fraction(1)).value > delta) is (off < 0)


def test_the_enclosure_of_h_is_proved_and_narrow() -> None:
    rule = Naive(Fraction(1), Fraction(1, 10))
    play = game(repeated(erasure(Fraction(1, 10)), 9))
    low, high = RoundAnalysis(rule, play, Fraction(1)).enclosure()
    assert low <= 1 - Fraction(9, 10) ** 9 <= high
    assert high - low < Fraction(1, 2**40)


def test_the_filter_is_asked_once_for_all_pairs_and_once_for_equal_positions() -> None:
    class Counted(Naive):
        asked = 0

        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            Counted.asked += 1
            return super().decide(state, step)

    rule = Counted(Fraction(1), Fraction(1))
    by_place(rule, game(repeated(response(Fraction(2, 3)), 8)), Fraction(1))
    assert Counted.asked == 1 + sum(range(1, 9))  # round i has i different numbers of ones


def test_a_filter_that_halts_at_once_leaves_nothing_to_gain() -> None:
    class Closed(Naive):
        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            return Decision.HALT, None

    play = game(repeated(response(Fraction(2, 3)), 12))
    worst = by_level(Closed(Fraction(1), Fraction(0)), play, Fraction(1))
    assert not worst.turns
    assert worst.value == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_round_with_too_many_positions_is_refused_by_name(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_PLACES", 100)
    play = game(repeated(response(Fraction(2, 3)), 10))
    assert engine(Naive(Fraction(1), Fraction(1)), play, Fraction(1)).value > 0  # it merges
    with pytest.raises(graph.TooLarge, match="round 8 has more than 100 positions"):
        engine(Whole(), play, Fraction(1))


class Whole:
    """Runs everything, undeclared."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return Decision.CONTINUE, None
