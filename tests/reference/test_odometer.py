"""The exact audit of an odometer's promise, checked against every adversary in turn."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import inf, log, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from filterproof.engine.by_position import reports as fast
from filterproof.exact import Log
from filterproof.fast import worst_case, worst_tail
from filterproof.filter import Decision, ProtocolError, ask, observe, start
from filterproof.filters.compensator import Compensator
from filterproof.game import Game, Step, opening
from filterproof.game.law import Pair
from filterproof.odometer import (
    Enforced,
    Odometer,
    Reported,
    at_most,
    exceeds_report,
    format_report,
    is_odometer,
    parse_report,
    report_of,
    worst_report,
)
from filterproof.odometers.registry import ODOMETERS
from filterproof.palette import erasure, game, repeated, response
from filterproof_properties.case import Case
from filterproof_properties.strategies import cases

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
run = settings(deadline=None, derandomize=True, max_examples=60, suppress_health_check=SLOW)
F = Fraction
REPORTS: list[Reported] = [F(0), F(1, 2), F(1), Log(F(2)), Log(F(3, 2)), Log(F(9)), inf]
DECISIONS = [Decision.CONTINUE, Decision.CONTINUE, Decision.LAST, Decision.REFUSE, Decision.HALT]


@dataclass(frozen=True)
class Scripted:
    """An odometer with no idea behind it: answers and reports come from lists, by state."""

    answers: tuple[Decision, ...]
    said: tuple[Reported, ...]

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        if step.index == 0:
            return Decision.CONTINUE, state
        return self.answers[(state + len(step.request)) % len(self.answers)], state + 1

    def observe(self, state: int, step: Step, output: str) -> int:
        return state + ord(output[0]) % 3

    def reported(self, state: int) -> Reported:
        return self.said[state % len(self.said)]


SCRIPTS = st.builds(
    Scripted,
    st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=5).map(tuple),
    st.lists(st.sampled_from(REPORTS), min_size=1, max_size=5).map(tuple),
)
small = cases(max_rounds=2, max_requests=2, max_databases=3)


# --- brute force ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Here:
    """The adversary is to move; `over` has the pairs whose report was exceeded so far."""

    step: Step
    y: str
    state: Hashable
    masses: dict[str, Fraction]
    over: frozenset[Pair] = frozenset()
    refused: frozenset[str] = frozenset()

    def seen(self, rule: Any) -> "Here":
        """Return the same with the pairs whose report is exceeded now."""
        report = report_of(rule, self.state)
        mass = self.masses
        now = {(x, z) for x, z in self.step.game.pairs if exceeds_report(mass[x], mass[z], report)}
        return Here(
            self.step, self.y, self.state, self.masses, self.over | frozenset(now), self.refused
        )


def plays(rule: Any, here: Here) -> Iterator[list[Here]]:
    """Yield, for every adversary that asks as long as it can, the ends of its transcripts."""
    here = here.seen(rule)
    left = [r for r in here.step.mechanism.after[here.y] if r not in here.refused]
    if not left:
        yield [here]
    for request in left:
        yield from asked(rule, here, request)


def asked(rule: Any, here: Here, request: str) -> Iterator[list[Here]]:
    step = here.step.next(here.y, request)
    decision, state = ask(rule, here.state, step)
    if decision is Decision.HALT:
        yield [here]
        return
    if decision is Decision.REFUSE:
        refused = here.refused | {request}
        yield from plays(rule, Here(here.step, here.y, state, here.masses, here.over, refused))
        return
    after = []
    for y, row in step.mechanism.law.items():
        masses = {x: here.masses[x] * p for x, p in row.items()}
        after.append(Here(step, y, observe(rule, state, step, y), masses, here.over))
    if decision is Decision.LAST:
        yield [one.seen(rule) for one in after]
        return
    for combination in product(*(list(plays(rule, one)) for one in after)):
        yield [end for part in combination for end in part]


def brute(rule: Any, one: Game, limit: int) -> Fraction | None:
    """Return the largest P_x(L_t > ε_t for some t), transcript by transcript; None if too many."""
    step = opening(one)
    state = observe(rule, ask(rule, start(rule), step)[1], step, "⊥")
    first = Here(step, "⊥", state, dict.fromkeys(one.databases, F(1)))
    found = list(islice(plays(rule, first), limit + 1))
    if len(found) > limit:
        return None
    return max(
        sum((end.masses[pair[0]] for end in ends if pair in end.over), F(0))
        for ends in found
        for pair in one.pairs
    )


@given(small, SCRIPTS)
@run
def test_every_adversary_in_turn_gives_the_same_probability(case: Case, rule: Scripted) -> None:
    expected = brute(rule, case.game, 300)
    assume(expected is not None)
    assert worst_report(rule, case.game, case.epsilon).value == expected


@given(cases(max_rounds=3, max_requests=2, max_databases=3), SCRIPTS)
@run
def test_the_engine_agrees_with_the_specification(case: Case, rule: Scripted) -> None:
    plain = worst_report(rule, case.game, case.epsilon)
    quick = fast.worst_report(rule, case.game, case.epsilon)
    assert (quick.value, quick.mass_x) == (plain.value, plain.mass_x)


def test_a_merged_position_has_one_loss_and_one_report() -> None:
    rule = next(one for one in ODOMETERS if one.name == "odometer-resets").target(F(1), F(0))
    many = game(repeated(response(F(2, 3)), 6))
    plain, quick = (f(rule, many, F(1)) for f in (worst_report, fast.worst_report))
    assert quick.value == plain.value == quick.mass_x
    assert len(quick.turns) < len(plain.turns)


@given(small, SCRIPTS)
@run
def test_enforcing_what_is_reported_bounds_the_tail_and_h(case: Case, rule: Scripted) -> None:
    """P(L^(T) > ε) <= P(L_t > ε_t for some t), and H is no larger than the former."""
    bound = worst_report(rule, case.game, case.epsilon).value
    stopped = Enforced(rule, case.epsilon)
    tail = worst_tail(stopped, case.game, case.epsilon)
    assert worst_case(stopped, case.game, case.epsilon).value <= tail
    assert tail <= bound


# --- what an odometer is ------------------------------------------------------------------------


@pytest.mark.parametrize("one", ODOMETERS, ids=lambda one: one.name)
def test_the_built_in_ones_are_odometers(one: Any) -> None:
    rule = one.target(F(1), F(1, 10))
    assert isinstance(rule, Odometer)
    assert is_odometer(rule)


class ReportingFilter(Compensator):
    """A filter that also reports; it refuses a reveal, so it is audited as a filter."""

    def reported(self, state: Any) -> Any:
        return self.epsilon


def test_a_filter_is_none_whether_it_reports_or_not() -> None:
    assert not is_odometer(Compensator(F(1), F(1, 10)))
    assert not is_odometer(ReportingFilter(F(1), F(1, 10)))
    assert is_odometer(ReportingFilter(F(1), F(1)))  # at δ = 1 it refuses nothing


@pytest.mark.parametrize("said", [0.5, nan, -inf, None, "1", -1, F(-1, 2), True, [1]])
def test_what_is_no_report_is_an_error_that_says_so(said: Any) -> None:
    rule = Scripted((Decision.CONTINUE,), (said,))
    with pytest.raises(ProtocolError, match=r"reported\(\) must return an int or a Fraction >= 0"):
        worst_report(rule, game(erasure(F(1, 2))), F(1))


def test_an_odometer_that_raises_is_quoted() -> None:
    class Broken(Scripted):
        def reported(self, state: int) -> Reported:
            raise RuntimeError("out of ink")

    with pytest.raises(ProtocolError, match=r"reported\(\) raised RuntimeError: out of ink"):
        fast.worst_report(Broken((Decision.CONTINUE,), ()), game(response(F(2, 3))), F(1))


@pytest.mark.parametrize("one", REPORTS)
def test_a_report_is_read_as_it_is_written(one: Reported) -> None:
    assert parse_report(format_report(one)) == one


@given(st.sampled_from(REPORTS), st.sampled_from(REPORTS))
def test_reports_are_ordered_as_their_numbers_are(one: Reported, other: Reported) -> None:
    def near(report: Reported) -> float:
        return log(report.argument) if isinstance(report, Log) else float(report)

    assert at_most(one, other) == (near(one) <= near(other))
