"""A certificate as a tree that a person can read: requests, answers, outputs, likelihoods, S.

The turns of a certificate form a graph, since equal histories stay merged.  Each turn is drawn
once, where it is first reached; its likelihoods are those of all the histories that lead to it.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import ExpLinear, parse_epsilon, parse_rational

SMALL = Fraction(1, 2**40)
"""An excess below this share of δ (below this, where δ = 0) takes no more than sums of doubles."""


@dataclass(frozen=True)
class Branch:
    """What follows one output: P_x and P_x′ of the transcripts so far, and the next turn.

    `turn` is None where the transcript ends, or where the next turn is drawn elsewhere: then
    `again` is its number.
    """

    output: str
    p: Fraction
    q: Fraction
    in_event: bool
    turn: "Turn | None"
    again: int | None = None


@dataclass(frozen=True)
class Turn:
    """One request of the adversary and the filter's answer."""

    number: int
    request: str
    decision: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Picture:
    """The whole violation: who, which budget, which pair, the tree, and the two sides."""

    target: str
    epsilon: str
    delta: Fraction
    pair: tuple[str, str]
    parameters: dict[str, Any]
    first: Turn
    turns: int
    mass_x: Fraction
    mass_x_prime: Fraction
    value: ExpLinear

    @property
    def ratio(self) -> float | None:
        """H/δ for display; None where δ = 0."""
        return float(self.value / self.delta) if self.delta else None

    @property
    def caution(self) -> str:
        """A sentence for an excess that is real but tiny; empty for any other."""
        excess = self.value - self.delta
        if excess >= SMALL * (self.delta or 1):
            return ""
        return f"The excess, {float(excess):.2g}, is of the size of rounding errors in doubles."


def picture(certificate: str) -> Picture:
    """Return the picture of a certificate that the checker has accepted."""
    data = json.loads(certificate)
    mass_x, mass_x_prime = (parse_rational(data[key]) for key in ("mass_x", "mass_x_prime"))
    return Picture(
        data["target"],
        data["epsilon"],
        parse_rational(data["delta"]),
        (data["pair"][0], data["pair"][1]),
        data["parameters"],
        _Drawing(data).turn(0),
        len(data["answers"]),
        mass_x,
        mass_x_prime,
        ExpLinear(mass_x, -mass_x_prime, parse_epsilon(data["epsilon"])),
    )


class _Drawing:
    """Draws turns from the last to the first, so that no recursion is as deep as the game."""

    def __init__(self, data: Any) -> None:
        self.answers, self.adversary = data["answers"], data["adversary"]
        self.nodes, self.pair = data["game"]["nodes"], data["pair"]
        self.event = {(turn, y) for turn, y in data["event"]}
        self.reach = [[Fraction(number == 0)] * 2 for number in range(len(self.answers))]
        self.parent: dict[int, tuple[int, str]] = {}
        self._spread()

    def _spread(self) -> None:
        for number, answer in enumerate(self.answers):
            for y, after in answer["then"].items():
                if after is None:
                    continue
                self.parent.setdefault(after, (number, y))
                for i, mass in enumerate(self._masses(number, y)):
                    self.reach[after][i] += mass

    def _masses(self, number: int, y: str) -> tuple[Fraction, Fraction]:
        p, q = self.reach[number]
        if not y:  # halted or refused: nothing is released
            return p, q
        row = self.nodes[self.answers[number]["node"]][self.adversary[number]]["law"][y]
        x, x_ = self.pair
        return p * parse_rational(row[x]), q * parse_rational(row[x_])

    def turn(self, wanted: int) -> Turn:
        drawn: dict[int, Turn] = {}
        for number in reversed(range(len(self.answers))):
            answer = self.answers[number]
            outputs = answer["then"] or {"": None}
            branches = [self._branch(number, y, after, drawn) for y, after in outputs.items()]
            request, decision = self.adversary[number], answer["decision"]
            drawn[number] = Turn(number, request, decision, tuple(branches))
        return drawn[wanted]

    def _branch(self, number: int, y: str, after: int | None, drawn: dict[int, Turn]) -> Branch:
        p, q = self._masses(number, y)
        won = (number, y) in self.event
        if after is None or self.parent[after] == (number, y):
            return Branch(y, p, q, won, drawn[after] if after is not None else None)
        return Branch(y, p, q, won, None, again=after)
