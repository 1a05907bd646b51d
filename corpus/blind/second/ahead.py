"""Look-ahead rules, with a slip in what is foreseen or for whom."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.base import NONE, Answer, Rule, Witness, Wrong
from filterproof import Decision, Mechanism, Step
from filterproof.game.law import Output, Pair
from filterproof.palette import erasure, game, lottery, one_sided, response, reveal, silent, table
from filterproof.privacy import risk


class Ahead(Rule):
    """Runs every request; takes another one if the next round is safe after nearly all outputs.

    At most five rounds; an output is unsafe if some request after it overshoots with probability
    above delta/2, and unsafe outputs may have probability delta/10.
    """

    rounds = 5

    def decide(self, state: Any, step: Step) -> Answer:
        """Run, and end unless the next round may be asked."""
        goes_on = step.index < self.rounds and self.foreseen(step)
        return (Decision.CONTINUE if goes_on else Decision.LAST), None

    def foreseen(self, step: Step) -> bool:
        """Whether unsafe outputs are rare enough for every pair."""
        return all(self.unsafe(step, pair) <= self.delta / 10 for pair in step.pairs)

    def unsafe(self, step: Step, pair: Pair) -> Fraction:
        """Return the probability of an unsafe output under x."""
        law = step.mechanism.law
        bad = (y for y in law if self.worst(step, y, pair) > self.delta / 2)
        return sum((law[y][self.weigh(pair)] for y in bad), NONE)

    def weigh(self, pair: Pair) -> str:
        """Return the database under which outputs are weighed."""
        return pair[0]

    def worst(self, step: Step, y: Output, pair: Pair) -> Fraction:
        """Return the largest overshoot of a request after y."""
        return max(self.risks(step, y, pair), default=NONE)

    def risks(self, step: Step, y: Output, pair: Pair) -> list[Fraction]:
        """Return the overshoot of every request of the next round."""
        mass, ahead = step.released(y), step.menu_after(y).values()
        return [risk(m.law, pair, mass, self.epsilon) for m in ahead]


class FirstRequestOnly(Ahead):
    """Foresees the first request of the next menu only."""

    def worst(self, step: Step, y: Output, pair: Pair) -> Fraction:
        """Return the overshoot of the first request after y."""
        return next(iter(self.risks(step, y, pair)), NONE)


class SomeRequestIsSafe(Ahead):
    """Writes any where all is meant: an output is safe if one request after it is."""

    def worst(self, step: Step, y: Output, pair: Pair) -> Fraction:
        """Return the smallest overshoot of a request after y."""
        return min(self.risks(step, y, pair), default=NONE)


class NoOpeningTest(Ahead):
    """Begins to look ahead after the first request, which is always answered."""

    def foreseen(self, step: Step) -> bool:
        """Whether this is the opening, or unsafe outputs are rare."""
        return step.index == 0 or super().foreseen(step)


class WeighsUnderTheOther(Ahead):
    """Weighs the unsafe outputs of (x, x') by the probabilities of x'."""

    def weigh(self, pair: Pair) -> str:
        """Return the wrong one of the two."""
        return pair[1]


class NoHorizon(Ahead):
    """Goes on for as many rounds as the check holds; it was set up for five."""

    rounds = 10**9


class ExpectedPerRequest(Ahead):
    """Bounds the expected overshoot of each request by delta/5, before the outputs are seen.

    The adversary asks after it has seen them: the largest must be taken inside the expectation.
    """

    def foreseen(self, step: Step) -> bool:
        """Whether every request overshoots with probability at most delta/5 over both rounds."""
        return all(
            sum(
                (row[pair[0]] * self.risk_of(step, y, r, pair))
                for y, row in step.mechanism.law.items()
            )
            <= self.delta / 5
            for pair in step.pairs
            for r in step.requests_after
        )

    def risk_of(self, step: Step, y: Output, request: str, pair: Pair) -> Fraction:
        """Return the overshoot of one request after y."""
        law = step.menu_after(y)[request].law
        return risk(law, pair, step.released(y), self.epsilon)


F = Fraction


def _lean_then_leak() -> Mechanism:
    """A rare output that 0 gives twenty times as often, and then a leak of 0."""
    leak = {"ask": one_sided(F(4, 5))}
    return table({"b": (F(1, 50), F(1, 1000)), "g": (F(49, 50), F(999, 1000))}, {"b": leak})


def _bad_luck(rounds: int) -> Mechanism:
    """Every round a rare output opens a reveal; the last one leaks half of delta = 1/100."""
    last = erasure(F(1, 200))
    for _ in range(rounds):
        last = lottery([F(1, 1000), F(999, 1000)], {"1": {"ask": reveal()}, "2": {"ask": last}})
    return last


def _guess(number: int) -> Mechanism:
    """A rare symbol or none, and then a request per symbol that reveals if it is the one."""
    symbols = [str(i) for i in range(1, number + 1)]
    menus = {
        y: {r: reveal() if r == y else silent() for r in symbols}
        for y in [*symbols, str(number + 1)]
    }
    return lottery([F(1, 500)] * number + [1 - F(number, 500)], menus)


WRONG = {
    "first-request-only": Wrong(
        FirstRequestOnly,
        "only the first request of the next menu is foreseen",
        Witness(
            game(silent({"-": {"count": silent(), "sum": response(F(99, 100))}})), F(1), F(1, 100)
        ),
    ),
    "some-request-is-safe": Wrong(
        SomeRequestIsSafe,
        "one safe request makes an output safe",
        Witness(game({"count": silent(), "row": erasure(F(1, 10))}), F(1), F(1, 100)),
    ),
    "no-opening-test": Wrong(
        NoOpeningTest,
        "the first request is not foreseen",
        Witness(game(erasure(F(1, 20))), F(1), F(1, 100)),
    ),
    "weighs-under-the-other": Wrong(
        WeighsUnderTheOther,
        "unsafe outputs are weighed by the wrong database",
        Witness(game(_lean_then_leak()), F(3), F(1, 100)),
    ),
    "no-horizon": Wrong(
        NoHorizon,
        "shares for five rounds are used in any number of rounds",
        Witness(game(_bad_luck(10)), F(1), F(1, 100)),
    ),
    "expected-per-request": Wrong(
        ExpectedPerRequest,
        "the expectation is taken for each request on its own, before the adversary chooses",
        Witness(game(_guess(7)), F(1), F(1, 100)),
    ),
}
