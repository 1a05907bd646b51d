"""How a budget object is made and asked, in the words of its own calls.

`filterproof audit shop.py:Budget --spend spend` names an ordinary class and the method that books
a spend.  `BudgetCalls` holds these words after they were checked; `command_words` and `read_words`
turn them into the text of a command line and back: one line names a budget object everywhere.

A CALL is an expression such as `spend(epsilon, delta)` in which the names of costs stand for what a
mechanism costs.  Which names a call uses says in which currency it counts.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from filterproof.call_expressions import (
    BUDGETS,
    check_call,
    check_expression,
    check_open,
    is_bare,
    lacks_arguments,
    names_in,
    with_arguments,
)
from filterproof.free_arguments import Free, free_argument
from filterproof.http_routes import IDENTITY, is_route
from filterproof.http_routes import CallError as CallError

COSTS: Mapping[str, tuple[str, ...]] = {
    "approx": ("epsilon", "delta"),
    "pure": ("epsilon",),
    "zcdp": ("rho",),
    "rdp": ("rdp",),
    "gdp": ("mu",),
    "count": (),
}
"""The currencies, each with the names of the costs that a call is given in it.

`rdp` is the list of the Renyi divergences at the orders; a `count` has no cost, each call is one.
"""
MECHANISM = "mechanism"
"""What stands for the mechanism in a call to an object that runs it: a function."""
MODULE = "module"
"""How a call begins that is a function of the module: `module.spend(id, epsilon)`."""
RESULT = "result"
"""What stands in a call for what the call before it has returned: a ticket, a receipt."""
EXCEPTION = "exception"
"""The word for `fails` that says: a failure reaches the object as an exception."""
COUNT = 3
"""A ledger in `count` is opened for so many requests unless `count:N` says otherwise."""


@dataclass(frozen=True)
class BudgetCalls:
    """How a budget object is made (`open`) and asked (`spend`, perhaps after `check`).

    A call refuses by returning False, by raising `refusal`, or as `granted` says of its `result`.
    The mechanism runs after the spend, or with `between` after the check and before the spend;
    `fails` is called when it fails (`exception`: the object sees it raise).  `currency` is ""
    where the calls say it by their arguments.

    `python` is the interpreter that has what the object needs, if it is another one.

    >>> BudgetCalls(spend=("take(epsilon)",)).kind("take(epsilon)")
    'pure'
    """

    spend: tuple[str, ...]
    open: str = ""
    check: str = ""
    refusal: str = ""
    granted: str = ""
    fails: str = ""
    between: bool = False
    currency: str = ""
    part: str = ""
    free: tuple[str, ...] = ()
    clock: str = ""
    instances: int = 1
    python: str = ""

    def __post_init__(self) -> None:
        _check(self)

    @property
    def chosen(self) -> tuple[Free, ...]:
        """The arguments that the caller chooses."""
        return tuple(map(free_argument, self.free))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names that a call may use beside costs: what the caller chooses, and the part."""
        return (*[one.name for one in self.chosen], *([self.part] if self.part else []))

    @property
    def orders(self) -> tuple[Fraction, ...]:
        """The Renyi orders of the currency `rdp:ORDERS`."""
        kind, _, rest = self.currency.partition(":")
        return tuple(map(Fraction, rest.split(","))) if kind == "rdp" else ()

    @property
    def count(self) -> int:
        """How many requests a ledger in `count` is opened for."""
        kind, _, rest = self.currency.partition(":")
        return int(rest) if kind == "count" and rest else COUNT

    @property
    def plays_failures(self) -> bool:
        """Whether the object is told, or can notice, that a mechanism failed."""
        return bool(self.fails or self.between)

    @property
    def takes_ticket(self) -> bool:
        """Whether a spend is given what the check has returned, which then grants."""
        return bool(self.check) and any(RESULT in names_in(one) for one in self.spend)

    @property
    def needs_identity(self) -> bool:
        """Whether a call is a function of the module that is given the object, as `id`.

        >>> BudgetCalls(("module.spend(id, epsilon)",)).needs_identity
        True
        """
        calls = (*self.spend, self.check, self.fails)
        return any(is_function(one) and IDENTITY in names_in(one) for one in calls)

    @property
    def promises_no_delta(self) -> bool:
        """Whether all it is opened with, and all it counts, is epsilon.

        >>> BudgetCalls(("spend(epsilon)",), "(epsilon)").promises_no_delta
        True
        >>> BudgetCalls(("spend(epsilon)",), "(epsilon, delta)").promises_no_delta
        False
        """
        counted = {self.kind(call) for call in self.spend}
        return counted == {"pure"} and not self.opened_with & {"delta", "rho", "mu", "rdp"}

    @property
    def opened_with(self) -> set[str]:
        """The names that the call which makes the object uses."""
        if is_route(self.open):
            return names_in(self.open)
        return names_in(f"target({self.open.partition('(')[2]}")

    @property
    def has_own_budget(self) -> bool:
        """Whether nothing tells the object its budget, and each request costs what it costs.

        >>> BudgetCalls(("spend(epsilon)",), "()").has_own_budget
        True
        """
        told = self.opened_with & {*BUDGETS}
        return not told and any(self.kind(call) != "count" for call in self.spend)

    def kind(self, call: str) -> str:
        """Return the currency of one call, by the names that it, or what it follows, uses.

        >>> BudgetCalls(("commit(result)",), check="reserve(epsilon)").kind("commit(result)")
        'pure'
        """
        used = names_in(call) | (names_in(self.check) if self.takes_ticket else set())
        if "epsilon" in used:
            return "approx" if "delta" in used else "pure"
        return next((kind for kind, costs in COSTS.items() if used & {*costs}), "count")


