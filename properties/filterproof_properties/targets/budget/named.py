"""A budget object as a target: `shop.py:Budget --spend spend` is asked like any filter.

The object is asked for what a mechanism costs in its currency; what the currency cannot express is
refused without asking.  A request's name says which of the arguments that the caller may choose are
chosen, so that a search over requests is a search over these.
"""

import sys
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar
from zlib import crc32

from filterproof.budget_calls import BudgetCalls, complete, to_table
from filterproof.exact import Epsilon
from filterproof.filter import Decision, ProtocolError
from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Mechanism, Step
from filterproof.game.law import Declared, Output
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.costs import cost, opening_values
from filterproof_properties.targets.budget.currencies import Budget, Values
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.names import is_service, named
from filterproof_properties.targets.budget.player import Player
from filterproof_properties.targets.budget.plays import (
    COPY,
    FORK,
    RELOAD,
    REPLAY,
    Event,
    FreshProcesses,
    Past,
    Plays,
    aside,
    asked,
    played,
    started,
)
from filterproof_properties.targets.budget.services import service_player
from filterproof_properties.targets.target import Declined, TargetError

DAY = 86400.0
WAITS = (0.0, DAY, 31 * DAY)
"""How long is waited before a request, where there is a clock: not at all, a day, a month."""
HOUR = (3600.0,)
SET = (*HOUR, -3600.0)
"""What is waited in long plays only.  A clock that is set may be set back, as when summer ends; one
that only counts up never is."""
ZERO = "zero"
"""How the name of a request begins that says nothing, and is put to the object all the same."""
PARTS = tuple("abcdefghi")
"""The parts that a request may be about; what tells the databases apart is in the first."""
OTHERS = tuple(f"@{part}" for part in PARTS[1:])
"""How the name of a request ends that is about another part, or to another object."""
OTHER = OTHERS[0]
NOTHING = Declared(Fraction(1), Fraction(0))


@dataclass(frozen=True)
class Choice:
    """What the caller chooses with a request: the call, its other arguments, and the time."""

    call: int = 0
    arguments: Values = ()
    wait: float = 0.0


def choices(calls: BudgetCalls) -> tuple[Choice, ...]:
    """Return all that a caller can choose, the plainest first."""
    return (*usual_choices(calls), *_each(calls, rare_waits(calls)))


def usual_choices(calls: BudgetCalls) -> tuple[Choice, ...]:
    """Return what a caller can choose without waits for long plays."""
    return _each(calls, WAITS if calls.clock else WAITS[:1])


def _each(calls: BudgetCalls, waits: tuple[float, ...]) -> tuple[Choice, ...]:
    names = [one.name for one in calls.chosen]
    arguments = [tuple(zip(names, some, strict=True)) for some in _values(calls)]
    return tuple(Choice(*one) for one in product(range(len(calls.spend)), arguments, waits))


def rare_waits(calls: BudgetCalls) -> tuple[float, ...]:
    """Return how long is waited in long plays only.

    >>> [len(rare_waits(BudgetCalls(("spend",), clock=one))) for one in ("", "time.time")]
    [0, 2]
    """
    if not calls.clock:
        return ()
    return HOUR if "monotonic" in calls.clock or "perf" in calls.clock else SET


def passing(seconds: float) -> str:
    """Say that time passes.

    >>> passing(86400.0), passing(-3600.0)
    ('1 day passes', 'the clock is set back by an hour')
    """
    if seconds < 0:
        return "the clock is set back by an hour"
    if seconds < DAY:
        return "an hour passes"
    return "1 day passes" if seconds == DAY else f"{seconds / DAY:g} days pass"


def _values(calls: BudgetCalls) -> list[tuple[Any, ...]]:
    return [*product(*(one.values for one in calls.chosen))]


def chosen(options: tuple[Choice, ...], request: str) -> Choice:
    """Return what a request chooses: `name|3` the fourth choice, another name any, but always it.

    >>> options = (Choice(0), Choice(1))
    >>> chosen(options, "ask|1").call, chosen(options[:1], "anything").call
    (1, 0)
    """
    _, bar, number = request.partition("|")
    if bar and number.isdecimal():
        return options[int(number) % len(options)]
    return options[crc32(request.encode()) % len(options)]


