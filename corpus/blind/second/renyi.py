"""Renyi, concentrated and Gaussian accounting, with a slip in a direction or a conversion."""

from fractions import Fraction
from math import inf, log, sqrt
from statistics import NormalDist
from typing import Any

from corpus.blind.second.base import (
    NONE,
    ONE,
    Answer,
    Rule,
    Witness,
    Wrong,
    chain,
    loss,
    nats,
    run_if,
)
from filterproof import Decision, Step
from filterproof.exact import Epsilon, Log, exceeds
from filterproof.filters.composition import compose, losses_of, profile_of
from filterproof.filters.gdp import budget_mu, mechanism_mu, vertex_mu, vertices
from filterproof.filters.rdp import RenyiTight
from filterproof.game.law import Law, Pair, profile
from filterproof.palette import erasure, game, one_sided, response, table
from filterproof.privacy import largest_renyi_sum


def renyi(law: Law, pairs: tuple[Pair, ...], order: int) -> Fraction | None:
    """Return the largest sum of p^a q^(1-a) over the pairs; None if one is infinite."""
    found = largest_renyi_sum(law, pairs, order)
    return None if found is None else found.rational()


def times(epsilon: Epsilon, k: int) -> Epsilon:
    """Return k*epsilon."""
    return Log(epsilon.argument**k) if isinstance(epsilon, Log) else k * epsilon


class OneDirection(Rule):
    """Computes the Renyi divergence of order 8 from x to x' and never from x' to x."""

    def start(self) -> Any:
        """Return the empty product."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the product is at most delta * e^(7 eps)."""
        if not step.index:
            return run_if(True, state, state)
        forward = tuple(pair for pair in step.game.pairs if pair[0] < pair[1])
        cost = renyi(step.mechanism.law, forward, 8)
        after = state * (cost or NONE)
        fits = cost is not None and not exceeds(after, self.delta, times(self.epsilon, 7))
        return run_if(fits, after, state)


class DividesByTheOrder(Rule):
    """Converts with log(1/delta)/a where log(1/delta)/(a-1) is due; the order is 2."""

    def start(self) -> Any:
        """Return the empty product."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while rho + log(1/delta)/2 <= eps, that is, S^2 <= delta * e^(2 eps)."""
        if not step.index:
            return run_if(True, state, state)
        cost = renyi(step.mechanism.law, step.game.pairs, 2)
        after = state * (cost or NONE)
        fits = cost is not None and not exceeds(after**2, self.delta, times(self.epsilon, 2))
        return run_if(fits, after, state)


class ZcdpFromOrderTwo(Rule):
    """Measures rho = D_2/2 and extrapolates to all orders, as if every mechanism were Gaussian."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while rho + 2 sqrt(rho log(1/delta)) <= epsilon."""
        cost = renyi(step.mechanism.law, step.game.pairs, 2)
        after = state + (inf if cost is None else loss(cost) / 2)
        if after == 0:
            return run_if(True, after, state)
        spread = 2 * sqrt(after * log(1 / self.delta)) if self.delta else inf
        return run_if(after + spread <= nats(self.epsilon), after, state)


class GaussianFromVariation(Rule):
    """Reads mu off the total variation alone: mu = 2 Phi^-1((1 + TV)/2)."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the squares add up to at most mu^2 of the budget."""
        distance = max(profile(step.mechanism.law, pair, ONE) for pair in step.game.pairs)
        level = float(1 + distance) / 2
        mu = 2 * NormalDist().inv_cdf(level) if level < 1 else inf
        after = state + mu**2
        return run_if(after <= float(budget_mu(self.epsilon, self.delta)) ** 2, after, state)


class BestVertexOnly(Rule):
    """Reads mu off the one test with the largest advantage, not off the whole trade-off curve."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the squares of the mu_i add up to at most mu^2 of the budget."""
        mu = NONE
        for pair in step.game.pairs:
            curve = [*vertices(step.mechanism.law, pair)]
            best = vertex_mu(*min(curve, key=sum)) if curve else NONE
            if best is None:
                return run_if(False, state, state)
            mu = max(mu, best)
        after = state + mu**2
        return run_if(after <= budget_mu(self.epsilon, self.delta) ** 2, after, state)


class ClassicalGaussian(Rule):
    """Turns the budget into mu = eps/sqrt(2 log(1.25/delta)), a theorem for eps < 1 only."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the squares of the mu_i add up to at most mu^2."""
        mu = mechanism_mu(step.mechanism, None)
        if mu == 0:
            return run_if(True, state, state)
        if mu is None or not self.delta:
            return run_if(False, state, state)
        after = state + mu**2
        budget = nats(self.epsilon) / sqrt(2 * log(1.25 / self.delta))
        return run_if(float(after) <= budget**2, after, state)


