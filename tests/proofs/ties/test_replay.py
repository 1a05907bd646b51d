"""The interpreter that ties code to theorems answers as Python does, on games in known numbers.

Trusted functions are called as they are here; everything else of a filter is interpreted, and
every answer is compared with the filter's own.
"""

from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from filterproof.exact import Epsilon, Log
from filterproof.filter import Decision, ask, observe, parameter_sets, start
from filterproof.game import Step, opening
from filterproof.odometer import report_of
from filterproof.palette import erasure, game, repeated, response
from filterproof.radicals import RadicalSum
from filterproof_proofs.symbolic.paths import Limits, Paths
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.values import MISSING, kind_of_instance
from filterproof_proofs.ties.contracts import CONTRACTS
from filterproof_proofs.ties.table import TARGETS, WAYS, ByRule
from filterproof_proofs.ties.tie import Tied

F = Fraction
LEAF = {"0": {"ask": erasure(F(1, 10))}, "1": {"ask": response(F(3, 5))}}
GAMES = [
    game(repeated(response(F(11, 20)), 3)),
    game(repeated(erasure(F(1, 20)), 3)),
    game({"ask": response(F(3, 5), LEAF), "other": erasure(F(1, 3))}),
]
BUDGETS: list[tuple[Epsilon, F]] = [(F(1), F(1, 10)), (Log(F(2)), F(1, 10)), (F(8), F(1, 3))]
RULED = [name for name, way in WAYS.items() if isinstance(way, ByRule)]


def as_it_is(path: str) -> Any:
    """Return a trusted function that is called as it is."""
    if path.endswith("RadicalSum.root"):
        return lambda now, *args: RadicalSum.root(*args)
    module, name = path.rsplit(".", 1)
    return lambda now, *args: getattr(import_module(module), name)(*args)


class Both:
    """A filter, and the same one interpreted."""

    def __init__(self, name: str, epsilon: Epsilon, delta: F, parameters: dict[str, Any]) -> None:
        self.real: Any = TARGETS[name](epsilon, delta, **parameters)
        now: Any = SimpleNamespace(run=Paths(Limits()))
        trusted = {path: as_it_is(path) for path in CONTRACTS}
        self.machine = Tied(Program.of(TARGETS[name]), now, trusted)
        self.made = self.machine.call(self.machine.attribute(), epsilon, delta, **parameters)
        self.answers: list[Decision] = []

    def has(self, method: str) -> bool:
        return kind_of_instance(self.made).find(method) is not MISSING

    def compare(self, states: tuple[Any, Any], step: Step) -> None:
        """Ask both, and go on after every output with every request."""
        decision, real = ask(self.real, states[0], step)
        said, interpreted = self.machine.method(self.made, "decide", states[1], step)
        assert Decision(said) is decision
        self.answers.append(decision)
        if decision is Decision.CONTINUE:
            for y in step.mechanism.law:
                self.next(real, interpreted, step, y)

    def next(self, real: Any, interpreted: Any, step: Step, y: str) -> None:
        after = observe(self.real, real, step, y)
        if self.has("observe"):
            interpreted = self.machine.method(self.made, "observe", interpreted, step, y)
        if self.has("reported"):
            told = self.machine.method(self.made, "reported", interpreted)
            assert told == report_of(self.real, after)
        for request in step.mechanism.after[y]:
            self.compare((after, interpreted), step.next(y, request))


@pytest.mark.parametrize("name", RULED)
def test_the_interpreter_answers_as_python_does(name: str) -> None:
    answers: list[Decision] = []
    for one in GAMES:
        for epsilon, delta in BUDGETS:
            for parameters in parameter_sets(TARGETS[name], epsilon, delta, 3):
                both = Both(name, epsilon, delta, parameters)
                first = start(both.real), both.machine.method(both.made, "start")
                both.compare(first, opening(one))
                answers += both.answers
    assert answers.count(Decision.CONTINUE) > 9
    assert name.startswith("odometer-") or len(set(answers)) > 1
