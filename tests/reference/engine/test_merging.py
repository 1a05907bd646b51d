"""Merged histories: the same answers, polynomially many positions, no trust in declarations."""

from fractions import Fraction
from math import comb
from typing import Any

import pytest

from filterproof import fast, witness
from filterproof.engine.by_round.merging import Merger
from filterproof.engine.by_round.verdicts import RoundAnalysis
from filterproof.engine.hidden import HistoryHidden
from filterproof.engine.ratios import coprime_base, exponents
from filterproof.exact import Epsilon, ExpLinear, Log, exceeds
from filterproof.filter import Decision, ProtocolError
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.naive import Naive
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, Mechanism, Step
from filterproof.palette import erasure, game, k_ary, lottery, repeated, response, table
from filterproof_properties.case import Case
from filterproof_properties.targets.evaluate import certify_violation
from tests.unrolled import by_level, by_place, played


class Open:
    """Runs everything and looks at nothing."""

    markov = True

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return Decision.CONTINUE, None


class Unmerged(Open):
    """The same without the declaration."""

    markov = False


class Liar(Open):
    """Declares that it does not depend on the history, and looks at it."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        heads = [y for _, y in step.history if y == "0"]
        return (Decision.LAST if len(heads) > 1 else Decision.CONTINUE), None


def composed(p: Fraction, rounds: int, epsilon: Epsilon) -> ExpLinear:
    """H of so many randomised responses, from the binomial law."""
    total = ExpLinear(0, 0, epsilon)
    for k in range(rounds + 1):
        w = comb(rounds, k) * p**k * (1 - p) ** (rounds - k)
        w_ = comb(rounds, k) * (1 - p) ** k * p ** (rounds - k)
        if exceeds(w, w_, epsilon):
            total += ExpLinear(w, -w_, epsilon)
    return total


def positions(rule: Any, play: Game) -> int:
    found = RoundAnalysis(rule, play, Fraction(1))
    return sum(level.size for level in found.levels.all)


def test_five_hundred_rounds_of_randomised_response_are_exact() -> None:
    p, epsilon = Fraction(11, 20), Fraction(3)
    worst = fast.worst_case(Open(), game(repeated(response(p), 500)), epsilon)
    assert worst.value == composed(p, 500, epsilon)
    assert len(worst.turns) <= 500 * 501 // 2


def test_the_compensator_keeps_its_promise_over_many_rounds() -> None:
    play = game(repeated(response(Fraction(11, 20)), 50))
    delta = Fraction(1, 100)
    for epsilon in (Fraction(2), Log(Fraction(7389, 1000))):
        found = by_level(Compensator(epsilon, delta), play, epsilon)
        assert 0 < found.value <= delta
        assert found.value == by_place(Compensator(epsilon, delta), play, epsilon).value


def test_the_number_of_positions_grows_with_the_square_of_the_rounds() -> None:
    for rounds in (10, 20, 40):
        play = game(repeated(response(Fraction(2, 3)), rounds))
        assert positions(Open(), play) == rounds * (rounds + 1) // 2


def test_a_discretised_gaussian_on_a_lattice_merges_to_linearly_many_positions_a_round() -> None:
    weights = [1, 4, 10, 16, 19, 16, 10, 4, 1]
    shares = [w * Fraction(6, 5) ** k for k, w in enumerate(weights)]
    total = sum(shares)
    pairs = zip(shares, shares[::-1], strict=True)
    rows = {str(k): (a / total, b / total) for k, (a, b) in enumerate(pairs)}
    play = game(repeated(table(rows), 10))
    assert positions(Open(), play) == sum(8 * i + 1 for i in range(10))
    zero = Fraction(0)
    rule = Repaired(Fraction(2), Fraction(1, 10), N=10, theta=zero, delta_tilde=Fraction(1, 10))
    assert by_level(rule, play, Fraction(2)).value == by_place(rule, play, Fraction(2)).value


def test_a_filter_that_does_not_declare_markov_is_never_merged() -> None:
    play = game(repeated(response(Fraction(2, 3)), 6))
    assert positions(Unmerged(), play) == 2**6 - 1
    assert positions(Open(), play) == 21
    epsilon = Fraction(1)
    merged, unmerged = by_place(Open(), play, epsilon), by_place(Unmerged(), play, epsilon)
    assert merged.value == unmerged.value
    assert len(merged.turns) < len(unmerged.turns)
    assert played(unmerged) == played(merged)  # written out, the plays are the same


@pytest.mark.parametrize("engine", [by_place, by_level])
def test_a_filter_that_lies_about_markov_is_caught(engine: Any) -> None:
    play = game(repeated(response(Fraction(2, 3)), 4))
    assert witness.worst_case(Liar(), play, Fraction(1)).value > 0  # it has an answer
    with pytest.raises(ProtocolError, match="markov = True but reads the history"):
        engine(Liar(), play, Fraction(1))


@pytest.mark.parametrize("engine", [by_place, by_level])
def test_a_step_made_from_a_merged_one_hides_the_history_too(engine: Any) -> None:
    class Peeking(Open):
        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            if step.index == 2:
                y = next(iter(step.mechanism.law))
                ahead = step.next(y, step.requests_after[0]).instead("ask")
                assert ahead.mass
                assert ahead.index == 3
                assert ahead.history
            return Decision.CONTINUE, None

    with pytest.raises((ProtocolError, HistoryHidden)):
        engine(Peeking(), game(repeated(response(Fraction(2, 3)), 4)), Fraction(1))


def test_merging_a_lie_by_force_is_caught_by_the_comparison() -> None:
    """What hiding the history prevents: the engines merge, the specification does not."""

    class Diary(Open):
        """Writes down what it is asked, and so depends on the order of questions."""

        def __init__(self) -> None:
            self.pages = 0

        def decide(self, state: None, step: Step) -> tuple[Decision, None]:
            self.pages += 1
            return (Decision.LAST if self.pages % 3 == 0 else Decision.CONTINUE), None

    play = game(repeated(response(Fraction(2, 3)), 5))
    expected = witness.worst_case(Diary(), play, Fraction(1)).value
    assert by_place(Diary(), play, Fraction(1)).value != expected


def test_proportional_likelihoods_merge_although_their_laws_differ() -> None:
    """12/35 : 4/35 and 9/10 : 3/10 are both 3 : 1."""
    two = {"a": (Fraction(12, 35), Fraction(4, 35)), "b": (Fraction(23, 35), Fraction(31, 35))}
    one = {"a": (Fraction(9, 10), Fraction(3, 10)), "b": (Fraction(1, 10), Fraction(7, 10))}
    last = {"go": response(Fraction(2, 3))}
    play = game({r: table(law, {"a": last, "b": last}) for r, law in (("1", one), ("2", two))})
    assert positions(Open(), play) == 1 + 3


def test_a_colliding_hash_costs_time_and_never_a_wrong_merger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plays = [
        game(repeated(mechanism, 5))
        for mechanism in (
            response(Fraction(2, 3)),
            erasure(Fraction(1, 3)),
            k_ary(3, Fraction(1, 2)),
        )
    ]
    expected = [played(by_level(Open(), play, Fraction(1))) for play in plays]
    original = Merger.key
    monkeypatch.setattr(
        Merger, "key", lambda self, level, hashes: original(self, level, hashes) * 0
    )
    assert [played(by_level(Open(), play, Fraction(1))) for play in plays] == expected


def test_databases_that_no_pair_starts_from_end_the_exploration() -> None:
    third = Fraction(1, 3)
    law = {"a": {"0": third, "1": third, "2": Fraction(0)}, "b": {"0": 2 * third, "1": 2 * third}}
    law["b"]["2"] = Fraction(0)
    law["c"] = {"0": Fraction(0), "1": Fraction(0), "2": Fraction(1)}
    again = {"ask": Mechanism(law)}
    play = Game(["0", "1", "2"], [("0", "1")], {"ask": Mechanism(law, dict.fromkeys(law, again))})
    for engine in (by_place, by_level):
        expected = played(witness.worst_case(Open(), play, Fraction(1)))
        assert played(engine(Open(), play, Fraction(1))) == expected


def test_a_coprime_base_writes_every_number_in_one_way() -> None:
    numbers = [12, 18, 35, 49, 1001, 2**40, 3**25, 10**12 + 39]
    base = coprime_base(numbers)
    for number in numbers:
        powers = exponents(number, base)
        product = 1
        for element, power in zip(base, powers, strict=True):
            product *= element**power
        assert product == number


def test_merged_and_unmerged_plays_of_algorithm_1_are_the_same() -> None:
    draw = lottery([Fraction(1, 4)] * 4)
    play = game(repeated(draw, 4))
    zero = Fraction(0)
    rule = Algorithm1(Fraction(1), zero, N=4, theta=zero, delta_tilde=zero)
    assert played(by_level(rule, play, Fraction(1))) == played(
        witness.worst_case(rule, play, Fraction(1))
    )


def test_a_merged_play_makes_a_certificate_that_the_checker_accepts() -> None:
    """Three hundred rounds of erasure against the naive filter: 3^300 histories, few turns."""
    p = Fraction(1, 100)
    case = Case("long", game(repeated(erasure(p), 300)), Fraction(1), p)
    violation = certify_violation("naive", Naive, case)
    assert violation.worst.value == 1 - (1 - p) ** 300
    assert len(violation.worst.turns) == 300
