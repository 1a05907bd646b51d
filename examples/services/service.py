"""A budget service: FastAPI in front of SQLite.

uvicorn service:right --port 8000
filterproof audit --http http://127.0.0.1:8000 --open "POST /budgets {epsilon, delta} -> id" \
    --spend "POST /budgets/{id}/spend {epsilon, delta}"        no violation found

uvicorn service:wrong --port 8001, and the same for port 8001: VIOLATED, old spends are forgotten
"""

import sqlite3

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

TABLES = """
CREATE TABLE budgets (id INTEGER PRIMARY KEY, epsilon REAL, delta REAL);
CREATE TABLE spends (budget INTEGER, epsilon REAL, delta REAL);
"""
ALL = "SELECT epsilon, delta FROM spends WHERE budget = ?"
LAST = f"{ALL} ORDER BY rowid DESC LIMIT 1"


class Amount(BaseModel):
    """What is asked for, or what there is."""

    epsilon: float
    delta: float = 0.0


def service(counted: str) -> FastAPI:
    """Return the service; `counted` selects the spends that count against a budget."""
    app = FastAPI()
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.executescript(TABLES)

    @app.post("/budgets", status_code=201)
    async def opened(amount: Amount) -> dict[str, int | None]:
        row = (amount.epsilon, amount.delta)
        found = database.execute("INSERT INTO budgets (epsilon, delta) VALUES (?, ?)", row)
        return {"id": found.lastrowid}

    @app.post("/budgets/{budget}/spend")
    async def spend(budget: int, amount: Amount) -> dict[str, str]:
        query = "SELECT epsilon, delta FROM budgets WHERE id = ?"
        whole = database.execute(query, (budget,)).fetchone()
        if whole is None:
            raise HTTPException(404, "no such budget")
        spent = database.execute(counted, (budget,)).fetchall()
        if sum(row[0] for row in spent) + amount.epsilon > whole[0] * (1 - 1e-9) or sum(
            row[1] for row in spent
        ) + amount.delta > whole[1] * (1 - 1e-9):
            raise HTTPException(402, "not enough is left")
        row = (budget, amount.epsilon, amount.delta)
        database.execute("INSERT INTO spends VALUES (?, ?, ?)", row)
        return {"status": "booked"}

    return app


right, wrong = service(ALL), service(LAST)
