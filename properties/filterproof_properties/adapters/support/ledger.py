"""From "does this spend still fit?" to a filter: the helper behind every adapter.

A library object is stateful and most cannot be copied, while an audit walks a tree.  So the
state of the filter is the tuple of what was spent so far, and each question replays that tuple
on a fresh object of the library.  Answers are memoised by the sequence of spends.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from filterproof.directed_rounding import double_up, log_up
from filterproof.filter import Decision
from filterproof.filters.ledger_bugs import FAILS as FAILS
from filterproof.game import Step
from filterproof.game.law import Output

MEMO = 200_000
"""How many answers an adapter remembers."""

Asked = TypeVar("Asked", bound=Hashable)


class Spend(NamedTuple):
    """A declared pair as doubles, rounded up; `failed` if the mechanism raised after it ran."""

    epsilon: float
    delta: float
    failed: bool = False


def declared_up(step: Step) -> Spend | None:
    """Return what a mechanism declares, rounded up; None where it says nothing at all."""
    odds, delta = step.mechanism.declared
    if odds == 1 and delta == 0:
        return None
    return Spend(log_up(odds), double_up(delta))


MARGIN = 2.0**-40
"""More than the rounding errors of an accountant that sums probabilities as doubles."""


def within(reported: float, delta: float) -> bool:
    """Whether an accountant's δ fits, with a margin: an excess found is then not one of rounding.

    >>> within(0.0, 0.0), within(0.1, 0.1), within(0.1, 0.2)
    (True, False, True)
    """
    return reported == 0 or reported + MARGIN <= delta


def lowered(ceiling: float) -> float:
    """Return a ceiling with a margin taken off, for a library that does the comparison itself.

    >>> lowered(0.0), 0.999999999999 < lowered(1.0) < 1.0
    (0.0, True)
    """
    return ceiling * (1 - MARGIN)


@dataclass(frozen=True)
class At:
    """A question `function(*budget, spent, asked)` at one budget; equal ones compare equal.

    >>> At(max, (3, 5))(1, 2)
    5
    """

    function: Callable[..., bool]
    budget: tuple[Hashable, ...]

    def __call__(self, spent: Any, asked: Any) -> bool:
        """Ask."""
        return self.function(*self.budget, spent, asked)


@dataclass
class Tips:
    """Live objects by what was spent on them: the next question on the same path needs no replay.

    For libraries to which a replay is dear.  `opened` makes a fresh object, `runs` spends on it.

    >>> tips = Tips(lambda budget: [budget], lambda left, cost: left[0] >= cost)
    >>> tips.admits(3, (), 2), len(tips.live), tips.admits(3, (2,), 4), len(tips.live)
    (True, 1, False, 0)
    """

    opened: Callable[[Any], Any]
    runs: Callable[[Any, Any], bool]
    most: int = 64
    live: dict[Any, Any] = field(default_factory=dict)

    def admits(self, budget: Hashable, spent: tuple[Any, ...], asked: Any) -> bool:
        """Ask a live object on which just these spends were made, or else a replayed one."""
        found = self.live.pop((budget, spent), None) or self.replayed(budget, spent)
        granted = self.runs(found, asked)
        if granted:
            self.live[budget, (*spent, asked)] = found
            while len(self.live) > self.most:
                del self.live[next(iter(self.live))]
        return granted

    def replayed(self, budget: Hashable, spent: tuple[Any, ...]) -> Any:
        """Return a fresh object after these spends."""
        fresh = self.opened(budget)
        for spend in spent:
            self.runs(fresh, spend)
        return fresh


@dataclass(frozen=True)
class Ledger(Generic[Asked]):
    """Runs M_i iff `admits(spent, asked)`; otherwise answers with `refusal` and charges nothing.

    `asked` says what the library is told of a mechanism; None means that it is not asked, since
    the mechanism is silent.

    >>> from fractions import Fraction
    >>> from filterproof.witness import worst_case
    >>> from filterproof.palette import game, repeated, response
    >>> thrice = Ledger(lambda spent, asked: len(spent) < 3, declared_up)
    >>> str(worst_case(thrice, game(repeated(response(Fraction(2, 3)), 5)), Fraction(0)).value)
    '13/27'
    """

    admits: Callable[[tuple[Asked, ...], Asked], bool]
    asked: Callable[[Step], Asked | None]
    refusal: Decision = Decision.REFUSE

    markov: ClassVar[bool] = True

    def start(self) -> tuple[Asked, ...]:
        """Return that nothing is spent yet."""
        return ()

    def decide(self, state: tuple[Asked, ...], step: Step) -> tuple[Decision, tuple[Asked, ...]]:
        """Put the question to the library, which has seen the spends in `state`."""
        asked = self.asked(step) if step.index else None
        if asked is None:
            return Decision.CONTINUE, state
        if self.admits(state, asked):
            return Decision.CONTINUE, (*state, asked)
        return self.refusal, state


@dataclass(frozen=True)
class Watched(Ledger[Any]):
    """A ledger that also tells the library when a mechanism failed after touching the data.

    Its spends are named tuples with a field `failed`.
    """

    def observe(self, state: tuple[Any, ...], step: Step, output: Output) -> tuple[Any, ...]:
        """Mark the last spend as failed if the released output is the failure."""
        if output != FAILS or not step.index or self.asked(step) is None:
            return state
        return (*state[:-1], state[-1]._replace(failed=True))
