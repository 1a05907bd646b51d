"""Pairs that are not looked at: neighbours mistaken, ledgers misaligned, databases left out."""

from fractions import Fraction

from corpus.blind.base import Answer, Rule, Wrong, answer
from corpus.blind.first.games import at, chain
from corpus.blind.third.base import HALF, TENTH, nothing, played
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.compensator import Compensator
from filterproof.game import Step
from filterproof.game.law import Pair
from filterproof.palette import one_sided, table
from filterproof.privacy import charge, risk

Watched = tuple[frozenset[str] | None, ExpLinear]


class FirstPairOnly(Compensator):
    """Keeps the ledger of the first two neighbours, in both directions."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        first = set(pair) == set(step.game.pairs[0])
        return super().charge(step, pair) if first else nothing(self.epsilon)


class InOrderOnly(Compensator):
    """Keeps a ledger for each pair of neighbours in the order of their names."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        return super().charge(step, pair) if pair[0] < pair[1] else nothing(self.epsilon)


class MostLikelyOnly(Rule):
    """Keeps the losses between the database that is most likely by now and its neighbours."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        likely = max(sorted(step.mass), key=lambda x: step.mass[x])
        pairs = (pair for pair in step.pairs if likely in pair)
        safe = not any(risk(step.mechanism.law, p, step.mass, self.epsilon) for p in pairs)
        return answer(safe, None, None)


class Anchored(Rule):
    """Keeps every database within epsilon of the first one, up and down."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        first, *others = step.game.databases
        found = [step.released(y) for y in step.mechanism.law]
        near = all(
            not exceeds(after[first], after[x], self.epsilon)
            and not exceeds(after[x], after[first], self.epsilon)
            for after in found
            for x in others
        )
        return answer(near, None, None)


class KeyedByDatabase(Compensator):
    """Looks the charge up by x, where a later neighbour of x has overwritten an earlier one."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        last = {x: (x, x_) for x, x_ in step.game.pairs}
        return super().charge(step, last[pair[0]])


class ShiftedLedger(Rule):
    """Pairs the ledger's entries with the pairs that are possible now, one after the other."""

    def start(self) -> tuple[ExpLinear, ...]:
        return ()

    def decide(self, state: tuple[ExpLinear, ...], step: Step) -> Answer:
        before = state or (ExpLinear(self.delta, 0, self.epsilon),) * len(step.pairs)
        law, mass = step.mechanism.law, step.mass
        entries = zip(before, step.pairs, strict=False)
        left = tuple(b - charge(law, pair, mass, self.epsilon) for b, pair in entries)
        return answer(all(one.sign() >= 0 for one in left), left, before)


class WorstPairStays(Rule):
    """Watches the pair that was charged most in the first round that charged any."""

    def start(self) -> Watched:
        return None, nothing(self.epsilon)

    def decide(self, state: Watched, step: Step) -> Answer:
        watched, spent = state
        law, mass = step.mechanism.law, step.mass
        charges = {pair: charge(law, pair, mass, self.epsilon) for pair in step.pairs}
        if watched is None and any(cost.sign() for cost in charges.values()):
            watched = frozenset(max(charges.items(), key=lambda one: one[1])[0])
        costs = [cost for pair, cost in charges.items() if frozenset(pair) == watched]
        spent = max(costs, default=nothing(self.epsilon)) + spent
        return answer(spent <= self.delta, (watched, spent), state)


class MeanOverPairs(Rule):
    """Adds up the mean of the charges of all pairs."""

    def start(self) -> ExpLinear:
        return nothing(self.epsilon)

    def decide(self, state: ExpLinear, step: Step) -> Answer:
        law, mass = step.mechanism.law, step.mass
        charges = [charge(law, pair, mass, self.epsilon) for pair in step.pairs]
        total = state + sum(charges, nothing(self.epsilon)) / len(step.game.pairs)
        return answer(total <= self.delta, total, state)


