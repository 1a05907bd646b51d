"""Games that settle claims of papers: one function per claim, and what its numbers mean."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from filterproof.exact import Epsilon, ExpLinear
from filterproof.fast import worst_case
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism
from filterproof.palette import game, table

Menu = dict[str, Mechanism]


def run_all_value(made: Game, epsilon: Epsilon) -> ExpLinear:
    """Return H of a game that nothing stops."""
    return worst_case(RunAll(), made, epsilon).value


# --- bounded range: fixed parameters, chosen mechanisms ------------------------------------------


def bounded_range(
    odds: Fraction, up: Fraction, after: dict[str, Mechanism] | None = None
) -> Mechanism:
    """Return the generalised randomised response whose two losses are log `up` and log `up/odds`.

    Any mechanism whose losses lie within a range of log `odds` is a mixture of such ones.
    """
    down = up / odds
    other = (1 - down) / (up - down)
    rows = {"1": (up * other, other), "0": (down * (1 - other), 1 - other)}
    return table(rows, dict.fromkeys(rows, after) if after else {})


def adaptive_range(odds: Fraction, ups: Iterable[Fraction], rounds: int) -> Game:
    """Return the game in which every round's `up` is chosen after what was released before."""
    offered = [*ups]
    menu: Menu = {}
    for _ in range(rounds):
        menu = {f"up {up}": bounded_range(odds, up, menu or None) for up in offered}
    return Game(["0", "1"], [("0", "1")], menu)


def fixed_ranges(odds: Fraction, ups: Iterable[Fraction], rounds: int) -> list[Game]:
    """Return one game for each sequence of `ups` that is fixed in advance."""
    found = []
    for sequence in product([*ups], repeat=rounds):
        menu: dict[str, Mechanism] = {}
        for up in reversed(sequence):
            menu = {"next": bounded_range(odds, up, menu or None)}
        found.append(Game(["0", "1"], [("0", "1")], menu))
    return found


# --- subsampling ---------------------------------------------------------------------------------


def subsampled(rate: Fraction, truth: Fraction, rounds: int) -> Game:
    """Return rounds of randomised response on a sample: the record is in it with this rate.

    Database "0" has the record, "1" has not.
    """
    seen = rate * (1 - truth) + (1 - rate) * truth
    rows = {"no": (seen, truth), "yes": (1 - seen, 1 - truth)}
    made = table(rows)
    for _ in range(rounds - 1):
        made = table(rows, {y: {"next": made} for y in rows})
    return game(made)


# --- composing what was run ----------------------------------------------------------------------


def same_menu(mechanisms: Iterable[tuple[str, Mechanism]], rounds: int) -> Game:
    """Return the game that offers the same mechanisms in every round."""
    offered = dict(mechanisms)
    menu: Menu = {}
    for _ in range(rounds):
        menu = {
            name: Mechanism(one.law, dict.fromkeys(one.law, menu) if menu else {})
            for name, one in offered.items()
        }
    return Game(["0", "1"], [("0", "1")], menu)
