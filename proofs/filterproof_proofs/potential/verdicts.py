"""What comes out of a proof of code: PROVED, REFUTED with numbers, or OPEN with what is open."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon, format_epsilon
from filterproof.game.law import Database, Law, Output
from filterproof_proofs.potential.rules import Broken
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.shapes import Shape, describe


class Verdict(StrEnum):
    """The verdict on a filter's code."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    OPEN = "OPEN"


EXIT_CODES = {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.OPEN: 3}


RESTS_ON, CONVERSE = "potential_private", "potential_exists"
"""The theorems of `proofs/coq/Registry.v` that lead from rounds to plays, and back."""


@dataclass(frozen=True)
class Round:
    """One concrete round: everything in exact numbers; no solver is needed to read it."""

    index: int
    epsilon: Epsilon
    delta: Fraction
    parameters: Mapping[str, Any]
    state: "KnownState | None"
    mass: Mapping[Database, Fraction]
    law: Law
    declared: tuple[Fraction, Fraction] | None = None
    after: Mapping[Output, Mapping[str, Law]] = field(default_factory=dict)
    others: Mapping[str, Law] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownState:
    """A state in numbers: its shape, and a number for every hole."""

    shape: Shape
    numbers: tuple[Any, ...]

    def made(self, epsilon: Epsilon, find: Callable[[str, str], Any]) -> Any:
        """Return the state; `find` gives the classes of the code."""
        numbers = iter(self.numbers)
        return fill(self.shape, lambda kind: next(numbers), epsilon, find)

    def __str__(self) -> str:
        return describe(self.shape, iter(self.numbers))


@dataclass(frozen=True)
class Refutation:
    """A rule of a potential that one round breaks, and the round."""

    broken: Broken
    round: Round

    @property
    def rule(self) -> str:
        """The rule, in words."""
        return self.broken.rule

    def lines(self) -> list[str]:
        """Return the round in words and numbers."""
        here = self.round
        law = "; ".join(
            f"{y}: " + ", ".join(f"P_{x} = {p}" for x, p in row.items())
            for y, row in here.law.items()
        )
        masses = ", ".join(f"{x}: {w}" for x, w in here.mass.items())
        given = ", ".join(f"{name} = {value}" for name, value in here.parameters.items())
        return [
            f"rule       {self.rule}",
            f"budget     epsilon = {format_epsilon(here.epsilon)}, delta = {here.delta}"
            + (f", {given}" if given else ""),
            f"round      {here.index}, likelihoods {{{masses}}}, pair {self.broken.pair}",
            f"state      {here.state or 'the first one'}",
            f"law        {law}",
            *(
                [f"declared   odds {here.declared[0]}, delta {here.declared[1]}"]
                if here.declared
                else []
            ),
            *(f"menu after {y}: {_menu(menu)}" for y, menu in here.after.items()),
            f"answer     {self.broken.decision}",
            f"inequality {self.broken.left} <= {self.broken.right} is false",
        ]


def _menu(menu: Mapping[str, Law]) -> str:
    laws = (
        f"{r} with {{"
        + "; ".join(f"{y}: {', '.join(map(str, row.values()))}" for y, row in law.items())
        + "}"
        for r, law in menu.items()
    )
    return ", ".join(laws) or "nothing"


@dataclass(frozen=True)
class OpenQuestion:
    """A question that was not answered: where, which, and what it took."""

    where: str
    question: str
    seconds: float


@dataclass(frozen=True)
class Part:
    """What was asked about states of one shape: verdict, paths, questions and time."""

    shape: str
    verdict: Verdict
    paths: int
    questions: int
    seconds: float


@dataclass(frozen=True)
class SecondOpinions:
    """How often the second solver agreed, and how often it could not say; None if not asked."""

    agreed: int = 0
    unknown: int = 0
    asked: bool = True


@dataclass(frozen=True)
class CodeProof:
    """The verdict on a filter's code and what it covers."""

    target: str
    verdict: Verdict
    outputs: int
    databases: int
    menus: bool
    parts: tuple[Part, ...]
    second: SecondOpinions
    seconds: float
    refutation: Refutation | None = None
    open: tuple[OpenQuestion, ...] = ()
    parameters: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    """Parameters that are no numbers, as they were offered."""

    @property
    def exit_code(self) -> int:
        """0 proved, 1 refuted, 3 open."""
        return EXIT_CODES[self.verdict]

    def covered(self) -> str:
        """Say what the verdict PROVED is about."""
        menus = ", at most 2 requests of at most 2 outputs in each menu" if self.menus else ""
        given = f" and {', '.join(self.parameters)}" if self.parameters else ""
        fixed = f"with {', '.join(self.fixed)}, " if self.fixed else ""
        return (
            f"{fixed}every law with at most {self.outputs} outputs{menus}, {self.databases} "
            "databases that are all neighbours, every epsilon (rational or log(q)), "
            f"delta{given} that the filter accepts, every "
            "likelihood, every state that the potential and the invariant allow; any number of "
            "rounds, any adversary"
        )

    def not_covered(self) -> str:
        """Say what it is not about."""
        menus = ", larger menus" if self.menus else ""
        return (
            f"laws with more than {self.outputs} outputs{menus}, more than {self.databases} "
            "databases, arguments of the target that parameters() does not offer (they have their "
            "defaults), floats"
        )

    def explanation(self) -> str:
        """Say why one round is enough."""
        return (
            "remaining() is a potential: it starts at delta or below, is never negative, pays for "
            "every round that runs and never grows by a refusal. So H, the expected sum of the "
            f"charges, is at most delta ({RESTS_ON} in Coq; every private filter has a potential: "
            f"{CONVERSE}; docs/PROVE.md)."
        )
