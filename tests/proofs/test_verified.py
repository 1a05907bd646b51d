"""The checker that is proved in Coq and the one in Python say the same of every certificate."""

import base64
import json
import re
import subprocess
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from filterproof_proofs import checker, coq, verified
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.cli.main import main
from filterproof_properties.games.named import guess
from filterproof_properties.reports import html
from tests.needs import needs_chromium, needs_coq, needs_javascript
from tests.proofs.agreement import accepted, by_a_hair, genuine
from tests.proofs.mutants import mutant
from tests.proofs.test_coq import Built, built  # noqa: F401  # a fixture
from tests.properties.reports.test_browser import chromium
from tests.reference.test_certificate import certificate

MUTANTS = 2000


@pytest.fixture
def program(built: Built) -> Path:  # noqa: F811
    return built[0] / "check"


def by_the_verified(texts: list[str], program: Path, folder: Path) -> list[bool]:
    paths = [folder / f"{number}.json" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode("ascii"))
    return [verdict == "accepted" for verdict in verified.verdicts(paths, program)]


def mutants(count: int) -> list[str]:
    """Mutants of the certificates that are small: inductive numbers are slow to multiply."""
    rng = Random(16)
    small = [t for t in genuine() if len(t) < 20_000 and max(map(len, t.split('"'))) < 200]
    return [mutant(rng.choice(small), rng) for _ in range(count)]


# --- the same verdicts ----------------------------------------------------------------------


@needs_coq
def test_both_accept_every_genuine_certificate(program: Path, tmp_path: Path) -> None:
    texts = genuine()
    assert len(texts) >= 36
    assert all(map(accepted, texts))
    assert all(by_the_verified(texts, program, tmp_path))


@needs_coq
def test_both_agree_on_two_thousand_mutants(program: Path, tmp_path: Path) -> None:
    texts = mutants(MUTANTS)
    mine, theirs = list(map(accepted, texts)), by_the_verified(texts, program, tmp_path)
    assert [t for t, a, b in zip(texts, mine, theirs, strict=True) if a != b] == []
    assert mine.count(True) > MUTANTS / 20
    assert mine.count(False) > MUTANTS / 2


@needs_coq
@pytest.mark.parametrize("side", [1, -1])
def test_both_tell_odds_that_differ_from_e_by_a_hair(
    side: int, program: Path, tmp_path: Path
) -> None:
    text = by_a_hair(side)
    assert accepted(text) is (side > 0)
    assert by_the_verified([text], program, tmp_path) == [side > 0]


