"""Filters that charge each round what it adds to H, with a slip in whom or how much they charge."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

from corpus.blind.second.base import NONE, Answer, Rule, Witness, Wrong, chain, run_if
from filterproof import ExpLinear, Log, Step
from filterproof.exact import exceeds
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, one_sided, repeated, response, table
from filterproof.privacy import charge


class Charges(Rule):
    """One budget of delta per ordered pair, from which every round's charge is taken.

    Kept like this it is sound; each class below changes one of its clauses.
    """

    def start(self) -> Any:
        """Return nothing; the opening hands out the budgets."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if every pair that is still possible can pay."""
        before = state or (ExpLinear(self.delta, 0, self.epsilon),) * len(step.game.pairs)
        costs = self.charges(step)
        after = tuple(left - cost for left, cost in zip(before, costs, strict=True))
        return run_if(all(left >= 0 for left in after), after, before)

    def charges(self, step: Step) -> Sequence[ExpLinear]:
        """Return the charge of every ordered pair of the game."""
        return [self.charge(step, pair) for pair in step.game.pairs]

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return what the round adds to H for this pair; nothing where x is impossible."""
        if not step.mass[pair[0]]:
            return ExpLinear(0, 0, self.epsilon)
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class RefundsAfterwards(Charges):
    """Gives the charge back where the output turned out harmless: 'nothing was lost after all'."""

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Refund the pairs whose loss is still at most epsilon."""
        mass = step.released(output)
        return tuple(
            left if exceeds(mass[pair[0]], mass[pair[1]], self.epsilon) else left + cost
            for left, cost, pair in zip(state, self.charges(step), step.game.pairs, strict=True)
        )


class AveragesDirections(Charges):
    """Charges both directions of a pair their mean."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return half of what both directions cost together."""
        return (super().charge(step, pair) + super().charge(step, pair[::-1])) / 2


class ExpectationUnderMixture(Charges):
    """Averages the loss over outputs pooled from both databases instead of those of x."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the mean of h over the mixture, less h now, and at least nothing."""
        total = ExpLinear(0, 0, self.epsilon)
        (x, x_), mass = pair, step.mass
        for row in step.mechanism.law.values():
            p, q = mass[x] * row[x], mass[x_] * row[x_]
            if exceeds(p, q, self.epsilon):
                total += ExpLinear(1, -q / p, self.epsilon) * ((row[x] + row[x_]) / 2)
        if exceeds(mass[x], mass[x_], self.epsilon):
            total -= ExpLinear(1, -mass[x_] / mass[x], self.epsilon)
        return max(total, ExpLinear(0, 0, self.epsilon))


class WritesOffLostPairs(Charges):
    """Stops charging a pair whose loss exceeds epsilon: it is taken to be lost altogether."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return nothing above epsilon, although h is still below 1 there."""
        if exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon):
            return ExpLinear(0, 0, self.epsilon)
        return super().charge(step, pair)


class ChargesOnlyTheWorst(Charges):
    """Charges the pair that this round hurts most, and lets the others go free."""

    def charges(self, step: Step) -> Sequence[ExpLinear]:
        """Return all charges with every one but the largest set to nothing."""
        costs = super().charges(step)
        worst = max(range(len(costs)), key=costs.__getitem__)
        return [cost if i == worst else cost * 0 for i, cost in enumerate(costs)]


