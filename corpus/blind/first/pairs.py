"""Filters that lose sight of a pair: too few pairs, the wrong ones, or several taken for one."""

from fractions import Fraction
from math import inf

from corpus.blind.base import Answer, Rule, Wrong, answer, nats, size
from corpus.blind.first.games import among, at, branch, chain, coin
from corpus.blind.first.ledgers import CENT, TENTH
from filterproof.exact import Epsilon, ExpLinear, Log, exceeds
from filterproof.game import Game, Step
from filterproof.game.law import Pair
from filterproof.palette import one_sided, reveal, table
from filterproof.privacy import charge

Costs = tuple[ExpLinear, ...]


class ChargeLedger(Rule):
    """Adds up the charges of each watched pair; the filters below watch the wrong ones."""

    def start(self) -> Costs:
        return ()

    def decide(self, state: Costs, step: Step) -> Answer:
        nothing = ExpLinear(0, 0, self.epsilon)
        pairs = self.watched(step.game)
        before = state or (nothing,) * len(pairs)
        after = tuple(
            spent + (self.cost(step, pair) if self.counts(step, pair) else nothing)
            for spent, pair in zip(before, pairs, strict=True)
        )
        return answer(all(spent <= self.delta for spent in after), after, before)

    def watched(self, game: Game) -> tuple[Pair, ...]:
        return game.pairs

    def counts(self, step: Step, pair: Pair) -> bool:
        return step.mass[pair[0]] > 0

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


class ListedNeighbours(ChargeLedger):
    """Watches databases that stand next to each other in the list, whoever is a neighbour."""

    def watched(self, game: Game) -> tuple[Pair, ...]:
        listed = list(zip(game.databases, game.databases[1:], strict=False))
        return (*listed, *((x_, x) for x, x_ in listed))


class FirstPairOnly(ChargeLedger):
    """Watches both directions of the first pair of neighbours and no other."""

    def watched(self, game: Game) -> tuple[Pair, ...]:
        x, x_ = game.pairs[0]
        return (x, x_), (x_, x)


class UnlikelyDropped(ChargeLedger):
    """Skips a pair in rounds where x has fallen behind x′ by more than e."""

    def counts(self, step: Step, pair: Pair) -> bool:
        w, w_ = step.mass[pair[0]], step.mass[pair[1]]
        return w > 0 and not exceeds(w_, w, Fraction(1))


class PrunedDatabases(ChargeLedger):
    """Prunes databases whose likelihood is a thousand times below the best, to save time."""

    def counts(self, step: Step, pair: Pair) -> bool:
        floor = max(step.mass.values()) / 1000
        return all(step.mass[x] > floor for x in pair)


class GroupShare(ListedNeighbours):
    """Splits (eps, delta) evenly among the steps from the first database to the last.

    For epsilon alone that is group privacy; the deltas do not just add up.
    """

    def __init__(self, epsilon: Epsilon, delta: Fraction) -> None:
        super().__init__(epsilon, delta)
        exact = Fraction(int(size(epsilon) * 2**20), 2**20) if isinstance(epsilon, Log) else epsilon
        self.whole: Fraction = exact

    def decide(self, state: Costs, step: Step) -> Answer:
        hops = len(step.game.databases) - 1
        return ListedNeighbours(self.whole / hops, self.delta / hops).decide(state, step)


class ByDatabase(Rule):
    """Books the charge of (x, x′) under x alone, so the last neighbour overwrites the others."""

    def start(self) -> Costs:
        return ()

    def decide(self, state: Costs, step: Step) -> Answer:
        nothing, names = ExpLinear(0, 0, self.epsilon), step.game.databases
        law, mass = step.mechanism.law, step.mass
        costs = {x: charge(law, (x, x_), mass, self.epsilon) for x, x_ in step.pairs}
        before = state or (nothing,) * len(names)
        after = tuple(spent + costs.get(x, nothing) for spent, x in zip(before, names, strict=True))
        return answer(all(spent <= self.delta for spent in after), after, before)


class MeanOverPairs(Rule):
    """Charges the mean over the pairs instead of the worst of them."""

    def start(self) -> ExpLinear:
        return ExpLinear(0, 0, self.epsilon)

    def decide(self, state: ExpLinear, step: Step) -> Answer:
        total = state
        for pair in step.pairs:
            total += charge(step.mechanism.law, pair, step.mass, self.epsilon) / len(step.pairs)
        return answer(total <= self.delta, total, state)


