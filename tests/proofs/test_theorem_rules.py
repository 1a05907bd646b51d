"""What a theorem's proof says about two rules, asked of the Python that follows them."""

from fractions import Fraction
from itertools import combinations_with_replacement

from filterproof.exact import Epsilon, Log
from filterproof.filters.advanced import Rogers, Spent, Whitehouse, spend
from filterproof.game.law import Declared

F = Fraction

BUDGETS: list[tuple[Epsilon, F]] = [(F(2), F(1, 10)), (F(8), F(1, 100)), (Log(F(40)), F(1, 3))]
DECLARED = [Declared(F(21, 20), F(0)), Declared(F(3, 2), F(1, 300)), Declared(F(3), F(1, 40))]


def admitted(part: F) -> list[tuple[bool, bool]]:
    """Whether Rogers et al. admit a list of pairs, and Whitehouse et al. with δ′ = part·δ."""
    answers = []
    for epsilon, delta in BUDGETS:
        rogers = Rogers(epsilon, delta)
        whitehouse = Whitehouse(epsilon, delta, delta_prime=part * delta)
        for many in (1, 2, 3, 8):
            for asked in combinations_with_replacement(DECLARED, many):
                spent: Spent = ()
                for one in asked:
                    spent = spend(spent, one)
                answers.append((rogers.fits(spent), whitehouse.fits(spent)))
    return answers


def test_what_rogers_admits_whitehouse_admits_with_half_of_delta() -> None:
    answers = admitted(F(1, 2))  # `rogers_implies` in proofs/coq/Whitehouse.v
    assert (True, False) not in answers
    assert {(True, True), (False, True), (False, False)} == set(answers)


def test_with_most_of_delta_for_the_root_it_does_not() -> None:
    assert (True, False) in admitted(F(99, 100))
