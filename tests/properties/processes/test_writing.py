"""Files that are pipes: a report is not waited for."""

import os
import threading
import time
from pathlib import Path

import pytest

from filterproof_properties.cli.main import main
from filterproof_properties.processes import writing
from filterproof_properties.processes.writing import write_in_time

CERTIFICATE = str(Path(__file__).parents[3] / "docs/certificates/flower-replace-one.json")


def test_a_file_is_written_as_a_whole_and_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(2**18))
    write_in_time(path, b"x" * 2**17)
    assert path.read_bytes() == b"x" * 2**17


def test_a_pipe_that_somebody_reads_gets_all_of_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    for _ in range(200):
        try:
            write_in_time(tmp_path / "pipe", b"x" * 2**18)
            break
        except OSError:  # nobody reads yet
            time.sleep(0.05)
    reader.join(60)
    assert found == [b"x" * 2**18]


def test_a_pipe_that_nobody_reads_costs_no_time_and_not_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "report.html")
    words = ["audit", "additive", "--examples", "1", "--report", str(tmp_path / "report.html")]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert "no violation found" in out
    assert "cannot write" in err


def test_a_reader_that_stops_reading_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PATIENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    held = os.open(tmp_path / "pipe", os.O_RDWR)
    with pytest.raises(OSError, match=r"nobody has read on for 0\.2 s"):
        write_in_time(tmp_path / "pipe", bytes(2**20))
    os.close(held)


@pytest.mark.parametrize("link", ["report.json", "out"])
def test_a_report_is_not_written_through_a_link(
    link: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As whoever changes a repository might leave one where its CI writes a report."""
    monkeypatch.chdir(tmp_path)
    theirs = tmp_path / "elsewhere" / "report.json"
    theirs.parent.mkdir()
    theirs.write_text("theirs")
    (tmp_path / link).symlink_to(theirs if link == "report.json" else theirs.parent)
    name = link if link == "report.json" else "out/report.json"
    assert main(["audit", "naive", "--examples", "5", "--report", name]) == 1
    out, err = capsys.readouterr()
    assert "VIOLATED" in out
    assert "is a symbolic link" in err
    assert theirs.read_text() == "theirs"
    assert main(["audit", "additive", "--examples", "1", "--report", name]) == 2, "it was asked for"


@pytest.mark.parametrize(
    "words",
    [("explain", CERTIFICATE, "--output"), ("repro", CERTIFICATE, "--output"), ("vectors",)],
)
def test_no_command_writes_through_a_link(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("filterproof_properties.vectors.writing.REGISTRY", ())
    monkeypatch.setattr("filterproof_properties.vectors.writing.named_cases", list)
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "games.json").symlink_to("theirs")
    output = tmp_path if words == ("vectors",) else tmp_path / "games.json"
    assert main([*words, str(output)]) == 2
    assert "is a symbolic link" in capsys.readouterr().err
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_the_way_to_where_one_works_may_lead_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "link")
    write_in_time(Path("out"), b"x")
    write_in_time(tmp_path / "link" / "other", b"y")
    assert {path.name for path in (tmp_path / "real").iterdir()} == {"out", "other"}
    write_in_time(tmp_path / "real" / "third", b"z")


def test_a_link_that_appears_in_the_last_moment_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("new")
    monkeypatch.setattr(writing, "refuse_links", lambda path: None)
    with pytest.raises(OSError, match="symbolic links"):
        write_in_time(tmp_path / "link", b"x")
    assert not (tmp_path / "new").exists()
