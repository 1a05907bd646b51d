"""The strongest adaptive adversary against a filter, by backward induction: the specification.

For one ordered pair (x, x′), one adversary and one filter, (ε, δ)-DP for every event S is

    H  =  sum over transcripts t of  max(0, P_x(t) - e^ε·P_x′(t))  <=  δ,

and the event that attains it keeps the transcripts with a positive term.  H is linear in each
of the adversary's choices, so some deterministic adversary is worst, and

    V(history) = max over requests r of  sum over outputs y of  V(history r y)

finds it in one pass over the tree, with leaf value max(0, w_x - e^ε·w_x′).  Nothing is sampled,
rounded or merged here; `fast` computes the same numbers quicker.

A refused request may be followed by another one of the same menu, each at most once a round.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, Request, Step, node_after, opening
from filterproof.game.law import Output, Pair

Masses = tuple[Fraction, Fraction]
Payoff = Callable[[Fraction, Fraction], ExpLinear]


@dataclass(frozen=True)
class Turn:
    """One request of the chosen adversary, the filter's answer, and where each output leads.

    `then[y]` is the number of the turn after y; None where the transcript ends with y.  After
    HALT there is no output; after REFUSE the one key is "" and stands for "nothing released".
    `reported[y]` is what an odometer says after y (`odometer`); a filter says nothing.
    """

    node: int
    state: Hashable
    request: Request
    decision: Decision
    then: dict[Output, int | None]
    reported: dict[Output, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WorstCase:
    """The worst pair, its value H, and the play that attains it.

    `event` holds the transcripts in S as (turn, output); `turns` is in the order of play, so
    every turn comes before those it leads to.  It is empty where nothing can be gained.
    """

    pair: Pair
    value: ExpLinear
    mass_x: Fraction
    mass_x_prime: Fraction
    turns: tuple[Turn, ...]
    event: tuple[tuple[int, Output], ...]


@dataclass(frozen=True)
class Position:
    """The adversary is to move: it has seen `last` release `output`, with true likelihoods."""

    last: Step
    output: Output
    masses: Masses
    state: Hashable
    refused: tuple[Request, ...] = ()

    @property
    def node(self) -> int:
        """The menu on offer, by its number in the game."""
        return node_after(self.last.mechanism, self.output).id

    def step(self, request: Request) -> Step:
        """Return the partial transcript that the filter sees if this request is sent."""
        return self.last.next(self.output, request)


@dataclass(frozen=True)
class Branch:
    """What sending one request leads to: the answer, and a position per output."""

    request: Request
    decision: Decision
    state: Hashable
    after: dict[Output, Position]


@dataclass(frozen=True)
class Play:
    """One filter on one game against one ordered pair, with a payoff for finished transcripts."""

    rule: Filter[Any]
    game: Game
    pair: Pair
    payoff: Payoff
    may_stop: bool = True

    def value(self, position: Position | None) -> ExpLinear:
        """Return the most that an adversary can still collect from this position."""
        if position is None:
            return self.payoff(Fraction(1), Fraction(1))
        return self.best(position)[0]

    def end(self, position: Position) -> ExpLinear:
        """Return what the adversary collects if the transcript ends here."""
        return self.payoff(*position.masses)

    def reported(self, branch: Branch) -> dict[Output, Any]:
        """Return what is reported after each output: nothing by a filter."""
        return {}

    def best(self, position: Position) -> tuple[ExpLinear, Branch | None]:
        """Return the value and the branch that attains it; None means to stop asking."""
        stop = self.end(position)
        if not position.masses[0]:  # impossible under x: every payoff from here on is zero
            return stop, None
        branches = self.branches(position)
        options = [(self.branch_value(position, branch), branch) for branch in branches]
        value, branch = max(options, key=lambda option: option[0], default=(stop, None))
        if (self.may_stop and stop >= value) or branch is None:
            return stop, None
        return value, branch

    def branch_value(self, position: Position, branch: Branch) -> ExpLinear:
        """Return what the adversary collects after sending this request."""
        if branch.decision is Decision.HALT:
            return self.end(position)
        if branch.decision is Decision.LAST:
            ends = [self.end(after) for after in branch.after.values()]
        else:
            ends = [self.value(after) for after in branch.after.values()]
        return sum(ends[1:], start=ends[0])

    def branches(self, position: Position) -> list[Branch]:
        """Ask the filter about every request that is on offer here; leave idle ones out."""
        menu = position.last.mechanism.after[position.output]
        found = [self.branch(position, r) for r in menu if r not in position.refused]
        return [one for one in found if not is_idle(one.decision, position.state, one.state)]

    def branch(self, position: Position, request: Request) -> Branch:
        """Send one request and follow the filter's answer."""
        step = position.step(request)
        decision, state = ask(self.rule, position.state, step)
        if decision is Decision.HALT:
            after = {}
        elif decision is Decision.REFUSE:
            refused = (*position.refused, request)
            after = {"": replace(position, state=state, refused=refused)}
        else:
            after = {y: self.release(position.masses, step, state, y) for y in step.mechanism.law}
        return Branch(request, decision, state, after)

    def release(self, masses: Masses, step: Step, state: Hashable, y: Output) -> Position:
        """Return the position after y is released."""
        x, x_ = self.pair
        row = step.mechanism.law[y]
        seen = observe(self.rule, state, step, y)
        return Position(step, y, (masses[0] * row[x], masses[1] * row[x_]), seen)

    def first(self) -> Position | None:
        """Return the position after the opening round; None if the filter does not pass it."""
        step = opening(self.game)
        decision, state = ask(self.rule, start(self.rule), step)
        if decision is not Decision.CONTINUE:
            return None
        return self.release((Fraction(1), Fraction(1)), step, state, OPENING)


