"""Wrong filters whose violation the outsider took to be neither easy nor hard to find."""

from fractions import Fraction
from typing import Any

from corpus.outsider.base import ONE, ZERO, Basic, Budgeted, Pure, Watching
from corpus.zoo.base import Specimen
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.advanced import Spent, squares
from filterproof.filters.common import real
from filterproof.filters.compensator import Compensator
from filterproof.game import Step
from filterproof.game.law import Database, Declared, Pair
from filterproof.privacy import charge, risk, tight_delta, tight_odds

FAMILY = "medium"


class ResetOnRefuse(Basic):
    """Refuses what does not fit and rolls the transaction back.

    Wrong: it rolls back to the first ledger, not to the one before the request.
    """

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        spent = self.spend(state, step)
        return (Decision.CONTINUE, spent) if self.fits(spent) else (Decision.REFUSE, self.start())


class ClippedRollback(Basic):
    """Books first, with the sum of the δ_i clipped at δ, and takes back what did not fit.

    Wrong: all of δ_i is taken back though a part was booked, so that a refusal earns budget.
    """

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        spent = self.spend(state, step)
        if self.fits(spent):
            return Decision.CONTINUE, spent
        taken_back = min(spent.delta, self.delta) - step.mechanism.declared.delta
        return Decision.REFUSE, Declared(state.odds, max(ZERO, taken_back))


Unordered = frozenset[tuple[frozenset[Database], ExpLinear]]


class UnorderedLedger(Budgeted):
    """The exact charge per ordered pair, in a ledger with one entry per unordered pair.

    Wrong: the direction that comes last overwrites what the other one has spent.
    """

    def start(self) -> Unordered:
        return frozenset()

    def decide(self, state: Unordered, step: Step) -> tuple[Decision, Unordered]:
        before, after = dict(state), dict(state)
        for pair in step.pairs:
            key = frozenset(pair)
            rest = before.get(key, self.number(self.delta)) - self.charge(step, pair)
            if rest.sign() < 0:
                return Decision.HALT, state
            after[key] = rest
        return Decision.CONTINUE, frozenset(after.items())


class WorstOutputCharge(Compensator):
    """Charges a round what its worst output adds to H.

    Wrong: one event collects what several outputs add.
    """

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        w, w_ = step.mass[x], step.mass[x_]
        nothing = ExpLinear(0, 0, self.epsilon)
        lost = ExpLinear(1, -w_ / w, self.epsilon) if exceeds(w, w_, self.epsilon) else nothing
        gains = (
            max(nothing, ExpLinear(row[x], -row[x_] * w_ / w, self.epsilon)) - lost * row[x]
            for row in step.mechanism.law.values()
        )
        return max(nothing, *gains)


class LostCauseExempt(Watching):
    """Does not watch a pair whose loss is above ε: "its δ is spent".

    Wrong: at a finite loss l only h(l) < 1 was paid, and 1 - h(l) can still be lost.
    """

    def watched(self, step: Step, pair: Pair) -> bool:
        return not exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon)


class ChainPairs(Watching):
    """Watches databases that are next to each other in the list; the rest follows from those.

    Wrong: it follows at a multiple of ε only.
    """

    def watched(self, step: Step, pair: Pair) -> bool:
        order = step.game.databases
        return abs(order.index(pair[0]) - order.index(pair[1])) == 1


class HarmonicNaive(Budgeted):
    """Round i may take a loss above ε with probability at most δ/(i+1).

    Wrong: the harmonic series diverges, and 1/2 + 1/3 + 1/4 > 1.
    """

    def start(self) -> int:
        return 1

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        if step.index == 0:
            return Decision.CONTINUE, state
        risks = (risk(step.mechanism.law, p, step.mass, self.epsilon) for p in step.pairs)
        if all(one * (state + 1) <= self.delta for one in risks):
            return Decision.CONTINUE, state + 1
        return Decision.HALT, state


class BoundedRangeRho(Pure):
    """A zCDP filter that takes ε_i²/8 for ρ_i: ρ + 2√(ρ·log(1/δ)) <= ε.

    Wrong: that holds for mechanisms of bounded range; in general ρ_i is ε_i²/2.
    """

    def gap(self, iv: Any, spent: Spent) -> Any:
        rho = squares(iv, spent) / 8
        return rho + 2 * iv.sqrt(rho * iv.log(1 / real(iv, self.delta))) - real(iv, self.epsilon)


Left = tuple[Fraction, Fraction | None]


class FalsyZero(Budgeted):
    """Basic composition that carries the δ that is left; None stands for "not opened yet".

    Wrong: `or` opens the account anew when exactly 0 is left, too.
    """

    def start(self) -> Left:
        return ONE, None

    def decide(self, state: Left, step: Step) -> tuple[Decision, Left]:
        asked = step.mechanism.declared
        odds, rest = state[0] * asked.odds, (state[1] or self.delta) - asked.delta
        if self.above(odds) or rest < 0:
            return Decision.REFUSE, state
        return Decision.CONTINUE, (odds, rest)


