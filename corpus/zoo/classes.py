"""Wrong filters of the classes that the blind sets broke only by luck, each with a sound twin.

Names that are forgotten, losses that cancel, sums that are audited now and then, steps that pay for
the difference only, charges that are rounded to nothing, and two theorems of which either may fit.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from corpus.zoo.base import Specimen
from filterproof.exact import exceeds
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.filters.advanced import Whitehouse
from filterproof.game import Step
from filterproof.game.law import Declared, Law

FAMILY = "classes"
Spends = tuple[tuple[str, Declared], ...]


class Booked(Additive):
    """The additive filter, with what it compares and what it books apart."""

    def fits(self, spent: Declared) -> bool:
        return not (exceeds(spent.odds, Fraction(1), self.epsilon) or spent.delta > self.delta)

    def add(self, spends: Any) -> Declared:
        total = NOTHING
        for one in spends:
            total = self.spend(total, one)
        return total


class ForgetsOldNames(Booked):
    """Keeps what each request has spent in a cache of the last names; what falls out is lost."""

    names: ClassVar[int] = 8

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        lost, spends = state
        asked, cached = step.mechanism.declared, dict(spends)
        if not self.fits(self.add([lost, *cached.values(), asked])):
            return Decision.HALT, state
        mine = self.spend(cached.pop(step.request, NOTHING), asked)
        return Decision.CONTINUE, self.evict(lost, (*cached.items(), (step.request, mine)))

    def evict(self, lost: Declared, spends: Spends) -> tuple[Declared, Spends]:
        return lost, spends[-self.names :]


class KeepsOldNames(ForgetsOldNames):
    """Adds what falls out of the cache to a sum that stays."""

    def evict(self, lost: Declared, spends: Spends) -> tuple[Declared, Spends]:
        return self.add([lost, *(one for _, one in spends[: -self.names])]), spends[-self.names :]


class LossesCancel(Booked):
    """Counts a loss that favours the first database as positive, one that favours the other not."""

    def start(self) -> Any:
        return Fraction(1), Fraction(0)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        odds, delta = state
        asked = step.mechanism.declared
        odds = self.net(odds, asked.odds, self.favours_first(step.mechanism.law))
        net = Declared(max(odds, 1 / odds), delta + asked.delta)
        return (Decision.CONTINUE, (odds, net.delta)) if self.fits(net) else (Decision.HALT, state)

    def net(self, odds: Fraction, asked: Fraction, first: bool) -> Fraction:
        return odds * asked if first else odds / asked

    def favours_first(self, law: Law) -> bool:
        rows = [[*row.values()] for row in law.values()]
        return max(row[0] - row[-1] for row in rows) >= max(row[-1] - row[0] for row in rows)


class LossesAddUp(LossesCancel):
    def net(self, odds: Fraction, asked: Fraction, first: bool) -> Fraction:
        return odds * asked


class AuditsNowAndThen(Booked):
    """Compares the sum with the budget in every tenth round, and else only the round itself."""

    period: ClassVar[int] = 10

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Any]:
        asked = step.mechanism.declared
        total = self.spend(state, asked)
        compared = total if step.index % self.period == 0 else asked
        return (Decision.CONTINUE, total) if self.fits(compared) else (Decision.HALT, state)


class AuditsAlways(AuditsNowAndThen):
    period: ClassVar[int] = 1


class PaysTheDifference(Booked):
    """Lets a request that is asked again pay only what it costs beyond the last time."""

    discount: ClassVar[bool] = True

    def start(self) -> Any:
        return NOTHING, "", NOTHING

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent, name, last = state
        asked = step.mechanism.declared
        again = self.discount and name == step.request
        total = self.spend(spent, self.beyond(asked, last) if again else asked)
        after = total, step.request, asked
        return (Decision.CONTINUE, after) if self.fits(total) else (Decision.HALT, state)

    def beyond(self, asked: Declared, last: Declared) -> Declared:
        odds = max(Fraction(1), asked.odds / last.odds)
        return Declared(odds, max(Fraction(0), asked.delta - last.delta))


class PaysInFull(PaysTheDifference):
    discount: ClassVar[bool] = False


class FloorsDeltas(Booked):
    """Books each delta in whole thousandths of the budget, rounded down; a tenth is kept back."""

    def fits(self, spent: Declared) -> bool:
        return super().fits(spent) and 10 * spent.delta <= 9 * self.delta

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        asked = step.mechanism.declared
        if not self.fits(self.spend(state, asked)):
            return Decision.HALT, state
        return Decision.CONTINUE, self.spend(state, Declared(asked.odds, self.whole(asked.delta)))

    def whole(self, delta: Fraction) -> Fraction:
        unit = self.delta / 1000
        return delta // unit * unit if unit else delta


class CeilsDeltas(FloorsDeltas):
    def whole(self, delta: Fraction) -> Fraction:
        unit = self.delta / 1000
        return -(-delta // unit) * unit if unit else delta


@dataclass(frozen=True)
class EitherTheorem(Booked):
    """Runs a round if basic composition fits, or advanced composition, each with all of delta."""

    share: ClassVar[Fraction] = Fraction(1)

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        basic, advanced = state
        delta = self.share * self.delta
        rule = Whitehouse(self.epsilon, delta, delta_prime=delta)
        basic, mine = self.spend(basic, step.mechanism.declared), basic
        decision, after = rule.decide(advanced, step)
        fits = Booked(self.epsilon, delta).fits(basic) or decision is Decision.CONTINUE
        return (Decision.CONTINUE, (basic, after)) if fits else (Decision.HALT, (mine, advanced))


class EachHalfOfDelta(EitherTheorem):
    share: ClassVar[Fraction] = Fraction(1, 2)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


def _twin(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("forgets-old-names", ForgetsOldNames, "a cache of eight names; what falls out is lost"),
    _wrong("losses-cancel", LossesCancel, "what favours x pays for what favours x'"),
    _wrong("audits-now-and-then", AuditsNowAndThen, "the sum is compared in every tenth round"),
    _wrong("pays-the-difference", PaysTheDifference, "asked again, it pays what is new"),
    _wrong("floors-deltas", FloorsDeltas, "below a thousandth of delta it books nothing"),
    _wrong("either-theorem", EitherTheorem, "basic or advanced composition, each with all delta"),
)
TWINS: tuple[Specimen, ...] = (
    _twin("keeps-old-names", KeepsOldNames, "what falls out of the cache stays in a sum"),
    _twin("losses-add-up", LossesAddUp, "losses add up, whomever they favour"),
    _twin("audits-always", AuditsAlways, "the sum is compared in every round"),
    _twin("pays-in-full", PaysInFull, "asked again, it pays again"),
    _twin("ceils-deltas", CeilsDeltas, "deltas are booked in thousandths, rounded up"),
    _twin("each-half-of-delta", EachHalfOfDelta, "basic or advanced, each with half of delta"),
)
"""The same with the one line mended, in the same order."""
