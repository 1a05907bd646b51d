"""The outsider's sound filters: each looks like a mistake, and says why it is none."""

from fractions import Fraction
from typing import Any

from corpus.outsider.base import ONE, ZERO, Basic, Budgeted, plus, statements
from corpus.zoo.base import Specimen
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.common import survivors
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair, profile, tightest
from filterproof.privacy import risk

FAMILY = "sound"
EPOCHS = 6


class RareOutputBonus(Compensator):
    """After output y a pair owns rest/(n·P_x(y)), with n the number of outputs that x can give.

    Looks wrong: a rare output multiplies the budget.  Sound: under P_x the mean of the budget
    after the round is the rest, so budget and paid charges are a martingale that starts at δ.
    """

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        law = step.mechanism.law
        after: list[ExpLinear | None] = []
        for rest, (x, _) in zip(survivors(state, step, output), step.game.pairs, strict=True):
            possible = sum(1 for row in law.values() if row[x])
            after.append(None if rest is None else rest / (possible * law[output][x]))
        return tuple(after)


class LazyGeometric(Budgeted):
    """The j-th round with any risk may take a loss above ε with probability at most δ/2^j.

    Looks wrong: the counter stands still in most rounds, and there is no horizon.  Sound: on
    every path the risks are at most δ/2, δ/4, ..., so a loss ever exceeds ε with probability
    at most δ.  Refusals release nothing.
    """

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        law = step.mechanism.law
        worst = max((risk(law, p, step.mass, self.epsilon) for p in step.pairs), default=ZERO)
        if not worst:
            return Decision.CONTINUE, state
        fits = worst * 2 ** (state + 1) <= self.delta
        return (Decision.CONTINUE, state + 1) if fits else (Decision.REFUSE, state)


class CheaperOfTwo(Basic):
    """Charges the first of three true statements that fits: declared, (0, TV_i), (ε_i, 0).

    Looks wrong: it picks the price by what is left.  Sound: the price is fixed when the request
    is answered and never reconsidered, and basic composition holds for true statements that are
    chosen on the way.
    """

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Declared]:
        for asked in statements(step):
            spent = plus(state, asked)
            if self.fits(spent):
                return Decision.CONTINUE, spent
        return Decision.REFUSE, state


class RealisedRefund(Budgeted):
    """Reserves a pure ε_i and then books the largest |log-ratio| of the output that came.

    Looks wrong: the difference is refunded.  Sound, and even (ε, 0)-DP: every pair's realised
    loss is at most what was booked, and booked plus reserved never exceeds ε.
    """

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> tuple[Decision, Fraction]:
        odds, delta = step.mechanism.declared
        refused = delta or self.above(state * odds)
        return (Decision.REFUSE if refused else Decision.CONTINUE), state

    def observe(self, state: Fraction, step: Step, output: Output) -> Fraction:
        row = step.mechanism.law[output]
        ratios = (row[x] / row[x_] for x, x_ in step.game.pairs if row[x] and row[x_])
        return state * max([ONE, *ratios])


class DirectionalAdditive(Budgeted):
    """Basic composition per ordered pair, each with its own one-sided (ε_i, δ_i).

    Looks wrong: it tests the largest sum, not the sum of the largest.  Sound: one-sided
    statements compose within one direction, and all ordered pairs are tested.
    """

    def start(self) -> tuple[Declared, ...]:
        return ()

    def decide(
        self, state: tuple[Declared, ...], step: Step
    ) -> tuple[Decision, tuple[Declared, ...]]:
        before = state or (NOTHING,) * len(step.game.pairs)
        after = list(before)
        for i, pair in enumerate(step.game.pairs):
            if not self.exempt(step, pair):
                after[i] = plus(before[i], tightest(step.mechanism.law, [pair]))
        fits = all(self.fits(spent) for spent in after)
        return (Decision.CONTINUE, tuple(after)) if fits else (Decision.HALT, before)

    def exempt(self, step: Step, pair: Pair) -> bool:
        return False


