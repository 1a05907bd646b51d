"""Games drawn from a source of choices: made to meet coincidences, simple choices first.

Blind random trees do not meet the coincidences that break a filter.  So laws come mostly from a
palette of mechanisms with a meaning, a game draws a *few* of them and uses them again and again,
and the menu after an output may depend on it through one request.

The source is a function `choose(n)` that returns a number below n, where 0 is the simplest
choice.  `strategies` makes it from Hypothesis draws, the search also from a seeded generator.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypedDict, TypeVar, Unpack

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism, Request
from filterproof.game.law import Database, Declared, Law, Output, Pair
from filterproof.game.rows import (
    ONE,
    REVEAL,
    SILENT,
    Rows,
    erasure,
    k_ary,
    lottery,
    one_sided,
    response,
)
from filterproof_properties.case import Case
from filterproof_properties.games.rows import (
    declared_at_delta,
    declared_at_odds,
    mirror,
    mixture,
    spread,
)
from filterproof_properties.games.thresholds import neighbourhood, realised_epsilons, realised_risks

Choose = Callable[[int], int]
Menu = Mapping[Request, Mechanism]
Thing = TypeVar("Thing")

FRACTIONS = tuple(map(Fraction, ("1/2", "1/3", "1/4", "1/10", "2/3", "3/4", "1/20", "1/100")))
MOST_TRANSCRIPTS = 300


def pick(choose: Choose, options: Sequence[Thing]) -> Thing:
    """Return one of the options."""
    return options[choose(len(options))]


def probability(choose: Choose, pool: Sequence[Fraction] = ()) -> Fraction:
    """Draw a probability strictly between 0 and 1: simple, near the pool, or any small one."""
    kind = choose(6)
    if kind == 5:
        below = 2 + choose(39)
        return Fraction(1 + choose(below - 1), below)
    if kind == 4 and pool:
        return pick(choose, [*neighbourhood(pick(choose, pool))])
    if kind >= 2 and pool:
        return pick(choose, pool)
    return pick(choose, FRACTIONS)


# --- laws as rows of (P_0, P_1) -----------------------------------------------------------------


def biased_leak(p: Fraction, q: Fraction) -> Rows:
    """A leak with finite loss, in one direction mostly."""
    return {"0": (p, p * q), "1": (1 - p, 1 - p * q)}


def rare_symbols(count: int, p: Fraction) -> Rows:
    """A lottery with `count` symbols of probability p (or as many as fit) and a usual one."""
    fits = min(count, -(-p.denominator // p.numerator) - 1)
    return lottery([*[p] * fits, 1 - fits * p])


def law_rows(choose: Choose, pool: Sequence[Fraction]) -> Rows:
    """Draw a law for two kinds of databases from the palette, or from small weights."""

    def p() -> Fraction:
        return probability(choose, pool)

    makers: tuple[Callable[[], Rows], ...] = (
        lambda: SILENT,
        lambda: REVEAL,
        lambda: erasure(p()),
        lambda: response(p()),
        lambda: one_sided(p()),
        lambda: mirror(one_sided(p())),
        lambda: biased_leak(p(), p()),
        lambda: mirror(biased_leak(p(), p())),
        lambda: k_ary(3 + choose(2), p()),
        lambda: lottery([Fraction(1, m := 2 + choose(3))] * m),
        lambda: rare_symbols(1 + choose(4), p()),
        lambda: mixture(p(), p()),
        lambda: weighted_rows(choose, 2),
        lambda: perturb(law_rows(choose, pool), p()),
    )
    return pick(choose, makers)()


def weighted_rows(choose: Choose, columns: int) -> Rows:
    """Draw small integer weights, so that supports may be mismatched and ratios are simple."""
    drawn = [tuple(choose(6) for _ in range(columns)) for _ in range(2 + choose(3))]
    weights = [row for row in drawn if any(row)]
    totals = [sum(column) for column in zip(*weights, strict=True)]
    if not weights or not all(totals):
        return {"-": (ONE,) * columns}
    shares = (zip(row, totals, strict=True) for row in weights)
    return {str(i): tuple(Fraction(w, t) for w, t in row) for i, row in enumerate(shares)}


def perturb(rows: Rows, share: Fraction) -> Rows:
    """Return a copy in which, under "0", the first output takes a share of the last one's mass."""
    first, last = next(iter(rows)), [*rows][-1]
    if first == last:
        return rows
    moved = rows[last][0] * share
    changed = {**rows, first: (rows[first][0] + moved, *rows[first][1:])}
    changed[last] = (rows[last][0] - moved, *rows[last][1:])
    return {y: row for y, row in changed.items() if any(row)}


# --- mechanisms -----------------------------------------------------------------------------


def law(choose: Choose, databases: Sequence[Database], pool: Sequence[Fraction] = ()) -> Law:
    """Draw a law; of more than two databases several may behave alike."""
    count = len(databases)
    if count > 2 and choose(4) == 3:
        return spread(weighted_rows(choose, count), databases, range(count))
    sides = (0, 1) if count == 2 else tuple(choose(2) for _ in databases)
    return spread(law_rows(choose, pool), databases, sides)


