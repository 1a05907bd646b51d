"""What a test of the plugin makes of an audit: it passes, is skipped, or fails with the reason.

Pytest loads the plugin in every run, so nothing of ours is imported until it is needed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from filterproof_properties.plugin.options import write_certificate

if TYPE_CHECKING:
    from filterproof_properties.audit.record import Record

RECORDS = pytest.StashKey[dict[Any, Any]]()
PRIVACY = pytest.StashKey[set[Any]]()
"""The targets whose claim of privacy is among the tests that were chosen."""
Found = TypeVar("Found")


def audited(config: pytest.Config, key: Any, audit: Callable[[pytest.Config], Found]) -> Found:
    """Audit a target once per process; return the record."""
    known = config.stash.setdefault(RECORDS, {})
    if key not in known:
        known[key] = audit(config)
    record: Found = known[key]
    return record


def expect(record: "Record", claim: str, config: pytest.Config, owner: Any) -> None:
    """Fail unless the audit shows that nothing speaks against the claim.

    A filter that is not private fails its other claims where `dp` itself was not chosen.
    """
    from filterproof_properties.audit.verdicts import entry
    from filterproof_properties.reports.plain import explanation

    outcome = entry(record.verdict).outcome
    if outcome == "unknown":
        pytest.fail(in_lines(f"{record.target}: {record.verdict}: {record.error}"), pytrace=False)
    if outcome == "fail" and claim != "dp" and owner in config.stash[PRIVACY]:
        pytest.skip(f"{claim!r} was not tried, because the filter is not private")
    if outcome == "fail":
        where = write_certificate(record.target, record.certificate, config)
        pytest.fail(f"{explanation(record)}\ncertificate: {where}", pytrace=False)
    if claim != "dp" and claim not in {one.name for one in record.claims}:
        pytest.skip(f"{claim!r} was not tried: there was no case to try it on")
    for one in record.claims:
        if one.name == claim and not one.holds:
            said = f"{record.target}: claim {claim!r} fails: {one.detail}"
            pytest.fail(in_lines(said), pytrace=False)


def in_lines(text: str) -> str:
    r"""Return what a target said with the lines that it has; only the first can look like ours.

    >>> print(in_lines("it raised: no\\n::error::such budget"))
    it raised: no
      | ::error::such budget
    """
    return text.replace("\\n", "\n  | ")
