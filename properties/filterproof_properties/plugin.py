"""The pytest plugin: every claim of a filter is a test with a name of its own.

    pytest --filterproof package.module:MyFilter            (--proved: its code is proved too)

The search is one test per claim; beside it Hypothesis tries the properties of a private filter
(`properties`), one test each, and remembers what it found: yesterday's counterexample comes first.

In a test module, a fixture of this name that returns the target (or its name):

    @pytest.fixture
    def filterproof_target():
        return MyFilter

    filterproof_claims = ("dp", "liveness")      # optional; "dp" alone by default

A budget object is asked what it does with odd input, a test for each (`filterproof failopen`):

    pytest --filterproof-failopen "shop.py:Budget --spend spend"

A failure shows the shrunk counterexample, and its certificate is written next to the JUnit report
(or into the folder `filterproof-certificates`).  Pytest loads this module in every run, so it
imports nothing of ours until there is something to audit.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from filterproof_properties.plugin_options import limits, settings, target_spec, write_certificate
from filterproof_properties.plugin_properties import PropertyItem, property_names

if TYPE_CHECKING:
    from filterproof_properties.audit.record import Record
    from filterproof_properties.failopen.table import Column

NAME = "filterproof_target"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; those of the table are `--filterproof-NAME`."""
    from filterproof_properties.options import argument, options_of

    group = parser.getgroup("filterproof", "audit differential-privacy filters")
    group.addoption(
        "--filterproof",
        action="append",
        default=[],
        metavar="TARGET",
        help="audit this filter: package.module:attribute, path/to/file.py:attribute, a built-in "
        'name, "command:prog args", or a budget object: "shop.py:Budget --spend spend"',
    )
    group.addoption(
        "--filterproof-failopen",
        action="append",
        default=[],
        metavar="WORDS",
        help="see what a budget object does with odd input: the words of `filterproof failopen`",
    )
    for one in options_of("search", "limits", "calls"):
        declared = argument(one) | {"dest": f"filterproof_{one.name}"}
        also = ["--proved"] if one.name == "proved" else []  # as `filterproof audit` calls it
        group.addoption(one.word.replace("--", "--filterproof-", 1), *also, **declared)
    group.addoption(
        "--filterproof-certificates",
        default=None,
        metavar="DIR",
        help="where certificates go (default: next to the JUnit report)",
    )


# --- targets from the command line ----------------------------------------------------------


class ClaimItem(pytest.Item):
    """One claim about one target."""

    def __init__(self, *, spec: str, claim: str, **more: Any) -> None:
        super().__init__(**more)
        self.spec, self.claim = spec, claim
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(name=spec))  # one worker, one audit

    def runtest(self) -> None:
        """Fail with the counterexample if the claim does not hold."""
        record = audited(self.config, self.spec, lambda config: _audit_named(config, self.spec))
        expect(record, self.claim, self.config)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