def mechanism(
    choose: Choose,
    databases: Sequence[Database] = ("0", "1"),
    neighbours: Sequence[Pair] = (("0", "1"),),
    pool: Sequence[Fraction] = (),
) -> Mechanism:
    """Draw one round without a continuation, at times with a declared pair that is not tight."""
    chosen = law(choose, databases, pool)
    return Mechanism(chosen, {}, declare(choose, chosen, neighbours))


def declare(choose: Choose, law: Law, neighbours: Sequence[Pair]) -> Declared | None:
    """Draw a true declared pair: mostly the default, else other odds or another delta."""
    kind = choose(10)
    pairs = [*neighbours, *((x_, x) for x, x_ in neighbours)]
    if kind == 8:
        return declared_at_odds(law, pairs, Fraction(1 + choose(20)))
    if kind == 9:
        return declared_at_delta(law, pairs, probability(choose))
    return None


# --- games ----------------------------------------------------------------------------------

RELATIONS: Mapping[int, tuple[tuple[Pair, ...], ...]] = {
    2: ((("0", "1"),),),
    3: ((("0", "1"), ("1", "2")), (("0", "2"),), (("0", "1"), ("1", "2"), ("0", "2"))),
    4: ((("0", "1"), ("1", "2"), ("2", "3")), (("0", "1"), ("2", "3"))),
}
"""Neighbour relations per number of databases: paths, gaps, and one that is complete."""


class Sizes(TypedDict, total=False):
    """How large a drawn game may be; with `exact_rounds` the number of rounds is not drawn."""

    max_rounds: int
    max_requests: int
    max_databases: int
    exact_rounds: int
    pool: Sequence[Fraction]


def game(choose: Choose, **sizes: Unpack[Sizes]) -> Game:
    """Draw a game of a few rounds whose mechanisms repeat a small palette.

    With `exact_rounds` a branch may still end early.
    """
    pool, max_requests = sizes.get("pool", ()), sizes.get("max_requests", 3)
    max_rounds, exact_rounds = sizes.get("max_rounds", 3), sizes.get("exact_rounds", 0)
    max_databases = sizes.get("max_databases", 3)
    count = pick(choose, [2, 2, 2, *range(3, max_databases + 1)])
    neighbours = pick(choose, RELATIONS[count])
    databases = tuple(map(str, range(count)))
    size = 1 + choose(3)
    palette = [mechanism(choose, databases, neighbours, pool) for _ in range(size)]
    rounds = exact_rounds or pick(choose, round_counts(max_rounds))
    names_symbols = rounds > 1 and choose(2) == 1
    sides = [i % 2 for i in range(count)]
    silent, reveal = (Mechanism(spread(rows, databases, sides)) for rows in (SILENT, REVEAL))
    if choose(2):
        palette += [silent, reveal]
    builder = Builder(choose, palette, max_requests)
    if names_symbols:
        draw = Mechanism(spread(symbol_rows(choose, pool), databases, [0] * count))
        hit, miss = (pick(choose, (one, None)) for one in (reveal, silent))
        return Game(databases, neighbours, {"0": builder.coincidence(draw, hit, miss, rounds)})
    return Game(databases, neighbours, builder.menu(rounds, MOST_TRANSCRIPTS))


def round_counts(max_rounds: int) -> list[int]:
    """Return numbers of rounds to pick from: two is the most telling one."""
    return [1, 2, 2, *range(3, max_rounds + 1)] if max_rounds > 1 else [1]


def symbol_rows(choose: Choose, pool: Sequence[Fraction]) -> Rows:
    """Draw a law that says nothing about the database: equal symbols, or rare ones."""
    if choose(2):
        return rare_symbols(1 + choose(4), probability(choose, pool))
    symbols = 2 + choose(3)
    return lottery([Fraction(1, symbols)] * symbols)


