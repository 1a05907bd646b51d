"""Games of a fixed shape as linear constraints: the unknowns are the masses of transcripts.

With (e^ε, δ̃, θ) fixed, whether a transcript's loss exceeds ε, whether the look-ahead check passes
and what the best adversary collects are all linear in the joint masses `P` (under x) and `Q` (e^ε
times that under x'), where conditional probabilities would multiply. The solver is free in every
law of the game.

What keeps the space small: a mechanism after which the game ends needs three outputs only, one
that betrays x, one that betrays x' and one that betrays neither, since outputs of a kind may be
merged. The first round has one request. The adversary asks for what it saw: output y is answered
by request y, and by the last request where y names none; with one output more than requests, every
plan that uses all requests is this one after renaming. From the second round on, the game goes on
only after an output that names no request, and only under the request the adversary sends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

import z3

from filterproof_proofs.smt.statement import nonnegative, rational, total, where

History = tuple[tuple[int, int], ...]  # (request, output), round by round
BETRAYS_X, BETRAYS_X_PRIME, BETRAYS_NEITHER = range(3)


class Rule(Enum):
    """Where the look-ahead check puts the requests."""

    PUBLISHED = "for every request: P(safe for it) >= 1-θ"
    REPAIRED = "P(safe for every request) >= 1-θ"


@dataclass(frozen=True)
class Shape:
    """How many rounds, outputs (where the game goes on) and requests (from round two on)."""

    rounds: int
    outputs: int
    requests: int

    def requests_after(self, history: History) -> range:
        """The requests on offer."""
        return range(self.requests if history else 1)

    def plan(self, history: History) -> int:
        """The request the adversary sends: the one its last output names, or the last one."""
        return min(history[-1][1], self.requests - 1) if history else 0

    def goes_on(self, history: History, request: int) -> bool:
        """Whether another round follows this one."""
        if len(history) == self.rounds - 1:
            return False
        hit = bool(history) and history[-1][1] < self.requests
        return request == self.plan(history) and not hit

    def after(self, history: History, request: int) -> list[History]:
        """The transcripts one output later."""
        outputs = self.outputs if self.goes_on(history, request) else 3
        return [(*history, (request, output)) for output in range(outputs)]

    def menus(self, history: History = ()) -> Iterator[History]:
        """Every transcript after which a request is awaited, earlier ones first."""
        yield history
        for request in self.requests_after(history):
            if self.goes_on(history, request):
                for later in self.after(history, request):
                    yield from self.menus(later)


@dataclass(frozen=True)
class Tree:
    """All games of a shape, and what a filter with this rule and these parameters does in them."""

    shape: Shape
    rule: Rule
    odds: Fraction  # e^ε
    delta_tilde: Fraction
    theta: Fraction
    P: dict[History, z3.ArithRef] = field(default_factory=dict)
    Q: dict[History, z3.ArithRef] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.P[()], self.Q[()] = rational(1), rational(self.odds)
        for history in self.shape.menus():
            for request in self.shape.requests_after(history):
                for later in self.shape.after(history, request):
                    self.P[later] = z3.Real(f"P({name(later)})")
                    self.Q[later] = z3.Real(f"Q({name(later)})")

    def laws(self) -> list[z3.BoolRef]:
        """Masses are non-negative, add up, and outputs at the end are of the kind they say."""
        given = []
        for history in self.shape.menus():
            for request in self.shape.requests_after(history):
                after = self.shape.after(history, request)
                for mass in (self.P, self.Q):
                    given += nonnegative(*(mass[later] for later in after))
                    given += [total([mass[later] for later in after]) == mass[history]]
                if not self.shape.goes_on(history, request):
                    given += self._kinds(after)
        return given

    def _kinds(self, after: list[History]) -> list[z3.BoolRef]:
        first, second, third = after
        absent = [z3.And(self.P[h] == 0, self.Q[h] == 0) for h in after]
        return [
            z3.Or(self.exceeds(first), absent[BETRAYS_X]),
            z3.Or(self.exceeds_back(second), absent[BETRAYS_X_PRIME]),
            z3.Not(z3.Or(self.exceeds(third), self.exceeds_back(third))),
        ]

    def exceeds(self, history: History) -> z3.BoolRef:
        """The loss of (x, x') is above ε."""
        return self.P[history] > self.Q[history]

    def exceeds_back(self, history: History) -> z3.BoolRef:
        """The loss of (x', x) is above ε; Q carries one factor e^ε already."""
        return self.Q[history] > rational(self.odds**2) * self.P[history]

    def directions(self) -> list[tuple[dict[History, z3.ArithRef], int]]:
        """The two ordered pairs: a mass, and the output that betrays it."""
        return [(self.P, BETRAYS_X), (self.Q, BETRAYS_X_PRIME)]

    def safe(self, history: History, request: int, direction: int) -> z3.BoolRef:
        """y is in the set Ỹ(δ̃): the next loss is above ε with probability at most δ̃."""
        mass, betrayed = self.directions()[direction]
        after = self.shape.after(history, request)
        over = (self.exceeds, self.exceeds_back)[direction]
        if not self.shape.goes_on(history, request):
            overshoot = mass[after[betrayed]]
        else:
            overshoot = total([where(over(later), mass[later]) for later in after])
        return overshoot <= rational(self.delta_tilde) * mass[history]

    def check(self, history: History, request: int) -> z3.BoolRef:
        """The rule's look-ahead check, for both ordered pairs."""
        after = self.shape.after(history, request)
        asked = list(self.shape.requests_after(after[0]))
        groups = [asked] if self.rule is Rule.REPAIRED else [[one] for one in asked]
        return z3.And([self._mostly_safe(after, group, d) for group in groups for d in (0, 1)])

    def _mostly_safe(self, after: list[History], group: list[int], direction: int) -> z3.BoolRef:
        """The outputs that are safe for the whole group have probability at least 1-θ."""
        mass, _ = self.directions()[direction]
        safe = [z3.And([self.safe(y, r, direction) for r in group]) for y in after]
        kept = total([where(good, mass[y]) for good, y in zip(safe, after, strict=True)])
        return kept >= rational(1 - self.theta) * mass[after[0][:-1]]

    def starts(self) -> z3.BoolRef:
        """Round 0: the first output is safe for every request."""
        return z3.And([self.safe((), 0, direction) for direction in (0, 1)])

    def value(self, history: History = ()) -> z3.ArithRef:
        """What the adversary collects from here: the hockey-stick divergence of (x, x')."""
        request = self.shape.plan(history)
        after = self.shape.after(history, request)
        if not self.shape.goes_on(history, request):
            return self.P[after[BETRAYS_X]] - self.Q[after[BETRAYS_X]]
        halted = total([where(self.exceeds(y), self.P[y] - self.Q[y]) for y in after])
        ahead = total([self.value(y) for y in after])
        return z3.If(self.check(history, request), ahead, halted)

    def telling(self) -> frozenset[str]:
        """The masses that show how the adversary wins: where it passes, and where x is betrayed."""
        played = [h for menu in self.shape.menus() for h in self._histories_after(menu)]
        return frozenset(f"P({name(history)})" for history in played)

    def _histories_after(self, history: History) -> list[History]:
        request = self.shape.plan(history)
        after = self.shape.after(history, request)
        return after if self.shape.goes_on(history, request) else [after[BETRAYS_X]]


def name(history: History) -> str:
    """A transcript for people: outputs in order, and the requests that were a choice.

    >>> name(((0, 2), (1, 0)))
    '2, ask 1, 0'
    """
    (_, first), *rest = history
    return ", ".join([str(first), *(f"ask {request}, {output}" for request, output in rest)])


def optimum(tree: Tree) -> Fraction:
    """The largest divergence any game of the shape reaches under the rule, exactly."""
    search = z3.Optimize()
    search.add(*tree.laws(), tree.starts())
    goal = search.maximize(tree.value())
    if str(search.check()) != "sat":
        raise ArithmeticError("no game of this shape was found, which cannot be")
    return Fraction(search.upper(goal).as_fraction())
