"""Filters that look wrong and are private: what they add up, forget, give back or hand on."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Sound, answer, covers, plus, within
from corpus.blind.sixth.base import Book, F, Meter, none
from corpus.blind.sixth.theorems import moment
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output
from filterproof.privacy import charge


class Level(Book):
    """Forgets the epsilons wherever all likelihoods are equal."""

    def decide(self, state: Any, step: Step) -> Answer:
        even = len(set(step.mass.values())) == 1
        return super().decide(Declared(F(1), state.delta) if even else state, step)


class Survival(Rule):
    """Multiplies 1 - delta in place of adding deltas up."""

    def start(self) -> Any:
        return F(1), F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        after = state[0] * odds, state[1] * (1 - delta)
        return answer(within(after[0], self.epsilon) and after[1] >= 1 - self.delta, after, state)


class Refunds(Rule):
    """Books what an output told in place of the epsilon that was asked; deltas stay."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        fits = covers(total, self.epsilon, self.delta)
        return answer(fits, Declared(state.odds, total.delta), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row, told = step.mechanism.law[output], F(1)
        for x, x_ in step.game.pairs:
            if row[x]:
                told = max(told, row[x] / row[x_] if row[x_] else F(10**9))
        return Declared(state.odds * told, state.delta)


class Distance(Book):
    """Takes a request whose epsilon does not fit as a distance of laws: odds 1, more delta."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        if decision is Decision.CONTINUE:
            return decision, after
        rows = step.mechanism.law.values()
        apart = max(sum(abs(r[x] - r[x_]) for r in rows) for x, x_ in step.game.pairs) / 2
        total = plus(state, Declared(F(1), F(apart)))
        return answer(self.fits(total), total, state)


class Halves(Book):
    """Round i may spend at most delta / 2^i, and what it leaves is lost; deltas are not added."""

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        fits = delta * 2**step.index <= self.delta and within(state.odds * odds, self.epsilon)
        return answer(fits, Declared(state.odds * odds, F(0)), state)


class Shown(Book):
    """Runs anything for nothing once every x′ that is left has been ruled out."""

    def decide(self, state: Any, step: Step) -> Answer:
        if not any(step.mass[x_] for _, x_ in step.pairs):
            return Decision.CONTINUE, state
        return super().decide(state, step)


class Shared(Book):
    """Runs what either the ledger or the second moment allows, each with half of delta."""

    def start(self) -> Any:
        return NOTHING, F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        total, here = plus(state[0], step.mechanism.declared), moment(step, 2)
        product = None if here is None or state[1] is None else state[1] * here
        fits = covers(total, self.epsilon, self.delta / 2) or (
            product is not None
            and self.delta > 0
            and within(product / (2 * self.delta), self.epsilon)
        )
        return answer(fits, (total, product), state)


class Orders(Rule):
    """Accepts if one of the orders 2, 4 and 8 fits, each with all of delta (Mironov)."""

    orders = (2, 4, 8)

    def start(self) -> Any:
        return (F(1),) * 3

    def decide(self, state: Any, step: Step) -> Answer:
        found = [moment(step, order) for order in self.orders]
        if any(one is None for one in found) or not self.delta:
            return Decision.HALT, state
        total = tuple(a * b for a, b in zip(state, found, strict=True) if b is not None)
        fits = any(
            within(one / self.delta, self.epsilon, F(order - 1))
            for one, order in zip(total, self.orders, strict=True)
        )
        return answer(fits, total, state)


class Seasons(Book):
    """Odd rounds may have no delta, even ones no epsilon; the rest is refused."""

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        if delta if step.index % 2 else odds > 1:
            return Decision.REFUSE, state
        return super().decide(state, step)


class Exhausted(Book):
    """Answers "last" where the budget is used up to the last bit, and refuses what is above."""

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if not self.fits(total):
            return Decision.REFUSE, state
        full = total.delta == self.delta and step.index > 0
        return Decision.LAST if full else Decision.CONTINUE, total


class Floor(Rule):
    """A ledger with half of delta for two rounds, then charges with the other half."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        if step.index > 2:
            decision, charged = Meter(self.epsilon, self.delta / 2).decide(state[1], step)
            return decision, (NOTHING, charged)
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta / 2), (total, ()), state)


