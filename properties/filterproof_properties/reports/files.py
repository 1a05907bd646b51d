"""Which report a file name asks for, and the JSON report itself."""

import json
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from filterproof_properties.audit.record import SCHEMA, VERSION, Record, to_json
from filterproof_properties.reports.sentence import short_name

Writer = Callable[[Sequence[Record]], str]

FORMATS = {".html": "html", ".xml": "junit", ".sarif": "sarif", ".md": "markdown"}
MOST_LETTERS = 80
"""So many letters of a target are in a file's name, which may have 255 bytes."""


class UnknownReport(OSError):
    """A report file whose ending names no format."""


def writer(path: Path) -> Writer:
    """Return the function that writes the report which the file's ending asks for."""
    if path.suffix == ".json":
        return json_text
    if path.suffix not in FORMATS:
        known = " ".join([".json", *FORMATS])
        raise UnknownReport(f"the ending of {str(path)!r} names no report; there are {known}")
    module = import_module(f"filterproof_properties.reports.{FORMATS[path.suffix]}")
    chosen: Writer = module.text
    return chosen


def json_text(records: Sequence[Record]) -> str:
    """Return the JSON report (docs/schemas/report.schema.json)."""
    data = {"schema": SCHEMA, "version": VERSION, "results": [to_json(one) for one in records]}
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def certificate_name(target: str) -> str:
    """Return the file name of a target's certificate: a digest stands for calls and long words.

    >>> certificate_name("my/filters.py:Mine")
    'my-filters.py-Mine.certificate.json'
    >>> certificate_name("shop.py:Budget --spend 'spend(epsilon)'")
    'shop.py-Budget-cc3338.certificate.json'
    """
    short = short_name(target)[:MOST_LETTERS]
    digest = sha256(target.encode("utf-8", "backslashreplace")).hexdigest()[:6]
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", short).strip("-.")
    return f"{name}{'' if short == target else f'-{digest}'}.certificate.json"
