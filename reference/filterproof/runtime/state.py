"""The state of a filter as text: who it belongs to, how many rounds ran, and the account."""

import base64
import json
from typing import Any

import numpy as np

from filterproof.exact import Epsilon, ExpLinear, format_epsilon, format_rational, parse_rational
from filterproof.runtime.account import NAMES, Account
from filterproof.runtime.budget import Budget
from filterproof.runtime.domain import Domain
from filterproof.runtime.exact_account import ExactAccount, Loss, State
from filterproof.runtime.store.cell import StoreError


def encode_state(
    owner: dict[str, str], rounds: int, account: Account, domain: Domain, budget: Budget
) -> str:
    """Return the text; the pairs stand in an order that is the same in every process."""
    columns = {
        name: base64.b64encode(column[domain.order].astype("<f8").tobytes()).decode()
        for name, column in zip(NAMES, account.columns(), strict=True)
    }
    body = {"owner": owner, "rounds": rounds, "columns": columns}
    if account.exact is not None:
        body["exact"] = _encode_exact(account.exact, domain, budget)
    return json.dumps(body, sort_keys=True)


def decode_state(
    text: str, owner: dict[str, str], domain: Domain, budget: Budget
) -> tuple[int, Account]:
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
    exact = _decode_exact(body.get("exact"), domain, budget)
    named = {name: _row_on_domain(row, domain) for name, row in zip(NAMES, rows, strict=True)}
    return rounds, Account(**named, exact=exact)


def _column(text: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8")


def _row_on_domain(row: np.ndarray[Any, Any], domain: Domain) -> np.ndarray[Any, Any]:
    column = np.empty(len(row))
    column[domain.order] = row
    return column


# --- exact numbers --------------------------------------------------------------------------


def _encode_exact(exact: ExactAccount, domain: Domain, budget: Budget) -> dict[str, Any]:
    which = base64.b64encode(exact.which[domain.order].astype("<i8").tobytes()).decode()
    states = [[_loss_text(one.loss), _spent_text(one.spent)] for one in exact.states]
    return {"epsilon": _epsilon_text(budget), "which": which, "states": states}


def _loss_text(loss: Loss | None) -> list[Any] | None:
    if loss is None:
        return None
    return [format_rational(loss.plain), format_rational(loss.odds), loss.sharp]


def _spent_text(spent: ExpLinear | None) -> list[str] | None:
    return None if spent is None else [format_rational(spent.a), format_rational(spent.b)]


def _epsilon_text(budget: Budget) -> str | None:
    return None if budget.exact_epsilon is None else format_epsilon(budget.exact_epsilon)


def _decode_exact(found: Any, domain: Domain, budget: Budget) -> ExactAccount | None:
    """Return what is known exactly; None where the state was written without it."""
    if found is None:
        return None
    try:
        epsilon, states = found["epsilon"], [*map(tuple, found["states"])]
        which = np.frombuffer(base64.b64decode(found["which"], validate=True), dtype="<i8")
        known = tuple(_state(loss, spent, budget) for loss, spent in states)
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise StoreError(f"the state is damaged: {error}") from error
    if epsilon != _epsilon_text(budget):
        raise StoreError(f"the state belongs to another epsilon: {epsilon}")
    if len(which) != len(domain.pairs) or not 0 <= which.min() <= which.max() < len(known):
        raise StoreError("the state is damaged: its exact numbers do not fit the domain")
    placed = np.empty(len(which), dtype=np.int64)
    placed[domain.order] = which
    return ExactAccount(placed, known)


def _state(loss: Any, spent: Any, budget: Budget) -> State:
    return State(
        None if loss is None else _loss(*loss),
        None if spent is None else _spend_of_pair(budget.exact_epsilon, *spent),
    )


def _loss(plain: str, odds: str, sharp: Any) -> Loss:
    found = Loss(parse_rational(plain), parse_rational(odds), sharp)
    if type(sharp) is not bool or found.odds <= 0:
        raise ValueError(f"no loss: {plain} + log({odds})")
    return found


def _spend_of_pair(epsilon: Epsilon | None, a: str, b: str) -> ExpLinear:
    if epsilon is None:
        raise ValueError("exact numbers for an epsilon without any")
    return ExpLinear(parse_rational(a), parse_rational(b), epsilon)
