"""Real shells complete what the scripts say: commands, options of a command, names of filters."""

import subprocess
from pathlib import Path

import pytest

from filterproof_properties.cli.completion import SHELLS, Described, all_commands
from filterproof_properties.cli.main import COMMANDS, main
from tests.needs import needs_fish, needs_zsh

ASK = {
    "bash": """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_filterproof; printf '%s\\n' "${COMPREPLY[@]}"
""",
    "fish": """
source $argv[1]
complete -C (string join -- ' ' $argv[2..-1]) | string split -f1 \\t
""",
    "zsh": """
compdef() { }
_describe() { print -l -- ${(P)2%%:*} }
_files() { }
compadd() { shift; print -l -- "$@" }
source "$1"; shift
words=("$@"); CURRENT=$#
_filterproof
""",
}


def completed(shell: str, folder: Path, *words: str, commands: list[Described]) -> list[str]:
    script = folder / f"completion.{shell}"
    script.write_text(SHELLS[shell](commands), encoding="utf-8")
    itself = [] if shell == "fish" else [shell]  # the others take their own name first
    line = [shell, "-c", ASK[shell], *itself, str(script), *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder)
    assert not done.stderr, done.stderr
    return [word for word in done.stdout.splitlines() if word.startswith(words[-1])]


EVERY = ["bash", pytest.param("zsh", marks=needs_zsh), pytest.param("fish", marks=needs_fish)]


@pytest.fixture(scope="module")
def commands() -> list[Described]:
    return all_commands()


@pytest.mark.parametrize("shell", EVERY)
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["au"], ["audit"]),
        (["comp"], ["compare", "completion"]),
        (["audit", "--ep"], ["--epsilon"]),
        (["audit", "compensator-c"], ["compensator-capped"]),
        (["diff", "additive", "rdp-t"], ["rdp-tight"]),
        (["completion", "b"], ["bash"]),
        (["list", "--ep"], []),
    ],
    ids=" ".join,
)
def test_a_shell_completes(
    shell: str, words: list[str], wanted: list[str], tmp_path: Path, commands: list[Described]
) -> None:
    found = completed(shell, tmp_path, "filterproof", *words, commands=commands)
    assert sorted(found) == wanted


def test_every_command_is_completed(commands: list[Described], tmp_path: Path) -> None:
    found = completed("bash", tmp_path, "filterproof", "", commands=commands)
    assert found == [*COMMANDS, "--help", "--version"]


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out.endswith("complete -o default -F _filterproof filterproof\n")
