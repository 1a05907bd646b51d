"""System calls that a stranger's program does not get, and what all its processes use together."""

import ctypes
import json
import os
import re
import subprocess
import sys
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from pathlib import Path

import pytest

from filterproof_properties.processes import sandbox, syscalls
from filterproof_properties.processes.child import Child, Ended, Limits
from filterproof_properties.processes.syscalls import MACHINES, REFUSED
from filterproof_properties.targets.connect import open_target
from tests.properties.processes.test_sandbox import way

__all__ = ["way"]

TRIES = """import ctypes, json, os, socket, sys, threading
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    ctypes.set_errno(0)
    return 0 if libc.syscall(number, *arguments) >= 0 else ctypes.get_errno()

calls = json.loads(sys.argv[1])
told = {name: call(number, 0, 0, 0, 0, 0) for name, number in calls.items()}
clone, clone3, socket_ = json.loads(sys.argv[2])
told["clone"] = call(clone, 0x10000000 | 17, 0, 0, 0, 0) if sys.argv[3] == "require" else 0
told["clone3"] = call(clone3, 0, 0)
told["vsock"] = call(socket_, 40, 1, 0)
thread = threading.Thread(target=socket.socketpair)
thread.start()
thread.join()
told["ordinary"] = os.system("exit 7") >> 8
print(json.dumps(told), flush=True)
"""
QUIET = ("keyctl", "unshare", "process_vm_readv", "kcmp")
"""Calls that can be made with nothing but zeros outside of a sandbox, and do nothing."""


def tried(mode: str, names: list[str]) -> dict[str, int]:
    """Make the calls in a process of its own; return the error that each one ends in."""
    machine = MACHINES[os.uname().machine]
    numbers = {name: REFUSED[name][machine.column] for name in names}
    others = machine.clone, machine.clone3, machine.socket
    words = [sys.executable, "-c", TRIES, json.dumps(numbers), json.dumps(others), mode]
    child = Child(words, Limits(sandbox=mode))
    found: dict[str, int] = json.loads(child.line(60, 2**16))
    child.close()
    return found


def test_in_a_sandbox_no_such_call_is_answered_and_ordinary_ones_are(way: str) -> None:
    seen = tried("require", [*REFUSED])
    assert {seen[name] for name in REFUSED} == {EPERM}
    assert (seen["clone"], seen["clone3"], seen["vsock"]) == (EPERM, ENOSYS, EAFNOSUPPORT)
    assert seen["ordinary"] == 7


def test_without_a_sandbox_they_are_answered() -> None:
    seen = tried("off", [*QUIET])
    assert EPERM not in {seen[name] for name in QUIET}
    assert seen["unshare"] == 0
    assert seen["clone3"] != ENOSYS


@pytest.mark.parametrize(("mode", "allowed"), [(sandbox.AUTO, False), (sandbox.OFF, True)])
def test_a_copy_of_this_process_cannot_attach_a_debugger(mode: str, allowed: bool) -> None:
    number = REFUSED["ptrace"][MACHINES[os.uname().machine].column]

    def attack() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        os.write(1, b"%d\n" % (ctypes.get_errno() if libc.syscall(number, 0, 0, 0, 0) else 0))

    child = Child(attack, Limits(sandbox=mode))
    assert int(child.line(60, 100)) == (0 if allowed else EPERM)
    child.close()


def test_the_numbers_are_those_of_the_systems_headers() -> None:
    (header,) = Path("/usr/include").glob("*/asm/unistd_64.h")
    generic = Path("/usr/include/asm-generic/unistd.h")
    for column, path in enumerate((header, generic)):
        found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text())
        numbers = {name: int(number) for name, number in found}
        machine = next(one for one in MACHINES.values() if one.column == column)
        assert {name: both[column] for name, both in REFUSED.items()} == {
            name: numbers[name] for name in REFUSED
        }
        for name in ("clone", "clone3", "ioctl", "socket"):
            assert getattr(machine, name) == numbers[name]


