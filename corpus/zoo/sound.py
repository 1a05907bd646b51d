"""Sound filters that look suspicious: each does something that is a mistake elsewhere."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from corpus.zoo.base import Charged, Rule, Specimen
from filterproof.exact import ExpLinear, Log, exceeds, exp_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.common import survivors
from filterproof.filters.compensator import Capped, Compensator, Recycling
from filterproof.filters.pan import Bayesian, stays_below
from filterproof.filters.repaired import Repaired
from filterproof.game import OPENING, Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import charge, risk

FAMILY = "sound"


class AlwaysHalts(Rule):
    def fits(self, step: Step) -> bool:
        return False


class SilentOnly(Rule):
    def fits(self, step: Step) -> bool:
        return all(len(set(row.values())) == 1 for row in step.mechanism.law.values())


class RefusesInsteadOfHalting(Compensator):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, after = super().decide(state, step)
        return (Decision.REFUSE if decision is Decision.HALT else decision), after


class LastWhenSpent(Compensator):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        decision, after = super().decide(state, step)
        spent = step.index and any(rest == 0 for rest in after if rest is not None)
        return (Decision.LAST if spent and decision is Decision.CONTINUE else decision), after


class MultipliesDeltas(Additive):
    def spend(self, spent: Declared, asked: Declared) -> Declared:
        together = 1 - (1 - spent.delta) * (1 - asked.delta)
        return Declared(spent.odds * asked.odds, together)


class RecyclesForAll(Recycling):
    def observe(self, state: Any, step: Step, output: Output) -> Any:
        return survivors(state, step, output)


class CappedWithoutCap(Capped):
    def observe(self, state: Any, step: Step, output: Output) -> Any:
        return survivors(state, step, output)


class ForgetsWhenUnused(Charged):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        known = [pair for pair in step.pairs if step.mass[pair[0]] != step.mass[pair[1]]]
        fresh = not known and len(step.history) == 0
        return super().decide(self.zero() if fresh else state, step)


class Superstitious(Compensator):
    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        unlucky = len(step.request) + step.index
        if unlucky % 7 == 4:
            return Decision.HALT, state
        return super().decide(state, step)


class ReplaysHistory(Rule):
    """Keeps no state: adds the charges up again from the history (so it is not markov)."""

    def fits(self, step: Step) -> bool:
        return all(self.spent(step, pair) <= self.delta for pair in step.pairs)

    def spent(self, step: Step, pair: Pair) -> ExpLinear:
        mass = dict.fromkeys(step.game.databases, Fraction(1))
        menu: Any = step.game.menu
        total = ExpLinear(0, 0, self.epsilon)
        for request, output in step.history:
            law = menu[request].law
            total = total + charge(law, pair, mass, self.epsilon)
            mass = {x: mass[x] * law[output][x] for x in mass}
            menu = menu[request].after[output]
        return total + charge(step.mechanism.law, pair, step.mass, self.epsilon)


class CoarseExponential(Charged):
    def one(self, step: Step, pair: Pair) -> ExpLinear:
        low = max(Fraction(1), Fraction(int(exp_enclosure(self.epsilon, 20)[0] * 8), 8))
        found = charge(step.mechanism.law, pair, step.mass, Log(low))
        return ExpLinear(found.a, 0, self.epsilon)


class EverybodyIsANeighbour(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        names = step.game.databases
        return tuple((x, z) for x in names for z in names if x != z and step.mass[x])


class OneRiskThenBayesian(Rule):
    """Spends all of delta on the first round that needs some."""

    def start(self) -> Hashable:
        return False

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        if stays_below(step, self.epsilon):
            return Decision.CONTINUE, state
        law, mass = step.mechanism.law, step.mass
        fits = all(risk(law, pair, mass, self.epsilon) <= self.delta for pair in step.pairs)
        return (Decision.HALT, state) if state or not fits else (Decision.CONTINUE, True)


class LastIfRisky(Bayesian):
    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        decision, _ = super().decide(state, step)
        if decision is Decision.CONTINUE:
            return decision, None
        law, mass = step.mechanism.law, step.mass
        fits = all(risk(law, pair, mass, self.epsilon) <= self.delta for pair in step.pairs)
        return (Decision.LAST if fits else Decision.HALT), None


class SkipsImpossiblePairs(Charged):
    def pairs(self, step: Step) -> tuple[Pair, ...]:
        return tuple((x, x_) for x, x_ in step.pairs if step.mass[x_])


class OneDirectionTwice(Charged):
    """Looks at x < x' only, but at both signs of the loss."""

    def cost(self, step: Step) -> ExpLinear:
        ordered = [pair for pair in step.game.pairs if pair[0] < pair[1]]
        both = [*ordered, *((x_, x) for x, x_ in ordered)]
        costs = (self.one(step, pair) for pair in both if step.mass[pair[0]])
        return max(costs, default=self.zero())


