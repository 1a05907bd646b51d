"""Budgets behind programs in other languages, and behind an HTTP service: right and wrong ones."""

import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from filterproof.budget_calls import complete
from filterproof_properties.cli.main import main
from filterproof_properties.processes import sandbox
from filterproof_properties.targets.budget.loading import Fault
from filterproof_properties.targets.budget.names import PROGRAM, named
from filterproof_properties.targets.budget.services import MOST, service_player

SERVICES = Path(__file__).parents[3] / "examples" / "services"
ROUTES = ["--open", "POST /budgets {epsilon, delta} -> id", "--spend", "POST /budgets/{id}/spend"]
ONE = ["--spend", "spend(epsilon)", "--open", "(epsilon)"]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(SERVICES)
    yield
    os.chdir(before)


def audited(capsys: pytest.CaptureFixture[str], *words: str, examples: int = 12) -> tuple[int, str]:
    """Audit by command line; return the exit code and what was printed."""
    code = main(["audit", *words, "--examples", str(examples), "--no-memory"])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


# --- programs -------------------------------------------------------------------------------------


@needs_node
@pytest.mark.parametrize(("word", "wanted"), [("", 0), (" refund", 1)])
def test_a_budget_in_javascript(
    word: str, wanted: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["--command", f"node budget.js{word}", "--spend", "spend", "--fails", "cancel"]
    code, said = audited(capsys, *words, "--certificates", str(tmp_path))
    assert code == wanted, said
    assert "failures played" in said or "budget.cancel(" in said
    if wanted:
        script = repro(tmp_path)
        assert run_script(script) == 1
        assert run_script(script.replace("node budget.js refund", "node budget.js")) == 0


def repro(certificates: Path) -> str:
    """Return the script of the one certificate in a folder."""
    (certificate,) = certificates.glob("*.json")
    assert main(["repro", str(certificate), "--output", str(certificates / "show.py")]) == 0
    return (certificates / "show.py").read_text()


def run_script(text: str) -> int:
    """Run a script in this directory; return its exit code."""
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    assert "granted: [" in done.stdout, done.stderr
    return done.returncode


def test_a_budget_in_shell_that_has_one_budget_at_a_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, said = audited(capsys, "--command", "sh budget.sh", *ONE)
    assert code == 1, said
    assert "budget = open(1.0)" in said
    assert "budget.spend(0." in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("echo no", "no JSON"),
        ("echo [1]", "need an object"),
        ("""echo '{"error": "down"}'""", "down"),
        ("""echo '{"declined": "too late"}'""", "rejects the budget.*too late"),
        ("""echo '{"id": 1}'""", "need {.granted.: true}"),
        ("exit 3", "the program ended"),
        (f"printf '%s\\n' {'[' * 20000}", "no JSON"),
        ("while printf ' '; do sleep 0.1; done", "no answer in 1 s"),
        ("head -c 3000000 /dev/zero", "more than 1048576 bytes"),
    ],
)
def test_a_program_that_answers_something_else(
    line: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "odd.sh").write_text(f"while read -r _; do {line}; done\n")
    timeout = "1" if "sleep" in line else "30"
    words = ["--command", f"sh {tmp_path / 'odd.sh'}", *ONE, "--timeout", timeout]
    code, printed = audited(capsys, *words)
    assert code == 2, printed
    assert re.search(said, printed), printed


def test_no_answer_to_an_earlier_question_is_taken_for_one_to_the_next(tmp_path: Path) -> None:
    """Neither one that comes too late, nor one that comes too early."""
    (tmp_path / "odd.sh").write_text("read -r _; sleep 0.5; echo '{\"granted\": true}'; cat\n")
    target, calls = named(f"{PROGRAM}sh {tmp_path / 'odd.sh'} --spend 'spend(epsilon)'")
    player: Any = service_player(target, complete(calls), patience=0.1)
    first = player.process
    with pytest.raises(Fault, match=r"no answer in 0\.1 s"):
        player.put({"call": "open"})
    assert first.wait() < 0, "it was ended: nobody reads what it says now"
    (tmp_path / "odd.sh").write_text("echo '{\"granted\": true}'; cat\n")
    select.select([player.process.stdout], [], [])
    with pytest.raises(Fault, match="before it was asked"):
        player.put({"call": "open"})


def test_a_program_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = audited(capsys, "--command", "no-such-program", *ONE)
    assert code == 2
    assert "cannot be started" in said


def test_the_options_of_a_program_are_its_own() -> None:
    target, calls = named(f"{PROGRAM}node budget.js --port 3 --spend 'spend(epsilon)'")
    assert target == f"{PROGRAM}node budget.js --port 3"
    assert calls.spend == ("spend(epsilon)",)


