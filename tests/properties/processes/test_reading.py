"""Files that are pipes, or without end: nothing that is read is waited for."""

import os
import threading
from pathlib import Path

import pytest

from filterproof_properties.audit import memory
from filterproof_properties.audit.memory import recall
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes import reading
from filterproof_properties.processes.reading import read_in_time
from filterproof_properties.targets.target import TargetError


def test_a_file_is_read_as_a_whole_and_no_more_than_that(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(2**17))
    assert read_in_time(tmp_path / "file", 2**20) == bytes(2**17)
    assert read_in_time(tmp_path / "file", 5) == bytes(5)
    assert read_in_time(Path("/dev/zero"), 2**18) == bytes(2**18)


def test_what_comes_through_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = b"x" * 2**18
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(said))
    writer.start()
    assert read_in_time(tmp_path / "pipe", 2**20) == said
    writer.join(60)


def test_a_pipe_that_nobody_writes_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.1)
    os.mkfifo(tmp_path / "pipe.json")
    assert main(["check", str(tmp_path / "pipe.json")]) == 2
    assert "nothing was written to it" in capsys.readouterr().err


TARGET = "{}:T"


@pytest.mark.parametrize("kind", ["pipe", "endless"])
@pytest.mark.parametrize(
    "words",
    [
        ("audit", TARGET),
        ("prove", TARGET),
        ("diff", "additive", TARGET),
        ("audit", TARGET, "--spend", "spend"),
        ("recheck", "{}"),
        ("ledger", "{}"),
    ],
)
def test_a_file_without_an_end_is_refused_before_it_is_read(
    words: tuple[str, ...], kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A repository may hold a link to /dev/zero; an audit of it filled the memory."""
    if kind == "pipe":
        os.mkfifo(tmp_path / "one.py")
    else:
        (tmp_path / "one.py").symlink_to("/dev/zero")
    assert main([word.format(tmp_path / "one.py") for word in words]) == 2
    assert "no regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["\x1b[31mred.py:T", "\u202eyp.evil:T", "\udcff.py:T", "a\nb.py:T"]
)
@pytest.mark.parametrize("command", ["audit", "prove"])
def test_a_name_that_cannot_be_printed_is_refused(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name]) == 2
    assert repr(name)[1:-1] in capsys.readouterr().err.replace("\\\\", "\\")


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_memory_that_cannot_be_read_is_an_error_in_time(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.1)
    if kind == "pipe":
        os.mkfifo(tmp_path / "one.json")
    else:
        (tmp_path / "one.json").symlink_to("/dev/zero")
    with pytest.raises(TargetError, match=r"one\.json"):
        recall("mine.py:Mine", Settings(corpus=str(tmp_path)), tmp_path)


def test_what_is_remembered_is_not_written_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a link in a repository would let an audit write, and delete the oldest, elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(memory.OFF, raising=False)
    monkeypatch.delenv("CI", raising=False)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for number in range(memory.MOST + 2):
        (theirs / f"{number}.json").write_text("{}")
    folder = tmp_path / ".filterproof"
    (folder / memory.COUNTEREXAMPLES).mkdir(parents=True)
    (folder / memory.COUNTEREXAMPLES / memory._name("m.py:M")).symlink_to(theirs)
    assert memory.remember("m.py:M", "{}", Settings(), folder) is None
    assert len([*theirs.iterdir()]) == memory.MOST + 2
