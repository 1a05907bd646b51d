"""What the lemma runner says about one lemma: plain data, readable without any solver installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What the solvers make of a statement."""

    PROVED = "proved"  # no solver finds a counterexample and each says there is none
    REFUTED = "refuted"  # a counterexample, re-evaluated with fractions
    UNKNOWN = "unknown"  # some solver gave up, or its model did not survive re-evaluation
    DISAGREEMENT = "disagreement"  # one solver says sat, another unsat
    VACUOUS = "vacuous"  # proved, but nothing satisfies its premises

    @property
    def opposite(self) -> "Verdict":
        """What a control must get where the lemma gets this.

        >>> Verdict.PROVED.opposite
        <Verdict.REFUTED: 'refuted'>
        """
        return Verdict.REFUTED if self is Verdict.PROVED else Verdict.PROVED


@dataclass(frozen=True)
class Outcome:
    """One statement, what was expected of it, and what came out."""

    words: str
    expected: Verdict
    verdict: Verdict
    answers: Mapping[str, str]  # solver -> "sat", "unsat" or "unknown"
    model: Mapping[str, str]  # the counterexample in readable numbers; empty unless refuted
    seconds: float
    audit: str = ""  # what the audit says about the counterexample, where it is a game

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one this statement must get."""
        return self.verdict is self.expected


@dataclass(frozen=True)
class Entry:
    """A lemma's line in the table: its own outcome, and that of each of its controls."""

    label: str
    area: str
    place: str  # where in the paper
    outcome: Outcome
    controls: tuple[Outcome, ...]

    @property
    def as_expected(self) -> bool:
        """Whether the lemma and every control came out as they must."""
        return bool(self.controls) and all(o.as_expected for o in (self.outcome, *self.controls))

    @property
    def seconds(self) -> float:
        """The time spent on the lemma and on its controls."""
        return sum(o.seconds for o in (self.outcome, *self.controls))
