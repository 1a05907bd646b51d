"""Advanced composition and its relatives, with a slip in the formula or in what goes into it."""

from fractions import Fraction
from math import expm1, inf, log, log10, sqrt
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
    within,
)
from filterproof import Step
from filterproof.game.law import Law, Pair
from filterproof.palette import erasure, game, repeated, response, silent, table
from filterproof.privacy import tight_odds


class Squares(Rule):
    """Books the sum of eps_i^2 and the sum of delta_i; a bound on the loss is read off both."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0, NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the bound is at most epsilon."""
        odds, delta = step.mechanism.declared
        after = state[0] + loss(odds) ** 2, state[1] + delta
        return run_if(self.fits(*after), after, state)

    def fits(self, squares: float, deltas: Fraction) -> bool:
        """Whether pure rounds with these squares stay within (epsilon, delta)."""
        if not squares:
            return deltas <= self.delta
        if not self.delta:
            return False
        return deltas == 0 and self.bound(squares, log(1 / self.delta)) <= nats(self.epsilon)

    def bound(self, squares: float, log_term: float) -> float:
        """Return sqrt(2 log(1/delta) sum eps_i^2) + sum eps_i^2 / 2."""
        return sqrt(2 * log_term * squares) + squares / 2


class NoDrift(Squares):
    """Forgets the drift: the loss is taken to be centred at zero."""

    def bound(self, squares: float, log_term: float) -> float:
        """Return the square root only."""
        return sqrt(2 * log_term * squares)


class LogTen(Squares):
    """Takes log10 where the theorem has the natural logarithm."""

    def fits(self, squares: float, deltas: Fraction) -> bool:
        """Whether the bound with the wrong logarithm fits."""
        if not squares or not self.delta:
            return super().fits(squares, deltas)
        return deltas == 0 and self.bound(squares, -log10(self.delta)) <= nats(self.epsilon)


class BoundedRange(Squares):
    """Uses the constants of bounded-range mechanisms for every eps-DP mechanism.

    A range of eps is what the exponential mechanism has; randomised response has 2 eps.
    """

    def bound(self, squares: float, log_term: float) -> float:
        """Return sqrt(log(1/delta)/2 sum eps_i^2) + sum eps_i^2 / 8."""
        return sqrt(log_term * squares / 2) + squares / 8


class SpendsDeltaTwice(Squares):
    """Uses all of delta under the root, and all of it again for the deltas that are declared."""

    def fits(self, squares: float, deltas: Fraction) -> bool:
        """Whether each half fits on its own."""
        return deltas <= self.delta and super().fits(squares, NONE)


class RootOfSquares(Squares):
    """Adds epsilons like independent errors, in quadrature, and at no price in delta."""

    def fits(self, squares: float, deltas: Fraction) -> bool:
        """Whether sqrt(sum eps_i^2) <= epsilon."""
        return sqrt(squares) <= nats(self.epsilon) and deltas <= self.delta


class ZcdpOfEverything(Squares):
    """Books rho = eps_i^2/2 for every mechanism, which holds for pure ones; delta_i is dropped."""

    def fits(self, squares: float, deltas: Fraction) -> bool:
        """Whether rho + 2 sqrt(rho log(1/delta)) <= epsilon."""
        return super().fits(squares, NONE)


class MeanEpsilon(Rule):
    """Puts the mean epsilon into the theorem for k equal mechanisms.

    By Jensen k*mean^2 is at most the sum of squares, and idle rounds make it as small as one likes.
    """

    def start(self) -> Any:
        """Return the number of rounds and the sum of epsilons."""
        return 0, 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while k rounds of the mean epsilon fit."""
        odds, delta = step.mechanism.declared
        k, total = after = state[0] + (step.index > 0), state[1] + loss(odds)
        if delta or (total and not self.delta):
            return run_if(False, after, state)
        mean = min(total / max(1, k), 700.0)
        spread = mean * sqrt(2 * k * log(1 / self.delta)) if total else 0.0
        return run_if(spread + k * mean * expm1(mean) <= nats(self.epsilon), after, state)


class FirstEpsilon(Rule):
    """Takes every later mechanism to have the epsilon of the first one."""

    def start(self) -> Any:
        """Return no rounds and no epsilon yet."""
        return 0, None

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while k times the first epsilon fits."""
        odds, delta = step.mechanism.declared
        first = state[1] if state[1] is not None or not step.index else odds
        after = state[0] + (step.index > 0), first
        return run_if(delta == 0 and within((first or ONE) ** after[0], self.epsilon), after, state)


