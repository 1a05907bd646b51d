"""Who asks what, and the event that wins: the play behind the value of `adversary`.

The best adversary sends, at every position it reaches, the first of the best requests, and stops
where no request gains more than stopping.  Requests that a filter refuses without remembering
them are left out: whatever can be sent after one can be sent at once.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from filterproof.adversary import Position, first_position, gain, send, value_after
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision, Filter
from filterproof.game import Game, Request, node_after
from filterproof.game.law import Output, Pair
from filterproof.game.promises import most_broken


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

    def allowed(self, game: Game, delta: Fraction) -> Fraction:
        """Return what the value may be: δ, or the pair's own where pairs have promises."""
        return game.promises[self.pair].delta if game.promises else delta


@dataclass(frozen=True)
class Stakes:
    """What one adversary collects against one pair: where a transcript ends, and by a request.

    `report` says what an odometer reports at a position.
    """

    pair: Pair
    end: Callable[[Position], ExpLinear]
    after: Callable[[Position, Request], ExpLinear]
    report: Callable[[Position], Any] | None = None


def worst_case(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(S) - e^ε·P_x′(S), the adversary that attains it, and its event.

    Where pairs have promises of their own, ε is each pair's, and the pair is one whose promise is
    broken, if there is any.
    """

    def stakes(pair: Pair) -> Stakes:
        own = game.promises[pair].epsilon if game.promises else epsilon
        return Stakes(
            pair,
            lambda position: gain(position, pair, own),
            lambda position, request: value_after(rule, position, request, pair, own),
        )

    pairs = game.promises or game.pairs
    return unfold(rule, game, [stakes(pair) for pair in pairs], epsilon)


def unfold(rule: Filter[Any], game: Game, stakes: list[Stakes], epsilon: Epsilon) -> WorstCase:
    """Write down the play with the highest stakes: its turns, the winning event, both masses."""
    first = first_position(rule, game)
    if first is None:
        none = Fraction(0)
        return WorstCase(game.pairs[0], ExpLinear(0, 0, epsilon), none, none, (), ())
    values = [best_request(rule, first, one)[0] for one in stakes]
    if game.promises:
        worst = most_broken(values, [game.promises[one.pair] for one in stakes])
    else:
        worst = max(range(len(stakes)), key=values.__getitem__)
    turns, ends = _turns(rule, first, stakes[worst])
    won = [end for end in ends if stakes[worst].end(end[2]).sign() > 0]
    event = tuple((turn, y) for turn, y, _ in won)
    pair = stakes[worst].pair
    mass_x, mass_x_prime = (sum((there.mass[x] for *_, there in won), Fraction(0)) for x in pair)
    return WorstCase(pair, values[worst], mass_x, mass_x_prime, tuple(turns), event)


def best_request(
    rule: Filter[Any], position: Position, stakes: Stakes
) -> tuple[ExpLinear, Request | None]:
    """Return the most that can be collected, and the request that does it; None is to stop."""
    stop = stakes.end(position)
    if not position.mass[stakes.pair[0]]:  # impossible under x: nothing is collected from here on
        return stop, None
    options = [
        (stakes.after(position, r), r)
        for r in position.requests()
        if not is_idle(*_answer(rule, position, r))
    ]
    best = max(options, key=lambda option: option[0], default=(stop, None))
    return best if best[0] > stop else (stop, None)


def is_idle(decision: Decision, before: Hashable, after: Hashable) -> bool:
    """Return whether a request was refused and the filter remembers nothing of it."""
    return decision is Decision.REFUSE and before == after


def _answer(
    rule: Filter[Any], position: Position, request: Request
) -> tuple[Decision, Hashable, Hashable]:
    """Return the filter's answer, and its state before and after a refusal."""
    decision, after = send(rule, position, request)
    refused = after.get("") if decision is Decision.REFUSE else None
    return decision, position.state, refused.state if refused else None


_End = tuple[int, Output, Position]
"""The last turn of a transcript, its last output, and the position in which it ends."""


def _turns(rule: Filter[Any], first: Position, stakes: Stakes) -> tuple[list[Turn], list[_End]]:
    """Return the turns of the best adversary in the order of play, and where transcripts end."""
    turns: list[Turn] = []
    ends: list[_End] = []
    todo: list[_End] = [(-1, "", first)]
    for source, y, position in todo:  # grows while it is read: breadth first
        request = best_request(rule, position, stakes)[1]
        if request is None:
            ends.append((source, y, position))
            continue
        decision, after = send(rule, position, request)
        here = len(turns)
        turns.append(_turn(position, request, decision, after, stakes))
        if source >= 0:
            turns[source].then[y] = here
        if decision is Decision.HALT:
            ends.append((here, "", position))
        else:
            onward = [(here, z, there) for z, there in after.items()]
            (ends if decision is Decision.LAST else todo).extend(onward)
    return turns, ends


def _turn(
    position: Position,
    request: Request,
    decision: Decision,
    after: dict[Output, Position],
    stakes: Stakes,
) -> Turn:
    node = node_after(position.step.mechanism, position.output).id
    report = stakes.report
    reported = {y: report(there) for y, there in after.items()} if report else {}
    return Turn(node, position.state, request, decision, dict.fromkeys(after), reported)