@needs_coq
@pytest.mark.parametrize("lax", ["check_shape", "is_parameter"])
def test_the_comparison_notices_a_checker_that_lets_something_pass(
    lax: str, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = mutants(300)
    monkeypatch.setattr(checker, lax, lambda *_: True)
    assert [accepted_or_raised(t) for t in texts] != by_the_verified(texts, program, tmp_path)


def accepted_or_raised(text: str) -> bool:
    """A checker that lets anything pass may stumble later."""
    try:
        return accepted(text)
    except (AttributeError, TypeError, IndexError):
        return False


# --- the program ----------------------------------------------------------------------------


@needs_coq
def test_the_program_is_built_once_from_what_the_theorem_needs(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = coq.compile_order(verified.EXTRACTED)
    assert {"Model.v", "Games.v", "VerifiedSound.v"} < set(needed)
    assert "Recycling.v" not in needed
    built_in: list[Path] = []

    def build(directory: Path) -> Path:
        built_in.append(directory)
        copy = directory / "check"
        copy.write_bytes(program.read_bytes())
        copy.chmod(0o755)
        return copy

    monkeypatch.setattr(verified, "build", build)
    first, again = verified.program(tmp_path), verified.program(tmp_path)
    assert first == again
    assert len(built_in) == 1
    assert by_the_verified([certificate(guess(4))], first, tmp_path) == [True]


def test_the_digest_follows_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = verified.digest()
    for path in coq.SOURCES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(coq, "SOURCES", tmp_path)
    assert verified.digest() == before
    with (tmp_path / f"{verified.READER}.ml").open("a") as reader:
        reader.write("(* more *)\n")
    assert verified.digest() != before


@needs_coq
def test_a_file_that_is_not_there_is_no_verdict(program: Path, tmp_path: Path) -> None:
    with pytest.raises(verified.VerifiedError, match="No such file"):
        verified.verdicts([tmp_path / "none.json"], program)


# --- filterproof check --verified -----------------------------------------------------------


@needs_coq
def test_the_command_asks_the_verified_checker_too(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(verified, "program", lambda: program)
    path = tmp_path / "guess.json"
    path.write_text(certificate(guess(4)))
    assert main(["check", str(path), "--verified"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "verified: the checker extracted from Coq accepts it"
    monkeypatch.setattr(verified, "verdicts", lambda *_: ["rejected: malformed: x"])
    assert main(["check", str(path), "--verified"]) == 1
    assert "rejected: the verified checker says: rejected" in capsys.readouterr().out


def test_without_coq_the_command_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "guess.json"
    path.write_text(certificate(guess(4)))
    assert main(["check", str(path), "--verified"]) == 2
    shown = capsys.readouterr()
    assert "get it with: apt-get install coq" in shown.err
    assert shown.out == ""


# --- the same checker in JavaScript ---------------------------------------------------------

NODE = """
require(process.argv[2]);
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map((one) => globalThis.filterproofVerdict(one))));
"""


@pytest.fixture(scope="module")
def script(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    path = tmp_path_factory.mktemp("javascript") / "verified.js"
    path.write_text(verified.javascript(built[0]), encoding="utf-8")
    return path


def by_node(texts: list[str], script: Path) -> list[str]:
    done = subprocess.run(
        ["node", "-e", NODE, "-", str(script)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


@needs_javascript
def test_node_accepts_every_genuine_certificate(script: Path) -> None:
    texts = genuine()
    assert by_node(texts, script) == ["accepted"] * len(texts)


@needs_javascript
def test_node_and_python_agree_on_two_thousand_mutants(script: Path) -> None:
    texts = mutants(MUTANTS)
    theirs = [said == "accepted" for said in by_node(texts, script)]
    assert [t for t, a in zip(texts, theirs, strict=True) if accepted(t) != a] == []
    assert theirs.count(True) > MUTANTS / 20


@needs_javascript
@pytest.mark.parametrize("side", [1, -1])
def test_node_tells_odds_that_differ_from_e_by_a_hair(side: int, script: Path) -> None:
    """Numbers of hundreds of digits do not pass through the 32 bits of a JavaScript integer."""
    (said,) = by_node([by_a_hair(side)], script)
    assert (said == "accepted") is (side > 0)


@needs_javascript
@needs_chromium
@pytest.mark.parametrize("tampered", [False, True])
def test_a_report_checks_itself_in_a_browser(
    tampered: bool, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verified, "SHIPPED", script)
    text = certificate(guess(3))
    page = html.text([Record("guess", Verdict.VIOLATED, None, "", 1, 0.1, certificate=text)])
    if tampered:
        was, now = (base64.b64encode(one.encode()).decode() for one in (text, changed(text)))
        assert was in page
        page = page.replace(was, now)
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    dom = chromium(path, tmp_path / "profile", "--dump-dom")
    assert ("Checked again in this browser" in _told(dom)) is not tampered
    assert ("not to be trusted" in _told(dom)) is tampered
    assert ("not to be trusted" in dom[: dom.index('id="verdicts"')]) is tampered  # and on top


def changed(text: str) -> str:
    """The same certificate, claiming a little more."""
    data = json.loads(text)
    data["excess"][0] = str(Fraction(data["excess"][0]) + 1)
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _told(dom: str) -> str:
    found = re.search(r'<p class="recheck[^>]*>(.*?)</p>', dom, re.DOTALL)
    assert found is not None
    return found[1]
