"""One budget for several processes: SQLite, and a real PostgreSQL server that the tests start."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from random import Random

import psycopg
import pytest

from filterproof.runtime import BudgetExceeded, CompensatorFilter, PostgresStore, StoreError
from filterproof.runtime.store import open_store
from filterproof.runtime.store.cell import checked_records
from tests.needs import needs_postgres
from tests.reference.runtime.budgets import Witness, ask_again, guarded, place
from tests.reference.runtime.campaign import Outcome, campaign
from tests.reference.runtime.server import Server

pytestmark = needs_postgres
SHARED = ("sqlite", "postgres")
shared = pytest.mark.parametrize("kind", SHARED)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> Iterator[str]:
    """A place for a budget that nobody has used yet."""
    if kind != "postgres":
        yield place(kind, tmp_path)
        return
    url = request.getfixturevalue("server").url
    yield url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS filterproof_cell, filterproof_log")


def kinds_of(where: str) -> list[str]:
    store = open_store(where)
    cell, records = store.history()
    found = [facts["kind"] for facts in checked_records(records, cell)]
    store.close()
    return found


def in_processes(count: int, work: Callable[[], None]) -> None:
    """Run the same work in forks, and fail if one of them does."""
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            try:
                work()
                os._exit(0)
            except BaseException as error:
                sys.stderr.write(f"{error!r}\n")
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * count


def until_refused(guard: CompensatorFilter, witness: Path) -> None:
    """Ask until there is no budget left; answers change from round to round."""

    def draw() -> int:
        with witness.open("ab") as file:
            file.write(b"d")
            return file.tell() % 2

    with pytest.raises(BudgetExceeded):  # noqa: PT012
        for _ in range(1000):
            ask_again(guard, draw)


# --- racing --------------------------------------------------------------------------------------


@shared
def test_eight_processes_together_get_what_one_would_get(where: str, tmp_path: Path) -> None:
    alone = guarded()
    until_refused(alone, tmp_path / "alone")
    guarded(where, create=True).close()
    in_processes(8, lambda: until_refused(guarded(where), tmp_path / "witness"))
    drawn = (tmp_path / "witness").stat().st_size
    assert drawn == guarded(where).rounds == alone.rounds > 1
    assert kinds_of(where).count("refuse") == 8


@shared
def test_without_turns_nothing_is_spent_twice_either(where: str, tmp_path: Path) -> None:
    """Safety rests on compare-and-swap: the twin of the turns, which only save budget."""
    first, second = guarded(where, create=True), guarded(where)
    second._store.turn = nullcontext  # type: ignore[union-attr, method-assign]

    def meanwhile() -> int:
        return ask_again(second)

    with pytest.raises(StoreError, match="by another filter in the meantime"):
        ask_again(first, meanwhile)
    known = guarded()
    for _ in range(2):
        ask_again(known)
    assert second.rounds == 2
    for guard in (second, known):
        ask_again(guard)
    assert second.spent > known.spent  # the loss of the first round was not known


@shared
def test_what_one_filter_spends_the_other_sees(where: str) -> None:
    first, second = guarded(where, create=True), guarded(where)
    ask_again(first)
    ask_again(second)
    assert (second.rounds, first.rounds) == (2, 1)
    ask_again(first)
    assert first.rounds == 3


def die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody survives this")


# --- dying ---------------------------------------------------------------------------------------


@shared
def test_a_worker_killed_while_drawing_stays_charged_with_an_unknown_loss(where: str) -> None:
    guarded(where, create=True).close()
    child = os.fork()
    if child == 0:
        ask_again(guarded(where), die)
        os._exit(1)
    os.waitpid(child, 0)
    after, known = guarded(where), guarded()
    ask_again(known)
    assert (after.rounds, after.spent) == (1, known.spent)
    for guard in (after, known):
        ask_again(guard, lambda: 1)
        ask_again(guard)
    assert after.spent > known.spent
    assert kinds_of(where) == ["open", "reserve", *["reserve", "settle"] * 2]


@pytest.mark.parametrize(("kind", "workers"), [("file", 1), ("sqlite", 3), ("postgres", 3)])
def test_random_kills_give_nothing_back(where: str, workers: int, tmp_path: Path) -> None:
    """A thousand of them: `python -m tests.reference.runtime.campaign STORE 1000`."""
    outcome = campaign(where, tmp_path / "witness", 12, workers, Random(3))
    assert outcome.holds(), outcome
    assert outcome.drawn > 0


@pytest.mark.parametrize(
    "wrong",
    [
        Outcome(1, drawn=3, released=2, reserved=2, settled=2, booked=2),
        Outcome(1, drawn=2, released=2, reserved=2, settled=1, booked=2),
        Outcome(1, drawn=2, released=2, reserved=2, settled=2, booked=1),
    ],
)
def test_the_campaign_would_notice(wrong: Outcome) -> None:
    assert not wrong.holds()


# --- a server that goes away ---------------------------------------------------------------------

postgres = pytest.mark.parametrize("kind", ["postgres"])


def cut(where: str) -> int:
    """End every other connection to the server."""
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
    return 0


@postgres
def test_a_connection_lost_while_drawing_releases_nothing_and_stays_charged(where: str) -> None:
    guard = guarded(where, create=True)
    with pytest.raises(StoreError, match="PostgreSQL"):
        ask_again(guard, lambda: cut(where))
    ask_again(guard)  # a new connection, and the state as the server has it
    assert guard.rounds == 2
    assert kinds_of(where) == ["open", "reserve", "reserve", "settle"]


@postgres
def test_a_connection_lost_before_the_reservation_draws_nothing(where: str) -> None:
    guard, draw = guarded(where, create=True), Witness()
    cut(where)
    with pytest.raises(StoreError, match="PostgreSQL"):
        ask_again(guard, draw)
    assert not draw.ran
    ask_again(guard)
    assert guard.rounds == 1


@postgres
@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_restarted_in_between_forgets_nothing(
    where: str, server: Server, mode: str
) -> None:
    guard = guarded(where, create=True)
    ask_again(guard)

    def restart() -> int:
        server.control("restart", "-m", mode)
        return 0

    with pytest.raises(StoreError, match="PostgreSQL"):
        ask_again(guard, restart)
    ask_again(guard)
    assert guard.rounds == 3
    assert guarded(where).spent == guard.spent


@postgres
def test_a_turn_ends_with_the_connection_that_holds_it(where: str) -> None:
    first, second = guarded(where, create=True), guarded(where)
    with pytest.raises(StoreError):
        ask_again(first, lambda: cut(where) + _again(second))
    assert second.rounds == 2


def _again(guard: CompensatorFilter) -> int:
    """Ask with a filter whose connection may be gone too."""
    try:
        return ask_again(guard)
    except StoreError:
        return ask_again(guard)


@postgres
def test_a_missing_budget_or_server_is_an_error(where: str) -> None:
    with pytest.raises(StoreError, match="create=True"):
        guarded(where)
    with pytest.raises(StoreError, match="create=True"):
        PostgresStore(where)
    guarded(where, create=True).close()
    with pytest.raises(StoreError, match="empty; pass create=True"):
        guarded(PostgresStore(where, name="another"))
    begun = time.monotonic()
    with pytest.raises(StoreError, match="PostgreSQL"):
        guarded("postgresql://tester@127.0.0.1:1/postgres")
    assert time.monotonic() - begun < 60


@postgres
def test_a_turn_is_waited_for_a_minute_and_every_commit_is_flushed(where: str) -> None:
    store = PostgresStore(where, create=True)
    shown = [
        store._live_connection().execute(f"SHOW {name}").fetchone()[0]
        for name in ("lock_timeout", "synchronous_commit")
    ]
    assert shown == ["1min", "on"]
    store.close()
    assert store._connection is None
    with pytest.raises(StoreError, match="was closed"):
        store.read()


@postgres
def test_budgets_of_different_names_share_a_server(where: str) -> None:
    one = guarded(PostgresStore(where, name="one", create=True), create=True)
    other = guarded(PostgresStore(where, name="other", create=True), create=True)
    ask_again(one)
    assert (one.rounds, other.rounds) == (1, 0)
    ask_again(one, lambda: ask_again(other))
    assert (one.rounds, other.rounds) == (2, 1)


# --- one budget, whoever asks and whatever server answers ----------------------------------------


@postgres
def test_roles_with_schemas_of_their_own_spend_one_budget(where: str) -> None:
    with psycopg.connect(where, autocommit=True) as connection:
        for role in ("ann", "bob"):
            connection.execute(f"DROP SCHEMA IF EXISTS {role} CASCADE")
            connection.execute(f"DROP ROLE IF EXISTS {role}")
            connection.execute(f"CREATE ROLE {role} LOGIN SUPERUSER")
            connection.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}")
    ann, bob = (guarded(where.replace("tester", role), create=True) for role in ("ann", "bob"))
    ask_again(ann)
    ask_again(bob)
    assert (bob.rounds, kinds_of(where).count("reserve")) == (2, 2)


@postgres
def test_a_schema_has_an_ordinary_name(where: str) -> None:
    with pytest.raises(StoreError, match="need a schema"):
        PostgresStore(where, schema='"; DROP TABLE x')


@shared
def test_the_log_of_a_store_in_use_is_read_without_a_false_alarm(where: str) -> None:
    guard = guarded(where, create=True, share=1)
    child = os.fork()
    if child == 0:
        writer = guarded(where, share=1)
        for _ in range(150):
            with suppress(BudgetExceeded):
                ask_again(writer)
        os._exit(0)
    looks = 0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        assert kinds_of(where)[0] == "open"  # `checked` raises if cell and log do not belong
        looks += 1
    assert looks > 10
    guard.close()


@pytest.mark.parametrize("kind", ["postgres"])
def test_a_server_that_lags_behind_is_noticed_after_a_failover(server: Server, where: str) -> None:
    guard = guarded(where, create=True)
    ask_again(guard)
    server.control("stop")
    lagging = f"{server.folder}/lagging"
    server.run("cp", "-a", server.data, lagging)
    server.control("start")
    assert _again(guard) == 0
    server.control("stop")
    shutil.rmtree(server.data)
    Path(lagging).rename(server.data)
    server.control("start")
    with pytest.raises(StoreError, match=r"connection|does not go on"):
        ask_again(guard)  # the first one may only notice that the connection is gone
    with pytest.raises(StoreError, match="does not go on from what this filter has seen"):
        ask_again(guard)