class Builder:
    """Draws menus from a palette, with a bound on the number of transcripts."""

    def __init__(self, choose: Choose, palette: Sequence[Mechanism], max_requests: int) -> None:
        self.choose, self.palette = choose, palette
        self.counts = [1, 1, *range(2, max_requests + 1)]

    def menu(self, rounds: int, room: int) -> Menu:
        """Draw a menu with at most `rounds` rounds and about `room` transcripts."""
        count = pick(self.choose, self.counts)
        return {str(r): self.round(rounds, room // count) for r in range(count)}

    def round(self, rounds: int, room: int) -> Mechanism:
        """Draw one mechanism and what follows each of its outputs."""
        base = pick(self.choose, self.palette)
        outputs = [*base.law]
        if rounds == 1 or room < 2 * len(outputs):
            return base
        follow = pick(self.choose, (self.shared, self.diagonal, self.single, self.free))
        return Mechanism(base.law, follow(outputs, rounds - 1, room // len(outputs)), base.stated)

    def coincidence(
        self, draw: Mechanism, hit: Mechanism | None, miss: Mechanism | None, rounds: int
    ) -> Mechanism:
        """Return a draw of symbols after which requests may name the symbol that fell."""
        outputs = [*draw.law]
        room = MOST_TRANSCRIPTS // len(outputs) ** 2
        hit = hit or self.round(rounds - 1, room)
        miss = miss or self.round(rounds - 1, room)
        return Mechanism(draw.law, self.named(outputs, hit, miss))

    def shared(self, outputs: list[Output], rounds: int, room: int) -> dict[Output, Menu]:
        """The same menu after every output."""
        return dict.fromkeys(outputs, self.menu(rounds, room))

    def single(self, outputs: list[Output], rounds: int, room: int) -> dict[Output, Menu]:
        """The game goes on after one output only."""
        return {pick(self.choose, outputs): self.menu(rounds, room)}

    def free(self, outputs: list[Output], rounds: int, room: int) -> dict[Output, Menu]:
        """A menu of its own after every output."""
        return {y: self.menu(rounds, room) for y in outputs}

    def diagonal(self, outputs: list[Output], rounds: int, room: int) -> dict[Output, Menu]:
        """Request j is one mechanism after output j and another one after all other outputs."""
        return self.named(outputs, self.round(rounds, room), self.round(rounds, room))

    def named(self, outputs: list[Output], hit: Mechanism, miss: Mechanism) -> dict[Output, Menu]:
        """Return menus whose request j hits after output j; the last output may have no name."""
        names = outputs[: len(outputs) - self.choose(2)] or outputs
        return {y: {j: hit if y == j else miss for j in names} for y in outputs}


# --- budgets and cases ----------------------------------------------------------------------

Offer = Callable[[Epsilon, Fraction, int], Iterable[Mapping[str, Any]]]

EPSILONS: tuple[Epsilon, ...] = (
    Log(Fraction(2)),
    ONE,
    Log(Fraction(3, 2)),
    Log(Fraction(4)),
    Fraction(0),
    Fraction(1, 10),
    Fraction(3),
    Log(Fraction(100)),
)
DELTAS = tuple(map(Fraction, ("1/10", "0", "1/2", "1/4", "1/100", "1/1000000", "9/10")))


def draw_epsilon(choose: Choose, game: Game | None) -> Epsilon:
    """Draw ε: a usual one, or one at which some transcript's loss ties with it."""
    if game is not None and choose(2):
        return pick(choose, realised_epsilons(game)[:12] or EPSILONS)
    return pick(choose, EPSILONS)


def draw_delta(choose: Choose, game: Game | None, epsilon: Epsilon) -> Fraction:
    """Draw δ: a usual one, or one at which some risk of this game ties with it."""
    if game is not None and choose(2):
        return pick(choose, realised_risks(game, epsilon)[:20] or DELTAS)
    return pick(choose, DELTAS)


def draw_case(
    choose: Choose,
    *,
    epsilon: Epsilon | None = None,
    delta: Fraction | None = None,
    parameters: Offer | None = None,
    **sizes: Unpack[Sizes],
) -> Case:
    """Draw a game with a budget (each part may be fixed) and one of its parameter sets.

    Where the budget comes first, the game is made from its thresholds and from those of the
    parameters; else the budget is made from the values that the game realises.
    """
    fixed = epsilon is not None and delta is not None
    if not fixed and choose(2):
        return _game_first(choose, epsilon, delta, parameters, **sizes)
    epsilon = pick(choose, EPSILONS) if epsilon is None else epsilon
    delta = pick(choose, DELTAS) if delta is None else delta
    rounds = pick(choose, round_counts(sizes.get("max_rounds", 3)))
    chosen = _parameters(choose, parameters, epsilon, delta, rounds)
    thresholds = [v for v in (delta, *chosen.values()) if isinstance(v, Fraction) and 0 < v < 1]
    exact: Sizes = {**sizes, "exact_rounds": rounds, "pool": thresholds}
    tree = game(choose, **exact)
    return Case("drawn", tree, epsilon, delta, chosen)


def _game_first(
    choose: Choose,
    epsilon: Epsilon | None,
    delta: Fraction | None,
    parameters: Offer | None,
    **sizes: Unpack[Sizes],
) -> Case:
    tree = game(choose, **sizes)
    epsilon = draw_epsilon(choose, tree) if epsilon is None else epsilon
    delta = draw_delta(choose, tree, epsilon) if delta is None else delta
    chosen = _parameters(choose, parameters, epsilon, delta, tree.depth)
    return Case("drawn", tree, epsilon, delta, chosen)


def _parameters(
    choose: Choose, parameters: Offer | None, epsilon: Epsilon, delta: Fraction, rounds: int
) -> Mapping[str, Any]:
    if parameters is None:
        return {}
    horizon = pick(choose, (rounds, rounds, max(1, rounds - 1), 1))
    return pick(choose, list(parameters(epsilon, delta, horizon)) or [{}])
