"""The games that are measured, and what they are measured against."""

import math
from fractions import Fraction
from random import Random

import numpy as np

from filterproof.engine.by_round.tables import Floats
from filterproof.filter import Decision
from filterproof.game import Game, Mechanism, Menu, Step
from filterproof.palette import game, repeated, response, table

OUTPUTS = 4


class Everything:
    """Runs every round.  It does not declare `markov`, so nothing is merged."""

    def start(self) -> None:
        """Return the empty state."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Go on."""
        return Decision.CONTINUE, None


class EverythingMerged(Everything):
    """The same with the declaration."""

    markov = True


def tree(rounds: int) -> Game:
    """Return a tree with 4^rounds transcripts and another law in every round."""
    menu: dict[str, object] = {}
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)[:rounds]:
        weights = [(p + 1, p + 4), (p + 2, p + 1), (p + 3, 2 * p), (2 * p + 7, p + 9)]
        totals = [sum(column) for column in zip(*weights, strict=True)]
        law = {
            str(y): (Fraction(a, totals[0]), Fraction(b, totals[1]))
            for y, (a, b) in enumerate(weights)
        }
        menu = {"ask": table(law, dict.fromkeys(law, menu) if menu else None)}  # type: ignore[arg-type]
    return game(menu)  # type: ignore[arg-type]


def unshared(
    rounds: int, requests: int, outputs: int, *, seed: int = 1, zeros: bool = False
) -> Game:
    """Return a random game in which no two histories share a menu."""
    return game(unshared_menu(rounds, requests, outputs, seed=seed, zeros=zeros))


def unshared_menu(
    rounds: int, requests: int, outputs: int, *, seed: int = 1, zeros: bool = False
) -> dict[str, Mechanism]:
    """Return the first menu of a random tree in which no two histories share one.

    Every law has weights of its own from 1 to 20 (with `zeros` also 0) over their sum.
    """
    random = Random(seed)

    def law() -> dict[str, tuple[Fraction, Fraction]]:
        weights = [[random.randint(1 - zeros, 20) for _ in range(outputs)] for _ in range(2)]
        if not all(map(any, (*weights, *zip(*weights, strict=True)))):
            return law()
        first, second = ([Fraction(n, sum(column)) for n in column] for column in weights)
        return {str(y): both for y, both in enumerate(zip(first, second, strict=True))}

    def menu(left: int) -> dict[str, Mechanism]:
        laws = {f"r{number}": law() for number in range(requests)}
        return {
            r: table(rows, {y: menu(left - 1) for y in rows} if left > 1 else None)
            for r, rows in laws.items()
        }

    return menu(rounds)


def raw(play: Game, epsilon: float) -> float:
    """Return H of a tree with one request a round, in plain floats: the limit to compare with."""
    w, w_, sizes = np.ones(1), np.ones(1), []
    menu: Menu = play.menu
    while menu:
        law = menu["ask"].law
        columns = [[float(row[x]) for row in law.values()] for x in ("0", "1")]
        w, w_ = (np.multiply.outer(m, c).ravel() for m, c in zip((w, w_), columns, strict=True))
        sizes.append(len(law))
        menu = next(iter(menu["ask"].after.values()))  # type: ignore[assignment]
    return max(_summed(a, b, math.exp(epsilon), sizes) for a, b in ((w, w_), (w_, w)))


def _summed(a: Floats, b: Floats, odds: float, sizes: list[int]) -> float:
    value = np.maximum(0.0, a - odds * b)
    for size in reversed(sizes):
        value = value.reshape(-1, size).sum(axis=1)
    return float(value[0])


def responses(rounds: int) -> Game:
    """Return so many rounds of randomised response with probability 11/20."""
    return game(repeated(response(Fraction(11, 20)), rounds))


def gaussian(rounds: int, reach: int = 30, sigma: float = 2.0) -> Game:
    """Return rounds of a Gaussian count with noise σ, discretised on 2·reach + 1 outputs.

    The outputs lie on a lattice on which one step changes the likelihood ratio by exactly
    (21/20)²: rational, so that sums of losses meet again and histories merge.
    """
    odds = Fraction(21, 20)
    step = 2 * sigma**2 * math.log(odds)
    centred = range(-reach, reach + 1)
    bell = [max(1, round(1e6 * math.exp(-((k * step) ** 2) / (2 * sigma**2)))) for k in centred]
    share = [bell[k + reach] * odds**-k for k in centred]
    total = sum(share)
    rows = {str(k): (share[k + reach] / total, share[reach - k] / total) for k in centred}
    return game(repeated(table(rows), rounds))
