"""Books per user: shown for any names and any number of them, and no trick with names is PROVED."""

import textwrap
from pathlib import Path

import pytest

from filterproof.budget_calls import BudgetCalls, read_words
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import Refinement, prove_refinement

PER_USER = read_words("--spend 'spend(user, epsilon)' --part user")
ANYBODY = read_words("--spend 'spend(who, epsilon)' --free who=str")
DAY = read_words("--spend 'spend(day, epsilon)' --free day=int")
BUDGET = """\
from collections import defaultdict


class Budget:
    def __init__(self, epsilon):
        self.total, self.left, self.n, self.books = epsilon, epsilon, 0, {books}

    def spend(self, {who}, epsilon):
{body}
"""


def proof_of(
    path: Path, calls: BudgetCalls, body: str, books: str = "{}", seconds: float = 120.0
) -> Refinement:
    file = path / "shop.py"
    who = "user" if calls.part else calls.free[0].partition("=")[0]
    file.write_text(BUDGET.format(books=books, who=who, body=textwrap.indent(body, " " * 8)))
    return prove_refinement(file, "Budget", calls, seconds=seconds)


HONEST = """\
used = self.books.get(user, 0.0)
if used + epsilon > self.total:
    return False
self.books[user] = used + epsilon
return True
"""
LEFT = """\
if epsilon > self.left:
    return False
self.left -= epsilon
return True
"""
WRONG_PER_USER = {
    "the third user is free": "if len(self.books) > 1 and user not in self.books: return True",
    "a counter of new users": "self.n += user not in self.books\nif self.n > 40: return True",
    "a user of one name is free": "if user == 'root': return True",
    "users whose name begins so are free": "if user.startswith('x'): return True",
    "what others have counts": "if sum(self.books.values()) > 99: return True",
    "all books are thrown away": "self.n += 1\nif self.n > 40: self.books.clear()",
    "the last user is kept": "if self.n == user: return True\nself.n = user",
}
WRONG_FOR_ANYBODY = {
    "one name is free": "if who == 'admin': return True",
    "long names are free": "if len(who) > 9: return True",
    "the fortieth name is free": "self.books[who] = 1\nif len(self.books) > 40: return True",
    "names are read": "if who.islower(): return True",
}


def test_a_book_per_user_is_proved_for_every_user(tmp_path: Path) -> None:
    found = proof_of(tmp_path, PER_USER, HONEST)
    assert found.verdict is Verdict.PROVED, found.lines()
    assert "every user, however many: a promise for each" in found.covers
    assert found.replays


def test_entries_that_are_made_when_they_are_missing_are_followed(tmp_path: Path) -> None:
    body = """\
book = self.books[user]
if book[0] + epsilon > self.total:
    return False
book[0] += epsilon
self.n += 1
"""
    found = proof_of(tmp_path, PER_USER, body, "defaultdict(lambda: [0.0])")
    assert found.verdict is Verdict.PROVED, found.lines()


def test_an_entry_that_two_users_share_is_not_proved(tmp_path: Path) -> None:
    body = """\
book = self.books.setdefault(user, self.books)
return epsilon <= 0
"""
    assert proof_of(tmp_path, PER_USER, body, seconds=2.0).verdict is not Verdict.PROVED


@pytest.mark.parametrize("name", WRONG_PER_USER)
def test_a_book_per_user_with_a_trick_is_not_proved(name: str, tmp_path: Path) -> None:
    found = proof_of(tmp_path, PER_USER, f"{WRONG_PER_USER[name]}\n{HONEST}", seconds=2.0)
    assert found.verdict is not Verdict.PROVED, found.lines()


def test_a_budget_for_anybody_is_proved_for_any_text(tmp_path: Path) -> None:
    found = proof_of(tmp_path, ANYBODY, f"self.books[who] = self.n\n{LEFT}")
    assert found.verdict is Verdict.PROVED, found.lines()
    assert "who: any text, however many" in found.covers


@pytest.mark.parametrize("name", WRONG_FOR_ANYBODY)
def test_a_budget_that_knows_names_is_not_proved(name: str, tmp_path: Path) -> None:
    found = proof_of(tmp_path, ANYBODY, f"{WRONG_FOR_ANYBODY[name]}\n{LEFT}", seconds=2.0)
    assert found.verdict is not Verdict.PROVED, found.lines()


def test_a_number_that_the_caller_chooses_is_any_number(tmp_path: Path) -> None:
    kept = proof_of(tmp_path, DAY, f"if day < self.n: return False\nself.n = day\n{LEFT}")
    assert kept.verdict is Verdict.PROVED, kept.lines()
    assert "day: any whole number" in kept.covers
    assert (
        proof_of(tmp_path, DAY, f"if day == 7: return True\n{LEFT}").verdict is not Verdict.PROVED
    )
