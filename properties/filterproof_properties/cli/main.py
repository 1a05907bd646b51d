"""The command line: parse, call one function, print, return the exit code."""

import argparse
import re
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from filterproof_properties.cli.errors import tell_error
from filterproof_properties.cli.streams import steady_streams

COMMANDS = {
    "init": "write a first filter or a draft adapter",
    "audit": "look for a game in which a filter breaks its promise",
    "watch": "audit a target again whenever its file is saved",
    "failopen": "see what a budget object does with odd input",
    "check": "re-check a certificate of a violation",
    "explain": "say a counterexample in words, with the nearest known bug",
    "repro": "write a script that shows a counterexample without filterproof",
    "recheck": "judge the plays of an audit's transcript again",
    "diff": "compare two versions of a filter, game by game",
    "gate": "check every configured target, and what a change has changed: for CI",
    "prove": "prove a filter's own code, or the lemmas behind the filters",
    "figure": "draw the paper's figure of survival curves",
    "tune": "say which filter lasts longest on a workload",
    "compare": "compare the sound filters by expected rounds",
    "vectors": "write exact test vectors for other languages",
    "ledger": "print and check a runtime filter's log",
    "list": "list the built-in filters and adapters",
    "help": "show the pages for users in the terminal",
    "completion": "print what a shell needs to complete commands and names",
}
"""Every sub-command, a module of this package, and what it does."""

AS_WRITTEN = argparse.RawDescriptionHelpFormatter

DESCRIPTION = """\
An exact verifier for differential-privacy filters.

A privacy filter answers each request of an adaptive analyst: run it, or stop, so that the whole
conversation stays (epsilon, delta)-differentially private.  filterproof plays the strongest
adaptive adversary against a filter, in exact arithmetic, and either hands back a small
counterexample that an independent program re-checks, or says exactly what it tried."""

EXAMPLES = """\
examples:
  filterproof list                              what can be audited by name
  filterproof audit                             every built-in filter and its expected verdict
  filterproof audit my_filter.py:MyFilter       a filter of yours
  filterproof audit mine.py:F --report out.html the same, with a report to click through
  filterproof audit --command "node filter.js"  a filter in another language
  filterproof check certificate.json            re-check a counterexample
  filterproof recheck transcript.gz             judge every play of an audit again

exit codes:
  0  no violation within what was tried      2  wrong usage, or the filter broke the protocol
  1  a certified violation                   3  inconclusive: too little could be tried
  4  a defect of filterproof itself        130  interrupted before there was a result
  (audit without a target: 0 if and only if every verdict is the expected one)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    with steady_streams():
        try:
            options = parse(words)
            with tidy_end():
                return int(options.run(options))
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            return 130
        except SystemExit:
            raise
        except BaseException as error:  # Python itself would end with 1, as a violation does
            return tell_error(error, command_of(words))


@contextmanager
def tidy_end() -> Iterator[None]:
    """Let a request to terminate do what Ctrl-C does: end everything, show what there is."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may receive signals
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options; of all sub-commands only the one that is named is loaded.

    Where nothing is said, the commands are shown, and that is wrong usage.
    """
    made = parser({command_of(words)})
    if not words:
        made.print_help(sys.stderr)
        made.exit(2)
    return made.parse_args(words)


def command_of(words: Sequence[str]) -> str:
    """Return the sub-command of a command line: its first word that is no option."""
    return next((word for word in words if not word.startswith("-")), "")


class Parser(argparse.ArgumentParser):
    """Names what is near a command or an option that does not exist."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and what may have been meant."""
        unknown = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: (\S+)", message)
        if unknown is None:
            super().error(message)
        word = unknown[1] or unknown[2]
        known = [*COMMANDS] if unknown[1] else [*_options_of(self)]
        near = get_close_matches(word, known, 1)
        said = f"no {'command' if unknown[1] else 'option'} {word!r}"
        super().error(f"{said}; did you mean {near[0]!r}?" if near else f"{said}: see --help")


def _options_of(one: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and of its sub-commands."""
    for action in one._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _options_of(below)


def parser(loaded: Collection[str] = frozenset(COMMANDS)) -> argparse.ArgumentParser:
    """Return the parser with every sub-command, and with the options of those to be loaded."""
    made = Parser(
        prog="filterproof", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=AS_WRITTEN
    )
    made.add_argument("--version", action=Version, nargs=0, help="print the version, and end")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help in COMMANDS.items():
        said = f"{help[0].upper()}{help[1:]}."
        one = commands.add_parser(name, help=help, description=said, formatter_class=AS_WRITTEN)
        if name in loaded:
            module = import_module(f"filterproof_properties.cli.{name}")
            one.epilog = module.EPILOG
            one.set_defaults(run=module.run)
            module.add(one)
    return made


class Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        """Print it and end."""
        from importlib.metadata import version

        sys.stdout.write(f"filterproof {version('filterproof')}\n")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
