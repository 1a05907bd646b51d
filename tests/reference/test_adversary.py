"""Backward induction finds the strongest adversary: checked against four other ways."""

import random
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from filterproof.adversary import Position, first_position, gain, hockey_stick, send
from filterproof.exact import Epsilon, ExpLinear, Log, exceeds
from filterproof.filter import Decision, ProtocolError
from filterproof.filters.naive import Naive
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, Mechanism, Step
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, lottery, repeated, response, reveal, silent
from filterproof.tail import worst_tail
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures, guess
from filterproof_properties.strategies import cases
from filterproof_properties.transcripts import distributions, enumerate_worst

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
run = settings(deadline=None, derandomize=True, max_examples=120, suppress_health_check=SLOW)
ANSWERS = st.lists(st.sampled_from(list(Decision)), min_size=1, max_size=7).map(tuple)


@dataclass(frozen=True)
class Scripted:
    """A filter with no idea behind it: its answers come from a list, by state and round."""

    answers: tuple[Decision, ...]

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        if step.index == 0:
            return Decision.CONTINUE, state
        clock = state + step.index + len(step.request) + sum(len(y) for _, y in step.history)
        return self.answers[clock % len(self.answers)], state + 1

    def observe(self, state: int, step: Step, output: str) -> int:
        return state + ord(output[0]) % 3


small = cases(max_rounds=2, max_requests=2, max_databases=3)


@given(small, ANSWERS)
@run
def test_enumerate_worst_over_adversaries_and_events_agrees(case: Case, answers: Any) -> None:
    rule = Scripted(answers)
    expected = enumerate_worst(rule, case.game, case.epsilon, limit=300)
    assume(expected is not None)
    assert hockey_stick(rule, case.game, case.epsilon) == expected


@given(small, ANSWERS, st.integers(0, 2**32))
@run
def test_randomised_adversaries_never_exceed_it(case: Case, answers: Any, seed: int) -> None:
    rule = Scripted(answers)
    coin = random.Random(seed)
    bound = hockey_stick(rule, case.game, case.epsilon)
    for pair in case.game.pairs:
        assert Mixed(rule, pair, case.epsilon, coin).value(opened(rule, case.game)) <= bound


def opened(rule: Any, one: Game) -> Position:
    first = first_position(rule, one)
    assert first is not None
    return first


@dataclass(frozen=True)
class Mixed:
    """An adversary that throws a biased coin at every position."""

    rule: Any
    pair: Pair
    epsilon: Epsilon
    coin: random.Random

    def value(self, position: Position) -> ExpLinear:
        requests = position.requests()
        stop = gain(position, self.pair, self.epsilon)
        weights = [self.coin.randint(0, 3) for _ in requests] + [1]
        parts = [self.collected(position, request) for request in requests] + [stop]
        total = sum((w * part for w, part in zip(weights, parts, strict=True)), start=stop * 0)
        return total / sum(weights)

    def collected(self, position: Position, request: str) -> ExpLinear:
        decision, after = send(self.rule, position, request)
        if decision is Decision.HALT:
            return gain(position, self.pair, self.epsilon)
        if decision is Decision.LAST:
            ends = [gain(there, self.pair, self.epsilon) for there in after.values()]
        else:
            ends = [self.value(there) for there in after.values()]
        return sum(ends, start=ExpLinear(0, 0, self.epsilon))


@given(small, ANSWERS)
@run
def test_the_sum_of_charges_gives_the_same_number(case: Case, answers: Any) -> None:
    """The exact identity: H is the largest expected sum of the charges of the rounds that run."""
    rule = Scripted(answers)
    first = opened(rule, case.game)
    values = [charges(rule, first, pair, case.epsilon) for pair in case.game.pairs]
    assert max(values) == hockey_stick(rule, case.game, case.epsilon)