class ComposesWithMargin(Rule):
    """Composes what was run as a fixed list, with a tenth of delta left as a safety margin.

    Which list is run depends on the outputs, and a tenth does not pay for that.
    """

    def start(self) -> Any:
        """Return nothing; the opening sets one distribution per pair."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while every pair's composed profile is at most 9/10 delta."""
        before = state or (((ONE, ONE),),) * len(step.game.pairs)
        asked = [losses_of(step.mechanism.law, pair) for pair in step.game.pairs]
        after = tuple(compose(*both) for both in zip(before, asked, strict=True))
        fits = all(profile_of(one, self.epsilon) <= self.delta * 9 / 10 for one in after)
        return run_if(fits, after, before)


class SomeOrderWithMargin(Rule):
    """Runs what fits order 3 or order 20 in the tight conversion, a fifth of delta to spare."""

    def rules(self) -> list[RenyiTight]:
        """Return the filter of each order, sound on its own."""
        return [RenyiTight(self.epsilon, self.delta * 4 / 5, order=order) for order in (3, 20)]

    def start(self) -> Any:
        """Return both products."""
        return tuple(rule.start() for rule in self.rules())

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if one of the orders still fits; both products go on."""
        both = zip(self.rules(), state, strict=True)
        answers = [rule.decide(product, step) for rule, product in both]
        fits = any(decision == Decision.CONTINUE for decision, _ in answers)
        return run_if(fits, tuple(product for _, product in answers), state)


class GrowingOrder(Rule):
    """Uses order 2 for the first round and order 16 from then on, and adds the divergences up.

    Divergences grow with the order: what was measured at order 2 is too small for order 16.
    """

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while rho, converted at the present order, is at most epsilon."""
        order = 2 if step.index <= 1 else 16
        cost = renyi(step.mechanism.law, step.game.pairs, order)
        after = state + (inf if cost is None else loss(cost) / (order - 1))
        if not step.index or not self.delta:
            return run_if(after == 0, after, state)
        price = log((order - 1) / order) - (log(self.delta) + log(order)) / (order - 1)
        return run_if(after + price <= nats(self.epsilon), after, state)


F = Fraction


def _two_orders() -> Any:
    """Lean a little; then the rare loss that order 20 or order 3 allows, by where it leant."""
    laws = (F(298, 1000), F(1913, 100)), (F(182, 10000), F(333, 10))
    rare = [table({"!": (p, p / r), "?": (1 - p, 1 - p / r)}) for p, r in laws]
    return response(F(21, 40), {"0": {"ask": rare[0]}, "1": {"ask": rare[1]}})


def _switch() -> Any:
    """Branch into a list that fits one way and a list that fits another way."""
    return response(F(11, 20), {"0": {"ask": response(F(2, 3))}, "1": {"ask": erasure(F(9, 100))}})


WRONG = {
    "renyi-one-direction": Wrong(
        OneDirection,
        "the divergence is computed in one direction only",
        Witness(game(table({"!": (0, F(1, 5)), "?": (1, F(4, 5))})), F(1), F(1, 100)),
    ),
    "renyi-divides-by-order": Wrong(
        DividesByTheOrder,
        "the order stands where the order less one is due",
        Witness(
            game(
                table({"!": (F(9, 200), F(9, 200) / 297), "?": (F(191, 200), 1 - F(9, 200) / 297)})
            ),
            F(5),
            F(1, 100),
        ),
    ),
    "zcdp-from-order-two": Wrong(
        ZcdpFromOrderTwo,
        "one Renyi order is extrapolated to all of them",
        Witness(
            game(table({"!": (F(1, 500), F(1, 50000)), "?": (F(499, 500), F(49999, 50000))})),
            F(7, 4),
            F(1, 1000),
        ),
    ),
    "gaussian-from-variation": Wrong(
        GaussianFromVariation,
        "mu is read off the total variation",
        Witness(game(one_sided(F(1, 10))), F(1), F(1, 100)),
    ),
    "classical-gaussian": Wrong(
        ClassicalGaussian,
        "a calibration for epsilon below 1 is used at any epsilon",
        Witness(
            game(table({"!": (F(33, 1000), F(55, 10**7)), "?": (F(967, 1000), 1 - F(55, 10**7))})),
            F(8),
            F(1, 100),
        ),
    ),
    "composes-with-margin": Wrong(
        ComposesWithMargin,
        "a list that depends on the outputs is composed as if it were fixed",
        Witness(game(_switch()), Log(F(2)), F(1, 10)),
    ),
    "some-order-with-margin": Wrong(
        SomeOrderWithMargin,
        "each branch may fit another order, and a fifth of delta does not pay for that",
        Witness(game(_two_orders()), F(3), F(1, 100)),
    ),
    "growing-order": Wrong(
        GrowingOrder,
        "divergences of different orders are added and converted at the last one",
        Witness(game(chain(response(F(19, 26)), response(F(64, 65)))), F(5), F(1, 100)),
    ),
    "best-vertex-only": Wrong(
        BestVertexOnly,
        "one point of the trade-off curve stands for all of it",
        Witness(
            game(
                table(
                    {
                        "!": (F(1, 50), F(1, 5000)),
                        "0": (F(1, 2), F(9, 20)),
                        "1": (F(12, 25), F(2749, 5000)),
                    }
                )
            ),
            F(1),
            F(1, 100),
        ),
    ),
}
