"""The filter that runs longest on a known game: a linear program, rounded, then audited exactly.

Let z be the probability that a round (r^i, y^{i-1}) is run given the outputs on the way to it,
where a coin that ignores x decides.  A round's charge for a pair, times the likelihood, is C.  The
play is (ε, δ)-DP iff for every pair there are v >= 0 with

    v(position) >= z·C + sum over outputs of v(position after it),   for every request,

and v <= δ at the start.  This is linear in z, and so is the expected number of rounds (`rounds`).
With z in [0, 1] the optimum may toss coins; with z in {0, 1} it is a deterministic filter.

HiGHS solves both in floating point.  What it returns is rounded down to rationals and then audited
with the exact adversary; if that finds H > δ the program is solved again for a smaller δ.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array

from filterproof.exact import Epsilon, ExactError, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.run_all import RunAll
from filterproof.game import OPENING, Game, History, Mechanism, Request, Step, opening
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge
from filterproof.witness import worst_case

MOST_CHOICES = 5_000
_GRID = 2**30
_MARGINS = (Fraction(0), *(Fraction(1, 2**k) for k in (40, 30, 20, 10, 1)), Fraction(1))


class TooLarge(ExactError):
    """A game with more partial transcripts than the program is written for."""


class Unsolved(ExactError):
    """A program that the solver gave up on; running nothing would have been feasible."""


@dataclass(frozen=True)
class Choice:
    """A partial transcript (r^i, y^{i-1}) that may be run or not."""

    position: int
    step: Step
    weight: Fraction  # its probability if everything runs, by the convention of `rounds`
    costs: tuple[ExpLinear, ...]  # per ordered pair: likelihood times charge
    after: tuple[int, ...]  # the positions after its outputs


@dataclass(frozen=True)
class Tree:
    """All partial transcripts of a game; `before[p]` is the choice that leads to position p."""

    game: Game
    epsilon: Epsilon
    choices: tuple[Choice, ...]
    before: tuple[int | None, ...]


@dataclass(frozen=True)
class Optimum:
    """The probabilities with which rounds run given that the ones before ran, and the mean."""

    tree: Tree = field(repr=False)
    plan: tuple[Fraction, ...]
    rounds: Fraction

    def rule(self) -> "Policy":
        """Return the deterministic filter that runs the rounds of probability 1."""
        runs = zip(self.tree.choices, self.plan, strict=True)
        return Policy(frozenset((c.step.history, c.step.request) for c, z in runs if z == 1))

    def game(self) -> Game:
        """Return the game in which an explicit coin, blind to x, stops before each round."""
        return _with_coins(self.tree, self.plan)


@dataclass(frozen=True)
class Policy:
    """Runs exactly the partial transcripts it lists."""

    runs: frozenset[tuple[History, Request]]

    markov: ClassVar[bool] = False

    def start(self) -> None:
        """Return the empty state: the history is all it needs."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Run M_i iff the partial transcript is listed; the opening round always runs."""
        runs = step.index == 0 or (step.history, step.request) in self.runs
        return (Decision.CONTINUE if runs else Decision.HALT), None


# --- the two optima -------------------------------------------------------------------------


def deterministic_optimum(game: Game, epsilon: Epsilon, delta: Fraction) -> Optimum:
    """Return the deterministic filter with the most expected rounds, H <= δ audited exactly."""
    tree = unfold(game, epsilon)
    for margin in _MARGINS:
        plan = tuple(Fraction(round(z)) for z in _solve(tree, delta * (1 - margin), integral=True))
        optimum = _optimum(tree, plan)
        if worst_case(optimum.rule(), game, epsilon).value <= delta:
            break
    return optimum


def randomised_optimum(game: Game, epsilon: Epsilon, delta: Fraction) -> Optimum:
    """Return the coin-tossing filter with the most expected rounds, H <= δ audited exactly."""
    tree = unfold(game, epsilon)
    solved = _solve(tree, delta, integral=False)
    for margin in _MARGINS:
        plan = tuple(_rounded_down(z, margin) for z in solved)
        optimum = _optimum(tree, plan)
        if worst_case(RunAll(), optimum.game(), epsilon).value <= delta:
            break
    return optimum


def _rounded_down(z: float, margin: Fraction) -> Fraction:
    return Fraction(max(0, min(_GRID, floor(Fraction(z) * (1 - margin) * _GRID))), _GRID)


def _optimum(tree: Tree, plan: tuple[Fraction, ...]) -> Optimum:
    rounds = sum((c.weight * z for c, z in zip(tree.choices, plan, strict=True)), Fraction(0))
    return Optimum(tree, plan, rounds)


# --- the tree -------------------------------------------------------------------------------


