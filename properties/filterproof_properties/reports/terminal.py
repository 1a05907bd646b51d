"""The audit on a terminal: a table of verdicts, and a tree for every violation."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import log

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from filterproof.exact import Log, format_rational, parse_epsilon
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.reports.columns import PIPED
from filterproof_properties.reports.picture import Branch, Picture, Turn, picture
from filterproof_properties.reports.sentence import sentence, short_name

MAX_TURNS = 40
"""A terminal shows this many turns of a tree; the HTML report shows all of them."""

SIZE = re.compile("[1-9][0-9]{1,3}")
"""What COLUMNS and LINES may say: from 10 to 9999."""

AS_ODOMETER = {"odometer": "audited as an odometer, by P(loss > report at some time)"}
ANSWERS = {
    "continue": "run it, go on",
    "last": "run it, then end",
    "halt": "halt",
    "refuse": "refuse",
}


def console(*, stderr: bool = False) -> Console:
    """Return the console to print on; a pipe gets long lines, or those that COLUMNS asks for.

    A screen of no columns would show nothing, not even a violation: such a size is no size.
    """
    environ = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "LINES") or SIZE.fullmatch(value)
    }
    made = Console(stderr=stderr, highlight=False, markup=False, _environ=environ)
    if not (made.is_terminal or "COLUMNS" in environ):
        made.width = PIPED
    return made


def report(records: Sequence[Record]) -> RenderableType:
    """Return each violation in a sentence, the table of verdicts, then everything in full.

    Where all built-in filters were audited, pictures are many, and the table comes last.
    """
    details = [detail for one in records for detail in _details(one)]
    if any(one.as_expected is not None for one in records):
        return Group(*details, table(records), Text(summary(records)))
    broken = [picture(one.certificate) for one in records if one.certificate]
    leads = [Text(f"{sentence(shown)}\n", "bold") for shown in broken]
    return Group(*leads, table(records), *details, Text(summary(records)))


def table(records: Sequence[Record]) -> Table:
    """Return one line per target."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("target", "verdict", "worst H/delta", "tried", "seconds"):
        made.add_column(heading, justify="left" if heading in ("target", "verdict") else "right")
    names = Counter(short_name(one.target) for one in records)
    expected = any(one.as_expected is not None for one in records)
    if expected:
        made.add_column("as expected")
        made.add_column("rests on")
    for one in records:
        short = short_name(one.target)
        cells = [
            Text(short if names[short] == 1 else one.target),
            Text(one.outcome, f"bold {entry(one.verdict).colour}"),
            ratio_text(one),
        ]
        cells += [Text(str(one.tried)), Text(f"{one.seconds:.1f}")]
        made.add_row(*cells, *([_expected_cell(one), Text(grounds(one))] if expected else []))
    return made


def grounds(one: Record) -> str:
    """Say what a verdict on a built-in filter rests on: a theorem, its code, or the search."""
    if one.certificate:
        return "certificate"
    theorem = "search only" if one.theorem.startswith("search only") else "theorem in Coq"
    code = one.code.partition(":")[0]
    return f"{theorem}, code proved" if code == "PROVED" else theorem


def _expected_cell(one: Record) -> Text:
    return Text("yes", "green") if one.as_expected else Text("NO", "bold red")


def ratio_text(one: Record) -> Text:
    """Return the best H/δ of a record for a cell."""
    if one.best is None:
        return Text("-")
    return Text("delta = 0" if one.best.ratio is None else f"{one.best.ratio:.4g}")


def summary(records: Iterable[Record]) -> str:
    """Return one closing sentence that promises no more than was done."""
    records = list(records)
    tried = sum(one.tried for one in records)
    counts = [(v, sum(one.verdict is v for one in records)) for v in Verdict]
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts if count)
    smaller = sum(one.smaller_tried for one in records)
    closing = f"{said}; {count_of(tried, 'play')}, each against the strongest adaptive adversary, "
    closing += "in exact numbers"
    closing += f"; {smaller} smaller ones tried" if smaller else ""
    if any(one.certificate for one in records):
        closing += "; every certificate was accepted by the independent checker and replayed"
    return closing


def count_of(count: int, what: str) -> str:
    """Return a number of things.

    >>> count_of(1, "play"), count_of(2, "play")
    ('1 play', '2 plays')
    """
    return f"{count} {what}{'' if count == 1 else 's'}"


def _details(one: Record) -> list[RenderableType]:
    name = short_name(one.target)
    made: list[RenderableType] = []
    if name != one.target:
        made.append(Text(f"{name} was called with{one.target.removeprefix(name)}", "dim"))
    if one.note and one.as_expected is None:
        made.append(Text(f"\n{name}: {one.note}", "dim"))
    if one.error and one.error not in ("" if one.as_expected else one.unanswered):
        made.append(Text(f"\n{name}: {one.error}", "magenta"))
    if one.unanswered and not one.as_expected:
        made.append(Text(f"{name}: {one.unanswered}", "magenta"))
    for claim in one.claims:
        if claim.holds is False:
            made.append(Text(f"{name}: claim {claim.name!r} fails: {claim.detail}", "red"))
    made += [Text(f"{name}: proved for {space}", "green") for space in one.proved]
    if one.code and one.as_expected is None:
        made.append(Text(f"{name}: the code is {one.code}"))
    if one.rounding and one.as_expected is None:
        made.append(Text(f"{name}: {one.rounding}"))
    if one.passes and one.as_expected is None and one.envelope:
        said = "; ".join(filter(None, [AS_ODOMETER.get(one.kind), one.envelope, one.closest_sound]))
        made.append(Text(f"{name}: {said}", "dim"))
    if one.coverage and one.coverage.never and not one.certificate:
        made.append(Text(f"{name}: {one.coverage.never}", "yellow"))
    if one.certificate:
        made += [Text(), violation(picture(one.certificate)), Text()]
    return made


