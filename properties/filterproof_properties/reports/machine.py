"""Reports for programs: the JSON report."""

from collections.abc import Iterable
from typing import Any

from filterproof_properties.reports.record import SCHEMA, VERSION, Record, to_json


def json_report(records: Iterable[Record]) -> dict[str, Any]:
    """Return the whole report as JSON data."""
    return {"schema": SCHEMA, "version": VERSION, "results": [to_json(one) for one in records]}
