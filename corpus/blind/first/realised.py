"""Filters that watch realised losses, each blind to one thing."""

from fractions import Fraction

from corpus.blind.base import (
    NOTHING,
    ONE,
    Answer,
    Rule,
    Wrong,
    answer,
    covers,
    nats,
    plus,
    size,
    within,
)
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import survivors
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.palette import erasure, one_sided, response, table
from filterproof.privacy import charge, risk, tight_odds

Spent = tuple[Fraction, ...]


def bad_outputs(step: Step, pair: Pair, epsilon: Epsilon) -> list[Fraction]:
    """Return P_x(y) of every output that takes the loss of the pair above ε."""
    x, x_ = pair
    w, w_ = step.mass[x], step.mass[x_]
    rows = step.mechanism.law.values()
    return [row[x] for row in rows if exceeds(w * row[x], w_ * row[x_], epsilon)]


class RiskLedger(Rule):
    """Adds up, per ordered pair, how likely each round was to take the loss above epsilon."""

    def start(self) -> Spent:
        return ()

    def decide(self, state: Spent, step: Step) -> Answer:
        before = state or (Fraction(0),) * len(step.game.pairs)
        live = set(step.pairs)
        after = tuple(
            spent + self.cost(bad_outputs(step, pair, self.epsilon)) if pair in live else spent
            for spent, pair in zip(before, step.game.pairs, strict=True)
        )
        return answer(all(spent <= self.delta for spent in after), after, before)

    def cost(self, bad: list[Fraction]) -> Fraction:
        return sum(bad, Fraction(0))


class LargestLeakOnly(RiskLedger):
    """Charges the most likely bad output instead of all of them together."""

    def cost(self, bad: list[Fraction]) -> Fraction:
        return max(bad, default=Fraction(0))


class NegligibleOutputs(RiskLedger):
    """Leaves outputs out that are less likely than delta/4, each being negligible."""

    def cost(self, bad: list[Fraction]) -> Fraction:
        return sum((p for p in bad if 4 * p >= self.delta), Fraction(0))


class DeltaOverI(Rule):
    """Grants the risk delta/i to round i, a series that diverges."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        law, rounds = step.mechanism.law, max(1, step.index)
        risks = (risk(law, pair, step.mass, self.epsilon) for pair in step.pairs)
        return answer(all(one * rounds <= self.delta for one in risks), None, None)


class ThirtyOneRounds(Rule):
    """Grants delta/30 a round to thirty rounds, and counts the first of them as number 0."""

    def start(self) -> int:
        return -1

    def decide(self, state: int, step: Step) -> Answer:
        law, done = step.mechanism.law, state
        risks = (risk(law, pair, step.mass, self.epsilon) for pair in step.pairs)
        return answer(done <= 30 and all(30 * one <= self.delta for one in risks), done + 1, state)


class TenRoundsAssumed(Rule):
    """Reads each epsilon_i at delta/10 and adds them up: good for ten rounds, never counted."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        odds = tight_odds(step.mechanism.law, step.game.pairs, self.delta / 10)
        if odds is None:
            return Decision.HALT, state
        return answer(within(state * odds, self.epsilon), state * odds, state)


class StaleLikelihoods(Rule):
    """Charges at the likelihoods before the last answer: they are refreshed one round late."""

    def start(self) -> tuple[ExpLinear, tuple[Fraction, ...]]:
        return ExpLinear(0, 0, self.epsilon), ()

    def decide(self, state: tuple[ExpLinear, tuple[Fraction, ...]], step: Step) -> Answer:
        spent, known = state
        names = step.game.databases
        mass = dict(zip(names, known or (ONE,) * len(names), strict=True))
        costs = [charge(step.mechanism.law, pair, mass, self.epsilon) for pair in step.pairs]
        total = spent + max(costs)
        return answer(total <= self.delta, (total, tuple(step.mass.values())), state)


class ClippedRatio(Compensator):
    """Clips likelihood ratios at 100, for numerical stability."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        floor = max(step.mass.values()) / 100
        mass = {x: max(w, floor) for x, w in step.mass.items()}
        return charge(step.mechanism.law, pair, mass, self.epsilon)


class Tilted(Compensator):
    """Moves budget to the outputs that speak against x, by max(P_x, P_x′)/P_x: more than all."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        row = step.mechanism.law[output]
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            rest if rest is None else rest * (max(row[x], row[x_]) / row[x])
            for rest, (x, x_) in kept
        )


class DullAnswersFree(Rule):
    """Charges, as sparse vector does, only for answers other than the most likely one."""

    def start(self) -> tuple[Declared, Declared]:
        return NOTHING, NOTHING

    def decide(self, state: tuple[Declared, Declared], step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, state[0]), state)

    def observe(
        self, state: tuple[Declared, Declared], step: Step, output: Output
    ) -> tuple[Declared, Declared]:
        law = step.mechanism.law
        dull = max(law, key=lambda y: sum(law[y].values()))
        kept = state[1] if output == dull else state[0]
        return kept, kept


