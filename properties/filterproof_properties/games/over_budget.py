"""Games that are over any budget (ε, δ), by much or by little: no filter may run one in full.

They are made from the budget alone.  Whether a filter runs one of them is a single question, so
they are asked everywhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from filterproof.exact import Epsilon
from filterproof.game import Game, Mechanism
from filterproof.game.rows import REVEAL, Rows, erasure, one_sided
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.games.families import odds_rows, sloping
from filterproof_properties.games.rows import mirror, mixture
from filterproof_properties.games.thresholds import (
    need_buildable,
    odds_above,
    odds_below,
    odds_of,
    response_odds,
    root_above,
)

COARSE, FINE = (1, 3), (10, 20, 40, 52, 60, 80)
"""Distances to a threshold, as powers of one half; 52 is the last place of a double."""
SLICES = (2, 3, 5, 10, 30)
"""In how many rounds the budget is overspent: few for what forgets, many for what rounds."""


def even(epsilon: Epsilon, delta: Fraction, gap: int) -> Iterator[tuple[str, Rows]]:
    """Yield laws with losses everywhere whose H exceeds δ by about 2^-gap of it."""
    need_buildable(epsilon)
    more = 1 + Fraction(1, 2**gap)
    if not delta:
        odds = odds_above(epsilon, gap)
        yield "response", odds_rows(odds)
        yield "sloping", sloping(odds - 1)
        yield "sloping back", mirror(sloping(odds - 1))
    elif delta < 1:
        yield "response", odds_rows(response_odds(epsilon, delta) * more)
        if 2 * delta * more < 1:
            steep = odds_of(epsilon, 2 * gap + 8) / (1 - 2 * delta * more)
            yield "sloping", sloping(steep - 1)
            yield "sloping back", mirror(sloping(steep - 1))


def seldom(epsilon: Epsilon, delta: Fraction, gap: int) -> Iterator[tuple[str, Rows]]:
    """Yield laws with large losses of small probability, over the budget by as little."""
    d = delta * (1 + Fraction(1, 2**gap))
    if 0 < d < 1:
        below, edge = odds_below(epsilon, gap), odds_of(epsilon, 8)
        yield "erasure", erasure(d)
        yield "leak", one_sided(d)
        yield "leak back", mirror(one_sided(d))
        yield "mixture", mixture(d, below / (1 + below))
        if 4 * d < 3:
            u = 4 * d / 3
            yield "rare", {"!": (u, u / edge / 4), "?": (1 - u, 1 - u / edge / 4)}


def at_once(epsilon: Epsilon, delta: Fraction, gaps: Iterable[int]) -> Iterator[tuple[str, Game]]:
    """Yield games of one round, over the budget by these gaps."""
    yield "reveal", line([REVEAL])
    for gap in gaps:
        for name, rows in (*even(epsilon, delta, gap), *seldom(epsilon, delta, gap)):
            yield f"{name}, gap 2^-{gap}", line([rows])


def in_slices(epsilon: Epsilon, delta: Fraction, gaps: Iterable[int]) -> Iterator[tuple[str, Game]]:
    """Yield games of k rounds, each a k-th of the budget, and all of them a little more."""
    for gap in gaps:
        for k in SLICES:
            odds = root_above(odds_above(epsilon, gap), k, gap + 10)
            more = delta * (1 + Fraction(1, 2**gap))
            if not delta:
                yield f"response / {k}, gap 2^-{gap}", line([odds_rows(odds)] * k, 0)
                yield f"sloping / {k}, gap 2^-{gap}", line([sloping(odds - 1)] * k, 0)
            elif more < 1:
                parts = [more / k / (1 - i * more / k) for i in range(k)]
                yield f"erasure / {k}, gap 2^-{gap}", line([*map(erasure, parts)])
                yield f"leak / {k}, gap 2^-{gap}", line([*map(one_sided, parts)])


def line(rounds: Sequence[Rows], side: int = -1) -> Game:
    """Return the game that asks these rounds one after the other, along one output of each.

    That is the last output, which says least, or the first, which speaks for database "0".
    """
    menu: dict[str, Mechanism] = {}
    for rows in reversed(rounds):
        after = {[*rows][side]: menu} if menu else {}
        menu = {"ask": PLAIN.mechanism(rows, after)}
    return PLAIN.game(menu)


def small(epsilon: Epsilon, delta: Fraction) -> Iterator[tuple[str, Game]]:
    """Yield games of one round with a few requests, each of them over the budget by an eighth."""
    some, others = [*even(epsilon, delta, 3)], [*seldom(epsilon, delta, 3)]
    for number in range(max(len(some), len(others))):
        chosen = [group[number % len(group)] for group in (some, others) if group]
        menu = {name: PLAIN.mechanism(rows) for name, rows in chosen}
        yield " or ".join(menu), PLAIN.game({"reveal": PLAIN.mechanism(REVEAL), **menu})
