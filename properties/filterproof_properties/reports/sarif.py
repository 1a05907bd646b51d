"""The SARIF 2.1.0 report, which code-scanning services show beside the source."""

import ast
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Rule, Verdict, entry
from filterproof_properties.reports.plain import explanation
from filterproof_properties.reports.sentence import short_name

ODOMETER = Rule(
    "reports", "error", "The odometer reports too little, more often than delta allows."
)
UNREACHED = Rule("unreached", "note", "No play of the audit has run these lines.")
CLAIM = Rule("claim", "error", "A claim that the filter makes about itself fails.")
RULES = [*(rule for one in Verdict if (rule := entry(one).sarif)), ODOMETER, CLAIM, UNREACHED]
"""A rule for every verdict that is shown, and for what is said of odometers, claims and lines."""


def text(records: Sequence[Record]) -> str:
    """Return the report as SARIF."""
    driver = {
        "name": "filterproof",
        "version": version("filterproof"),
        "rules": [_rule(one) for one in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(result for one in records if not one.passes for result in _results(one)),
            *(result for one in records if not one.certificate for result in _unreached_notes(one)),
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, allow_nan=False) + "\n"


def _rule(one: Rule) -> dict[str, Any]:
    """Return a rule with the page that explains its verdict."""
    return {"id": one.id, "shortDescription": {"text": one.says}, **help_page()}


def help_page() -> dict[str, str]:
    """Return where the page on reading a counterexample is, if the package names its repository."""
    links = dict(one.split(", ", 1) for one in metadata("filterproof").get_all("Project-URL") or [])
    if "Repository" not in links:
        return {}
    return {"helpUri": f"{links['Repository']}/blob/main/docs/COUNTEREXAMPLE.md"}


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def _results(one: Record) -> Iterator[dict[str, Any]]:
    rule = entry(one.verdict).sarif
    if one.verdict is Verdict.VIOLATED and one.kind == "odometer":
        rule = ODOMETER
    if rule:
        properties = {"certificate": json.loads(one.certificate)} if one.certificate else {}
        yield _result(rule, one, explanation(one), properties)
    for claim in one.claims:
        if claim.holds is False:
            yield _result(
                CLAIM,
                one,
                f"{short_name(one.target)}: claim {claim.name!r} fails: {claim.detail}",
                {},
            )


def _result(rule: Rule, one: Record, message: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "ruleId": rule.id,
        "ruleIndex": RULES.index(rule),
        "level": rule.level,
        "message": {"text": message},
        "locations": [location(one.target)],
        "properties": {"target": one.target, "tried": one.tried, **properties},
    }


def _unreached_notes(one: Record) -> Iterator[dict[str, Any]]:
    """Yield a note for each place of the source that was never run."""
    for place in one.coverage.unreached if one.coverage else ():
        made = _result(UNREACHED, one, f"{place} was never reached", {})
        region = {"startLine": place.first, "endLine": place.last}
        physical = {"artifactLocation": {"uri": uri_of(Path(place.file))}, "region": region}
        yield {**made, "locations": [{**made["locations"][0], "physicalLocation": physical}]}


def uri_of(path: Path) -> str:
    """Return how SARIF names a file: as it was given."""
    return path.as_uri() if path.is_absolute() else path.as_posix()


def location(target: str) -> dict[str, Any]:
    """Return where a target is written: the line of its file, or its name."""
    where, _, name = short_name(target).partition(" since ")[0].rpartition(":")
    made: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": target}]}
    if where.endswith(".py"):
        path = Path(where)
        region = {"startLine": line_of(path, name)}
        made["physicalLocation"] = {"artifactLocation": {"uri": uri_of(path)}, "region": region}
    return made


def line_of(path: Path, name: str) -> int:
    """Return the line on which a class or function of a file begins; 1 if that is unclear."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return 1
    named = (ast.ClassDef, ast.FunctionDef)
    lines = [one.lineno for one in tree.body if isinstance(one, named) and one.name == name]
    return min(lines, default=1)
