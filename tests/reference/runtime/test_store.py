"""Stores of the runtime filter: nothing that is spent ever comes back."""

import doctest
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from filterproof.runtime import (
    BudgetExceeded,
    CompensatorFilter,
    Domain,
    DomainError,
    FileStore,
    StoreError,
)
from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import checked_records
from tests.reference.runtime.budgets import (
    DELTA,
    EPSILON,
    KINDS,
    ONE_BIT,
    RESPONSE,
    Witness,
    ask_again,
    guarded,
    place,
)

CHILD = """
import sys
from tests.reference.runtime.budgets import ask_again, guarded
guard = guarded(sys.argv[1], create=True)
ask_again(guard)
def hang():
    print("drawing", flush=True)
    sys.stdin.read()
ask_again(guard, hang)
"""

kinds = pytest.mark.parametrize("kind", KINDS)


# --- across restarts ---------------------------------------------------------------------------


@kinds
def test_a_killed_process_regains_no_budget(kind: str, tmp_path: Path) -> None:
    where = place(kind, tmp_path)
    command = [sys.executable, "-c", CHILD, where]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"drawing\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    whole = guarded()
    for _ in range(2):
        ask_again(whole)
    restored = guarded(where)
    assert (restored.rounds, restored.spent) == (2, whole.spent)
    assert restored.spent > 0
    assert restored.ask(RESPONSE).asked >= whole.ask(RESPONSE).asked
    ask_again(restored)
    with pytest.raises(BudgetExceeded):
        ask_again(restored)


@kinds
@pytest.mark.parametrize("share", [0, Fraction(1, 2)])
def test_a_store_carries_everything_over_a_restart(kind: str, share: Any, tmp_path: Path) -> None:
    where, kept = place(kind, tmp_path), guarded(share=share)
    for output in (0, 1, 0, 0):
        guard = guarded(where, create=True, share=share)
        for one in (guard, kept):
            ask_again(one, lambda: output)  # noqa: B023
        said = [(one.rounds, one.left, one.floor_left, one.ask(RESPONSE)) for one in (guard, kept)]
        assert said[0] == said[1]
        guard.close()
    with pytest.raises(StoreError, match="closed"):
        ask_again(guard)


@kinds
def test_the_spend_is_stored_before_the_mechanism_runs(kind: str, tmp_path: Path) -> None:
    guard = guarded(place(kind, tmp_path), create=True)
    seen: list[Any] = []

    def draw() -> int:
        seen.append(guard._store.read() if guard._store else None)
        return 0

    ask_again(guard, draw)
    assert guard._store is not None
    reserved, settled = seen[0], guard._store.read()
    assert settled is not None
    assert '"rounds": 1' in reserved.body
    assert reserved.body != settled.body
    kind_of = [facts["kind"] for facts in checked_records(guard._store.history()[1], settled)]
    assert kind_of == ["open", "reserve", "settle"]


@kinds
def test_a_missing_store_is_an_error_unless_it_is_to_be_created(kind: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="create=True"):
        guarded(place(kind, tmp_path))
    assert not [*tmp_path.iterdir()]
    guarded(place(kind, tmp_path), create=True).close()
    guarded(place(kind, tmp_path)).close()


@kinds
@pytest.mark.parametrize(
    "changed", [{"share": Fraction(1, 3)}, {"domain": Domain.counts(2)}], ids=["share", "domain"]
)
def test_a_store_of_another_budget_or_domain_is_refused(
    kind: str, changed: dict[str, Any], tmp_path: Path
) -> None:
    where = place(kind, tmp_path)
    guarded(where, create=True).close()
    with pytest.raises(StoreError, match="belongs to another filter"):
        guarded(where, **changed)
    with pytest.raises(StoreError, match="belongs to another filter"):
        CompensatorFilter(EPSILON + 1, DELTA, domain=ONE_BIT, share=0, store=where)


# --- one budget, one lock ----------------------------------------------------------------------


