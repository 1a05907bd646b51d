"""How likely the realised loss ends above ε: the claim inside the proof of Theorem 1.

The proof bounds P_x(L^(T) > ε), which is more than (ε, δ)-DP: it is never less than H.  As H in
`adversary` it is worked out by plain recursion over positions; `fast` gives the same numbers.
"""

from fractions import Fraction
from typing import Any

from filterproof.adversary import Position, first_position, send
from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision, Filter
from filterproof.game import Game, Request
from filterproof.game.law import Pair


def worst_tail(
    rule: Filter[Any], game: Game, epsilon: Epsilon, *, may_stop: bool = True
) -> Fraction:
    """Return the largest P_x(L^(T) > ε) over pairs and adversaries.

    An adversary that stops asking never gains H, but it may gain here, while the loss is high:
    `may_stop` tells whether it is allowed to.
    """
    first = first_position(rule, game)
    if first is None:
        return Fraction(0)
    return max(_value(rule, first, pair, epsilon, may_stop) for pair in game.pairs)


def _value(
    rule: Filter[Any], position: Position, pair: Pair, epsilon: Epsilon, may_stop: bool
) -> Fraction:
    end = _end(position, pair, epsilon)
    options = [
        _value_after(rule, position, r, pair, epsilon, may_stop) for r in position.requests()
    ]
    return max([*options, end]) if may_stop else max(options, default=end)


def _value_after(
    rule: Filter[Any],
    position: Position,
    request: Request,
    pair: Pair,
    epsilon: Epsilon,
    may_stop: bool,
) -> Fraction:
    decision, after = send(rule, position, request)
    if decision is Decision.HALT:
        return _end(position, pair, epsilon)
    possible = [there for there in after.values() if there.mass[pair[0]]]
    if decision is Decision.LAST:
        return sum((_end(there, pair, epsilon) for there in possible), Fraction(0))
    parts = (_value(rule, there, pair, epsilon, may_stop) for there in possible)
    return sum(parts, Fraction(0))


def _end(position: Position, pair: Pair, epsilon: Epsilon) -> Fraction:
    """Return P_x of the transcript that ends here if its loss exceeds ε, else 0."""
    p, q = (position.mass[x] for x in pair)
    return p if exceeds(p, q, epsilon) else Fraction(0)