# --- HTTP -----------------------------------------------------------------------------------------


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.fixture(params=["right", "wrong"])
def service(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Which service is running, and its address."""
    port = free_port()
    words = ["-m", "uvicorn", f"service:{request.param}", "--port", str(port)]
    with subprocess.Popen([sys.executable, *words, "--log-level", "error"], cwd=SERVICES) as one:
        for _ in range(600):
            with socket.socket() as line:
                if not line.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        yield request.param, f"http://127.0.0.1:{port}"
        one.terminate()


def test_a_service_of_fastapi_and_sqlite(
    service: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kind, url = service
    words = ["--http", url, *ROUTES, "--certificates", str(tmp_path)]
    words += [] if kind == "wrong" else ["--epsilon", "1", "--delta", "1/100"]  # one budget will do
    code, said = audited(capsys, *words)
    assert code == (kind == "wrong"), said
    if kind == "right":
        code, said = audited(capsys, "--http", url, *ROUTES[:2], "--spend", "/spend/{id}")
        assert code == 2
        assert re.search(r"POST /spend/\d+ .* -> 404", said), said
        return
    assert 'POST /budgets {"epsilon": ' in said
    assert "POST /budgets/{id}/spend {" in said
    (certificate,) = tmp_path.glob("*.json")
    target = json.loads(certificate.read_text())["target"]
    assert main(["check", str(certificate), "--replay", target]) == 0
    script = repro(tmp_path)
    assert run_script(script) == 1


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MOST + 1) + b"1" * (MOST + 1)
ODD = {
    "a long one": (LONG, b"", "more than 1048576 bytes"),
    "a nest": (HEAD + b"\r\n" + b"[" * 100_000, b"", "/budgets/%5B"),
    "a body in drops": (HEAD + b"\r\n", b" ", "no whole answer in 1 s"),
    "a head in drops": (HEAD + b"X: ", b"x", "no whole answer in 1 s"),
    "no answer yet": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", "no whole answer in 1 s"),
}
"""What a service sends, what it then sends again and again, and what comes of it."""


def serve_forever(server: socket.socket, once: bytes, again: bytes) -> None:
    """Answer one request after the other, until the other side has enough or all is sent."""
    with suppress(OSError):
        while True:
            line, _ = server.accept()
            with line, suppress(OSError):
                line.recv(2**16)
                line.sendall(once)
                while again:
                    line.sendall(again)
                    time.sleep(0.05)
                while len(once) > MOST and line.recv(2**16):  # until all of it has been read
                    pass


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_of_a_service_is_a_fault_in_time(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    once, again, said = ODD[name]
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve_forever, args=(server, once, again), daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        timeout = "1" if said.endswith("in 1 s") else "30"
        code, printed = audited(capsys, "--http", url, *ROUTES, "--timeout", timeout)
    assert code == 2, printed
    assert said in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--http", "http://example.org", *ROUTES], "on this machine only"),
        (["--http", "http://127.0.0.1:9", *ROUTES], "refused"),
        (["--http", "http://127.0.0.1:9", *ROUTES[2:]], "need --open"),
        (["--http", "http://127.0.0.1:9", *ROUTES[:2], "--spend", "spend"], "need a path"),
        (["--http", "http://127.0.0.1:9", *ROUTES[:2], "--spend", "POST spend"], "need METHOD"),
        (["--http", "http://127.0.0.1:9", *ROUTES, "--clock", "time.time"], "for classes"),
        (["--command", "sh budget.sh", *ROUTES], "a program has no paths"),
    ],
)
def test_what_is_wrong_with_the_words(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = audited(capsys, *words)
    assert code == 2, printed
    assert re.search(said, printed), printed


SPY = """
import json, os, sys
for line in sys.stdin:
    there = os.path.join(os.path.dirname(os.path.dirname(__file__)), "there")
    said = f"{os.environ.get('A_TOKEN')} {os.path.exists(there)}"
    print(json.dumps({"error": said}), flush=True)
"""


@pytest.mark.parametrize("command", ["audit", "failopen"])
def test_a_program_is_tried_where_it_is_audited(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first look at it is in the sandbox, too, and with the variables that a target sees."""
    if sandbox.missing(sandbox.AUTO):
        pytest.skip("there is no sandbox here")
    monkeypatch.setenv("A_TOKEN", "secret")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "spy.py").write_text(SPY)
    (tmp_path / "there").write_text("a file of the user's")
    program = f"{sys.executable} {tmp_path / 'here' / 'spy.py'}"
    code = main([command, "--command", program, *ONE])
    printed = capsys.readouterr()
    assert code == 2
    assert "None False" in printed.out + printed.err