def test_a_state_file_in_use_cannot_be_opened_twice(tmp_path: Path) -> None:
    first = guarded(tmp_path / "budget", create=True)
    ask_again(first)
    with pytest.raises(StoreError, match="in use"):
        guarded(tmp_path / "budget")
    first.close()
    guarded(tmp_path / "budget").close()


def by_symlink(path: Path) -> Path:
    (path.parent / "other").symlink_to(path)
    return path.parent / "other"


def by_linked_folder(path: Path) -> Path:
    (path.parent.parent / "folder").symlink_to(path.parent)
    return path.parent.parent / "folder" / path.name


def by_moved_folder(path: Path) -> Path:
    path.parent.rename(path.parent.parent / "moved")
    return path.parent.parent / "moved" / path.name


def by_deleted_side_files(path: Path) -> Path:
    for beside in path.parent.iterdir():
        if beside not in (path, path.with_name("budget.log")):
            beside.unlink()
    return path


@pytest.mark.parametrize(
    "other_name", [by_symlink, by_linked_folder, by_moved_folder, by_deleted_side_files]
)
def test_one_budget_has_one_lock_whatever_it_is_called(
    other_name: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = tmp_path / "here" / "budget"
    path.parent.mkdir()
    first = guarded(path, create=True)
    ask_again(first)
    with pytest.raises(StoreError, match="in use"):
        guarded(other_name(path))


def test_a_folder_that_was_moved_away_ends_the_filter(tmp_path: Path) -> None:
    path = tmp_path / "here" / "budget"
    path.parent.mkdir()
    guard, draw = guarded(path, create=True), Witness()
    path = by_moved_folder(path)
    with pytest.raises(StoreError, match="moved or deleted"):
        ask_again(guard, draw)
    guard.close()
    assert not draw.ran
    assert guarded(path).rounds == 0


@kinds
def test_a_second_hard_link_is_refused(kind: str, tmp_path: Path) -> None:
    where = place(kind, tmp_path)
    guard, draw = guarded(where, create=True), Witness()
    path = Path(where.removeprefix("sqlite:"))
    os.link(path, tmp_path / "second")
    if kind == "file":
        with pytest.raises(StoreError, match="hard links"):
            ask_again(guard, draw)
    guard.close()
    with pytest.raises(StoreError, match="hard link"):
        guarded(where)
    assert not draw.ran


def test_a_file_that_was_put_in_its_place_is_noticed(tmp_path: Path) -> None:
    path, draw = tmp_path / "budget", Witness()
    guard = guarded(path, create=True)
    kept = path.read_bytes()
    ask_again(guard)
    path.unlink()
    path.write_bytes(kept)
    with pytest.raises(StoreError, match="an older copy was put in its place"):
        ask_again(guard, draw)
    assert not draw.ran


def test_a_file_that_was_changed_in_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "budget"
    store = FileStore(path, create=True)
    guard = guarded(store, create=True)
    kept = path.read_bytes()
    ask_again(guard)
    head = guard._head
    path.write_bytes(kept)
    with pytest.raises(StoreError, match="an older copy was put in its place"):
        store.write(head, store.read(), "{}")  # type: ignore[arg-type]


# --- damage ------------------------------------------------------------------------------------


def test_a_damaged_state_file_always_raises_a_store_error(tmp_path: Path) -> None:
    path, rng = tmp_path / "budget", Random(5)
    guard = guarded(path, create=True)
    ask_again(guard)
    text = path.read_bytes()
    guard.close()
    tries = [b"", b"null", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, text[:-20], text + b" "]
    tries += [text.replace(b'"rounds": 1', b'"rounds": 0'), text.replace(b"budget", b"")]
    for _ in range(150):
        at = rng.randrange(len(text))
        tries.append(text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)]) + text[at + 1 :])
        tries.append(text[:at] + rng.randbytes(3) + text[at + rng.randrange(9) :])
    end = text.index(b"\n")  # of the line that says what the log is
    tries += [text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :] for at in range(end)]
    for damaged in {*tries} - {text}:
        path.write_bytes(damaged)
        with pytest.raises(StoreError):
            guarded(path)


