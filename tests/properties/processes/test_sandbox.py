"""A stranger's program in a sandbox: what it sees, what it cannot do, and what is said without."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.cli.main import main
from filterproof_properties.processes import sandbox
from filterproof_properties.processes.child import Child, ChildFailed, Ended, Limits
from filterproof_properties.targets.connect import open_target

TRIES = """import json, os, socket, sys

def tried(call):
    try:
        return call() or "done"
    except OSError as error:
        return type(error).__name__

def connect():
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2)

def write(path):
    open(os.path.join(path, "written"), "w").close()

told = {
    "write here": tried(lambda: write(os.getcwd())),
    "write at home": tried(lambda: write(sys.argv[1])),
    "write to /tmp": tried(lambda: write("/tmp")),
    "kill": tried(lambda: os.kill(int(sys.argv[3]), 0)),
    "connect": tried(connect),
    "read a secret": tried(lambda: open(os.path.join(sys.argv[1], "secret")).read()),
    "own file": tried(lambda: open(__file__).readline().strip()),
    "others": len([one for one in os.listdir("/proc") if one.isdigit()]),
}
print(json.dumps(told), flush=True)
"""


@pytest.fixture(params=["bwrap", "unshare"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of the ways to a sandbox; both are installed where these tests run."""
    assert shutil.which(request.param), f"{request.param} is part of what the tests need"
    monkeypatch.setattr(sandbox, "found", lambda: (request.param, ""))
    return str(request.param)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with a secret, and a program in a directory below it."""
    (tmp_path / "secret").write_text("secret\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "tries.py").write_text(TRIES)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def tries(home: Path, mode: str) -> dict[str, Any]:
    """Let the program try everything; return what came of it."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        words = [sys.executable, "tries.py", str(home), port, str(os.getpid())]
        child = Child(words, Limits(sandbox=mode))
        found: dict[str, Any] = json.loads(child.line(60, 2**16))
        child.close()
    return found


def test_a_program_in_a_sandbox_reaches_nothing_but_its_own_files(way: str, home: Path) -> None:
    seen = tries(home, "require")
    assert seen["own file"].startswith("import json")
    assert seen["write to /tmp"] == "done"
    assert seen["write here"] == seen["write at home"] == "OSError"  # a read-only file system
    assert (seen["kill"], seen["connect"]) == ("ProcessLookupError", "ConnectionRefusedError") or (
        seen["connect"] == "OSError"  # there is no network at all
    )
    assert seen["read a secret"] == "FileNotFoundError"
    assert seen["others"] == 2
    assert not (home / "written").exists()
    assert not Path("/tmp/written").exists()


def test_without_a_sandbox_it_does_all_of_it(home: Path) -> None:
    seen = tries(home, "off")
    done = ("write here", "write at home", "kill", "connect")
    assert [seen[one] for one in done] == ["done"] * 4
    assert seen["read a secret"] == "secret\n"
    Path("/tmp/written").unlink()


def test_how_a_program_ended_is_told_from_outside(way: str) -> None:
    text = f"import os; os.kill(os.getpid(), {int(signal.SIGSEGV)})"
    crashed = Child([sys.executable, "-c", text], Limits())
    left = Child([sys.executable, "-c", "raise SystemExit(7)"], Limits())
    for child in (crashed, left):
        with pytest.raises(Ended):
            child.line(60, 100)
    assert left.how(60) == "exit status 7"
    assert crashed.how(60) == "killed by SIGSEGV"
    crashed.close()
    left.close()


def test_limits_hold_in_a_sandbox_too(way: str) -> None:
    one = Child([sys.executable, "-c", "bytes(10**9)"], Limits(memory=200))
    with pytest.raises(Ended):
        one.line(60, 100)
    assert "MemoryError" in one.noise()
    text = "open('/tmp/a', 'wb').write(bytes(2**20)); open('/tmp/b', 'wb').write(bytes(2**20))"
    two = Child([sys.executable, "-c", text], Limits(disk=1))
    with pytest.raises(Ended):
        two.line(60, 100)
    assert "No space left on device" in two.noise()  # the limit is one of all files together


TARGET = """
from filterproof.filters.additive import Additive
import neighbour
"""


def test_a_target_is_asked_in_a_sandbox_with_its_neighbours(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target.py").write_text(TARGET)
    (tmp_path / "neighbour.py").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path))  # which is hidden, apart from its Python files
    with open_target(f"{tmp_path}/target.py:Additive", Limits(sandbox="require")) as loaded:
        assert loaded.note == ""


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "found", lambda: ("", "bwrap is not installed"))


def test_without_a_sandbox_the_report_says_so(
    nothing: None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["audit", "filterproof.filters.additive:Additive", "--examples", "1"]
    main([*words, "--json"])
    note = json.loads(capsys.readouterr().out)["results"][0]["note"]
    assert "Not sandboxed: bwrap is not installed." in note
    main([*words, "--sandbox", "off", "--json"])
    note = json.loads(capsys.readouterr().out)["results"][0]["note"]
    assert "Not sandboxed: as chosen" in note


def test_where_a_sandbox_is_required_nothing_runs_without(
    nothing: None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["audit", "filterproof.filters.additive:Additive", "--sandbox", "require"]
    assert main(words) == 2
    assert "there is no sandbox for" in capsys.readouterr().out
    with pytest.raises(ChildFailed, match="no sandbox: bwrap is not installed"):
        Child([sys.executable, "-c", ""], Limits(sandbox="require"))


def test_a_mode_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["audit", "additive", "--sandbox", "perhaps"])
    assert ended.value.code == 2
    assert "need one of auto, require, off; got perhaps" in capsys.readouterr().err


def test_a_way_that_fails_gives_way_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho No permissions to create new namespace >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox.found.cache_clear()
    assert sandbox.found() == ("unshare", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.found.cache_clear()
    name, why = sandbox.found()
    assert name == ""
    assert "No permissions to create new namespace" in why
    assert "unshare is not installed" in why
    sandbox.found.cache_clear()
