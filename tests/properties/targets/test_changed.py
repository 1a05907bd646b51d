"""Which lines changed, and which of them were left out: neither too many nor too few."""

from filterproof_properties.search.constants import constants_in
from filterproof_properties.targets.coverage.changed import (
    changed_lines,
    changed_marks,
    left_out,
    with_changes,
)
from filterproof_properties.targets.coverage.own_code import OwnFile
from filterproof_properties.targets.coverage.unreached import Coverage

OLD = "class B:\n    def spend(self, e):\n        self.used += e\n        return True\n"
FREE = OLD.replace("        self", "        if e < FREE:\n            return True\n        self", 1)
RAISES = FREE.replace("return True", "raise OSError", 1)
HELPER = OLD + "    def refund(self, e):\n        self.used -= e\n"


def own(text: str, path: str = "new/ledger.py") -> OwnFile:
    return OwnFile(path, text, ("B",))


def left(text: str, *ran: int) -> list[int]:
    """Return the first lines of what was left out, where the statements of these lines ran."""
    (file,) = with_changes((own(text),), (own(OLD, "old/ledger.py"),))
    reached = sum((mark.first in ran) << i for i, mark in enumerate(file.marks))
    bits = left_out(Coverage((file,), reached))
    return [mark.first for i, mark in enumerate(file.marks) if bits >> i & 1]


def test_a_changed_branch_that_no_play_took_is_left_out() -> None:
    assert left(FREE, 3, 5, 6) == [4]
    assert left(FREE, 3, 4, 5, 6) == []


def test_one_that_raises_grants_nothing() -> None:
    assert left(RAISES, 3, 5, 6) == []


def test_a_function_that_nothing_called_was_not_asked_for() -> None:
    assert left(HELPER, 3, 4) == []
    assert left(HELPER, 3, 4, 6) == []


def test_what_did_not_change_is_not_left_out() -> None:
    assert left(OLD, 3) == []


def test_the_way_past_a_changed_condition_counts() -> None:
    always = OLD.replace("self.used += e", "if e >= 0: self.used += e")
    (file,) = with_changes((own(always),), (own(OLD),))
    false = [mark.kind for mark in file.marks].index("false")
    reached = (1 << len(file.marks)) - 1 & ~(1 << false)
    assert left_out(Coverage((file,), reached)) == 1 << false


def test_a_file_is_held_against_the_one_of_its_name() -> None:
    costs = "def B():\n    return 1\n"
    other = (own(OLD, "/old/shop/ledger.py"), own(costs, "/old/shop/costs.py"))
    again = (own(costs, "/new/shop/costs.py"), own(FREE, "/new/shop/ledger.py"))
    same, ledger = with_changes(again, other)
    assert (sorted(same.changed), sorted(ledger.changed)) == ([], [3, 4])


def test_without_another_version_nothing_is_changed() -> None:
    assert changed_marks((own(FREE),)) == 0
    assert changed_marks(with_changes((own(FREE),), (own(OLD),))) != 0
    assert changed_marks(with_changes((own(FREE),), (own(FREE),))) == 0


def test_a_line_that_moved_is_changed_and_its_neighbours_are_not() -> None:
    assert changed_lines("a\nb\n", "b\na\n") in ({1}, {2})
    assert changed_lines("a\n", "") == frozenset()


def test_constants_on_changed_lines_come_first() -> None:
    before = "class B:\n    def spend(self, n):\n        return n == 30\n"
    now = before.replace("n == 30", "n == 30 and\\\n            n != 77")
    plain, changed = own(now), with_changes((own(now),), (own(before),))[0]
    assert constants_in([plain]).counts == (30, 77)
    assert changed.changed == {3, 4}
    later = now.replace("class B:", "class B:\n    LIMIT = 5\n")
    (file,) = with_changes((own(later),), (own(now),))
    assert constants_in([file]).counts[0] == 5
    assert constants_in([own(later)]).counts[0] == 30
    assert constants_in([file], changed=True).counts == (5,)
    assert constants_in([own(later)], changed=True).counts == ()