# --- one violation --------------------------------------------------------------------------


def violation(shown: Picture) -> RenderableType:
    """Return the picture of a violation: tree, winning set, H beside delta."""
    x, x_ = shown.pair
    title = Text.assemble((short_name(shown.target), "bold"), f" {broken_promise(shown)}")
    if shown.parameters:
        title.append(f"  with {parameters_text(shown.parameters)}")
    told = [Padding(Text(line), (0, 0, 0, 2), expand=False) for line in shown.own_words]
    tree = Tree(Text("the adversary", "bold"))
    _add_turn(tree, shown.first, shown)
    cut = shown.turns - MAX_TURNS
    tail = [Text(f"... {cut} more turns: see the HTML report")] if cut > 0 else []
    what = "where the loss exceeds what is reported" if shown.reports else "of the winning set S"
    legend = Text(f"★ marks the outputs {what}; P_{x} and P_{x_} are likelihoods")
    return Group(title, *told, tree, *tail, legend, *verdict_lines(shown))


def broken_promise(shown: Picture) -> str:
    """Say which promise is broken."""
    if shown.reports:
        return f"reports too little, more often than delta = {format_rational(shown.delta)} allows"
    return f"is not ({shown.epsilon}, {format_rational(shown.delta)})-DP"


def verdict_lines(shown: Picture) -> list[Text]:
    """Return the two likelihoods of S, H beside δ, and a word on an excess that is tiny."""
    x, x_ = shown.pair
    over = f" ({shown.ratio:.4g} x)" if shown.ratio is not None else ""
    return [
        Text(f"P_{x}(S) = {number(shown.mass_x)}    P_{x_}(S) = {number(shown.mass_x_prime)}"),
        Text.assemble(
            f"P_{x}(loss > report at some time) = P_{x}(S) > delta = "
            if shown.reports
            else f"H = P_{x}(S) - e^eps * P_{x_}(S) = {_value(shown)} > delta = ",
            (number(shown.delta) + over, "bold red"),
        ),
        *([Text(shown.caution, "yellow")] if shown.caution else []),
    ]


def _value(shown: Picture) -> str:
    exact = str(shown.value)
    near = f"about {float(shown.value):.6g}"
    if "/" not in exact:
        return exact
    return f"{exact} ({near})" if len(exact) <= 40 else near


def parameters_text(parameters: dict[str, object]) -> str:
    """Return filter parameters as a person writes them."""
    return ", ".join(f"{name} = {_plain(value)}" for name, value in parameters.items())


def _plain(value: object) -> object:
    if isinstance(value, dict):
        value = next(iter(value.values()))
    if isinstance(value, list):
        return "(" + ", ".join(str(_plain(item)) for item in value) + ")"
    return value


def _add_turn(tree: Tree, first: Turn, shown: Picture) -> None:
    todo = [(tree, first)]
    for place, turn in todo:  # grows while it is read: breadth first
        if turn.number >= MAX_TURNS:
            place.add(Text(f"turn {turn.number} ..."))
            continue
        here = place.add(turn_text(turn))
        for branch in turn.branches:
            if turn.decision == "halt":
                here.label = Text.assemble(turn_text(turn), "  ", branch_text(branch, shown))
                continue
            below = here.add(branch_text(branch, shown))
            if branch.turn is not None:
                todo.append((below, branch.turn))


def turn_text(turn: Turn) -> Text:
    """Return one request and its answer."""
    said = ANSWERS[turn.decision]
    often = (f" x {turn.times}", "bold") if turn.times > 1 else ""
    asks = ("asks ", (repr(turn.request), "cyan"), often)
    silent = all(not branch.reported for branch in turn.branches)  # an odometer says no more
    return Text.assemble(*asks, *(("; the filter: ", (said, "bold")) if silent else ()))


def branch_text(branch: Branch, shown: Picture) -> Text:
    """Return one output with its two likelihoods, and a star if it belongs to S."""
    x, x_ = shown.pair
    made = Text.assemble(
        (f"{branch.output or '(nothing released)'}", "bold"),
        f"  P_{x} = {number(branch.p)}, P_{x_} = {number(branch.q)}",
    )
    if branch.reported:
        made.append(f"; reported {report_and_loss(branch)}", "cyan")
    if branch.in_event:
        made.append("  ★ in S", "bold red")
    if branch.again is not None:
        made.append(f"  (goes on as turn {branch.again})", "dim")
    return made


def report_and_loss(branch: Branch) -> str:
    """Return what is reported beside the loss, the latter as a decimal for reading."""
    if not branch.p:
        return branch.reported
    loss = f"{log(branch.p / branch.q):.6g}" if branch.q else "inf"
    return f"{branch.reported}{_decimal(branch.reported)}, loss {loss}"


def _decimal(report: str) -> str:
    if "(" not in report and "/" not in report:
        return ""
    value = parse_epsilon(report)
    near = log(value.argument) if isinstance(value, Log) else float(value)
    return f" (about {near:.6g})"


def number(value: Fraction) -> str:
    """Return a rational as it is, or near it if it is too long to read."""
    exact = format_rational(value)
    return exact if len(exact) <= 24 else f"about {float(value):.6g}"
