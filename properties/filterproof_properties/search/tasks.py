"""One task of a campaign at work: it plays cases against a target and keeps the worst.

A task is plain data with its own seed, so it gives the same result in any process.  It either
plays an attack family at one budget, draws games with Hypothesis (guided towards larger H/δ),
grows a game against the filter's own answers, fills branches, paths or single rounds as far as
these allow, or plays every game of a small space.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from random import Random
from time import monotonic
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.strategies import SearchStrategy

from filterproof.certificate import canonical
from filterproof.exact import Epsilon, ExpLinear, format_epsilon
from filterproof.fast import worst_case
from filterproof.filter import Filter, ProtocolError, parameter_sets
from filterproof.game import Game
from filterproof.game.json import game_from_json, game_to_json, load_json
from filterproof_properties.audit.claims import CLAIMS
from filterproof_properties.case import Case, Scored
from filterproof_properties.games import strategies
from filterproof_properties.games.families import FAMILIES, made
from filterproof_properties.games.small_spaces import bounds_at, games_within
from filterproof_properties.games.thresholds import pool
from filterproof_properties.search.branches import brim_cases
from filterproof_properties.search.climbing import (
    Elites,
    Knob,
    climb,
    grow,
    keep,
    knobs_at,
    sharpest,
)
from filterproof_properties.search.paths import DELTAS, EPSILONS, march_cases, single_cases
from filterproof_properties.settings import SearchSettings
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.guard import TimeIsUp, ending
from filterproof_properties.targets.target import Declined, Target

PARTS = 4
"""The spaces that are searched in full are split into so many tasks."""


@dataclass(frozen=True)
class Task:
    """One independent piece of a campaign: kind, budget, seed and how many cases to try."""

    number: int
    kind: str
    seed: int
    budget: tuple[Epsilon | None, Fraction | None]
    examples: int
    settings: SearchSettings
    family: str = ""
    start: int = 0

    def fixed(self) -> tuple[Epsilon, Fraction]:
        """Return the budget of a task that has both parts of one."""
        epsilon, delta = self.budget
        if epsilon is None or delta is None:
            raise ValueError(f"a task of kind {self.kind!r} needs a budget; got {self.budget}")
        return epsilon, delta


@dataclass(frozen=True)
class TaskResult:
    """What a task tried, the worst it met, and the violating case if there is one."""

    number: int
    kind: str
    tried: int
    declined: int
    shapes: Counter[tuple[int, int]]
    best: Scored | None = None
    violation: Case | None = None
    detail: str = ""
    error: str = ""
    proved: tuple[tuple[str, int], ...] = ()  # a space, and which part of it was played in full


class _Stop(BaseException):
    """Ends a task at once; no `except Exception` on the way, Hypothesis included, holds it."""


class Run:
    """One task at work on one target."""

    def __init__(self, task: Task, target: Target, seconds: float | None) -> None:
        self.task, self.target = task, target
        self.deadline = None if seconds is None else monotonic() + seconds
        self.claim = CLAIMS[task.settings.claim]
        self.games = self.tried = self.declined = 0
        self.shapes: Counter[tuple[int, int]] = Counter()
        self.best: Scored | None = None
        self.elites: Elites = {}
        self.violation: Case | None = None
        self.detail = self.error = ""
        self.proved: tuple[tuple[str, int], ...] = ()

    def result(self) -> TaskResult:
        """Do the work and return what came out."""
        with suppress(_Stop, TimeIsUp):
            WORK[self.task.kind](self)
        return TaskResult(
            self.task.number,
            self.task.kind,
            self.tried,
            self.declined,
            self.shapes,
            self.best,
            self.violation,
            self.detail,
            self.error,
            self.proved,
        )

    def play(self, case: Case) -> Scored | None:
        """Play the target on a case, with every parameter set it offers; keep the best."""
        if self.games >= self.task.examples:
            raise _Stop
        self.games += 1
        best = None
        for parameters in self.parameter_sets(case):
            found = self.play_one(replace(case, parameters=parameters))
            if found is not None and found.beats(best):
                best = found
        return best

    def play_one(self, case: Case) -> Scored | None:
        """Play the target on a case as it stands."""
        if self.deadline is not None and monotonic() > self.deadline:
            raise _Stop
        try:
            found = self.judged(case)
        except Declined:
            self.declined += 1
            return None
        except ProtocolError as error:
            self.error = f"{case.name}: {error}"
            raise _Stop from error
        self.tried += 1
        self.shapes[case.game.depth, len(case.game.databases)] += 1
        self.best = found if found.beats(self.best) else self.best
        if self.task.kind == "drawn":
            keep(self.elites, found)
        if self.violation is not None:
            raise _Stop
        return found

    def in_time(self, cases: Iterator[Case]) -> Iterator[Case]:
        """Yield cases whose making asks the target, as long as there is time."""
        while True:
            with ending(self.target, self.deadline):
                case = next(cases, None)
            if case is None:
                return
            yield case

    def judged(self, case: Case) -> Scored:
        """Return the score of a case; a broken claim is recorded as the violation."""
        if self.claim.name != "dp":
            self.note(case, self.claim.breach(self.target, case))
            return Scored(case, ExpLinear(0, 0, case.epsilon))
        rule = make_filter(self.target, case.epsilon, case.delta, dict(case.parameters))
        with ending(self.target, self.deadline):
            value = worst_case(rule, case.game, case.epsilon).value
        if value > case.delta and self.survives_writing(case):
            self.note(written(case), f"H = {value} exceeds delta = {case.delta}")
        hidden = Fraction(0)
        if not case.delta and value == 0:
            hidden = worst_case(rule, case.game, Fraction(0)).value.a
        return Scored(case, value, hidden)

    def survives_writing(self, case: Case) -> bool:
        """Whether the case is still a violation after its game was written down and read again.

        JSON does not keep the order of requests and outputs, and a filter may look at it.
        """
        return not self.claim.holds(self.target, written(case))

    def note(self, case: Case, breach: str | None) -> None:
        """Remember the first violation."""
        if breach is not None:
            self.violation, self.detail = case, breach

    def parameter_sets(self, case: Case) -> list[dict[str, Any]]:
        """Return what to pass to the target: made for this depth, and for one round less."""
        if case.parameters:
            return [dict(case.parameters)]
        return offered(self.target, case)

    def pool(self) -> tuple[Fraction, ...]:
        """Return the thresholds of the target at the task's budget."""
        epsilon, delta = self.task.budget
        if epsilon is None or delta is None:
            return (delta,) if delta else ()
        return pool(self.target, epsilon, delta, range(1, 4))

    def improve(self, steps: int) -> None:
        """Search locally from the best cases so far."""
        if self.claim.name == "dp":
            free = self.task.budget == (None, None) and not parametrised(self.target)
            climb(self.elites, self.play, Random(self.task.seed).randrange, steps, free)


