"""Our own gate: what changed is compared, what did not is said to be unchanged."""

import shutil
from pathlib import Path

import pytest

from filterproof.filters.registry import REGISTRY
from filterproof_properties.audit.base import Commit, git
from filterproof_properties.options.settings import Settings
from tests.gate.__main__ import compare, last_release, main
from tests.gate.versions import (
    FILTERS,
    ROOT,
    changed_for_both,
    home_of,
    modules_of,
    registered,
    unchanged,
    write_versions,
)
from tests.properties.audit.repository import commit, repository
from tests.properties.audit.repository import git as git_in

NEW = ROOT / FILTERS
SOUND = [one.name for one in REGISTRY if one.sound]
FEW = Settings(examples=60)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    shutil.copytree(NEW.parent, tmp_path / "filterproof")
    return tmp_path / "filterproof/filters"


def edit(folder: Path, module: str, before: str, after: str) -> None:
    path = home_of(folder, module) / f"{module}.py"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_every_sound_filter_of_the_registry_is_known() -> None:
    assert {*SOUND} <= {*registered(NEW)}
    assert all(modules_of(one, NEW) for one in SOUND)


def test_a_filter_is_unchanged_only_if_all_that_it_is_made_of_is(old: Path) -> None:
    assert all(unchanged(one, old, NEW) for one in SOUND)
    edit(old, "additive", "class Additive", "# an edit\nclass Additive")
    assert not unchanged("additive", old, NEW)
    assert not unchanged("floor-additive", old, NEW)
    assert unchanged("gdp", old, NEW)


def test_a_helper_outside_of_filters_is_a_part_of_the_filters_that_compute_with_it(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filterproof_properties.audit.diff.LONGEST_PROOF", 0.5)  # there is none
    once = "return ExpLinear(p, -q * w_ / w, epsilon)"
    edit(old, "privacy", once, once.replace("return", "return 2 *"))
    assert not unchanged("compensator", old, NEW)
    assert unchanged("additive", old, NEW)
    write_versions(old, tmp_path, ["compensator"])
    assert compare(tmp_path, "compensator", FEW) == 1  # the old one was charged twice as much


def test_what_both_versions_are_asked_in_is_named_where_it_changed(old: Path) -> None:
    assert changed_for_both(old, NEW) == []
    edit(old.parent, "exact", '"""Exact', '"""Changed, exact')
    (old.parent / "game/more.py").write_text("", encoding="utf-8")
    assert changed_for_both(old, NEW) == ["exact.py", "game"]


def test_another_entry_in_the_registry_is_a_change(old: Path) -> None:
    edit(old, "registry", "Wrapped(Hybrid, Additive)", "Wrapped(Hybrid, Whitehouse)")
    assert not unchanged("hybrid", old, NEW)
    assert unchanged("hybrid-whitehouse", old, NEW)


def test_a_looser_filter_fails_and_the_same_one_passes(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (one := tmp_path / "same", other := tmp_path / "stricter before"):
        folder.mkdir()
    write_versions(old, one, ["additive"])
    assert compare(one, "additive", FEW) == 0
    edit(old, "registry", '_sound("additive", Additive', '_sound("additive", PerRoundStrict')
    strict = "class PerRoundStrict(Additive):\n    def decide(self, state, step):\n"
    strict += '        return "refuse", state\n'
    edit(old, "registry", '\nPAPER = "the paper"', f'\n{strict}\nPAPER = "the paper"')
    write_versions(old, other, ["additive"])
    assert compare(other, "additive", FEW) == 1
    assert "LOOSER" in capsys.readouterr().out


def test_the_base_is_the_newest_tag_before_this_commit(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    git_in(project, "tag", "v1")
    second = commit(project, {"README": "two"})
    third = commit(project, {"README": "three"})
    assert digest(last_release(project, "")) == digest(last_release(project, "v1"))
    git_in(project, "tag", "v2", second)
    git_in(project, "tag", "v3", third)
    assert digest(last_release(project, "")) == second


def digest(found: Commit | None) -> str:
    return found.digest if found else ""


def test_a_shallow_clone_says_that_nothing_was_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = repository(tmp_path / "project")
    git_in(project, "switch", "-q", "main")
    commit(project, {"README": "two"})
    clone = tmp_path / "clone"
    assert git(tmp_path, "clone", "-q", "--depth=1", f"file://{project}", str(clone)) is not None
    monkeypatch.setattr("tests.gate.__main__.ROOT", clone)
    assert (main([]), main(["--required"]), main(["--base", "v9"])) == (0, 3, 2)
    assert capsys.readouterr().out.count("nothing was compared") == 3


def test_a_first_commit_has_nothing_to_be_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = repository(tmp_path / "project")
    monkeypatch.setattr("tests.gate.__main__.ROOT", project)
    git_in(project, "switch", "-q", "main")
    assert (main([]), main(["--required"])) == (0, 3)
    assert "this is the first commit" in capsys.readouterr().out
