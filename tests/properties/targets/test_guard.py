"""A watched filter: which questions are put twice, what is told of two answers, and the end."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import Step, opening
from filterproof.palette import game, reveal
from filterproof_properties.targets.guard import (
    ALWAYS,
    SOMETIMES,
    Answer,
    Guarded,
    GuardedObserver,
    Misbehaved,
    Question,
    check_agreement,
    ending,
    guard_filter,
    memory,
)

STEP = opening(game(reveal()))
FIRST = STEP.next("⊥", "ask")
YES: Answer = (Decision.CONTINUE, 1)


class Willing:
    """Answers anything, and notes which questions were to be put twice."""

    def __init__(self) -> None:
        self.again: list[bool] = []
        self.held = 0

    def ask(self, questions: Sequence[Question], *, again: bool) -> list[Answer]:
        self.again.append(again)
        return [(Decision.CONTINUE, state) for state, _ in questions]

    def observe(self, state: Hashable, step: Step, output: str) -> Hashable:
        return state, output

    def hold(self) -> bool:
        self.held += 1
        return self.held > 1


class Written:
    """A pen, and the book that it writes into, that keep what they are told."""

    def __init__(self) -> None:
        self.kept: list[tuple[Any, ...]] = []

    def filter(self, *told: Any) -> "Written":
        self.kept.append(("filter", *told))
        return self

    def asked(self, *told: Any) -> None:
        self.kept.append(("asked", *told))

    def observed(self, *told: Any) -> None:
        self.kept.append(("observed", *told))

    def reported(self, *told: Any) -> None:
        self.kept.append(("reported", *told))


def test_the_first_questions_are_put_twice_and_later_all_of_every_so_many_th_time() -> None:
    asked = Willing()
    rule = Guarded(asked, 0, True)
    for _ in range(ALWAYS + 3 * SOMETIMES):
        assert rule.decide(7, STEP) == (Decision.CONTINUE, 7)
    assert asked.again[:ALWAYS] == [True] * ALWAYS
    later = [i for i, again in enumerate(asked.again, 1) if again and i > ALWAYS]
    assert later == [ALWAYS + SOMETIMES * k for k in (1, 2, 3)]


def test_questions_are_counted_one_by_one_and_times_by_the_batch() -> None:
    asked = Willing()
    rule = Guarded(asked, 0, True)
    for _ in range(20):
        rule.decide_many([(0, STEP)] * (ALWAYS // 2))
    assert [i for i, again in enumerate(asked.again, 1) if again] == [1, 2, SOMETIMES]
    rule = Guarded(asked := Willing(), 0, True)
    rule.decide_many([(0, STEP)] * (ALWAYS - 1))
    rule.decide(0, STEP)
    rule.decide(0, STEP)
    assert asked.again == [True, True, False]


def test_one_filter_has_reports_and_another_none() -> None:
    assert not hasattr(Guarded(Willing(), 0, True), "reported")
    rule: Any = Guarded(
        Willing(), 0, True, reports=lambda states: [f"report {one}" for one in states]
    )
    assert rule.reported(3) == "report 3"
    assert rule.reported_many([1, 2]) == ["report 1", "report 2"]


@pytest.mark.parametrize("observes", [True, False])
def test_all_that_a_filter_says_is_written_down(observes: bool) -> None:
    book: Any = Written()
    rule: Any = guard_filter(
        Willing(),
        (Fraction(1), Fraction(0), {}),
        4,
        markov=True,
        observes=observes,
        book=book,
        reports=lambda states: ["0" for _ in states],
    )
    assert rule.start() == 4
    rule.decide(4, STEP)
    rule.reported(4)
    told = {"markov": True, "observes": observes, "reports": True}
    kept: list[Any] = [
        ("filter", (Fraction(1), Fraction(0), {}), 4, told),
        ("asked", [(4, STEP)], [(Decision.CONTINUE, 4)]),
        ("reported", [4], ["0"]),
    ]
    assert book.kept == kept
    assert isinstance(rule, GuardedObserver) == observes
    if isinstance(rule, GuardedObserver):
        assert rule.observe(4, STEP, "y") == (4, "y")
        assert book.kept[3:] == [("observed", (4, STEP), "y", (4, "y"))]


def test_without_a_book_nothing_is_written() -> None:
    told = {"markov": False, "observes": True, "book": None}
    rule = guard_filter(Willing(), (Fraction(1), Fraction(0), {}), 4, **told)  # type: ignore[arg-type]
    assert rule.pen is None
    assert not hasattr(rule, "reported")
    assert isinstance(rule, GuardedObserver)
    rule.decide(4, STEP)
    assert rule.observe(4, STEP, "y") == (4, "y")


# --- two answers to one question ------------------------------------------------------------------


def test_the_same_answers_are_fine() -> None:
    check_agreement([(0, STEP), (0, FIRST)], [YES, YES], [YES, YES])


def test_answers_that_are_missing_are_no_answers() -> None:
    with pytest.raises(ValueError, match="shorter"):
        check_agreement([(0, STEP)], [YES, YES], [YES])


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (["halt", 1], ["continue", 1], r"decide\(\) at round 1 answered halt, and continue to"),
        (["halt", 1], ["halt", 2], "answered halt, and another state to the same question"),
        ("halt", "last", "answered halt, and last to"),
        ([], ["last", 1], r"answered \[\], and last to"),
        (5, ["last", 1], "answered 5, and last to"),
    ],
)
def test_two_answers_are_told_with_their_round(first: Any, second: Any, why: str) -> None:
    with pytest.raises(Misbehaved, match=why):
        check_agreement([(0, STEP), (0, FIRST)], [YES, first], [YES, second])


def test_an_answer_that_was_volunteered_has_no_round() -> None:
    with pytest.raises(Misbehaved, match=r"^decide\(\) answered halt, and last"):
        check_agreement([(0, STEP)], [YES, ["halt", 1]], [YES, ["last", 1]])


# --- what a filter holds --------------------------------------------------------------------------


def test_a_filter_that_changes_itself_is_noticed() -> None:
    rule: Any = SimpleNamespace(spent=[1])
    changed = memory(rule)
    assert not changed()
    rule.spent.append(2)
    assert changed()


def test_a_filter_elsewhere_is_asked_whether_it_has_changed() -> None:
    asked = Willing()
    changed = memory(Guarded(asked, 0, True))
    assert asked.held == 1
    assert changed()


# --- until then and no longer ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "until", "meanwhile"),
    [
        (None, None, None),
        (None, 5.0, 5.0),
        (3.0, None, 3.0),
        (3.0, 5.0, 3.0),
        (5.0, 3.0, 3.0),
    ],
)
def test_a_target_is_asked_until_the_earlier_of_two_ends(
    before: float | None, until: float | None, meanwhile: float | None
) -> None:
    target: Any = SimpleNamespace(link=SimpleNamespace(until=before))
    with ending(target, until):
        assert target.link.until == meanwhile
    assert target.link.until == before


def test_the_end_is_taken_back_when_it_comes() -> None:
    target: Any = SimpleNamespace(link=SimpleNamespace(until=None))
    with pytest.raises(ZeroDivisionError), ending(target, 5.0):
        raise ZeroDivisionError
    assert target.link.until is None


def test_a_target_of_this_process_has_no_end() -> None:
    target: Any = SimpleNamespace()
    with ending(target, 5.0):
        assert vars(target) == {}
