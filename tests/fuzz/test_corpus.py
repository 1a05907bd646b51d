"""Every input of the corpus is survived, and a reader that were too trusting would be noticed."""

from pathlib import Path

import pytest

from tests.fuzz.harness import READERS, protocol

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_reader_survives_its_corpus(path: Path) -> None:
    READERS[path.parent.name](path.read_bytes())


def test_every_reader_has_a_corpus() -> None:
    assert {path.parent.name for path in INPUTS} == set(READERS)


def test_a_reader_that_trusts_its_input_would_fail_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("filterproof_properties.targets.remote._state", lambda state: state + 0)
    with pytest.raises(TypeError):
        protocol((CORPUS / "protocol/wrong-state").read_bytes())
