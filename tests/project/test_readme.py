"""What the README and its neighbours say is so: files and names, commands, output, pictures."""

import doctest
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from docs.figures.screenshot import PICTURES
from filterproof_properties.choose.compare import comparison_table

ROOT = Path(__file__).parents[2]
README, PAPER, ROUNDS = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/internals/PAPER.md", "docs/internals/ROUNDS.md")
)
FILES = re.compile(r"`((?:reference|proofs|filters|properties|tests|docs)/[\w./-]+\.\w+)`")


def mapping() -> list[tuple[str, str]]:
    """The rows of the table: a file and a name that it defines."""
    table = PAPER.partition("| paper | file | name |")[2]
    found = []
    for row in table.splitlines()[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) < 3:
            break
        (file,) = FILES.findall(cells[-2])
        found += [(file, name) for name in re.findall(r"`([\w.]+)`", cells[-1])]
    return found


def located(file: str) -> Path:
    return ROOT / ("reference/filterproof/" if file.startswith("filters/") else "") / file


@pytest.mark.parametrize(("file", "name"), mapping())
def test_each_name_of_the_table_is_defined_in_its_file(file: str, name: str) -> None:
    text = located(file).read_text(encoding="utf-8")
    last = name.rpartition(".")[2]
    assert re.search(rf"\b(def|class|Theorem) {last}\b|^(    )?{last}: ", text, re.MULTILINE)


def test_the_table_is_not_empty_and_a_wrong_name_would_be_noticed() -> None:
    assert len(mapping()) > 20
    text = located("filters/algorithm1.py").read_text(encoding="utf-8")
    assert not re.search(r"\b(def|class) Algorithm2\b", text)


@pytest.mark.parametrize("file", sorted({*FILES.findall(README), *FILES.findall(PAPER)}))
def test_each_file_that_is_named_exists(file: str) -> None:
    assert located(file).is_file()


@pytest.mark.parametrize("link", sorted({*re.findall(r"(?:\]\(|src=\")([\w./-]+)", README)}))
def test_each_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def command(*words: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "filterproof_properties.cli.main", *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_each_picture_is_drawn_anew_as_it_stands(name: str) -> None:
    assert (ROOT / "docs/pictures" / name).read_text(encoding="utf-8") == PICTURES[name]()


def test_the_picture_shows_what_the_command_says() -> None:
    text = re.sub(r"<[^>]*>", "", PICTURES["algorithm1.svg"]()).replace("&#160;", " ")
    done = command("audit", "algorithm1")
    assert done.returncode == 1
    tree = [line.strip() for line in done.stdout.splitlines() if "★ in S" in line or "H = " in line]
    assert len(tree) == 4
    assert all(line.lstrip("│├└─ ") in unescape(text) for line in tree)


def test_the_filter_of_the_readme_is_broken_as_it_says(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(class Mine:.*?)```", README, re.DOTALL)
    (tmp_path / "mine.py").write_text(snippet, encoding="utf-8")
    done = command("audit", "mine.py:Mine", "--report", "out.html", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (tmp_path / "out.html").stat().st_size > 1000


def test_the_ledger_of_the_readme_is_broken_and_proved_once_it_is_mended(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(class Budget:.*?)```", README, re.DOTALL)
    (tmp_path / "shop.py").write_text(snippet, encoding="utf-8")
    done = command("audit", "shop.py:Budget", "--spend", "spend", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    calls = [line for line in README.splitlines() if line.startswith("  budget")]
    assert len(calls) == 3
    assert {*calls} <= {*done.stdout.splitlines()}, done.stdout
    mended = snippet.replace("        if self.queries % 8 == 0:\n            return\n", "")
    assert mended != snippet
    (tmp_path / "shop.py").write_text(mended, encoding="utf-8")
    done = command("prove", "shop.py:Budget", "--spend", "spend", cwd=tmp_path)
    assert done.stdout.startswith("PROVED"), done.stdout + done.stderr


def test_the_runtime_example_prints_what_the_readme_shows() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted == 5
    assert found.failed == 0


def test_the_comparison_shown_is_the_real_one() -> None:
    shown = ROUNDS[ROUNDS.index("| expected rounds |") :].partition("\n\n")[0]
    assert shown.strip() == comparison_table().strip()
