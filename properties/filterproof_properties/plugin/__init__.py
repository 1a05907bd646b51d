"""The pytest plugin: every claim of a filter is a test with a name of its own.

    pytest --filterproof package.module:MyFilter            (--proved: its code is proved too)

The search is one test per claim; beside it Hypothesis tries the properties of a private filter
(`plugin.properties`), one test each, and remembers what it found: that comes first tomorrow.

In a test module, a fixture of this name that returns the target (or its name):

    @pytest.fixture
    def filterproof_target():
        return "my_filter.py:MyFilter"

    filterproof_claims = ("liveness",)      # optional; "dp" is always one of them

A budget object is asked what it does with odd input, a test for each (`filterproof failopen`):

    pytest --filterproof-failopen "shop.py:Budget --spend spend"

A failure shows the shrunk counterexample, and its certificate is written next to the JUnit report
(or into the folder `filterproof-certificates`).  Pytest loads this module in every run, so it
imports nothing of ours until there is something to audit.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from filterproof_properties.plugin.fixture import (
    NAME,
    FixtureItem,
    check_spelling,
    claims_in,
    fixture_tests,
)
from filterproof_properties.plugin.options import limits, settings, target_spec
from filterproof_properties.plugin.outcome import PRIVACY, audited, expect
from filterproof_properties.plugin.property_items import PropertyItem, property_names
from filterproof_properties.plugin.watch import parts, patched

if TYPE_CHECKING:
    from filterproof_properties.audit.record import Record
    from filterproof_properties.failopen.table import Column


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; those of the table are `--filterproof-NAME`."""
    from filterproof_properties.options.table import argument, options_of

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
        self.spec, self.claim, self.owner = spec, claim, spec
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(name=spec))  # one worker, one audit

    def runtest(self) -> None:
        """Fail with the counterexample if the claim does not hold."""
        record = audited(self.config, self.spec, lambda config: _audit_named(config, self.spec))
        expect(record, self.claim, self.config, self.spec)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


