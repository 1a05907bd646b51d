"""The older version comes out of git, whole, and never loads the new version's code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from filterproof_properties.audit.base import Changed, base_commit, checked_out
from filterproof_properties.cli.main import main
from filterproof_properties.processes.checkout import Checkout
from filterproof_properties.targets.target import TargetError
from tests.properties.audit.repository import (
    FILES,
    LEDGER,
    LOOSER,
    RENAMED,
    TARGET,
    commit,
    git,
    repository,
    write,
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "project")
    monkeypatch.chdir(made)
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        monkeypatch.delenv(name, raising=False)
    return made


def diff(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = main(["diff", *words, "--examples", "60", "--no-looser", "--json"])
    return code, json.loads(capsys.readouterr().out)


# --- which commit -----------------------------------------------------------------------------


def test_the_base_is_where_the_branch_left_the_one_it_goes_into(project: Path) -> None:
    first = git(project, "rev-parse", "HEAD")
    commit(project, RENAMED)
    git(project, "switch", "-q", "main")
    later = commit(project, {"README": "more"})
    git(project, "switch", "-q", "change")
    found = base_commit(project, "", {})
    assert found is not None
    assert (found.digest, "where it left main" in found.words) == (first, True)
    named = base_commit(project, "main", {})
    assert named is not None
    assert named.digest == later


@pytest.mark.parametrize("name", ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"])
def test_ci_names_the_branch(name: str, project: Path) -> None:
    git(project, "branch", "release", "main")
    commit(project, RENAMED)
    found = base_commit(project, "", {name: "release"})
    assert found is not None
    assert "where it left release" in found.words
    with pytest.raises(TargetError, match=r"has no branch 'gone' here.*fetch-depth"):
        base_commit(project, "", {name: "gone"})


def test_on_the_default_branch_itself_the_commit_before_is_the_base(project: Path) -> None:
    git(project, "switch", "-q", "main")
    assert base_commit(project, "", {}) is None  # the first commit
    before = git(project, "rev-parse", "HEAD")
    commit(project, RENAMED)
    found = base_commit(project, "", {})
    assert found is not None
    assert (found.digest, "the commit before" in found.words) == (before, True)
    write(project, LOOSER)  # what is not committed yet is compared with the last commit
    found = base_commit(project, "", {})
    assert found is not None
    assert found.digest == git(project, "rev-parse", "HEAD")


def test_a_shallow_clone_says_what_to_fetch(project: Path, tmp_path: Path) -> None:
    commit(project, RENAMED)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", str(shallow))
    git(shallow, "branch", "-m", "main")
    with pytest.raises(TargetError, match=r"one commit only.*fetch-depth"):
        base_commit(shallow, "", {})


@pytest.mark.parametrize("ref", ["no-such-ref", "--all", "HEAD~99"])
def test_a_ref_that_is_none_is_an_error(
    ref: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", f"--base={ref}", TARGET]) == 2
    assert f"git has no commit '{ref}'" in capsys.readouterr().err


def test_without_git_there_is_no_older_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    assert main(["diff", TARGET]) == 2
    assert "is not in a git repository" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["diff", TARGET]) == 2
    assert "git is not installed" in capsys.readouterr().err


# --- the older version ------------------------------------------------------------------------


def test_a_file_that_did_not_exist_then_cannot_be_compared(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(project, {"src/shop/other.py": LEDGER})
    assert main(["diff", "src/shop/other.py:Budget"]) == 2
    assert "nothing to compare: src/shop/other.py:Budget did not exist" in capsys.readouterr().err
    write(project, {"src/shop/ledger.py": LEDGER.replace("class Budget", "class Other")})
    assert main(["diff", "src/shop/ledger.py:Other"]) == 2
    assert "did not exist" in capsys.readouterr().err


def test_the_older_version_has_its_own_modules(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project / "src"))  # as `pip install -e .` does
    write(project, LOOSER)
    code, found = diff(capsys, "--base", "main", TARGET)
    assert (code, found["verdict"]) == (1, "LOOSER")
    assert "at main (" in str(found["old"])


def test_a_module_by_its_name_is_found_in_the_repository(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project / "src"))
    absolute = LEDGER.replace("from .costs", "from shop.costs")
    commit(project, {"src/shop/ledger.py": absolute})
    git(project, "branch", "-f", "main", "HEAD")
    write(project, LOOSER)
    code, found = diff(capsys, "shop.ledger:Budget")
    assert (code, found["verdict"]) == (1, "LOOSER")
    assert main(["diff", "json.decoder:JSONDecoder"]) == 2
    assert "no file of this repository" in capsys.readouterr().err


def test_what_only_the_work_tree_has_the_older_version_does_not_find(tmp_path: Path) -> None:
    tree, base, hidden = (tmp_path / one for one in ("tree", "base", "elsewhere/site-packages"))
    write(tree, {"shop/__init__.py": "", "shop/new.py": "", "shop/both.py": "version = 'new'"})
    write(base, {"shop/__init__.py": "", "shop/both.py": "version = 'old'"})
    write(hidden, {"installed.py": ""})
    program = f"""
