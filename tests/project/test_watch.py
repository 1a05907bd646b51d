"""The moving picture is a real run, recorded at a terminal; it is readable on any page."""

import importlib.util
import re
import sys
from html import unescape
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def recording() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recording", ROOT / "docs/website/recording.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def plain(svg: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", svg))


def test_a_command_is_recorded_as_it_happens(recording: ModuleType, tmp_path: Path) -> None:
    frames = recording.recorded("filterproof audit naive --examples 1", tmp_path)
    times = [at for at, _ in frames]
    assert times == sorted(times)
    assert any("starting" in line for _, lines in frames for line in lines)
    last = recording.svg(frames)
    assert "VIOLATED" in plain(last)
    assert "starting" not in "".join(frames[-1][1])


def test_a_line_stands_from_when_it_was_written_until_it_was_erased(recording: ModuleType) -> None:
    frames = [(1.0, ("a", "b")), (2.0, ("a",)), (3.0, ("a", "c"))]
    found = list(recording.spans(frames))
    assert found == [(0, "a", 1.0, 20.0), (1, "b", 1.0, 2.0), (1, "c", 3.0, 20.0)]
    drawn = recording.svg(frames)
    ElementTree.fromstring(drawn)
    assert "5.00%{opacity:1}10.00%{opacity:0}" in drawn


def test_what_is_coloured_stays_so(recording: ModuleType) -> None:
    assert recording.styled("\x1b[1;31mno\x1b[0m <so>") == (
        f'<tspan font-weight="bold" fill="{recording.COLOURS[1]}">no</tspan> &lt;so&gt;'
    )


def test_the_picture_of_the_readme_is_such_a_recording(recording: ModuleType) -> None:
    text = (ROOT / "docs/pictures/watch.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    for scene in recording.SCENES:
        assert scene.command in plain(text)
    assert set(re.findall(r" (\d+)s step-end infinite", text)) == {"20"}
    tutorial = (ROOT / "docs/WRITING.md").read_text(encoding="utf-8")
    for line in re.findall(r"^(?:H|accepted|replayed).*$", tutorial, re.MULTILINE):
        assert line in plain(text)
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
