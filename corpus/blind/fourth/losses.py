"""Filters that follow realised losses and risks, and lose a sign, a sum, a round or a person."""

from collections.abc import Mapping
from fractions import Fraction

from corpus.blind.base import ONE, Answer, Rule, Wrong, answer
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.third.base import CENT, HALF, TENTH, ZERO, nothing
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import possible_pairs, same_for_each_pair
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.game import Step
from filterproof.game.law import Database, Output, Pair
from filterproof.palette import erasure, one_sided, table
from filterproof.privacy import charge, risk

Charges = tuple[ExpLinear, ...]


class SignOfTheLoss(Compensator):
    """Adds the realised loss to epsilon, where it has to be taken off."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        if not step.mass[x_]:
            return nothing(self.epsilon)
        swapped = {x: step.mass[x_], x_: step.mass[x]}
        return charge(step.mechanism.law, pair, swapped, self.epsilon)


class LargestAnswer(Rule):
    """Keeps the largest loss of a single answer; the next one must fit into what it leaves."""

    def start(self) -> Fraction:
        return ONE

    def decide(self, state: Fraction, step: Step) -> Answer:
        ratios = [self.ratio(row, pair) for row in self.rows(step) for pair in step.game.pairs]
        if None in ratios:
            return Decision.HALT, state
        most = max(one for one in ratios if one is not None)
        return answer(not exceeds(state * most, ONE, self.epsilon), state, state)

    def rows(self, step: Step) -> list[Mapping[Database, Fraction]]:
        return list(step.mechanism.law.values())

    def ratio(self, row: Mapping[Database, Fraction], pair: Pair) -> Fraction | None:
        """Return P_x(y)/P_x'(y), and 1 if y is impossible anyway; None if it is infinite."""
        p, q = row[pair[0]], row[pair[1]]
        return ONE if not p else p / q if q else None

    def observe(self, state: Fraction, step: Step, output: Output) -> Fraction:
        found = (self.ratio(step.mechanism.law[output], pair) for pair in step.game.pairs)
        return max([state, *(one for one in found if one is not None)])


class LikelihoodsAdded(Rule):
    """Adds up the probabilities of the answers per database, and compares the sums."""

    def start(self) -> tuple[Fraction, ...]:
        return ()

    def decide(self, state: tuple[Fraction, ...], step: Step) -> Answer:
        sums = dict(zip(step.mass, state, strict=True)) if state else dict.fromkeys(step.mass, ZERO)
        safe = not any(
            exceeds(sums[x] + row[x], sums[x_] + row[x_], self.epsilon)
            for row in step.mechanism.law.values()
            for x, x_ in step.game.pairs
        )
        return answer(safe, tuple(sums.values()), state)

    def observe(
        self, state: tuple[Fraction, ...], step: Step, output: Output
    ) -> tuple[Fraction, ...]:
        if step.index == 0:
            return state
        row = step.mechanism.law[output]
        return tuple(one + row[x] for one, x in zip(state, step.mass, strict=True))


class ChargesRemembered(Rule):
    """Works out the charges of a law once, and takes them from the cache when it comes again."""

    def start(self) -> tuple[Charges, tuple[tuple[object, Charges], ...]]:
        return (), ()

    def decide(
        self, state: tuple[Charges, tuple[tuple[object, Charges], ...]], step: Step
    ) -> Answer:
        spent, cache = state
        pairs, law = step.game.pairs, step.mechanism.law
        before = spent or (nothing(self.epsilon),) * len(pairs)
        key = tuple((y, tuple(law[y].values())) for y in sorted(law))
        known = dict(cache)
        if key not in known:
            known[key] = tuple(self.cost(step, pair) for pair in pairs)
        after = tuple(a + b for a, b in zip(before, known[key], strict=True))
        return answer(all(one <= self.delta for one in after), (after, tuple(known.items())), state)

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        if not step.mass[pair[0]]:
            return nothing(self.epsilon)
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


def risk_of(step: Step, rule: Rule) -> Fraction:
    """Return how likely the next output takes a loss above ε, for the worst pair."""
    law, mass = step.mechanism.law, step.mass
    return max((risk(law, pair, mass, rule.epsilon) for pair in step.pairs), default=ZERO)


class UnusedStep(Rule):
    """Lets rounds risk delta/2, delta/4, ...; a step that is not half used is kept for the next."""

    def start(self) -> Fraction:
        return self.delta / 2

    def decide(self, state: Fraction, step: Step) -> Answer:
        here = risk_of(step, self)
        return answer(here <= state, state / 2 if 2 * here > state else state, state)


class OverThePairs(Rule):
    """Lets each round risk delta over the number of pairs, as Bonferroni did."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        return answer(len(step.game.pairs) * risk_of(step, self) <= self.delta, None, None)


class TakenOut(Compensator):
    """Strikes a pair off when its budget is used up, and runs what the others can still bear."""

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            rest = budget - self.charge(step, pair)
            left[i] = None if rest.sign() < 0 else rest
        kept = any(one is not None for one in left)
        return (Decision.CONTINUE, tuple(left)) if kept else (Decision.HALT, before)


class PairsInTurn(Compensator):
    """Charges every pair in every round, and looks at one of the accounts a round, in turn."""

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            left[i] = budget - self.charge(step, pair)
        seen = left[step.index % len(left)]
        overdrawn = seen is not None and seen.sign() < 0
        return (Decision.HALT, before) if overdrawn else (Decision.CONTINUE, tuple(left))


LEANING = {"!": (3 * TENTH, 6 * CENT), "-": (7 * TENTH, 94 * CENT)}

WRONG = {
    "sign-of-the-loss": Wrong(
        SignOfTheLoss,
        "what was lost is counted as gained",
        "medium",
        at(1, TENTH, lambda: branch(coin(2), **{"0": chain(table(LEANING))})),
    ),
    "largest-answer": Wrong(
        LargestAnswer,
        "the losses of the answers add up",
        "hard",
        at(1, CENT, lambda: chain(*[coin(Fraction(3, 2))] * 4)),
    ),
    "likelihoods-added": Wrong(
        LikelihoodsAdded,
        "the probabilities of independent answers multiply",
        "easy",
        at(1, TENTH, lambda: chain(coin(Fraction(5, 2)), coin(Fraction(5, 2)))),
    ),
    "charges-remembered": Wrong(
        ChargesRemembered,
        "a charge depends on what was lost before, not on the law alone",
        "hard",
        at(1, TENTH, lambda: chain(coin(2), coin(2))),
    ),
    "unused-step": Wrong(
        UnusedStep,
        "what a round risked without using its step is never taken off",
        "hard",
        at(1, TENTH, lambda: chain(*[erasure(Fraction(1, 40))] * 5)),
    ),
    "over-the-pairs": Wrong(
        OverThePairs,
        "the risks of the rounds add up, those of the pairs do not",
        "hard",
        at(1, TENTH, lambda: chain(*[erasure(Fraction(1, 20))] * 3)),
    ),
    "taken-out": Wrong(
        TakenOut,
        "the request runs on all the data, also on those that are struck off",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(HALF))),
    ),
    "pairs-in-turn": Wrong(
        PairsInTurn,
        "an account that is not looked at may be overdrawn",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(HALF))),
    ),
}