def test_a_state_without_its_log_is_damaged(tmp_path: Path) -> None:
    guarded(tmp_path / "budget", create=True).close()
    (tmp_path / "budget.log").write_bytes(b"")
    with pytest.raises(StoreError, match="log"):
        guarded(tmp_path / "budget")


def test_a_damaged_database_raises_a_store_error(tmp_path: Path) -> None:
    where, path = place("sqlite", tmp_path), tmp_path / "budget.db"
    guard = guarded(where, create=True)
    for _ in range(2):
        ask_again(guard)
    spent = guard.spent
    guard.close()
    text, rng = path.read_bytes(), Random(6)
    for damaged in (b"", b"no database", *(damage(text, rng) for _ in range(50))):
        path.write_bytes(damaged)
        try:
            again = guarded(where)
        except StoreError:
            continue
        assert again.spent == spent
        again.close()


def damage(text: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(text) - 64)
    return text[:at] + rng.randbytes(64) + text[at + 64 :]


@kinds
def test_the_log_shows_every_step_and_a_changed_record_breaks_it(kind: str, tmp_path: Path) -> None:
    where = place(kind, tmp_path)
    guard = guarded(where, create=True)
    outputs = iter([0, 1] * 9)
    with pytest.raises(BudgetExceeded):  # noqa: PT012
        while True:
            ask_again(guard, lambda: next(outputs))
    rounds = guard.rounds
    guard.close()
    store = open_store(where)
    cell, texts = store.history()
    kind_of = [facts["kind"] for facts in checked_records(texts, cell)]
    assert kind_of == ["open", *["reserve", "settle"] * rounds, "refuse"]
    for broken in (
        texts[1:],
        texts[:-1],
        texts[:2] + texts[3:],
        [texts[1], texts[0], *texts[2:]],
        [text.replace('"round": 2', '"round": 1') for text in texts],
        [*texts, texts[-1]],
        [*texts[:-1], "{"],
    ):
        with pytest.raises(StoreError):
            [*checked_records(broken, cell)]
    store.close()


# --- domains -------------------------------------------------------------------------------------

PRINT = """
from filterproof.runtime import Domain
people = [frozenset({"ann", "bob", "eve"}), frozenset({"ann", "bob"}), frozenset()]
print(Domain.record(set(people)).fingerprint())
"""


def test_a_fingerprint_does_not_depend_on_the_hash_seed() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1


def test_entries_find_their_pairs_when_the_domain_is_declared_in_another_order(
    tmp_path: Path,
) -> None:
    where, names = tmp_path / "budget", ["a", "b", "c"]
    law = {y: {x: Fraction(3 if x == y else 1, 5) for x in names} for y in names}
    mechanism = type(RESPONSE)(law)
    first = guarded(where, create=True, domain=Domain.record(names))
    first.release(mechanism, lambda: "b")
    asked = first.ask(mechanism)
    first.close()
    again = guarded(where, domain=Domain.record(names[::-1]))
    assert again.ask(mechanism) == asked
    spent = dict(zip(again._domain.pairs, again._account.low.tolist(), strict=True))
    assert spent["b", "a"] > 0 > spent["a", "b"]


def test_databases_without_a_fixed_spelling_cannot_be_stored(tmp_path: Path) -> None:
    class Person:
        pass

    domain = Domain.record([Person(), Person()])
    with pytest.raises(DomainError, match="in a store must be"):
        guarded(tmp_path / "budget", create=True, domain=domain)


def test_the_examples_of_the_manual_run_as_printed() -> None:
    manual = Path(__file__).parents[3] / "docs" / "RUNTIME.md"
    result = doctest.testfile(str(manual), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0
