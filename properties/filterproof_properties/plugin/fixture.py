"""The tests of a module with the fixture `filterproof_target`: one for each claim and parameter.

What the fixture returns is looked at in a copy of pytest's process: a name is then audited like one
on the command line, in a process that has loaded nothing of the module; anything else in a copy.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from filterproof_properties.plugin.options import limits, settings, target_spec
from filterproof_properties.plugin.outcome import audited, expect, in_lines
from filterproof_properties.plugin.watch import target_of_unused_fixture

if TYPE_CHECKING:
    from filterproof_properties.audit.record import Record
    from filterproof_properties.targets.target import Loaded

NAME, CLAIMS = "filterproof_target", "filterproof_claims"


class FixtureItem(pytest.Function):
    """One claim about what the fixture returns, for one of its parameters."""

    claim: str
    owner: Any
    """The module and the parameter: tests that share it share an audit."""

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


def fixture_tests(collector: pytest.Module, claims: tuple[str, ...]) -> list[FixtureItem]:
    """Return one test for each claim, and for each parameter of the fixture if it has any."""
    found = []
    for one in collector._genfunctions(NAME, _needs_the_fixture):
        call = getattr(one, "callspec", None)
        found += [_item(collector, claim, call) for claim in claims]
    return found


def _needs_the_fixture(filterproof_target: Any) -> None:
    """Tell pytest what the tests depend on; none of them asks for it in pytest's own process."""
    del filterproof_target


def _item(collector: pytest.Module, claim: str, call: Any) -> FixtureItem:
    """Return the test of a claim: `filterproof[dp]`, or `filterproof[parameter-dp]`."""
    given: dict[str, Any] = {"originalname": "filterproof"} if call else {}
    if call:  # the claim is part of the parameters' name, so that --lf finds the test again
        given["callspec"] = replace(call, _idlist=[*call._idlist, claim])
    ident = given["callspec"].id if call else claim
    made = FixtureItem.from_parent(
        collector, name=f"filterproof[{ident}]", callobj=_test(claim), **given
    )
    made.claim, made.owner = claim, (collector.nodeid, call.id if call else "")
    if made.config.pluginmanager.hasplugin("xdist"):
        made.add_marker(pytest.mark.xdist_group(name="::".join(made.owner)))  # one audit
    return made


def claims_in(module: Any) -> tuple[str, ...]:
    """Return the claims that a module asks for; that of privacy is always one of them."""
    return tuple(dict.fromkeys(("dp", *getattr(module, CLAIMS, ()))))


def _test(claim: str) -> Callable[..., None]:
    def test(request: pytest.FixtureRequest) -> None:
        config, owner = request.config, request.node.owner
        record = audited(config, owner, lambda config: _audit(config, request))
        expect(record, claim, config, owner)

    return test


def _audit(config: pytest.Config, request: pytest.FixtureRequest) -> "Record":
    """Audit what the fixture returns; a name like one on the command line."""
    from filterproof.filter import ProtocolError
    from filterproof_properties.audit import running
    from filterproof_properties.targets.connect import disconnect
    from filterproof_properties.targets.target import TargetError

    why = ""
    try:
        loaded = _load(config, request)
    except (ProtocolError, TargetError) as error:
        why = in_lines(f"{NAME}: {error}")
    if why:
        pytest.fail(why, pytrace=False)
    try:
        return running.audit_here(loaded, settings(config), lambda _: None)
    finally:
        disconnect(loaded)


def _load(config: pytest.Config, request: pytest.FixtureRequest) -> "Loaded":
    """Return what the fixture returns, ready to be asked: by its name, or in a copy of us."""
    from filterproof_properties.targets.connect import connect, connect_made

    def make() -> Any:
        return request.getfixturevalue(NAME)

    allowed, claims = limits(config), claims_in(request.module)
    name = _name_from(make, allowed)
    if name is None:
        return replace(connect_made(make, allowed), claims=claims)
    return replace(connect(target_spec(config, name), allowed), claims=claims)


def _name_from(make: Callable[[], Any], allowed: Any) -> str | None:
    """Return the name that the fixture returns, asked for in a copy of this process; else None."""
    from filterproof_properties.processes.child import ChildFailed, answer_of, tell
    from filterproof_properties.processes.sanitise import quoted
    from filterproof_properties.targets.target import TargetError

    def tell_name() -> None:
        try:
            target = make()
            tell({"name": target if isinstance(target, str) else None})
        except BaseException as error:
            tell({"error": quoted(f"{type(error).__name__}: {error}")})

    try:
        found = answer_of(tell_name, allowed, allowed.timeout)
    except ChildFailed as error:
        raise TargetError(f"loading the target: {quoted(error, 1000)}") from None
    if "error" in found:
        raise TargetError(f"loading the target raised {found['error']}")
    name: str | None = found["name"]
    return name


# --- a fixture that is meant and has no test ------------------------------------------------------


def check_spelling(collector: pytest.Module | pytest.Class, name: str, obj: object) -> None:
    """Raise where a module means the fixture and calls it otherwise: it would have no test."""
    if name == CLAIMS and not hasattr(collector.obj, NAME):
        raise collector.CollectError(f"{CLAIMS} without a fixture {NAME}: nothing is tested")
    marker = getattr(obj, "_fixture_function_marker", getattr(obj, "_pytestfixturefunction", None))
    if marker is None:
        return
    from difflib import get_close_matches

    for one in (name, getattr(marker, "name", None)):
        if one == NAME or (one and get_close_matches(one, [NAME], cutoff=0.8)):
            said = f"the fixture {one!r} of {name} has no test: define a function {NAME}"
            raise collector.CollectError(said)
    source = collector.path.read_bytes()
    if not hasattr(collector.obj, NAME) and (target := target_of_unused_fixture(source, name)):
        said = f"the fixture {name} names {target} and nothing uses it: is it {NAME}?"
        raise collector.CollectError(said)