def parametrised(target: Target) -> bool:
    """Return whether parameters go with a budget, so that a budget cannot move on its own."""
    return hasattr(target, "parameters")


def written(case: Case) -> Case:
    """Return the case with its game as a certificate holds it: names in sorted order."""
    text = canonical(game_to_json(case.game))
    return replace(case, game=game_from_json(load_json(text)))


def offered(target: Target, case: Case) -> list[dict[str, Any]]:
    """Return the parameter sets made for this game's depth, for one round less and for one."""
    depths = dict.fromkeys((case.game.depth, max(1, case.game.depth - 1), 1))
    sets = [
        one for depth in depths for one in parameter_sets(target, case.epsilon, case.delta, depth)
    ]
    return [one for i, one in enumerate(sets) if one not in sets[:i]]


def run_attacks(run: Run) -> None:
    """Play a stretch of one family at one budget."""
    task = run.task
    family = FAMILIES[task.family](*task.fixed(), run.pool())
    for case in islice(family, task.start, task.start + task.examples):
        run.play(case)


def run_drawn(run: Run) -> None:
    """Draw games at random, then with Hypothesis towards larger H/δ, then search locally."""
    task, settings = run.task, run.task.settings
    wanted: dict[str, Any] = {
        "epsilon": task.budget[0],
        "delta": task.budget[1],
        "parameters": partial(parameter_sets, run.target),
        "max_rounds": settings.max_rounds,
        "max_requests": settings.max_requests,
        "max_databases": settings.max_databases,
    }
    choose = Random(task.seed).randrange
    for _ in range(task.examples // 2):
        run.play(strategies.draw_case(choose, **wanted))
    guided(run, strategies.cases(**wanted), max(1, task.examples // 4))
    run.improve(task.examples)


def guided(run: Run, drawn: SearchStrategy[Case], examples: int) -> None:
    """Let Hypothesis draw cases, guided towards larger H/δ."""

    @hypothesis.seed(run.task.seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.target),
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(drawn)
    def explore(case: Case) -> None:
        found = run.play(case)
        if found is not None:
            hypothesis.target(min(found.ratio, 1e6), label="H/delta")

    explore()


WEAK = tuple(Fraction(1, n) for n in (20, 10, 40, 3))
"""How far a first response leans that leaves most of the budget to the branches."""


def run_grown(run: Run) -> None:
    """Start from single mechanisms and extend them by whatever the filter still admits."""
    rng = Random(run.task.seed)
    knobs = knobs_at(run.task.fixed()[0])
    weak = [(knobs[0], t) for t in WEAK]
    strong = [(knob, None) for knob in rng.sample(knobs, len(knobs))]
    for knob, t in (weak[0], weak[1], *strong, weak[2], weak[3]):
        start = _start(run, knob, t)
        if start is not None:
            for _ in grow(start, run.play, 4, rng.sample(knobs, len(knobs))):
                pass


def _start(run: Run, knob: Knob, weak: Fraction | None) -> Scored | None:
    """Return a game of one round: a weak one, or else the strongest that the filter admits."""
    epsilon, delta = run.task.fixed()

    def make(t: Fraction) -> Case:
        game = Game(("0", "1"), [("0", "1")], {"ask": made(knob(t))})
        return Case("grown", game, epsilon, delta)

    found = sharpest(make, run.play) if weak is None else run.play(make(weak))
    return found and replace(found, case=replace(found.case, parameters={}))


Made = Callable[[Filter[Any], Epsilon, Fraction], Iterator[Case]]


def run_brim(run: Run) -> None:
    """Fill all branches after a first round as far as the filter allows."""
    run_made(run, *run.task.fixed(), partial(brim_cases, part=run.task.start))


def run_march(run: Run) -> None:
    """Fill round after round along one path."""
    run_made(run, *run.task.fixed(), march_cases)


def run_single(run: Run) -> None:
    """Fill one round at many budgets, those that the user has not fixed."""
    epsilon, delta = run.task.budget
    epsilons = EPSILONS if epsilon is None else (epsilon,)
    deltas = DELTAS if delta is None else (delta,)
    for one in epsilons:
        for other in deltas[run.task.start :: PARTS]:
            run_made(run, one, other, single_cases)


def run_made(run: Run, epsilon: Epsilon, delta: Fraction, make: Made) -> None:
    """Play cases that are made for the filter, by asking it, at one budget."""
    for parameters in parameter_sets(run.target, epsilon, delta, 2):
        try:
            rule = make_filter(run.target, epsilon, delta, parameters)
            for case in run.in_time(make(rule, epsilon, delta)):
                run.play(replace(case, parameters=parameters))
        except Declined:
            run.declined += 1
        except ProtocolError as error:
            run.error = f"made for the filter: {error}"
            raise _Stop from error


def run_exhaustive(run: Run) -> None:
    """Play one part of every small space; what is played in full is reported as proved."""
    epsilon, delta = run.task.fixed()
    part = run.task.start
    for bound in bounds_at(delta):
        for game in games_within(bound, part, PARTS):
            run.play(Case("exhaustive", game, epsilon, delta))
        at = f"epsilon = {format_epsilon(epsilon)}, delta = {delta}"
        run.proved += ((f"{bound}; {at}", part),)


WORK: dict[str, Callable[[Run], None]] = {
    "attacks": run_attacks,
    "drawn": run_drawn,
    "grown": run_grown,
    "brim": run_brim,
    "march": run_march,
    "single": run_single,
    "exhaustive": run_exhaustive,
}


def run_task(task: Task, target: Target, seconds: float | None = None) -> TaskResult:
    """Run one task; without a time limit the result depends on the task and the target alone."""
    if seconds is not None and seconds <= 0:
        return TaskResult(task.number, task.kind, 0, 0, Counter())
    return Run(task, target, seconds).result()