def charges(rule: Any, position: Position, pair: Pair, epsilon: Epsilon) -> ExpLinear:
    """The most that can be charged from here on: w_x times the expected sum of c_i."""
    options = [ExpLinear(0, 0, epsilon)]
    for request in position.requests():
        decision, after = send(rule, position, request)
        later = options[0]
        if decision in (Decision.CONTINUE, Decision.LAST):
            ends = [gain(there, pair, epsilon) for there in after.values()]
            later = sum(ends, start=later) - gain(position, pair, epsilon)
        if decision in (Decision.CONTINUE, Decision.REFUSE):
            more = [charges(rule, there, pair, epsilon) for there in after.values()]
            later = sum(more, start=later)
        options.append(later)
    return max(options)


@given(small, ANSWERS)
@run
def test_stopping_early_never_gains(case: Case, answers: Any) -> None:
    rule = Scripted(answers)
    found = list(islice(distributions(rule, case.game, may_stop=True), 301))
    assume(len(found) <= 300)
    best = max(
        sum((over(m[x], m[x_], case.epsilon) for m in one.values()), ExpLinear(0, 0, case.epsilon))
        for one in found
        for x, x_ in case.game.pairs
    )
    assert best == hockey_stick(rule, case.game, case.epsilon)


def over(p: Fraction, q: Fraction, epsilon: Epsilon) -> ExpLinear:
    return max(ExpLinear(p, -q, epsilon), ExpLinear(0, 0, epsilon))


@given(small, ANSWERS)
@run
def test_the_witness_attains_the_value_of_the_definition(case: Case, answers: Any) -> None:
    rule = Scripted(answers)
    expected = hockey_stick(rule, case.game, case.epsilon)
    assert worst_case(rule, case.game, case.epsilon).value == expected


def test_stopping_early_may_gain_in_the_tail() -> None:
    """P(L > eps) is a different claim: an adversary can stop while the loss is high."""
    one = game(repeated(response(Fraction(3, 4)), 2))
    everything = Scripted((Decision.CONTINUE,))
    epsilon = Log(Fraction(2))
    stopping = worst_tail(everything, one, epsilon, may_stop=True)
    going_on = worst_tail(everything, one, epsilon, may_stop=False)
    assert (stopping, going_on) == (Fraction(3, 4), Fraction(9, 16))
    assert hockey_stick(everything, one, epsilon) <= going_on


@given(small, ANSWERS)
@run
def test_the_tail_is_at_least_the_hockey_stick(case: Case, answers: Any) -> None:
    rule = Scripted(answers)
    tail = worst_tail(rule, case.game, case.epsilon, may_stop=False)
    assert hockey_stick(rule, case.game, case.epsilon) <= tail


@given(small, ANSWERS)
@run
def test_the_tail_agrees_with_enumerate_worst(case: Case, answers: Any) -> None:
    rule = Scripted(answers)
    for may_stop in (True, False):
        best = Fraction(0)
        for count, one in enumerate(distributions(rule, case.game, may_stop=may_stop)):
            assume(count < 300)
            for x, x_ in case.game.pairs:
                over = [m[x] for m in one.values() if exceeds(m[x], m[x_], case.epsilon)]
                best = max(best, sum(over, start=Fraction(0)))
        assert worst_tail(rule, case.game, case.epsilon, may_stop=may_stop) == best


@given(small, ANSWERS)
@run
def test_the_event_and_its_masses_attain_the_value(case: Case, answers: Any) -> None:
    worst = worst_case(Scripted(answers), case.game, case.epsilon)
    attained = ExpLinear(worst.mass_x, -worst.mass_x_prime, case.epsilon)
    assert attained == worst.value
    assert all(t is None or t > i for i, turn in enumerate(worst.turns) for t in turn.then.values())


def test_a_wrong_induction_would_be_noticed() -> None:
    """The twin: averaging over requests instead of maximising disagrees with brute force."""
    case = guess(3)
    rule = Scripted((Decision.CONTINUE,))
    expected = enumerate_worst(rule, case.game, case.epsilon, limit=300)
    average = Mixed(rule, ("0", "1"), case.epsilon, random.Random(1))
    assert expected == 1
    assert average.value(opened(rule, case.game)) < 1


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_naive_on_repeated_erasure_reaches_one_minus_all_survive(rounds: int) -> None:
    p = Fraction(1, 10)
    case = erasures(p, rounds)
    worst = worst_case(Naive(case.epsilon, case.delta), case.game, case.epsilon)
    assert worst.value == 1 - (1 - p) ** rounds


