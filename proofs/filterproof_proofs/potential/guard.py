"""Random exact plays: the ordinary filter and its interpreted source must answer alike.

A proof speaks of the source as it is interpreted.  Here the filter itself is asked beside it, in
ordinary numbers, one object per play, from the start; and every round is held against the rules
that were proved.  `target` may live anywhere: it is called as (epsilon, delta) -> Filter.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision, ask, observe, parameter_sets, start
from filterproof.game import Game, Mechanism, Step, opening
from filterproof.game.law import Declared, Law, LawError
from filterproof_proofs.potential.driver import CannotRun, Disagreement, offered
from filterproof_proofs.potential.rules import Rules
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Limits, Paths
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.run import NeedsKnown

Target = Callable[..., Any]
NAMES = ("0", "1", "2", "?", "yes", "fails", "a", "b")
WEIGHTS = (0, 1, 1, 2, 3, 5, 40)
EPSILONS: tuple[Epsilon, ...] = (
    *(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(2)),
    *(Log(Fraction(2)), Log(Fraction(3, 2)), Log(Fraction(1))),
)
DELTAS = (Fraction(1, 10), Fraction(1, 100), Fraction(1, 3), Fraction(0), Fraction(1, 1000))
ROUNDS = 4


@dataclass(frozen=True)
class Guarded:
    """How many plays and rounds were held against the rules."""

    plays: int
    rounds: int


@dataclass
class _Both:
    """The ordinary filter and the interpreted one, at one budget."""

    real: Any
    read: Any
    machine: Interpreter
    epsilon: Epsilon
    delta: Fraction


def guard(
    program: Program, target: Target, plays: int = 200, seconds: float = 10.0, seed: int = 0
) -> Guarded:
    """Play at random; `CannotRun` if the filter answers otherwise than its source as interpreted.

    `Disagreement` if a rule that was proved does not hold in a play: that is a fault of ours.
    """
    rng, until = random.Random(seed), time.monotonic() + seconds
    limits = Limits(deadline=time.monotonic() + seconds)
    played = rounds = 0
    while played < plays and time.monotonic() < until:
        epsilon, delta = rng.choice(EPSILONS), rng.choice(DELTAS)
        try:
            both = _make_both(program, target, epsilon, delta, rng, limits)
            rounds += 0 if both is None else _play(both, _game(rng), rng)
        except NeedsKnown as error:
            raise CannotRun(str(error)) from None
        played += 1
    return Guarded(played, rounds)


def _make_both(
    program: Program,
    target: Target,
    epsilon: Epsilon,
    delta: Fraction,
    rng: random.Random,
    limits: Limits,
) -> _Both | None:
    """Make both filters with the same parameters; None if both decline the budget."""
    sets = offered(program, epsilon, delta, ROUNDS, limits)
    if repr(sets) != repr(parameter_sets(target, epsilon, delta, ROUNDS)):
        raise CannotRun("parameters() offers something else than its source does")
    chosen = rng.choice(sets)
    machine = Interpreter(program, Paths(limits))
    read = _or_error(lambda: machine.call(machine.attribute(), epsilon, delta, **chosen))
    real = _or_error(lambda: target(epsilon, delta, **chosen))
    if isinstance(read, Exception) or isinstance(real, Exception):
        if isinstance(read, Exception) and isinstance(real, Exception):
            return None
        raise CannotRun(_differs(machine, "the constructor", real, read))
    return _Both(real, read, machine, epsilon, delta)


def _or_error(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:
        return error


def _play(both: _Both, game: Game, rng: random.Random) -> int:
    """Play one game to its end, or until nothing runs; return how many rounds ran."""
    step, rules, ran = opening(game), Rules(both.read, both.epsilon), 0
    real, read = start(both.real), start(both.read)
    broken = list(rules.opening(read, step, both.delta))
    while True:
        if broken:
            said = broken[0]
            raise Disagreement(
                f"a play breaks what was proved: {said.rule}, round {step.index}, pair {said.pair}"
            )
        asked = partial(ask, both.real, real, step), partial(ask, both.read, read, step)
        answers = _or_error(asked[0]), _or_error(asked[1])
        if isinstance(answers[0], Exception) and isinstance(answers[1], Exception):
            return ran
        if any(isinstance(one, Exception) for one in answers) or answers[0][0] != answers[1][0]:
            raise CannotRun(_differs(both.machine, f"round {step.index}", *answers))
        (decision, real), (_, read) = answers
        if decision not in (Decision.CONTINUE, Decision.LAST):
            return ran
        ran += step.index > 0
        y = rng.choice(
            [y for y, row in step.mechanism.law.items() if any(_masses_after(step, row))]
        )
        if decision is Decision.LAST or not step.mechanism.after[y]:
            return ran
        real, read = observe(both.real, real, step, y), observe(both.read, read, step, y)
        step = step.next(y, rng.choice(sorted(step.mechanism.after[y])))
        broken = list(rules.round(read, step, rules.potential(read, step)))


def _masses_after(step: Step, row: Mapping[str, Fraction]) -> list[Fraction]:
    return [step.mass[x] * p for x, p in row.items()]


def _differs(machine: Interpreter, where: str, real: Any, read: Any) -> str:
    said, expected = (str(one[0]) if isinstance(one, tuple) else repr(one) for one in (real, read))
    line = machine.returned_at
    return f"{line} behaves differently on known numbers: {where}, {said:.80}, not {expected:.80}"


# --- games ----------------------------------------------------------------------------------------


def _game(rng: random.Random) -> Game:
    databases = ["0", "1", "2"][: rng.choice([2, 2, 3])]
    pairs = [(a, b) for i, a in enumerate(databases) for b in databases[i + 1 :]]
    chosen = pairs[: rng.randrange(1, len(pairs) + 1)]
    while True:
        try:
            return Game(databases, chosen, _menu(rng, databases, rng.randrange(1, ROUNDS)))
        except LawError:  # the declared pair is not true of the law: draw another one
            continue


def _menu(rng: random.Random, databases: list[str], depth: int) -> dict[str, Mechanism]:
    made = {}
    for request in rng.sample(["ask", "r", "s"], rng.choice([1, 2])):
        law = _law(rng, databases)
        after = _menu(rng, databases, depth - 1) if depth > 1 else {}
        stated = Declared(Fraction(1), Fraction(1)) if rng.random() < 0.1 else None
        made[request] = Mechanism(law, dict.fromkeys(law, after) if after else {}, stated)
    return made


def _law(rng: random.Random, databases: list[str]) -> Law:
    if rng.random() < 0.3:
        p = rng.choice([Fraction(1, 20), Fraction(1, 100), Fraction(1, 4)])
        told = rng.choice(databases)
        shown = {x: p if x == told else Fraction(0) for x in databases}
        return {"1": shown, "?": {x: 1 - q for x, q in shown.items()}}
    names = rng.sample(NAMES, rng.choice([1, 2, 2, 2, 3, 4]))
    rows = {x: [rng.choice(WEIGHTS) for _ in names] for x in databases}
    for row in rows.values():
        row[rng.randrange(len(names))] += 1
    return {
        y: {x: Fraction(rows[x][i], sum(rows[x])) for x in databases}
        for i, y in enumerate(names)
        if any(rows[x][i] for x in databases)
    }
