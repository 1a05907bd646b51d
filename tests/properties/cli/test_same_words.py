"""One ledger, named in the same words to every command, to pytest and in the configuration."""

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filterproof.budget_calls import WORDS, BudgetCalls, read_words
from filterproof_properties.cli import failopen
from filterproof_properties.cli.calls import target_spec
from filterproof_properties.cli.main import parse
from filterproof_properties.options.config import find_config
from filterproof_properties.options.table import options_of
from filterproof_properties.plugin import options as plugin_options
from filterproof_properties.targets.budget import trial
from filterproof_properties.targets.budget.names import named, spec_of

LEDGER = """
class Empty(Exception):
    pass


class Ledger:
    def __init__(self, total):
        self.left = total

    def fits(self, cost, who, table):
        return {"ok": cost <= self.left}

    def take(self, cost, who, table):
        self.left -= cost
        return {"ok": True}

    def lost(self, cost, who, table):
        return {"ok": True}
"""
GIVEN = {
    "spend": ["take(epsilon, who, table)"],
    "open": "(total=epsilon)",
    "check": "fits(epsilon, who, table)",
    "refusal": "Empty",
    "granted": 'result["ok"]',
    "fails": "lost(epsilon, who, table)",
    "between": True,
    "currency": "pure",
    "part": "table",
    "free": ["who=a,b"],
    "clock": "time.time",
    "instances": 2,
    "python": sys.executable,
}
SPELLED = [
    word
    for name, value in GIVEN.items()
    for one in (value if isinstance(value, list) else [value])
    for word in ([f"--{name}"] if one is True else [f"--{name}", str(one)])
]


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, BudgetCalls]]:
    """The objects that were tried, each once; the ledger is in the current directory."""
    monkeypatch.chdir(tmp_path)
    Path("ledger.py").write_text(LEDGER)
    entry = "".join(f"{name} = {json.dumps(value)}\n" for name, value in GIVEN.items())
    entry = f'[tool.filterproof.targets.shop]\ntarget = "ledger.py:Ledger"\n{entry}'
    Path("pyproject.toml").write_text(entry)
    done: dict[tuple[str, BudgetCalls], trial.Tried] = {}
    really = trial.tried

    def once(target: str, calls: BudgetCalls, limits: Any = None) -> trial.Tried:
        key = (target, calls)
        done[key] = done[key] if key in done else really(target, calls, limits)
        asked.append(key)
        return done[key]

    asked: list[tuple[str, BudgetCalls]] = []
    monkeypatch.setattr(trial, "tried", once)
    return asked


def by_command(*words: str) -> str:
    options = parse([*words, *SPELLED])
    return target_spec("ledger.py:Ledger", find_config(), vars(options))


def by_failopen() -> str:
    found = failopen.named_object(failopen.read(["ledger.py:Ledger", *SPELLED]))
    return spec_of(found.target, found.calls)


def by_pytest() -> str:
    class Given:
        rootpath = Path.cwd()

        def getoption(self, name: str) -> Any:
            return GIVEN.get(name.removeprefix("filterproof_"))

    return plugin_options.target_spec(Given(), "ledger.py:Ledger")  # type: ignore[arg-type]


def by_one_line() -> str:
    line = spec_of("ledger.py:Ledger", BudgetCalls(**{name: _plain(name) for name in GIVEN}))
    return target_spec(line, find_config(), {})


def _plain(name: str) -> Any:
    value = GIVEN[name]
    return tuple(value) if isinstance(value, list) else value


WAYS: dict[str, Callable[[], str]] = {
    "audit": lambda: by_command("audit", "ledger.py:Ledger"),
    "prove": lambda: by_command("prove", "ledger.py:Ledger"),
    "diff": lambda: by_command("diff", "ledger.py:Ledger", "ledger.py:Ledger"),
    "failopen": by_failopen,
    "pytest": by_pytest,
    "configuration": lambda: target_spec("shop", find_config(), {}),
    "one line": by_one_line,
}


def test_the_same_words_name_the_same_calls_everywhere(
    tried: list[tuple[str, BudgetCalls]],
) -> None:
    specs = {way: name() for way, name in WAYS.items()}
    assert len({*specs.values()}) == 1, specs
    assert len(tried) == len(WAYS)
    assert len({*tried}) == 1
    assert named(specs["audit"])[1] == read_words(specs["audit"].partition(" ")[2])


def test_there_is_no_word_that_the_others_lack() -> None:
    assert {*GIVEN} == {*WORDS} == {one.name for one in options_of("calls")}


def test_a_word_that_differs_is_seen(tried: list[tuple[str, BudgetCalls]]) -> None:
    before = by_failopen()
    Path("pyproject.toml").write_text(
        Path("pyproject.toml").read_text().replace("who=a,b", "who=a,b,c")
    )
    assert target_spec("shop", find_config(), {}) != before


def test_an_environment_below_the_private_tmp_is_seen_by_its_own_interpreter(
    tmp_path: Path,
) -> None:
    """It has what the ledger imports, and another version of this project, which is not used."""
    venv.create(tmp_path / "env", symlinks=True)
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "filterproof_properties").mkdir()
    (site / "filterproof_properties" / "__init__.py").write_text("raise ImportError('another')\n")
    (site / "only_there.py").write_text("EMPTY = PermissionError\n")
    ledger = tmp_path / "ledger.py"
    ledger.write_text(f"import only_there\n{LEDGER}")
    python = tmp_path / "env" / "bin" / "python"
    words = {**{name: _plain(name) for name in GIVEN}, "python": str(python)}
    found = trial.tried(f"{ledger}:Ledger", BudgetCalls(**words))
    assert found.calls.python == str(python)
    done = subprocess.run([sys.executable, "-c", "import only_there"], capture_output=True)
    assert done.returncode
