"""Families of games that break classes of filters, each for any budget (ε, δ).

A family receives the budget and a pool of thresholds (δ and whatever probabilities the filter
was given) and yields cases at that budget.  None of them knows a filter: each encodes one way
in which privacy loss can hide.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, wraps
from itertools import zip_longest
from random import Random
from types import MappingProxyType

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism
from filterproof.game.law import Pair
from filterproof.game.rows import NONE, REVEAL, SILENT, Rows, erasure, lottery, one_sided, response
from filterproof_properties.case import Case
from filterproof_properties.games.disguises import Disguise, delayed, plain_disguises, stating
from filterproof_properties.games.drawn import biased, mirror, mixture, spread
from filterproof_properties.games.editing import Menu
from filterproof_properties.games.thresholds import (
    GAPS,
    ONE,
    need_buildable,
    odds_above,
    odds_below,
    odds_of,
    response_odds,
    root_above,
)

Pool = Sequence[Fraction]
Family = Callable[[Epsilon, Fraction, Pool], Iterable[Case]]
BOTH = ("0", "1")

BUDGETS: tuple[tuple[Epsilon, Fraction], ...] = (
    (Log(Fraction(2)), Fraction(1, 10)),
    (ONE, Fraction(0)),
    (Log(Fraction(4)), Fraction(1, 2)),
    (ONE, Fraction(9, 10)),
    (Fraction(1, 10), Fraction(1, 100)),
    (Fraction(3), Fraction(1, 100)),
    (Log(Fraction(3, 2)), Fraction(0)),
    (Fraction(0), Fraction(1, 4)),
    (Fraction(60), Fraction(1, 100)),
    (Log(Fraction(2)), Fraction(1, 10**6)),
)
"""Where a filter is tried when the user fixes no budget."""


# --- building ---------------------------------------------------------------------------------


def made(rows: Rows, after: Mapping[str, Menu] | None = None) -> Mechanism:
    """Return the mechanism on two databases with these rows."""
    law = {y: {"0": p, "1": q} for y, (p, q) in rows.items()}
    return Mechanism(law, after or {})


def line(rounds: Sequence[Rows], follow: Callable[[list[str]], list[str]] = list) -> Menu:
    """Return the menu with one request a round; `follow` picks the outputs that go on."""
    menu: Menu = {}
    laws = {id(rows): made(rows).law for rows in rounds}  # rounds alike share one law
    for rows in reversed(rounds):
        after = dict.fromkeys(follow([*rows]), menu) if menu else {}
        menu = {"ask": Mechanism(laws[id(rows)], after)}
    return menu


def loud(outputs: list[str]) -> list[str]:
    """Go on after the first output only: the one that speaks for database "0"."""
    return outputs[:1]


def quiet(outputs: list[str]) -> list[str]:
    """Go on after the last output only: the one that says least."""
    return outputs[-1:]


def rr(odds: Fraction) -> Rows:
    """Randomised response with these odds."""
    return response(odds / (1 + odds))


def leaning(odds: Fraction) -> Rows:
    """A leak whose loss is log odds on one output with P_0 = 1/2, and small on the other."""
    return biased(ONE / 2, 1 / odds)


Plot = tuple[str, Callable[[], Game]]
"""A name, and how to build the game: only the games that are played are built."""
Plots = Callable[[Epsilon, Fraction, Pool], Iterator[Plot]]


def plain(name: str, menu: Menu) -> Plot:
    """Return the plot on two databases with this first menu."""
    return name, lambda: Game(BOTH, [BOTH], menu)


def dressed(name: str, disguise: Disguise, menu: Menu) -> Plot:
    """Return the plot in disguise."""
    return name, lambda: disguise(Game(BOTH, [BOTH], menu))


def mixed(plots: Plots) -> Plots:
    """Let early and late plots come in one order, the same for a budget every time."""

    @wraps(plots)
    def shuffled(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
        found = [*plots(epsilon, delta, pool)]
        Random(f"{plots.__name__} {epsilon} {delta}").shuffle(found)
        return iter(found)

    return shuffled


def probabilities(delta: Fraction, pool: Pool) -> list[Fraction]:
    """Return δ and the pool, without the values that are no proper probability."""
    found = dict.fromkeys([delta, *pool, delta / 2])
    return [p for p in found if 0 < p < 1] or [Fraction(1, 100)]


def spends(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[tuple[str, Rows]]:
    """Yield single rounds that use up a budget in different ways."""
    edge = odds_below(epsilon, 10) if epsilon != 0 else ONE
    for d in probabilities(delta, pool):
        yield f"erasure({d})", erasure(d)
        yield f"leak({d})", one_sided(d)
        yield f"leak back({d})", mirror(one_sided(d))
        yield f"erasure({d}) with response", mixture(d, edge / (1 + edge))
        yield f"rare hint({d})", biased(d, 1 / (8 * odds_of(epsilon, 8)))
    odds = [odds_of(epsilon, 20), edge, root_above(odds_of(epsilon), 2), odds_above(epsilon, 3)]
    for o in dict.fromkeys(odds):
        if o > 1:
            yield f"response({o})", rr(o)
            yield f"leaning({o})", leaning(o)
            yield f"leaning back({o})", mirror(leaning(o))
    yield "reveal", REVEAL


# --- families -----------------------------------------------------------------------------------


@mixed
def overshoot(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """One round just above the budget, at every distance down to 2^-80."""
    yield plain("reveal", line([REVEAL]))
    for gap in GAPS:
        odds = odds_above(epsilon, gap)
        more = 1 + Fraction(1, 2**gap)
        yield plain(f"response, gap 2^-{gap}", line([rr(odds)]))
        yield plain(f"leaning, gap 2^-{gap}", line([leaning(odds)]))
        yield plain(f"leaning back, gap 2^-{gap}", line([mirror(leaning(odds))]))
        if delta < 1:
            above = response_odds(epsilon, delta) * more
            yield plain(f"response at delta, gap 2^-{gap}", line([rr(above)]))
        if 0 < delta * more < 1:
            d, edge = delta * more, odds_below(epsilon, gap)
            yield plain(f"erasure, gap 2^-{gap}", line([erasure(d)]))
            yield plain(f"leak, gap 2^-{gap}", line([one_sided(d)]))
            yield plain(f"leak back, gap 2^-{gap}", line([mirror(one_sided(d))]))
            yield plain(f"mixture, gap 2^-{gap}", line([mixture(d, edge / (1 + edge))]))
            yield plain(f"mixture above, gap 2^-{gap}", line([mixture(delta, odds / (1 + odds))]))


@mixed
def repeated(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """One spend again and again: every output goes on, or only the loud or the quiet one."""
    for name, rows in spends(epsilon, delta, pool):
        for n in (2, 3):
            yield plain(f"{name} x {n}", line([rows] * n))
        for n in (2, 6, 12, 24):
            yield plain(f"{name} x {n}, quiet", line([rows] * n, quiet))
            yield plain(f"{name} x {n}, loud", line([rows] * n, loud))


@mixed
def slices(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """k rounds whose odds multiply to just above e^ε, at several distances; many tiny spends."""
    for k in (2, 3, 4, 5, 7, 10, 20, 30):
        for gap in (1, 10, 40, 50, 56, 64):
            odds = root_above(odds_above(epsilon, gap), k, gap + 10)
            yield plain(f"response, 1/{k}, gap 2^-{gap}", line([rr(odds)] * k, loud))
            yield plain(f"leaning, 1/{k}, gap 2^-{gap}", line([leaning(odds)] * k, loud))
    for d in probabilities(delta, pool):
        for k, parts in ((3, 2), (10, 5), (30, 10), (50, 40)):
            yield plain(f"erasure({d}/{parts}) x {k}", line([erasure(d / parts)] * k, quiet))
            yield plain(f"leak({d}/{parts}) x {k}", line([one_sided(d / parts)] * k, quiet))


@mixed
def order(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """Two different rounds one after the other, after every output or after one of them."""
    options = [*spends(epsilon, delta, pool[:2]), ("coin", lottery([ONE / 2] * 2))]
    for first, rows in options:
        for second, others in options:
            yield plain(f"{first}, then {second}", line([rows, others]))
            yield plain(f"{first}, then {second}, loud", line([rows, others], loud))
            yield plain(f"{first}, then {second}, quiet", line([rows, others], quiet))


@mixed
def interrupted(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """A spend, then quiet rounds, then another spend: what was spent must not be forgotten."""
    for name, rows in spends(epsilon, delta, pool[:1]):
        for k in (1, 2, 3, 5, 7, 8, 12, 20):
            yield plain(f"{name}, {k} quiet", line([rows, *[SILENT] * k, rows], quiet))
            yield plain(f"{name}, {k} quiet, loud", line([rows, *[SILENT] * k, rows], loud))
            yield plain(f"{name}, {k} quiet, reveal", line([rows, *[SILENT] * k, REVEAL], quiet))


@mixed
def alternating(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """Spends that point to one database and then to the other."""
    edge = odds_of(epsilon, 20)
    forward = [one_sided(d) for d in probabilities(delta, pool)]
    forward += [leaning(o) for o in (edge, odds_above(epsilon, 3), root_above(edge, 2))]
    for i, rows in enumerate(forward):
        for n in (2, 3, 4):
            turns = [rows if j % 2 == 0 else mirror(rows) for j in range(n)]
            yield plain(f"{i} x {n}", line(turns))
            yield plain(f"{i} back x {n}", line([mirror(t) for t in turns]))


@mixed
def late(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """A long quiet prefix, then rounds above the budget."""
    blows = {"reveal": REVEAL, "response": rr(odds_above(epsilon, 1))}
    if 0 < delta < ONE / 2:
        blows |= {"erasure": erasure(2 * delta), "leak": one_sided(2 * delta)}
    for name, rows in blows.items():
        for k in (*range(1, 13), 16, 20, 31, 50):
            yield dressed(f"{name} after {k}", delayed(k), line([rows] * 2))


@mixed
def guessing(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """Rare symbols, then one request per symbol: naming the symbol that fell reveals x."""
    for p in [*probabilities(delta, pool), delta / 3]:
        most = -(-p.denominator // p.numerator) - 1 if p else 0
        for k in (1, 2, 3, 4, 8):
            if 0 < k <= most:
                yield plain(f"{k} symbols of {p}", guess_menu(p, k, 1))
                yield plain(f"{k} symbols of {p}, twice", guess_menu(p, min(k, 3), 2))
    for m in (3, 4):
        yield plain(f"{m} symbols", guess_menu(Fraction(1, m), m, 1))


def guess_menu(p: Fraction, symbols: int, rounds: int, hit: Rows = REVEAL) -> Menu:
    """Return the menu that draws a symbol; each symbol of probability p can be named afterwards."""
    rest = [1 - symbols * p] if symbols * p < 1 else []
    draw = lottery([p] * symbols + rest)
    miss: Mechanism = made(SILENT)
    for _ in range(rounds):
        names = [*draw][:symbols]
        winner = made(hit)
        after = {y: {r: winner if r == y else miss for r in names} for y in draw}
        miss = made(draw, after)
    return {"draw": miss}


@mixed
def chains(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """A rare symbol opens a reveal, round after round; the last round leaks a little on its own."""
    rare = probabilities(delta, pool)
    for p in rare:
        for d in rare:
            for n in (1, 2, 3, 6, 12):
                menu: Menu = {"ask": made(erasure(d))}
                for _ in range(n):
                    after = {"1": {"ask": made(REVEAL)}, "2": menu}
                    menu = {"ask": made(lottery([p, 1 - p]), after)}
                yield plain(f"{n} times {p}, then {d}", menu)


@mixed
def adaptive(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """A small response, then more on the branch that favours x and something else on the other."""
    edge = odds_of(epsilon, 20)
    seconds = [*spends(epsilon, delta, pool[:1])]
    for k in (2, 4):
        first = rr(max(root_above(edge, k), Fraction(11, 9)))
        for up, rows in seconds:
            for down, others in seconds[:3]:
                after = {"0": {"ask": made(rows)}, "1": {"ask": made(others)}}
                yield plain(f"1/{k}, {up} or {down}", {"ask": made(first, after)})


@mixed
def declarations(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """Spends that declare a true pair other than the tight one."""
    edge = odds_of(epsilon, 20)
    claims = dict.fromkeys([ONE, Fraction(2), Fraction(20), odds_below(epsilon, 10), edge])
    for name, rows in spends(epsilon, delta, pool[:1]):
        for n in (1, 2, 8):
            for odds in claims:
                menu = line([rows] * n, quiet)
                yield dressed(f"{name} x {n} at {odds}", stating(max(ONE, odds)), menu)
    for d in probabilities(min(20 * delta, ONE / 2), pool):
        for odds in (Fraction(20), Fraction(1000), edge * 1000):
            yield dressed(f"erasure({d}) at {odds}", stating(odds), line([erasure(d)]))


@mixed
def excluded(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """Three databases: the first output may rule one out, then the other two are told apart."""
    relations = ([("0", "1"), ("1", "2")], [("1", "2")], [("0", "1")])
    for p in (ONE, ONE / 2, *probabilities(delta, pool)):
        first: Rows = {"a": (NONE, p, p), "b": (ONE, 1 - p, 1 - p)}
        for rows in (first, {y: row[::-1] for y, row in first.items()}):
            for tell in ((0, 0, 1), (0, 1, 1)):
                for relation in relations:
                    yield f"{p}, {tell}, {relation}", partial(_excluded, rows, tell, relation)


def _excluded(rows: Rows, tell: Sequence[int], relation: Sequence[Pair]) -> Game:
    names = ("0", "1", "2")
    second = {"ask": Mechanism(spread(REVEAL, names, tell))}
    law = spread(rows, names, range(3))
    return Game(names, relation, {"ask": Mechanism(law, dict.fromkeys(law, second))})


def disguised(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Plot]:
    """The essential attacks, renamed, delayed, among other databases, with bait and decoys.

    Every disguise comes once before any comes twice, each time with another attack.
    """
    dresses, attacks = [*plain_disguises()], [*essentials(epsilon, delta, pool)]
    Random(f"{epsilon} {delta}").shuffle(attacks)
    for shift in range(len(attacks)):
        for i, (dress, disguise) in enumerate(dresses, shift):
            name, menu = attacks[i % len(attacks)]
            yield dressed(f"{name}, {dress}", disguise, menu)


def essentials(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[tuple[str, Menu]]:
    """Yield the attacks that are worth a disguise."""
    p = probabilities(delta, pool)[0]
    edge, above = odds_of(epsilon, 20), odds_above(epsilon, 3)
    yield "reveal", line([REVEAL])
    yield "erasure x 2", line([erasure(p)] * 2)
    yield "erasure x 12", line([erasure(p)] * 12, quiet)
    yield "leak x 2", line([one_sided(p)] * 2)
    yield "response x 2", line([rr(max(edge, Fraction(11, 9)))] * 2)
    yield "response above", line([rr(odds_above(epsilon, 1))])
    yield "leaning above x 2", line([leaning(above)] * 2)
    yield "leaning back x 3", line([mirror(leaning(above))] * 3)
    if p <= ONE / 3:
        yield "guess", guess_menu(p / 2, 3, 1)


def family(plots: Plots) -> Family:
    """Return the family that stages these plots at a budget."""
    name = plots.__name__

    def cases(epsilon: Epsilon, delta: Fraction, pool: Pool = ()) -> Iterator[Case]:
        need_buildable(epsilon)
        found = plots(epsilon, delta, pool or (delta,))
        return (Case(f"{name}: {what}", build(), epsilon, delta) for what, build in found)

    return cases


PLOTS = (
    overshoot,
    repeated,
    late,
    interrupted,
    guessing,
    excluded,
    disguised,
    slices,
    alternating,
    chains,
    adaptive,
    declarations,
    order,
)

FAMILIES: Mapping[str, Family] = MappingProxyType({one.__name__: family(one) for one in PLOTS})
"""Every family by name, in the order in which a campaign plays them."""


def attack_cases(
    seed: int,
    budgets: Sequence[tuple[Epsilon, Fraction]] = BUDGETS,
    pool: Pool = (),
) -> Iterator[Case]:
    """Yield all families at all budgets, one case of each in turn; the seed shuffles the turns."""
    streams = [
        iter(cases(epsilon, delta, pool))
        for epsilon, delta in budgets
        for cases in FAMILIES.values()
    ]
    Random(seed).shuffle(streams)
    for row in zip_longest(*streams):
        yield from (one for one in row if one is not None)
