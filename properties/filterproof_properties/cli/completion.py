"""`filterproof completion`: what a shell needs to complete commands, options and names."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from shlex import quote

EPILOG = """\
examples (once; a new shell then completes with the tab key):
  filterproof completion bash > ~/.local/share/bash-completion/completions/filterproof
  filterproof completion zsh > ~/.zfunc/_filterproof      a folder of your $fpath
  filterproof completion fish > ~/.config/fish/completions/filterproof.fish"""

TARGETS = {"TARGET", "OLD", "NEW"}
"""What stands for a filter in a usage line: there the names of filters and files complete."""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument("shell", choices=sorted(SHELLS), help="the shell that will read it")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    sys.stdout.write(SHELLS[options.shell](all_commands()))
    return 0


@dataclass(frozen=True)
class Described:
    """One command: what it does, its options with what they mean, the words it takes."""

    name: str
    help: str
    options: dict[str, str]
    words: tuple[str, ...]


def all_commands() -> list[Described]:
    """Return every command as the parser knows it."""
    from filterproof_properties.cli.main import COMMANDS, parser

    (commands,) = (one for one in parser()._actions if isinstance(one.choices, dict))
    assert isinstance(commands.choices, dict)
    return [_one(name, COMMANDS[name], made) for name, made in commands.choices.items()]


def _one(name: str, help: str, made: argparse.ArgumentParser) -> Described:
    options = {
        word: " ".join((action.help or "").split())
        for action in made._actions
        for word in action.option_strings
        if word.startswith("--")
    }
    return Described(name, help, options, tuple(dict.fromkeys(_words(made))))


def _words(made: argparse.ArgumentParser) -> Iterator[str]:
    from filterproof_properties.adapters import ADAPTERS
    from filterproof_properties.targets.loading import BUILT_INS

    for action in made._actions:
        if not action.option_strings:
            yield from map(str, action.choices or ())
            if action.metavar in TARGETS:
                yield from (*(one.name for one in BUILT_INS), *ADAPTERS)


# --- one script per shell -------------------------------------------------------------------


def bash(commands: list[Described]) -> str:
    """Return the script for bash; where no word fits, the names of files do."""
    cases = "".join(
        f"    {one.name}) words={quote(' '.join((*one.options, *one.words)))} ;;\n"
        for one in commands
    )
    first = " ".join((*(one.name for one in commands), "--help", "--version"))
    return (
        "_filterproof() {\n"
        "  local words=\n"
        '  case "$([ "$COMP_CWORD" -gt 1 ] && echo "${COMP_WORDS[1]}")" in\n'
        f"    '') words={quote(first)} ;;\n{cases}"
        "  esac\n"
        '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))\n'
        "}\n"
        "complete -o default -F _filterproof filterproof\n"
    )


def zsh(commands: list[Described]) -> str:
    """Return the script for zsh, to be put into its path of functions or to be sourced."""
    names = " ".join(quote(f"{one.name}:{one.help}") for one in commands)
    cases = "".join(
        f"    {one.name}) compadd -- {' '.join(map(quote, (*one.options, *one.words)))} ;;\n"
        for one in commands
    )
    return (
        "#compdef filterproof\n"
        "_filterproof() {\n"
        f"  local -a commands=({names})\n"
        "  if (( CURRENT == 2 )); then\n"
        "    _describe command commands\n"
        "    compadd -- --help --version\n"
        "    return\n"
        "  fi\n"
        '  case "${words[2]}" in\n'
        f"{cases}"
        "  esac\n"
        "  _files\n"
        "}\n"
        'if [ "$funcstack[1]" = _filterproof ]; then _filterproof "$@"\n'
        "else compdef _filterproof filterproof; fi\n"
    )


def fish(commands: list[Described]) -> str:
    """Return the script for fish."""
    lines = []
    for one in commands:
        lines.append(f"-n __fish_use_subcommand -f -a {one.name} -d {_fish(one.help)}")
        here = f"-n '__fish_seen_subcommand_from {one.name}'"
        lines += [f"{here} -l {word[2:]} -d {_fish(help)}" for word, help in one.options.items()]
        lines += [f"{here} -a {_fish(' '.join(one.words))}"] if one.words else []
    return "".join(f"complete -c filterproof {line}\n" for line in lines)


def _fish(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: dict[str, Callable[[list[Described]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
