"""The values at which a filter's answer may flip: odds near e^ε, probabilities near δ, ties.

A wrong comparison shows only next to its threshold.  So games are made near e^ε and δ, and
budgets from the values that a game realises (`realised_odds`, `realised_risks`).  Everything is
rational; e^ε is approached from either side by the simplest rational within a stated distance.
"""

from collections.abc import Iterator
from fractions import Fraction

from filterproof.exact import Epsilon, ExactError, Log, exceeds, exp_enclosure
from filterproof.game import Game, Mechanism, node_after
from filterproof.game.law import profile
from filterproof.radicals import floor_root

ONE = Fraction(1)
LARGEST_EXPONENT = 700
"""Above this ε the number e^ε is of no use for building a law."""


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the rational with the smallest denominator in [low, high], for 0 <= low <= high.

    >>> simplest_between(Fraction(271828, 100000), Fraction(271829, 100000))
    Fraction(1457, 536)
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = whole - 1
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


def odds_of(epsilon: Epsilon, bits: int = 64) -> Fraction:
    """Return a rational just above or at e^ε; exactly e^ε for a `Log`."""
    return exp_enclosure(epsilon, bits)[1]


def odds_above(epsilon: Epsilon, gap: int) -> Fraction:
    """Return the simplest odds in (e^ε, e^ε(1 + 2^-gap)], roughly.

    >>> odds_above(Log(Fraction(2)), 3)
    Fraction(9, 4)
    """
    edge = odds_of(epsilon, 2 * gap + 8)
    step = edge * Fraction(1, 2 ** (gap + 1))
    return simplest_between(edge + step, edge + 2 * step)


def odds_below(epsilon: Epsilon, gap: int) -> Fraction:
    """Return the simplest odds in [e^ε(1 - 2^-gap), e^ε), at least 1."""
    edge = exp_enclosure(epsilon, 2 * gap + 8)[0]
    step = edge * Fraction(1, 2 ** (gap + 1))
    return max(ONE, simplest_between(edge - 2 * step, edge - step))


def root_above(odds: Fraction, k: int, gap: int = 20) -> Fraction:
    """Return a rational r with odds <= r^k, within about 2^-gap; exact where a root exists.

    >>> root_above(Fraction(4, 9), 2), root_above(Fraction(2), 2, 4)
    (Fraction(2, 3), Fraction(10, 7))
    """
    if k == 1:
        return odds
    top, below = floor_root(odds.numerator, k), floor_root(odds.denominator, k)
    if Fraction(top, below) ** k == odds:
        return Fraction(top, below)
    scale = 2 ** (gap + 2)
    floor = floor_root(odds.numerator * scale**k // odds.denominator, k)
    return simplest_between(Fraction(floor + 1, scale), Fraction(floor + 3, scale))


def response_odds(epsilon: Epsilon, delta: Fraction) -> Fraction:
    """Return odds at or just above which one randomised response has H = δ.

    H = (o - e^ε)/(1 + o), so o = (e^ε + δ)/(1 - δ); δ < 1.
    """
    return (odds_of(epsilon) + delta) / (1 - delta)


def neighbourhood(value: Fraction) -> Iterator[Fraction]:
    """Yield a probability, its halves and doubles, and its nearest neighbours on either side."""
    for factor in (ONE, ONE / 2, ONE / 3, Fraction(2), Fraction(1025, 1024), Fraction(1023, 1024)):
        if 0 < value * factor < 1:
            yield value * factor
    if 0 < value < 1:
        yield value / (1 - value) if value < ONE / 2 else 1 - value


# --- the thresholds of a game -------------------------------------------------------------------

MOST_VALUES = 200
"""A game realises exponentially many values; the first ones are the simplest."""


def mechanisms_of(game: Game) -> Iterator[Mechanism]:
    """Yield every mechanism of a game, first rounds first."""
    return (m for menu in reversed(game.nodes) for m in menu.values())


def realised_odds(game: Game) -> list[Fraction]:
    """Return likelihood ratios above 1 that some transcript realises, simplest first.

    >>> from filterproof.palette import game, response
    >>> realised_odds(game(response(Fraction(3, 4))))
    [Fraction(3, 1)]
    """
    found: dict[Fraction, None] = {}
    for x, x_ in game.pairs:
        todo = [(game.menu, ONE)]
        for menu, ratio in todo:  # grows while it is read: breadth first
            for mechanism in menu.values():
                for y, row in mechanism.law.items():
                    if row[x] and row[x_]:
                        found[ratio * row[x] / row[x_]] = None
                        if len(todo) < MOST_VALUES:
                            todo.append((node_after(mechanism, y), ratio * row[x] / row[x_]))
    return sorted((odds for odds in found if odds > 1), key=_size)


def realised_risks(game: Game, epsilon: Epsilon) -> list[Fraction]:
    """Return probabilities below 1 at which a filter with budget ε may change its mind.

    They are output probabilities, risks and profiles of single mechanisms, and sums of two.
    """
    edge = odds_of(epsilon, 8) if _buildable(epsilon) else ONE
    single: dict[Fraction, None] = {}
    for mechanism in mechanisms_of(game):
        for pair in game.pairs:
            single[profile(mechanism.law, pair, edge)] = None
            rows = mechanism.law.values()
            risky = [row[pair[0]] for row in rows if exceeds(row[pair[0]], row[pair[1]], epsilon)]
            single[sum(risky, Fraction(0))] = None
        single.update(dict.fromkeys(p for row in mechanism.law.values() for p in row.values()))
        if len(single) > MOST_VALUES:
            break
    simple = sorted(single, key=_size)[:12]
    sums = {a + b for a in simple for b in simple} | {
        1 - (1 - a) * (1 - b) for a in simple for b in simple
    }
    return sorted({p for p in {*simple, *sums} if 0 < p < 1}, key=_size)


def realised_epsilons(game: Game) -> list[Epsilon]:
    """Return ε at which a transcript's loss ties with ε, where that loss is not negative."""
    return [Log(odds) for odds in realised_odds(game)]


def _size(value: Fraction) -> tuple[int, int]:
    return value.denominator, value.numerator


def _buildable(epsilon: Epsilon) -> bool:
    return isinstance(epsilon, Log) or epsilon <= LARGEST_EXPONENT


def need_buildable(epsilon: Epsilon) -> None:
    """Refuse an ε so large that no law can be built from e^ε."""
    if not _buildable(epsilon):
        raise ExactError(f"need epsilon <= {LARGEST_EXPONENT} to build games; got {epsilon}")
