"""A certificate on a command line: re-checked in bounded time, then held against its target.

`check`, `explain` and `repro` all begin with this, so that none of them accuses a target that was
never asked without saying so.
"""

import argparse
import shlex
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from filterproof.certificate import Certificate, ReplayMismatch, read_certificate
from filterproof_proofs.certificates import check
from filterproof_proofs.checker import MAX_CHARACTERS, MAX_SECONDS, Rejected, within
from filterproof_properties.audit.verdicts import Verdict, entry
from filterproof_properties.cli.busy import busy
from filterproof_properties.cli.options import add_options, limits
from filterproof_properties.options.table import exact, positive_seconds
from filterproof_properties.processes.reading import read_in_time
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets import loading
from filterproof_properties.targets.replaying import run_replay
from filterproof_properties.targets.target import Declined

DOES_NOT_HOLD = 1
UNDECIDED = entry(Verdict.INCONCLUSIVE).exit_code


@dataclass(frozen=True)
class Examined:
    """A certificate that holds; `answers` were given again by `asked`, None if nobody was asked."""

    text: str
    summary: str
    certificate: Certificate
    asked: str | None = None
    answers: int = 0

    @property
    def standing(self) -> str:
        """Whether a target was asked, in one line."""
        if self.asked is not None:
            return f"replayed: {self.asked} gives all {self.answers} answers"
        named = self.certificate.target
        words = shell_word(f"{named:.200}")  # whoever pastes it runs a stranger's text
        return f"not replayed: {named} was not asked; --replay {words} asks it"


def shell_word(text: str) -> str:
    """Return a text as one word of a shell; in double quotes where these alone are enough.

    >>> print(shell_word("shop.py:Budget --spend 'spend(epsilon)'"), shell_word("$HOME's"))
    "shop.py:Budget --spend 'spend(epsilon)'" '$HOME'"'"'s'
    """
    return f'"{text}"' if "'" in text and not set(text) & {*'"$`\\!\n'} else shlex.quote(text)


def add_certificate(made: argparse.ArgumentParser) -> None:
    """Declare the certificate, and who is asked."""
    made.add_argument("certificate", type=Path, metavar="CERT.json")
    made.add_argument(
        "--replay",
        metavar="TARGET",
        help="ask this filter for every answer, instead of the built-in one that is named",
    )
    made.add_argument(
        "--seconds",
        type=exact(positive_seconds),
        default=float(MAX_SECONDS),
        metavar="S",
        help=f"processor seconds that the check may take (default {MAX_SECONDS})",
    )
    add_options(made, "limits")


def examine(options: argparse.Namespace) -> Examined | int:
    """Return the certificate if it holds and its target answers so; else say why, return a code."""
    try:
        with busy(f"{options.certificate} ..."):
            return _examine(options)
    except (Rejected, ReplayMismatch) as why:
        return _ends(f"rejected: {quoted(why, 2000)}", DOES_NOT_HOLD)
    except TimeoutError as why:
        return _ends(f"undecided: {why}", UNDECIDED)
    except Declined as why:
        said = f"not replayed: the target declines this budget: {quoted(why, 2000)}"
        return _ends(said, UNDECIDED)


def _ends(said: str, code: int) -> int:
    sys.stdout.write(f"{said}\n")
    return code


def _examine(options: argparse.Namespace) -> Examined:
    text = read_text(options.certificate)
    summary = checked_summary(text, options.seconds)
    found = Examined(text, summary, read_certificate(text))
    built_in = found.certificate.target in {one.name for one in loading.BUILT_INS}
    asked = options.replay or (found.certificate.target if built_in else None)
    if asked is None or getattr(options, "no_replay", False):
        return found
    answers = run_replay(asked, text, limits(options))
    return Examined(text, summary, found.certificate, asked, answers)


def read_text(path: Path) -> str:
    """Return the text of a certificate, of which no more is read than one may have.

    Lines may end as on Windows: git writes them so there.
    """
    return read_in_time(path, MAX_CHARACTERS + 1).decode("ascii").replace("\r\n", "\n")


def checked_summary(text: str, seconds: float) -> str:
    """Return the checker's summary, within so many seconds of this process's own time."""
    if threading.current_thread() is not threading.main_thread():
        return check(text)  # only the main thread has a timer
    return within(seconds, lambda: check(text))
