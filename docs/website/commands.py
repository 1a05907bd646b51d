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

## Commands

"""

EXITS = """
## Exit codes

* **0**: no violation in what was tried, or a proof; with no target: every verdict as expected
* **1**: a certified violation; for `diff --no-looser` and `gate` also a version that allows more
* **2**: wrong usage, or the target raised, hung or broke the protocol
* **3**: inconclusive: too little could be tried, or nothing was proved
* **4**: a defect of filterproof itself
"""


def page() -> str:
    """Return the whole page."""
    lines = [f"* `{name}`: {says}" for name, says in COMMANDS.items()]
    return HEAD + "\n".join(lines) + "\n" + EXITS + "".join(_options())


def _options() -> Iterator[str]:
    """Yield a list of options for each set of commands that have them: the largest sets first."""
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (option, says), users in sorted(_users().items()):
        shared[tuple(users)].append(f"* `{option}`: {says}\n")
    order = [*COMMANDS]
    for names in sorted(shared, key=lambda one: (-len(one), [order.index(name) for name in one])):
        yield f"\n## Options of {_listed([f'`{name}`' for name in names])}\n\n"
        yield from shared[names]


def _users() -> dict[tuple[str, str], list[str]]:
    """Return each option, as it is spelled and with what it says, and the commands that have it."""
    users: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, one in _sub_commands().items():
        for action in one._actions:
            if action.option_strings and action.dest != "help":
                users[_spelled(action), _says(action)].append(name)
    return users


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _sub_commands() -> dict[str, argparse.ArgumentParser]:
    (group,) = (one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    return dict(group.choices)


def _spelled(action: argparse.Action) -> str:
    wanted = action.metavar or (None if action.nargs == 0 else action.dest.upper())
    value = f" {wanted}" if isinstance(wanted, str) else ""
    return f"{action.option_strings[-1]}{value}"


def _says(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return " ".join(text.split())


if __name__ == "__main__":
    sys.stdout.write(page())
