"""Anybody's budget object, by the names of its calls: how it is made, asked and spent from.

`python -m filterproof_properties.failopen.named JSON ROW ...` is the process in which it runs.
"""

import ast
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from filterproof_properties.failopen.desk import DELTA, ONE, PAIRS, Desk
from filterproof_properties.failopen.probes import NAMED_ROWS
from filterproof_properties.failopen.table import Column, column, work
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.attribute import attribute
from filterproof_properties.targets.target import TargetError

BOTH = "(epsilon, delta)"
"""What a call is given where its arguments are not written out."""


def call(text: str) -> str:
    """Return a call as an expression of epsilon and delta, checked.

    >>> call("spend"), call("charge(cost=epsilon)")
    ('spend(epsilon, delta)', 'charge(cost=epsilon)')
    >>> call("spend(x)")
    Traceback (most recent call last):
    ValueError: need NAME or NAME(...) with epsilon and delta only; got 'spend(x)'
    """
    whole = text + BOTH if text.isidentifier() else text
    try:
        found = ast.parse(whole, mode="eval").body
    except SyntaxError:
        found = None
    if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name):
        raise ValueError(f"need NAME or NAME(...) with epsilon and delta only; got {text!r}")
    inside = [node for one in (*found.args, *found.keywords) for node in ast.walk(one)]
    if {node.id for node in inside if isinstance(node, ast.Name)} - {"epsilon", "delta"}:
        raise ValueError(f"need NAME or NAME(...) with epsilon and delta only; got {text!r}")
    return whole


def opening(text: str) -> str:
    """Return the call that makes the object, from its arguments in brackets.

    >>> opening("(total=epsilon)")
    'target(total=epsilon)'
    >>> opening("epsilon")
    Traceback (most recent call last):
    ValueError: need arguments in brackets, such as (epsilon); got 'epsilon'
    """
    if not text.startswith("("):
        raise ValueError(f"need arguments in brackets, such as (epsilon); got {text!r}")
    return call(f"target{text}")


def granted(call: Callable[[], Any], refusal: str) -> bool:
    """Whether a call grants: it returns anything but False, and raises no exception of that name.

    >>> [granted(call, "LookupError") for call in (list, lambda: False, lambda: {}[0])]
    [True, False, False]
    """
    try:
        answer = call()
    except Exception as error:
        if refusal in {one.__name__ for one in type(error).__mro__}:
            return False
        raise
    return not (type(answer).__name__ in ("bool", "bool_") and not answer)


@dataclass(frozen=True)
class Budget:
    """A budget object that is named: `target` makes it, `spend` and perhaps `check` ask it.

    A call refuses by returning False or by raising, `refusal` if that is named.  The mechanism runs
    after the spend, or with `between` after the check and before the spend; `fails` is called if
    it raises.
    """

    target: str
    spend: str
    check: str = ""
    opens: str = f"target{BOTH}"
    refusal: str = ""
    fails: str = ""
    between: bool = False

    def called(self, text: str, it: Any, pair: tuple[float, float]) -> bool:
        """Call the object; False means that it refuses."""
        names = {"it": it, "epsilon": pair[0], "delta": pair[1]}
        # an expression of the user's, on the user's object
        return granted(lambda: eval(f"it.{text}", names), self.refusal)

    def ask(self, it: Any, pair: tuple[float, float]) -> bool:
        """Check, run what does not fail, spend."""
        return all(self.called(text, it, pair) for text in (self.check, self.spend) if text)

    def fail(self, it: Any) -> bool:
        """Check and spend as far as that comes before the run; then the mechanism fails."""
        before = (self.check, "" if self.between else self.spend)
        if not all(self.called(text, it, ONE) for text in before if text):
            return False
        if self.fails:
            self.called(self.fails, it, ONE)
        raise RuntimeError("the mechanism fails after touching the data")


def desk(budget: Budget) -> Desk:
    """Return the desk at which the object is asked; its code is loaded here."""
    target = attribute(budget.target)

    def opened(epsilon: float, delta: float = DELTA) -> Any:
        return eval(budget.opens, {"target": target, "epsilon": epsilon, "delta": delta})

    made = Desk(opened, budget.ask, ONE, PAIRS, "", budget.fail, pairs=True)
    tried(budget, made)
    return made


def tried(budget: Budget, made: Desk) -> None:
    """Raise unless the one unit that fits is granted, and one more refused as was announced."""
    it = _happens("it cannot be made", lambda: made.open(ONE[0]))
    if not _happens("the first unit, which fits, raises", lambda: budget.ask(it, ONE)):
        raise TargetError("it refuses the first unit, which is all of its budget")
    if budget.refusal:
        _happens(f"a unit too many raises no {budget.refusal}", lambda: budget.ask(it, ONE))


def _happens(what: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (Exception, SystemExit) as error:
        raise TargetError(f"{what}: {type(error).__name__}: {error}") from None


def observed(budget: Budget, limits: Limits) -> Column:
    """Return what the object does with every odd input, observed in a process of its own."""
    folder = os.path.dirname(os.path.abspath(budget.target))
    return column([__name__, json.dumps(asdict(budget))], NAMED_ROWS, limits, [folder])


def main(arguments: list[str]) -> int:
    """Observe rows here, for whoever has started this process."""
    told, *rows = arguments
    budget = Budget(**json.loads(told))
    return work(lambda: desk(budget), NAMED_ROWS, rows)
