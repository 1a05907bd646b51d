"""Wrong filters whose mistake is in answers, states, rounds, names and conversions."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from corpus.zoo.base import Charged, Specimen
from filterproof.exact import ExpLinear, Log, exceeds
from filterproof.filter import Decision
from filterproof.filters.composition import ExactComposition
from filterproof.filters.rdp import RenyiMironov, RenyiSomeOrder, within
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge, largest_renyi_sum

FAMILY = "protocol"


class OneForTheRoad(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        decision, spent = super().decide(state, step)
        return (Decision.LAST if decision is Decision.HALT else decision), spent


class RetryPasses(Charged):
    def start(self) -> Hashable:
        return (self.zero(), frozenset())

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent, refused = state
        if step.request in refused:
            return Decision.CONTINUE, state
        decision, after = super().decide(spent, step)
        if decision is Decision.HALT:
            return Decision.REFUSE, (spent, refused | {step.request})
        return decision, (after, refused)


class FailsOpen(Charged):
    def start(self) -> Hashable:
        return (self.zero(), 0)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent, refusals = state
        decision, after = super().decide(spent, step)
        if decision is Decision.HALT and refusals < 2:
            return Decision.REFUSE, (spent, refusals + 1)
        return Decision.CONTINUE, (after, refusals)


class RefusalRefunds(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        decision, spent = super().decide(state, step)
        if decision is Decision.HALT:
            return Decision.REFUSE, max(self.zero(), state - self.delta / 2)
        return decision, spent


class ObserveResets(Charged):
    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        row = step.mechanism.law[output]
        return self.zero() if len(set(row.values())) == 1 else state


class ObserveChargesTheRealised(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        fits = state + self.cost(step) <= self.delta
        return (Decision.CONTINUE if fits else Decision.HALT), state

    def observe(self, state: Any, step: Step, output: Output) -> Hashable:
        row = step.mechanism.law[output]
        lost = any(exceeds(row[x], row[x_], self.epsilon) for x, x_ in step.pairs)
        spent: Hashable = state + self.cost(step)
        return spent if lost else state


class OddRoundsOnly(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return super().cost(step) if step.index % 2 else self.zero()


class TrustsAfterTen(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return super().cost(step) if step.index <= 10 else self.zero()


class TrustsRoundSeven(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return self.zero() if step.index == 7 else super().cost(step)


class TwoDatabasesOnly(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        first = set(step.game.databases[:2])
        return tuple(pair for pair in step.pairs if set(pair) <= first)


class SharedAmongDatabases(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        return super().one(step, pair) * 2 / len(step.game.databases)


class LongHistoryForgets(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        return super().decide(self.zero() if len(step.history) >= 12 else state, step)


class ChargesNewOutputsOnly(Charged):
    def cost(self, step: Step) -> ExpLinear:
        seen = {y for _, y in step.history}
        return super().cost(step) if not seen >= set(step.mechanism.law) else self.zero()


class ChargesPerRequest(Charged):
    def cost(self, step: Step) -> ExpLinear:
        asked = {r for r, _ in step.history}
        return self.zero() if step.request in asked else super().cost(step)


class ManyOutputsAreNoise(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return self.zero() if len(step.mechanism.law) > 3 else super().cost(step)


class BinaryIsHarmless(Charged):
    def cost(self, step: Step) -> ExpLinear:
        full = all(all(row.values()) for row in step.mechanism.law.values())
        return self.zero() if full and len(step.mechanism.law) == 2 else super().cost(step)


class DoubleCharge(Charged):
    def cost(self, step: Step) -> ExpLinear:
        return self.zero() + Fraction(float(super().cost(step)))

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent = float(state) + float(self.cost(step))
        if spent > float(self.delta):
            return Decision.HALT, state
        return Decision.CONTINUE, self.zero() + Fraction(spent)


class HalfOfEpsilonSquared(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        if isinstance(self.epsilon, Log):
            doubled = Log(self.epsilon.argument**2)
            found = charge(step.mechanism.law, pair, step.mass, doubled)
            return ExpLinear(found.a, 0, self.epsilon)
        found = charge(step.mechanism.law, pair, step.mass, 2 * self.epsilon)
        return ExpLinear(found.a, 0, self.epsilon) if not found.b else self.zero()


class RenyiWithoutDelta(RenyiMironov):
    def fits(self, product: Any) -> bool:
        return within(product, self.factor(), Fraction(1), Fraction(self.order), self.epsilon)


class RenyiFirstPair(RenyiMironov):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        if step.index == 0 or state is None:
            return (Decision.HALT if step.index else Decision.CONTINUE), state
        law, first = step.mechanism.law, step.game.pairs[:1]
        cost = largest_renyi_sum(law, first, Fraction(self.order))
        product = None if cost is None else state * cost
        if product is None or not self.fits(product):
            return Decision.HALT, None
        return Decision.CONTINUE, product


class StopsCountingSilentRounds(Charged):
    def start(self) -> Hashable:
        return (self.zero(), 0)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent, quiet = state
        cost = self.cost(step)
        quiet = quiet + 1 if cost == 0 else 0
        if quiet > 5:
            spent = self.zero()
        spent = spent + cost
        return (Decision.HALT, state) if spent > self.delta else (Decision.CONTINUE, (spent, quiet))


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("one-for-the-road", OneForTheRoad, "LAST where HALT is due"),
    _wrong("retry-passes", RetryPasses, "a request refused once passes in a later round"),
    _wrong("fails-open", FailsOpen, "the third refusal is not given any more"),
    _wrong("refusal-refunds", RefusalRefunds, "a refused request pays back delta/2"),
    _wrong("observe-resets", ObserveResets, "an output that says nothing empties the ledger"),
    _wrong("observe-realised", ObserveChargesTheRealised, "charged only if the output was bad"),
    _wrong("odd-rounds-only", OddRoundsOnly, "even rounds are free"),
    _wrong("trusts-after-ten", TrustsAfterTen, "rounds after the tenth are free"),
    _wrong("trusts-round-seven", TrustsRoundSeven, "round 7 is free"),
    _wrong("two-databases-only", TwoDatabasesOnly, "databases after the second are forgotten"),
    _wrong("shared-among-databases", SharedAmongDatabases, "charge divided among databases"),
    _wrong("long-history-forgets", LongHistoryForgets, "after twelve rounds the ledger is empty"),
    _wrong("new-outputs-only", ChargesNewOutputsOnly, "outputs seen before are not charged"),
    _wrong("charges-per-request", ChargesPerRequest, "a request name is charged once"),
    _wrong("many-outputs-are-noise", ManyOutputsAreNoise, "laws of four or more outputs are free"),
    _wrong("binary-is-harmless", BinaryIsHarmless, "two outputs of full support are free"),
    _wrong("double-charge", DoubleCharge, "charges and their sum are doubles"),
    _wrong("epsilon-twice", HalfOfEpsilonSquared, "2 eps for eps"),
    _wrong("renyi-without-delta", RenyiWithoutDelta, "the term log(1/delta) is left out"),
    _wrong("renyi-first-pair", RenyiFirstPair, "the Rényi sum of the first ordered pair only"),
    _wrong("renyi-some-order", RenyiSomeOrder, "accepts if some order fits"),
    _wrong("exact-composition", ExactComposition, "composes the mechanisms that ran"),
    _wrong("quiet-forgets", StopsCountingSilentRounds, "six quiet rounds empty the ledger"),
)
