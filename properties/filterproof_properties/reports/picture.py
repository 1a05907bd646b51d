"""A certificate as a tree that a person can read: requests, answers, outputs, likelihoods, S.

The turns of a certificate form a graph, since equal histories stay merged.  Each turn is drawn
once, where it is first reached; its likelihoods are those of all the histories that lead to it.
"""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from filterproof.certificate import ODOMETER_SCHEMA
from filterproof.exact import ExpLinear, parse_epsilon, parse_rational
from filterproof_properties.audit.record import SMALL
from filterproof_properties.targets.budget.names import is_budget_object

CROWDED = 4
"""So many rounds in a row that are alike are drawn as one turn."""


@dataclass(frozen=True)
class Branch:
    """What follows one output: P_x and P_x′ of the transcripts so far, and the next turn.

    `turn` is None where the transcript ends, or where the next turn is drawn elsewhere: then
    `again` is its number.  `reported` is what an odometer says there.
    """

    output: str
    p: Fraction
    q: Fraction
    in_event: bool
    turn: "Turn | None"
    again: int | None = None
    reported: str = ""


@dataclass(frozen=True)
class Turn:
    """One request of the adversary and the filter's answer.

    `times` rounds in a row that are alike are drawn as one turn: its likelihoods are those of all
    of them together.
    """

    number: int
    request: str
    decision: str
    branches: tuple[Branch, ...]
    times: int = 1


@dataclass(frozen=True)
class Picture:
    """The whole violation: who, which budget, which pair, the tree, and the two sides.

    `epsilon` and `delta` are what the pair is promised.  `reports` is set where it is an
    odometer's: `value` is then the probability of S under x.
    `own_words` tells the violation of a budget object by its own calls.
    """

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
    reports: bool = False
    own_words: tuple[str, ...] = ()

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
    drawing = _Drawing(data)
    first, (mass_x, mass_x_prime) = drawing.first(), drawing.event_masses()
    reports = data["schema"] == ODOMETER_SCHEMA
    epsilon, delta = promise_of(data)
    return Picture(
        data["target"],
        epsilon,
        parse_rational(delta),
        (data["pair"][0], data["pair"][1]),
        data["parameters"],
        first,
        count_turns(first),
        mass_x,
        mass_x_prime,
        ExpLinear(mass_x, 0 if reports else -mass_x_prime, parse_epsilon(epsilon)),
        reports,
        own_words(data["target"], certificate),
    )


def promise_of(data: Any) -> tuple[str, str]:
    """Return the epsilon and delta of the pair: its own, where pairs have promises."""
    own = {(x, x_): (epsilon, delta) for x, x_, epsilon, delta in data["game"].get("promises", [])}
    return own.get(tuple(data["pair"]), (data["epsilon"], data["delta"]))


def own_words(target: str, certificate: str) -> tuple[str, ...]:
    """Return the violation of a budget object by its own calls; of other targets nothing."""
    if not is_budget_object(target):
        return ()
    from filterproof_properties.reports import own_words as budget_words  # loads numpy

    return tuple(budget_words.own_words(certificate))


