"""Games that insist are over the budget, break what they are made for, and accuse no sound twin."""

import datetime
import inspect
import time
from fractions import Fraction

import pytest

from corpus.blind.eighth.cases import CASES as EIGHTH
from corpus.blind.fifth.base import Case
from corpus.blind.fifth.cases import CASES as FIFTH
from corpus.blind.seventh.cases import CASES as SEVENTH
from corpus.zoo import insisting as zoo
from corpus.zoo.base import Specimen
from filterproof.budget_calls import read_words
from filterproof.exact import Epsilon
from filterproof.fast import worst_case
from filterproof.filters.run_all import RunAll
from filterproof.game import Game
from filterproof_properties.games.insisting import crowded_menus, glued_keys, insisting
from filterproof_properties.processes.child import Limits
from filterproof_properties.search.loop import Loop
from filterproof_properties.search.plan import BUDGETS
from filterproof_properties.search.sources import with_parameters
from filterproof_properties.targets.budget.completing import completed
from filterproof_properties.targets.budget.ideas import ideas
from filterproof_properties.targets.budget.named import BudgetTarget, load_budget
from filterproof_properties.targets.budget.names import spec_of

HERE = BUDGETS[0]


def games(epsilon: Epsilon, delta: Fraction) -> list[tuple[str, Game]]:
    return [*insisting(epsilon, delta), *crowded_menus(delta), *glued_keys(epsilon, delta)]


def breaks(specimen: Specimen) -> bool:
    rule = specimen.target(*HERE)
    return any(worst_case(rule, game, HERE[0]).value > HERE[1] for _, game in games(*HERE))


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_what_runs_everything_is_over_the_budget(budget: tuple[Epsilon, Fraction]) -> None:
    for name, game in games(*budget):
        assert worst_case(RunAll(), game, budget[0]).value > budget[1], name


@pytest.mark.parametrize("specimen", zoo.SPECIMENS, ids=lambda one: one.name)
def test_what_gives_in_is_broken(specimen: Specimen) -> None:
    assert breaks(specimen)


@pytest.mark.parametrize("specimen", zoo.TWINS, ids=lambda one: one.name)
def test_its_sound_twin_holds(specimen: Specimen) -> None:
    assert not breaks(specimen)


NAMES = {
    *("RetryPasses", "AlertMode", "DeltaBack", "HalfEach", "TwoTablesOpen", "LastBatch"),
    *("LruAccounts", "HeavyHitters", "IdlestEvicted", "Maintenance", "SteppedBack", "CoolDown"),
    *("ZeroFlushes", "ThreeStrikes", "Negotiated", "DeadLetters", "Milli"),
    *("EvictsIntoTotal", "Lapses", "HardStop", "FinesFailures", "PerRegion"),
    *("LocksOut", "LogsFailures", "FoldsEvicted", "QuotaAndTotal", "Drawers"),
}
"""Classes that ideas have to break, and sound ones that look like these."""
CASES = [case for case in (*FIFTH, *SEVENTH, *EIGHTH) if case.name in NAMES]


def target_of(case: Case) -> BudgetTarget:
    where = f"{inspect.getfile(case.made)}:{case.name}"
    return load_budget(spec_of(where, completed(where, read_words(case.words), Limits())))


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks that a class is given another one for go on after the test."""
    for owner, name in ((time, "time"), (time, "monotonic"), (datetime, "datetime")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setattr(datetime, "date", datetime.date)


@pytest.mark.usefixtures("clocks")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_class_is_broken_by_ideas_if_it_is_wrong(case: Case) -> None:
    target = target_of(case)
    found = Loop(target, exact=False).run(with_parameters(ideas(target.calls), target))
    assert (found.violation is not None, found.error) == (case.wrong, "")
