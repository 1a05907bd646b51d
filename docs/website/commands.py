"""The page on the command line, written from the commands: `make commands` puts it into docs/.

Options that several commands have are told once.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator

from filterproof_properties.cli.main import COMMANDS, parser

HEAD = """\
# The command line

Written from the commands themselves. `filterproof COMMAND --help` says the same, with examples.

| command | what it does |
|---|---|
"""

EXITS = """
| exit code | what it means |
|---|---|
| 0 | no violation within what was tried, or a proof; with no target: every verdict is as expected |
| 1 | a certified violation; for `diff --no-looser` and `gate` also a version that allows more |
| 2 | wrong usage, or the target raised, hung or broke the protocol |
| 3 | inconclusive: too little could be tried, or nothing was proved |
| 4 | a defect of filterproof itself |
"""


def page() -> str:
    """Return the whole page."""
    lines = [f"| `{name}` | {says} |" for name, says in COMMANDS.items()]
    return HEAD + "\n".join(lines) + "\n" + EXITS + "\n" + "\n".join(_options()) + "\n"


def _options() -> Iterator[str]:
    """Yield a table of the options, each with the commands that have it."""
    users: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, one in _sub_commands().items():
        for action in one._actions:
            if action.option_strings and action.dest != "help":
                users[_spelled(action), _says(action)].append(name)
    yield "## Options"
    yield ""
    yield "| option | what it says | commands |"
    yield "|---|---|---|"
    for (option, says), names in sorted(users.items()):
        yield f"| `{option}` | {says} | {', '.join(names)} |"


def _sub_commands() -> dict[str, argparse.ArgumentParser]:
    (group,) = (one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    return dict(group.choices)


def _spelled(action: argparse.Action) -> str:
    wanted = action.metavar or (None if action.nargs == 0 else action.dest.upper())
    value = f" {wanted}" if isinstance(wanted, str) else ""
    return f"{action.option_strings[-1]}{value}".replace("|", "\\|")


def _says(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    sys.stdout.write(page())
