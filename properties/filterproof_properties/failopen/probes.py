"""The probes: each offers room for one unit, hands in something odd, and asks for more.

A probe says that a desk is *open* if more gets through than the budget allows.  What is refused
too early is said, and closed.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import nan
from types import MappingProxyType
from typing import Any

from filterproof.exact import parse_rational
from filterproof_properties.failopen import inputs
from filterproof_properties.failopen.desk import EPSILON, NOT_ASKED, Desk, Seen
from filterproof_properties.failopen.racing import racing
from filterproof_properties.targets.target import TargetError

GRANTED = "granted"
BOUNDLESS = ("infinite cost", "NaN", "NaN delta")
"""Costs that no budget allows: to grant one is to fail open."""

Probe = Callable[[str, Desk], Seen]


def outcome(question: Callable[[], bool | str]) -> str:
    """Return "granted", "refused", or the name of what was raised."""
    try:
        said = question()
        return said if isinstance(said, str) else GRANTED if said else "refused"
    except TargetError:
        raise
    except (Exception, SystemExit) as error:
        return type(error).__name__


def said_to(desk: Desk, opened: Any, asked: list[Any]) -> list[str]:
    """Return what is said to each of a sequence of spends."""
    return [outcome(lambda one=one: desk.ask(opened, one)) for one in asked]  # type: ignore[misc]


def units(desk: Desk, opened: Any, times: int) -> int:
    """Return how many of so many units are granted."""
    return said_to(desk, opened, [desk.unit] * times).count(GRANTED)


def control(row: str, desk: Desk) -> Seen:
    """Two units where one fits."""
    first, second = said_to(desk, desk.open(EPSILON), [desk.unit] * 2)
    return Seen(f"{first}, then {second}", second == GRANTED)


def odd_number(row: str, desk: Desk) -> Seen:
    """The odd number after one unit and before two more; and on a fresh object, first of all."""
    if row not in desk.odd:
        return NOT_ASKED
    (late, after), (early, before) = _amid(desk, row, 1), _amid(desk, row, 0)
    text = f"{late}; {after} of 1 units"
    if (late, after) != (early, before):
        text += f" (first of all: {early}; {before} of 1)"
    boundless = row in BOUNDLESS and GRANTED in (late, early)
    return Seen(text, max(after, before) > 1 or boundless)


def _amid(desk: Desk, row: str, units_before: int) -> tuple[str, int]:
    """Return what is said to the odd number, and how many of three units are granted around it."""
    asked = inputs.around(desk.odd[row], units_before, desk.unit)
    said = said_to(desk, desk.open(EPSILON), asked)
    odd = said.pop(units_before)
    return odd, said.count(GRANTED)


def crumbs(row: str, desk: Desk) -> Seen:
    """One unit, which is all, and then twenty times the smallest number there is."""
    if row not in desk.odd:
        return NOT_ASKED
    asked = inputs.crumbs(desk.odd[row], desk.unit)
    said = said_to(desk, desk.open(EPSILON), asked)[1:]
    granted = said.count(GRANTED)
    return Seen(f"{granted} of {len(said)} granted, then {said[-1]}", granted > 0)


def odd_budget(row: str, desk: Desk) -> Seen:
    """A budget of zero or NaN, and one unit."""
    budget = 0.0 if row == "zero budget" else nan
    try:
        opened = desk.open(budget)
    except (Exception, SystemExit) as error:
        return Seen(f"{type(error).__name__} at the door", False)
    said = outcome(lambda: desk.ask(opened, desk.unit))
    return Seen(said, said == GRANTED)


def failing(row: str, desk: Desk) -> Seen:
    """Three mechanisms that fail after touching the data, then two units."""
    if desk.fail is None:
        return NOT_ASKED
    opened, fail = desk.open(EPSILON), desk.fail
    said = [outcome(lambda: fail(opened)) for _ in range(3)]
    granted = units(desk, opened, 2)
    charged = granted == 0
    text = f"{said[0]}, {said[2]}; {'charged' if charged else 'not charged'}"
    return Seen(text, not charged)


def threads(row: str, desk: Desk) -> Seen:
    """Two threads ask for the one unit."""
    if not desk.threads:
        return NOT_ASKED
    granted = racing(desk, lambda opened: outcome(lambda: desk.ask(opened, desk.unit)) == GRANTED)
    return Seen(f"{granted} of 1 units", granted > 1)


def special(row: str, desk: Desk) -> Seen:
    """An input that only some objects have."""
    return desk.special[row]() if row in desk.special else NOT_ASKED


# --- whole sequences of (ε, δ) ----------------------------------------------------------------


def exactly(flag: str) -> Probe:
    """Return the probe that sends every sequence with a flag and compares with the exact sums."""

    def probe(row: str, desk: Desk) -> Seen:
        if not desk.pairs:
            return NOT_ASKED
        some = [one for one in inputs.sequences() if one.flag == flag]
        found = [_send(one, desk) for one in some if desk.has_delta or not has_delta(one)]
        late = [text for text, over in found if over]
        early = [text for text, over in found if text and not over]
        return Seen("; ".join(late or early) or f"exact, {len(found)} sequences", bool(late))

    return probe


def has_delta(one: inputs.Input) -> bool:
    """Whether a delta is handed over in a sequence."""
    return any(delta != "0" for _, delta in one.spends)


def _send(one: inputs.Input, desk: Desk) -> tuple[str, bool]:
    """Send one sequence; say how many were granted unless that is exact, and whether too many."""
    opened = desk.open(*inputs.doubles(one.budget))
    said = said_to(desk, opened, [inputs.doubles(spend) for spend in one.spends])
    granted = [spend for spend, word in zip(one.spends, said, strict=True) if word == GRANTED]
    due = inputs.answers(one.budget, one.spends).count(GRANTED)
    text = f"{one.name}: {len(granted)} of {due}" if len(granted) != due else ""
    over = exceeds(granted, one.budget)
    return text or (f"{one.name}: too much" if over else ""), over


def exceeds(granted: list[inputs.Spend], budget: inputs.Spend) -> bool:
    """Whether the exact sums of what was granted are more than the budget.

    >>> exceeds([("0.1", "0")] * 10, ("1", "0")), exceeds([("1", "0"), ("1e-17", "0")], ("1", "0"))
    (False, True)
    """
    found = [amounts for one in granted if (amounts := inputs.amounts(one)) is not None]
    sums = [sum((pair[part] for pair in found), Fraction(0)) for part in (0, 1)]
    return any(had > parse_rational(most) for had, most in zip(sums, budget, strict=True))


ROWS: Mapping[str, Probe] = MappingProxyType(
    {
        "NaN": odd_number,
        "NaN delta": odd_number,
        "infinite cost": odd_number,
        "minus infinity": odd_number,
        "negative": odd_number,
        "negative delta": odd_number,
        "zero": odd_number,
        "subnormal": crumbs,
        "zero budget": odd_budget,
        "NaN budget": odd_budget,
        "infinite budget": special,
        "half of a log budget": special,
        "negative count": special,
        "count of 100": special,
        "a refused step": special,
        "failing mechanism": failing,
        "racing threads": threads,
        "a Renyi budget": special,
    }
)
"""What every library is asked; the record of a library has these."""

NAMED_ROWS: Mapping[str, Probe] = MappingProxyType(
    {
        "one unit too many": control,
        **{row: probe for row, probe in ROWS.items() if probe is not special},
        "tiny spends": exactly("subnormal"),
        "slices": exactly("slices"),
        "order": exactly("order"),
    }
)
"""What an object is asked that is named on the command line."""
