"""The SARIF 2.1.0 report, which code-scanning services show beside the source."""

import ast
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filterproof_properties.audit.engine import Verdict
from filterproof_properties.audit.record import Record
from filterproof_properties.reports.plain import explained

RULES = {
    "violation": "The filter is not (epsilon, delta)-differentially private.",
    "reports": "The odometer reports too little, more often than delta allows.",
    "claim": "A claim that the filter makes about itself fails.",
    "failed": "The filter raised, hung or broke the protocol.",
    "inconclusive": "Nothing could be concluded about the filter.",
}


def text(records: Sequence[Record]) -> str:
    """Return the report as SARIF."""
    driver = {
        "name": "filterproof",
        "version": version("filterproof"),
        "rules": [{"id": id, "shortDescription": {"text": says}} for id, says in RULES.items()],
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
    rule = {
        Verdict.VIOLATED: "reports" if one.kind == "odometer" else "violation",
        Verdict.FAILED: "failed",
        Verdict.INCONCLUSIVE: "inconclusive",
    }.get(one.verdict)
    if rule:
        properties = {"certificate": json.loads(one.certificate)} if one.certificate else {}
        yield _result(rule, one, explained(one), properties)
    for claim in one.claims:
        if claim.holds is False:
            yield _result("claim", one, f"claim {claim.name!r} fails: {claim.detail}", {})


def _result(rule: str, one: Record, message: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "ruleIndex": [*RULES].index(rule),
        "level": "warning" if rule == "inconclusive" else "error",
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
