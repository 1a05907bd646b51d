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


def passing(words: str, sarif: Rule | None) -> Entry:
    """Return the entry of a verdict that is good news."""
    return Entry(0, "green", "🟢", "pass", sarif, "pass", words)


def failing(words: str, sarif: Rule) -> Entry:
    """Return the entry of a verdict that shows a broken promise."""
    return Entry(1, "red", "🔴", "failure", sarif, "fail", words)


def entry(verdict: Verdict) -> Entry:
    """Return what a verdict means."""
    match verdict:
        case Verdict.VIOLATED:
            says = "The filter is not (epsilon, delta)-differentially private."
            words = "a game breaks the promise; the checker accepts its certificate"
            return failing(words, Rule("violation", "error", says))
        case Verdict.ROUNDING:
            says = "The promise is exceeded by no more than the rounding of doubles."
            words = "the largest excess found is of the size of rounding in doubles"
            return passing(words, Rule("rounding", "note", says))
        case Verdict.PROVED:
            words = "the filter's own code is proved, for what the report says it covers"
            return passing(words, None)
        case Verdict.NOT_FOUND:
            return passing("no game that was tried breaks the promise", None)
        case Verdict.CLAIM_BROKEN:
            words = "the filter is not what it says of itself; no violation of privacy was found"
            return Entry(1, "red", "🟠", "pass", None, "pass", words)
        case Verdict.FAILED:
            words = "the filter raised, hung or broke the protocol"
            rule = Rule("failed", "error", "The filter raised, hung or broke the protocol.")
            return Entry(2, "magenta", "🟣", "error", rule, "unknown", words)
        case Verdict.INCONCLUSIVE:
            says = "Nothing could be concluded about the filter."
            rule = Rule("inconclusive", "warning", says)
            return Entry(3, "yellow", "🟡", "error", rule, "unknown", "too little could be tried")
        case Verdict.CONTRADICTION:
            says = "The prover and the search disagree: a defect of filterproof."
            words = "proved, and a game breaks it: a defect of filterproof, please report it"
            rule = Rule("contradiction", "error", says)
            return Entry(4, "magenta", "🟣", "error", rule, "unknown", words)
        case Verdict.LOOSER:
            says = "The new version runs what the old one does not."
            words = "the new version runs what the old one does not"
            return failing(words, Rule("looser", "error", says))
        case Verdict.NOT_LOOSER:
            words = "the new version is proved to run nothing that the old one does not"
            return passing(words, None)
        case Verdict.NO_LOOSER_PLAY:
            words = "on every play that was compared the new version runs no more"
            return passing(words, None)
        case Verdict.PROOF_LOST:
            says = "The code was proved before, and is not now."
            words = "the code was proved before the change, and is not now"
            return failing(words, Rule("proof-lost", "error", says))
        case Verdict.WEAKENED:
            words = "the configuration checks less than that of the base branch"
            rule = Rule("weakened", "error", "Less is checked than the base branch asks for.")
            return Entry(2, "red", "🔴", "error", rule, "unknown", words)
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
