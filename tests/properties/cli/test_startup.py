"""A command loads what it uses: no numpy to print a list, no solver to read a certificate."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from filterproof_properties.cli.errors import NOT_OURS, not_ours, tell_error
from filterproof_properties.cli.main import COMMANDS, main, parser

ROOT = Path(__file__).parents[3]
CERTIFICATE = str(ROOT / "docs/certificates/opendp-failure-not-charged.json")
STRANGER = ROOT / "examples/my_filter_fixed.py"
SHOP = """
class Budget:
    def __init__(self, epsilon, delta):
        self.epsilon, self.queries = epsilon, 0

    def spend(self, epsilon, delta=0.0):
        self.queries += 1
        if self.queries % 2:
            if epsilon > self.epsilon:
                raise PermissionError("the budget is used up")
            self.epsilon -= epsilon
"""
HEAVY = {"numpy", "scipy", "flint", "z3", "cvc5", "hypothesis", "rich", "jinja2", "matplotlib"}
ASK = """
import sys
from filterproof_properties.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("loaded:", *sorted(name for name in sys.modules if "." not in name))
"""


def loaded(*words: str) -> set[str]:
    """The packages in memory after a command."""
    line = [sys.executable, "-c", ASK, *words]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["list"], ["check", CERTIFICATE]],
    ids=lambda words: words[0],
)
def test_a_light_command_loads_nothing_heavy(words: list[str]) -> None:
    assert not loaded(*words) & HEAVY


def test_a_certificate_is_replayed_by_a_built_in_filter_without_the_engine(tmp_path: Path) -> None:
    assert main(["audit", "naive", "--examples", "1", "--certificates", str(tmp_path)]) == 1
    assert not loaded("check", str(tmp_path / "naive.certificate.json")) & HEAVY


@pytest.mark.parametrize("target", ["additive", "naive", f"{STRANGER}:MyFilter"])
def test_an_audit_loads_neither_arrays_nor_strategies(target: str) -> None:
    found = loaded("audit", target, "--examples", "1")
    assert not found & (HEAVY - {"rich", "flint"})
    assert "rich" in found


def test_an_audit_that_refutes_a_budget_class_loads_no_arrays_either(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    words = ("--spend", "spend", "--examples", "9", "--certificates", str(tmp_path))
    found = loaded("audit", f"{tmp_path}/shop.py:Budget", *words)
    assert not found & (HEAVY - {"rich", "flint"})
    assert [*tmp_path.glob("*.certificate.json")], "nothing was refuted"


def test_a_command_that_computes_with_arrays_would_be_noticed() -> None:
    words = ("tune", "gaussian:1", "--epsilon", "1", "--delta", "0.1")
    assert {"numpy", "scipy"} <= loaded(*words)


def test_every_command_is_a_module_and_has_a_parser() -> None:
    text = " ".join(parser().format_help().split())  # wherever lines are broken
    for name, help in COMMANDS.items():
        assert name in text
        assert help in text


def test_the_version_is_the_one_that_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"filterproof {version('filterproof')}\n"


def test_an_interrupt_while_it_loads_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("filterproof_properties.cli.main.import_module", interrupted)
    assert main(["list"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


# --- one place tells what went wrong --------------------------------------------------------


@pytest.mark.parametrize(("module", "name"), NOT_OURS.items())
def test_what_is_not_our_doing_is_told_in_one_line(
    module: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = getattr(import_module(module), name)("so\x1b[2J")
    assert isinstance(error, not_ours())
    assert tell_error(error, "audit") == 2
    assert capsys.readouterr().err == "filterproof audit: so\\x1b[2J\n"


def test_what_nobody_foresaw_is_a_defect_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_error(LookupError("lost"), "audit") == 4
    assert "internal error, LookupError: lost" in capsys.readouterr().err


def test_no_command_writes_its_error_lines_by_hand() -> None:
    cli = ROOT / "properties/filterproof_properties/cli"
    by_hand = [path.name for path in cli.glob("*.py") if "stderr.write" in path.read_text()]
    assert sorted(by_hand) == ["errors.py", "main.py"]
