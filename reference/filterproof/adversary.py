"""(ε, δ)-DP against adaptive requests, as it is defined: the specification.

A filter is (ε, δ)-DP (the paper's `def:dp`) if for every adversary, all neighbours x ~ x′ and
every set S of full transcripts

    P_x(S)  <=  e^ε·P_x′(S) + δ.

The worst S for one adversary keeps the transcripts t with P_x(t) > e^ε·P_x′(t).  So the filter is
(ε, δ)-DP if and only if H <= δ, where

    H  =  max over x ~ x′ and adversaries of  sum over t of  max(0, P_x(t) - e^ε·P_x′(t)).

The sum is linear in each choice of the adversary, so one that throws coins does no better than
the best one that does not, and H comes from recursion over positions:

    V(position) = max over requests r of  sum over outputs y of  V(position after r and y).

Nothing is sampled, rounded, merged or left out here.  Probabilities are Fractions; whether
P_x(t) > e^ε·P_x′(t) is decided by `exact.exceeds`, from enclosures of e^ε that mpmath computes.
`fast` gives the same numbers sooner, and `witness` says who asks what and which S wins.

>>> from filterproof.filters.run_all import RunAll
>>> from filterproof.palette import erasure, game, repeated
>>> str(hockey_stick(RunAll(), game(repeated(erasure(Fraction(1, 10)), 2)), Fraction(1)))
'19/100'
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, ExpLinear, exceeds
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, Request, Step, opening
from filterproof.game.law import Database, Output, Pair


@dataclass(frozen=True)
class Position:
    """The adversary is to move: the transcript so far is `step` and the output it released."""

    step: Step
    output: Output
    state: Hashable  # what the filter remembers
    mass: Mapping[Database, Fraction]  # P_x of the transcript so far, for each x
    refused: tuple[Request, ...] = ()  # in this round: each request is sent once a round at most

    def requests(self) -> list[Request]:
        """Return what the adversary can ask for."""
        return [r for r in self.step.mechanism.after[self.output] if r not in self.refused]


def hockey_stick(rule: Filter[Any], game: Game, epsilon: Epsilon) -> ExpLinear:
    """Return H: the largest P_x(S) - e^ε·P_x′(S) over neighbours, adversaries and events."""
    return max(pair_hockey_stick(rule, game, pair, epsilon) for pair in game.pairs)


def keeps_promises(rule: Filter[Any], game: Game, epsilon: Epsilon, delta: Fraction) -> bool:
    """Return whether H of every pair is at most δ; where pairs have promises, each at its own."""
    pairs = game.promises or game.pairs
    own = {pair: game.promise(pair, epsilon, delta) for pair in pairs}
    return all(pair_hockey_stick(rule, game, p, own[p].epsilon) <= own[p].delta for p in pairs)


def pair_hockey_stick(rule: Filter[Any], game: Game, pair: Pair, epsilon: Epsilon) -> ExpLinear:
    """Return the largest P_x(S) - e^ε·P_x′(S) for one ordered pair (x, x′)."""
    first = first_position(rule, game)
    return value(rule, first, pair, epsilon) if first else ExpLinear(0, 0, epsilon)


def value(rule: Filter[Any], position: Position, pair: Pair, epsilon: Epsilon) -> ExpLinear:
    """Return V(position): the most that an adversary can collect from here on."""
    options = [value_after(rule, position, r, pair, epsilon) for r in position.requests()]
    return max(options, default=gain(position, pair, epsilon))


def value_after(
    rule: Filter[Any], position: Position, request: Request, pair: Pair, epsilon: Epsilon
) -> ExpLinear:
    """Return what an adversary that sends this request can collect; where P_x = 0 that is 0."""
    decision, after = send(rule, position, request)
    if decision is Decision.HALT:
        return gain(position, pair, epsilon)
    possible = [there for there in after.values() if there.mass[pair[0]]]
    if decision is Decision.LAST:
        parts = [gain(there, pair, epsilon) for there in possible]
    else:
        parts = [value(rule, there, pair, epsilon) for there in possible]
    return sum(parts, start=ExpLinear(0, 0, epsilon))


def gain(position: Position, pair: Pair, epsilon: Epsilon) -> ExpLinear:
    """Return max(0, P_x(t) - e^ε·P_x′(t)) for the transcript t that ends here."""
    p, q = (position.mass[x] for x in pair)
    return ExpLinear(p, -q, epsilon) if exceeds(p, q, epsilon) else ExpLinear(0, 0, epsilon)


# --- how a transcript grows -----------------------------------------------------------------


def first_position(rule: Filter[Any], game: Game) -> Position | None:
    """Return the position after the dummy round r_0 = y_0 = ⊥; None if the filter ends there."""
    step = opening(game)
    decision, state = ask(rule, start(rule), step)
    if decision is not Decision.CONTINUE:
        return None
    return release(rule, dict.fromkeys(game.databases, Fraction(1)), step, state, OPENING)


def send(
    rule: Filter[Any], position: Position, request: Request
) -> tuple[Decision, dict[Output, Position]]:
    """Return the filter's answer, and the position after each output; "" is "nothing released"."""
    step = position.step.next(position.output, request)
    decision, state = ask(rule, position.state, step)
    if decision is Decision.HALT:
        return decision, {}
    if decision is Decision.REFUSE:
        refused = (*position.refused, request)
        return decision, {"": replace(position, state=state, refused=refused)}
    outputs = step.mechanism.law
    return decision, {y: release(rule, position.mass, step, state, y) for y in outputs}


def release(
    rule: Filter[Any], mass: Mapping[Database, Fraction], step: Step, state: Hashable, y: Output
) -> Position:
    """Return the position after y is released."""
    after = {x: mass[x] * p for x, p in step.mechanism.law[y].items()}
    return Position(step, y, observe(rule, state, step, y), after)
