"""Wrong filters of the kind of Algorithm 1, which look one round ahead."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from corpus.zoo.base import Specimen
from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1, overshoot, probability
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.game import Step
from filterproof.game.law import Output, Pair

FAMILY = "look-ahead"


class FirstRequest(Repaired):
    def good(self, step: Step, pair: Pair, z: Fraction) -> list[Output]:
        first = step.requests_after[:1]
        return [y for y in step.mechanism.law if all(self.safe(step, y, r, pair, z) for r in first)]


class FirstFourRequests(Repaired):
    def good(self, step: Step, pair: Pair, z: Fraction) -> list[Output]:
        some = step.requests_after[:4]
        return [y for y in step.mechanism.law if all(self.safe(step, y, r, pair, z) for r in some)]


class SomeRequest(Repaired):
    def good(self, step: Step, pair: Pair, z: Fraction) -> list[Output]:
        law, requests = step.mechanism.law, step.requests_after
        safe = (y for y in law if any(self.safe(step, y, r, pair, z) for r in requests))
        return [*safe] if requests else [*law]


class OneRoundTooMany(RepairedSharp):
    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        if step.index < self.N + 1 and self.holds(step, self.delta_tilde):
            return Decision.CONTINUE, None
        return Decision.LAST, None


class NoHorizon(Repaired):
    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        fits = self.holds(step, self.delta_tilde)
        return (Decision.CONTINUE if fits else Decision.LAST), None


class ClosedIsSafe(Repaired):
    def safe(self, step: Step, y: Output, r: str, pair: Pair, z: Fraction) -> bool:
        return r not in step.mechanism.after[y] or super().safe(step, y, r, pair, z)


class OneWay(Repaired):
    def holds(self, step: Step, z: Fraction) -> bool:
        return all(
            probability(step, pair, self.good(step, pair, z)) >= 1 - self.theta
            for pair in step.pairs
            if pair[0] < pair[1]
        )


class ForgetsTheLoss(Repaired):
    def safe(self, step: Step, y: Output, r: str, pair: Pair, z: Fraction) -> bool:
        ahead = step.mechanism.after[y].get(r, step.game.silent)
        x, x_ = pair
        risky = (row for row in ahead.law.values() if exceeds(row[x], row[x_], self.epsilon))
        return sum((row[x] for row in risky), Fraction(0)) <= z


class MeanOvershoot(Repaired):
    def holds(self, step: Step, z: Fraction) -> bool:
        return all(self.mean(step, pair) <= z + self.theta for pair in step.pairs)

    def mean(self, step: Step, pair: Pair) -> Fraction:
        requests = step.requests_after
        total = sum(
            (
                row[pair[0]] * overshoot(step, y, r, pair, self.epsilon)
                for y, row in step.mechanism.law.items()
                for r in requests
            ),
            Fraction(0),
        )
        return total / (len(requests) or 1)


@dataclass(frozen=True)
class ThetaOnce(Repaired):
    """The constraint without the factor N."""

    def check_parameters(self) -> None:
        if self.delta_tilde + self.theta > self.delta:
            raise ValueError("need delta_tilde + theta <= delta")

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        yield {"N": depth, "theta": delta, "delta_tilde": Fraction(0)}
        yield {"N": depth, "theta": delta / 2, "delta_tilde": delta / 2}


class GoodUnderTheOther(Repaired):
    def holds(self, step: Step, z: Fraction) -> bool:
        return all(
            probability(step, (x_, x), self.good(step, (x, x_), z)) >= 1 - self.theta
            for x, x_ in step.pairs
        )


class SkipsTheOpening(Repaired):
    def holds(self, step: Step, z: Fraction) -> bool:
        return step.index == 0 or super().holds(step, z)


class SafeIsAtMostTheta(Repaired):
    def safe(self, step: Step, y: Output, r: str, pair: Pair, z: Fraction) -> bool:
        return super().safe(step, y, r, pair, z + self.delta)


@dataclass(frozen=True)
class VacuousOpening(RepairedSharp):
    """N = 1 and theta = 1: the test before round 1 says nothing."""

    def check_parameters(self) -> None:
        if (1 - self.delta_tilde) * (1 - self.theta) ** (self.N - 1) < 1 - self.delta:
            raise ValueError("need (1 - delta_tilde)(1 - theta)^(N - 1) >= 1 - delta")

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        yield {"N": 1, "theta": Fraction(1), "delta_tilde": delta}


class UnionOfPairs(Algorithm1):
    def holds(self, step: Step, z: Fraction) -> bool:
        held = [holds_for(self, step, pair, z) for pair in step.pairs]
        return any(held) if held else True


def holds_for(rule: Algorithm1, step: Step, pair: Pair, z: Fraction) -> bool:
    """Whether the repaired check holds for one ordered pair."""
    good = [
        y
        for y in step.mechanism.law
        if all(rule.safe(step, y, r, pair, z) for r in step.requests_after)
    ]
    return probability(step, pair, good) >= 1 - rule.theta


class LooksEverySecondRound(Repaired):
    def holds(self, step: Step, z: Fraction) -> bool:
        return step.index % 2 == 1 or super().holds(step, z)


class SharperThanSharp(RepairedSharp):
    def check_parameters(self) -> None:
        kept = (1 - self.delta_tilde) * (1 - self.theta) ** max(0, self.N - 2)
        if kept < 1 - self.delta:
            raise ValueError("need (1 - delta_tilde)(1 - theta)^(N - 2) >= 1 - delta")

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        shorter = RepairedSharp.parameters(epsilon, delta, max(1, depth - 1))
        return ({**one, "N": depth} for one in shorter if one["theta"] <= Fraction(1, 2))


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("published", Algorithm1, "requests outside the probability (the paper's quantifiers)"),
    _wrong("first-request", FirstRequest, "looks at the first request only"),
    _wrong("first-four-requests", FirstFourRequests, "looks at the first four requests only"),
    _wrong("some-request", SomeRequest, "safe for some request where all are due"),
    _wrong("one-round-too-many", OneRoundTooMany, "N off by one"),
    _wrong("no-horizon", NoHorizon, "N is not enforced"),
    _wrong("closed-is-safe", ClosedIsSafe, "a closed request counts as overshoot 0"),
    _wrong("look-one-way", OneWay, "one direction of a pair only"),
    _wrong("forgets-the-loss", ForgetsTheLoss, "the overshoot forgets the realised loss"),
    _wrong("mean-overshoot", MeanOvershoot, "mean over requests for maximum"),
    _wrong("theta-once", ThetaOnce, "theta is not multiplied by N"),
    _wrong("good-under-the-other", GoodUnderTheOther, "P_x' of the good outputs for P_x"),
    _wrong("skips-the-opening", SkipsTheOpening, "nothing is tested before round 1"),
    _wrong("safe-plus-delta", SafeIsAtMostTheta, "the threshold delta_tilde is raised by delta"),
    _wrong("vacuous-opening", VacuousOpening, "theta = 1 makes the test before round 1 empty"),
    _wrong("one-pair-suffices", UnionOfPairs, "the check may hold for any pair instead of all"),
    _wrong("every-second-round", LooksEverySecondRound, "the check is made in even rounds only"),
    _wrong("sharper-than-sharp", SharperThanSharp, "one factor 1 - theta is left out"),
)
