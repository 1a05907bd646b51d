"""Children that hang, end, write too much, or leave others behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.processes import child as module
from filterproof_properties.processes.child import Child, ChildFailed, Ended, Limits, NoAnswer
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.processes.supervisor import descendants

PYTHON = [sys.executable, "-c"]


OPEN = Limits(sandbox="off")
"""What happens in a sandbox is in `test_sandbox.py`."""


def child(text: str, limits: Limits = OPEN) -> Child:
    return Child([*PYTHON, text], limits)


def test_a_child_that_says_nothing_in_time_is_told_from_one_that_ended() -> None:
    slow, gone = child("import time; time.sleep(60)"), child("raise SystemExit(7)")
    with pytest.raises(NoAnswer, match=r"within 0\.2 s"):
        slow.line(0.2, 100)
    assert slow.how(0) == ""
    with pytest.raises(Ended):
        gone.line(60, 100)
    assert gone.how(60) == "exit status 7"


def test_a_child_that_writes_too_much_is_stopped() -> None:
    endless = child("while True: print('x' * 1000, end='', flush=True)")
    with pytest.raises(ChildFailed, match="longer than 5000 bytes"):
        endless.line(60, 5000)


def test_an_answer_may_be_as_long_as_it_may_be_and_no_longer() -> None:
    text = "import time; print('x' * 50, end='', flush=True); time.sleep(0.5); print('y' * {})"
    assert len(child(text.format(50)).line(60, 100)) == 100
    with pytest.raises(ChildFailed, match="longer than 100 bytes"):
        child(text.format(51)).line(60, 100)
    one = child("print('x' * 100, end='', flush=True); import time; time.sleep(0.5); print()")
    assert one.line(60, 100) == b"x" * 100


@pytest.mark.parametrize("how", ["close", "end"])
def test_what_left_the_session_ends_with_the_child(how: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    text = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({str(note)!r} + ".new", "w").write(str(os.getpid()))
        os.rename({str(note)!r} + ".new", {str(note)!r})
        time.sleep(600)
    os._exit(0)
while not os.path.exists({str(note)!r}):
    time.sleep(0.01)
print("ready", flush=True)
{"time.sleep(600)" if how == "close" else ""}
"""
    one = child(text)
    assert one.line(60, 100) == b"ready"
    if how == "end":
        assert one.how(60) == "exit status 0"
    one.close()
    assert not Path(f"/proc/{note.read_text()}").exists()


def test_a_function_of_this_process_can_be_the_child() -> None:
    one = Child(lambda: os.write(1, b"from the copy\n"), Limits())
    assert one.line(60, 100) == b"from the copy"
    one.close()


CRASH = """
import faulthandler, os, signal
from filterproof_properties.processes.child import Child, Limits
faulthandler.enable(os.fdopen(os.dup(2), "w"))
def crash():
    os.kill(os.getpid(), signal.SIGSEGV)
if {kept}:
    print(Child(crash, Limits()).how(60))
elif not (copy := os.fork()):
    crash()
else:
    os.waitpid(copy, 0)
"""


def test_a_copy_that_crashes_writes_no_trace_of_this_process() -> None:
    def run(kept: bool) -> "subprocess.CompletedProcess[str]":
        words = [sys.executable, "-c", CRASH.format(kept=kept)]
        return subprocess.run(words, capture_output=True, text=True, check=True)

    crashed = run(True)
    assert (crashed.stdout, crashed.stderr) == ("killed by SIGSEGV\n", "")
    assert "Fatal Python error: Segmentation fault" in run(False).stderr


def test_limits_hold() -> None:
    one = child("bytes(10**9)", Limits(memory=200))
    with pytest.raises(Ended):
        one.line(60, 100)
    assert "MemoryError" in one.noise()


def test_a_file_may_be_as_large_as_the_limit_and_no_larger() -> None:
    text = """
import tempfile
with tempfile.TemporaryFile(buffering=0) as file:
    print(file.write(bytes(2**21)), flush=True)
    print(file.write(b"x"), flush=True)
"""
    one = child(text, Limits(disk=2))
    assert one.line(60, 100) == b"2097152"
    with pytest.raises(Ended):
        one.line(60, 100)
    assert "File too large" in one.noise()


def test_descendants_are_found_through_a_parent_that_lives() -> None:
    one = child("import time; print('up', flush=True); time.sleep(600)")
    one.line(60, 100)
    assert one.supervisor is not None
    below = descendants(one.supervisor.pid)
    assert len(below) == 1
    one.close()
    assert not Path(f"/proc/{below[0]}").exists()


# --- what mutants asked for -------------------------------------------------------------------


def test_a_child_that_reads_nothing_is_given_up_in_time() -> None:
    deaf = child("import time; time.sleep(60)")
    with pytest.raises(ChildFailed, match=r"it read nothing for 0\.3 s"):
        deaf.send(bytes(2**21), 0.3)


def test_what_comes_back_while_much_is_sent_is_kept() -> None:
    text = "import sys; print('x' * 200_000, flush=True); print(len(sys.stdin.readline()))"
    busy = child(f"import time; time.sleep(0.2); {text}")
    busy.send(b"y" * 300_000 + b"\n", 60)
    assert busy.line(60, 2**20) == b"x" * 200_000
    assert busy.line(60, 100) == b"300001"


def test_lines_that_come_together_are_told_apart_also_empty_ones() -> None:
    one = child(r"import os, time; os.write(1, b'\na\nb\n'); time.sleep(60)")
    assert [one.line(60, 100) for _ in range(3)] == [b"", b"a", b"b"]


def test_a_child_has_its_streams_and_nothing_else_and_a_session_of_its_own() -> None:
    text = "import os; print(sorted(os.listdir('/proc/self/fd')), flush=True); input()"
    one = Child([sys.executable, "-S", "-c", text], OPEN)
    assert one.line(60, 100) == b"['0', '1', '2', '3']"  # the last is the folder that is listed
    assert one.supervisor is not None
    (program,) = descendants(one.supervisor.pid)
    assert len({os.getsid(pid) for pid in (0, one.supervisor.pid, program)}) == 3


def test_a_forked_child_leaves_no_zombie() -> None:
    one = Child(lambda: os.write(1, b"up\n"), Limits())
    assert one.line(60, 100) == b"up"
    known = one.close.peek()
    assert known is not None
    one.close()
    assert not Path(f"/proc/{known[2][1]}").exists()


def test_a_program_that_cannot_be_started_says_why() -> None:
    one = Child(["./no-such-program"], OPEN)
    with pytest.raises(Ended):
        one.line(60, 100)
    assert one.how(60) == "cannot be started: No such file or directory"


def test_a_text_is_cut_to_the_length_that_it_may_have() -> None:
    assert quoted("x" * 10, 10) == "x" * 10
    assert quoted("x" * 11, 10) == "xxxxxxx..."


@pytest.mark.parametrize("program", [[*PYTHON, "input()"], lambda: os.read(0, 1)])
def test_a_supervisor_that_is_stopped_is_ended_with_all_below_it(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STOPPED", 0.5)
    one = Child(program, OPEN)
    known = one.close.peek()
    assert known is not None
    pid = known[2][1]
    while not (below := descendants(pid)):
        time.sleep(0.01)
    os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    one.close()
    assert time.monotonic() - begun < 30
    assert not any(is_running(one) for one in (pid, *below))


def is_running(pid: int) -> bool:
    """Whether a process is there that is not just waiting to be collected."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