class AgainstTheAverage(Rule):
    """Compares each database with the average of its neighbours instead of with each of them."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        fits = True
        for y in step.mechanism.law:
            mass = step.released(y)
            for x in step.game.databases:
                others = [mass[b] for a, b in step.game.pairs if a == x]
                mean = sum(others, Fraction(0)) / max(1, len(others))
                fits = fits and not (others and exceeds(mass[x], mean, self.epsilon))
        return answer(fits, None, None)


class NanFirst(Rule):
    """Takes the maximum of float losses; inf - inf is nan, and a nan in front stays the maximum."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        outputs = [step.released(y) for y in step.mechanism.law]
        worst = max(
            logarithm(mass[x]) - logarithm(mass[x_])
            for mass in outputs
            for x, x_ in step.game.pairs
        )
        return answer(not worst > size(self.epsilon) - 1e-9, None, None)


def logarithm(value: Fraction) -> float:
    """Return log(value), -inf at 0."""
    return nats(value) if value else -inf


FIFTH, HALF = Fraction(1, 5), Fraction(1, 2)
ALL = "ab bc ac"
GROUP = {
    "!": (Fraction(185, 10_000), Fraction(1, 200), 0),
    "?": (Fraction(9815, 10_000), Fraction(199, 200), 1),
}
HIDDEN = {"-": (0, 0, TENTH), "a": (1, 0, 9 * TENTH / 2), "b": (0, 1, 9 * TENTH / 2)}
STAR = {"!": (FIFTH, 0, FIFTH), "?": (1 - FIFTH, 1, 1 - FIFTH)}
SLOPE = {"hi": (1 - FIFTH, HALF, FIFTH), "lo": (FIFTH, HALF, 1 - FIFTH)}
COVERED = {"!": (HALF, 0, HALF), "?": (HALF, 1, HALF)}
THIRD_TELLS = {"!": (FIFTH, FIFTH, 0), "?": (1 - FIFTH, 1 - FIFTH, 1)}
BEHIND = {"u": (3 * TENTH, 9 * TENTH), "v": (7 * TENTH, TENTH)}

WRONG = {
    "listed-neighbours": Wrong(
        ListedNeighbours,
        "only databases next to each other in the list are compared",
        "medium",
        at(1, CENT, lambda: among(SLOPE, ALL)),
    ),
    "first-pair-only": Wrong(
        FirstPairOnly,
        "only the first pair of neighbours is watched",
        "medium",
        at(1, CENT, lambda: among(THIRD_TELLS, ALL)),
    ),
    "unlikely-dropped": Wrong(
        UnlikelyDropped,
        "a pair whose x has fallen behind is not charged",
        "medium",
        at(
            2,
            TENTH,
            lambda: branch(table(BEHIND), u={"ask": one_sided(Fraction(59, 100))}),
        ),
    ),
    "pruned-databases": Wrong(
        PrunedDatabases,
        "databases a thousand times less likely than the best are pruned",
        "hard",
        at(8, Fraction(1, 100_000), lambda: chain(coin(2000), reveal())),
    ),
    "group-share": Wrong(
        GroupShare,
        "delta is split along a path of neighbours as if group privacy added deltas up",
        "hard",
        at(2, CENT, lambda: among(GROUP, ALL)),
    ),
    "by-database": Wrong(
        ByDatabase,
        "the charges of a database's pairs overwrite each other",
        "medium",
        at(1, CENT, lambda: among(STAR, "ab ac")),
    ),
    "mean-over-pairs": Wrong(
        MeanOverPairs,
        "the charge is averaged over the pairs",
        "easy",
        at(1, TENTH / 2, lambda: chain(one_sided(TENTH))),
    ),
    "against-the-average": Wrong(
        AgainstTheAverage,
        "a database is compared with the average of its neighbours",
        "easy",
        at(1, CENT, lambda: among(COVERED, ALL)),
    ),
    "nan-first": Wrong(
        NanFirst,
        "a nan in front of the losses survives as their maximum",
        "medium",
        at(1, CENT, lambda: among(HIDDEN, ALL)),
    ),
}