@dataclass(frozen=True)
class BudgetFilter:
    """A filter whose state is what has happened to the object: all requests, also refused ones."""

    calls: BudgetCalls
    budget: Budget
    plays: "Plays | FreshProcesses" = field(compare=False)
    options: tuple[Choice, ...]

    markov: ClassVar[bool] = True

    def start(self) -> Past:
        """Return that nothing has happened yet."""
        return ()

    def decide(self, state: Past, step: Step) -> tuple[Decision, Past]:
        """Put the request to the object; what says nothing runs without asking, as a rule."""
        if not step.index or costs_nothing(step, but=ZERO):
            return Decision.CONTINUE, state
        event = event_of(self.calls, self.budget, self.options, step)
        if event is None:
            return Decision.REFUSE, state
        past = (*state, event)
        try:
            granted = self.plays.granted(past)
        except (Fault, ProtocolError) as error:
            if costs_nothing(step):  # an object need not have an answer to that
                return Decision.REFUSE, state
            raise ProtocolError(str(error)) from None
        return (Decision.CONTINUE if granted else Decision.REFUSE), past

    def observe(self, state: Past, step: Step, output: Output) -> Past:
        """Note that the mechanism has failed, if that is what was released."""
        if output != FAILS or not state or not step.index or costs_nothing(step):
            return state
        return (*state[:-1], state[-1]._replace(failed=True))


def costs_nothing(step: Step, but: str = "") -> bool:
    """Whether a request costs nothing; `but` is how the names begin for which that is not said."""
    excepted = bool(but) and step.request.startswith(but)
    return step.mechanism.declared == NOTHING and not excepted


def event_of(
    calls: BudgetCalls, budget: Budget, options: tuple[Choice, ...], step: Step
) -> Event | None:
    """Return what is put to the object; None where its currency has no word for it."""
    choice = chosen(options, step.request)
    call = calls.spend[choice.call]
    costs = cost(calls.kind(call), calls, step.mechanism, budget)
    place = place_of(calls, step.request)
    if costs is None or (place and not is_silent(step.mechanism)):
        return None
    part = ((calls.part, PARTS[place]),) if calls.part else ()
    instance = min(place, calls.instances - 1)
    return Event(choice.call, (*costs, *choice.arguments, *part), instance, choice.wait)


def place_of(calls: BudgetCalls, request: str) -> int:
    """Return which part of the data a request is about, or which object it is put to: 0, or more.

    >>> calls = BudgetCalls(("spend(epsilon, table)",), part="table")
    >>> [place_of(calls, name) for name in ("ask", "ask@a", "ask|1@c")]
    [0, 0, 2]
    """
    ending = request[-2:]
    return 1 + OTHERS.index(ending) if _has_others(calls) and ending in OTHERS else 0


def _has_others(calls: BudgetCalls) -> bool:
    return bool(calls.part) or calls.instances > 1


def is_silent(mechanism: Mechanism) -> bool:
    """Whether no pair of neighbours can be told apart by the output."""
    rows = mechanism.law.values()
    return all(row[x] == row[x_] for row in rows for x, x_ in mechanism.pairs)


