"""Wrong filters that add up what mechanisms declare."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log, log10, sqrt
from typing import Any

from corpus.zoo.base import Specimen
from filterproof.exact import Log, exceeds, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING, Additive
from filterproof.game import Step
from filterproof.game.law import Declared

FAMILY = "mechanism-level"


def real(rule: Additive) -> float:
    """The budget as a double."""
    return log(rule.epsilon.argument) if isinstance(rule.epsilon, Log) else float(rule.epsilon)


@dataclass(frozen=True)
class Ledger(Additive):
    """The additive filter, with its test apart."""

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent = self.spend(state, step.mechanism.declared)
        return (Decision.CONTINUE, spent) if self.fits(spent) else (Decision.HALT, state)

    def fits(self, spent: Any) -> bool:
        within = not exceeds(spent.odds, Fraction(1), self.epsilon)
        return within and bool(spent.delta <= self.delta)


class IgnoresDelta(Ledger):
    def fits(self, spent: Any) -> bool:
        return not exceeds(spent.odds, Fraction(1), self.epsilon)


class IgnoresEpsilon(Ledger):
    def fits(self, spent: Any) -> bool:
        return bool(spent.delta <= self.delta)


class ChargesAfter(Ledger):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent = self.spend(state, step.mechanism.declared)
        return (Decision.CONTINUE, spent) if self.fits(state) else (Decision.HALT, state)


class LargestEpsilon(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        return Declared(max(spent.odds, asked.odds), spent.delta + asked.delta)


class ForgetsEveryRound(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        return asked


class ForgetsAtEight(Ledger):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        return super().decide(NOTHING if step.index % 8 == 0 else state, step)


class FloatSums(Ledger):
    def start(self) -> Any:
        return (0.0, 0.0)

    def spend(self, spent: Any, asked: Declared) -> Any:
        return spent[0] + log(asked.odds), spent[1] + float(asked.delta)

    def fits(self, spent: Any) -> bool:
        return bool(spent[0] <= real(self) and spent[1] <= self.delta)


class Tolerance(Ledger):
    def fits(self, spent: Any) -> bool:
        slack = 1 + Fraction(1, 10**12)
        within = not exceeds(spent.odds / slack, Fraction(1), self.epsilon)
        return within and bool(spent.delta <= self.delta)


class SmallIsFree(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        delta = asked.delta if asked.delta * 5 > self.delta else Fraction(0)
        return Declared(spent.odds * asked.odds, spent.delta + delta)


class RefusalResets(Ledger):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, spent = super().decide(state, step)
        return (Decision.REFUSE, NOTHING) if decision is Decision.HALT else (decision, spent)


class OncePerName(Ledger):
    def start(self) -> Any:
        return (NOTHING, frozenset())

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent, known = state
        if step.request in known:
            return Decision.CONTINUE, state
        decision, spent = super().decide(spent, step)
        return decision, (spent, known | {step.request})


class OncePerStatement(Ledger):
    def start(self) -> Any:
        return frozenset()

    def spend(self, spent: Any, asked: Declared) -> Any:
        return spent | {asked}

    def fits(self, spent: Any) -> bool:
        total = NOTHING
        for one in spent:
            total = Declared(total.odds * one.odds, total.delta + one.delta)
        return super().fits(total)


class CommonLogarithm(FloatSums):
    def spend(self, spent: Any, asked: Declared) -> Any:
        return spent[0] + log10(asked.odds), spent[1] + float(asked.delta)


class OddsRoundedDown(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        odds = Fraction(floor(asked.odds * 20), 20)
        return Declared(spent.odds * max(odds, Fraction(1)), spent.delta + asked.delta)


class RootOfSquares(FloatSums):
    def spend(self, spent: Any, asked: Declared) -> Any:
        return sqrt(spent[0] ** 2 + log(asked.odds) ** 2), spent[1] + float(asked.delta)


class LastThree(Ledger):
    def start(self) -> Any:
        return ()

    def spend(self, spent: Any, asked: Declared) -> Any:
        return (*spent, asked)[-3:]

    def fits(self, spent: Any) -> bool:
        total = NOTHING
        for one in spent:
            total = Declared(total.odds * one.odds, total.delta + one.delta)
        return super().fits(total)


class MeanEpsilon(FloatSums):
    def start(self) -> Any:
        return (0.0, 0.0, 0)

    def spend(self, spent: Any, asked: Declared) -> Any:
        return spent[0] + log(asked.odds), spent[1] + float(asked.delta), spent[2] + 1

    def fits(self, spent: Any) -> bool:
        return bool(spent[0] <= real(self) * max(1, spent[2] - 1) and spent[1] <= self.delta)


class ZeroDeltaIsUnset(Ledger):
    def fits(self, spent: Any) -> bool:
        if not self.delta:
            return not exceeds(spent.odds, Fraction(1), self.epsilon)
        return super().fits(spent)


class AddsOdds(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        return Declared(spent.odds + asked.odds - 1, spent.delta + asked.delta)


class DiscountsByOdds(Ledger):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        return Declared(spent.odds * asked.odds, spent.delta + asked.delta / asked.odds)


class EpsilonFromDouble(Ledger):
    def fits(self, spent: Any) -> bool:
        edge = float(exp_enclosure(self.epsilon, 80)[1])
        return float(spent.odds) <= edge and bool(spent.delta <= self.delta)


class ForgivesTheLastRound(Ledger):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, spent = super().decide(state, step)
        return (Decision.LAST, spent) if decision is Decision.HALT else (decision, spent)


class OnlyLoneStatements(Ledger):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        asked = step.mechanism.declared
        free = asked.odds > 1 and asked.delta > 0
        return (Decision.CONTINUE, state) if free else super().decide(state, step)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("ignores-delta", IgnoresDelta, "the delta_i are never compared"),
    _wrong("ignores-epsilon", IgnoresEpsilon, "the epsilon_i are never compared"),
    _wrong("charges-after", ChargesAfter, "tests what was spent before this round"),
    _wrong("largest-epsilon", LargestEpsilon, "maximum of the epsilon_i instead of their sum"),
    _wrong("forgets-every-round", ForgetsEveryRound, "every round is tested on its own"),
    _wrong("forgets-at-eight", ForgetsAtEight, "the ledger is emptied in every eighth round"),
    _wrong("float-sums", FloatSums, "sums of doubles, which round down"),
    _wrong("tolerance", Tolerance, "odds may exceed e^eps by one part in 10^12"),
    _wrong("small-is-free", SmallIsFree, "a delta_i below delta/5 is not charged"),
    _wrong("refusal-resets", RefusalResets, "a refused request empties the ledger"),
    _wrong("once-per-name", OncePerName, "a request of a known name is not charged again"),
    _wrong("once-per-statement", OncePerStatement, "a set of statements, so equal ones count once"),
    _wrong("common-logarithm", CommonLogarithm, "logarithm to base ten"),
    _wrong("odds-rounded-down", OddsRoundedDown, "odds are rounded down to a grid of 1/20"),
    _wrong("root-of-squares", RootOfSquares, "advanced composition without its logarithm"),
    _wrong("last-three", LastThree, "only the last three rounds are remembered"),
    _wrong("mean-epsilon", MeanEpsilon, "the mean of the epsilon_i is compared"),
    _wrong("zero-delta-is-unset", ZeroDeltaIsUnset, "delta = 0 is taken for 'no limit given'"),
    _wrong("adds-odds", AddsOdds, "adds odds - 1 where logarithms of odds are due"),
    _wrong("discounts-by-odds", DiscountsByOdds, "delta_i is divided by the declared odds"),
    _wrong("epsilon-from-double", EpsilonFromDouble, "odds are compared as doubles"),
    _wrong("forgives-the-last", ForgivesTheLastRound, "LAST where HALT is due"),
    _wrong("mixed-is-free", OnlyLoneStatements, "a pair with both parts positive is not charged"),
)
