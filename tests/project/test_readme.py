"""What the README says is so: the table paper -> file -> name, the commands, the output shown."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from filterproof_properties.choose.compare import comparison_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = re.compile(r"`((?:reference|proofs|filters|properties|tests|docs)/[\w./-]+\.\w+)`")


def mapping() -> list[tuple[str, str]]:
    """The rows of the table: a file and a name that it defines."""
    table = README.partition("| paper | file | name |")[2]
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
    assert re.search(rf"\b(def|class|Theorem) {last}\b|^    {last}: ", text, re.MULTILINE)


def test_the_table_is_not_empty_and_a_wrong_name_would_be_noticed() -> None:
    assert len(mapping()) > 20
    text = located("filters/algorithm1.py").read_text(encoding="utf-8")
    assert not re.search(r"\b(def|class) Algorithm2\b", text)


@pytest.mark.parametrize("file", sorted({*FILES.findall(README)}))
def test_each_file_that_is_named_exists(file: str) -> None:
    assert located(file).is_file()


@pytest.mark.parametrize("link", sorted({*re.findall(r"\]\(([\w./-]+)\)", README)}))
def test_each_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def command(*words: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "filterproof_properties.cli.main", *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False)


def shown() -> list[str]:
    block = README.partition("$ .venv/bin/filterproof audit algorithm1\n")[2].partition("```")[0]
    return [line.rstrip() for line in block.strip().splitlines()]


def test_the_output_shown_is_the_real_one() -> None:
    done = command("audit", "algorithm1")
    real = [line.rstrip() for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert shown()[2:] == real[2 : len(shown())], "all but the line with the seconds"


def test_the_filter_of_the_readme_is_broken_as_it_says(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(class Mine:.*?)```", README, re.DOTALL)
    (tmp_path / "mine.py").write_text(snippet, encoding="utf-8")
    done = command("audit", "mine.py:Mine", "--report", "out.html", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (tmp_path / "out.html").stat().st_size > 1000


def test_the_runtime_example_prints_what_the_readme_shows() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted == 7
    assert found.failed == 0


def test_the_comparison_shown_is_the_real_one() -> None:
    shown_table = README.partition("<summary>the table</summary>")[2].partition("</details>")[0]
    assert shown_table.strip() == comparison_table().strip()
