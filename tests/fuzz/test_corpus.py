"""Every input of the corpus is survived, and a reader that were too trusting would be noticed."""

import json
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.harness import READERS, protocol
from tests.fuzz.mutate import fuzz, made

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


@pytest.mark.parametrize("name", READERS)
def test_a_reader_survives_what_chance_makes_of_its_corpus(name: str) -> None:
    """More of it: `python -m tests.fuzz.mutate SECONDS`."""
    for data in islice(made(name, Random(f"1 {name}")), 40):
        READERS[name](data)


def test_chance_would_find_a_reader_that_trusts_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried, broken = fuzz("reply", lambda data: json.loads(data)["answers"][0], 0.5, Random(1))
    assert 0 < broken <= tried
    assert [*tmp_path.glob("crash-reply-*")]
