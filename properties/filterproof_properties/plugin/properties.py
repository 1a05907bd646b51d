"""The properties of a private filter, each tried by Hypothesis on cases that it draws and shrinks.

A property changes a case and computes the exact H of the filter there: over every transcript of
every adversary one by one ("transcripts"), or by the engine after a change that tells an adversary
no more (`relations`).  `run` tries one property on one target, wherever that target runs; with a
database a counterexample of an earlier run is tried first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic
from types import MappingProxyType

from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import target as steer
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.errors import Unsatisfiable

from filterproof.certificate import canonical
from filterproof.exact import Epsilon, ExpLinear, format_epsilon
from filterproof.filter import parameter_sets
from filterproof.game.json import game_to_json
from filterproof.odometer import is_odometer
from filterproof_properties.case import Case, Scored
from filterproof_properties.relations import (
    larger_delta,
    merge_outputs,
    permute_databases,
    post_process,
    quiet_rounds,
    rename_outputs,
    rename_requests,
    split_outputs,
    with_game,
)
from filterproof_properties.strategies import cases
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.target import Declined, Target
from filterproof_properties.targets.walk import rule_of
from filterproof_properties.transcripts import enumerate_worst

EXAMPLES = 200
"""So many cases each property is tried on unless another number is asked for: a few seconds."""
ADVERSARIES = 100
"""A case with more deterministic adversaries than this is too large to enumerate."""


class OnlyFilters(Exception):
    """A property that odometers do not have."""


class TooLarge(Declined):
    """A case whose transcripts are too many to enumerate."""


Worst = Callable[[Target, Case], ExpLinear]


def by_engine(target: Target, case: Case) -> ExpLinear:
    """Return the exact H of a filter (of an odometer P(loss > report)) by the engine."""
    return worst(rule_of(target, case), case.game, case.epsilon).value


def by_enumeration(target: Target, case: Case) -> ExpLinear:
    """Return the exact H over every event of every adversary's transcripts, one by one."""
    rule = rule_of(target, case)
    if is_odometer(rule):
        raise OnlyFilters("an odometer runs everything: its transcripts are not what it promises")
    found = enumerate_worst(rule, case.game, case.epsilon, limit=ADVERSARIES)
    if found is None:
        raise TooLarge("too many transcripts to enumerate")
    return found


@dataclass(frozen=True)
class Property:
    """A property's name, what it says, how it changes a case, and how H is computed there."""

    name: str
    statement: str
    change: Callable[[Case], Case]
    worst: Worst = by_engine

    def scored(self, target: Target, case: Case) -> Scored:
        """Return the changed case and the exact H that the strongest adversary reaches there."""
        changed = self.change(case)
        return Scored(changed, self.worst(target, changed))


class Broken(Exception):
    """A case on which a property fails, after its change."""

    def __init__(self, found: Scored) -> None:
        self.case = found.case
        at = f"epsilon = {format_epsilon(self.case.epsilon)}"
        super().__init__(f"H = {found.value} exceeds delta = {self.case.delta} at {at}")


PROPERTIES: Mapping[str, Property] = MappingProxyType(
    {
        one.name: one
        for one in (
            Property(
                "transcripts",
                "P_x(S) <= e^eps P_x'(S) + delta, for every event S of every adversary",
                lambda case: case,
                by_enumeration,
            ),
            Property("rename-outputs", "under other outputs' names", with_game(rename_outputs)),
            Property("rename-requests", "under other requests' names", with_game(rename_requests)),
            Property("permute-databases", "databases change places", with_game(permute_databases)),
            Property("split-outputs", "outputs are split in proportion", with_game(split_outputs)),
            Property("merge-outputs", "outputs are merged", with_game(merge_outputs)),
            Property("post-process", "outputs are made noisier", with_game(post_process)),
            Property("quiet-rounds", "rounds that say nothing between", with_game(quiet_rounds)),
            Property("larger-delta", "with a larger delta", larger_delta),
        )
    }
)
"""What holds of every private filter: on every drawn case, and after each of these changes."""


@dataclass(frozen=True)
class Tried:
    """How a property fared: on so many cases, and the smallest one that breaks it.

    `first` is the number of the example on which it was first seen to fail.
    """

    tried: int
    declined: int
    broken: Broken | None = None
    first: int = 0


class Trial:
    """One property on one target: counts, stops in time, remembers what it has seen."""

    def __init__(self, one: Property, target: Target, seconds: float | None) -> None:
        self.property, self.target = one, target
        self.end = None if seconds is None else monotonic() + seconds
        self.known: dict[str, Broken | None] = {}
        self.tried = self.declined = self.first = 0

    def __call__(self, case: Case) -> None:
        """Raise `Broken` if the property fails on this case."""
        key = _key(case)
        if key not in self.known:
            if self.end is not None and monotonic() > self.end:
                return
            self.known[key] = self._broken_on(case)
        if (found := self.known[key]) is not None:
            self.first = self.first or self.tried
            raise found

    def _broken_on(self, case: Case) -> Broken | None:
        try:
            found = self.property.scored(self.target, case)
        except Declined:
            self.declined += 1
            reject()
        self.tried += 1
        if case.delta:
            steer(found.ratio)  # Hypothesis draws more of what comes near the budget
        return Broken(found) if found.violated else None


def _key(case: Case) -> str:
    budget = f"{format_epsilon(case.epsilon)} {case.delta} {sorted(case.parameters.items())!r}"
    return f"{budget} {canonical(game_to_json(case.game))}"


def run(
    one: Property,
    target: Target,
    *,
    examples: int = EXAMPLES,
    seconds: float | None = None,
    epsilon: Epsilon | None = None,
    delta: Fraction | None = None,
    database: Path | None = None,
) -> Tried:
    """Try a property on so many drawn cases; yesterday's counterexample in the database first.

    Without a database the cases are the same in every run.
    """
    trial = Trial(one, target, seconds)
    stored = None if database is None else DirectoryBasedExampleDatabase(database)
    chosen = settings(
        max_examples=examples,
        database=stored,
        derandomize=database is None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
        report_multiple_bugs=False,
        phases=[Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
    )

    def offer(epsilon: Epsilon, delta: Fraction, depth: int) -> list[dict[str, object]]:
        return parameter_sets(target, epsilon, delta, depth)

    @chosen
    @given(cases(epsilon=epsilon, delta=delta, parameters=offer, max_rounds=3, max_requests=2))
    def check(case: Case) -> None:
        trial(case)

    try:
        check()
    except Broken as broken:
        return Tried(trial.tried, trial.declined, broken, trial.first)
    except Unsatisfiable:
        return Tried(trial.tried, trial.declined)
    return Tried(trial.tried, trial.declined)