def test_a_refusal_lets_the_adversary_try_another_request() -> None:
    @dataclass(frozen=True)
    class OnlyB:
        def start(self) -> tuple[str, ...]:
            return ()

        def decide(self, state: tuple[str, ...], step: Step) -> tuple[Decision, tuple[str, ...]]:
            if step.index == 0:
                return Decision.CONTINUE, state
            if step.request == "b" and state == ("a",):
                return Decision.LAST, state
            return Decision.REFUSE, (*state, step.request)

    worst = worst_case(OnlyB(), game({"a": reveal(), "b": reveal(), "c": silent()}), Fraction(1))
    assert worst.value == 1
    assert [(turn.request, str(turn.decision)) for turn in worst.turns] == [
        ("a", "refuse"),
        ("b", "last"),
    ]


def test_a_filter_that_does_not_pass_the_opening_reveals_nothing() -> None:
    for answer in (Decision.HALT, Decision.LAST, Decision.REFUSE):

        class Closed:
            def start(self) -> None: ...

            def decide(self, state: None, step: Step, answer: Decision = answer) -> Any:
                return answer, None

        worst = worst_case(Closed(), game(reveal()), Fraction(1))
        assert worst.value == 0
        assert not worst.turns


def test_an_answer_is_read_by_its_letters_whatever_its_class_calls_equal() -> None:
    class TwoFaced(str):
        """Says "continue", and calls itself equal to "halt"."""

        def __eq__(self, other: object) -> bool:
            return other in ("halt", "continue")

        def __hash__(self) -> int:
            return hash("halt")

    class Runs:
        def start(self) -> None: ...

        def decide(self, state: None, step: Step) -> Any:
            return TwoFaced("continue"), None

    assert TwoFaced("continue") == "halt"
    assert worst_case(Runs(), game(reveal()), Fraction(1)).value == 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (None, "must return"),
        (("maybe", None), "a decision is one of"),
        ((True, None), "a decision is one of"),
        (("continue", []), "must be hashable"),
        (("continue", (Fraction(1), [])), "must be hashable"),
        (("continue", (1, (Fraction(1), []))), "must be hashable"),
        (["continue", None], "must return"),
    ],
)
def test_an_answer_that_is_none_breaks_the_protocol(answer: Any, complaint: str) -> None:
    class Odd:
        def start(self) -> Hashable:
            return None

        def decide(self, state: Any, step: Step) -> Any:
            return answer

    with pytest.raises(ProtocolError, match=complaint):
        worst_case(Odd(), game(reveal()), Fraction(1))


def test_plain_strings_are_decisions_too() -> None:
    class Foreign:
        def start(self) -> None: ...

        def decide(self, state: None, step: Step) -> Any:
            return ("continue" if step.index < 2 else "halt"), None

    two = game(erasure(Fraction(1, 2), {"?": {"ask": reveal()}}))
    assert hockey_stick(Foreign(), two, Fraction(1)) == Fraction(1, 2)


def test_the_worst_pair_is_found_among_several() -> None:
    law = {
        "y": {"0": Fraction(1, 2), "1": Fraction(1, 2), "2": Fraction(0)},
        "z": {"0": Fraction(1, 2), "1": Fraction(1, 2), "2": Fraction(1)},
    }
    three = Game("012", [("0", "1"), ("1", "2")], {"ask": Mechanism(law)})
    worst = worst_case(Scripted((Decision.CONTINUE,)), three, Fraction(0))
    assert worst.value == Fraction(1, 2)
    assert set(worst.pair) == {"1", "2"}


def test_repaired_on_a_lottery_without_secrets_is_free() -> None:
    quiet = game(lottery([Fraction(1, 3)] * 3, {"1": {"ask": silent()}}))
    rule = Repaired(Fraction(1), Fraction(0), N=2, theta=Fraction(0), delta_tilde=Fraction(0))
    assert hockey_stick(rule, quiet, Fraction(1)) == 0
