"""Floats never decide what they cannot: games at the edge of what doubles tell apart."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import e, ulp

import pytest

from filterproof import witness
from filterproof.engine.by_round import events, floats, values
from filterproof.engine.by_round.tables import mantissa_exponent
from filterproof.engine.by_round.verdicts import RoundAnalysis
from filterproof.exact import Epsilon, Log, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator_grid import CompensatorGrid
from filterproof.game import Game, Mechanism, Step
from filterproof.palette import game, repeated, response, reveal, table
from tests.unrolled import by_level, by_place, played

HALF = Fraction(1, 2)
NEAR_1_OVER_E = Fraction(1 / e)
ONE_ULP = Fraction(ulp(1 / e))


class Open:
    """Runs everything and looks at nothing."""

    markov = True

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        return Decision.CONTINUE, None


def edge_ratios() -> Iterator[Fraction]:
    """Yield likelihood ratios within one ulp of 1/e, on both sides, down to 2^-150 from it."""
    low, high = (1 / end for end in reversed(exp_enclosure(Fraction(1), 200)))
    for n in range(-8, 9):
        yield NEAR_1_OVER_E + n * ONE_ULP / 8
    for bits in (60, 80, 120, 150):
        yield low - Fraction(1, 2**bits)
        yield high + Fraction(1, 2**bits)


def edge_game(ratio: Fraction) -> Game:
    """One round: the first output has P_1/P_0 = ratio, so at ε = 1 it lies at the very edge."""
    p = Fraction(1, 3)
    return game(table({"a": (p, p * ratio), "b": (1 - p, 1 - p * ratio)}))


def long_edge_game(ratio: Fraction, n: int) -> Game:
    """Three rounds: a detour by n/(n+4) and back, then the rest of the given ratio."""
    low, high = Fraction(n, 99), Fraction(n + 4, 99)
    there = {"a": (high, low), "b": (1 - high, 1 - low)}
    back = {"a": (low, high), "b": (1 - low, 1 - high)}
    last = table({"a": (HALF, HALF * ratio), "b": (HALF, 1 - HALF * ratio)})
    return game(table(there, {"a": {"ask": table(back, {"a": {"ask": last}})}}))


EDGES = [
    *(edge_game(ratio) for ratio in edge_ratios()),
    *(long_edge_game(ratio, n) for ratio in edge_ratios() for n in (3, 7, 11, 13, 23, 29)),
]


def differs(play: Game, epsilon: Epsilon = Fraction(1)) -> bool:
    expected = played(witness.worst_case(Open(), play, epsilon))
    return bool(played(by_level(Open(), play, epsilon)) != expected)


def test_signs_within_one_ulp_of_the_edge_are_decided_exactly() -> None:
    assert not any(differs(play) for play in EDGES)


def test_such_signs_are_left_to_integers() -> None:
    analysis = RoundAnalysis(Open(), edge_game(NEAR_1_OVER_E), Fraction(1))
    assert analysis.signs.exact_signs > 0
    clear = RoundAnalysis(Open(), edge_game(Fraction(1, 100)), Fraction(1))
    assert clear.signs.exact_signs == 0


def test_a_planted_error_bound_that_is_too_small_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(floats, "doubt", lambda releases: 0.0)
    assert any(differs(play) for play in EDGES)


def test_a_filter_s_decision_at_the_edge_is_exact() -> None:
    """Algorithm 1 answers by its cut, and the cut sits within one ulp of the likelihoods."""
    for ratio in edge_ratios():
        last = table({"a": (HALF, HALF * ratio), "b": (HALF, 1 - HALF * ratio)})
        play = game(response(HALF, {"0": {"ask": last}, "1": {"ask": last}}))
        zero = Fraction(0)
        rule = Algorithm1(Fraction(1), zero, N=2, theta=zero, delta_tilde=zero)
        expected = played(witness.worst_case(rule, play, Fraction(1)))
        assert played(by_level(rule, play, Fraction(1))) == expected


def test_ties_at_a_rational_edge_are_ties() -> None:
    """At e^ε = 2 an output with ratio exactly 1/2 gains nothing: it is not in the event."""
    for off in (-1, 0, 1):
        ratio = HALF + Fraction(off, 2**80)
        play = edge_game(ratio)
        worst = by_level(Open(), play, Log(Fraction(2)))
        assert ((0, "a") in worst.event) is (off < 0)
        assert not differs(play, Log(Fraction(2)))


# --- which request ------------------------------------------------------------------------------


def rivals(first: list[int], second: list[int], below: int) -> Game:
    """Two requests that leak with the sum of these chances, in that order of terms."""

    def leak(parts: list[int]) -> Mechanism:
        rows = {f"!{i}": (Fraction(n, below), Fraction(0)) for i, n in enumerate(parts)}
        rest = 1 - Fraction(sum(parts), below)
        return table({**rows, "?": (rest, Fraction(1))})

    return game({"one": leak(first), "two": leak(second)})


def close_rivals() -> Iterator[Game]:
    """Pairs of requests whose values differ by less than doubles can tell, either way."""
    below = 10**25
    for shift, (a, b) in product((-1, 0, 1), [(3, 7), (11, 13), (17, 5), (23, 9)]):
        parts = [a * 10**23 // 7, b * 10**23 // 11, 10**23 // 13]
        yield rivals(parts, [sum(parts) + shift], below)


def test_requests_of_nearly_equal_worth_are_told_apart_exactly() -> None:
    assert not any(differs(play) for play in close_rivals())


def test_a_planted_margin_that_is_too_small_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "margin", lambda error: -1.0)
    assert any(differs(play) for play in close_rivals())


# --- the range of doubles -----------------------------------------------------------------------


def mirrored(p: Fraction) -> Mechanism:
    """Rare outputs that tell the databases apart, and one that tells nothing."""
    rows = {"0": (p, p * p), "1": (p * p, p), "?": (1 - p - p * p, 1 - p - p * p)}
    return table(rows)


@pytest.mark.parametrize("bits", [300, 600, 1074, 1100, 3000])
def test_probabilities_and_ratios_beyond_the_range_of_doubles_are_exact(bits: int) -> None:
    play = game(repeated(mirrored(Fraction(1, 2**bits)), 3))
    for epsilon in (Fraction(1), Log(Fraction(2) ** bits), Fraction(bits, 2)):
        assert not differs(play, epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(709), Fraction(1500)])
def test_the_largest_and_smallest_budgets_are_exact(epsilon: Fraction) -> None:
    tiny = Fraction(1, 2**1500)
    for mechanism in (reveal(), response(Fraction(2, 3)), mirrored(tiny), response(1 - tiny)):
        assert not differs(game(repeated(mechanism, 3)), epsilon)


def test_a_loss_that_leaves_the_range_and_comes_back_is_exact() -> None:
    rule, play = Open(), game(repeated(response(1 - Fraction(1, 2**400)), 7))
    assert played(by_level(rule, play, Fraction(1))) == played(by_place(rule, play, Fraction(1)))


def test_infinite_and_impossible_losses_are_exact() -> None:
    far = {"s": (Fraction(0), HALF), "t": (HALF, Fraction(0)), "u": (HALF, HALF)}
    play = game(repeated(table(far), 4))
    for epsilon in (Fraction(0), Fraction(3), Log(Fraction(5, 4))):
        assert not differs(play, epsilon)


def test_a_rounded_rational_is_the_nearest_double_at_any_scale() -> None:
    for value in (Fraction(1, 3), Fraction(10**400), Fraction(7, 10**500), Fraction(0)):
        mantissa, power = mantissa_exponent(value)
        exact = value / Fraction(2) ** power
        assert abs(Fraction(mantissa) - exact) <= Fraction(ulp(mantissa)) / 2


def test_a_play_too_long_for_the_bound_is_refused() -> None:
    with pytest.raises(floats.TooLong):
        floats.margin(2**44)


# --- exact integers -----------------------------------------------------------------------------


def test_the_answers_do_not_depend_on_gmpy2(monkeypatch: pytest.MonkeyPatch) -> None:
    play = game(repeated(response(Fraction(1001, 2000)), 40))
    with_library = by_level(Open(), play, Fraction(1, 50))
    monkeypatch.setattr(events, "whole", int)
    assert by_level(Open(), play, Fraction(1, 50)) == with_library
    assert by_place(Open(), play, Fraction(1, 50)).value == with_library.value


def test_charges_on_a_grid_point_are_counted_exactly() -> None:
    """The erasure costs exactly 3 units; a hair more would cost 4."""
    grid = Fraction(1, 100)
    for hair, rounds in ((Fraction(0), 3), (Fraction(1, 10**40), 2)):
        leak = Fraction(3, 100) + hair
        law = {"!": (leak, Fraction(0)), "?": (1 - leak, Fraction(1))}
        play = game(repeated(table(law), 9))
        rule = CompensatorGrid(Fraction(1), Fraction(9, 100), grid=grid)
        expected = 1 - (1 - leak) ** rounds
        assert by_level(rule, play, Fraction(1)).value == expected
        assert witness.worst_case(rule, play, Fraction(1)).value == expected
