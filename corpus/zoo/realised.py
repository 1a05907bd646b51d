"""Wrong filters that look at realised losses and charges."""

from collections.abc import Hashable
from fractions import Fraction
from math import log
from typing import Any

from corpus.zoo.base import Charged, Rule, Specimen
from filterproof.exact import ExpLinear, Log, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator, Recycling
from filterproof.filters.naive import Naive
from filterproof.game import Step
from filterproof.game.law import Pair
from filterproof.privacy import charge, risk

FAMILY = "realisation-level"


class HalfNaive(Naive):
    def fits(self, step: Step) -> bool:
        return all(2 * self.risk_of(step, pair) <= self.delta for pair in step.pairs)


class OneDirection(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        return tuple(pair for pair in step.pairs if pair[0] < pair[1])


class OtherDirection(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        return tuple(pair for pair in step.pairs if pair[0] > pair[1])


class ForgetsOnePair(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        first = step.game.pairs[0]
        return tuple(pair for pair in step.pairs if set(pair) == set(first))


class ConsecutivePairs(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        order = step.game.databases
        return tuple(p for p in step.pairs if abs(order.index(p[0]) - order.index(p[1])) == 1)


class SkipsInfinite(Rule):
    def fits(self, step: Step) -> bool:
        return not any(
            row[x_] and step.mass[x_] and self.above(step.mass[x] * row[x], step.mass[x_] * row[x_])
            for x, x_ in step.pairs
            for row in step.mechanism.law.values()
        )


class MeanOverPairs(Charged):
    def cost(self, step: Step) -> ExpLinear:
        costs = [self.one(step, pair) for pair in step.pairs]
        return sum(costs, start=self.zero()) / len(costs)


class EachRoundAnew(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        return (Decision.HALT if self.cost(step) > self.delta else Decision.CONTINUE), state


class OneRoundLate(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        if state > self.delta:
            return Decision.HALT, state
        return Decision.CONTINUE, state + self.cost(step)


class NoHistory(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        even = dict.fromkeys(step.mass, Fraction(1))
        return charge(step.mechanism.law, pair, even, self.epsilon)


class RealisedOnly(Rule):
    def fits(self, step: Step) -> bool:
        return not any(self.above(step.mass[x], step.mass[x_]) for x, x_ in step.pairs)


class ExpectedLoss(Rule):
    def fits(self, step: Step) -> bool:
        return all(self.mean(step, pair) <= self.real() for pair in step.pairs)

    def real(self) -> float:
        return log(self.epsilon.argument) if isinstance(self.epsilon, Log) else float(self.epsilon)

    def mean(self, step: Step, pair: Pair) -> float:
        x, x_ = pair
        law, mass = step.mechanism.law, step.mass
        if not mass[x_] or any(row[x] and not row[x_] for row in law.values()):
            return float("inf")
        spent = log(mass[x] / mass[x_])
        return spent + sum(float(r[x]) * log(r[x] / r[x_]) for r in law.values() if r[x])


class IgnoresRareOutputs(Rule):
    def fits(self, step: Step) -> bool:
        return not any(
            row[x] >= Fraction(1, 20) and self.above(step.mass[x] * row[x], step.mass[x_] * row[x_])
            for x, x_ in step.pairs
            for row in step.mechanism.law.values()
        )


class ThreeForE(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        if isinstance(self.epsilon, Log):
            return super().one(step, pair)
        power = Log(Fraction(3) ** max(1, int(self.epsilon)))
        found = charge(step.mechanism.law, pair, step.mass, power)
        return ExpLinear(found.a, 0, self.epsilon)


class LinearForExponential(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        if isinstance(self.epsilon, Log):
            return super().one(step, pair)
        found = charge(step.mechanism.law, pair, step.mass, Log(1 + 2 * self.epsilon))
        return ExpLinear(found.a, 0, self.epsilon)


class NothingLeftToProtect(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return super().cost(step) if all(step.mass.values()) else self.zero()


class WrongExpectation(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        law, mass = step.mechanism.law, step.mass
        lost = (r for r in law.values() if self.above(mass[x] * r[x], mass[x_] * r[x_]))
        return ExpLinear(sum((r[x_] for r in lost), Fraction(0)), 0, self.epsilon)


class RefundsLuck(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        lucky = all(step.mass[x] <= step.mass[x_] for x, x_ in step.pairs if x == "0")
        return super().decide(self.zero() if lucky else state, step)


class Saturates(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent = min(state + self.cost(step), self.zero() + self.delta)
        return (Decision.HALT, state) if spent > self.delta else (Decision.CONTINUE, spent)


class RoundsToNearest(Charged):
    def cost(self, step: Step) -> ExpLinear:
        low, _ = super().cost(step).enclosure()
        return self.zero() + Fraction(round(low * 64), 64)


class RecyclesTooMuch(Recycling):
    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        law, mass = step.mechanism.law, step.mass
        kept = sum((r[x] for r in law.values() if mass[x] * r[x] <= mass[x_] * r[x_]), Fraction(0))
        return rest / kept if kept else rest * 0


class WorstPairOnly(Compensator):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, after = super().decide(state, step)
        if decision is Decision.HALT or not any(after):
            return decision, after
        least = min(rest for rest in after if rest is not None)
        return decision, tuple(rest if rest == least else None for rest in after)


class RiskUnderBoth(Naive):
    def fits(self, step: Step) -> bool:
        law, mass = step.mechanism.law, step.mass
        return all(
            min(risk(law, (x, x_), mass, self.epsilon), risk(law, (x_, x), mass, self.epsilon)) == 0
            for x, x_ in step.pairs
        )


class SmallEpsilonIsZeroCost(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        low, _ = exp_enclosure(self.epsilon, 20)
        cost = super().one(step, pair)
        return cost / 2 if low < Fraction(9, 8) else cost


class LargeDeltaIsUnlimited(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return super().cost(step) / 2 if self.delta > Fraction(3, 4) else super().cost(step)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("half-naive", HalfNaive, "every round may risk delta/2, whatever came before"),
    _wrong("one-direction", OneDirection, "one direction of a pair only"),
    _wrong("other-direction", OtherDirection, "the other direction of a pair only"),
    _wrong("forgets-one-pair", ForgetsOnePair, "only the first pair of neighbours is looked at"),
    _wrong("consecutive-pairs", ConsecutivePairs, "takes databases next in order for neighbours"),
    _wrong("skips-infinite", SkipsInfinite, "an infinite loss is ignored"),
    _wrong("mean-over-pairs", MeanOverPairs, "the mean over pairs where the maximum is due"),
    _wrong("each-round-anew", EachRoundAnew, "charges are not accumulated"),
    _wrong("one-round-late", OneRoundLate, "the charge is added after the test"),
    _wrong("no-history", NoHistory, "the realised loss does not enter the charge"),
    _wrong("realised-only", RealisedOnly, "halts only when a loss is already above eps"),
    _wrong("expected-loss", ExpectedLoss, "mean loss for largest loss"),
    _wrong("ignores-rare-outputs", IgnoresRareOutputs, "outputs below 1/20 are not looked at"),
    _wrong("three-for-e", ThreeForE, "3^eps for e^eps"),
    _wrong("linear-for-exp", LinearForExponential, "1 + 2 eps for e^eps: wrong for small eps"),
    _wrong("nothing-left", NothingLeftToProtect, "free as soon as one database is ruled out"),
    _wrong("wrong-expectation", WrongExpectation, "the probability is taken under x'"),
    _wrong("refunds-luck", RefundsLuck, "a loss that went down pays back what was charged"),
    _wrong("saturates", Saturates, "the sum is capped at delta before it is compared"),
    _wrong("rounds-to-nearest", RoundsToNearest, "charges are rounded to the nearest 1/64"),
    _wrong("recycles-too-much", RecyclesTooMuch, "recycles what is not stranded yet"),
    _wrong("worst-pair-only", WorstPairOnly, "goes on with the pair that has spent most"),
    _wrong("either-direction", RiskUnderBoth, "safe if one of the two directions is"),
    _wrong("cheap-at-small-eps", SmallEpsilonIsZeroCost, "half the charge for eps below 1/9"),
    _wrong("cheap-at-large-delta", LargeDeltaIsUnlimited, "half the charge for delta above 3/4"),
)
