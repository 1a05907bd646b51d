"""The expected number of rounds that a filter runs on a game, exactly.

One convention throughout: the database is equally likely to be any of them, and the analyst sends
any request of the menu with the same probability (after a refusal, any of the others).  So the
number is linear in what the filter runs, and `optimum` can maximise it.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ask, is_markov, observe, parameter_sets, start
from filterproof.filters.registry import Entry
from filterproof.game import OPENING, Game, Request, Step, coprime, node_after, opening
from filterproof.game.law import Output

MOST_PLACES = 200_000
"""How many positions are visited before a game counts as too large."""


class GameTooLarge(ValueError):
    """A game with too many positions to average over."""


def expected_rounds(rule: Filter[Any], game: Game) -> Fraction:
    """Return the expected number of mechanisms that run before the play is over.

    >>> from filterproof.filters.naive import Naive
    >>> from filterproof.palette import erasure, game, repeated
    >>> twice = game(repeated(erasure(Fraction(1, 10)), 2))
    >>> expected_rounds(Naive(Fraction(1), Fraction(1, 10)), twice)
    Fraction(19, 10)
    """
    step = opening(game)
    decision, state = ask(rule, start(rule), step)
    if decision is not Decision.CONTINUE:
        return Fraction(0)
    seen = observe(rule, state, step, OPENING)
    return _Count(rule).after(step, OPENING, seen, ()) / len(game.databases)


class _Count:
    """Adds up, over the databases, likelihood times rounds; histories that agree are merged.

    Sums are kept per unit of the masses scaled to coprime integers.
    """

    def __init__(self, rule: Filter[Any]) -> None:
        self.rule = rule
        self.markov = is_markov(rule)
        self.known: dict[object, Fraction] = {}

    def after(
        self, last: Step, y: Output, state: Hashable, refused: tuple[Request, ...]
    ) -> Fraction:
        """Return the sum for what follows y."""
        menu = node_after(last.mechanism, y)
        mass = tuple(coprime(last.released(y)).values())
        history = () if self.markov else (*last.history, (last.request, y))
        key = (last.index, menu.id, mass, state, refused, history)
        if key not in self.known:
            if len(self.known) >= MOST_PLACES:
                raise GameTooLarge(f"the game has more than {MOST_PLACES} positions")
            asked = [request for request in menu if request not in refused]
            sums = [self.sum_if_sent(last, y, state, refused, request) for request in asked]
            self.known[key] = sum(sums, Fraction(0)) / max(1, len(asked))
        return self.known[key]

    def sum_if_sent(
        self,
        last: Step,
        y: Output,
        state: Hashable,
        refused: tuple[Request, ...],
        request: Request,
    ) -> Fraction:
        """Return the sum if this request is sent."""
        step = last.next(y, request)
        decision, after = ask(self.rule, state, step)
        if decision is Decision.HALT:
            return Fraction(0)
        if decision is Decision.REFUSE:
            return self.after(last, y, after, (*refused, request))
        one = sum(step.mass.values(), Fraction(0))
        if decision is Decision.LAST:
            return one
        return one + sum((self.sum_after(step, z, after) for z in step.mechanism.law), Fraction(0))

    def sum_after(self, step: Step, y: Output, state: Hashable) -> Fraction:
        """Return the sum for what follows y, on the scale of the step's masses."""
        mass = step.released(y)
        whole = sum(mass.values(), Fraction(0))
        if not whole:
            return whole
        scale = whole / sum(coprime(mass).values(), Fraction(0))
        return scale * self.after(step, y, observe(self.rule, state, step, y), ())


# --- a table to compare filters -------------------------------------------------------------


class Playable(Protocol):
    """A named game with a budget."""

    @property
    def name(self) -> str:
        """What the game is called."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def epsilon(self) -> Epsilon:
        """The budget's ε."""

    @property
    def delta(self) -> Fraction:
        """The budget's δ."""


def most_rounds(entry: Entry, case: Playable) -> Fraction:
    """Return the expected rounds with the best of the parameter sets that the filter offers."""
    offered = parameter_sets(entry.target, case.epsilon, case.delta, case.game.depth)
    rules = (entry.target(case.epsilon, case.delta, **parameters) for parameters in offered)
    return max(expected_rounds(rule, case.game) for rule in rules)


def comparison_rows(
    entries: Iterable[Entry], cases: Sequence[Playable]
) -> list[tuple[str, list[Fraction]]]:
    """Return (filter, expected rounds on each game), in the order given."""
    return [(one.name, [most_rounds(one, case) for case in cases]) for one in entries]
