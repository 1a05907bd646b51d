"""The HTML report: one file, no network, readable without a mouse, in light and in dark.

Every violation is a tree of native `<details>` elements, so it opens and closes even without
the script; the script adds arrow keys and a panel that spells out the chosen transcript.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from importlib.resources import files
from math import log
from string import Template

from filterproof.exact import ExpLinear, format_rational, parse_epsilon
from filterproof_properties.audit.record import Record
from filterproof_properties.reports.curve import history_svg
from filterproof_properties.reports.files import certificate_name
from filterproof_properties.reports.picture import Branch, Picture, Turn, picture
from filterproof_properties.reports.terminal import (
    ANSWERS,
    number,
    parameters_text,
    ratio_text,
    summary,
)

MAX_DEPTH = 100
"""Browsers flatten pages that nest deeper than about 500 elements."""
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
    body = "\n".join([*_table(records), *(_section(place, one) for place, one in told)])
    title = escape(", ".join(one.target for one in records)[:120])
    parts = {"css": css, "js": js, "title": title, "summary": escape(summary(records))}
    return Template(page).substitute(parts, body=body)


def _table(records: Sequence[Record]) -> Iterator[str]:
    expected = any(one.as_expected is not None for one in records)
    yield '<div class="table" id="verdicts" tabindex="-1"><table>'
    yield '<thead><tr><th scope="col">target</th><th scope="col">verdict</th>'
    yield '<th scope="col" class="number">worst H/δ</th><th scope="col" class="number">plays</th>'
    yield '<th scope="col" class="number">seconds</th>'
    yield ('<th scope="col">as expected</th>' if expected else "") + "</tr></thead><tbody>"
    for place, one in enumerate(records):
        link = f'<a href="#target-{place}">{escape(one.target)}</a>'
        yield f'<tr><td>{link}</td><td>{_pill(one)}</td><td class="number">'
        yield f"{escape(ratio_text(one).plain)}</td>"
        yield f'<td class="number">{one.tried}</td><td class="number">{one.seconds:.1f}</td>'
        said = {True: "yes", False: "<strong>NO</strong>", None: ""}[one.as_expected]
        yield (f"<td>{said}</td>" if expected else "") + "</tr>"
    yield "</tbody></table></div>"


def _pill(one: Record) -> str:
    return f'<span class="pill {one.verdict.replace(" ", "-")}">{one.verdict}</span>'


def _section(place: int, one: Record) -> str:
    violated = " data-violation" if one.certificate else ""
    parts = [f'<section id="target-{place}" aria-labelledby="heading-{place}"{violated}>']
    parts.append(f'<h2 id="heading-{place}">{escape(one.target)} {_pill(one)}</h2>')
    if one.note:
        parts.append(f'<p class="soft">{escape(one.note)}</p>')
    if one.error:
        parts.append(f'<pre role="alert">{escape(one.error)}</pre>')
    parts += _claims(one)
    parts += [
        f"<p>Proved for {escape(space)}: no game in it breaks the budget.</p>"
        for space in one.proved
    ]
    if one.certificate:
        parts += _violation(one, picture(one.certificate))
    elif one.best is not None:
        parts.append(_closest(one))
    if len(one.history) > 1:
        parts += ["<h3>Worst H/δ while searching</h3>", history_svg(one.history, one.tried)]
    return "\n".join([*parts, "</section>"])


def _claims(one: Record) -> Iterator[str]:
    """Yield a line per broken claim, and one for all that held."""
    for claim in one.claims:
        if not claim.holds:
            name, detail = escape(claim.name), escape(claim.detail)
            yield f"<p>Claim <em>{name}</em> <strong>fails</strong>: {detail}</p>"
    if held := ", ".join(escape(claim.name) for claim in one.claims if claim.holds):
        yield f'<p class="soft">Claims that held wherever they were tried: {held}.</p>'


def _closest(one: Record) -> str:
    best = one.best
    assert best is not None
    with_what = f" with {parameters_text(best.parameters)}" if best.parameters else ""
    return (
        f"<p>{one.tried} plays, each against the strongest adaptive adversary. The closest: "
        f"<em>{escape(best.case)}</em>{escape(with_what)} at ε = {escape(best.epsilon)}, "
        f'δ = {escape(best.delta)}, where H = <span class="math">{escape(best.value)}</span>.</p>'
    )


# --- one violation --------------------------------------------------------------------------


def _violation(one: Record, shown: Picture) -> Iterator[str]:
    x, x_ = (escape(name) for name in shown.pair)
    budget = f"({escape(shown.epsilon)}, {escape(format_rational(shown.delta))})"
    with_what = f" with {escape(parameters_text(shown.parameters))}" if shown.parameters else ""
    yield f'<p class="verdict">Not <span class="math">{budget}</span>-differentially '
    yield f"private{with_what}. The winning set S has likelihood "
    yield f'<span class="math">{number(shown.mass_x)}</span> under database {x} and '
    yield f'<span class="math">{number(shown.mass_x_prime)}</span> under database {x_}.</p>'
    yield _gauge(shown)
    if shown.caution:
        yield f"<p>{escape(shown.caution)}</p>"
    yield "<h3>The adversary's play</h3>"
    yield '<div class="tools" hidden>'
    yield '<button type="button" data-open>Open all</button>'
    yield '<button type="button" data-close>Close all</button>'
    yield '<button type="button" data-winning>Open the winning set</button>'
    yield _download(one) + "</div>"
    yield f'<p class="soft"><span class="key px"></span> likelihood under database {x} &nbsp; '
    yield f'<span class="key px2"></span> under database {x_} &nbsp; '
    yield '<span class="won">★</span> in S. Arrow keys move through the tree.</p>'
    yield f'<div class="split"><ul class="tree">{_turn(shown.first, shown, 0)}</ul>'
    yield '<aside class="path" aria-live="polite"><h3>Transcript</h3>'
    yield '<p class="transcript math"></p><dl></dl></aside></div>'


def _download(one: Record) -> str:
    data = base64.b64encode(one.certificate.encode("ascii")).decode("ascii")
    name = escape(certificate_name(one.target))
    link = f"data:application/json;base64,{data}"
    return f'<a class="button" download="{name}" href="{link}">Download the certificate</a>'


def _gauge(shown: Picture) -> str:
    """Return H as a bar beside the mark of δ."""
    value, delta = float(shown.value), float(shown.delta)
    top = max(value, delta) * 1.15
    filled, mark = (f"{100 * part / top:.2f}%" for part in (value, delta))
    over = f", {shown.ratio:.4g} times δ" if shown.ratio is not None else ""
    label = f"H = {value:.6g}{over}; δ = {delta:.6g}"
    return (
        f'<div class="gauge" role="img" aria-label="{label}">'
        f'<div class="fill" style="width:{filled}"></div>'
        f'<div class="mark" style="left:{mark}"></div>'
        f'<span class="above" style="left:{mark}">δ = {escape(number(shown.delta))}</span>'
        f'<span class="below" style="left:{filled}">H = {value:.6g}{over}</span></div>'
    )


def _turn(turn: Turn, shown: Picture, depth: int) -> str:
    says = f"asks {turn.request!r}"
    facts = [("request", turn.request), ("answer", ANSWERS[turn.decision])]
    facts.append(("turn", str(turn.number)))
    label = (
        f'<span>asks <b class="math">{escape(turn.request)}</b></span>'
        f'<span class="soft">{ANSWERS[turn.decision]}</span>'
    )
    if turn.decision == "halt":
        branch = turn.branches[0]
        facts += _facts(branch, shown)
        return f"<li>{_row('div', says + ', halt', facts, label, branch.in_event)}</li>"
    inner = "".join(_branch(branch, shown, depth + 1) for branch in turn.branches)
    return _item(_row("summary", says, facts, label, False), inner, shown, depth)


def _branch(branch: Branch, shown: Picture, depth: int) -> str:
    output = branch.output or "(nothing released)"
    label = f'<span class="out math">{escape(output)}</span>{_bars(branch)}'
    label += f'<span class="math">{number(branch.p)}</span>'
    label += f'<span class="math soft">{number(branch.q)}</span>'
    label += '<span class="won" title="in the winning set S">★ in S</span>' * branch.in_event
    if branch.again is not None:
        label += f'<span class="soft">goes on as turn {branch.again}</span>'
    facts, says = [("output", output), *_facts(branch, shown)], f"→ {output};"
    if branch.turn is None or depth > MAX_DEPTH:
        cut = '<span class="soft">too deep to draw</span>' if branch.turn else ""
        return f"<li>{_row('div', says, facts, label + cut, branch.in_event)}</li>"
    inner = _turn(branch.turn, shown, depth + 1)
    return _item(_row("summary", says, facts, label, branch.in_event), inner, shown, depth)


def _item(row: str, inner: str, shown: Picture, depth: int) -> str:
    opened = " open" if depth <= OPEN_DEPTH or shown.turns <= OPEN_TURNS else ""
    return f"<li><details{opened}>{row}<ul>{inner}</ul></details></li>"


def _row(tag: str, says: str, facts: Iterable[tuple[str, str]], label: str, won: bool) -> str:
    data = escape(json.dumps(list(facts), ensure_ascii=False))
    kind = "row in-s" if won else "row"
    focus = "" if tag == "summary" else ' tabindex="0"'
    said = escape(says)
    return f'<{tag} class="{kind}"{focus} data-says="{said}" data-facts="{data}">{label}</{tag}>'


def _bars(branch: Branch) -> str:
    widths = [f"{100 * float(mass):.1f}%" for mass in (branch.p, branch.q)]
    bars = "".join(
        f'<i class="{kind}" style="width:{width}"></i>'
        for kind, width in zip(("px", "px2"), widths, strict=True)
    )
    return f'<span class="bars" aria-hidden="true">{bars}</span>'


def _facts(branch: Branch, shown: Picture) -> list[tuple[str, str]]:
    """Return the exact likelihoods of a branch, its loss, and what it adds to H."""
    x, x_ = shown.pair
    made = [(f"P_{x}", format_rational(branch.p)), (f"P_{x_}", format_rational(branch.q))]
    made.append(("loss", _loss(branch.p, branch.q)))
    if branch.in_event:
        adds = ExpLinear(branch.p, -branch.q, parse_epsilon(shown.epsilon))
        made.append(("adds to H", f"{float(adds):.6g}"))
    return made


def _loss(p: Fraction, q: Fraction) -> str:
    if p == 0:
        return "-∞" if q else "-"
    return f"{log(p / q):.6g}" if q else "∞"
