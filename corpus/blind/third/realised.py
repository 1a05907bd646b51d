"""Filters that follow realised losses and misjudge what is likely, what is lost or what is left."""

from collections.abc import Mapping
from fractions import Fraction

from corpus.blind.base import Answer, Rule, Wrong, answer
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.third.base import HALF, TENTH, ZERO, nothing
from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.additive import Additive
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.game import Step
from filterproof.game.law import Database, Declared, Output, Pair
from filterproof.palette import erasure, one_sided, table
from filterproof.privacy import charge, risk


class DiscountedUnlikely(Compensator):
    """Weighs a charge with the chance of x against x′ after what was released, at most once."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        w, w_ = (step.mass[x] for x in pair)
        return super().charge(step, pair) * min(Fraction(1), 2 * w / (w + w_))


class PosteriorInflation(Rule):
    """Runs what makes no database more than e^eps times as likely as at the start."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        found = [step.released(y) for y in step.mechanism.law]
        odds = (max(m.values()) * len(m) / sum(m.values()) for m in found if any(m.values()))
        return answer(not any(exceeds(o, Fraction(1), self.epsilon) for o in odds), None, None)


class RareOutputs(Rule):
    """Looks at the outputs whose probability is delta or more: rarer ones are what delta is for."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        return answer(not any(self.exceeded(step, pair) for pair in step.pairs), None, None)

    def exceeded(self, step: Step, pair: Pair) -> bool:
        x, x_ = pair
        rows = (row for row in step.mechanism.law.values() if row[x] >= self.delta)
        mass = step.mass
        return any(exceeds(mass[x] * row[x], mass[x_] * row[x_], self.epsilon) for row in rows)


class PaysWhatWasLost(Compensator):
    """Runs a round whose charge fits, and then pays what was really lost."""

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        decision, after = super().decide(state, step)
        return decision, state if state else after

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        kept = zip(super().observe(state, step, output), step.game.pairs, strict=True)
        return tuple(
            left if left is None else left - self.lost(step, pair, output) for left, pair in kept
        )

    def lost(self, step: Step, pair: Pair, output: Output) -> ExpLinear:
        """Return how much h(l) has grown, with h(l) = max(0, 1 - e^(ε-l))."""
        grown = self.h(step.released(output), pair) - self.h(step.mass, pair)
        return max(grown, nothing(self.epsilon))

    def h(self, mass: Mapping[Database, Fraction], pair: Pair) -> ExpLinear:
        w, w_ = (mass[x] for x in pair)
        lost = exceeds(w, w_, self.epsilon)
        return ExpLinear(1, -w_ / w, self.epsilon) if lost else nothing(self.epsilon)


class AlreadyLost(Compensator):
    """Charges nothing to a pair whose loss is above epsilon: its privacy is gone already."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        gone = exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon)
        return nothing(self.epsilon) if gone else super().charge(step, pair)


class TwoLedgers(Rule):
    """Books a round as declared if that fits into half of delta, else by its charges, with half."""

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        self.declared = Additive(epsilon, delta / 2)
        self.charged = Compensator(epsilon, delta / 2)

    def start(self) -> tuple[Declared, Budgets]:
        return self.declared.start(), self.charged.start()

    def decide(self, state: tuple[Declared, Budgets], step: Step) -> Answer:
        spent, left = state
        if step.index == 0:
            return Decision.CONTINUE, (spent, self.charged.decide(left, step)[1])
        decision, after = self.declared.decide(spent, step)
        if decision is Decision.CONTINUE:
            return decision, (after, left)
        decision, rest = self.charged.decide(left, step)
        return decision, (spent, rest)

    def observe(
        self, state: tuple[Declared, Budgets], step: Step, output: Output
    ) -> tuple[Declared, Budgets]:
        return state[0], self.charged.observe(state[1], step, output)


class TiltedTooFar(Compensator):
    """Gives outputs that x′ favours as much more as x′ favours them, and takes from none."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        row = step.mechanism.law[output]
        kept = zip(super().observe(state, step, output), step.game.pairs, strict=True)
        return tuple(
            left if left is None else left * max(Fraction(1), row[x_] / row[x])
            for left, (x, x_) in kept
        )


class LaggingLoss(Rule):
    """Checks each request against the losses that it noted when the one before was decided."""

    def start(self) -> tuple[Fraction, ...]:
        return ()

    def decide(self, state: tuple[Fraction, ...], step: Step) -> Answer:
        known = dict(zip(step.mass, state, strict=True)) if state else step.mass
        law, pairs = step.mechanism.law, (p for p in step.game.pairs if known[p[0]])
        safe = not any(risk(law, pair, known, self.epsilon) for pair in pairs)
        return answer(safe, tuple(step.mass.values()), state)


class KinderDirection(Compensator):
    """Charges a pair the smaller one of its two directions."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        here = super().charge(step, pair)
        back = pair[::-1]
        if not step.mass[pair[1]]:
            return here
        return min(here, charge(step.mechanism.law, back, step.mass, self.epsilon))


