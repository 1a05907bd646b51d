"""Mechanism families and contexts as JSON data, so that another process can build the same laws.

A law, like what relabels its outputs, is a function of this room with some arguments.  It is
written as a list: `["rare", "3/2"]`.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.exact import format_rational, parse_rational
from filterproof_properties.games import contexts, families
from filterproof_properties.games.contexts import Context
from filterproof_properties.games.families import MechanismFamily

LAWS = (
    families.response_rows,
    families.rare,
    families.rare_back,
    families.hint,
    families.sloping,
    families.sloping_back,
    families.symbols,
    families.two_strengths,
    families.erase,
    families.leak,
    families.leak_back,
    families.mix_seldom,
    families.mix_at,
    families.say_nothing,
    families.tilt_by,
)
ODDS = (families.growing_odds, families.fixed_odds)
RELABELS = (
    contexts.keep_labels,
    contexts.pad,
    contexts.split,
    contexts.refine,
    contexts.fail_at,
    contexts.relabel_twice,
)
KNOWN: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*LAWS, *ODDS, *RELABELS)}


def family_to_json(family: MechanismFamily) -> dict[str, Any]:
    """Return a family as JSON data; the names of its functions say what they are.

    >>> from functools import partial
    >>> one = MechanismFamily("rare", partial(families.rare, Fraction(3, 2)), times=2)
    >>> family_to_json(one)["rows"]
    ['rare', '3/2']
    >>> family_from_json(family_to_json(one)).rows(Fraction(1, 4)) == one.rows(Fraction(1, 4))
    True
    """
    return {
        "name": family.name,
        "rows": _function(family.rows),
        "times": family.times,
        "onward": family.onward,
        "odds": None if family.odds is None else _function(family.odds),
        "warm_start": family.warm_start,
        "guess": format_rational(family.guess),
        "loose": family.loose,
        "sides": [*family.sides],
    }


def family_from_json(data: Mapping[str, Any]) -> MechanismFamily:
    """Return the family that `family_to_json` has written."""
    return MechanismFamily(
        data["name"],
        _function_of(data["rows"]),
        data["times"],
        data["onward"],
        None if data["odds"] is None else _function_of(data["odds"]),
        data["warm_start"],
        guess=parse_rational(data["guess"]),
        loose=data["loose"],
        sides=tuple(data["sides"]),
    )


def context_to_json(context: Context) -> dict[str, Any]:
    """Return what a context says about single rounds: databases, sides and labels."""
    return {
        "name": context.name,
        "sides": [*context.sides],
        "neighbours": [*context.neighbours],
        "relabel": _function(context.relabel),
    }


def context_from_json(data: Mapping[str, Any]) -> Context:
    """Return a context for single rounds; what it does to whole games was not written."""
    neighbours = tuple((x, x_) for x, x_ in data["neighbours"])
    return Context(data["name"], tuple(data["sides"]), neighbours, _function_of(data["relabel"]))


def _function(function: Callable[..., Any]) -> list[Any]:
    """Return a function and the arguments that it has already as a list."""
    if isinstance(function, partial):
        return [function.func.__name__, *map(_argument, function.args)]
    return [function.__name__]


def _argument(value: Any) -> Any:
    if callable(value):
        return _function(value)
    return format_rational(value) if isinstance(value, Fraction) else value


def _function_of(data: list[Any]) -> Callable[..., Any]:
    """Return the function that `_function` has written."""
    name, *arguments = data
    return partial(KNOWN[name], *map(_value_of, arguments)) if arguments else KNOWN[name]


def _value_of(value: Any) -> Any:
    if isinstance(value, list):
        return _function_of(value)
    return parse_rational(value) if isinstance(value, str) else value
