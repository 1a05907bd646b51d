"""Arguments that callers may give the new version of a budget object, and could not give the old.

Nothing is compared of a call with such an argument: nobody says what callers choose.
"""

import ast

from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.budget.completing import described
from filterproof_properties.targets.budget.loading import Parameters
from filterproof_properties.targets.budget.names import is_budget_object, is_service, named
from filterproof_properties.targets.target import TargetError


def check_arguments(old: str, new: str, before: Limits, now: Limits) -> None:
    """Raise if a call of the new version has an argument that the old one has not and none gives.

    Services and filters have no arguments of their own.
    """
    if not all(is_budget_object(one) and not is_service(one) for one in (old, new)):
        return
    known = {name for _, some in _arguments_not_given(old, before) for name in some}
    for call, some in _arguments_not_given(new, now):
        if added := [name for name in some if name not in known]:
            raise TargetError(_question(call, added[0]))


def _question(call: str, name: str) -> str:
    return (
        f"{call.partition('(')[0]} takes {name!r} now, which it did not before, and nothing says "
        f'what it is given: if callers choose it, free = ["{name}=a,b"] among the words of the '
        "target in [tool.filterproof.targets]; the older version is then asked as before"
    )


def _arguments_not_given(spec: str, limits: Limits) -> list[tuple[str, list[str]]]:
    """Return each call of an object with the arguments that it may have and is not given."""
    target, calls = named(spec)
    every = [one for one in (*calls.spend, calls.check) if one]
    methods = [one.partition("(")[0] for one in every]
    seen = described(target, calls, methods, limits)["methods"]
    return [
        (
            call,
            [
                name
                for name, *_ in seen[method] or ()
                if name not in _parameters_given(call, seen[method])
            ],
        )
        for call, method in zip(every, methods, strict=True)
    ]


def _parameters_given(call: str, parameters: Parameters) -> set[str]:
    """Return the parameters that a call gives, by their places and by their names.

    >>> known = [("cost", True, False, ""), ("note", False, False, ""), ("by", False, True, "")]
    >>> sorted(_parameters_given("spend(epsilon, note='x')", known))
    ['cost', 'note']
    """
    found = ast.parse(call, mode="eval").body
    assert isinstance(found, ast.Call)
    places = [name for name, _, by_name, _ in parameters if not by_name]
    return {*places[: len(found.args)], *(one.arg for one in found.keywords if one.arg)}
