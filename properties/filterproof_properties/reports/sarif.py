"""The SARIF 2.1.0 report, which code-scanning services show beside the source."""

import ast
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Rule, Verdict, entry
from filterproof_properties.reports.plain import explained

ODOMETER = Rule(
    "reports", "error", "The odometer reports too little, more often than delta allows."
)
CLAIM = Rule("claim", "error", "A claim that the filter makes about itself fails.")
RULES = [*(rule for one in Verdict if (rule := entry(one).sarif)), ODOMETER, CLAIM]
"""A rule for every verdict that is shown, and for what is said of odometers and claims."""


def text(records: Sequence[Record]) -> str:
    """Return the report as SARIF."""
    driver = {
        "name": "filterproof",
        "version": version("filterproof"),
        "rules": [{"id": one.id, "shortDescription": {"text": one.says}} for one in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [result for one in records if not one.passes for result in _results(one)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, allow_nan=False) + "\n"


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def _results(one: Record) -> Iterator[dict[str, Any]]:
    rule = entry(one.verdict).sarif
    if one.verdict is Verdict.VIOLATED and one.kind == "odometer":
        rule = ODOMETER
    if rule:
        properties = {"certificate": json.loads(one.certificate)} if one.certificate else {}
        yield _result(rule, one, explained(one), properties)
    for claim in one.claims:
        if claim.holds is False:
            yield _result(CLAIM, one, f"claim {claim.name!r} fails: {claim.detail}", {})


def _result(rule: Rule, one: Record, message: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "ruleId": rule.id,
        "ruleIndex": RULES.index(rule),
        "level": rule.level,
        "message": {"text": f"{one.target}: {message}"},
        "locations": [location(one.target)],
        "properties": {"target": one.target, "tried": one.tried, **properties},
    }


def location(target: str) -> dict[str, Any]:
    """Return where a target is written: the line of its file, or its name."""
    where, _, name = target.rpartition(":")
    made: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": target}]}
    if where.endswith(".py"):
        path = Path(where)
        uri = path.as_uri() if path.is_absolute() else path.as_posix()
        region = {"startLine": line_of(path, name)}
        made["physicalLocation"] = {"artifactLocation": {"uri": uri}, "region": region}
    return made


def line_of(path: Path, name: str) -> int:
    """Return the line on which a class or function of a file begins; 1 if that is unclear."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return 1
    named = (ast.ClassDef, ast.FunctionDef)
    lines = [one.lineno for one in tree.body if isinstance(one, named) and one.name == name]
    return min(lines, default=1)
