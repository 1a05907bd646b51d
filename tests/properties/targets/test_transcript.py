"""What is written into a transcript, line by line, and where it stops."""

import gzip
import json
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from filterproof.filter import Decision
from filterproof.game import opening
from filterproof.game.json import game_from_json
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, table
from filterproof_properties.targets import transcript
from filterproof_properties.targets.transcript import MOST_BYTES, Transcript, key

MADE: Any = (Fraction(1), Fraction(1, 10), {})
LIKE = {"markov": True}
GAMES = [game(erasure(Fraction(1, n))) for n in (2, 3, 4)]


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_a_transcript_names_its_kind_its_version_and_its_target(tmp_path: Path) -> None:
    book = Transcript(tmp_path / "t.gz", "mine.py:F")
    assert book.close("no violation found", 3) == ""
    first, last, digest = written(tmp_path / "t.gz")
    assert first == {"schema": "filterproof.transcript", "version": 1, "target": "mine.py:F"}
    assert last == {"verdict": "no violation found", "plays": 3, "whole": True}
    lines = gzip.decompress((tmp_path / "t.gz").read_bytes()).splitlines(keepends=True)
    assert digest == {"digest": sha256(b"".join(lines[:-1])).hexdigest()}


def test_the_same_lines_are_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        Transcript(tmp_path / name, "t").close("VIOLATED", 1)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes()[4:8] == bytes(4), "no time of day"


def test_questions_and_answers_are_written_with_all_that_tells_them_apart(tmp_path: Path) -> None:
    book = Transcript(tmp_path / "t.gz", "t")
    pen = book.filter(MADE, 4, LIKE)
    first = opening(GAMES[0])
    step = first.next("⊥", "ask")
    assert key(4, first) == (4, 0)
    pen.asked([(4, first), (5, step)], [(Decision.CONTINUE, 5), (Decision.HALT, 5)])
    pen.observed((5, step), "?", 6)
    pen.reported([4, 5, 4], [Fraction(1), Fraction(2), Fraction(1)])
    pen.reported([5], [Fraction(2)])
    pen.reported([5, 6], [Fraction(2), Fraction(3)])
    del pen
    book.close("VIOLATED", 1)
    _, made, told, asked, observed, *reported, dropped, _, _ = written(tmp_path / "t.gz")
    number = made["filter"]
    assert (made["epsilon"], made["delta"], made["state"]) == ("1", "1/10", 4)
    assert game_from_json(told["is"]).depth == 1
    place = [told["game"], 5, 1, GAMES[0].menu.id, "ask", ["1", "1"], []]
    opened = [told["game"], 4, 0, "continue", 5]
    assert asked == {"by": number, "asked": [opened, [*place, "halt", 5]]}
    assert observed == {"by": number, "observed": [*place, "?", 6]}
    assert reported == [
        {"by": number, "reported": [[4, "1"], [5, "2"]]},
        {"by": number, "reported": [[6, "3"]]},
    ]
    assert dropped == {"drop": number}


def test_every_answer_has_its_question(tmp_path: Path) -> None:
    pen = Transcript(tmp_path / "t.gz", "t").filter(MADE, 4, LIKE)
    with pytest.raises(ValueError, match="shorter"):
        pen.asked([(4, opening(GAMES[0]))] * 2, [(Decision.HALT, 5)])
    with pytest.raises(ValueError, match="shorter"):
        pen.reported([4, 5], [Fraction(1)])


def test_a_stated_pair_is_written_and_a_tightest_one_is_not(tmp_path: Path) -> None:
    law = {"y": (Fraction(1, 2), Fraction(1, 3)), "z": (Fraction(1, 2), Fraction(2, 3))}
    stated = table(law, stated=Declared(Fraction(9), Fraction(0)))
    book = Transcript(tmp_path / "t.gz", "t")
    book.number(game({"stated": stated, "plain": table(law)}))
    book.close("VIOLATED", 1)
    menu = written(tmp_path / "t.gz")[1]["is"]["nodes"][-1]
    assert menu["stated"]["declared"] == ["9", "0"]
    assert "declared" not in menu["plain"]


def test_a_game_is_written_once_and_the_oldest_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "GAMES", 2)
    book = Transcript(tmp_path / "t.gz", "t")
    one, two = (book.number(played) for played in GAMES[:2])
    assert book.number(GAMES[0]) == one != two
    three = book.number(GAMES[2])
    assert book.number(GAMES[0]) == one
    book.close("VIOLATED", 1)
    lines = [(line.get("game"), line.get("forget")) for line in written(tmp_path / "t.gz")[1:-2]]
    assert lines == [(one, None), (two, None), (None, two), (three, None)]


def test_what_is_written_can_be_read_after_so_many_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "OFTEN", 4)
    path, sizes = tmp_path / "t.gz", []
    book = Transcript(path, "t")
    for number in range(8):
        book.file.flush()
        sizes.append(path.stat().st_size)
        book.write({"drop": number})
    grown = [one < other for one, other in pairwise(sizes)]
    assert grown == [False, False, True, False, False, False, True]


def test_a_transcript_that_is_too_long_ends_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "OFTEN", 1)
    sizes = Transcript(tmp_path / "size.gz", "t")
    enough = sizes.file.tell()
    book = Transcript(tmp_path / "fits.gz", "t", most=enough)
    assert book.problem == ""
    book.write({"drop": 1})
    assert book.problem == f"it would be longer than {enough} bytes"
    lines = written(tmp_path / "fits.gz")
    assert lines[-2] == {"verdict": "", "plays": 0, "whole": False}
    book.write({"drop": 2})
    assert "longer" in book.close("VIOLATED", 4)
    assert written(tmp_path / "fits.gz") == lines
    assert MOST_BYTES == 268_435_456


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Transcript(tmp_path / "t.gz", "t")

    def full(data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(book.packed, "write", full)
    assert book.close("VIOLATED", 4) == "No space left on device"
    other = Transcript(tmp_path / "u.gz", "t")
    monkeypatch.setattr(other.packed, "write", full)
    other.write({"drop": 1})
    assert other.close("VIOLATED", 4) == "No space left on device"
