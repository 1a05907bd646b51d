"""κ of equal finite rounds: the threshold is Algorithm 1, and the search misses nothing."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.repaired import RepairedSharp
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.game.law import Law, Pair
from filterproof.palette import erasure, k_ary, repeated, response
from tests.papers.iid import (
    Threshold,
    best_parameters,
    odds_quantile,
    survival,
    tails,
    threshold,
)

BOTH: tuple[Pair, ...] = (("0", "1"), ("1", "0"))
E: list[Epsilon] = [Fraction(1), Fraction(3), Log(Fraction(3)), Log(Fraction(20))]


def laws() -> Iterator[Law]:
    yield response(Fraction(3, 4)).law
    yield erasure(Fraction(1, 50)).law
    yield k_ary(5, Fraction(2, 5)).law
    rng = Random(5)
    for _ in range(12):
        columns = []
        for _ in BOTH:
            weights = [rng.choice([0, 1, 2, 5, 40]) for _ in range(4)]
            weights[rng.randrange(4)] += 1
            columns.append([Fraction(w, sum(weights)) for w in weights])
        rows = zip(*columns, strict=True)
        yield {str(i): {"0": p, "1": q} for i, (p, q) in enumerate(rows) if p or q}


def played(rule: Algorithm1, law: Law, x: str, rounds: int) -> list[Fraction]:
    """P_x(T >= t) of the filter itself on `rounds` equal rounds, transcript by transcript."""
    game = Game(("0", "1"), [("0", "1")], {"ask": repeated(Mechanism(law), rounds)})
    curve = [Fraction(0)] * (rounds + 1)
    todo: list[tuple[Step, Fraction]] = [(opening(game), Fraction(1))]
    while todo:
        step, p = todo.pop()
        curve[step.index] += p
        if rule.decide(None, step)[0] is Decision.CONTINUE:
            for y, row in step.mechanism.law.items():
                if row[x] and step.mechanism.after[y]:
                    todo.append((step.next(y, "ask"), p * row[x]))
    return curve[1:]


@pytest.mark.parametrize("epsilon", E)
@pytest.mark.parametrize("law", [*laws()], ids=range(15))
def test_the_threshold_decides_as_algorithm_1_does(law: Law, epsilon: Epsilon) -> None:
    rounds, delta = 5, Fraction(1, 3)
    for delta_tilde, theta in [(Fraction(0), Fraction(1, 15)), (Fraction(1, 4), Fraction(1, 50))]:
        rule = Algorithm1(epsilon, delta, N=rounds, theta=theta, delta_tilde=delta_tilde)
        exact = threshold(law, BOTH, epsilon, delta_tilde, theta)
        for x in ("0", "1"):
            assert survival(law, x, exact, rounds) == played(rule, law, x, rounds)


def test_a_threshold_off_by_one_quantile_is_seen() -> None:
    """The twin: with q(θ) left out the curve is another one."""
    law, epsilon = response(Fraction(3, 4)).law, Fraction(3)
    right = threshold(law, BOTH, epsilon, Fraction(0), Fraction(1, 15))
    wrong = Threshold(epsilon, right.first, right.first)
    rule = Algorithm1(epsilon, Fraction(1, 3), N=5, theta=Fraction(1, 15), delta_tilde=Fraction(0))
    assert survival(law, "0", right, 5) == played(rule, law, "0", 5) != survival(law, "0", wrong, 5)


@pytest.mark.parametrize("law", [*laws()], ids=range(15))
def test_a_quantile_is_the_smallest_odds_with_a_small_enough_tail(law: Law) -> None:
    for pair in BOTH:
        x, x_ = pair
        for tail in tails(law, BOTH) | {Fraction(1, 7), Fraction(1, 100)}:
            q = odds_quantile(law, pair, tail)
            rows = [row for row in law.values() if row[x]]
            if q is None:
                assert sum(row[x] for row in rows if not row[x_]) > tail
                continue
            assert sum(row[x] for row in rows if row[x] > q * row[x_]) <= tail
            assert q == 0 or sum(row[x] for row in rows if row[x] >= q * row[x_]) > tail


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("law", [*laws()], ids=range(15))
def test_no_parameters_on_a_fine_grid_beat_the_best_ones(law: Law, sharp: bool) -> None:
    epsilon, delta, N = Fraction(3), Fraction(1, 5), 4
    best = best_parameters(law, BOTH, epsilon, delta, N, sharp=sharp)
    family = RepairedSharp if sharp else Algorithm1
    family(epsilon, delta, N=N, theta=best.theta, delta_tilde=best.delta_tilde)  # is admitted
    longest = sum(min(survival(law, x, best.rule, N) for x in ("0", "1")))
    for step in range(21):
        delta_tilde = delta * step / 20
        theta = (delta - delta_tilde) / (N * (1 - delta_tilde))
        rule = threshold(law, BOTH, epsilon, delta_tilde, theta)
        even = {"0": Fraction(1), "1": Fraction(1)}
        if rule.opens() and rule.allows(even):
            assert max(d for d in rule.divisors.values() if d is not None) >= max(
                d for d in best.rule.divisors.values() if d is not None
            )
        elif rule.opens():
            assert longest >= 1


def test_the_sharp_constraint_admits_at_least_as_much() -> None:
    for law in laws():
        plain = best_parameters(law, BOTH, Fraction(3), Fraction(1, 5), 4)
        sharp = best_parameters(law, BOTH, Fraction(3), Fraction(1, 5), 4, sharp=True)
        for x in ("0", "1"):
            assert sum(survival(law, x, sharp.rule, 4)) >= sum(survival(law, x, plain.rule, 4))


def test_randomised_response_runs_while_the_loss_leaves_room_for_two_more() -> None:
    """With θ and δ̃ below 1/4 both quantiles are 3: run iff w_x·9 <= e^ε·w_x′."""
    law = response(Fraction(3, 4)).law
    best = best_parameters(law, BOTH, Log(Fraction(27)), Fraction(1, 10), 6)
    assert set(best.rule.divisors.values()) == {Fraction(9)}
    assert f"{best.rule.kappa(('0', '1')):.6f}" == "1.098612"
    assert best.rule.allows({"0": Fraction(3), "1": Fraction(1)})
    assert not best.rule.allows({"0": Fraction(9), "1": Fraction(1)})
    assert not exceeds(Fraction(27), Fraction(1), Log(Fraction(27)))


def test_where_no_second_round_fits_the_first_gets_all_of_delta() -> None:
    law = erasure(Fraction(1, 10)).law
    alone = best_parameters(law, BOTH, Fraction(1), Fraction(1, 10), 3)
    assert (alone.delta_tilde, alone.theta) == (Fraction(1, 10), Fraction(0))
    assert survival(law, "0", alone.rule, 3) == [1, 0, 0]
    nothing = best_parameters(law, BOTH, Fraction(1), Fraction(1, 11), 3)
    assert survival(law, "0", nothing.rule, 3) == [0, 0, 0]