class OddItem(pytest.Item):
    """One odd input to a budget object."""

    def __init__(self, *, options: Any, row: str, **more: Any) -> None:
        super().__init__(**more)
        self.options, self.row = options, row
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(name=f"failopen {options.target}"))

    def runtest(self) -> None:
        """Fail if more gets through than the budget allows, or if there is no answer."""
        from filterproof_properties.failopen.table import unanswered

        key = ("failopen", str(self.options))
        seen = audited(self.config, key, lambda _: _observed(self.options))
        if seen[self.row].open or self.row in unanswered(seen):
            pytest.fail(f"{self.row}: {seen[self.row].text}", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


def _read(words: str) -> Any:
    """Return the options of `filterproof failopen`, or say that they are none."""
    from shlex import split

    from filterproof_properties.cli import failopen

    try:
        return failopen.read(split(words))
    except (SystemExit, ValueError):
        raise pytest.UsageError(f"--filterproof-failopen {words!r} is no such command") from None


def _observed(options: Any) -> "Column":
    from filterproof_properties.cli import failopen
    from filterproof_properties.targets.target import TargetError

    try:
        return failopen.column(options)
    except TargetError as error:
        pytest.fail(f"{options.target}: {error}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add one test per claim of every target, and per odd input, that the command line names."""
    for spec in config.getoption("--filterproof"):
        for claim in (*claims_of(config, spec), *demanded(config, spec)):
            name = f"filterproof::{spec}::{claim}"
            items.append(ClaimItem.from_parent(session, name=name, spec=spec, claim=claim))
        for tried in property_names():
            name = f"filterproof::{spec}::hypothesis::{tried}"
            items.append(PropertyItem.from_parent(session, name=name, target=spec, tried=tried))
    for words in config.getoption("--filterproof-failopen"):
        options = _read(words)
        for row in odd_rows():
            name = f"filterproof-failopen::{options.target}::{row}"
            items.append(OddItem.from_parent(session, name=name, options=options, row=row))


def claims_of(config: pytest.Config, name: str) -> Iterable[str]:
    """Return the claims that an audit of this target checks; a target must be there for that."""
    from filterproof.filter import ProtocolError
    from filterproof.filters.registry import UnknownFilter
    from filterproof_properties.audit.running import run_claims
    from filterproof_properties.config import ConfigError
    from filterproof_properties.targets.loading import check_name
    from filterproof_properties.targets.target import TargetError

    try:
        spec = target_spec(config, name)
        check_name(spec)
        return run_claims(spec, limits(config, name))
    except (ConfigError, ProtocolError, TargetError, UnknownFilter) as error:
        raise pytest.UsageError(f"--filterproof {name}: {error}") from None


def odd_rows() -> Iterable[str]:
    """Return the odd inputs to a budget object."""
    from filterproof_properties.failopen.probes import NAMED_ROWS

    return NAMED_ROWS


def demanded(config: pytest.Config, name: str = "") -> tuple[str, ...]:
    """Return the claim that the code is proved, if `--proved` or the configuration asks for it."""
    from filterproof_properties.audit.engine import PROVED

    return (PROVED,) if settings(config, name).proved else ()


# --- targets from a fixture -----------------------------------------------------------------


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Function] | None:
    """Where a module defines the fixture `filterproof_target`, add one test per claim."""
    if name != NAME:
        return None
    if not isinstance(collector, pytest.Module):
        raise collector.CollectError(f"define the fixture {NAME} in a module, not in a class")
    claims = getattr(collector.obj, "filterproof_claims", ("dp",))
    return [
        pytest.Function.from_parent(collector, name=f"filterproof[{one}]", callobj=_test(one))
        for one in (*claims, *demanded(collector.config))
    ]


def _test(claim: str) -> Callable[..., None]:
    def test(request: pytest.FixtureRequest) -> None:
        asked = tuple(getattr(request.module, "filterproof_claims", ("dp",)))
        key = (request.module.__name__, asked)
        record = audited(request.config, key, lambda config: _audit_fixture(config, request, asked))
        expect(record, claim, request.config)

    return test


def _audit_fixture(
    config: pytest.Config, request: pytest.FixtureRequest, claims: tuple[str, ...]
) -> "Record":
    """Audit what the fixture returns; fixture and target run in a copy of this process."""
    from dataclasses import replace

    from filterproof.filter import ProtocolError
    from filterproof_properties.audit import running
    from filterproof_properties.targets.connect import connect_made, disconnect
    from filterproof_properties.targets.loading import load

    def make() -> Any:
        target = request.getfixturevalue(NAME)
        return load(target).target if isinstance(target, str) else target

    try:
        loaded = replace(connect_made(make, limits(config)), claims=claims)
    except ProtocolError as error:
        pytest.fail(f"{NAME}: {error}", pytrace=False)
    try:
        return running.audit_here(loaded, settings(config), lambda _: None)
    finally:
        disconnect(loaded)


# --- auditing and failing -------------------------------------------------------------------


RECORDS = pytest.StashKey[dict[Any, Any]]()
Found = TypeVar("Found")


def audited(config: pytest.Config, key: Any, audit: Callable[[pytest.Config], Found]) -> Found:
    """Audit a target once per process; return the record."""
    known = config.stash.setdefault(RECORDS, {})
    if key not in known:
        known[key] = audit(config)
    record: Found = known[key]
    return record


def _audit_named(config: pytest.Config, name: str) -> "Record":
    from filterproof_properties.audit import running

    spec = target_spec(config, name)
    return running.run_audit(spec, settings(config, name), limits(config, name), lambda _: None)


def expect(record: "Record", claim: str, config: pytest.Config) -> None:
    """Fail unless the audit shows that nothing speaks against the claim."""
    from filterproof_properties.audit.verdicts import entry
    from filterproof_properties.reports.plain import explained

    outcome = entry(record.verdict).outcome
    if outcome == "unknown":
        pytest.fail(f"{record.target}: {record.verdict}: {record.error}", pytrace=False)
    if outcome == "fail" and claim != "dp":
        pytest.skip(f"{claim!r} was not tried, because the filter is not private")
    if outcome == "fail":
        where = certificate_of(record, config)
        pytest.fail(f"{explained(record)}\ncertificate: {where}", pytrace=False)
    if claim != "dp" and claim not in {one.name for one in record.claims}:
        pytest.skip(f"{claim!r} was not tried: there was no case to try it on")
    for one in record.claims:
        if one.name == claim and not one.holds:
            pytest.fail(f"{record.target}: claim {claim!r} fails: {one.detail}", pytrace=False)


def certificate_of(record: "Record", config: pytest.Config) -> Path:
    """Write the certificate of a record next to the report and return its path."""
    return write_certificate(record.target, record.certificate, config)
