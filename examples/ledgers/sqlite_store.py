"""A ledger in SQLite, made by a function of its own.

filterproof audit sqlite_store.py:Right --spend spend --open "sqlite_store.py:right(epsilon)"
    no violation found
filterproof audit sqlite_store.py:Wrong --spend spend --open "sqlite_store.py:wrong(epsilon)"
    VIOLATED: the sum is taken over the last rows only
"""

import sqlite3


class Right:
    """Keeps every spend as a row."""

    rows = "SELECT epsilon FROM spends"

    def __init__(self, connection: sqlite3.Connection, epsilon: float) -> None:
        self.connection, self.epsilon = connection, epsilon
        connection.execute("CREATE TABLE spends (epsilon REAL)")

    def spend(self, epsilon: float) -> bool:
        """Book a spend if it fits."""
        with self.connection as database:
            spent = sum(row[0] for row in database.execute(self.rows))
            if spent + epsilon > self.epsilon * (1 - 1e-9):
                return False
            database.execute("INSERT INTO spends VALUES (?)", (epsilon,))
        return True


class Wrong(Right):
    """Forgets what was spent before the last row."""

    rows = "SELECT epsilon FROM spends ORDER BY rowid DESC LIMIT 1"


def right(epsilon: float) -> Right:
    """Return a ledger in a database of its own."""
    return Right(sqlite3.connect(":memory:"), epsilon)


def wrong(epsilon: float) -> Wrong:
    """Return a wrong ledger in a database of its own."""
    return Wrong(sqlite3.connect(":memory:"), epsilon)
