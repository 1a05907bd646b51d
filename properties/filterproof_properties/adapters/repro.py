"""A certificate as one script of about a page that needs nothing of this project.

The script plays the certificate's adversary.  For a library that has an entry in SCRIPTS it asks
the library itself, by the library's own calls, with the numbers that the adapter hands over; for
any other target it takes the recorded answers.  Then it computes the exact H of what was answered,
with fractions, and ends with 1 if that is above delta.  A library that answers otherwise by now is
played as it answers: its H is then what is left of the finding.

An entry names a text in `scripts/`: imports, a line "---", and a function `answer(number, calls)`
(for an odometer `report(number, calls)`), where `calls` lists what was handed over so far, each
with the output that was released (None for the request that is decided now).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.resources import files
from string import Template
from textwrap import fill
from types import MappingProxyType
from typing import Any

from filterproof.certificate import Certificate, read_certificate, steps
from filterproof.directed_rounding import double_down, epsilon_down
from filterproof.exact import parse_rational
from filterproof.game import Step
from filterproof_proofs.certificates import check, is_odometer_certificate
from filterproof_properties.adapters import dp_accounting_gaussian as gaussian
from filterproof_properties.adapters import dp_accounting_pld as pld
from filterproof_properties.adapters import dp_accounting_rdp as rdp
from filterproof_properties.adapters import flower_rdp as flower
from filterproof_properties.adapters import info_of, opendp_zcdp
from filterproof_properties.adapters import opacus_odometers as opacus
from filterproof_properties.adapters import openmed_budgets as openmed
from filterproof_properties.adapters import tmlt_budget as tmlt
from filterproof_properties.adapters.support.ledger import declared_up

SILENT = "continue"
"""Stands for what is handed over where a mechanism says nothing: nothing."""
WIDTH = 96


# --- what each library is handed --------------------------------------------------------------

Hands = Callable[[Step], Any]
"""What is handed over of a mechanism; None where it says nothing, so that nobody is asked."""


def pair(asked: Hands) -> Hands:
    """Return what reads off a mechanism the pair that `asked` would spend."""
    return lambda step: (spend := asked(step)) and spend[:2]


DECLARED = pair(declared_up)


def masses(step: Step) -> Any:
    """Return the logarithms of the two mass functions, for every ordered pair."""
    told = pld.laws(step)
    return told and [pld.logarithms(rows) for rows in told]


def noise(step: Step) -> Any:
    """Return the noise multiplier of the Gaussian step; what has none is never run."""
    told = opacus.noise(step)
    return "refuse" if told == opacus.EXPOSED else told


@dataclass(frozen=True)
class Script:
    """The text of a library's own calls, what it is handed, and words that the text leaves open."""

    text: str
    hands: Hands | None = DECLARED
    words: Mapping[str, str] = field(default_factory=dict)


RESPONSES = "RandomizedResponseDpEvent(*call)"
ONE_ORDER = '[float(PARAMETERS.get("order", 8))]'

FILTER = {
    "kind": "privacy filter",
    "opened": "composition = dp.c.make_fully_adaptive_composition(*SPACE)\n"
    "    queryable = dp.c.make_privacy_filter(composition, d_in=1, d_out=BUDGET[:2])(True)",
}
CONTEXT = {
    "kind": "context",
    "opened": "queryable = dp.Context.compositor(\n"
    "        data=True,\n"
    "        privacy_unit=(SPACE[1], 1),\n"
    "        privacy_loss=(SPACE[2], BUDGET[:2]),\n"
    "        domain=SPACE[0],\n"
    "    )",
}
ZCDP = {"measure": "RHO", "limit": "largest(*BUDGET[:2])", "cost": "cost[0]"}
APPROXIMATE = {
    "measure": "dp.approximate(RHO)",
    "limit": "(largest(BUDGET[0], BUDGET[2]), BUDGET[2])",
    "cost": "cost",
}

SCRIPTS: Mapping[str, Script] = MappingProxyType(
    {
        "opendp": Script("opendp", words=FILTER),
        "opendp-context": Script("opendp", words=CONTEXT),
        "opendp-zcdp": Script("opendp-zcdp", pair(opendp_zcdp.pure), ZCDP),
        "opendp-approximate-zcdp": Script(
            "opendp-zcdp", pair(opendp_zcdp.concentrated), APPROXIMATE
        ),
        "diffprivlib": Script("diffprivlib"),
        "dp-accounting-pld": Script("dp-accounting-pld", masses),
        "dp-accounting-rdp": Script(
            "dp-accounting-rdp", rdp.event, {"orders": "None", "event": RESPONSES}
        ),
        "dp-accounting-rdp-one-order": Script(
            "dp-accounting-rdp", rdp.event, {"orders": ONE_ORDER, "event": RESPONSES}
        ),
        "dp-accounting-rdp-gaussian": Script(
            "dp-accounting-rdp",
            gaussian.multiplier,
            {"orders": "[2.0]", "event": "GaussianDpEvent(call)"},
        ),
        "opendp-odometer": Script("opendp-odometer"),
        "dp-accounting-pld-odometer": Script("dp-accounting-pld-odometer", masses),
        "dp-accounting-rdp-odometer": Script(
            "dp-accounting-rdp-odometer", rdp.event, {"orders": "None"}
        ),
        "dp-accounting-rdp-one-order-odometer": Script(
            "dp-accounting-rdp-odometer", rdp.event, {"orders": ONE_ORDER}
        ),
        "tmlt": Script("tmlt", pair(tmlt.declared)),
        "smartnoise": Script("smartnoise"),
        "smartnoise-odometer": Script("smartnoise-odometer"),
        "opacus": Script("opacus", noise),
        "opacus-gaussian-odometer": Script("opacus-odometer", opacus.noise),
        "flower-replace-one": Script("flower", gaussian.multiplier),
        "openmed-aggregates": Script("openmed", pair(openmed.positive)),
        "lomas": Script("lomas"),
        "jax-privacy": Script("jax-privacy", flower.added),
        "diffpriv-pure": Script("diffpriv-pure", pair(openmed.positive)),
    }
)
"""By adapter; a certificate of any other target is played with its recorded answers."""
SHARED = ("measurement", "reading")
"""Texts that several libraries' texts use."""