class Gains(Rule):
    """Pure: a loss that would be negative is taken for none, and nothing else is remembered."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        odds = state or (F(1),) * len(pairs)
        fits = not any(
            exceeds(one * row[x], row[x_], self.epsilon)
            for one, (x, x_) in zip(odds, pairs, strict=True)
            for row in step.mechanism.law.values()
        )
        return answer(fits, odds, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row, new = step.mechanism.law[output], []
        for one, (x, x_) in zip(state, step.game.pairs, strict=True):
            new.append(max(F(1), one * row[x] / row[x_]) if row[x_] else one)
        return tuple(new)


class Purse(Rule):
    """Pays charges per pair; what is left is handed to the outputs in unequal parts."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        left = list(state or [ExpLinear(self.delta, 0, self.epsilon)] * len(pairs))
        for i, pair in enumerate(pairs):
            if step.mass[pair[0]]:
                left[i] = left[i] - charge(step.mechanism.law, pair, step.mass, self.epsilon)
        return answer(all(one.sign() >= 0 for one in left), tuple(left), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        new = []
        for left, (x, x_) in zip(state, step.game.pairs, strict=True):
            here = step.mechanism.law[output][x]
            new.append(left * self.weight(step, output, x, x_) / here if here else none(self))
        return tuple(new)

    def weight(self, step: Step, output: Output, x: str, x_: str) -> Fraction:
        """Return the output's part; under x the parts sum to 1 at most."""
        return step.mechanism.law[output][x_]


class Winner(Purse):
    """Hands all that is left to the likeliest output under x, divided by its chance."""

    def weight(self, step: Step, output: Output, x: str, x_: str) -> Fraction:
        rows = step.mechanism.law
        return F(output == max(sorted(rows), key=lambda y: rows[y][x]))


class LastTakes(Purse):
    """Hands three quarters to the output that sorts last, a quarter to the first."""

    def weight(self, step: Step, output: Output, x: str, x_: str) -> Fraction:
        names = sorted(step.mechanism.law)
        return F(3 * (output == names[-1]) + (output == names[0]), 4)


class Even(Purse):
    """Divides by the number of outputs and multiplies by the inverse of the chance."""

    def weight(self, step: Step, output: Output, x: str, x_: str) -> Fraction:
        return F(1, len(step.mechanism.law))


class WorstOnly(Rule):
    """Keeps one number: the sum over rounds of the largest charge of any pair."""

    def start(self) -> Any:
        return none(self)

    def decide(self, state: Any, step: Step) -> Answer:
        rows = step.mechanism.law
        costs = [charge(rows, pair, step.mass, self.epsilon) for pair in step.pairs]
        total = state + max([*costs, none(self)])
        return answer(total <= self.delta, total, state)


class Fines(Book):
    """Refuses, and charges what it refuses until the ledger says no for good."""

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return (Decision.CONTINUE if self.fits(total) else Decision.REFUSE), total


class Latecomer(Meter):
    """Runs a request twice too dear if it is the second of its round: at double the charge."""

    def decide(self, state: Any, step: Step) -> Answer:
        refused, spent = state or (False, ())
        decision, after = super().decide(spent, step)
        if decision is Decision.HALT:
            return (Decision.HALT if refused else Decision.REFUSE), (True, spent)
        if refused:
            decision, after = super().decide(after, step)
        return decision, (False, after if decision is Decision.CONTINUE else spent)


class Cheaper(Book):
    """Charges epsilon twice, with the delta that the law has there, where that is less."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        square, rows = odds**2, step.mechanism.law.values()
        here = max(
            sum((max(F(0), r[x] - square * r[x_]) for r in rows), F(0)) for x, x_ in step.game.pairs
        )
        return Declared(square, min(delta, here)) if here < delta else Declared(odds, delta)


class Rebate(Rule):
    """Naive: multiplies the chances of no overshoot; a round that cannot overshoot is free."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs, rows = step.game.pairs, step.mechanism.law.values()
        kept = list(state or [F(1)] * len(pairs))
        for i, (x, x_) in enumerate(pairs):
            w, w_ = step.mass[x], step.mass[x_]
            if w:
                over = [r[x] for r in rows if exceeds(w * r[x], w_ * r[x_], self.epsilon)]
                kept[i] *= 1 - sum(over, F(0))
        return answer(all(one >= 1 - self.delta for one in kept), tuple(kept), state)


SOUND: dict[str, Sound] = {
    "epsilon-forgotten-at-par": Sound(
        Level, "at equal likelihoods what follows loses at most the delta that is left"
    ),
    "deltas-multiply": Sound(
        Survival, "each round is a randomised response behind an erasure, and erasures multiply"
    ),
    "epsilon-refunded": Sound(
        Refunds, "what was told bounds the loss, so a round is charged at most its delta"
    ),
    "epsilon-taken-for-distance": Sound(Distance, "both statements about the round are true"),
    "half-of-what-is-left": Sound(Halves, "the deltas sum to less than delta"),
    "all-is-known": Sound(Shown, "where x′ is ruled out, no more can be lost"),
    "either-with-half": Sound(
        Shared, "both sums only grow, so a play ends within one of two filters at delta/2"
    ),
    "orders-two-four-eight": Sound(
        Orders, "the supermartingales of the orders need 1/4 + 27/256 + 0.05 < 1 of delta"
    ),
    "seasons": Sound(Seasons, "it runs less than the ledger"),
    "last-at-the-brim": Sound(Exhausted, "it runs no more than the ledger"),
    "ledger-then-charges": Sound(
        Floor, "the charges of the two phases have the means delta/2 and delta/2"
    ),
    "no-negative-losses": Sound(Gains, "the kept loss is never below the real one"),
    "weighed-by-the-other": Sound(Purse, "under x the mean of P_x′/P_x is at most 1"),
    "winner-takes-all": Sound(Winner, "the mean of what is handed on is what is left"),
    "last-takes-most": Sound(LastTakes, "the weights sum to 1, so the mean is at most the rest"),
    "even-parts-over-chances": Sound(Even, "the weights sum to 1, so the mean is at most the rest"),
    "worst-pair-each-round": Sound(WorstOnly, "it charges every pair at least its own"),
    "fined-for-asking": Sound(Fines, "what is refused is charged, too, so it runs less"),
    "double-for-the-second": Sound(Latecomer, "a round is charged once or twice"),
    "odds-squared": Sound(Cheaper, "the delta is that of the law at the odds that are charged"),
    "chances-multiply": Sound(
        Rebate, "without an overshoot so far, 1 over the product is a martingale under x"
    ),
}
