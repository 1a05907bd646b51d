"""Every option, once: command line, configuration and pytest plugin are read from this table.

A row says what an option is called, what it takes, what it does and where it applies: its group is
the data class that the value ends up in, which also holds its default.

    search   `settings.Settings`       audit, diff, pytest, [tool.filterproof]
    limits   `processes.child.Limits`  whatever runs somebody else's code
    calls    `BudgetCalls`             a budget object: whatever takes a target, and
                                       [tool.filterproof.targets.NAME]

A new option is a field of its data class and a row here.  Pytest loads this module in every run,
so it imports nothing heavy: what reads a number exactly is loaded when there is one.
"""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from filterproof_properties.processes.sanitise import quoted

if TYPE_CHECKING:
    from filterproof.exact import Epsilon

Group = Literal["search", "limits", "calls"]
Kind = Literal["text", "texts", "integer", "number", "switch"]
SANDBOX_MODES = ("auto", "require", "off")
MOST_BITS = 3000
"""A number of more than 900 digits makes every comparison slow, and nobody means it."""

MOST_JOBS = 256
"""A machine holds so many processes; what a repository's configuration asks for may be too many."""


class OptionError(ValueError):
    """A value or a name that no option takes; the message says what is expected."""


@dataclass(frozen=True)
class Option:
    """One option: `read` turns its text into its value, or raises a `ValueError` that says why.

    A switch that is on by default is turned off by `--no-NAME`; "texts" may be given repeatedly.
    """

    name: str
    group: Group
    kind: Kind
    help: str
    read: Callable[[str], Any] = str
    metavar: str | None = None
    off: bool = False

    @property
    def word(self) -> str:
        """The option on a command line."""
        return f"--{'no-' if self.off else ''}{self.name.replace('_', '-')}"


# --- what an option takes ------------------------------------------------------------------------


def budget_epsilon(text: str) -> "Epsilon":
    """Read ε: a rational or log(p/q), of a size that can be computed with."""
    from filterproof.exact import Log, parse_epsilon

    found = parse_epsilon(text)
    _check_length(found.argument if isinstance(found, Log) else found, text)
    return found


def probability(text: str) -> Fraction:
    """Read δ: a rational from 0 to 1, without 1, at which nothing is promised."""
    value = _rational(text)
    if not 0 <= value < 1:
        raise OptionError(f"need 0 <= delta < 1; got {text}")
    return value


def positive_seconds(text: str) -> float:
    """Read a positive number of seconds."""
    value = float(_rational(text))
    if value <= 0:
        raise OptionError(f"need a positive number of seconds; got {text}")
    return value


def search_seconds(text: str) -> float:
    """Read for how long to search; 0 is until it is stopped."""
    return positive_seconds(text) if float(_rational(text)) else inf


def integer(least: int, most: int = 10**18) -> Callable[[str], int]:
    """Return what reads an integer that is not below `least` and not above `most`.

    >>> integer(1)("2")
    2
    """
    need = f"need an integer >= {least}" + (f" and <= {most}" if most < 10**18 else "")

    def read(text: str) -> int:
        digits = text.isascii() and text.isdigit() and len(text) <= 18
        if not (digits and least <= int(text) <= most):
            raise OptionError(f"{need}; got {text:.60}")
        return int(text)

    return read


def sandbox_mode(text: str) -> str:
    """Read whether a sandbox is used: auto, require or off."""
    if text not in SANDBOX_MODES:
        raise OptionError(f"need one of {', '.join(SANDBOX_MODES)}; got {text:.60}")
    return text


def _rational(text: str) -> Fraction:
    from filterproof.exact import parse_rational

    return _check_length(parse_rational(text), text)


def _check_length(value: Fraction, text: str) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise OptionError(f"need a number of at most 900 digits; got {text:.60}")
    return value


# --- the table -----------------------------------------------------------------------------------