def is_idle(decision: Decision, before: Hashable, after: Hashable) -> bool:
    """Return whether a request was refused and the filter remembers nothing of it.

    Sending such a request gains nothing: whatever can be sent afterwards can be sent at once.
    """
    return decision is Decision.REFUSE and before == after


def worst_case(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(S) - e^ε·P_x′(S) over pairs, adaptive adversaries and events."""
    plays = [Play(rule, game, pair, gain(epsilon)) for pair in game.pairs]
    values = [play.value(play.first()) for play in plays]
    worst = max(range(len(plays)), key=values.__getitem__)
    return unfold(plays[worst], values[worst])


def worst_tail(
    rule: Filter[Any], game: Game, epsilon: Epsilon, *, may_stop: bool = True
) -> Fraction:
    """Return the largest P_x(L^(T) > ε) over pairs and adversaries.

    This is the stronger statement inside the proof of Theorem 1.  An adversary that stops
    asking never gains H, but it may gain here: `may_stop` tells whether it is allowed to.
    """
    plays = [Play(rule, game, pair, tail(epsilon), may_stop) for pair in game.pairs]
    return max(play.value(play.first()) for play in plays).a


def gain(epsilon: Epsilon) -> Payoff:
    """Return the payoff max(0, P_x - e^ε·P_x′) of a finished transcript."""
    nothing = ExpLinear(0, 0, epsilon)

    def payoff(w: Fraction, w_: Fraction) -> ExpLinear:
        return ExpLinear(w, -w_, epsilon) if exceeds(w, w_, epsilon) else nothing

    return payoff


def tail(epsilon: Epsilon) -> Payoff:
    """Return the payoff P_x if the loss of the transcript exceeds ε, else 0."""

    def payoff(w: Fraction, w_: Fraction) -> ExpLinear:
        return ExpLinear(w if exceeds(w, w_, epsilon) else 0, 0, epsilon)

    return payoff


# --- the play that attains the value --------------------------------------------------------


def unfold(play: Play, value: ExpLinear) -> WorstCase:
    """Write down the best adversary's turns, the winning event and its two masses."""
    turns: list[Turn] = []
    finals: list[tuple[int, Output, Position]] = []
    first = play.first()
    todo = [(first, -1, "")] if first is not None else []
    for position, source, y in todo:  # grows while it is read: breadth first
        branch = play.best(position)[1]
        if branch is None:
            finals.append((source, y, position))
            continue
        here = len(turns)
        then: dict[Output, int | None] = dict.fromkeys(branch.after)
        what = position.node, position.state, branch.request, branch.decision
        turns.append(Turn(*what, then, play.reported(branch)))
        if source >= 0:
            turns[source].then[y] = here
        if branch.decision is Decision.HALT:
            finals.append((here, "", position))
        elif branch.decision is Decision.LAST:
            finals += [(here, z, after) for z, after in branch.after.items()]
        else:
            todo += [(after, here, z) for z, after in branch.after.items()]
    return _summary(play, value, turns, finals)


def _summary(
    play: Play, value: ExpLinear, turns: list[Turn], finals: list[tuple[int, Output, Position]]
) -> WorstCase:
    won = [final for final in finals if play.end(final[2]).sign() > 0]
    event = tuple((turn, y) for turn, y, _ in won)
    mass_x = sum((there.masses[0] for _, _, there in won), Fraction(0))
    mass_x_prime = sum((there.masses[1] for _, _, there in won), Fraction(0))
    return WorstCase(play.pair, value, mass_x, mass_x_prime, tuple(turns), event)