@pytest.fixture(params=["processor", "kernel"])
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine without a filter of system calls; return what the report says of it."""
    if request.param == "processor":
        monkeypatch.setattr(syscalls, "MACHINES", {})
        return f"system calls of {os.uname().machine} are not known"
    monkeypatch.setattr(syscalls, "SECCOMP_MODE_FILTER", 99)  # a mode that no kernel has
    return "this kernel has no seccomp"


def test_a_machine_without_a_filter_gives_up_nothing(without: str) -> None:
    syscalls.give_up_calls()  # this process could not be told apart from one that did otherwise
    assert ctypes.CDLL(None).prctl(21, 0, 0, 0, 0) == 0  # PR_GET_SECCOMP
    assert syscalls.missing() == without


def test_the_report_says_where_there_is_no_filter(without: str) -> None:
    with open_target("filterproof.filters.additive:Additive", Limits(sandbox="require")) as loaded:
        assert loaded.note == f"Sandboxed without a filter of system calls: {without}."


def test_the_report_says_nothing_of_it_where_there_is_one() -> None:
    assert syscalls.missing() == ""
    with open_target("filterproof.filters.additive:Additive", Limits(sandbox="require")) as loaded:
        assert loaded.note == ""


# --- all processes together -----------------------------------------------------------------------

MANY = "import os, time\nfor _ in range(40):\n    if not os.fork():\n        time.sleep(99)\n"
LARGE = """import os, time
for _ in range(4):
    if not os.fork():
        kept = b"x" * (60 * 2**20)
        time.sleep(99)
"""


@pytest.mark.parametrize("mode", [sandbox.REQUIRE, sandbox.OFF])
@pytest.mark.parametrize(
    ("text", "limits", "said"),
    [
        (MANY, Limits(), "more than 30 processes and threads at a time"),
        (LARGE, Limits(memory=150), "more than 150 MiB of memory in all its processes"),
    ],
)
def test_all_processes_together_are_bounded(
    text: str, limits: Limits, said: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "THREADS", 30)
    limits = Limits(memory=limits.memory, sandbox=mode)
    child = Child([sys.executable, "-c", f"{text}\nimport time; time.sleep(99)"], limits)
    with pytest.raises(Ended):
        child.line(60, 100)
    assert said in child.how(60)
    child.close()


FIRST = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"


@pytest.mark.parametrize("mode", [sandbox.REQUIRE, sandbox.OFF])
def test_a_supervisor_has_the_processor_before_thousands_of_processes_below_it(mode: str) -> None:
    """Where that is allowed, as it is for root, whose processes the system does not bound."""
    allowed = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, check=False)
    text = "import os, sys; print(os.sched_getscheduler(0), flush=True); sys.stdin.read()"
    child = Child([sys.executable, "-c", text], Limits(sandbox=mode))
    assert int(child.line(60, 100)) == os.SCHED_OTHER  # what it supervises comes after it
    assert child.supervisor is not None
    policy = os.SCHED_OTHER if allowed.returncode else os.SCHED_RR
    assert os.sched_getscheduler(child.supervisor.pid) == policy
    child.close()


def test_as_many_and_as_large_as_is_allowed_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syscalls, "THREADS", 60)
    text = f"{MANY}\n{LARGE}\ntime.sleep(2); print('here', flush=True)"
    child = Child([sys.executable, "-c", text], Limits(memory=600))
    assert child.line(60, 100) == b"here"
    child.close()


def test_in_a_sandbox_the_system_bounds_processes_and_files_too(way: str) -> None:
    kinds = "(r.RLIMIT_NPROC, r.RLIMIT_NOFILE)"
    text = f"import resource as r; print(*(r.getrlimit(one)[1] for one in {kinds}))"
    child = Child([sys.executable, "-c", text], Limits(sandbox="require"))
    processes, files = map(int, child.line(60, 100).split())
    assert 0 < processes <= syscalls.THREADS
    assert 0 < files <= syscalls.FILES
    child.close()