def is_function(call: str) -> bool:
    """Whether a call is a function of the module, and no method of the object."""
    return call.startswith(f"{MODULE}.")


def _check(calls: BudgetCalls) -> None:
    if not calls.spend:
        raise CallError("need --spend CALL: what books a spend")
    check_currency(calls.currency)
    costs = sorted({name for names in COSTS.values() for name in names})
    allowed = (*costs, MECHANISM, IDENTITY, RESULT, *calls.arguments)
    for text in (*calls.spend, calls.check, calls.fails):
        if text and not is_bare(text):
            check_call(text, allowed)
    for text in calls.spend:
        _check_kind(calls, text)
    if calls.open:
        check_open(calls.open, calls.arguments)
    if calls.granted:
        check_expression(calls.granted, ("result", "status", *costs))
    if calls.between and not calls.check:
        raise CallError("--between needs --check CALL: a mechanism runs between check and spend")
    if calls.instances < 1:
        raise CallError(f"need --instances of at least 1; got {calls.instances}")
    _check_used(calls)


def _check_kind(calls: BudgetCalls, text: str) -> None:
    """Raise where a call leaves out a part of what its announced currency counts."""
    announced = calls.currency.partition(":")[0]
    if lacks_arguments(text) or not announced or len(calls.spend) > 1:
        return
    if (kind := calls.kind(text)) != announced:
        wanted = ", ".join(COSTS[announced]) or "no cost"
        raise CallError(f"--currency {announced} hands over {wanted}; {text!r} is a call in {kind}")


def _check_used(calls: BudgetCalls) -> None:
    """Raise where a free argument or a part is named that no call uses."""
    if all(map(lacks_arguments, calls.spend)):
        return
    used = set().union(*(names_in(text) for text in calls.spend))
    for name in calls.arguments:
        if name not in used:
            raise CallError(
                f"no call uses {name!r}: write it, as in --spend 'spend(epsilon, {name})'"
            )


# --- currencies ----------------------------------------------------------------------------------


def check_currency(text: str) -> None:
    """Raise unless the text names a currency.

    >>> check_currency("rdp:2,5/2,8")
    >>> check_currency("zcpd")
    Traceback (most recent call last):
    filterproof.http_routes.CallError: no currency 'zcpd'; did you mean zcdp?
    """
    kind, colon, rest = text.partition(":")
    if kind and kind not in COSTS:
        near = get_close_matches(kind, COSTS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(COSTS)}"
        raise CallError(f"no currency {kind!r}; {hint}")
    if kind == "rdp" and not _are_orders(rest):
        raise CallError(f"rdp needs its orders, all above 1, such as rdp:2,4,8; got {text!r}")
    if kind == "count" and colon and not (rest.isdecimal() and int(rest)):
        raise CallError(f"count needs how many requests fit, such as count:3; got {text!r}")
    if kind not in ("rdp", "count") and colon:
        raise CallError(f"{kind} has nothing after a colon; got {text!r}")


def _are_orders(text: str) -> bool:
    try:
        return all(Fraction(one) > 1 for one in text.split(","))
    except (ValueError, ZeroDivisionError):
        return False


# --- usual arguments --------------------------------------------------------------------------


def complete(calls: BudgetCalls) -> BudgetCalls:
    """Return the calls with usual arguments where there are none."""
    kind = calls.currency.partition(":")[0] or "approx"
    spend = tuple(with_arguments(text, COSTS[kind]) for text in calls.spend)
    primary = calls.kind(spend[0])
    usual = ", ".join(COSTS[primary]) or "count"
    opens = with_arguments(calls.open, COSTS[primary]) if calls.open else f"({usual})"
    check, fails = (_like_spend(calls, text, spend[0]) for text in (calls.check, calls.fails))
    return replace(calls, spend=spend, open=opens, check=check, fails=fails)


