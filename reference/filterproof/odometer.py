"""What an odometer is: it lets every request run, and says after each round what was lost so far.

An odometer has the interface of a filter and one method more, `reported(state)`: the ε_t that it
claims after round t.  Its promise (Rogers, Roth, Ullman and Vadhan, 2016) is that for every
adaptive adversary and every ordered pair (x, x′)

    P_x(L_t > ε_t for some t)  <=  δ,

where L_t is the realised loss.  This bounds the loss itself.  It is more than (ε, δ)-DP, which
bounds H: where an odometer keeps its promise, halting before it would report more than ε is an
(ε, δ)-DP filter (`Enforced`), and not the other way round.

The event grows with t, so the strongest adversary stops at the first moment at which the loss
exceeds the report, and collects P_x of what it has seen:

    V(history) = P_x(history)                      if the loss exceeds what is reported there,
                 max over r of sum over y of V     otherwise (0 where nothing can be asked).

There is no e^ε in V, so it is a rational number.  Here it is computed in the plain way of
`adversary`; `engine.by_position.reports` gives the same numbers sooner.
"""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import cache
from math import inf
from typing import Any, Protocol, runtime_checkable

from filterproof.adversary import Position, send
from filterproof.exact import (
    Epsilon,
    ExactError,
    ExpLinear,
    Log,
    budget,
    exceeds,
    format_epsilon,
    parse_epsilon,
)
from filterproof.filter import Decision, Filter, ProtocolError, ask, is_markov, observe, start
from filterproof.game import OPENING, Game, Request, Step, opening
from filterproof.game.law import Output, Pair
from filterproof.palette import game, reveal
from filterproof.witness import Stakes, WorstCase, unfold

INFINITE = inf
"""What an odometer reports where it claims no bound: no loss exceeds it, not even an infinite one.

It is the one double that is accepted; every other report is a rational or a `Log`.
"""
Reported = Epsilon | float
RULE = "reported() must return an int or a Fraction >= 0, Log(q) or math.inf"


@runtime_checkable
class Odometer(Protocol):
    """The interface of an odometer; `observe` and `markov` are optional, as for a filter."""

    def start(self) -> Any:
        """Return the state before the opening round."""
        ...

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        """Answer CONTINUE, and carry the state on: an odometer enforces nothing."""
        ...

    def reported(self, state: Any) -> Any:
        """Return ε_t in this state: an int or a Fraction >= 0, a `Log`, or `INFINITE`."""
        ...


def report_of(rule: Any, state: Hashable) -> Reported:
    """Return what the odometer reports in a state, checked."""
    try:
        said = rule.reported(state)
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"reported() raised {type(error).__name__}: {error}") from error
    return checked_report(said)


def checked_report(said: Any) -> Reported:
    """Return a report as it is if it is one.

    >>> checked_report(0.5)
    Traceback (most recent call last):
    filterproof.filter.ProtocolError: reported() must return an int or a Fraction >= 0, \
Log(q) or math.inf; got 0.5
    """
    if type(said) is float and said == INFINITE:
        return INFINITE
    try:
        return budget(said)
    except ExactError:
        raise ProtocolError(f"{RULE}; got {said!r:.80}") from None


def reports(rule: Any, states: Iterable[Hashable]) -> dict[Hashable, Reported]:
    """Return the report in each state: one by one, or at once where `reported_many` is offered."""
    wanted = list(dict.fromkeys(states))
    many = getattr(rule, "reported_many", None)
    if many is None:
        return {state: report_of(rule, state) for state in wanted}
    return dict(zip(wanted, many(wanted), strict=True))


def is_odometer(rule: Any) -> bool:
    """Return whether this is audited as an odometer: it reports, and it refuses nothing.

    What shows that is a request which reveals x: no filter with δ < 1 may run it.

    >>> from filterproof.filters.run_all import RunAll
    >>> is_odometer(RunAll())
    False
    """
    if getattr(rule, "reported", None) is None:
        return False
    first = opening(revealing_game())
    decision, state = ask(rule, start(rule), first)
    if decision is not Decision.CONTINUE:
        return False
    seen = observe(rule, state, first, OPENING)
    runs = ask(rule, seen, first.next(OPENING, "ask"))[0]
    return runs in (Decision.CONTINUE, Decision.LAST)


@cache
def revealing_game() -> Game:
    """Return the game that tells odometers from filters."""
    return game(reveal())


