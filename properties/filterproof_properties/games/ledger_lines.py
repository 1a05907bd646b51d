"""Lines of spends that ledgers are known to lose: many equal ones, small and large, odd amounts.

Each game is over its budget if all of it is run, so a sound ledger refuses some round of it.  What
goes wrong is a matter of how many rounds there are, of how large they are beside each other, or of
the digits of what they cost, so a few lines at a few budgets stand for each.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import comb, exp

from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof.game.rows import Rows, one_sided
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.games.families import ASK, Menu, Round, chain_rounds, odds_rows
from filterproof_properties.games.thresholds import odds_above, odds_below

NONE, ONE = Fraction(0), Fraction(1)
Amount = tuple[Fraction, Fraction]
"""A budget, or what a round loses: a rational epsilon and a delta."""

MORE = Fraction(21, 20)
"""So many times the budget equal rounds lose: little enough for a ledger that forgives a tenth."""
SIZES = ((3, 4), (20, 25), (60, 200))
"""So many small spends, each so small a part of the budget, before or after a large one."""
LARGE = Fraction(9, 10)
"""The part of the budget that a large spend takes."""
EXACT = (1, 2, 4)
"""In so many equal parts the budget is used up to the last bit of a double."""
ODD, TIMES = (Fraction(149, 100), Fraction(199, 100)), 9
"""Amounts in units of the last digit that is booked, and how many are over ten units."""
TINY = Fraction(1001, 1000)
"""The odds that are stated of rounds about delta: ledgers may reject an epsilon of 0."""
LOSSES = (Fraction(12), Fraction(120), Fraction(164, 5), Fraction(328, 5))
"""Losses that are far above a budget, but smaller as a text, or in thousandths in sixteen bits."""
OUTPUTS, STEPS = 24, 12
"""So many answers in one make a bell; so many rounds are a walk."""

PURE = tuple((ONE, delta) for delta in (NONE, Fraction(1, 2**17), Fraction(1, 128)))
EQUAL_AT = (
    (PURE[0], (8, 64)),
    (PURE[1], (8, 16)),
    (PURE[2], (8, 16)),
    ((Fraction(60), Fraction(1, 100)), (16,)),
    ((Fraction(8), Fraction(1, 10**9)), (16,)),
)
"""Budgets, and how many rounds: few for tiny deltas, many for what is cheaper later."""
EXACT_AT = PURE[::2]
FAR_AT = ((Fraction(3), Fraction(1, 100)), (Fraction(8), NONE))
BELLS_AT = (PURE[1], (Fraction(3), Fraction(1, 10**7)), (Fraction(8), Fraction(1, 10)))
WALKS_AT = ((Fraction(1, 10), Fraction(1, 100)), PURE[1])
"""The budgets at which each is tried; all of a delta that is a double can be spent at once."""
UNITS = tuple(Fraction(1, 10**places) for places in (2, 3, 4, 6, 1))
"""The last digit that a ledger may book."""


def ledger_lines(*, with_delta: bool) -> list[Case]:
    """Return all of them, those of few rounds first; `with_delta` says that delta may be promised.

    >>> all(case.delta == 0 for case in ledger_lines(with_delta=False))
    True
    """
    kinds = (far_at_once(), exactly_all(), odd_amounts(), bells(), walks(), equal_lines(), sizes())
    return [case for case in chain(*kinds) if with_delta or not case.delta]


def equal_lines() -> Iterator[Case]:
    """Yield equal rounds that lose a little more than the budget, and leaks where they go astray.

    The leaks are for a ledger that holds to either of two rules.
    """
    for (epsilon, delta), lengths in EQUAL_AT:
        for times in lengths:
            one = response(MORE * epsilon / times)
            menu: Menu = {}
            leak = {"leak": with_statement(one_sided(delta), TINY, delta)} if delta else {}
            for _ in range(times):
                after = {"0": menu, "1": leak} if menu else {}
                menu = {ASK: Mechanism(one.law, {y: then for y, then in after.items() if then})}
            yield Case(f"{times} equal rounds", game(menu), epsilon, delta)


def sizes() -> Iterator[Case]:
    """Yield small spends and then a large one, and a large one and then small ones."""
    for times, part in SIZES:
        small, large = [along(response(ONE / part))], [along(response(LARGE))]
        yield line("small spends, then a large one", small * times + large, PURE[0])
        yield line("a large spend, then small ones", large + small * times, PURE[0])


def exactly_all() -> Iterator[Case]:
    """Yield spends that use up the budget to the last bit, and one more of all of it."""
    for epsilon, delta in EXACT_AT:
        whole = exact(epsilon, delta)
        for times in EXACT:
            parts = [along(exact(epsilon / times, delta / times))] * times
            yield line("all of it exactly, then again", [*parts, along(whole)], (epsilon, delta))
            no_delta = [along(exact(epsilon / times, NONE))] * times
            if delta:
                rounds = [*no_delta, along(exact(epsilon, NONE))]
                yield line("all of epsilon exactly, then again", rounds, (epsilon, delta))


def odd_amounts() -> Iterator[Case]:
    """Yield rounds whose epsilon or delta is rounded to less, at ten units of the last digit."""
    for unit in UNITS:
        for amount in ODD:
            rounds = [along(response(amount * unit))] * TIMES
            yield line(f"{TIMES} x epsilon {float(amount * unit):.3g}", rounds, (10 * unit, NONE))
    for unit in UNITS[1:4]:
        for amount in ODD:
            leak = with_statement(one_sided(amount * unit), TINY, amount * unit)
            name = f"{TIMES} x delta {float(amount * unit):.3g}"
            yield line(name, [(leak, "?", ASK)] * TIMES, (ONE, 10 * unit))


def far_at_once() -> Iterator[Case]:
    """Yield single rounds that lose far more than the budget, of other powers of ten."""
    for epsilon, delta in FAR_AT:
        menu = {f"lose {loss}": response(loss) for loss in LOSSES}
        yield Case("far too much", game(menu), epsilon, delta)


def bells() -> Iterator[Case]:
    """Yield single rounds that are nearly Gaussian, over the budget by an eighth of delta."""
    for epsilon, delta in BELLS_AT:
        odds = bell_odds(epsilon, delta * Fraction(9, 8), OUTPUTS)
        yield Case("bell", game({ASK: PLAIN.mechanism(bell(odds))}), epsilon, delta)


def walks() -> Iterator[Case]:
    """Yield equal rounds that all go on, together over the budget by an eighth of delta."""
    for epsilon, delta in WALKS_AT:
        one = odds_rows(bell_odds(epsilon, delta * Fraction(9, 8), STEPS))
        menu: Menu = {}
        for _ in range(STEPS):
            menu = {ASK: PLAIN.mechanism(one, dict.fromkeys(one, menu) if menu else {})}
        yield Case(f"{STEPS} rounds that go on", game(menu), epsilon, delta)


# --- rounds -------------------------------------------------------------------------------------


def bell(odds: Fraction) -> Rows:
    """Return how many of some answers with these odds speak for database "0"."""
    p = odds / (1 + odds)
    rows: Rows = {}
    for n in range(OUTPUTS + 1):
        ways = comb(OUTPUTS, n)
        one, other = p**n * (1 - p) ** (OUTPUTS - n), (1 - p) ** n * p ** (OUTPUTS - n)
        rows[str(n)] = ways * one, ways * other
    return rows


def bell_odds(epsilon: Fraction, delta: Fraction, times: int) -> Fraction:
    """Return odds at which so many answers have about this H; what is played is judged exactly."""
    low, high = 0.0, 4.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if _bell_excess(exp(middle), epsilon, times) > delta else (middle, high)
        )
    return Fraction(exp(high)).limit_denominator(1000) + Fraction(1, 1000)


def _bell_excess(odds: float, epsilon: Fraction, times: int) -> float:
    p, edge = odds / (1 + odds), exp(epsilon)
    terms = (
        (comb(times, n), p**n * (1 - p) ** (times - n), (1 - p) ** n * p ** (times - n))
        for n in range(times + 1)
    )
    return sum(ways * max(0.0, one - edge * other) for ways, one, other in terms)


def response(loss: Fraction) -> Mechanism:
    """Return a randomised response that loses this much, up to a billionth of its odds."""
    return PLAIN.mechanism(odds_rows(odds_above(loss, 30)))


def exact(epsilon: Fraction, delta: Fraction) -> Mechanism:
    """Return a response whose loss, rounded up to a double, is epsilon; delta is only stated."""
    odds = odds_below(epsilon, 60)
    return with_statement(odds_rows(odds), odds, delta)


def with_statement(rows: Rows, odds: Fraction, delta: Fraction) -> Mechanism:
    """Return a mechanism of which this epsilon and delta are stated."""
    return Mechanism(PLAIN.mechanism(rows).law, {}, Declared(odds, delta))


def along(one: Mechanism) -> Round:
    """Return a round that goes on where the answer speaks for the first database."""
    return one, next(iter(one.law)), ASK


def line(name: str, rounds: Sequence[Round], budget: Amount) -> Case:
    """Return the play of rounds one after the other."""
    return Case(name, game(chain_rounds(rounds, {})), *budget)


def game(menu: Menu) -> Game:
    """Return the game about two databases that begins with this menu."""
    return PLAIN.game(menu)
