"""The Python to paste for a workload: the runtime filter that lasts longest on it.

>>> from filterproof_properties.choose.domains import PAIR
>>> rows = [Row("compensator", "nothing to choose", 27.1)]
>>> text = python(rows, ["gaussian:2"], Fraction(5), Fraction(1, 1000), PAIR)
>>> "guard = CompensatorFilter(Fraction(5), Fraction(1, 1000), domain=domain" in text
True
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from inspect import signature

from filterproof.exact import Epsilon, Log
from filterproof.runtime import CompensatorFilter
from filterproof_properties.choose.domains import Guarded
from filterproof_properties.choose.filters import Row
from filterproof_properties.choose.questions import Spec, parse_mechanism

SHARED = "share" in signature(CompensatorFilter).parameters
"""Whether the runtime filter can give a share of δ to plain accounting first."""

_ADDITIVE = [
    "mechanism = AddedNoise(noise)",
    "answer = guard.release(mechanism, lambda: noise.sample(x))",
]
_TABLE = [
    "whole = lcm(*(p.denominator for row in law.values() for p in row.values()))",
    "answer = guard.release(Table(law), lambda: SystemRandom().sample(",
    "    [*law], 1, counts=[int(row[x] * whole) for row in law.values()])[0])",
]

TEMPLATES: dict[str, list[str]] = {
    "gaussian": ["noise = DiscreteGaussian({0} ** 2)  # it has an exact sampler", *_ADDITIVE],
    "laplace": ["noise = Geometric(1 / {0})  # it has an exact sampler", *_ADDITIVE],
    "discrete-gaussian": ["noise = DiscreteGaussian({0} ** 2)", *_ADDITIVE],
    "geometric": ["noise = Geometric({0})", *_ADDITIVE],
    "randomised-response": ["law = randomised_response({0}, domain.databases).law", *_TABLE],
    "unary": [
        "law = {{bits: {{x: prod({0} if bit == (place == x) else 1 - {0}",
        "    for place, bit in enumerate(bits)) for x in domain.databases}}",
        "    for bits in product((0, 1), repeat=len(domain.databases))}}",
        *_TABLE,
    ],
    "erasure": [
        "law = {{y: {{x: {0} * (x == y) for x in domain.databases}} for y in domain.databases}}",
        'law["?"] = dict.fromkeys(domain.databases, 1 - {0})',
        *_TABLE,
    ],
}
"""The lines that make a mechanism of each kind and release one answer about x."""

_IMPORTS = (
    ("fractions", ("Fraction",)),
    ("itertools", ("product",)),
    ("math", ("lcm", "prod")),
    ("random", ("SystemRandom",)),
    ("filterproof.exact", ("Log",)),
    (
        "filterproof.runtime",
        (
            "AddedNoise",
            "CompensatorFilter",
            "DiscreteGaussian",
            "Domain",
            "Geometric",
            "Table",
            "randomised_response",
        ),
    ),
)


def runnable(row: Row) -> bool:
    """Return whether `filterproof.runtime` has this filter."""
    return row.filter == "compensator" or (SHARED and row.share is not None)


def python(
    rows: Sequence[Row],
    mechanisms: Sequence[str],
    epsilon: Epsilon,
    delta: Fraction,
    domain: Guarded,
) -> str:
    """Return a program that makes the best filter there is to run, and releases once with each.

    The rows are ranked, the longest first.
    """
    best = next(row for row in rows if runnable(row))
    if not best.expected:
        return "# No filter of filterproof.runtime answers even one of these: nothing to paste.\n"
    share = f", share={_number(best.share or Fraction(0))}" if SHARED else ""
    budget = f"{_number(epsilon)}, {_number(delta)}"
    body = [f"domain = {domain.python}"]
    body += [f"guard = CompensatorFilter({budget}, domain=domain{share})"]
    body += ["x = 0  # the data: one of domain.databases"]
    for text in dict.fromkeys(mechanisms):
        body += _lines(parse_mechanism(text))
    return "\n".join([*_remarks(rows[0], best), *_imports("\n".join(body)), "", *body]) + "\n"


def _remarks(longest: Row, best: Row) -> list[str]:
    if best.expected >= longest.expected:
        return []
    return [
        f"# {longest.filter} lasts longest here ({_rounds(longest)} rounds) and is no filter",
        f"# of filterproof.runtime; the longest of those is {best.filter} ({_rounds(best)}).",
    ]


def _rounds(row: Row) -> str:
    """Return the expected rounds, and how far a simulation may be off."""
    return f"{row.expected:.2f}" + (f" ± {row.error:.2f}" if row.error else "")


def _lines(spec: Spec) -> list[str]:
    return [line.format(_number(spec.number)) for line in TEMPLATES[spec.kind]]


def _imports(body: str) -> list[str]:
    lines = []
    for module, names in _IMPORTS:
        used = [name for name in names if re.search(rf"\b{name}\b", body)]
        if used:
            lines.append(f"from {module} import {', '.join(used)}")
    return lines


def _number(number: Epsilon) -> str:
    if isinstance(number, Log):
        return f"Log({_number(number.argument)})"
    whole = number.denominator == 1
    return (
        f"Fraction({number.numerator})"
        if whole
        else f"Fraction({number.numerator}, {number.denominator})"
    )
