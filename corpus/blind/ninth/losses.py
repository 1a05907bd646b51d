"""Filters that look at what was released or at laws, and draw the wrong conclusions."""

from dataclasses import dataclass
from math import isfinite, log, log10, sqrt
from operator import add
from typing import Any, ClassVar

from corpus.blind.base import NOTHING, Answer, answer, covers, nats, plus, size
from corpus.blind.ninth.base import Budget, Charges, Sums
from corpus.blind.sixth.base import (
    ZERO,
    F,
    is_quiet,
    ratio,
)
from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import charge, risk


@dataclass(frozen=True)
class ChargedWhenAhead(Charges):
    """Charges a pair (x, x') only where the history speaks for x."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        ahead = step.mass[pair[0]] >= step.mass[pair[1]]
        return super().cost(step, pair) if ahead else ExpLinear(0, 0, self.epsilon)


@dataclass(frozen=True)
class OwnBooks(Budget):
    """Runs what fits by basic composition or by charges; each counts what it let through."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        sums, charges = state
        first = Sums(self.epsilon, self.delta).decide(sums, step)
        if first[0] is Decision.CONTINUE:
            return first[0], (first[1], charges)
        second, after = Charges(self.epsilon, self.delta).decide(charges, step)
        return second, (sums, after)


@dataclass(frozen=True)
class HalfBack(Budget):
    """Gives back half of delta where an output is as likely under all databases."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        if not is_quiet(step, output):
            return state
        return Declared(state.odds, state.delta - step.mechanism.declared.delta / 2)


@dataclass(frozen=True)
class ErrorsAreFree(HalfBack):
    """Gives back what a request cost that ended with an error."""

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        odds, delta = step.mechanism.declared
        failed = output == "error"
        return Declared(state.odds / odds, state.delta - delta) if failed else state


@dataclass(frozen=True)
class FirstOutput(Charges):
    """Skips a pair if the first output is as likely under both of its databases."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        row = next(iter(step.mechanism.law.values()))
        same = row[pair[0]] == row[pair[1]]
        return ExpLinear(0, 0, self.epsilon) if same else super().cost(step, pair)


@dataclass(frozen=True)
class OneDirection(Charges):
    """Takes one of the two directions of a pair: the relation is symmetric."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        return super().cost(step, pair) if pair[0] < pair[1] else ExpLinear(0, 0, self.epsilon)


@dataclass(frozen=True)
class LikeliestOnly(Charges):
    """Charges the pairs of the databases that are likeliest after what was released."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        likeliest = step.mass[pair[0]] == max(step.mass.values())
        return super().cost(step, pair) if likeliest else ExpLinear(0, 0, self.epsilon)


@dataclass(frozen=True)
class FivePercent(Charges):
    """Leaves out databases that have become improbable, below a twentieth of all."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        improbable = step.mass[pair[0]] < sum(step.mass.values()) / 20
        return ExpLinear(0, 0, self.epsilon) if improbable else super().cost(step, pair)


@dataclass(frozen=True)
class LossesSince(Charges):
    """Half of delta is for basic composition; charges come after it, with losses from there."""

    def start(self) -> Any:
        return NOTHING, (), ()

    def decide(self, state: Any, step: Step) -> Answer:
        total, base, spent = state
        if not base:
            total = plus(total, step.mechanism.declared)
            if covers(total, self.epsilon, self.delta / 2):
                return Decision.CONTINUE, (total, (), ())
            base = tuple(step.mass.items())
        since = {x: step.mass[x] / before if before else ZERO for x, before in base}
        pairs, nothing = step.game.pairs, ExpLinear(0, 0, self.epsilon)
        costs = [
            charge(step.mechanism.law, pair, since, self.epsilon) if since[pair[0]] else nothing
            for pair in pairs
        ]
        spent = tuple(map(add, spent or (nothing,) * len(pairs), costs))
        return answer(all(one <= self.delta / 2 for one in spent), (total, base, spent), state)


@dataclass(frozen=True)
class ChargesThenSums(Budget):
    """What the charges do not cover may still fit by basic composition, which begins then."""

    def start(self) -> Any:
        return (), NOTHING, True

    def decide(self, state: Any, step: Step) -> Answer:
        charges, sums, first = state
        if first:
            decision, after = Charges(self.epsilon, self.delta).decide(charges, step)
            if decision is Decision.CONTINUE:
                return decision, (after, sums, True)
        total = plus(sums, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (charges, total, False), state)


@dataclass(frozen=True)
class NothingToLose(Budget):
    """Spends realised risk; once a pair's odds are beyond a hundred there is nothing to lose."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        beyond = any(step.mass[x] > 100 * step.mass[x_] > 0 for x, x_ in step.game.pairs)
        if beyond:
            return Decision.CONTINUE, state
        before = state or (F(1),) * len(step.game.pairs)
        after = tuple(
            one * (1 - risk(step.mechanism.law, pair, step.mass, self.epsilon))
            if step.mass[pair[0]]
            else one
            for one, pair in zip(before, step.game.pairs, strict=True)
        )
        return answer(min(after) >= 1 - self.delta, after, state)


