"""Games that settle claims of papers: one function per claim, and what its numbers mean."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import isqrt

import flint

from filterproof.exact import Epsilon, ExpLinear
from filterproof.fast import worst_case
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism
from filterproof.palette import game, repeated, response, table

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


# --- predetermined orders of pure and bounded-range mechanisms ------------------------------------


def in_order(order: str, odds: Fraction, ups: Iterable[Fraction]) -> Game:
    """Return the game of an order such as "PRR": P is response of these odds, R any of `ups`."""
    offered, menu = [*ups], dict[str, Mechanism]()
    for kind in reversed(order):
        if kind == "P":
            law = response(odds / (1 + odds)).law
            menu = {"pure": Mechanism(law, dict.fromkeys(law, menu) if menu else {})}
        else:
            menu = {f"up {up}": bounded_range(odds, up, menu or None) for up in offered}
    return Game(["0", "1"], [("0", "1")], menu)


Pieces = Sequence[tuple[Fraction, Fraction]]
"""(P_0, P_1) of every output of what follows a generalised response: nothing, or a pure one."""


def best_of_all(threshold: Fraction, odds: Fraction, then: Pieces) -> Fraction:
    """Return a bound on H of any generalised response of this range, and then a fixed law.

    H at `threshold` is A + B·up + C/up between the points where an output begins to count: so the
    largest is at an end, or it is A + 2·sqrt(B·C) with B, C < 0, where the root is rounded down.
    """
    turns = {threshold * q / p * scale for p, q in then for scale in (Fraction(1), odds)}
    ends = sorted({Fraction(1), odds} | {one for one in turns if 1 < one < odds})
    return max(
        _largest(low, high, _curve((low + high) / 2, threshold, odds, then))
        for low, high in pairwise(ends)
    ) / (odds - 1)


def _curve(up: Fraction, t: Fraction, odds: Fraction, then: Pieces) -> tuple[Fraction, ...]:
    """Return A, B and C of (odds - 1)·H about a point that is no turn."""
    a = b = c = Fraction(0)
    for p, q in then:
        if p * up > t * q:  # (odds - up)·(p - t·q/up)
            a, b, c = a + odds * p + t * q, b - p, c - odds * t * q
        if p * up > t * q * odds:  # (up - 1)·(p - t·q·odds/up)
            a, b, c = a - p - t * q * odds, b + p, c + t * q * odds
    return a, b, c


def _largest(low: Fraction, high: Fraction, curve: tuple[Fraction, ...]) -> Fraction:
    a, b, c = curve
    ends = [a + b * up + c / up for up in (low, high)]
    if b < 0 and c < 0 and low**2 * b > c > high**2 * b:
        product, scale = b * c, 2**60
        root = isqrt(product.numerator * scale**2 // product.denominator)
        return max(*ends, a - 2 * Fraction(root, scale))
    return max(ends)


def first_of_all(
    threshold: Fraction, odds: Fraction, then: Callable[[Fraction], Fraction], cells: int
) -> Fraction:
    """Return a bound on H of any generalised response of this range, and then what `then` bounds.

    On a cell of `up` each output is as likely, and as telling, as anywhere in it.
    """
    ends = [1 + (odds - 1) * Fraction(k, cells) for k in range(cells + 1)]
    return max(
        ((odds - low) * then(threshold / high) + (high - 1) * then(threshold * odds / high))
        / (odds - 1)
        for low, high in pairwise(ends)
    )


# --- a Gaussian that is subsampled, seen through a threshold --------------------------------------


DIGITS = 40
"""Binary places of a chance: a ball of Arb is narrower, so it has one whole number below it."""


def seen_above(rate: Fraction, sigma: Fraction, threshold: Fraction, rounds: int) -> Game:
    """Return rounds that say whether a subsampled Gaussian answer is above a threshold.

    Database "0" has the record, whose sensitivity is 1.  Its chance is rounded down and that of "1"
    up, so the round says less than the Gaussian: it is made of it by post-processing.
    """
    has = rate * above((threshold - 1) / sigma, 0) + (1 - rate) * above(threshold / sigma, 0)
    has_not = above(threshold / sigma, 1)
    rows = {"above": (has, has_not), "below": (1 - has, 1 - has_not)}
    return game(repeated(table(rows), rounds))


def above(z: Fraction, side: int) -> Fraction:
    """Return the chance that a standard normal number exceeds z, rounded down (0) or up (1)."""
    ball = (flint.arb(flint.fmpq(z.numerator, z.denominator)) / flint.arb(2).sqrt()).erfc() / 2
    scaled = (ball * 2**DIGITS).floor() if not side else (ball * 2**DIGITS).ceil()
    return Fraction(int(scaled.unique_fmpz()), 2**DIGITS)
