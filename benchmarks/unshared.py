"""`python -m benchmarks.unshared`: random trees in which no two histories share a menu, as a table.

All figures are processor time in one run.  The specification plays a smaller tree of the same
kind.  `additive` is timed with a clock around its `decide`, on a game
that nobody has played before: what a mechanism declares is worked out inside `decide` too.

No engine is faster than asking: `asked` makes a step of every mechanism in one pass over the tree,
puts it to the filter that runs everything, and does nothing else.
"""

import tracemalloc
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any

from benchmarks.games import unshared_menu
from benchmarks.overhead import Clock
from filterproof import adversary, fast
from filterproof.collection_pause import full_collection_paused
from filterproof.engine.hidden import MergedStep, lazy_step
from filterproof.filter import Filter, ask
from filterproof.filters.additive import Additive
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Step
from filterproof.palette import game

EPSILON, DELTA = Fraction(3), Fraction(1, 100)
SHAPES = (((6, 3, 3), (4, 3, 3)), ((10, 1, 4), (6, 1, 4)), ((3, 2, 3), (3, 2, 3)))
"""Rounds, requests and outputs of a tree, and of the smaller one for the specification."""


@dataclass(frozen=True)
class Unshared:
    """Processor seconds on one tree; speed of the specification and memory of a smaller one."""

    shape: tuple[int, int, int]
    leaves: int
    build: float
    additive: float
    inside: float
    run_all: float
    asked: float
    spec: float
    bytes: float

    def row(self) -> str:
        """Return one line of the table."""
        rounds, requests, outputs = self.shape
        speed = self.leaves / self.run_all
        return (
            f"| {rounds} x {requests} x {outputs} | {self.leaves:,} | {self.build:.4f} "
            f"| {self.additive:.4f} | {self.additive / self.inside:.1f} x | {self.run_all:.4f} "
            f"| {speed:,.0f} | {speed / self.spec:.1f} x "
            f"| {self.leaves / self.asked / self.spec:.0f} x "
            f"| {self.build / self.run_all:.1f} x | {self.bytes:.0f} |"
        )


class Watched(Additive):
    """The additive filter with a clock around its answers."""

    clock = Clock()

    def decide(self, state: Any, step: Step) -> Any:
        """Answer as the additive filter does."""
        return self.clock.timed(super().decide)(state, step)


def seconds(rule: Filter[Any], play: Game) -> float:
    """Return how long the exact worst case takes."""
    begun = process_time()
    fast.worst_case(rule, play, EPSILON)
    return process_time() - begun


def asked(play: Game) -> float:
    """Return how long it takes to put every mechanism to the filter that runs everything."""
    rule, begun = RunAll(), process_time()
    for menu in play.nodes:
        for request, one in menu.items():
            known = {"index": 1, "game": play, "menu": menu}
            ask(rule, None, lazy_step(MergedStep, known, request, one))
    return process_time() - begun


def bytes_a_leaf(shape: tuple[int, int, int]) -> float:
    """Return the most memory that a game takes with all that it holds while it is played."""
    tracemalloc.start()
    play = game(unshared_menu(*shape))
    tracemalloc.reset_peak()
    fast.worst_case(RunAll(), play, EPSILON)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / fast.transcripts(play)


def specification(shape: tuple[int, int, int]) -> float:
    """Return how many leaves a second the specification plays, the filter running everything."""
    play = game(unshared_menu(*shape))
    begun = process_time()
    adversary.hockey_stick(RunAll(), play, EPSILON)
    return fast.transcripts(play) / (process_time() - begun)


def measured(shape: tuple[int, int, int], smaller: tuple[int, int, int]) -> Unshared:
    """Measure one tree; the audit of `additive` is its first, and the clock counts against us."""
    with full_collection_paused():
        menu = unshared_menu(*shape)
    begun = process_time()
    play = game(menu)
    build = process_time() - begun
    del menu
    Watched.clock = Clock()
    additive, inside = seconds(Watched(EPSILON, DELTA), play), Watched.clock.own()
    run_all, alone = seconds(RunAll(), play), asked(play)
    leaves, spec, most = fast.transcripts(play), specification(smaller), bytes_a_leaf(smaller)
    return Unshared(shape, leaves, build, additive, inside, run_all, alone, spec, most)


def table(found: list[Unshared]) -> str:
    """Return the measurements in Markdown."""
    head = [
        "## Random trees that share nothing, exact H, processor seconds\n",
        "| rounds x requests x outputs | leaves | build | `additive` | / inside `decide` "
        "| runs everything | leaves per second | / specification | asking alone / specification "
        "| build / audit | bytes a leaf |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(one.row() for one in found), ""])


if __name__ == "__main__":
    print(table([measured(*shapes) for shapes in SHAPES]))
