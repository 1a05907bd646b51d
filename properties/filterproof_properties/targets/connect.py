"""A target ready to be asked: ours here, anybody else's in a process of its own.

`connect` starts what is needed and `disconnect` ends it; `open_target` does both.
"""

import base64
import json
import pickle
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from filterproof_properties.processes import isolated, sandbox, syscalls
from filterproof_properties.processes.child import Child, Limits
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets import server
from filterproof_properties.targets.budget.names import HTTP
from filterproof_properties.targets.coverage.own_code import OwnFile, own_files
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.link import Connection, InProcess, Link
from filterproof_properties.targets.loading import describe_target, is_trusted, load
from filterproof_properties.targets.messages import PROTOCOL, VERSIONS
from filterproof_properties.targets.program import ProgramTarget, words_of
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.server import Server, serve
from filterproof_properties.targets.target import COMMAND, Declined, Loaded, Target, TargetError

IN_PROCESS = "asked in the audit's own process, as chosen: it could have changed this result"

SERVICE = "A service on this machine, with no limits of ours; it is asked by HTTP only."

Environment = Mapping[str, str]
Asked = ProgramTarget | RemoteTarget


@contextmanager
def open_target(spec: str, limits: Limits, *, in_process: bool = False) -> Iterator[Loaded]:
    """Yield the target that a name stands for, and end its process afterwards."""
    loaded = connect(spec, limits, in_process=in_process)
    try:
        yield loaded
    finally:
        disconnect(loaded)


def connect(
    spec: str,
    limits: Limits,
    *,
    in_process: bool = False,
    environment: Environment | None = None,
) -> Loaded:
    """Return the target that a name stands for, with its process running if it needs one."""
    if is_trusted(spec):
        return load(spec)
    known, own = describe_target(spec), tuple[OwnFile, ...]()
    if limits.sandbox == sandbox.REQUIRE and not in_process and (why := sandbox.missing("require")):
        raise TargetError(f"there is no sandbox for {spec}: {why}")
    if spec.startswith(COMMAND):
        words = words_of(spec)
        if shutil.which(words[0]) is None:
            raise TargetError(f"cannot start {words[0]!r}: no such program")
        files = sandbox.with_directories([shutil.which(words[0]), *words[1:]])
        program = Child(words, limits, environment, visible=files)
        link: Link = Connection(program, limits, words[0])
    elif in_process or spec.startswith(HTTP):
        note = SERVICE if spec.startswith(HTTP) else IN_PROCESS
        note = " ".join(filter(None, [known.note, note]))
        return connect_here(replace(load(spec, limits.timeout), note=note))
    else:
        own = own_files(spec)
        files_of = [(file.path, file.names) for file in own]
        told = {"spec": spec, "own": files_of, "timeout": limits.timeout}
        link = _python(told, limits, environment)
    target = _greeted(link)
    if isinstance(target, RemoteTarget):
        target.own = own
    target.again = partial(_again, spec, limits)
    note = " ".join(filter(None, [known.note, _without_sandbox(limits)]))
    return replace(known, target=target, claims=target.claims, limits=limits, note=note)


def _without_sandbox(limits: Limits) -> str:
    """Say in a report why a target had no sandbox, or only a part of one; else nothing."""
    if why := sandbox.missing(limits.sandbox):
        return f"Not sandboxed: {why}."
    why = syscalls.missing()
    return f"Sandboxed without a filter of system calls: {why}." if why else ""


def _again(spec: str, limits: Limits, environment: Environment) -> Asked:
    loaded = connect(spec, limits, environment=environment)
    assert isinstance(loaded.target, (RemoteTarget, ProgramTarget))
    return loaded.target


def connect_here(loaded: Loaded) -> Loaded:
    """Return a target that was loaded into this process, asked as a stranger's is, but here."""
    target = _greeted(InProcess(Server(lambda: loaded.target)))
    return replace(loaded, target=target, claims=target.claims, portable=False)


def connect_made(make: Callable[[], Any], limits: Limits) -> Loaded:
    """Return the target that a function makes, called and asked in a copy of this process."""
    target = _greeted(Connection(Child(lambda: serve(make), limits), limits, ""))
    return Loaded(target.name, target, target.claims, limits=limits, portable=False)


@contextmanager
def elsewhere(target: Target, environment: Environment) -> Iterator[Target]:
    """Yield the same target in one more process; a target without a name cannot be found there."""
    if isinstance(target, (RemoteTarget, ProgramTarget)):
        if target.again is None:
            raise Declined("a target of this process only cannot be asked in another one")
        other = target.again(environment)
    else:
        packed = base64.b64encode(pickle.dumps(target)).decode()
        other = _greeted(_python({"pickled": packed}, Limits(), environment))
    try:
        yield other
    finally:
        other.link.close()


def disconnect(loaded: Loaded) -> None:
    """End the process of a target, if it has one."""
    link: Link | None = getattr(loaded.target, "link", None)
    if link is not None:
        link.close()


def _python(told: dict[str, Any], limits: Limits, environment: Environment | None) -> Connection:
    words = isolated.python(server.__name__, json.dumps(told))
    spec = told.get("spec", "")
    visible = sandbox.with_directories([spec.rpartition(":")[0], *re.split("[ =:]+", spec)])
    return Connection(Child(words, limits, environment, visible), limits, "")


def _greeted(link: Link) -> Asked:
    """Say hello and return the target in the version that it speaks."""
    try:
        asked = {"call": "hello", "protocol": PROTOCOL, "versions": [*VERSIONS]}
        hello = link.ask([asked])[0]
        spoken = (hello.get("protocol"), hello.get("version"))
        if spoken[0] != PROTOCOL or spoken[1] not in VERSIONS or type(spoken[1]) is not int:
            raise Misbehaved(
                f"need protocol {PROTOCOL!r} version 1 or 3; it speaks {quoted(spoken, 200)}"
            )
        return ProgramTarget(link, hello) if spoken[1] == 1 else RemoteTarget(link, hello)
    except BaseException:
        link.close()
        raise
