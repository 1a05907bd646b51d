"""Families of games that break classes of filters, each for any budget (ε, δ).

A family receives the budget and a pool of thresholds (δ and whatever probabilities the filter
was given) and yields cases at that budget.  None of them knows a filter: each encodes one way
in which privacy loss can hide.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from random import Random
from types import MappingProxyType

from filterproof.exact import Epsilon, Log
from filterproof.game import Game, Mechanism, Request
from filterproof.law import Declared
from filterproof_properties.disguises import Menu, delayed, plain_disguises, stating
from filterproof_properties.generate import (
    NONE,
    REVEAL,
    SILENT,
    Rows,
    biased,
    declared_at_odds,
    erasure,
    lottery,
    mirror,
    mixture,
    one_sided,
    response,
    spread,
)
from filterproof_properties.named import Case
from filterproof_properties.thresholds import (
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
    (Fraction(1, 10), Fraction(1, 100)),
    (Fraction(3), Fraction(1, 100)),
    (Log(Fraction(3, 2)), Fraction(0)),
    (Fraction(0), Fraction(1, 4)),
    (Fraction(60), Fraction(1, 100)),
    (ONE, Fraction(9, 10)),
    (Log(Fraction(2)), Fraction(1, 10**6)),
)
"""Where a filter is tried when the user fixes no budget."""


# --- building ---------------------------------------------------------------------------------


def made(rows: Rows, after: Mapping[str, Menu] | None = None) -> Mechanism:
    """Return the mechanism on two databases with these rows."""
    law = {y: dict(zip(BOTH, row, strict=True)) for y, row in rows.items()}
    return Mechanism(law, after or {})


def line(rounds: Sequence[Rows], follow: Callable[[list[str]], list[str]] = list) -> Menu:
    """Return the menu with one request a round; `follow` picks the outputs that go on."""
    menu: Menu = {}
    for rows in reversed(rounds):
        after = dict.fromkeys(follow([*rows]), menu) if menu else {}
        menu = {"ask": made(rows, after)}
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


def case(name: str, menu: Menu, epsilon: Epsilon, delta: Fraction) -> Case:
    """Return the case on two databases with this first menu."""
    return Case(name, Game(BOTH, [BOTH], menu), epsilon, delta)


def cases(
    family: str, epsilon: Epsilon, delta: Fraction, menus: Iterable[tuple[str, Menu]]
) -> Iterator[Case]:
    """Return cases at one budget, named after their family."""
    return (case(f"{family}: {name}", menu, epsilon, delta) for name, menu in menus)


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


def overshoot(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """One round just above the budget, at every distance down to 2^-80."""

    def menus() -> Iterator[tuple[str, Menu]]:
        yield "reveal", line([REVEAL])
        for gap in GAPS:
            odds = odds_above(epsilon, gap)
            more = 1 + Fraction(1, 2**gap)
            yield f"response, gap 2^-{gap}", line([rr(odds)])
            yield f"leaning, gap 2^-{gap}", line([leaning(odds)])
            yield f"leaning back, gap 2^-{gap}", line([mirror(leaning(odds))])
            if delta < 1:
                above = response_odds(epsilon, delta) * more
                yield f"response at delta, gap 2^-{gap}", line([rr(above)])
            if 0 < delta * more < 1:
                d, edge = delta * more, odds_below(epsilon, gap)
                yield f"erasure, gap 2^-{gap}", line([erasure(d)])
                yield f"leak, gap 2^-{gap}", line([one_sided(d)])
                yield f"leak back, gap 2^-{gap}", line([mirror(one_sided(d))])
                yield f"mixture, gap 2^-{gap}", line([mixture(d, edge / (1 + edge))])
                yield f"mixture above, gap 2^-{gap}", line([mixture(delta, odds / (1 + odds))])

    return cases("overshoot", epsilon, delta, menus())


def repeated(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """One spend again and again: every output goes on, or only the loud or the quiet one."""

    def menus() -> Iterator[tuple[str, Menu]]:
        for name, rows in spends(epsilon, delta, pool):
            for n in (2, 3):
                yield f"{name} x {n}", line([rows] * n)
            for n in (2, 6, 12, 24):
                yield f"{name} x {n}, quiet", line([rows] * n, quiet)
                yield f"{name} x {n}, loud", line([rows] * n, loud)

    return cases("repeated", epsilon, delta, menus())


def slices(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """k rounds whose odds multiply to just above e^ε, at several distances (many tiny spends)."""

    def menus() -> Iterator[tuple[str, Menu]]:
        for k in (2, 3, 4, 5, 7, 10, 20, 30):
            for gap in (1, 10, 40, 50, 56, 64):
                odds = root_above(odds_above(epsilon, gap), k, gap + 10)
                yield f"response, 1/{k}, gap 2^-{gap}", line([rr(odds)] * k, loud)
                yield f"leaning, 1/{k}, gap 2^-{gap}", line([leaning(odds)] * k, loud)
        for d in probabilities(delta, pool):
            for k, parts in ((3, 2), (10, 5), (30, 10), (50, 40)):
                yield f"erasure({d}/{parts}) x {k}", line([erasure(d / parts)] * k, quiet)
                yield f"leak({d}/{parts}) x {k}", line([one_sided(d / parts)] * k, quiet)

    return cases("slices", epsilon, delta, menus())


def order(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """Two different spends, one after the other, in either order."""

    def menus() -> Iterator[tuple[str, Menu]]:
        options = [*spends(epsilon, delta, pool[:2])]
        for first, rows in options:
            for second, others in options:
                if first != second:
                    yield f"{first}, then {second}", line([rows, others])

    return cases("order", epsilon, delta, menus())


def alternating(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """Spends that point to one database and then to the other."""

    def menus() -> Iterator[tuple[str, Menu]]:
        edge = odds_of(epsilon, 20)
        forward = [one_sided(d) for d in probabilities(delta, pool)]
        forward += [leaning(edge), leaning(odds_above(epsilon, 3)), leaning(root_above(edge, 2))]
        for i, rows in enumerate(forward):
            for n in (2, 3, 4):
                turns = [rows if j % 2 == 0 else mirror(rows) for j in range(n)]
                yield f"{i} x {n}", line(turns)
                yield f"{i} back x {n}", line([mirror(t) for t in turns])

    return cases("alternating", epsilon, delta, menus())


def late(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """A long quiet prefix, then one round above the budget."""
    blows = {"reveal": REVEAL, "response": rr(odds_above(epsilon, 1))}
    if 0 < delta < Fraction(1, 2):
        blows |= {"erasure": erasure(2 * delta), "leak": one_sided(2 * delta)}
    for name, rows in blows.items():
        for k in (*range(1, 13), 16, 20, 31, 50):
            game = delayed(k)(Game(BOTH, [BOTH], line([rows] * 2)))
            yield Case(f"late: {name} after {k}", game, epsilon, delta)


def guessing(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """Rare symbols, then one request per symbol: naming the symbol that fell reveals x."""

    def menus() -> Iterator[tuple[str, Menu]]:
        for p in [*probabilities(delta, pool), delta / 3]:
            most = -(-p.denominator // p.numerator) - 1 if p else 0
            for k in (2, 3, 4, 8):
                if 0 < k <= most:
                    yield f"{k} symbols of {p}", guess_menu(p, k, 1)
                    yield f"{k} symbols of {p}, twice", guess_menu(p, min(k, 3), 2)
        for m in (3, 4):
            yield f"{m} symbols", guess_menu(Fraction(1, m), m, 1)

    return cases("guessing", epsilon, delta, menus())


def guess_menu(p: Fraction, symbols: int, rounds: int, hit: Rows = REVEAL) -> Menu:
    """Return the menu that draws a symbol; each symbol of probability p can be named afterwards."""
    rest = [1 - symbols * p] if symbols * p < 1 else []
    draw = lottery([p] * symbols + rest)
    miss: Mechanism = made(SILENT)
    for _ in range(rounds):
        names = [str(i) for i in range(symbols)]
        winner = made(hit)
        after = {y: {r: winner if r == y else miss for r in names} for y in draw}
        miss = made(draw, after)
    return {"draw": miss}


def adaptive(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """A small response, then more on the branch that favours x and something else on the other."""

    def menus() -> Iterator[tuple[str, Menu]]:
        edge = odds_of(epsilon, 20)
        seconds = [*spends(epsilon, delta, pool[:1])]
        for k in (2, 4):
            first = rr(max(root_above(edge, k), Fraction(11, 9)))
            for up, rows in seconds:
                for down, others in seconds[:3]:
                    after = {"0": {"ask": made(rows)}, "1": {"ask": made(others)}}
                    yield f"1/{k}, {up} or {down}", {"ask": made(first, after)}

    return cases("adaptive", epsilon, delta, menus())


def declarations(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """Spends that declare a true pair other than the tight one."""
    edge = odds_of(epsilon, 20)
    claims = [ONE, Fraction(2), Fraction(20), odds_below(epsilon, 10), max(ONE, edge)]
    for name, rows in spends(epsilon, delta, pool[:1]):
        for n in (1, 2, 8):
            game = Game(BOTH, [BOTH], line([rows] * n, quiet))
            for odds in dict.fromkeys(claims):
                dressed = stating(odds)(game)
                yield Case(f"declarations: {name} x {n} at {odds}", dressed, epsilon, delta)
    pairs = (BOTH, BOTH[::-1])
    for d in probabilities(min(20 * delta, Fraction(1, 2)), pool):
        law = made(erasure(d)).law
        for odds in (Fraction(20), Fraction(1000), edge * 1000):
            stated: Declared = declared_at_odds(law, pairs, odds)
            menu = {"ask": Mechanism(law, {}, stated)}
            yield case(f"declarations: erasure({d}) at {odds}", menu, epsilon, delta)


def excluded(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """Three databases: the first output rules one out, then the other two are told apart."""
    zero, half = NONE, ONE / 2
    for p in (half, *probabilities(delta, pool)):
        first: Rows = {"a": (p, zero, zero), "b": (1 - p, ONE, ONE)}
        back: Rows = {"a": (zero, zero, p), "b": (ONE, ONE, 1 - p)}
        for name, rows in (("first", first), ("last", back)):
            for tell in ((0, 0, 1), (0, 1, 1), (0, 1, 0)):
                yield from _excluded(f"{name}, {p}, {tell}", rows, tell, epsilon, delta)


def _excluded(
    name: str, rows: Rows, tell: Sequence[int], epsilon: Epsilon, delta: Fraction
) -> Iterator[Case]:
    names = ("0", "1", "2")
    for relation in ([("0", "1"), ("1", "2")], [("1", "2")], [("0", "2"), ("1", "2")]):
        second = {"ask": Mechanism(spread(REVEAL, names, tell))}
        law = {y: dict(zip(names, row, strict=True)) for y, row in rows.items()}
        menu: Mapping[Request, Mechanism] = {"ask": Mechanism(law, dict.fromkeys(law, second))}
        yield Case(f"excluded: {name}", Game(names, relation, menu), epsilon, delta)


def disguised(epsilon: Epsilon, delta: Fraction, pool: Pool) -> Iterator[Case]:
    """The essential attacks, renamed, delayed, among other databases, with bait and decoys."""
    p = probabilities(delta, pool)[0]
    edge = odds_of(epsilon, 20)
    essentials: dict[str, Menu] = {
        "reveal": line([REVEAL]),
        "erasure x 2": line([erasure(p)] * 2),
        "erasure x 12": line([erasure(p)] * 12, quiet),
        "leak x 2": line([one_sided(p)] * 2),
        "response x 2": line([rr(max(edge, Fraction(11, 9)))] * 2),
        "response above": line([rr(odds_above(epsilon, 1))]),
        "leaning above x 2": line([leaning(odds_above(epsilon, 3))] * 2),
        "leaning back x 3": line([mirror(leaning(odds_above(epsilon, 3)))] * 3),
    }
    if p <= Fraction(1, 3):
        essentials["guess"] = guess_menu(min(p / 2, Fraction(1, 3)), 3, 1)
    for dress, disguise in plain_disguises():
        for name, menu in essentials.items():
            game = disguise(Game(BOTH, [BOTH], menu))
            yield Case(f"disguised: {name}, {dress}", game, epsilon, delta)


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "overshoot": overshoot,
        "guessing": guessing,
        "late": late,
        "alternating": alternating,
        "excluded": excluded,
        "disguised": disguised,
        "adaptive": adaptive,
        "slices": slices,
        "repeated": repeated,
        "declarations": declarations,
        "order": order,
    }
)


def attack_cases(
    seed: int,
    budgets: Sequence[tuple[Epsilon, Fraction]] = BUDGETS,
    pool: Pool = (),
) -> Iterator[Case]:
    """Yield all families at all budgets, interleaved; the seed shuffles the families' order."""
    streams = [
        iter(family(epsilon, delta, pool or (delta,)))
        for epsilon, delta in budgets
        for family in FAMILIES.values()
    ]
    for epsilon, _ in budgets:
        need_buildable(epsilon)
    Random(seed).shuffle(streams)
    for row in zip_longest(*streams):
        yield from (one for one in row if one is not None)