class TiltedTooMuch(Charges):
    """Raises the budget after outputs that speak for x', and never lowers it after the others.

    The factors max(1, p'/p) average to more than 1 under x.
    """

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Multiply what is left by max(1, p'(y)/p(y))."""
        row = step.mechanism.law[output]
        return tuple(
            left * max(Fraction(1), row[x_] / row[x]) if row[x] else left
            for left, (x, x_) in zip(state, step.game.pairs, strict=True)
        )


class RecyclesUnderTheOther(Charges):
    """Hands on what is stranded where x is found out, weighed by the probabilities of x'."""

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Divide what is left by P_x'(x is still possible)."""
        rows = step.mechanism.law.values()
        kept = {
            (x, x_): sum((row[x_] for row in rows if row[x]), NONE) for x, x_ in step.game.pairs
        }
        pairs = zip(state, step.game.pairs, strict=True)
        return tuple(left / kept[pair] if kept[pair] else left for left, pair in pairs)


class SharesByCount(Charges):
    """Hands on what is stranded in equal parts per output, whatever the outputs' probabilities."""

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Multiply what is left by (outputs x can give) / (those that x' can give too)."""
        rows = step.mechanism.law.values()
        after = []
        for left, (x, x_) in zip(state, step.game.pairs, strict=True):
            possible = sum(1 for row in rows if row[x])
            both = sum(1 for row in rows if row[x] and row[x_])
            after.append(left * Fraction(possible, both) if both else left)
        return tuple(after)


class RecyclesWithoutZeroing(Charges):
    """Shares out the budget of outputs above epsilon, but leaves it to them as well."""

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Divide what is left by P_x(loss stays at most epsilon), on every output."""
        after = []
        for left, (x, x_) in zip(state, step.game.pairs, strict=True):
            kept = NONE
            for y, row in step.mechanism.law.items():
                mass = step.released(y)
                kept += NONE if exceeds(mass[x], mass[x_], self.epsilon) else row[x]
            after.append(left / kept if kept else left)
        return tuple(after)


class BelowResolution(Charges):
    """Leaves out outputs of probability below delta/10 'for numerical stability'."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge over the outputs that are likely enough, and at least nothing."""
        total, (x, x_), mass = ExpLinear(0, 0, self.epsilon), pair, step.mass
        for row in step.mechanism.law.values():
            p, q = mass[x] * row[x], mass[x_] * row[x_]
            if row[x] >= self.delta / 10 and exceeds(p, q, self.epsilon):
                total += ExpLinear(p, -q, self.epsilon) / mass[x]
        if exceeds(mass[x], mass[x_], self.epsilon):
            total -= ExpLinear(1, -mass[x_] / mass[x], self.epsilon)
        return max(total, ExpLinear(0, 0, self.epsilon))


class NearestTenth(Charges):
    """Rounds charges to the nearest tenth of delta, so that errors 'cancel out'."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the nearest multiple of delta/10; at delta = 0 the charge itself."""
        cost = super().charge(step, pair)
        if not self.delta:
            return cost
        low, _ = (cost * (10 / self.delta) + Fraction(1, 2)).enclosure(200)
        return ExpLinear(floor(low) * self.delta / 10, 0, self.epsilon)


class ExtrapolatesAfterEight(Charges):
    """Measures eight rounds and then charges every further one the mean of those."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Charge the round itself up to round 8, an eighth of what was spent afterwards."""
        if step.index <= 8:
            return super().decide(state, step)
        left, measured = state if step.index > 9 else (state, state)
        after = tuple(
            now - (self.delta - then) / 8 for now, then in zip(left, measured, strict=True)
        )
        return run_if(all(one >= 0 for one in after), (after, measured), state)


F = Fraction
LOG2 = Log(F(2))


def _hurts_the_second() -> Any:
    """Round 1 costs (0, 1) more than (1, 0); round 2 costs (1, 0) only."""
    both = table({"0": (F(1, 100), 0), "1": (0, F(9, 1000)), "?": (F(99, 100), F(991, 1000))})
    return chain(both, table({"!": (0, F(9, 1000)), "?": (1, F(991, 1000))}))


def _tilt() -> Any:
    """Leak half as much where the first answer spoke for 0 as where it spoke for 1."""
    after = {"0": {"ask": one_sided(F(1, 100))}, "1": {"ask": one_sided(F(1, 50))}}
    return response(F(2, 3), after)


WRONG = {
    "refunds-afterwards": Wrong(
        RefundsAfterwards,
        "a risk that was taken is refunded if nothing came of it",
        Witness(game(repeated(erasure(F(1, 10**6)), 4)), F(1), F(1, 10**6)),
    ),
    "averages-directions": Wrong(
        AveragesDirections,
        "the two directions of a pair are averaged",
        Witness(game(one_sided(F(1, 50))), F(1), F(1, 100)),
    ),
    "expectation-under-mixture": Wrong(
        ExpectationUnderMixture,
        "the expectation is taken over outputs of both databases",
        Witness(game(erasure(F(1, 60))), F(1), F(1, 100)),
    ),
    "writes-off-lost-pairs": Wrong(
        WritesOffLostPairs,
        "a loss just above epsilon is taken for a total one",
        Witness(game(response(F(68, 100), {"0": {"ask": one_sided(F(1, 2))}})), LOG2, F(1, 10)),
    ),
    "charges-only-the-worst": Wrong(
        ChargesOnlyTheWorst,
        "in every round only the pair that is hurt most is charged",
        Witness(game(_hurts_the_second()), F(1), F(1, 100)),
    ),
    "tilted-too-much": Wrong(
        TiltedTooMuch,
        "budgets are raised by factors that average to more than 1",
        Witness(game(_tilt()), F(1), F(1, 100)),
    ),
    "recycles-under-the-other": Wrong(
        RecyclesUnderTheOther,
        "what is stranded is weighed by the wrong database",
        Witness(
            game(chain(table({"!": (0, F(1, 10)), "?": (1, F(9, 10))}), one_sided(F(1, 9)))),
            F(1),
            F(1, 10),
        ),
    ),
    "shares-by-count": Wrong(
        SharesByCount,
        "what is stranded is shared out per output, not per probability",
        Witness(game(chain(erasure(F(1, 200)), erasure(F(1, 100)))), F(1), F(1, 100)),
    ),
    "recycles-without-zeroing": Wrong(
        RecyclesWithoutZeroing,
        "the budget of outputs above epsilon is shared out and kept as well",
        Witness(game(chain(response(F(3, 4)), one_sided(F(1, 5)))), LOG2, F(3, 10)),
    ),
    "below-resolution": Wrong(
        BelowResolution,
        "rare outputs are left out of the charge, however many there are",
        Witness(
            game(
                table(
                    {
                        **{f"rare{i}": (F(1, 1100), 0) for i in range(12)},
                        "?": (F(1088, 1100), 1),
                    }
                )
            ),
            F(1),
            F(1, 100),
        ),
    ),
    "nearest-tenth": Wrong(
        NearestTenth,
        "charges are rounded to the nearest, not up",
        Witness(game(repeated(one_sided(F(49, 100000)), 22)), F(1), F(1, 100)),
    ),
    "extrapolates-after-eight": Wrong(
        ExtrapolatesAfterEight,
        "after eight rounds the others are taken to be like these",
        Witness(game(chain(*[response(F(1, 2))] * 8, erasure(F(1, 10)))), F(1), F(1, 100)),
    ),
}