def _like_spend(calls: BudgetCalls, text: str, spend: str) -> str:
    """Return a call with the arguments of the spend where it has none."""
    if not text or text == EXCEPTION or not lacks_arguments(text):
        return text
    if is_route(text):
        return with_arguments(text, COSTS[calls.kind(spend)])
    return text + "(" + spend.partition("(")[2]


# --- as words, as a table -----------------------------------------------------------------------

WORDS = tuple(one.name for one in fields(BudgetCalls))
"""The options that name a budget object; each is `--NAME` on a command line."""
SWITCHES, LISTS = ("between",), ("spend", "free")
"""Options without a value, and options that may be given several times."""


def command_words(calls: BudgetCalls) -> str:
    """Return the words of a command line that name these calls; what is usual is left out.

    >>> command_words(BudgetCalls(spend=("take(epsilon)",), refusal="Empty"))
    "--spend 'take(epsilon)' --refusal Empty"
    """
    words: list[str] = []
    for name, value in to_table(calls).items():
        values = value if isinstance(value, list) else [value]
        for one in values:
            words += [f"--{name}"] if one is True else [f"--{name}", _in_quotes(str(one))]
    return " ".join(words)


def _in_quotes(text: str) -> str:
    """Return a word as a shell reads it, in quotes that leave it as it looks where they can.

    >>> print(_in_quotes("result['ok']"), _in_quotes("take(epsilon)"), _in_quotes("take"))
    "result['ok']" 'take(epsilon)' take
    """
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'"{text}"' if plain else shlex.quote(text)


def read_words(text: str) -> BudgetCalls:
    """Return the calls that the words of a command line name.

    >>> read_words("--spend 'take(epsilon)' --refusal Empty").refusal
    'Empty'
    >>> read_words("--spend take --refuse Empty")
    Traceback (most recent call last):
    filterproof.http_routes.CallError: no option --refuse; did you mean --refusal?
    """
    try:
        words = iter(shlex.split(text))
    except ValueError as error:
        raise CallError(f"{text[:80]!r}: {error}") from None
    table: dict[str, Any] = {}
    for word in words:
        name = option_name(word)
        value = True if name in SWITCHES else next(words, None)
        if value is None:
            raise CallError(f"{word} needs a value")
        if name in LISTS:
            table.setdefault(name, []).append(value)
        else:
            table[name] = int(value) if name == "instances" and str(value).isdecimal() else value
    return from_table(table)


def option_name(word: str) -> str:
    """Return the field that an option is about."""
    name = word.removeprefix("--")
    if not word.startswith("--") or name not in WORDS:
        near = get_close_matches(name, WORDS, n=1)
        hint = f"did you mean --{near[0]}?" if near else f"there are --{', --'.join(WORDS)}"
        raise CallError(f"no option {word}; {hint}")
    return name


def to_table(calls: BudgetCalls) -> dict[str, Any]:
    """Return the calls as a table of a configuration or as JSON; what is usual is left out."""
    usual = {one.name: one.default for one in fields(calls)}
    given = {name: getattr(calls, name) for name in WORDS}
    changed = {name: value for name, value in given.items() if value != usual[name]}
    return {
        name: [*value] if isinstance(value, tuple) else value for name, value in changed.items()
    }


def from_table(table: Mapping[str, Any]) -> BudgetCalls:
    """Return the calls that a table of a configuration, or JSON, names.

    >>> from_table({"spend": "take(epsilon)"}) == from_table({"spend": ["take(epsilon)"]})
    True
    >>> from_table({"spend": 3})
    Traceback (most recent call last):
    filterproof.http_routes.CallError: 'spend' must be text or a list of text; got 3
    """
    if "spend" not in table:
        raise CallError("need --spend CALL: what books a spend")
    return BudgetCalls(**{option_name(f"--{name}"): _field(name, table[name]) for name in table})


def _field(name: str, value: Any) -> Any:
    if name in LISTS:
        found = [value] if isinstance(value, str) else value
        if isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
            return tuple(found)
        raise CallError(f"{name!r} must be text or a list of text; got {value!r}")
    wanted = {"between": (bool, "true or false"), "instances": (int, "a whole number")}
    kind, what = wanted.get(name, (str, "text"))
    if type(value) is not kind:
        raise CallError(f"{name!r} must be {what}; got {value!r}")
    return value
