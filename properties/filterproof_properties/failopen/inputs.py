"""Sequences of spends on which budgets have been known to fail open, with the exact answers.

Each spend is (ε_i, δ_i) as text, sent to a budget that adds up.  The answers are computed here in
exact arithmetic: "granted" while both sums stay within the budget, "refused" where they would not,
and "rejected" where the text is no spend at all (NaN, an infinity, a negative number).  Only what
is granted changes the budget.  `probes` sends the same to real objects, `vectors` to any language.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from filterproof.exact import ExactError, format_rational, parse_rational
from filterproof.filters.registry import entry

Spend = tuple[str, str]

UNIT: Spend = ("1", "0")
ROOM: Spend = ("1", "0.00001")
"""Just one unit fits."""
ODD: Mapping[str, Spend] = MappingProxyType(
    {
        "NaN": ("NaN", "0"),
        "NaN delta": ("0.5", "NaN"),
        "infinite cost": ("Infinity", "0"),
        "minus infinity": ("-Infinity", "0"),
        "negative": ("-1", "0"),
        "negative delta": ("0.5", "-1"),
        "zero": ("0", "0"),
        "subnormal": ("5e-324", "0"),
    }
)
"""Spends that are handed in between units."""
CRUMBS = 20
"""How often the smallest number is handed in after all is spent."""
AMID: Mapping[str, str] = MappingProxyType(
    {
        "NaN": "not-a-number",
        "NaN delta": "not-a-number",
        "infinite cost": "infinite",
        "minus infinity": "infinite",
        "negative": "negative",
        "negative delta": "negative",
        "zero": "zero-spend",
    }
)
"""Those that are handed in once, with the flag of each."""

INPUT_FLAGS: Mapping[str, str] = {
    "not-a-number": "comparisons with NaN are false, so a check written as 'if over' lets it pass",
    "infinite": "an infinite spend fits no budget",
    "negative": "a negative spend would hand budget back",
    "subnormal": "a spend so small that a double absorbs it: exhausted stays exhausted",
    "zero-spend": "a spend of nothing fits always, also an exhausted budget",
    "zero-budget": "a budget of nothing fits nothing but nothing",
    "slices": "k slices of eps/k fit exactly; one more does not",
    "order": "the order of the spends must not change the total",
    "fails": "the mechanism fails after it has touched the data: it is charged all the same",
    "at-once": "the spends are sent at the same time; together they must not exceed the budget",
}

_GITHUB = "https://github.com"
INPUT_LINKS: Mapping[str, str] = {
    "not-a-number": f"{_GITHUB}/w3c/attribution/pull/466",
    "infinite": f"{_GITHUB}/OpenMined/PySyft/pull/6672",
    "negative": f"{_GITHUB}/OpenMined/PySyft/issues/6985",
    "subnormal": f"{_GITHUB}/maziyarpanahi/openmed/pull/2457",
    "slices": f"{_GITHUB}/w3c/attribution/issues/77",
    "order": f"{_GITHUB}/OpenMined/PySyft/issues/6917",
    "fails": entry("refund-on-failure").link,
    "at-once": f"{_GITHUB}/w3c/attribution/pull/309",
}
"""Public texts in which such an input is a matter; where there is none, none was found."""


class Input(NamedTuple):
    """A sequence of spends that is sent to a fresh budget; `flag` says what is odd about it."""

    flag: str
    name: str
    budget: Spend
    spends: list[Spend]


def input_cases() -> Iterator[dict[str, Any]]:
    """Yield every sequence with its exact answers."""
    for flag, name, budget, spends in sequences():
        exact = answers(budget, spends)
        yield {
            "id": f"inputs/{name}",
            "flags": [flag],
            "bug": flag,
            "link": INPUT_LINKS.get(flag),
            "budget": list(budget),
            "spends": [_spend(one, fails=flag == "fails") for one in spends],
            "at_once": flag == "at-once",
            "answers": exact,
            "granted": exact.count("granted"),
        }


def _spend(one: Spend, *, fails: bool) -> dict[str, Any]:
    return {"epsilon": one[0], "delta": one[1], "fails": fails}


def answers(budget: Spend, spends: list[Spend]) -> list[str]:
    """Return the exact answer to every spend.

    >>> answers(("1", "0"), [("1/2", "0"), ("NaN", "0"), ("1/2", "0"), ("1e-300", "0")])
    ['granted', 'rejected', 'granted', 'refused']
    """
    limits = [parse_rational(part) for part in budget]
    spent = [Fraction(0), Fraction(0)]
    found = []
    for one in spends:
        asked = amounts(one)
        total = asked and [had + more for had, more in zip(spent, asked, strict=True)]
        if total is None:
            found.append("rejected")
        elif any(sum_ > limit for sum_, limit in zip(total, limits, strict=True)):
            found.append("refused")
        else:
            found.append("granted")
            spent = total
    return found


def amounts(one: Spend) -> list[Fraction] | None:
    """Return the two numbers of a spend; None if it is none."""
    try:
        parts = [parse_rational(part) for part in one]
    except ExactError:
        return None
    return None if min(parts) < 0 else parts


def doubles(one: Spend) -> tuple[float, float]:
    """Return a spend as the doubles next to it; NaN and the infinities are doubles, too.

    >>> doubles(("1/4", "-Infinity"))
    (0.25, -inf)
    """
    epsilon, delta = (float(Fraction(part)) if "/" in part else float(part) for part in one)
    return epsilon, delta


def around(odd: Any, before: int, unit: Any = UNIT) -> list[Any]:
    """Return three units with something odd among them, after so many of them.

    >>> around("odd", 1, "unit")
    ['unit', 'odd', 'unit', 'unit']
    """
    return [unit] * before + [odd] + [unit] * (3 - before)


def crumbs(tiny: Any, unit: Any = UNIT) -> list[Any]:
    """Return one unit, which is all, and then a tiny spend again and again."""
    return [unit, *[tiny] * CRUMBS]


def sequences() -> Iterator[Input]:
    """Yield the inputs, in the order of the flags."""
    one, tenth = UNIT, ("0.1", "0")
    for bad in ("NaN", "nan", "-NaN"):
        yield Input("not-a-number", f"epsilon {bad}", one, [(bad, "0"), one, tenth])
        yield Input("not-a-number", f"delta {bad}", ("1", "0.1"), [("0", bad), ("0", "0.1"), tenth])
    for bad in ("Infinity", "inf", "1e400", "-Infinity"):
        yield Input("infinite", f"epsilon {bad}", one, [(bad, "0"), one])
    yield Input("negative", "epsilon", one, [("-1/2", "0"), one, ("1/2", "0")])
    yield Input("negative", "delta", ("1", "0.1"), [("0", "-0.1"), ("0", "0.1"), ("0", "0.1")])
    for tiny in ("5e-324", "1e-17", "1e-300"):
        yield Input("subnormal", f"epsilon {tiny}", one, [one, (tiny, "0")])
        yield Input("subnormal", f"delta {tiny}", ("1", "0.1"), [("0", "0.1"), ("0", tiny)])
    yield Input("zero-spend", "after exhaustion", one, [one, ("0", "0"), ("0", "0")])
    yield Input("zero-budget", "both", ("0", "0"), [("0", "0"), ("5e-324", "0"), ("0", "5e-324")])
    for k in (3, 6, 7, 10, 49):
        part = format_rational(Fraction(1, k))
        yield Input("slices", f"1/{k}", one, [(part, "0")] * (k + 1))
    yield Input("slices", "tenths in decimals", one, [tenth] * 11)
    mixed = [("0.1", "0"), ("0.2", "0"), ("0.3", "0")]
    yield Input("order", "forwards", ("0.6", "0"), [*mixed, ("1e-20", "0")])
    yield Input("order", "backwards", ("0.6", "0"), [*reversed(mixed), ("1e-20", "0")])
    yield Input("fails", "each attempt", one, [("1/2", "0")] * 4)
    yield Input("at-once", "two halves too many", one, [("1/2", "0")] * 4)
    for row, flag in AMID.items():
        yield Input(flag, f"{row} after a unit", ROOM, around(ODD[row], 1))
        yield Input(flag, f"{row} first of all", ROOM, around(ODD[row], 0))
    yield Input("subnormal", "subnormal again and again", ROOM, crumbs(ODD["subnormal"]))
