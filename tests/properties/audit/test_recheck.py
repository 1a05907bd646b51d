"""A transcript says what the audit said, without the target; a damaged one says that it is."""

import gzip
import json
import shlex
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from filterproof_properties.audit.recheck import BadTranscript, recheck
from filterproof_properties.cli.main import main
from filterproof_properties.targets import transcript
from filterproof_properties.targets.transcript import Transcript

ROOT = Path(__file__).parents[3]
FILTERS = "filterproof.filters"
ODOMETERS = ROOT / "tests/properties/audit/odometer_targets.py"


def written(spec: str, path: Path, *more: str) -> int:
    words = [spec] if not spec.startswith("command:") else ["--command", spec[8:]]
    return main(["audit", *words, "--transcript", str(path), "--examples", "1", "--json", *more])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("transcripts") / "sound.gz"
    assert written(f"{FILTERS}.additive:Additive", path, "--in-process") == 0
    return path


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("transcripts") / "wrong.gz"
    assert written(f"{FILTERS}.naive:Naive", path, "--in-process") == 1
    return path


SPECS = [
    f"{FILTERS}.additive:Additive",  # in a process of its own
    f"{FILTERS}.repaired:Repaired",  # with parameters
    "filterproof.runtime.audited:RuntimeCompensator",
    f"{ODOMETERS}:Honest",
    f"command:{shlex.join([sys.executable, str(ROOT / 'tests/properties/targets/observer.py')])}",
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec[-12:])
def test_every_play_of_a_transcript_is_judged_again(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.gz"
    assert written(spec, path) == 0
    tried = json.loads(capsys.readouterr().out)["results"][0]["tried"]
    found = recheck(path)
    assert (found.verdict, found.whole, found.plays) == ("no violation found", True, tried)
    assert found.judged >= tried > 5
    assert main(["recheck", str(path)]) == 0
    assert "no violation found in any of them" in capsys.readouterr().out


def test_a_violation_is_found_again_in_the_answers(
    wrong: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["recheck", str(wrong)]) == 1
    assert "VIOLATED in" in capsys.readouterr().out


def lower(lines: list[dict[str, Any]]) -> None:
    """Every finite report becomes nothing lost."""
    for line in lines:
        for one in line.get("reported", ()):
            one[1] = one[1] if one[1] == "inf" else "0"


def two_reports(lines: list[dict[str, Any]]) -> None:
    first = next(line for line in lines if "reported" in line)
    lines.insert(lines.index(first) + 1, {**first, "reported": [[first["reported"][0][0], "7"]]})


def silent(lines: list[dict[str, Any]]) -> None:
    lines[:] = [line for line in lines if "reported" not in line]


def test_an_odometer_is_judged_by_what_it_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right, other = (tmp_path / name for name in ("wrong.gz", "right.gz", "other.gz"))
    assert written(f"{ODOMETERS}:Halved", wrong, "--in-process") == 1
    assert main(["recheck", str(wrong)]) == 1
    assert "VIOLATED in" in capsys.readouterr().out
    assert written(f"{ODOMETERS}:Honest", right, "--in-process") == 0
    for change, code in ((nothing, 0), (lower, 1), (two_reports, 2), (silent, 2)):
        assert main(["recheck", str(forged(right, other, change))]) == code, change.__name__


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_transcript_that_was_cut_off_is_an_error_that_says_so(
    share: float, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sound.read_bytes()
    (tmp_path / "cut.gz").write_bytes(data[: int(len(data) * share)])
    assert main(["recheck", str(tmp_path / "cut.gz")]) == 2
    assert "cut off" in capsys.readouterr().err


def test_what_was_written_so_far_can_be_read_while_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "OFTEN", 1)
    book = Transcript(tmp_path / "t.gz", "t")
    assert (tmp_path / "t.gz").stat().st_size > 20
    with pytest.raises(BadTranscript, match="cut off"):
        recheck(tmp_path / "t.gz")
    book.close("no violation found", 0)
    assert recheck(tmp_path / "t.gz").judged == 0


def test_a_transcript_without_a_play_shows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript(tmp_path / "t.gz", "t").close("no violation found", 0)
    assert main(["recheck", str(tmp_path / "t.gz")]) == 3
    out = capsys.readouterr().out
    assert "inconclusive: there is no play in it" in out
    assert "no violation found in any" not in out


def test_a_changed_byte_is_noticed(sound: Path, tmp_path: Path) -> None:
    data, damaged = bytearray(sound.read_bytes()), tmp_path / "damaged.gz"
    for place in range(10, len(data), len(data) // 40):  # behind the header of gzip
        data[place] ^= 4
        damaged.write_bytes(data)
        with pytest.raises(BadTranscript):
            recheck(damaged)
        data[place] ^= 4


# --- changed by somebody who also makes the digest fit ----------------------------------------


Line = dict[str, Any]


def forged(path: Path, made: Path, change: Callable[[list[Line]], None]) -> Path:
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()][:-1]
    change(lines)
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    digest = json.dumps({"digest": sha256(text).hexdigest()}).encode() + b"\n"
    made.write_bytes(gzip.compress(text + digest))
    return made


def nothing(lines: list[Line]) -> None:
    """The control: what is written again unchanged is accepted."""


def one_play_more(lines: list[Line]) -> None:
    lines[-1]["plays"] += 1


def says_violated(lines: list[Line]) -> None:
    lines[-1]["verdict"] = "VIOLATED"


def without_a_verdict(lines: list[Line]) -> None:
    lines.pop()


def without_an_answer(lines: list[Line]) -> None:
    del next(line for line in lines if "asked" in line)["asked"][0]


def runs_on(lines: list[Line]) -> None:
    """Every refusal becomes a release: nobody asked what the filter would say then."""
    for line in lines:
        for one in line.get("asked", ()):
            one[-2] = "continue"


def two_answers(lines: list[Line]) -> None:
    first = next(line for line in lines if "asked" in line)
    lines.insert(lines.index(first) + 1, {**first, "asked": [[*first["asked"][0][:-2], "halt", 0]]})


def an_impossible_law(lines: list[Line]) -> None:
    nodes = next(line for line in lines if "game" in line)["is"]["nodes"]
    mechanism = next(iter(nodes[-1].values()))
    next(iter(mechanism["law"].values()))["0"] = "2"


def a_generous_delta(lines: list[Line]) -> None:
    next(line for line in lines if "filter" in line)["delta"] = "2"


def an_unknown_line(lines: list[Line]) -> None:
    lines.insert(3, {"note": "all is well"})


def another_version(lines: list[Line]) -> None:
    lines[0]["version"] = 2


def after_the_verdict(lines: list[Line]) -> None:
    lines.append({"drop": 1})


REJECTED = [
    one_play_more,
    says_violated,
    without_a_verdict,
    without_an_answer,
    runs_on,
    two_answers,
    an_impossible_law,
    a_generous_delta,
    an_unknown_line,
    another_version,
    after_the_verdict,
]


@pytest.mark.parametrize("change", REJECTED, ids=lambda change: change.__name__)
def test_a_forged_transcript_is_rejected(
    change: Callable[[list[Line]], None], sound: Path, tmp_path: Path
) -> None:
    assert main(["recheck", str(forged(sound, tmp_path / "forged.gz", change))]) == 2


def test_a_transcript_that_is_only_written_again_is_accepted(sound: Path, tmp_path: Path) -> None:
    assert main(["recheck", str(forged(sound, tmp_path / "same.gz", nothing))]) == 0


def a_small_delta(lines: list[Line]) -> None:
    for line in lines:
        if "filter" in line:
            line["delta"] = "0"


def test_another_budget_gives_another_verdict(sound: Path, tmp_path: Path) -> None:
    assert main(["recheck", str(forged(sound, tmp_path / "small.gz", a_small_delta))]) == 1


def says_sound(lines: list[Line]) -> None:
    lines[-1]["verdict"] = "no violation found"


def test_a_verdict_that_does_not_follow_is_not_believed(wrong: Path, tmp_path: Path) -> None:
    assert main(["recheck", str(forged(wrong, tmp_path / "hidden.gz", says_sound))]) == 1


# --- limits and wrong usage -------------------------------------------------------------------


def test_a_transcript_that_is_too_long_stops_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(transcript.Transcript.__init__, "__defaults__", (4000,))
    monkeypatch.setattr(transcript, "OFTEN", 1)
    path = tmp_path / "t.gz"
    assert written(f"{FILTERS}.additive:Additive", path, "--in-process") == 2
    shown = capsys.readouterr()
    assert "no violation found" in shown.out
    assert "is not whole: it would be longer than 4000 bytes" in shown.err
    assert path.stat().st_size < 8000
    assert main(["recheck", str(path)]) == 3
    assert "is not whole" in capsys.readouterr().out


def test_an_audit_that_concludes_nothing_has_a_transcript_that_does_not_either(
    tmp_path: Path,
) -> None:
    hostile = ROOT / "tests/properties/targets/hostile_targets.py"
    path = tmp_path / "t.gz"
    assert written(f"{hostile}:SaysMaybe", path, "--in-process") == 2
    assert main(["recheck", str(path)]) == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["additive"], "not built in"),
        (["a.py:A", "b.py:B"], "of one target"),
        (["a.py:A", "--jobs", "2"], "by one process"),
    ],
)
def test_what_cannot_be_written_down_is_wrong_usage(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words, "--transcript", str(tmp_path / "t.gz")]) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "t.gz").exists()


def test_a_place_that_cannot_be_written_is_told_before_the_audit(tmp_path: Path) -> None:
    assert written(f"{FILTERS}.additive:Additive", tmp_path / "no/t.gz") == 2


def test_a_file_that_is_no_transcript_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.gz").write_bytes(b"no violation found")
    assert main(["recheck", str(tmp_path / "t.gz")]) == 2
    assert main(["recheck", str(tmp_path / "none.gz")]) == 2
