"""The Markdown report: a summary for a pull request."""

from collections.abc import Iterator, Sequence

from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import entry
from filterproof_properties.reports.plain import explanation
from filterproof_properties.reports.sentence import first_line, short_name
from filterproof_properties.reports.terminal import ratio_text, summary


def text(records: Sequence[Record]) -> str:
    """Return the report as Markdown."""
    return "\n".join(_lines(records)) + "\n"


def _lines(records: Sequence[Record]) -> Iterator[str]:
    yield "## filterproof"
    yield ""
    for one in records:
        if not one.passes:
            yield f"{entry(one.verdict).sign} {_html(first_line(one))}"
            yield ""
    yield "| target | verdict | worst H/δ | plays tried | seconds |"
    yield "|---|---|--:|--:|--:|"
    for one in records:
        verdict = f"{entry(one.verdict).sign} {one.outcome}"
        if one.as_expected is not None:
            verdict += ", as expected" if one.as_expected else ", **not expected**"
        name, worst = _cell(short_name(one.target)), ratio_text(one).plain
        yield f"| {name} | {verdict} | {worst} | {one.tried} | {one.seconds:.1f} |"
    yield ""
    yield f"{summary(records)}."
    for one in records:
        if one.coverage and one.coverage.never and not one.certificate:
            yield ""
            yield f"{_html(one.target)}: {_html(one.coverage.never)}."
    for one in records:
        if not one.passes:
            yield from _detail(one)


def _detail(one: Record) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{entry(one.verdict).sign} {_html(short_name(one.target))}</summary>"
    yield ""
    yield "<pre>"
    yield _html(explanation(one))
    yield "</pre>"
    yield ""
    yield "</details>"


def _cell(text: str) -> str:
    return f"<code>{_html(text)}</code>".replace("|", "&#124;").replace("\n", " ")


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
