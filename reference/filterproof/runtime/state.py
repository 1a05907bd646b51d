"""The state of a filter as text: who it belongs to, how many rounds ran, and the account."""

import base64
import json
from typing import Any

import numpy as np

from filterproof.runtime.account import NAMES, Account
from filterproof.runtime.domain import Domain
from filterproof.runtime.store.cell import StoreError


def encode_state(owner: dict[str, str], rounds: int, account: Account, domain: Domain) -> str:
    """Return the text; the pairs stand in an order that is the same in every process."""
    columns = {
        name: base64.b64encode(column[domain.order].astype("<f8").tobytes()).decode()
        for name, column in zip(NAMES, account.columns(), strict=True)
    }
    return json.dumps({"owner": owner, "rounds": rounds, "columns": columns}, sort_keys=True)


def decode_state(text: str, owner: dict[str, str], domain: Domain) -> tuple[int, Account]:
    """Return (rounds, account); another owner's state and a damaged one are refused."""
    try:
        body = json.loads(text)
        found, rounds, columns = body["owner"], body["rounds"], body["columns"]
        rows = [_column(columns[name]) for name in NAMES]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StoreError(f"the state is damaged: {error}") from error
    if found != owner:
        raise StoreError(f"the state belongs to another filter: {found}, not {owner}")
    if type(rounds) is not int or rounds < 0 or any(len(row) != len(domain.pairs) for row in rows):
        raise StoreError("the state is damaged: its columns do not fit the domain")
    if any(np.isnan(row).any() for row in rows):
        raise StoreError("the state is damaged: it holds a number that is none")
    return rounds, Account(*(_placed(row, domain) for row in rows))


def _column(text: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8")


def _placed(row: np.ndarray[Any, Any], domain: Domain) -> np.ndarray[Any, Any]:
    column = np.empty(len(row))
    column[domain.order] = row
    return column