OPTIONS = (
    Option(
        "epsilon",
        "search",
        "number",
        "the budget epsilon, exact: 1/2, log(3/2), or 0.1 read as the decimal it says "
        "(default: several)",
        budget_epsilon,
        "E",
    ),
    Option(
        "delta",
        "search",
        "number",
        "the budget delta, exact: 1/100 or 0.01 (default: several)",
        probability,
        "D",
    ),
    Option(
        "seed", "search", "integer", "the same number repeats a run (default 0)", integer(0), "N"
    ),
    Option(
        "seconds",
        "search",
        "number",
        "stop searching after S seconds per target (default 30, for named targets; 0: by Ctrl-C)",
        search_seconds,
        "S",
    ),
    Option(
        "examples",
        "search",
        "integer",
        "stop searching after N games per target",
        integer(1),
        "N",
    ),
    Option(
        "jobs",
        "search",
        "integer",
        "processes to search with (default 1)",
        integer(1, MOST_JOBS),
        "N",
    ),
    Option("cluster", "search", "text", "a Dask scheduler to search with", metavar="ADDRESS"),
    Option(
        "proved",
        "search",
        "switch",
        "also demand a proof of the filter's own code: without one the audit fails",
    ),
    Option(
        "exact",
        "search",
        "switch",
        "count an excess of the size of rounding as a violation",
    ),
    Option(
        "attacks",
        "search",
        "switch",
        "search only: leave the hand-made attacks out",
        off=True,
    ),
    Option(
        "no_memory",
        "search",
        "switch",
        "neither try what broke the target before nor remember it (in .filterproof/)",
    ),
    Option(
        "corpus",
        "search",
        "text",
        "try the certificates in a file or folder first, such as a colleague's",
        metavar="FILE",
    ),
    Option(
        "timeout",
        "limits",
        "number",
        "seconds that a filter may take for one answer (default 10)",
        positive_seconds,
        "S",
    ),
    Option(
        "memory",
        "limits",
        "integer",
        "MiB of memory that a filter's process may use (default 4096)",
        integer(64),
        "MIB",
    ),
    Option(
        "disk",
        "limits",
        "integer",
        "MiB of the largest file that a filter's process may write (default 256)",
        integer(1),
        "MIB",
    ),
    Option(
        "sandbox",
        "limits",
        "text",
        "run the filter in a sandbox: auto (where there is one), require, or off",
        sandbox_mode,
        "MODE",
    ),
    Option(
        "spend",
        "calls",
        "texts",
        "the call that books a spend: spend, or with its arguments spend(epsilon)",
        metavar="CALL",
    ),
    Option(
        "open",
        "calls",
        "text",
        "how the object is made: (total=epsilon), Budget.instance(epsilon), or "
        "tests.helpers:budget(epsilon)",
        metavar="ARGS",
    ),
    Option("check", "calls", "text", "the call made before each spend, if any", metavar="CALL"),
    Option("refusal", "calls", "text", "the exception that is a refusal", metavar="NAME"),
    Option(
        "granted",
        "calls",
        "text",
        "what is true of a `result` that grants, such as result.ok",
        metavar="EXPRESSION",
    ),
    Option(
        "fails", "calls", "text", "the call made after a mechanism failed, if any", metavar="CALL"
    ),
    Option(
        "between",
        "calls",
        "switch",
        "mechanisms run between the check and the spend (usually: after the spend)",
    ),
    Option(
        "currency",
        "calls",
        "text",
        "approx, pure, zcdp, rdp:ORDERS, gdp or count (default: by the arguments of the call)",
        metavar="NAME",
    ),
    Option("part", "calls", "text", "the argument that names a part of the data", metavar="NAME"),
    Option(
        "free",
        "calls",
        "texts",
        "an argument that the caller chooses: a,b or str, int, rate",
        metavar="NAME=VALUES",
    ),
    Option(
        "clock",
        "calls",
        "text",
        "what tells the time, such as time.time: time passes between requests",
        metavar="FUNCTION",
    ),
    Option(
        "instances",
        "calls",
        "integer",
        "objects that live in one process at the same time (usually one)",
        integer(1),
        "N",
    ),
    Option(
        "python",
        "calls",
        "text",
        "the interpreter that has what the object needs",
        metavar="PATH",
    ),
)
"""All options that mean the same wherever they are given."""


def options_of(*groups: Group) -> list[Option]:
    """Return the options of these groups, in the order of the table."""
    return [one for one in OPTIONS if one.group in groups]


def unknown(name: str, known: Iterable[str], where: str) -> OptionError:
    """Return the error for a name that is not known; it names the nearest one, or all of them.

    >>> str(unknown("epsilom", ["delta", "epsilon"], "here"))
    "unknown key 'epsilom' in here; did you mean 'epsilon'?"
    """
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(names)}"
    return OptionError(f"unknown key {name!r:.80} in {where}; {hint}")


# --- values from a command line ------------------------------------------------------------------


def exact(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return an argparse type that turns a named error into a usage error."""

    def reader(text: str) -> Any:
        try:
            return read(text)
        except (ArithmeticError, ValueError) as error:
            raise ArgumentTypeError(quoted(error)) from None

    return reader


def argument(one: Option) -> dict[str, Any]:
    """Return how argparse, and pytest, declare an option; what is not given is None."""
    declared: dict[str, Any] = {"dest": one.name, "default": None, "help": one.help}
    if one.kind == "switch":
        return {**declared, "action": "store_const", "const": not one.off}
    repeated = {"action": "append"} if one.kind == "texts" else {}
    return {**declared, **repeated, "type": exact(one.read), "metavar": one.metavar}


# --- values from a file --------------------------------------------------------------------------

TYPES: Mapping[Kind, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a string"),
    "texts": ((str, list), "a string or a list of strings"),
    "integer": ((int,), "an integer"),
    "number": ((int, str), "a number, or a string that is one"),
    "switch": ((bool,), "true or false"),
}
"""What a file may hold for each kind; decimals are read as the text they are written as."""


def file_value(option: Option, value: Any) -> Any:
    """Return the value that a file gives to an option.

    >>> file_value(OPTIONS[1], "0.1")
    Fraction(1, 10)
    """
    types, what = TYPES[option.kind]
    if type(value) not in types:
        raise OptionError(f"need {what}; got {value!r:.80}")
    if option.kind == "switch":
        return value
    if option.kind != "texts":
        return option.read(str(value))
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in values):
        raise OptionError(f"need {what}; got {value!r:.80}")
    return tuple(map(option.read, values))