def count_turns(first: Turn) -> int:
    """Return how many turns are drawn."""
    todo = [first]
    for turn in todo:  # grows while it is read
        todo += [branch.turn for branch in turn.branches if branch.turn]
    return len(todo)


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

    def _law(self, number: int) -> Any:
        return self.nodes[self.answers[number]["node"]][self.adversary[number]]["law"]

    def _masses(self, number: int, y: str) -> tuple[Fraction, Fraction]:
        p, q = self.reach[number]
        if not y:  # halted or refused: nothing is released
            return p, q
        row, (x, x_) = self._law(number)[y], self.pair
        return p * parse_rational(row[x]), q * parse_rational(row[x_])

    def event_masses(self) -> tuple[Fraction, Fraction]:
        """Return P_x and P_x′ of the winning set."""
        masses = [self._masses(*end) for end in self.event]
        p, q = (sum((one[i] for one in masses), Fraction(0)) for i in (0, 1))
        return p, q

    def first(self) -> Turn:
        """Return the first turn, with all that follows it."""
        if self._is_uniform():
            return self._uniform()
        drawn: dict[int, Turn] = {}
        for number in reversed(range(len(self.answers))):
            answer = self.answers[number]
            outputs = answer["then"] or {"": None}
            branches = [self._branch(number, y, after, drawn) for y, after in outputs.items()]
            request, decision = self.adversary[number], answer["decision"]
            drawn[number] = Turn(number, request, decision, tuple(branches))
        return fold(drawn, self._chains())

    def _branch(self, number: int, y: str, after: int | None, drawn: dict[int, Turn]) -> Branch:
        p, q = self._masses(number, y)
        won = (number, y) in self.event
        told = self.answers[number].get("reported", {}).get(y, "")
        if after is None or self.parent[after] == (number, y):
            there = drawn[after] if after is not None else None
            return Branch(y, p, q, won, there, reported=told)
        return Branch(y, p, q, won, None, again=after, reported=told)

    def _kind(self, number: int) -> tuple[str, ...]:
        """What is asked at a turn, of which mechanism, and what is answered."""
        answer = self.answers[number]
        said = self.adversary[number], answer["decision"], str(answer.get("reported", ""))
        return (*said, json.dumps(self._law(number), sort_keys=True) if said[0] else "")

    def _is_uniform(self) -> bool:
        """Whether every round is like the first, and the play branches."""
        numbers = range(len(self.answers))
        goes = [sum(to is not None for to in a["then"].values()) for a in self.answers]
        return len(goes) >= CROWDED and max(goes) > 1 and len({*map(self._kind, numbers)}) == 1

    def _uniform(self) -> Turn:
        """Return one turn for a play in which every round is like the first."""
        ends = [
            (n, y) for n, a in enumerate(self.answers) for y, to in a["then"].items() if to is None
        ]
        won = [end for end in ends if end in self.event]
        label = f"{len(won)} of {len(ends)} endings", f"{len(ends) - len(won)} other endings"
        parts = won, [end for end in ends if end not in self.event]
        branches = (
            _together(name, [self._masses(*end) for end in part], part is won)
            for name, part in zip(label, parts, strict=True)
            if part
        )
        return Turn(
            0, self.adversary[0], self.answers[0]["decision"], tuple(branches), self._depth()
        )

    def _depth(self) -> int:
        depth = [1] * len(self.answers)
        for number in reversed(range(len(self.answers))):
            below = [depth[to] for to in self.answers[number]["then"].values() if to is not None]
            depth[number] = 1 + max(below, default=0)
        return depth[0]

    def _chains(self) -> dict[int, tuple[int, str]]:
        """Return for each turn the next one, if it is just like it, and the output between them."""
        found = {}
        for number, answer in enumerate(self.answers):
            goes = [(y, to) for y, to in answer["then"].items() if to is not None]
            if len(goes) == 1 and goes[0][0] and self._alike(number, *goes[0]):
                found[number] = (goes[0][1], goes[0][0])
        return found

    def _alike(self, number: int, y: str, after: int) -> bool:
        other = self.answers[after]["then"]
        ended = [one for one in self.answers[number]["then"] if one != y]
        return (
            self._kind(number) == self._kind(after)
            and self.parent[after] == (number, y)
            and all(other.get(one, 0) is None for one in ended)
            and all(((number, one) in self.event) == ((after, one) in self.event) for one in ended)
            and len(other) == len(ended) + 1
        )


def _together(name: str, masses: list[tuple[Fraction, Fraction]], won: bool) -> Branch:
    p, q = (sum((mass[i] for mass in masses), Fraction(0)) for i in (0, 1))
    return Branch(name, p, q, won, None)


def fold(drawn: dict[int, Turn], chains: dict[int, tuple[int, str]]) -> Turn:
    """Return the first turn, in which rows of rounds that are alike are one turn each."""
    inside = {after for after, _ in chains.values()}
    made: dict[int, Turn] = {}
    for number in sorted(drawn, reverse=True):
        row = [number]
        while number not in inside and row[-1] in chains:
            row.append(chains[row[-1]][0])
        if len(row) >= CROWDED:
            made[number] = _row([drawn[one] for one in row], chains[number][1], made)
        else:
            made[number] = _with(drawn[number], made)
    return made[0]


def _with(turn: Turn, made: dict[int, Turn]) -> Turn:
    """Return a turn with its later turns as they were made."""
    branches = (replace(b, turn=made[b.turn.number]) if b.turn else b for b in turn.branches)
    return replace(turn, branches=tuple(branches))


def _row(turns: list[Turn], y: str, made: dict[int, Turn]) -> Turn:
    """Return several turns as one: ended outputs add up, the rest goes on after the last."""
    last = {branch.output: branch for branch in _with(turns[-1], made).branches}
    ended = [
        _together(
            b.output,
            [(c.p, c.q) for turn in turns for c in turn.branches if c.output == b.output],
            b.in_event,
        )
        for b in turns[0].branches
        if b.output != y
    ]
    return replace(turns[0], branches=(*ended, last[y]), times=len(turns))
