"""The HTML report: one file, no network, readable without a mouse, in light and in dark.

The page itself is the template `assets/report.html`.  Every violation is a tree of native
`<details>` elements, so it opens and closes even without the script; the script adds arrow keys
and a panel that spells out the chosen transcript.  Where the checker that is proved in Coq was
built for a browser, the page carries it and checks its own certificates again when it is opened.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from math import log

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from filterproof.exact import ExpLinear, Log, format_rational, parse_epsilon
from filterproof_proofs.verified import shipped_javascript
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import entry
from filterproof_properties.reports.curve import history_svg
from filterproof_properties.reports.drawing import play_svg
from filterproof_properties.reports.files import certificate_name
from filterproof_properties.reports.picture import Branch, Picture, Turn, picture
from filterproof_properties.reports.sentence import first_line, sentence, short_name
from filterproof_properties.reports.terminal import (
    ANSWERS,
    AS_ODOMETER,
    count_of,
    number,
    parameters_text,
    ratio_text,
    summary,
)

MAX_DEPTH = 100
"""Browsers flatten pages that nest deeper than about 500 elements."""
MAX_DIGITS = 16
"""A number of more letters than this is not read; the JSON report has it."""
OPEN_DEPTH, OPEN_TURNS = 3, 30
"""A tree of at most so many turns is shown open; of a larger one the first levels are."""


def text(records: Sequence[Record]) -> str:
    """Return the report as one self-contained HTML page."""
    assets = files("filterproof_properties.reports") / "assets"
    css, js, page = (
        (assets / name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "report.html")
    )
    told = sorted(enumerate(records), key=lambda one: not (one[1].certificate or one[1].error))
    return (
        _environment()
        .from_string(page)
        .render(
            css=css,
            js=js,
            checker=embeddable(shipped_javascript()),
            title=", ".join(one.target for one in records)[:120],
            summary=summary(records),
            records=records,
            told=told,
            expected=any(one.as_expected is not None for one in records),
            answers=ANSWERS,
            as_odometer=AS_ODOMETER,
        )
    )


def embeddable(script: str) -> str:
    """Return a script that can stand inside a page: nothing in it ends the element.

    >>> embeddable("a = '</script>'")
    "a = '<\\\\/script>'"
    """
    return script.replace("</", "<\\/")


def _environment() -> Environment:
    made = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    made.filters |= {
        "number": number,
        "rational": format_rational,
        "brief": brief,
        "counted": count_of,
        "first_line": first_line,
        "percent": lambda mass: f"{100 * float(mass):.1f}%",
        "parameters": parameters_text,
        "ratio": lambda one: ratio_text(one).plain,
        "json": lambda facts: json.dumps(facts, ensure_ascii=False),
        "base64": lambda text: base64.b64encode(text.encode("ascii")).decode("ascii"),
        "certificate_name": certificate_name,
        "colour": lambda verdict: entry(verdict).colour,
        "picture": picture,
        "gauge": gauge,
        "sentence": sentence,
        "short_name": short_name,
        "drawing": lambda shown: Markup(play_svg(shown)),
        "items": lambda shown: [turn_item(shown.first, shown, 0)],
        "curve": lambda one: Markup(history_svg(one.history, one.tried)),
    }
    return made


def brief(text: str) -> str:
    """Return a number as it is, or near it if it is too long to read.

    >>> brief("1/2"), brief(f"1/{3 * 10**20}"), brief("log(3/2)")
    ('1/2', 'about 3.333e-21', 'log(3/2)')
    """
    return text if len(text) <= MAX_DIGITS else f"about {parse_near(text):.4g}"


def parse_near(text: str) -> float:
    """Return a budget's number as a double, to be read and not to be checked."""
    value = parse_epsilon(text)
    return log(value.argument) if isinstance(value, Log) else float(value)


def gauge(shown: Picture) -> dict[str, str]:
    """Return H as a bar beside the mark of δ."""
    value, delta = float(shown.value), float(shown.delta)
    top = max(value, delta) * 1.15
    filled, mark = (f"{100 * part / top:.2f}%" for part in (value, delta))
    over = f", {shown.ratio:.4g} times δ" if shown.ratio is not None else ""
    said = {
        "symbol": "P" if shown.reports else "H",
        "value": f"{value:.6g}",
        "delta": f"{delta:.6g}",
        "over": over,
    }
    return {**said, "filled": filled, "mark": mark}


@dataclass(frozen=True)
class Item:
    """One line of the tree: a turn or a branch, what it says, and the lines below it."""

    turn: Turn | None
    branch: Branch | None
    says: str
    facts: list[tuple[str, str]]
    inner: list["Item"]
    opened: bool
    won: bool = False
    cut: bool = False


def turn_item(turn: Turn, shown: Picture, depth: int) -> Item:
    """Return the line of a turn, with those of its outputs below it."""
    often = f" x {turn.times}" if turn.times > 1 else ""
    says = f"asks {turn.request!r}{often}"
    facts = [("request", turn.request), ("answer", ANSWERS[turn.decision])]
    facts.append(("turn", str(turn.number)))
    opened = depth <= OPEN_DEPTH or shown.turns <= OPEN_TURNS
    if turn.decision == "halt":
        branch = turn.branches[0]
        facts += _facts(branch, shown)
        return Item(turn, None, says + ", halt", facts, [], opened, branch.in_event)
    inner = [branch_item(branch, shown, depth + 1) for branch in turn.branches]
    return Item(turn, None, says, facts, inner, opened)


def branch_item(branch: Branch, shown: Picture, depth: int) -> Item:
    """Return the line of an output, with the next turn below it."""
    output = branch.output or "(nothing released)"
    facts = [("output", output), *_facts(branch, shown)]
    cut = branch.turn is not None and depth > MAX_DEPTH
    below = [] if branch.turn is None or cut else [turn_item(branch.turn, shown, depth + 1)]
    opened = depth <= OPEN_DEPTH or shown.turns <= OPEN_TURNS
    return Item(None, branch, f"→ {output};", facts, below, opened, branch.in_event, cut)


def _facts(branch: Branch, shown: Picture) -> list[tuple[str, str]]:
    """Return the exact likelihoods of a branch, its loss, and what it adds to H."""
    x, x_ = shown.pair
    made = [(f"P_{x}", format_rational(branch.p)), (f"P_{x_}", format_rational(branch.q))]
    made.append(("loss", _loss(branch.p, branch.q)))
    if branch.reported:
        made.append(("reported", branch.reported))
    elif branch.in_event:
        adds = ExpLinear(branch.p, -branch.q, parse_epsilon(shown.epsilon))
        made.append(("adds to H", f"{float(adds):.6g}"))
    return made


def _loss(p: Fraction, q: Fraction) -> str:
    if p == 0:
        return "-∞" if q else "-"
    return f"{log(p / q):.6g}" if q else "∞"
