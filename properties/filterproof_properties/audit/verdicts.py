"""Every verdict, and what a shell, a person and each report see of it: one entry in one table.

`entry` is the table.  A verdict without an entry, or an entry without one of its parts, does not
type-check; a value that is no verdict raises wherever it is looked up, and the command ends with
exit code 4.  Nothing else in the project says what a verdict means.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol, assert_never


class Verdict(StrEnum):
    """The outcome for one target, or for one comparison of two; its value is its name in prose."""

    VIOLATED = "VIOLATED"
    ROUNDING = "holds up to rounding"
    PROVED = "PROVED"
    NOT_FOUND = "no violation found"
    CLAIM_BROKEN = "claim broken"
    FAILED = "target failed"
    INCONCLUSIVE = "inconclusive"
    CONTRADICTION = "PROVED and VIOLATED"
    LOOSER = "LOOSER"
    NOT_LOOSER = "PROVED no looser"
    NO_LOOSER_PLAY = "no looser play found"
    PROOF_LOST = "proof lost"
    WEAKENED = "checks less than the base"


Colour = Literal["red", "green", "magenta", "yellow"]
Junit = Literal["pass", "failure", "error"]
Level = Literal["error", "warning", "note"]
Outcome = Literal["pass", "fail", "unknown"]


@dataclass(frozen=True)
class Rule:
    """A rule of the SARIF report: its name, how bad it is, and what it says."""

    id: str
    level: Level
    says: str


@dataclass(frozen=True)
class Entry:
    """What one verdict means; no part has a default, so none can be forgotten.

    `colour` is that on a terminal and in HTML, `sign` that in Markdown; `junit` the outcome of its
    test case; `sarif` its rule, or that it has no result there; `outcome` what pytest makes of the
    promise of privacy ("unknown" fails every claim).
    """

    exit_code: Literal[0, 1, 2, 3, 4]
    colour: Colour
    sign: str
    junit: Junit
    sarif: Rule | None
    outcome: Outcome
    words: str


def entry(verdict: Verdict) -> Entry:
    """Return what a verdict means."""
    match verdict:
        case Verdict.VIOLATED:
            return Entry(
                exit_code=1,
                colour="red",
                sign="🔴",
                junit="failure",
                sarif=Rule(
                    "violation",
                    "error",
                    "The filter is not (epsilon, delta)-differentially private.",
                ),
                outcome="fail",
                words="a game breaks the promise; the checker accepts its certificate",
            )
        case Verdict.ROUNDING:
            return Entry(
                exit_code=0,
                colour="green",
                sign="🟢",
                junit="pass",
                sarif=Rule(
                    "rounding",
                    "note",
                    "The promise is exceeded by no more than the rounding of doubles.",
                ),
                outcome="pass",
                words="the largest excess found is of the size of rounding in doubles",
            )
        case Verdict.PROVED:
            return Entry(
                exit_code=0,
                colour="green",
                sign="🟢",
                junit="pass",
                sarif=None,
                outcome="pass",
                words="the filter's own code is proved, for what the report says it covers",
            )
        case Verdict.NOT_FOUND:
            return Entry(
                exit_code=0,
                colour="green",
                sign="🟢",
                junit="pass",
                sarif=None,
                outcome="pass",
                words="no game that was tried breaks the promise",
            )
        case Verdict.CLAIM_BROKEN:
            return Entry(
                exit_code=1,
                colour="red",
                sign="🟠",
                junit="pass",
                sarif=None,
                outcome="pass",
                words="the filter is not what it says of itself; no violation of privacy was found",
            )
        case Verdict.FAILED:
            return Entry(
                exit_code=2,
                colour="magenta",
                sign="🟣",
                junit="error",
                sarif=Rule("failed", "error", "The filter raised, hung or broke the protocol."),
                outcome="unknown",
                words="the filter raised, hung or broke the protocol",
            )
        case Verdict.INCONCLUSIVE:
            return Entry(
                exit_code=3,
                colour="yellow",
                sign="🟡",
                junit="error",
                sarif=Rule(
                    "inconclusive", "warning", "Nothing could be concluded about the filter."
                ),
                outcome="unknown",
                words="too little could be tried",
            )
        case Verdict.CONTRADICTION:
            return Entry(
                exit_code=4,
                colour="magenta",
                sign="🟣",
                junit="error",
                sarif=Rule(
                    "contradiction",
                    "error",
                    "The prover and the search disagree: a defect of filterproof.",
                ),
                outcome="unknown",
                words="proved, and a game breaks it: a defect of filterproof, please report it",
            )
        case Verdict.LOOSER:
            return Entry(
                exit_code=1,
                colour="red",
                sign="🔴",
                junit="failure",
                sarif=Rule("looser", "error", "The new version runs what the old one does not."),
                outcome="fail",
                words="the new version runs what the old one does not",
            )
        case Verdict.NOT_LOOSER:
            return Entry(
                exit_code=0,
                colour="green",
                sign="🟢",
                junit="pass",
                sarif=None,
                outcome="pass",
                words="the new version is proved to run nothing that the old one does not",
            )
        case Verdict.NO_LOOSER_PLAY:
            return Entry(
                exit_code=0,
                colour="green",
                sign="🟢",
                junit="pass",
                sarif=None,
                outcome="pass",
                words="on every play that was compared the new version runs no more",
            )
        case Verdict.PROOF_LOST:
            return Entry(
                exit_code=1,
                colour="red",
                sign="🔴",
                junit="failure",
                sarif=Rule("proof-lost", "error", "The code was proved before, and is not now."),
                outcome="fail",
                words="the code was proved before the change, and is not now",
            )
        case Verdict.WEAKENED:
            return Entry(
                exit_code=2,
                colour="red",
                sign="🔴",
                junit="error",
                sarif=Rule("weakened", "error", "Less is checked than the base branch asks for."),
                outcome="unknown",
                words="the configuration checks less than that of the base branch",
            )
        case _:
            assert_never(verdict)


class Judged(Protocol):
    """Anything that carries a verdict: a result, or a record of one."""

    @property
    def verdict(self) -> Verdict:
        """The outcome."""
        ...

    @property
    def as_expected(self) -> bool | None:
        """Whether it is the announced one."""
        ...


SEVERITY = (4, 2, 1, 3, 0)
"""Of several exit codes the first of these counts: a defect of ours before all else."""
NOTHING_TRIED = entry(Verdict.INCONCLUSIVE).exit_code


def exit_code(results: Sequence[Judged], *, expected: bool) -> int:
    """Return the process's exit code: 0, 1 violated, 2 failed, 3 inconclusive, 4 a defect of ours.

    With `expected` (no target was named) it is 0 iff every verdict is the announced one.
    """
    codes = {one.verdict: entry(one.verdict).exit_code for one in results}
    if not (expected and results):
        return worst_code(codes.values())
    strange = [codes[one.verdict] for one in results if not one.as_expected]
    return (worst_code(strange) or 1) if strange else 0


def worst_code(codes: Iterable[int]) -> int:
    """Return the exit code of several targets; of none it is that of nothing tried.

    >>> worst_code([0, 3, 1]), worst_code([0, 0]), worst_code([])
    (1, 0, 3)
    """
    return min(codes, key=SEVERITY.index, default=NOTHING_TRIED)
