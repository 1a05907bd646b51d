"""The JUnit report: one suite per target, one test case per claim."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from filterproof_properties.audit.record import CHANGE, PROOF, SETTINGS, Record
from filterproof_properties.audit.verdicts import entry
from filterproof_properties.reports.plain import explanation
from filterproof_properties.reports.sentence import first_line

KINDS = {True: "", False: "failure", None: "skipped"}
COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}

GATE = {CHANGE: "no-looser", PROOF: "proved", SETTINGS: "settings"}
PROMISES = {"odometer": "reports", **GATE}
"""The test case of a record that is no audit of a filter."""


def text(records: Sequence[Record]) -> str:
    """Return the report as XML."""
    root = Element("testsuites", name="filterproof")
    for one in records:
        _add_suite(root, one)
    for count in ("tests", *COUNTS):
        root.set(count, str(sum(int(suite.get(count, 0)) for suite in root)))
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(root: Element, one: Record) -> None:
    target = _without_controls(one.target)
    suite = SubElement(root, "testsuite", name=target, time=f"{one.seconds:.3f}")
    for name, outcome in _cases(one):
        case = SubElement(suite, "testcase", classname=target, name=name)
        if outcome is not None:
            case.append(outcome)
    suite.set("tests", str(len(suite)))
    for count, kind in COUNTS.items():
        suite.set(count, str(len(suite.findall(f"testcase/{kind}"))))


def _cases(one: Record) -> Iterator[tuple[str, Element | None]]:
    """Yield the name of every test case and what is wrong with it."""
    seen = entry(one.verdict).junit
    promise = PROMISES.get(one.kind, "dp")
    if seen == "error":
        name = promise if one.kind in GATE else "audit"
        yield name, _outcome(seen, first_line(one), explanation(one))
        return
    broken = seen == "failure" and not one.passes
    yield promise, _outcome("failure", first_line(one), explanation(one)) if broken else None
    for claim in one.claims:
        kind = KINDS[claim.holds]
        yield claim.name, _outcome(kind, claim.detail, claim.detail) if kind else None


def _outcome(kind: str, message: str, body: str) -> Element:
    made = Element(kind, message=_without_controls(message))
    made.text = _without_controls(body)
    return made


def _without_controls(text: str) -> str:
    """Replace the control characters that XML cannot hold."""
    return "".join(c if c >= " " or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