def unfold(game: Game, epsilon: Epsilon) -> Tree:
    """Write down every partial transcript with its probability and its charges."""
    choices: list[Choice] = []
    before: list[int | None] = [None]
    likely = dict.fromkeys(game.databases, Fraction(1))
    todo = [(0, opening(game), OPENING, likely, Fraction(1))]
    for position, last, y, mass, share in todo:  # grows while it is read: breadth first
        menu = last.mechanism.after[y]
        for request in menu:
            if len(choices) >= MOST_CHOICES:
                raise TooLarge(f"need at most {MOST_CHOICES} partial transcripts")
            step, part = last.next(y, request), share / len(menu)
            after = []
            for z, masses in _branches(step.mechanism, mass):
                after.append(len(before))
                before.append(len(choices))
                todo.append((after[-1], step, z, masses, part))
            weight = part * sum(mass.values()) / len(mass)
            costs = tuple(_cost(step, pair, mass, epsilon) for pair in game.pairs)
            choices.append(Choice(position, step, weight, costs, tuple(after)))
    return Tree(game, epsilon, tuple(choices), tuple(before))


def _branches(
    mechanism: Mechanism, mass: dict[str, Fraction]
) -> Iterator[tuple[Output, dict[str, Fraction]]]:
    for y, row in mechanism.law.items():
        masses = {x: w * row[x] for x, w in mass.items()}
        if any(masses.values()):
            yield y, masses


def _cost(step: Step, pair: Pair, mass: dict[str, Fraction], epsilon: Epsilon) -> ExpLinear:
    if not mass[pair[0]]:
        return ExpLinear(0, 0, epsilon)
    return charge(step.mechanism.law, pair, mass, epsilon) * mass[pair[0]]


# --- the program ----------------------------------------------------------------------------


def _solve(tree: Tree, delta: Fraction, *, integral: bool) -> list[float]:
    """Maximise the expected rounds; return z for every choice."""
    n, positions, pairs = len(tree.choices), len(tree.before), len(tree.game.pairs)
    size = n + positions * pairs
    gain = np.zeros(size)
    gain[:n] = [-float(choice.weight) for choice in tree.choices]
    upper = np.full(size, np.inf)
    upper[:n] = 1
    upper[n : n + pairs] = float(delta)  # v at the start, for every pair
    integrality = np.zeros(size)
    integrality[:n] = integral
    solved = milp(
        gain,
        bounds=Bounds(0, upper),
        constraints=LinearConstraint(_rows(tree), -np.inf, 0),
        integrality=integrality,
    )
    if solved.x is None:
        raise Unsolved(f"HiGHS found no plan for delta = {delta}: {solved.message}")
    found: list[float] = solved.x[:n].tolist()
    return found


def _rows(tree: Tree) -> Any:
    """Return the left sides of the constraints, each to be at most 0."""
    n, pairs = len(tree.choices), len(tree.game.pairs)
    rows = lil_array((n * (pairs + 1), n + len(tree.before) * pairs))
    for i, choice in enumerate(tree.choices):
        earlier = tree.before[choice.position]
        if earlier is not None:  # z <= z of the round before
            rows[i, i], rows[i, earlier] = 1, -1
        for k, cost in enumerate(choice.costs):
            row = n + i * pairs + k
            rows[row, i] = float(cost)
            rows[row, n + choice.position * pairs + k] = -1
            for after in choice.after:
                rows[row, n + after * pairs + k] = 1
    return rows.tocsr()


# --- coins as part of the game --------------------------------------------------------------


def _with_coins(tree: Tree, plan: tuple[Fraction, ...]) -> Game:
    """Put before every round a coin that goes on with the plan's conditional probability."""
    menus: list[dict[Request, Mechanism]] = [{} for _ in tree.before]
    for i in reversed(range(len(tree.choices))):
        choice = tree.choices[i]
        earlier = tree.before[choice.position]
        reached = Fraction(1) if earlier is None else plan[earlier]
        goes_on = plan[i] / reached if reached else Fraction(0)
        law = choice.step.mechanism.law
        released = (y for y, _ in _branches(choice.step.mechanism, dict(choice.step.mass)))
        after = {y: menus[p] for y, p in zip(released, choice.after, strict=True)}
        runs = Mechanism(law, after)
        request = choice.step.request
        menus[choice.position][request] = _coin(goes_on, request, runs, tree.game)
    return Game(tree.game.databases, tree.game.pairs, menus[0])


def _coin(goes_on: Fraction, request: Request, runs: Mechanism, game: Game) -> Mechanism:
    sides = {"go": goes_on, "stop": 1 - goes_on}
    law = {side: dict.fromkeys(game.databases, p) for side, p in sides.items() if p}
    return Mechanism(law, {"go": {request: runs}} if goes_on else {})