class NextInLine(Compensator):
    """Takes databases for neighbours if they stand side by side: counts that differ by one."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        here, there = (step.game.databases.index(x) for x in pair)
        near = abs(here - there) == 1
        return super().charge(step, pair) if near else nothing(self.epsilon)


class OnlyWhatIsLeft(Rule):
    """Leaves out a database that something released rules out, also as the one compared with."""

    def start(self) -> ExpLinear:
        return nothing(self.epsilon)

    def decide(self, state: ExpLinear, step: Step) -> Answer:
        law, mass = step.mechanism.law, step.mass
        rows = [{x: p for x, p in row.items() if mass[x]} for row in law.values()]
        seen = {y: row for y, row in zip(law, rows, strict=True) if all(row.values())}
        pairs = [pair for pair in step.pairs if mass[pair[1]]]
        costs = [charge(seen, pair, mass, self.epsilon) for pair in pairs]
        total = state + max(costs, default=nothing(self.epsilon))
        if total <= self.delta:
            return Decision.CONTINUE, total
        return Decision.HALT, state


SPLIT_BC = {"y": (HALF, HALF, 0), "n": (HALF, HALF, 1)}
SPLIT_BA = {"y": (0, HALF, HALF), "n": (1, HALF, HALF)}
A_LITTLE = {"!": (TENTH / 2, 0, 0), "-": (1 - TENTH / 2, 1, 1)}
LEAK_C = {"!": (0, 0, TENTH), "-": (1, 1, 1 - TENTH)}
RULE_OUT_A = {"y": (0, TENTH, HALF), "n": (1, 1 - TENTH, HALF)}
STAIRS = {
    "y": (TENTH, Fraction(1, 4), Fraction(5, 8)),
    "n": (1 - TENTH, Fraction(3, 4), Fraction(3, 8)),
}
APART = {
    "y": (3 * TENTH, 7 * TENTH, Fraction(3, 25)),
    "z": (3 * TENTH, Fraction(3, 25), 7 * TENTH),
    "n": (4 * TENTH, Fraction(9, 50), Fraction(9, 50)),
}

WRONG = {
    "first-pair-only": Wrong(
        FirstPairOnly,
        "every pair of neighbours has to be private",
        "easy",
        at(1, TENTH, lambda: played("ab bc", SPLIT_BC)),
    ),
    "in-order-only": Wrong(
        InOrderOnly,
        "a pair has two directions",
        "easy",
        at(1, TENTH, lambda: chain(table({"!": (0, HALF), "-": (1, HALF)}))),
    ),
    "most-likely-only": Wrong(
        MostLikelyOnly,
        "the data may be what looks unlikely",
        "medium",
        at(1, TENTH, lambda: played("ab bc", SPLIT_BC)),
    ),
    "anchored": Wrong(
        Anchored,
        "two databases within epsilon of a third are within 2 epsilon of each other",
        "medium",
        at(1, TENTH, lambda: played("ab bc", APART)),
    ),
    "keyed-by-database": Wrong(
        KeyedByDatabase,
        "a database can have several neighbours",
        "medium",
        at(1, TENTH, lambda: played("ab bc", SPLIT_BA)),
    ),
    "shifted-ledger": Wrong(
        ShiftedLedger,
        "once a database is ruled out every later pair reads another pair's entry",
        "hard",
        at(Fraction(8, 5), TENTH, lambda: played("ab bc", LEAK_C, RULE_OUT_A, LEAK_C)),
    ),
    "worst-pair-stays": Wrong(
        WorstPairStays,
        "another pair may be worse later",
        "medium",
        at(1, TENTH, lambda: played("ab bc", A_LITTLE, SPLIT_BC)),
    ),
    "mean-over-pairs": Wrong(
        MeanOverPairs,
        "a mean over the pairs bounds none of them",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(2 * TENTH))),
    ),
    "next-in-line": Wrong(
        NextInLine,
        "which databases are neighbours is for the game to say",
        "medium",
        at(1, TENTH, lambda: played("ab bc ac", STAIRS)),
    ),
    "only-what-is-left": Wrong(
        OnlyWhatIsLeft,
        "the output that rules a database out is the one that tells most",
        "easy",
        at(1, TENTH, lambda: chain(one_sided(HALF))),
    ),
}