@dataclass(frozen=True)
class GivesUpAfterRefusals(Charged):
    """Refuses twice, then halts: the count of refusals is part of the state."""

    def start(self) -> Hashable:
        return (self.zero(), 0)

    def decide(self, state: Any, step: Step) -> tuple[Decision, Hashable]:
        spent, refusals = state
        decision, after = super().decide(spent, step)
        if decision is Decision.CONTINUE:
            return decision, (after, refusals)
        return (Decision.REFUSE if refusals < 2 else Decision.HALT), (spent, refusals + 1)


class PublishedOneRequest(Repaired):
    """Algorithm 1 as printed, in rounds that are followed by one request; else it stops."""

    def holds(self, step: Step, z: Fraction) -> bool:
        return len(step.requests_after) <= 1 and super().holds(step, z)


class DeclaredOnlyPure(Additive):
    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        if step.request != OPENING and step.mechanism.declared.delta:
            return Decision.REFUSE, state
        odds = state.odds * step.mechanism.declared.odds
        if exceeds(odds, Fraction(1), self.epsilon):
            return Decision.REFUSE, state
        return Decision.CONTINUE, Declared(odds, Fraction(0))


def _sound(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


SPECIMENS: tuple[Specimen, ...] = (
    _sound("always-halts", AlwaysHalts, "never releases anything"),
    _sound("silent-only", SilentOnly, "ignores the budget, but only runs what says nothing"),
    _sound("refuses-for-halts", RefusesInsteadOfHalting, "goes on after a refusal"),
    _sound("last-when-spent", LastWhenSpent, "LAST as soon as a budget is exactly spent"),
    _sound("multiplies-deltas", MultipliesDeltas, "1 - prod(1 - delta_i) for the sum"),
    _sound("recycles-for-all", RecyclesForAll, "budget where x' is ruled out: never charged there"),
    _sound("capped-without-cap", CappedWithoutCap, "more budget than can be lost: cannot be used"),
    _sound("forgets-when-unused", ForgetsWhenUnused, "resets the ledger, but only before round 1"),
    _sound("superstitious", Superstitious, "halts by round number and name"),
    _sound("replays-history", ReplaysHistory, "no state at all, everything from the history"),
    _sound("coarse-exponential", CoarseExponential, "a lower bound of e^eps: charges more"),
    _sound("everybody-neighbours", EverybodyIsANeighbour, "protects all pairs, related or not"),
    _sound("one-risk-then-pure", OneRiskThenBayesian, "all of delta on one round, at round level"),
    _sound("last-if-risky", LastIfRisky, "LAST above eps, at risk delta at most"),
    _sound("skips-impossible", SkipsImpossiblePairs, "skips pairs whose x' is ruled out"),
    _sound("one-direction-twice", OneDirectionTwice, "ordered pairs x < x', but both signs"),
    _sound("gives-up", GivesUpAfterRefusals, "counts refusals in its state"),
    _sound("published-one-request", PublishedOneRequest, "look-ahead, one request a round only"),
    _sound("pure-only", DeclaredOnlyPure, "ignores delta and refuses what declares one"),
)
