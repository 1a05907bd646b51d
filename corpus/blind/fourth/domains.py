"""Filters that are right on two databases and misread larger domains, and one that is right."""

from fractions import Fraction
from functools import reduce

from corpus.blind.base import NOTHING, Answer, Rule, Sound, Wrong, answer, covers, plus
from corpus.blind.first.games import at
from corpus.blind.third.base import CENT, HALF, TENTH, Book, nothing, played
from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Database, Declared, Output, Pair, tightest
from filterproof.privacy import charge

Ledgers = tuple[tuple[frozenset[Pair], Declared], ...]


class SmallerDomain(Book):
    """Opens a new ledger when an answer rules a database out: the domain is another one."""

    def observe(self, state: Declared, step: Step, output: Output) -> Declared:
        row, mass = step.mechanism.law[output], step.mass
        return NOTHING if any(mass[x] and not row[x] for x in mass) else state


class MedianPair(Rule):
    """Adds up the charges of every pair, and compares their median with delta."""

    def start(self) -> tuple[ExpLinear, ...]:
        return ()

    def decide(self, state: tuple[ExpLinear, ...], step: Step) -> Answer:
        pairs = step.game.pairs
        before = state or (nothing(self.epsilon),) * len(pairs)
        paid = zip(before, pairs, strict=True)
        after = tuple(spent + self.cost(step, pair) for spent, pair in paid)
        return answer(sorted(after)[len(after) // 2] <= self.delta, after, before)

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        if not step.mass[pair[0]]:
            return nothing(self.epsilon)
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class ExtremesOnly(MedianPair):
    """Charges the first database against the last one: the others lie in between."""

    def decide(self, state: tuple[ExpLinear, ...], step: Step) -> Answer:
        first, *_, last = step.mass
        before = state or (nothing(self.epsilon),) * 2
        there, back = self.cost(step, (first, last)), self.cost(step, (last, first))
        after = before[0] + there, before[1] + back
        return answer(all(one <= self.delta for one in after), after, before)


class MergedForGood(Book):
    """Takes databases that the first telling request treats alike for one, from then on."""

    def start(self) -> tuple[tuple[tuple[Database, int], ...], Declared]:
        return (), NOTHING

    def decide(
        self, state: tuple[tuple[tuple[Database, int], ...], Declared], step: Step
    ) -> Answer:
        classes, spent = state
        law = step.mechanism.law
        if not classes:
            seen = {x: tuple(row[x] for row in law.values()) for x in step.mass}
            different = [*dict.fromkeys(seen.values())]
            if len(different) == 1:
                return Decision.CONTINUE, state
            classes = tuple((x, different.index(one)) for x, one in seen.items())
        which = dict(classes)
        apart = [(x, x_) for x, x_ in step.game.pairs if which[x] != which[x_]]
        total = plus(spent, tightest(law, apart)) if apart else spent
        return answer(self.fits(total), (classes, total), state)


def told_apart(step: Step) -> frozenset[Pair]:
    """Return the pairs that a request treats differently."""
    rows = step.mechanism.law.values()
    pairs = step.game.pairs
    return frozenset((x, x_) for x, x_ in pairs if any(row[x] != row[x_] for row in rows))


class Partitions(Rule):
    """Keeps a ledger for each set of pairs that a request tells apart: parallel composition."""

    def start(self) -> Ledgers:
        return ()

    def decide(self, state: Ledgers, step: Step) -> Answer:
        part = told_apart(step)
        whole, rest = self.joined(part, state)
        touched = [spent for pairs, spent in state if pairs not in rest]
        total = reduce(plus, touched, step.mechanism.declared)
        after = {**{pairs: spent for pairs, spent in state if pairs in rest}, whole: total}
        kept = tuple(sorted(after.items(), key=lambda one: sorted(one[0])))
        return answer(not part or covers(total, self.epsilon, self.delta), kept, state)

    def joined(
        self, part: frozenset[Pair], state: Ledgers
    ) -> tuple[frozenset[Pair], list[frozenset[Pair]]]:
        """Return the set that is billed, and the sets that have ledgers of their own."""
        return part, [pairs for pairs, _ in state if pairs != part]


class JoinedPartitions(Partitions):
    """Makes one ledger of those that have a pair in common."""

    def joined(
        self, part: frozenset[Pair], state: Ledgers
    ) -> tuple[frozenset[Pair], list[frozenset[Pair]]]:
        rest = [pairs for pairs, _ in state if not pairs & part]
        return part.union(*[pairs for pairs, _ in state if pairs & part]), rest


P, Q = Fraction(5, 7), Fraction(2, 7)
COIN = {"0": (P, Q, 0, 0), "1": (Q, P, 1, 1)}
EVEN = {"0": (P, Q, HALF, HALF), "1": (Q, P, HALF, HALF)}

WRONG = {
    "smaller-domain": Wrong(
        SmallerDomain,
        "what the answers have told about the databases that are left is still known",
        "hard",
        at(1, TENTH, lambda: played("ab cd", COIN, EVEN)),
    ),
    "median-pair": Wrong(
        MedianPair,
        "every pair has to be private, not half of them",
        "easy",
        at(1, TENTH, lambda: played("ab bc cd", {"0": (1, 0, 0, 0), "1": (0, 1, 1, 1)})),
    ),
    "extremes-only": Wrong(
        ExtremesOnly,
        "a database may be far from both ends of the list",
        "easy",
        at(1, TENTH, lambda: played("ab bc", {"0": (1, 0, 1), "1": (0, 1, 0)})),
    ),
    "merged-for-good": Wrong(
        MergedForGood,
        "the next request may tell apart what the first one did not",
        "medium",
        at(
            1,
            TENTH,
            lambda: played(
                "ab bc",
                {"0": (55 * CENT, 55 * CENT, HALF), "1": (45 * CENT, 45 * CENT, HALF)},
                {"0": (1, 0, 0), "1": (0, 1, 1)},
            ),
        ),
    ),
    "partitions": Wrong(
        Partitions,
        "sets of pairs that are different may overlap",
        "medium",
        at(
            1,
            TENTH,
            lambda: played(
                "ab bc", {"0": (P, Q, Q), "1": (Q, P, P)}, {"0": (P, Q, P), "1": (Q, P, Q)}
            ),
        ),
    ),
}
SOUND = {
    "joined-partitions": Sound(
        JoinedPartitions, "all requests that tell a pair apart are in one ledger, which fits"
    ),
}