def exceeds_report(w: Fraction, w_: Fraction, report: Reported) -> bool:
    """Return whether the loss log(w/w′) exceeds what is reported, decided exactly.

    >>> exceeds_report(Fraction(2), Fraction(1), Log(Fraction(2)))
    False
    >>> [exceeds_report(Fraction(1), Fraction(0), one) for one in (Fraction(60), INFINITE)]
    [True, False]
    """
    return not isinstance(report, float) and exceeds(w, w_, report)


def format_report(report: Reported) -> str:
    """Write a report the way `parse_report` reads it."""
    return "inf" if isinstance(report, float) else format_epsilon(report)


def parse_report(text: str) -> Reported:
    """Read a report: a rational, "log(p/q)" or "inf".

    >>> parse_report("log(3/2)"), parse_report("inf")
    (Log(argument=Fraction(3, 2)), inf)
    """
    return INFINITE if text == "inf" else parse_epsilon(text)


def at_most(one: Reported, other: Reported) -> bool:
    """Return whether one report is at most another; a rational and a logarithm never tie but at 0.

    >>> at_most(Log(Fraction(2)), Fraction(7, 10)), at_most(Fraction(7, 10), Log(Fraction(2)))
    (True, False)
    """
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(other, float)
    if isinstance(one, Log):
        return not exceeds(one.argument, Fraction(1), other)
    if isinstance(other, Log):
        return ExpLinear(other.argument, -1, one) >= 0
    return one <= other


# --- the exact audit: the specification -----------------------------------------------------


def worst_report(rule: Filter[Any], game: Game, epsilon: Epsilon) -> WorstCase:
    """Return the largest P_x(L_t > ε_t for some t) over pairs and adversaries, and its play.

    The ε is that of the case at hand; the value does not depend on it.
    """

    def stakes(pair: Pair) -> Stakes:
        return Stakes(
            pair,
            lambda position: ExpLinear(_mass_beyond(rule, position, pair), 0, epsilon),
            lambda position, r: ExpLinear(_value_after(rule, position, r, pair), 0, epsilon),
            lambda position: report_of(rule, position.state),
        )

    return unfold(rule, game, [stakes(pair) for pair in game.pairs], epsilon)


def value(rule: Filter[Any], position: Position, pair: Pair) -> Fraction:
    """Return V(position): the probability with which the loss is above a report by then or later.

    A report that is exceeded cannot be taken back, so the adversary has won there.
    """
    if won := _mass_beyond(rule, position, pair):
        return won
    options = [_value_after(rule, position, r, pair) for r in position.requests()]
    return max(options, default=Fraction(0))


def _value_after(rule: Filter[Any], position: Position, request: Request, pair: Pair) -> Fraction:
    decision, after = send(rule, position, request)
    if decision is Decision.HALT:
        return _mass_beyond(rule, position, pair)
    possible = [there for there in after.values() if there.mass[pair[0]]]
    worth = _mass_beyond if decision is Decision.LAST else value
    return sum((worth(rule, there, pair) for there in possible), Fraction(0))


def _mass_beyond(rule: Filter[Any], position: Position, pair: Pair) -> Fraction:
    """Return P_x of the transcript so far if its loss exceeds what is reported here, else 0."""
    p, q = (position.mass[x] for x in pair)
    return p if exceeds_report(p, q, report_of(rule, position.state)) else Fraction(0)


# --- an odometer used as a filter -----------------------------------------------------------


class Enforced:
    """The odometer as a filter: runs M_i iff no output could make it report more than ε.

    If the odometer keeps its promise, P_x(L^(T) > ε) <= δ, so this is (ε, δ)-DP.
    """

    def __init__(self, rule: Any, epsilon: Epsilon) -> None:
        self.rule, self.epsilon = rule, epsilon
        self.markov = is_markov(rule)

    def start(self) -> Hashable:
        """Return the odometer's first state."""
        return start(self.rule)

    def decide(self, state: Hashable, step: Step) -> tuple[Decision, Hashable]:
        """Halt where some output would be followed by a report above ε."""
        decision, after = ask(self.rule, state, step)
        if decision is Decision.HALT or decision is Decision.REFUSE:
            return decision, after
        states = [observe(self.rule, after, step, y) for y in step.mechanism.law]
        fits = all(at_most(one, self.epsilon) for one in reports(self.rule, states).values())
        return (decision, after) if fits else (Decision.HALT, state)

    def observe(self, state: Hashable, step: Step, output: Output) -> Hashable:
        """Pass y_i on to the odometer."""
        return observe(self.rule, state, step, output)
