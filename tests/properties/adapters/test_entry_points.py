"""A library can publish an adapter of its own; it can never take the name of one of ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from filterproof_properties.adapters.entry_points import published_targets
from filterproof_properties.targets.loading import is_trusted, load

TARGET = """\
class Published:
    def __init__(self, epsilon, delta):
        self.delta = delta

    def start(self):
        return 0

    def decide(self, state, step):
        return "halt", state
"""


@pytest.fixture
def _published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "mylib_adapter.py").write_text(TARGET)
    info = tmp_path / "mylib-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mylib\nVersion: 1.0\n")
    lines = "mylib = mylib_adapter:Published\nadditive = mylib_adapter:Published\n"
    (info / "entry_points.txt").write_text(f"[filterproof.targets]\n{lines}")
    monkeypatch.syspath_prepend(str(tmp_path))
    published_targets.cache_clear()
    yield
    published_targets.cache_clear()


@pytest.mark.usefixtures("_published")
def test_a_published_target_is_found_by_its_name() -> None:
    assert load("mylib").target.__name__ == "Published"
    assert not is_trusted("mylib")


@pytest.mark.usefixtures("_published")
def test_a_name_of_ours_stays_ours() -> None:
    assert is_trusted("additive")
    assert load("additive").target.__name__ == "Additive"