@dataclass
class BudgetTarget:
    """Makes filters from a budget object that is named; its code is loaded here."""

    target: str
    calls: BudgetCalls
    patience: float = Limits.timeout  # of a service's answers
    claims: ClassVar[tuple[str, ...]] = ("dp",)

    def __call__(self, epsilon: Epsilon, delta: Fraction) -> BudgetFilter:
        """Return the filter for a budget; an object that rejects the budget declines."""
        budget = opening_values(self.calls, (epsilon, delta))
        if unknown := self.calls.opened_with & MISSING - {*dict(budget)}:
            raise ValueError(f"delta = 0 is no budget in {', '.join(sorted(unknown))}")
        if delta == 0 and self.without_delta:
            raise ValueError(self.without_delta)
        return BudgetFilter(self.calls, (epsilon, delta), self.answers(budget), choices(self.calls))

    def answers(self, budget: Values) -> "Plays | FreshProcesses":
        """Return the object at one budget, ready to be asked."""
        if self.how == FORK:
            return FreshProcesses(self.process, budget)
        found = Plays(self.player, budget, self.how)
        found.opened()  # a budget that it rejects is declined
        return found

    @cached_property
    def without_delta(self) -> str:
        """What goes wrong at delta = 0 with a request that fits; "" if nothing does."""
        if "delta" not in self.calls.opened_with:
            return ""
        from filterproof_properties.targets.budget import completing, trial  # load numpy

        event = trial.event(self.calls, trial.QUARTER)
        event["values"] |= {"delta": 0.0} if "delta" in event["values"] else {}
        budget = {**completing.budget(self.calls), "delta": 0.0}
        try:
            self.put({"budget": budget, "events": [event]})
        except ProtocolError as error:
            return f"it has no answer at delta = 0: {error}"
        except Declined:
            return ""
        return ""

    def load(self) -> None:
        """Load the class now, so that what is wrong with its file is said at once."""
        self.player.open  # noqa: B018

    def put(self, question: dict[str, Any]) -> Any:
        """Put requests to a fresh object."""
        if is_service(self.target):
            return played(self.player, question)
        return asked(self.process, question)

    @cached_property
    def words(self) -> dict[str, Any]:
        """The table that a player reads."""
        return {**to_table(self.calls), "target": self.target}

    @cached_property
    def process(self) -> Any:
        """The process that is copied for every play."""
        return started(self.calls.python or sys.executable, self.words)

    @cached_property
    def player(self) -> Player:
        """The player of this process."""
        if is_service(self.target):
            return service_player(self.target, self.calls, patience=self.patience)
        try:
            return Player(self.words)
        except Fault as error:
            raise TargetError(str(error)) from None

    @cached_property
    def how(self) -> str:
        """How the same past is reached twice, found out in a copy of this process."""
        if is_service(self.target):
            return REPLAY
        if self.calls.python:
            return FORK
        found: str = aside(lambda: how_to_repeat(self.player, self.calls))
        return found


MISSING = {"rho", "mu", "rdp", "orders"}
"""What an object cannot be opened with where delta = 0."""


MORE_THAN_HALF = 3 / 5
"""What is granted once, also by a budget that keeps a little back, and not twice."""


def how_to_repeat(player: Player, calls: BudgetCalls) -> str:
    """Return whether objects can be copied, or made afresh, without sharing what they remember."""
    from filterproof_properties.targets.budget import completing, trial  # load numpy

    budget = completing.budget(calls)
    one, other = player.open(budget), player.open(budget)
    for share in (trial.WHOLE, MORE_THAN_HALF):  # which may be all that rounds in its own favour
        too_much = trial.event(calls, share)
        if before := player.ask(one, too_much).granted:
            break
    if calls.instances > 1 or any(
        player.ask(it, too_much).granted != before for it in (other, player.open(budget))
    ):
        return RELOAD if are_fresh(player, budget, too_much, before) else FORK
    try:
        original = player.open(budget)
        player.ask(deepcopy(original), too_much)
        return COPY if player.ask(original, too_much).granted == before else REPLAY
    except Exception:  # whatever a copy may raise: then it cannot be copied
        return REPLAY


def are_fresh(
    player: Player, budget: dict[str, Any], too_much: dict[str, Any], before: bool
) -> bool:
    """Whether objects answer as the first one did, each of a module that is loaded again."""
    if not player.is_reloadable:
        return False
    players = [player.reloaded() for _ in range(2)]
    return all(one.ask(one.open(budget), too_much).granted == before for one in players)


def load_budget(spec: str, patience: float = Limits.timeout) -> BudgetTarget:
    """Return the target that the words of a command line name; its class is loaded at once."""
    target, calls = named(spec)
    found = BudgetTarget(target, complete(calls), patience)
    if not calls.python:
        found.load()
    return found
