"""What broke a target before is tried first; what is not to be remembered is not."""

from pathlib import Path

import pytest

from filterproof_properties.audit.memory import COUNTEREXAMPLES, MOST, OFF, memory_folder, remember
from filterproof_properties.cli.main import main
from filterproof_properties.options.settings import Settings

WRONG = """
from filterproof.filters.additive import Additive

class Mine(Additive):
    def decide(self, state, step):
        return ("continue", state) if step.index == 3 else super().decide(state, step)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(OFF)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def audited(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["audit", "mine.py:Mine", "--examples", "40", *words])
    return code, capsys.readouterr().out


def remembered(project: Path) -> list[Path]:
    return [*(project / ".filterproof" / COUNTEREXAMPLES).rglob("*.json")]


def test_the_second_audit_needs_one_play(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audited(capsys)[0] == 1
    (kept,) = remembered(project)
    assert main(["check", str(kept), "--replay", "mine.py:Mine"]) == 0
    capsys.readouterr()
    code, said = audited(capsys)
    assert code == 1
    assert "1 VIOLATED; 1 play, " in said
    (project / "mine.py").write_text(WRONG.replace("== 3", "== -3"))
    assert audited(capsys)[0] == 0


@pytest.mark.parametrize("how", ["word", "environment", "ci"])
def test_nothing_is_remembered_where_that_is_declined(
    how: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if how != "word":
        monkeypatch.setenv(OFF if how == "environment" else "CI", "true")
    assert audited(capsys, *(["--no-memory"] if how == "word" else []))[0] == 1
    assert not remembered(project)


def test_a_corpus_is_handed_over(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audited(capsys)
    corpus = project / "corpus.json"
    remembered(project)[0].rename(corpus)
    code, said = audited(capsys, "--no-memory", "--corpus", str(corpus))
    assert code == 1
    assert "; 1 play, " in said


def test_what_is_no_certificate_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "corpus.json").write_text("{}")
    assert main(["audit", "mine.py:Mine", "--corpus", "corpus.json", "--examples", "1"]) == 2
    assert "corpus.json is no certificate" in capsys.readouterr().err


def test_the_oldest_go_first(project: Path) -> None:
    folder = memory_folder()
    for number in range(MOST + 3):
        assert remember("mine.py:Mine", f"{number}", Settings(), folder)
    assert len(remembered(project)) == MOST


def test_it_stands_beside_the_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    assert memory_folder(inner) == project / ".filterproof"
    assert memory_folder(project / "a") == project / ".filterproof"