@dataclass(frozen=True)
class RareDoubles(Charges):
    """What is left doubles after an output that was rare: it will not happen again."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        factor, spent = state
        after = self.after(spent, step)
        return answer(all(one <= factor * self.delta for one in after), (factor, after), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        factor, spent = state
        rare = max(step.mechanism.law[output].values()) <= F(1, 8)
        return (2 * factor, spent) if rare else state


@dataclass(frozen=True)
class Signed(Budget):
    """Replaces the odds of a round by what its output says for x against x'."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        said = ratio(step.mechanism.law, output, step.game.pairs[0])
        if not said:
            return state
        return Declared(state.odds / step.mechanism.declared.odds * said, state.delta)


@dataclass(frozen=True)
class AveragePair(Budget):
    """Adds up the charges of all pairs, and compares their average."""

    def start(self) -> Any:
        return ExpLinear(0, 0, self.epsilon)

    def decide(self, state: Any, step: Step) -> Answer:
        after, pairs = state, [pair for pair in step.game.pairs if step.mass[pair[0]]]
        for pair in pairs:
            after = after + charge(step.mechanism.law, pair, step.mass, self.epsilon)
        return answer(after <= self.delta * len(pairs), after, state)


@dataclass(frozen=True)
class NoNews(Budget):
    """After the same output twice in a row the next round is free: nothing changes."""

    markov: ClassVar[bool] = False

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        outputs = [output for _, output in step.history[-2:]]
        if len(outputs) == 2 and len(set(outputs)) == 1:
            return Decision.CONTINUE, state
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


@dataclass(frozen=True)
class MeanForWorst(Budget):
    """Adds up expected losses for rho, and converts that to epsilon at delta."""

    def start(self) -> Any:
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        after = state + max(mean(step, pair) for pair in step.game.pairs)
        if not self.delta or not isfinite(after):
            return answer(after == 0, after, state)
        worth = after + 2 * sqrt(after * log(1 / self.delta))
        return answer(worth <= size(self.epsilon), after, state)


def mean(step: Step, pair: Pair) -> float:
    """Return the expected loss of a mechanism for a pair."""
    x, x_ = pair
    rows = [(row[x], row[x_]) for row in step.mechanism.law.values() if row[x]]
    if not all(q for _, q in rows):
        return float("inf")
    return max(0.0, sum(float(p) * nats(p / q) for p, q in rows))


@dataclass(frozen=True)
class Advanced(Budget):
    """Uses advanced composition of pure mechanisms, all as large as the largest."""

    def start(self) -> Any:
        return 0, F(1)

    def decide(self, state: Any, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        if delta or not self.delta:
            return Decision.HALT, state
        count, largest = self.counted(state, step), max(state[1], odds)
        each = nats(largest)
        worth = each * sqrt(2 * count * self.slack()) + count * each * float(largest - 1)
        return answer(worth <= size(self.epsilon), (count, largest), state)

    def counted(self, state: Any, step: Step) -> int:
        return int(state[0]) + (step.mechanism.declared.odds > 1)

    def slack(self) -> float:
        return log(1 / self.delta)


@dataclass(frozen=True)
class CommonLogarithm(Advanced):
    """Takes the logarithm to base ten."""

    def slack(self) -> float:
        return log10(1 / self.delta)


@dataclass(frozen=True)
class DifferentRequests(Advanced):
    """Counts the requests that differ from the one before."""

    markov: ClassVar[bool] = False

    def counted(self, state: Any, step: Step) -> int:
        again = step.history and step.history[-1][0] == step.request
        return int(state[0]) + (step.index > 0 and not again)