class LossFromBelow(Rule):
    """Asks that P_x′ be at most e^eps·P_x wherever x can be, instead of the other way round."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        rows, mass = list(step.mechanism.law.values()), step.mass
        fits = not any(
            row[x] and exceeds(mass[x_] * row[x_], mass[x] * row[x], self.epsilon)
            for x, x_ in step.pairs
            for row in rows
        )
        return answer(fits, None, None)


class PosteriorOverPrior(Rule):
    """Bounds posterior over prior (uniform) by e^±eps instead of one likelihood by another."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        fits = True
        for y in step.mechanism.law:
            mass = step.released(y)
            mean = sum(mass.values(), Fraction(0)) / len(mass)
            for one in mass.values():
                over, under = exceeds(one, mean, self.epsilon), exceeds(mean, one, self.epsilon)
                fits = fits and not over and not under
        return answer(fits, None, None)


class ExpectedLoss(Rule):
    """Adds up expected losses (Kullback-Leibler); impossible outputs go to delta."""

    def start(self) -> tuple[float, Fraction]:
        return 0.0, Fraction(0)

    def decide(self, state: tuple[float, Fraction], step: Step) -> Answer:
        rows = list(step.mechanism.law.values())
        mean, leak = state
        pairs = step.game.pairs
        mean += max(
            sum(float(r[x]) * nats(r[x] / r[x_]) for r in rows if r[x] and r[x_]) for x, x_ in pairs
        )
        leak += max(sum((r[x] for r in rows if not r[x_]), Fraction(0)) for x, x_ in pairs)
        return answer(mean <= size(self.epsilon) and leak <= self.delta, (mean, leak), state)


LEAKS = {f"{x}{i}": (CENT, 0) if x == "a" else (0, CENT) for x in "ab" for i in range(4)}
MANY = {f"{x}{i}": (CENT / 5, 0) if x == "a" else (0, CENT / 5) for x in "ab" for i in range(8)}

WRONG = {
    "largest-leak-only": Wrong(
        LargestLeakOnly,
        "of all bad outputs the most likely one is charged",
        "medium",
        at(1, CENT, lambda: chain(table({**LEAKS, "?": (1 - 4 * CENT, 1 - 4 * CENT)}))),
    ),
    "negligible-outputs": Wrong(
        NegligibleOutputs,
        "outputs below delta/4 are left out one by one",
        "medium",
        at(1, CENT, lambda: chain(table({**MANY, "?": (1 - 8 * CENT / 5, 1 - 8 * CENT / 5)}))),
    ),
    "delta-over-i": Wrong(
        DeltaOverI,
        "round i may risk delta/i",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH / 2))),
    ),
    "thirty-one-rounds": Wrong(
        ThirtyOneRounds,
        "thirty rounds of delta/30 are counted from 0",
        "hard",
        at(1, CENT, lambda: chain(*[erasure(CENT / 30)] * 31)),
    ),
    "ten-rounds-assumed": Wrong(
        TenRoundsAssumed,
        "every round may use delta/10, and nobody counts to ten",
        "hard",
        at(1, CENT, lambda: chain(*[erasure(CENT / 10)] * 11)),
    ),
    "stale-likelihoods": Wrong(
        StaleLikelihoods,
        "realised losses are one answer behind",
        "easy",
        at(1, CENT, lambda: chain(coin(Fraction(5, 2)), coin(Fraction(5, 2)))),
    ),
    "clipped-ratio": Wrong(
        ClippedRatio,
        "likelihood ratios are clipped at 100",
        "hard",
        at(8, Fraction(1, 1000), lambda: chain(*[coin(19)] * 4)),
    ),
    "tilted": Wrong(
        Tilted,
        "the weights with which budget is moved add up to more than one",
        "medium",
        at(
            3,
            TENTH,
            lambda: branch(
                response(Fraction(3, 4)),
                **{"0": {"ask": one_sided(TENTH)}, "1": {"ask": one_sided(3 * TENTH)}},
            ),
        ),
    ),
    "dull-answers-free": Wrong(
        DullAnswersFree,
        "the most likely answer costs nothing",
        "easy",
        at(1, TENTH, lambda: chain(*[erasure(TENTH)] * 3)),
    ),
    "loss-from-below": Wrong(
        LossFromBelow,
        "the ratio is bounded in the wrong direction, so impossible outputs pass",
        "easy",
        at(1, TENTH, lambda: chain(erasure(Fraction(1, 2)))),
    ),
    "posterior-over-prior": Wrong(
        PosteriorOverPrior,
        "posterior over prior is bounded instead of the ratio of two likelihoods",
        "medium",
        at(1, CENT, lambda: chain(coin(4))),
    ),
    "expected-loss": Wrong(
        ExpectedLoss,
        "expected losses are added up",
        "easy",
        at(1, CENT, lambda: chain(coin(4))),
    ),
}