class TrimsEveryRound(Rule):
    """Reads every mechanism's epsilon at delta/10, and lets any number of rounds use that delta."""

    def start(self) -> Any:
        """Return that no epsilon is spent."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the epsilons at delta/10 add up to at most epsilon."""
        odds = tight_odds(step.mechanism.law, step.game.pairs, self.delta / 10)
        if odds is None:
            return run_if(False, state, state)
        return run_if(within(state * odds, self.epsilon), state * odds, state)


class CentralLimit(Rule):
    """Treats the total loss as normal, with the mean and the variance of what was run.

    A rare large loss has a small variance, and no sum of few of them is normal.
    """

    def start(self) -> Any:
        """Return mean and variance so far."""
        return 0.0, 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while mean + sqrt(2 log(1/delta)) deviations is at most epsilon."""
        found = [moments(step.mechanism.law, pair) for pair in step.game.pairs]
        mean, variance = (state[i] + max(one[i] for one in found) for i in (0, 1))
        if mean == 0:
            return run_if(True, state, state)
        factor = sqrt(-2 * log(self.delta)) if self.delta else inf
        return run_if(mean + factor * sqrt(variance) <= nats(self.epsilon), (mean, variance), state)


class KullbackLeibler(Rule):
    """Adds up expected losses and compares them with epsilon, which bounds the largest one."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the divergences add up to at most epsilon."""
        law = step.mechanism.law
        after = state + max(moments(law, pair)[0] for pair in step.game.pairs)
        return run_if(after <= nats(self.epsilon), after, state)


def moments(law: Law, pair: Pair) -> tuple[float, float]:
    """Return mean and variance of log P_x/P_x' under x; infinite where x' is impossible."""
    x, x_ = pair
    rows = [(float(row[x]), row[x], row[x_]) for row in law.values() if row[x]]
    if not all(q for _, _, q in rows):
        return inf, inf
    losses = [(w, loss(p / q)) for w, p, q in rows]
    mean = sum(w * one for w, one in losses)
    return max(mean, 0.0), sum(w * (one - mean) ** 2 for w, one in losses)


F = Fraction

WRONG = {
    "no-drift": Wrong(
        NoDrift,
        "the expected loss is left out of advanced composition",
        Witness(game(repeated(response(F(8, 13)), 31)), F(8), F(1, 100)),
    ),
    "log-ten": Wrong(
        LogTen,
        "log10 in place of the natural logarithm",
        Witness(game(repeated(response(F(12, 23)), 30)), F(15, 8), F(1, 10**6)),
    ),
    "bounded-range": Wrong(
        BoundedRange,
        "every mechanism is given the constants of bounded-range ones",
        Witness(game(repeated(response(F(8, 13)), 4)), F(8, 5), F(1, 100)),
    ),
    "spends-delta-twice": Wrong(
        SpendsDeltaTwice,
        "delta pays for the composition and again for the declared deltas",
        Witness(game(chain(erasure(F(1, 10)), *[response(F(8, 15))] * 9)), F(1), F(1, 10)),
    ),
    "root-of-squares": Wrong(
        RootOfSquares,
        "epsilons are added in quadrature",
        Witness(game(repeated(response(F(2, 3)), 2)), F(1), F(1, 100)),
    ),
    "zcdp-of-everything": Wrong(
        ZcdpOfEverything,
        "the conversion from pure to concentrated privacy is used where delta_i > 0",
        Witness(game(erasure(F(1, 50))), F(1), F(1, 10**5)),
    ),
    "mean-epsilon": Wrong(
        MeanEpsilon,
        "the theorem for k equal mechanisms is given their mean epsilon",
        Witness(game(chain(*[silent()] * 30, response(F(5, 6)))), F(1), F(1, 100)),
    ),
    "first-epsilon": Wrong(
        FirstEpsilon,
        "all mechanisms are taken to be like the first",
        Witness(game(chain(response(F(101, 201)), response(F(9, 10)))), F(1), F(1, 100)),
    ),
    "trims-every-round": Wrong(
        TrimsEveryRound,
        "a tenth of delta is cut off in every round, and the rounds are not counted",
        Witness(game(repeated(erasure(F(1, 1000)), 12)), F(1), F(1, 100)),
    ),
    "central-limit": Wrong(
        CentralLimit,
        "the loss is taken to be normal",
        Witness(
            game(table({"!": (F(1, 500), F(1, 10**6)), "?": (F(499, 500), 1 - F(1, 10**6))})),
            F(3, 2),
            F(1, 1000),
        ),
    ),
    "kullback-leibler": Wrong(
        KullbackLeibler,
        "expected losses are compared with a bound on the largest",
        Witness(game(response(F(4, 5))), F(1), F(1, 100)),
    ),
}