class OddItem(pytest.Item):
    """One odd input to a budget object."""

    def __init__(self, *, options: Any, row: str, **more: Any) -> None:
        super().__init__(**more)
        self.options, self.row = options, row
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(name=f"failopen {options.targets}"))

    def runtest(self) -> None:
        """Fail if more gets through than the budget allows, or if there is no answer."""
        from filterproof_properties.failopen.table import unanswered_rows

        key = ("failopen", str(self.options))
        seen = audited(self.config, key, lambda _: _failopen_column(self.options))
        if seen[self.row].open or self.row in unanswered_rows(seen):
            pytest.fail(f"{self.row}: {seen[self.row].text}", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


def _failopen_options(words: str) -> Any:
    """Return the options of `filterproof failopen`, or say that they are none."""
    from shlex import split

    from filterproof_properties.cli import failopen
    from filterproof_properties.targets.target import TargetError

    try:
        return failopen.read(split(words))
    except (SystemExit, TargetError, ValueError) as error:
        said = f"--filterproof-failopen {words!r} is no such command: {error}"
        raise pytest.UsageError(said) from None


def _failopen_column(options: Any) -> "Column":
    from filterproof_properties.cli import failopen
    from filterproof_properties.targets.target import TargetError

    try:
        return failopen.column(options)
    except TargetError as error:
        pytest.fail(f"{failopen.target_of(options)}: {error}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add one test per claim of every target, and per odd input, that the command line names."""
    made: list[pytest.Item] = []
    for spec, ident in idents(config.getoption("--filterproof")).items():
        for claim in (*claims_of(config, spec), *demanded(config, spec)):
            named = name_of(f"{ident}::{claim}")
            made.append(ClaimItem.from_parent(session, **named, spec=spec, claim=claim))
        for tried in property_names():
            named = name_of(f"{ident}::hypothesis::{tried}")
            made.append(PropertyItem.from_parent(session, **named, target=spec, tried=tried))
    read = {words: _failopen_options(words) for words in config.getoption("--filterproof-failopen")}
    for words, ident in idents(read).items():
        for row in odd_rows():
            named = name_of(f"{ident}::failopen::{row}")
            made.append(OddItem.from_parent(session, **named, options=read[words], row=row))
    for one in made:
        one.extra_keyword_matches.add("filterproof")
    items.extend(made)


def idents(specs: Iterable[str]) -> dict[str, str]:
    """Return what the tests of each target are called: FILE::CLASS, as pytest names its own.

    Only where two targets are the same class are the words of its calls part of that.

    >>> idents(["src/ledger.py:Budget --spend spend", "naive"])
    {'src/ledger.py:Budget --spend spend': 'src/ledger.py::Budget', 'naive': 'naive'}
    >>> [*idents(["a.py:B --spend x", "a.py:B --spend y"]).values()]
    ['a.py::B --spend x', 'a.py::B --spend y']
    """
    short = {one: file_and_class(one, words=False) for one in specs}
    seen = [*short.values()]
    return {
        one: name if seen.count(name) == 1 else file_and_class(one) for one, name in short.items()
    }


def file_and_class(target: str, *, words: bool = True) -> str:
    """Return FILE:CLASS as FILE::CLASS, with the words of its calls or without; not a command."""
    if target.startswith("command:"):
        return target
    return (target if words else target.partition(" --")[0]).replace(":", "::", 1)


def name_of(ident: str) -> dict[str, str]:
    """Return the name of a test that is in no file: pytest would put `::` before it."""
    return {"name": ident, "nodeid": ident}


def claims_of(config: pytest.Config, name: str) -> Iterable[str]:
    """Return the claims that an audit of this target checks; a target must be there for that."""
    from filterproof.filter import ProtocolError
    from filterproof.filters.registry import UnknownFilter
    from filterproof_properties.audit.running import run_claims
    from filterproof_properties.options.config import ConfigError
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
) -> list["FixtureItem"] | None:
    """Where a module defines the fixture `filterproof_target`, add one test per claim."""
    if name != NAME:
        check_spelling(collector, name, obj)
        return None
    if not isinstance(collector, pytest.Module):
        raise collector.CollectError(f"define the fixture {NAME} in a module, not in a class")
    return fixture_tests(collector, (*claims_in(collector.obj), *demanded(collector.config)))


def pytest_plugin_registered(plugin: object) -> None:
    """Raise where a conftest defines the fixture: it would have no test."""
    if hasattr(plugin, NAME) and str(getattr(plugin, "__file__", "")).endswith("conftest.py"):
        where = getattr(plugin, "__file__", "")
        raise pytest.UsageError(f"{where}: define the fixture {NAME} in a test module, not here")


ORIGINAL = pytest.StashKey[dict[str, Any]]()
"""The plugin's own functions, as they were before any test module was imported."""


COLLECTS = ("--collect-only", "--collectonly", "--co")


def pytest_configure(config: pytest.Config) -> None:
    """Note what the plugin consists of; a configuration may not keep named targets from running."""
    config.stash[ORIGINAL] = parts()
    named = config.getoption("--filterproof") or config.getoption("--filterproof-failopen")
    asked = {*COLLECTS} & {*map(str, config.invocation_params.args)}
    if named and config.option.collectonly and not asked and not hasattr(config, "workerinput"):
        raise pytest.UsageError(f"the configuration says {COLLECTS[0]}: nothing would be tested")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail every test once a part of the plugin is replaced: of several workers, this one's."""
    if said := replaced(item.config):
        pytest.fail(said, pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a test has replaced a part of the plugin."""
    if said := replaced(session.config):
        pytest.exit(said, returncode=pytest.ExitCode.TESTS_FAILED)


def replaced(config: pytest.Config) -> str:
    """Say what is no longer the plugin's own; "" if all of it is."""
    names = ", ".join(patched(config.stash.get(ORIGINAL, {})))
    return names and f"a test module has replaced {names}: no result of filterproof counts"


PASSES = ("xfail", "skip", "skipif")
"""Marks with which a test cannot fail; a module may skip its own tests."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note of which targets the claim of privacy was chosen; a mark may not let one pass."""
    chosen = [one for one in session.items if isinstance(one, (ClaimItem, FixtureItem))]
    session.config.stash[PRIVACY] = {one.owner for one in chosen if one.claim == "dp"}
    for one in chosen:
        marks = PASSES if isinstance(one, ClaimItem) else PASSES[:1]
        if said := next(filter(one.get_closest_marker, marks), ""):
            raise pytest.UsageError(f"{one.nodeid} is marked {said}: nothing would be tested")


def _audit_named(config: pytest.Config, name: str) -> "Record":
    from filterproof_properties.audit import running

    spec = target_spec(config, name)
    return running.run_audit(spec, settings(config, name), limits(config, name), lambda _: None)
