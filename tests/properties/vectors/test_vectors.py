"""The vectors are deterministic, obey their schema, and a reader in JavaScript agrees with them."""

import json
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from filterproof.filters.registry import REGISTRY
from filterproof_properties.cli.main import main
from filterproof_properties.failopen.inputs import INPUT_FLAGS, INPUT_LINKS, answers
from filterproof_properties.vectors.writing import FLAGS, write
from tests.needs import needs_node

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/schemas/vectors.schema.json").read_text())
READER = ROOT / "examples/vectors.js"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("vectors")
    write(made)
    return made


def read(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in sorted(folder.iterdir())}


def test_the_files_on_disk_are_what_is_generated_byte_for_byte(
    folder: Path, tmp_path: Path
) -> None:
    """Regenerate them with `make vectors` after a filter has been added or changed."""
    kept = {path.name: path.read_bytes() for path in (ROOT / "vectors").iterdir()}
    assert kept == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_file_obeys_the_schema(folder: Path) -> None:
    validator = Draft202012Validator(SCHEMA)
    for data in read(folder).values():
        validator.validate(data)


def test_the_manifest_lists_every_file_with_its_digest(folder: Path) -> None:
    files = read(folder)
    manifest = files.pop("manifest.json")
    listed = {one["name"]: one for one in manifest["cases"]}
    assert set(listed) == set(files)
    for name, one in listed.items():
        assert one["sha256"] == sha256((folder / name).read_bytes()).hexdigest()
        assert one["cases"] == len(files[name]["cases"])


def test_every_flag_and_every_bug_is_explained_and_used(folder: Path) -> None:
    files = read(folder)
    manifest = files.pop("manifest.json")
    cases = [one for data in files.values() for one in data["cases"] if "flags" in one]
    assert {flag for one in cases for flag in one["flags"]} == set(manifest["flags"]) == set(FLAGS)
    bugs = {one["bug"] for one in cases} - {None}
    assert bugs == set(manifest["bugs"]) | set(INPUT_FLAGS)


def test_a_mistake_on_public_record_comes_with_its_link(folder: Path) -> None:
    files = read(folder)
    cases = [one for data in files.values() for one in data["cases"] if "bug" in one]
    links = {one["bug"]: one["link"] for one in cases}
    assert all(links[one.name] == (one.link or None) for one in REGISTRY if not one.sound)
    assert links.pop(None) is None
    assert sum(link is not None for link in links.values()) == 14 + len(INPUT_LINKS)


def test_every_filter_is_there_and_only_the_specimens_break_their_budget(folder: Path) -> None:
    files = read(folder)
    for known in REGISTRY:
        flags = {f for one in files[f"plays-{known.name}.json"]["cases"] for f in one["flags"]}
        assert ("violated" in flags) is not known.sound
        assert ("sound" if known.sound else "specimen") in flags


def reader(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", READER, folder], capture_output=True, text=True, check=False)


@needs_node
def test_the_reader_in_javascript_recomputes_every_worst_case(folder: Path) -> None:
    cases = sum(len(data["cases"]) for name, data in read(folder).items() if "plays" in name)
    cases += len(read(folder)["inputs.json"]["cases"])
    done = reader(folder)
    assert (done.returncode, done.stdout) == (0, f"{cases} cases checked, 0 wrong\n")


def other_answer(data: Any) -> None:
    case = next(one for one in data["cases"] if one["game"] == "erasure(1/10) x 3")
    case["answers"][1]["decision"] = "halt"


def other_worst(data: Any) -> None:
    data["cases"][0]["worst"][0] = "1/7"


@needs_node
@pytest.mark.parametrize("change", [other_answer, other_worst])
def test_the_reader_notices_a_changed_answer(
    change: Callable[[Any], None], folder: Path, tmp_path: Path
) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    data = json.loads((tmp_path / "plays-naive.json").read_text())
    change(data)
    (tmp_path / "plays-naive.json").write_text(json.dumps(data))
    done = reader(tmp_path)
    assert done.returncode == 1
    assert "plays-naive.json: digest" in done.stdout
    assert "worst H is" in done.stdout


@pytest.mark.parametrize(
    ("budget", "spends", "expected"),
    [
        (("1", "0"), [("NaN", "0"), ("1", "0")], ["rejected", "granted"]),
        (("1", "0"), [("-1", "0"), ("2", "0")], ["rejected", "refused"]),
        (("1", "0"), [("1", "0"), ("5e-324", "0")], ["granted", "refused"]),
        (("0.3", "0"), [("0.1", "0"), ("0.2", "0")], ["granted", "granted"]),
        (("0", "0"), [("0", "0")], ["granted"]),
    ],
)
def test_the_answers_to_odd_spends_are_exact(
    budget: tuple[str, str], spends: list[tuple[str, str]], expected: list[str]
) -> None:
    assert answers(budget, spends) == expected


def test_the_command_names_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vectors", str(tmp_path / "new")]) == 0
    named = capsys.readouterr().out.split()
    assert sorted(named) == sorted(str(path) for path in (tmp_path / "new").iterdir())