Mean = tuple[Fraction, int, Fraction]


class RunningMean(Budgeted):
    """Basic composition that keeps the number of the δ_i and their running mean.

    Wrong: the count goes up once too often before the division, so that a rising mean lags.
    """

    def start(self) -> Mean:
        return ONE, 0, ZERO

    def decide(self, state: Mean, step: Step) -> tuple[Decision, Mean]:
        if step.index == 0:
            return Decision.CONTINUE, state
        odds, count, mean = state
        asked = step.mechanism.declared
        odds, count = odds * asked.odds, count + 1
        mean = asked.delta if count == 1 else mean + (asked.delta - mean) / (count + 1)
        if self.above(odds) or count * mean > self.delta:
            return Decision.HALT, state
        return Decision.CONTINUE, (odds, count, mean)


class TightenBothWays(Basic):
    """Replaces a loose ε_i by the best one at δ_i, and a loose δ_i by the best one at ε_i.

    Wrong: each is true together with the other number as declared, but not both at once.
    """

    def price(self, step: Step) -> Declared:
        law, pairs = step.mechanism.law, step.game.pairs
        odds, delta = step.mechanism.declared
        better = tight_odds(law, pairs, delta) or odds
        return Declared(min(odds, better), min(delta, tight_delta(law, pairs, odds)))


class MixtureNeighbour(Budgeted):
    """Charges every x against the mixture of its neighbours: "x or not x".

    Wrong: who compares x with one neighbour is not hindered by the others.
    """

    def start(self) -> tuple[ExpLinear, ...]:
        return ()

    def decide(
        self, state: tuple[ExpLinear, ...], step: Step
    ) -> tuple[Decision, tuple[ExpLinear, ...]]:
        before = state or (self.number(self.delta),) * len(step.game.databases)
        after = list(before)
        for i, x in enumerate(step.game.databases):
            others = [x_ for z, x_ in step.game.pairs if z == x]
            if not step.mass[x] or not others:
                continue
            rest = before[i] - self.against_mixture(step, x, others)
            if rest.sign() < 0:
                return Decision.HALT, before
            after[i] = rest
        return Decision.CONTINUE, tuple(after)

    def against_mixture(self, step: Step, x: Database, others: list[Database]) -> ExpLinear:
        weight = sum((step.mass[other] for other in others), ZERO)
        law = {}
        for y, row in step.mechanism.law.items():
            mixed = sum((step.mass[other] * row[other] for other in others), ZERO)
            law[y] = {"x": row[x], "mixture": mixed / weight if weight else ONE}
        mass = {"x": step.mass[x], "mixture": weight / len(others)}
        return charge(law, ("x", "mixture"), mass, self.epsilon)


class SmallChangeFree(Budgeted):
    """Books the largest exact charge, but nothing for a round that costs at most δ/8.

    Wrong: small charges add up.
    """

    def start(self) -> ExpLinear:
        return self.number(self.delta)

    def decide(self, state: ExpLinear, step: Step) -> tuple[Decision, ExpLinear]:
        cost = self.dearest(step)
        if cost * 8 <= self.delta:
            return Decision.CONTINUE, state
        return (Decision.HALT, state) if cost > state else (Decision.CONTINUE, state - cost)


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("reset-on-refuse", ResetOnRefuse, "a refusal restores the first ledger"),
    _wrong("clipped-rollback", ClippedRollback, "a refusal takes back more than was booked"),
    _wrong("unordered-ledger", UnorderedLedger, "two directions share an entry of the ledger"),
    _wrong("worst-output-charge", WorstOutputCharge, "the worst output for the best event"),
    _wrong("lost-cause-exempt", LostCauseExempt, "pairs with a loss above eps are free"),
    _wrong("chain-pairs", ChainPairs, "only databases next to each other are neighbours"),
    _wrong("harmonic-naive", HarmonicNaive, "round i may risk delta/(i+1)"),
    _wrong("bounded-range-rho", BoundedRangeRho, "eps_i^2/8 for eps_i^2/2"),
    _wrong("falsy-zero", FalsyZero, "an account with exactly 0 left is opened anew"),
    _wrong("running-mean", RunningMean, "a running mean that lags behind"),
    _wrong("tighten-both-ways", TightenBothWays, "tightens eps_i and delta_i at once"),
    _wrong("mixture-neighbour", MixtureNeighbour, "x against the mixture of its neighbours"),
    _wrong("small-change-free", SmallChangeFree, "charges up to delta/8 are not booked"),
)
