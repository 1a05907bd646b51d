"""How far one can go: a round that a compensator refuses cannot be run by a filter that runs more.

Take one ordered pair (x, x′), the compensator that watches it, and a round it refuses.  On every
output that was *not* taken on the way, add a leak that uses up exactly the budget the compensator
left there.  The compensator runs all of this.  A filter that runs it too, and the refused round
besides, collects δ plus the excess of the refused round: it is not (ε, δ)-DP.

The leak exists wherever the budget left is at most the *headroom*, 1 - h(l): no more than that can
still be lost.  The capped compensator never leaves more, so no causal private filter runs all that
it runs and anything else (`proofs/coq/Maximal.v`: one ordered pair, for two it is false).  The
plain one may leave more; where it does, the capped one can sometimes run the round.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from filterproof.adversary import pair_hockey_stick
from filterproof.exact import ExactError, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.compensator import Budgets, Compensator, room
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism, Request, Step, opening
from filterproof.game.law import Output, Pair


class NoHeadroom(ExactError):
    """A refusal on whose way some output was left more budget than it can still lose."""


@dataclass(frozen=True)
class Taken:
    """A round that ran, the output it gave, and the budget left after each possible output."""

    step: Step
    output: Output
    budgets: dict[Output, ExpLinear]


@dataclass(frozen=True)
class Refusal:
    """A partial transcript that the compensator of one ordered pair refuses to run."""

    rule: Compensator
    pair: Pair
    path: tuple[Taken, ...]
    step: Step

    def has_headroom(self) -> bool:
        """Whether every output not taken on the way could still lose what it was left."""
        return all(
            budget <= room(taken.step, self.pair, y, self.rule.epsilon)
            for taken in self.path
            for y, budget in taken.budgets.items()
            if y != taken.output
        )


def refusals(rule: Compensator, game: Game) -> Iterator[Refusal]:
    """Yield every partial transcript that a compensator of one ordered pair refuses."""
    if rule.pair is None:
        raise ExactError("need a compensator that watches one ordered pair; it watches all")
    where = game.pairs.index(rule.pair)
    first = opening(game)
    state = rule.decide(rule.start(), first)[1]
    todo: list[tuple[tuple[Taken, ...], Step, Output, Budgets]]
    todo = [((), first, y, rule.observe(state, first, y)) for y in first.mechanism.law]
    while todo:
        path, last, y, state = todo.pop()
        for request in last.mechanism.after[y]:
            step = last.next(y, request)
            decision, after = rule.decide(state, step)
            if decision is Decision.HALT:
                yield Refusal(rule, rule.pair, path, step)
                continue
            left = {z: rule.observe(after, step, z) for z in step.mechanism.law}
            budgets = {z: b for z, entries in left.items() if (b := entries[where]) is not None}
            todo += [((*path, Taken(step, z, budgets)), step, z, left[z]) for z in budgets]


def violating_game(refusal: Refusal) -> Game:
    """Return a game of the two databases on which running all of it is not (ε, δ)-DP.

    The compensator runs all of it but the refused round.  Leaks are rounded down to rationals;
    the rounding is refined until the exact H exceeds δ.
    """
    if not refusal.has_headroom():
        raise NoHeadroom("an output not taken was left more budget than it can still lose")
    bits = 16
    while True:
        game = _with_leaks(refusal, bits)
        found = pair_hockey_stick(RunAll(), game, refusal.pair, refusal.rule.epsilon)
        if found > refusal.rule.delta:
            return game
        bits *= 2


def _with_leaks(refusal: Refusal, bits: int) -> Game:
    x, x_ = refusal.pair
    menu = {refusal.step.request: _between(refusal.step, refusal.pair, {})}
    for taken in reversed(refusal.path):
        after = {taken.output: menu}
        for y, budget in taken.budgets.items():
            share = _share(budget, room(taken.step, refusal.pair, y, refusal.rule.epsilon), bits)
            if y != taken.output and share:
                after[y] = {"leak": _leak(refusal.pair, share)}
        menu = {taken.step.request: _between(taken.step, refusal.pair, after)}
    return Game([x, x_], [(x, x_)], menu)


def _between(step: Step, pair: Pair, after: dict[Output, dict[Request, Mechanism]]) -> Mechanism:
    """Return the step's mechanism for the two databases of the pair alone."""
    rows = {y: {x: row[x] for x in pair} for y, row in step.mechanism.law.items()}
    return Mechanism({y: row for y, row in rows.items() if any(row.values())}, after)


def _leak(pair: Pair, share: Fraction) -> Mechanism:
    """Reveal the database with the given probability; otherwise the loss stays what it was."""
    x, x_ = pair
    none, rest = Fraction(0), 1 - share
    rows = {"!": {x: share, x_: none}, "!!": {x: none, x_: share}, "?": {x: rest, x_: rest}}
    return Mechanism({y: row for y, row in rows.items() if any(row.values())})


def _share(budget: ExpLinear, headroom: ExpLinear, bits: int) -> Fraction:
    """Return a rational lower bound of budget/headroom, at most 1; exact where e^ε is rational."""
    if headroom.sign() == 0:
        return Fraction(0)
    return min(
        Fraction(1), max(Fraction(0), budget.enclosure(bits)[0] / headroom.enclosure(bits)[1])
    )