# --- the script -------------------------------------------------------------------------------


def script(text: str, says: str = "the promise is broken") -> str:
    """Return the script of a certificate, with what it shows in words in its title.

    Raises `Rejected` if the checker does not accept the certificate.
    """
    check(text)
    told, odometer = read_certificate(text), is_odometer_certificate(text)
    made = SCRIPTS.get(told.target) or Script("recorded-odometer" if odometer else "recorded", None)
    words = _numbers(text, told, made) | dict(made.words)
    words |= {shared: _text(shared).strip("\n") for shared in SHARED}
    imports, library = (part.strip("\n") for part in _text(made.text).split("---\n"))
    above = "from importlib.metadata import version\n" if made.hands else ""
    words["imports"] = above + (f"\n{imports}\n" if imports else "")
    words["library"] = Template(library).substitute(words)
    head = Template(_text("head")).substitute(words | story(told, says))
    return head + _text("odometer" if odometer else "filter")


def _text(name: str) -> str:
    folder = files("filterproof_properties.adapters") / "scripts"
    return (folder / f"{name}.txt").read_text(encoding="ascii")


def story(told: Certificate, says: str) -> dict[str, str]:
    """Return the title of a script and what it says below it."""
    ends = "Exit code: 1 if the finding is there, 0 if it is not (any more)."
    if told.target not in SCRIPTS:
        title = "A privacy filter that breaks its promise, with the answers that were recorded."
        return {"title": title, "story": ends}
    info = info_of(told.target)
    facts = f"Promised: {info.promise}.", f"Assumed: {info.assumption}.", f"Needs {info.library}."
    told_in = "\n".join(fill(one, WIDTH) for one in (*facts, ends))
    return {"title": fill(f"{info.library}: {says}.", WIDTH), "story": told_in}


# --- the numbers of a certificate as Python text ----------------------------------------------


def _numbers(text: str, told: Certificate, made: Script) -> dict[str, str]:
    data = json.loads(text)
    x, x_prime = data["pair"]
    named = _mechanisms(data, told, made)
    names = {one: f"M{number}" for number, one in enumerate(dict.fromkeys(named))}
    return {
        "epsilon": literal(data["epsilon"]),
        "delta": literal(told.delta),
        "budget": _budget(told, made),
        "x": literal(x),
        "x_prime": literal(x_prime),
        "mechanisms": "\n".join(f"{name} = {one}" for one, name in names.items()),
        "turns": "\n".join(
            f"    ({literal(request)}, {names[one]}, {literal(answer['then'])}),"
            for request, one, answer in zip(told.adversary, named, told.answers, strict=True)
        ),
        "recorded": laid([one.get("reported", one["decision"]) for one in told.answers]),
    }


def _budget(told: Certificate, made: Script) -> str:
    """Return the lines that only a library needs."""
    if made.hands is None:
        return f"SUBJECT = {literal(f'{told.target}, as recorded')}\n"
    name = info_of(told.target).library
    delta = double_down(told.delta), double_down(told.delta / 2)
    doubles = literal((epsilon_down(told.epsilon), *delta))
    more = f"PARAMETERS = {literal(told.parameters)}\n" if told.parameters else ""
    return (
        f"# The same as doubles, rounded down: epsilon, delta, delta/2.\nBUDGET = {doubles}\n{more}"
        f'SUBJECT = f"{name} {{version({name!r})}}"\n'
    )


def _mechanisms(data: Any, told: Certificate, made: Script) -> list[str]:
    """Return for every turn the law of what is asked, and what the library is handed."""
    found = []
    for step, answer in zip(steps(told), told.answers, strict=True):
        law = data["game"]["nodes"][answer["node"]][step.request]["law"]
        rows = {y: tuple(parse_rational(row[x]) for x in data["pair"]) for y, row in law.items()}
        found.append(laid((rows, _handed_over(made, step))))
    return found


def _handed_over(made: Script, step: Step) -> Any:
    """Return what a library is handed; recorded answers need nothing."""
    told = made.hands(step) if made.hands else ()
    return SILENT if told is None else told


def laid(value: Any, indent: int = 0) -> str:
    """Return a value as Python text; what does not fit on a line has a line for each item."""
    flat = literal(value)
    if indent + len(flat) <= WIDTH - 6 or not isinstance(value, (dict, list, tuple)):
        return flat
    inner = [
        laid(one, indent + 4) for one in (value.values() if isinstance(value, dict) else value)
    ]
    if isinstance(value, dict):
        inner = [f"{literal(key)}: {one}" for key, one in zip(value, inner, strict=True)]
    lines = "".join(f"{' ' * (indent + 4)}{one},\n" for one in inner)
    return f"{flat[0]}\n{lines}{' ' * indent}{flat[-1]}"


def literal(value: Any) -> str:
    """Return a value as Python text in ASCII; a fraction as F(p, q).

    >>> literal({"a": (Fraction(1, 2), None, 0.5)})
    '{"a": (F(1, 2), None, 0.5)}'
    """
    match value:
        case Fraction():
            return f"F({value.numerator}, {value.denominator})"
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case dict():
            return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
        case str() if not set(ascii(value)[1:-1]) & set("\\\"'"):
            return f'"{value}"'
    return ascii(value)