class RiskOfTheMixture(Rule):
    """Adds up how likely an output is that takes some loss above epsilon, whoever is in the data.

    That probability is taken over the databases, as likely as they are after what was released.
    """

    def start(self) -> Fraction:
        return ZERO

    def decide(self, state: Fraction, step: Step) -> Answer:
        total = state + sum((self.chance(step, y) for y in step.mechanism.law), ZERO)
        return answer(total <= self.delta, total, state)

    def chance(self, step: Step, y: Output) -> Fraction:
        after = step.released(y)
        bad = any(exceeds(after[x], after[x_], self.epsilon) for x, x_ in step.pairs)
        return sum(after.values(), ZERO) / sum(step.mass.values()) if bad else ZERO


class YesOrNo(Compensator):
    """Reads the probability of the likeliest output, and takes the rest for the other one."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        law = step.mechanism.law
        yes = law[max(sorted(law), key=lambda y: sum(law[y].values()))]
        no = {x: 1 - p for x, p in yes.items()}
        return charge({"yes": yes, "no": no}, pair, step.mass, self.epsilon)


class BackToEven(Compensator):
    """Starts anew when all databases are as likely as at first: nothing is known any more."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        even = len(set(step.released(output).values())) == 1
        return () if even else super().observe(state, step, output)


UP, DOWN = Fraction(7, 60), Fraction(53, 420)
SKEWED = {"y": (1 - UP, DOWN), "n": (UP, 1 - DOWN)}
RARE = {str(i): (Fraction(9, 100), 0) for i in range(3)} | {"-": (Fraction(73, 100), 1)}

WRONG = {
    "discounted-unlikely": Wrong(
        DiscountedUnlikely,
        "under x the release had probability 1 of what it was, however unlikely x looks now",
        "hard",
        at(
            2,
            TENTH,
            lambda: branch(
                coin(3),
                **{"0": chain(one_sided(TENTH)), "1": chain(one_sided(2 * TENTH))},
            ),
        ),
    ),
    "posterior-inflation": Wrong(
        PosteriorInflation,
        "privacy compares two databases, not one with the prior",
        "easy",
        at(HALF, TENTH, lambda: chain(coin(4))),
    ),
    "rare-outputs": Wrong(
        RareOutputs,
        "there may be many rare outputs",
        "medium",
        at(1, TENTH, lambda: chain(table(RARE))),
    ),
    "pays-what-was-lost": Wrong(
        PaysWhatWasLost,
        "a risk that was taken and went well was taken all the same",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH))),
    ),
    "already-lost": Wrong(
        AlreadyLost,
        "just above epsilon nearly nothing is lost yet",
        "easy",
        at(1, TENTH, lambda: branch(coin(3), **{"0": chain(one_sided(HALF))})),
    ),
    "two-ledgers": Wrong(
        TwoLedgers,
        "the rounds of one ledger move the losses on which the other relies",
        "medium",
        at(2, TENTH, lambda: chain(table(SKEWED), coin(7))),
    ),
    "tilted-too-far": Wrong(
        TiltedTooFar,
        "what some outputs get more, others have to get less",
        "hard",
        at(
            2,
            TENTH,
            lambda: branch(
                coin(3),
                **{"0": chain(one_sided(TENTH)), "1": chain(one_sided(3 * TENTH))},
            ),
        ),
    ),
    "lagging-loss": Wrong(
        LaggingLoss,
        "the losses are one answer old",
        "medium",
        at(1, TENTH, lambda: chain(coin(Fraction(5, 2)), coin(Fraction(5, 2)))),
    ),
    "kinder-direction": Wrong(
        KinderDirection,
        "each direction has to be private",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(HALF))),
    ),
    "risk-of-the-mixture": Wrong(
        RiskOfTheMixture,
        "delta bounds the risk under each database, not on average",
        "medium",
        at(1, TENTH, lambda: chain(one_sided(2 * TENTH))),
    ),
    "yes-or-no": Wrong(
        YesOrNo,
        "a request may have more than two outputs",
        "easy",
        at(1, TENTH, lambda: chain(erasure(Fraction(1, 3)))),
    ),
    "back-to-even": Wrong(
        BackToEven,
        "what was risked on the way is spent",
        "medium",
        at(1, TENTH, lambda: chain(erasure(TENTH), erasure(TENTH))),
    ),
}
