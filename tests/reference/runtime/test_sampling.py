"""The samplers' laws, worked out exactly: every way that coins can fall, down to rare ones.

That of `gaussian` is compared on many samples, in test_rounding.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import exp
from typing import Any

import pytest

from filterproof.runtime.sampling import bernoulli_exp, geometric

F = Fraction


class Needed(Exception):
    """One more coin, with so many sides."""


class Scripted:
    """Coins that fall as a script says."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.left = list(script)

    def randrange(self, sides: int) -> int:
        if sides == 1:
            return 0
        if not self.left:
            raise Needed(sides)
        return self.left.pop(0)


def law(sampler: Callable[[Any], Any], rare: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """Return P(output) as far as it is known, and the mass of what is too rare to follow."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    first: tuple[tuple[int, ...], Fraction] = ((), Fraction(1))
    rest, todo = Fraction(0), [first]
    while todo:
        script, mass = todo.pop()
        try:
            found[sampler(Scripted(script))] += mass
        except Needed as needed:
            (sides,) = needed.args
            if mass < rare:
                rest += mass
            else:
                todo += [((*script, one), mass / sides) for one in range(sides)]
    return found, rest


@pytest.mark.parametrize("gamma", [F(0), F(1, 2), F(1), F(3, 2), F(7, 3)])
def test_a_coin_of_exp_minus_gamma(gamma: Fraction) -> None:
    found, rest = law(lambda rng: bernoulli_exp(gamma, rng), F(1, 20_000))
    assert rest < F(1, 100)
    assert found[True] <= exp(-gamma) <= found[True] + rest


@pytest.mark.parametrize("rate", [F(1, 2), F(1), F(2)])
def test_geometric_noise_has_the_law_that_is_stated(rate: Fraction) -> None:
    found, rest = law(lambda rng: geometric(rate, rng), F(1, 20_000))
    assert rest < F(1, 7)
    total = sum(exp(-rate * abs(k)) for k in range(-60, 61))
    for k in range(-3, 4):
        assert found[k] <= exp(-rate * abs(k)) / total <= found[k] + rest, k