class RuledOutExempt(DirectionalAdditive):
    """Does not charge a pair whose x or x′ the history has ruled out.

    Looks wrong: the pair is dropped.  Sound: the δ_i of the round that ruled x′ out paid for
    all that can be lost from there on; where x is impossible there is nothing to lose.
    """

    def exempt(self, step: Step, pair: Pair) -> bool:
        return not (step.mass[pair[0]] and step.mass[pair[1]])


class TightenedLive(Basic):
    """Basic composition of the declared ε_i with the law's true δ at ε_i over the live pairs.

    Looks wrong: it tightens δ_i and forgets pairs.  Sound: that statement is true of every live
    pair, a pair that is live at the end was live all along, and the others cannot gain.
    """

    def price(self, step: Step) -> Declared:
        law, odds = step.mechanism.law, step.mechanism.declared.odds
        return Declared(odds, max((profile(law, p, odds) for p in step.pairs), default=ZERO))


class RecyclingNoZero(Compensator):
    """Divides what is left by P_x(x′ stays possible) and gives that to every output.

    Looks wrong: the mean of the budget grows.  Sound: where x′ is ruled out every later charge
    is 0, so the budget there is never used, and on the other outputs the mean is the rest.
    """

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        kept = sum((row[x] for row in step.mechanism.law.values() if row[x_]), ZERO)
        return rest / kept if kept and step.mass[x_] else rest


class OneLedgerRefuses(Budgeted):
    """Books the largest exact charge in one ledger and refuses what does not fit, for ever.

    Looks wrong: one number for all pairs, and refusals are free.  Sound: the number is at least
    each pair's own sum of charges, and a refusal says nothing about the data.
    """

    def start(self) -> ExpLinear:
        return self.number()

    def decide(self, state: ExpLinear, step: Step) -> tuple[Decision, ExpLinear]:
        spent = state + self.dearest(step)
        return (Decision.CONTINUE, spent) if spent <= self.delta else (Decision.REFUSE, state)


Epoch = tuple[int, Declared]


class HalvingEpochs(Budgeted):
    """Epoch k has an account of ε/2^k and δ/2^k; a refusal opens the next one.

    Looks wrong: a refusal starts with nothing booked.  Sound: the accounts add up to less than ε
    and δ, however the requests are split among them.
    """

    def start(self) -> Epoch:
        return 1, NOTHING

    def decide(self, state: Epoch, step: Step) -> tuple[Decision, Epoch]:
        epoch, booked = state
        if epoch > EPOCHS:
            return Decision.HALT, state
        spent, parts = plus(booked, step.mechanism.declared), 2**epoch
        if exceeds(spent.odds**parts, ONE, self.epsilon) or spent.delta * parts > self.delta:
            return Decision.REFUSE, (epoch + 1, NOTHING)
        return Decision.CONTINUE, (epoch, spent)


def _sound(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


SPECIMENS: tuple[Specimen, ...] = (
    _sound("rare-output-bonus", RareOutputBonus, "rare outputs get more, in the mean no more"),
    _sound("lazy-geometric", LazyGeometric, "delta/2^j for the j-th round with any risk"),
    _sound("cheaper-of-two", CheaperOfTwo, "picks a price, but never reconsiders it"),
    _sound("realised-refund", RealisedRefund, "refunds eps_i that was reserved, not delta"),
    _sound("directional-additive", DirectionalAdditive, "one-sided statements, both directions"),
    _sound("ruled-out-exempt", RuledOutExempt, "drops pairs that are ruled out, and paid for"),
    _sound("tightened-live", TightenedLive, "the true delta at the declared eps_i, live pairs"),
    _sound("recycling-no-zero", RecyclingNoZero, "budget where it cannot be used"),
    _sound("one-ledger-refuses", OneLedgerRefuses, "one ledger for all pairs, refusals are free"),
    _sound("halving-epochs", HalvingEpochs, "fresh accounts that add up to less than the budget"),
)