import sys, os
from importlib.machinery import PathFinder
class Editable:  # as build backends install one, before all others
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(tree)!r}]) if name == "shop" else None
sys.meta_path.insert(0, Editable)
sys.path.insert(0, {str(tree)!r})
from filterproof_properties.processes.checkout import enter
enter(os.environ)
import shop.both
print(shop.both.version)
try:
    import shop.new
except ModuleNotFoundError as error:
    print(error)
"""
    told = Checkout(str(tree), str(base)).variables()
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=True,
    )
    version, missing = done.stdout.splitlines()
    assert (version, "shop.new" in missing) == ("old", True)


def test_a_package_directory_of_our_name_is_not_imported_instead_of_ours(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "import os\nos._exit(0)\n"
    planted = {f"{one}/__init__.py": hostile for one in ("filterproof_properties", "filterproof")}
    write(project, {**planted, **LOOSER})
    code, found = diff(capsys, TARGET)
    assert (code, found["verdict"]) == (1, "LOOSER")


# --- the checkout -----------------------------------------------------------------------------


def test_the_checkout_is_what_was_committed_and_a_change_of_it_is_noticed(project: Path) -> None:
    write(project, {".gitattributes": "*.py export-ignore\n"})
    os.symlink("/etc/passwd", project / "outside")
    os.symlink("src/shop/costs.py", project / "inside")
    commit(project, {})
    found = base_commit(project, "HEAD", {})
    assert found is not None
    with checked_out(found) as base:
        assert (base.folder / "src/shop/ledger.py").read_text() == LEDGER
        assert not (base.folder / "outside").is_symlink()
        assert (base.folder / "inside").read_text() == FILES["src/shop/costs.py"]
        base.check()
        path = base.folder / "src/shop/ledger.py"
        path.chmod(0o644)
        path.write_text("")
        with pytest.raises(Changed):
            base.check()
        folder = base.folder
    assert not folder.exists()


OVERWRITES = """
import glob, os
for mark in glob.glob("/tmp/filterproof-base-*/tree/overwrite-me"):
    one = os.path.join(os.path.dirname(mark), "src/shop/costs.py")
    os.chmod(one, 0o644)
    open(one, "w").write("def charged(delta):\\n    return delta / 2\\n")
"""


@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_an_import_that_overwrites_the_older_version_does_not_pass(
    sandbox: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(project, {"overwrite-me": ""})
    git(project, "branch", "-f", "main", "HEAD")
    write(project, {**LOOSER, "src/shop/__init__.py": OVERWRITES})
    words = ["diff", TARGET, "--examples", "60", "--no-looser", "--sandbox", sandbox]
    code = main(words)
    said = capsys.readouterr()
    assert code == (1 if sandbox == "auto" else 2), said
    assert sandbox == "auto" or "was changed while it was in use" in said.err
