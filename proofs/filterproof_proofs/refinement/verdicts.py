"""What comes out of a proof that code is never looser than a rule: the verdict, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof_proofs.potential.verdicts import EXIT_CODES, Verdict
from filterproof_proofs.refinement.machine import Choice


@dataclass(frozen=True)
class Call:
    """One request of a concrete run: its costs, what was chosen beside them, whether it ran."""

    costs: Mapping[str, Any]
    choice: Choice
    ran: bool


@dataclass(frozen=True)
class Play:
    """A concrete run from the start, to be made again with the ordinary object."""

    budget: Mapping[str, Any]
    calls: tuple[Call, ...]
    words: str
    offer: int = 0
    """Which of the sets of parameters that a filter offers it is made with."""


@dataclass(frozen=True)
class Excess:
    """A concrete run in which more ran than the rule allows."""

    play: Play
    counted: str
    total: Fraction | None = None
    limit: Fraction | None = None

    def __str__(self) -> str:
        if self.total is None or self.limit is None:
            return f"{self.play.words}: {self.counted}"
        return f"{self.play.words}: {written(self.total)} of {written(self.limit)} ({self.counted})"


@dataclass(frozen=True)
class Refinement:
    """The verdict on code that must never be looser than a rule, and what it covers.

    `replays` are concrete runs with the answers that the interpreter gave: PROVED stands only if
    the ordinary object gives the same ones.
    """

    target: str
    verdict: Verdict
    rule: str
    theorems: tuple[str, ...] = ()
    promise: str = ""
    covers: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    excess: Excess | None = None
    replays: tuple[Play, ...] = ()
    paths: int = 0
    shapes: int = 0
    bounded: int = 0
    """So many requests are proved and no more, where the state grows; 0 if there is no bound."""
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 proved, 1 refuted, 3 open."""
        return EXIT_CODES[self.verdict]

    def lines(self) -> list[str]:
        """Return the verdict as a person reads it."""
        verdict = f"PROVED up to {self.bounded} rounds" if self.bounded else str(self.verdict)
        head = f"{verdict}  {self.target}: {_claim(self)}"
        sized = f"{self.paths} paths, states of {self.shapes} shapes, {self.seconds:.1f} s"
        return [
            head,
            *_lines_with_label("theorem", [", ".join(self.theorems)] if self.theorems else []),
            *_lines_with_label("promise", [self.promise] if self.promise else []),
            *_lines_with_label("covers", self.covers),
            *_lines_with_label("leaves out", self.leaves_out),
            *_lines_with_label("invariant", self.invariant),
            *_lines_with_label("run", [str(self.excess)] if self.excess else []),
            *_lines_with_label("open", self.open),
            *_lines_with_label("took", [sized]),
        ]


def _claim(found: Refinement) -> str:
    if found.verdict is Verdict.PROVED:
        return f"never looser than {found.rule}"
    if found.bounded:
        return f"never looser than {found.rule} in {found.bounded} requests; beyond that it is open"
    if found.verdict is Verdict.REFUTED:
        return f"looser than {found.rule}"
    return f"not shown to be never looser than {found.rule}"


def _lines_with_label(label: str, lines: tuple[str, ...] | list[str]) -> list[str]:
    return [f"  {label if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]


def written(number: Fraction) -> str:
    """Write a number as short as it can be told from others.

    >>> written(Fraction(6, 5)), written(Fraction(1, 3)), written(Fraction(2))
    ('1.2', '1/3', '2')
    """
    short = f"{float(number):g}"
    if Fraction(short) == number or abs(Fraction(short) - number) < abs(number) / 2**50:
        return short
    return str(number) if number.denominator < 10**6 else repr(float(number))
