"""Ledgers whose numbers are kept in too little room, and two that look as if they were."""

import struct
from fractions import Fraction
from math import ceil, floor

from corpus.blind.base import Answer, Rule, Sound, Wrong, answer, nats, size
from corpus.blind.first.games import at, chain, coin
from corpus.blind.third.base import TENTH, ZERO, positive
from filterproof.exact import Epsilon
from filterproof.game import Step


class UnsignedByte(Rule):
    """Keeps epsilon in hundredths of the budget, rounded up, in one byte."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.unit = positive(epsilon) / 100
        if self.unit < 1e-8:
            raise ValueError("need epsilon >= 1e-6")

    def start(self) -> tuple[int, Fraction]:
        return 0, ZERO

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        ticks = ceil(nats(odds) / self.unit) + 1 if odds > 1 else 0
        total = self.stored(state[0] + ticks), state[1] + delta
        return answer(total[0] <= 100 and total[1] <= self.delta, total, state)

    def stored(self, ticks: int) -> int:
        return ticks % 256


class SaturatingByte(UnsignedByte):
    """Keeps 255 in the byte once it is full."""

    def stored(self, ticks: int) -> int:
        return min(ticks, 255)


class Text(Rule):
    """Keeps the sum of the epsilons in millionths, rounded up, and compares it as text."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.most = self.written(floor(size(epsilon) * 10**6))

    def start(self) -> tuple[int, Fraction]:
        return 0, ZERO

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        millionths = state[0] + (ceil(nats(odds) * 10**6) + 1 if odds > 1 else 0)
        fits = self.written(millionths) <= self.most and state[1] + delta <= self.delta
        return answer(fits, (millionths, state[1] + delta), state)

    def written(self, millionths: int) -> str:
        return f"{millionths // 10**6}.{millionths % 10**6:06d}"


class PaddedText(Text):
    """Writes zeros in front, so that all numbers have the same length."""

    def written(self, millionths: int) -> str:
        return f"{min(millionths, 10**12 - 1):012d}"


class HalfPrecision(Rule):
    """Keeps the sum of the epsilons in two bytes, as a half-precision float."""

    def start(self) -> tuple[float, Fraction]:
        return 0.0, ZERO

    def decide(self, state: tuple[float, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = half(state[0] + nats(odds)), state[1] + delta
        return answer(total[0] <= size(self.epsilon) and total[1] <= self.delta, total, state)


def half(value: float) -> float:
    """Return the nearest half-precision float."""
    stored: float = struct.unpack("e", struct.pack("e", min(value, 65504.0)))[0]
    return stored


WRONG = {
    "unsigned-byte": Wrong(
        UnsignedByte,
        "the byte wraps around at 256",
        "easy",
        at(1, TENTH, lambda: chain(coin(14))),
    ),
    "compared-as-text": Wrong(
        Text,
        "as text, 10 is less than 2",
        "hard",
        at(2, TENTH, lambda: chain(coin(40_000))),
    ),
    "half-precision": Wrong(
        HalfPrecision,
        "what is less than half of the last place of the sum is not added to it",
        "hard",
        at(1, ZERO, lambda: chain(coin(Fraction(2718, 1000)), *[coin(Fraction(2049, 2048))] * 3)),
    ),
}
SOUND = {
    "saturating-byte": Sound(
        SaturatingByte, "a full byte is above 100 for good, and every cost is rounded up"
    ),
    "padded-text": Sound(
        PaddedText, "texts of one length are ordered as their numbers are, and costs are rounded up"
    ),
}
