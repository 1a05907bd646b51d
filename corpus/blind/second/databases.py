"""Filters that lose sight of some pair where there are more than two databases."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

from corpus.blind.second.base import (
    NONE,
    ONE,
    Answer,
    Rule,
    Witness,
    Wrong,
    chain,
    loss,
    nats,
    over,
    run_if,
    within,
)
from filterproof import Game, Log, Step
from filterproof.exact import exceeds
from filterproof.privacy import charge, risk


class ConsecutivePairs(Rule):
    """Builds the pairs with zip(databases, databases[1:]): each is compared with the next one."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a loss between consecutive databases above epsilon."""
        listed, law = step.game.databases, step.mechanism.law
        couples = [*pairwise(listed)]
        pairs = [pair for pair in step.pairs if pair in couples or pair[::-1] in couples]
        return run_if(not any(risk(law, p, step.mass, self.epsilon) for p in pairs), None, state)


class VersusReference(Rule):
    """Compares every database with the first one; two others may differ by twice epsilon."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a loss to or from the reference above epsilon."""
        first, *others = step.game.databases
        for y in step.mechanism.law:
            mass = step.released(y)
            for x in others:
                w, w_ = mass[first], mass[x]
                if exceeds(w, w_, self.epsilon) or exceeds(w_, w, self.epsilon):
                    return run_if(False, None, state)
        return run_if(True, None, state)


class AveragesNeighbours(Rule):
    """Keeps one account per database and charges it the mean over its neighbours."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if every database that is still possible can pay its mean charge."""
        spent = dict(state)
        for x in {x for x, _ in step.pairs}:
            law, mine = step.mechanism.law, [pair for pair in step.pairs if pair[0] == x]
            costs = [charge(law, pair, step.mass, self.epsilon) for pair in mine]
            spent[x] = sum(costs[1:], costs[0]) / len(costs) + spent.get(x, NONE)
        fits = all(total <= self.delta for total in spent.values())
        return run_if(fits, tuple(sorted(spent.items())), state)


class BooksTheLeastLoss(Rule):
    """Pays only for what was realised, and takes the smallest realised loss of all pairs for it."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return ONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Run a pure mechanism whose declared epsilon still fits."""
        odds, delta = step.mechanism.declared
        return run_if(delta == 0 and within(state * odds, self.epsilon), state, state)

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Book the realised loss, of the pair that lost least."""
        row = step.mechanism.law[output]
        ratios = [row[x] / row[x_] for x, x_ in step.game.pairs if row[x] and row[x_]]
        return state * min((max(r, 1 / r) for r in ratios), default=ONE)


class AveragesLosses(Rule):
    """Takes the epsilon of a round as the mean over all pairs of their largest losses."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return 0.0

    def decide(self, state: Any, step: Step) -> Answer:
        """Run while the mean epsilons add up to at most epsilon."""
        losses = []
        for x, x_ in step.game.pairs:
            rows = [row for row in step.mechanism.law.values() if row[x]]
            if not all(row[x_] for row in rows):
                return run_if(False, None, state)
            losses.append(max(loss(row[x] / row[x_]) for row in rows))
        after = state + max(0.0, sum(losses) / len(losses))
        return run_if(after <= nats(self.epsilon), after, state)


F = Fraction
LOG2 = Log(F(2))
ABC = ("a", "b", "c")
_SPLIT = {"y": (F(2, 3), F(2, 3), F(1, 3)), "n": (F(1, 3), F(1, 3), F(2, 3))}


def _three(pairs: str, law: dict[str, tuple[Any, ...]]) -> Game:
    """Return one round on a, b, c; the neighbours are written like "ab bc"."""
    return Game(ABC, [(p[0], p[1]) for p in pairs.split()], {"ask": over(ABC, law)})


WRONG = {
    "consecutive-pairs": Wrong(
        ConsecutivePairs,
        "databases are compared with the next in the list only",
        Witness(
            _three(
                "ab bc ac", {"y": (F(2, 5), F(1, 5), F(1, 10)), "n": (F(3, 5), F(4, 5), F(9, 10))}
            ),
            LOG2,
            F(1, 100),
        ),
    ),
    "versus-reference": Wrong(
        VersusReference,
        "two databases near the reference need not be near each other",
        Witness(
            _three("ab bc", {"y": (F(1, 5), F(2, 5), F(1, 10)), "n": (F(4, 5), F(3, 5), F(9, 10))}),
            LOG2,
            F(1, 100),
        ),
    ),
    "averages-neighbours": Wrong(
        AveragesNeighbours,
        "a database's charge is averaged over its neighbours",
        Witness(
            _three("ab bc", {"!": (F(1, 60), F(1, 60), 0), "?": (F(59, 60), F(59, 60), 1)}),
            F(1),
            F(1, 100),
        ),
    ),
    "averages-losses": Wrong(
        AveragesLosses,
        "the largest losses of all pairs are averaged",
        Witness(
            _three("ab bc", {"y": (F(1, 2), F(1, 2), F(1, 6)), "n": (F(1, 2), F(1, 2), F(5, 6))}),
            LOG2,
            F(1, 100),
        ),
    ),
    "books-the-least-loss": Wrong(
        BooksTheLeastLoss,
        "the realised loss that is booked is that of the pair that lost least",
        Witness(
            Game(ABC, [("a", "b"), ("b", "c")], {"ask": chain(*[over(ABC, _SPLIT)] * 3)}),
            F(3, 4),
            F(1, 100),
        ),
    ),
}
