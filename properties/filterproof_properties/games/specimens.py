"""For each known-bad filter the smallest game found on which it breaks its promise.

Small means few rounds, then few outputs, then small denominators.  The exact H of each is stated in
the tests.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from filterproof.exact import Log
from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Mechanism
from filterproof.game.law import Declared
from filterproof.palette import (
    erasure,
    game,
    lottery,
    one_sided,
    repeated,
    response,
    reveal,
    table,
)
from filterproof_properties.case import Case
from filterproof_properties.games.interactive import (
    one_leaking_session,
    one_session,
    two_leaking_sessions,
    two_sessions,
)
from filterproof_properties.games.named import guesses
from filterproof_properties.games.promised import actual_data, largest_promise

ONE = Fraction(1)
CENT, THIRD = Fraction(1, 100), Fraction(1, 3)
TWO_TO_ONE = Log(Fraction(2))


def two_leaks() -> Case:
    """A leak of probability 1/100, twice, at δ = 1/100: each fits alone."""
    return Case("two leaks", game(repeated(one_sided(CENT), 2)), ONE, CENT)


def three_guesses() -> Case:
    """Guess which of three rare symbols was drawn: three requests are the fewest for N = 2."""
    rare = Fraction(1, 200)
    draw = lottery([rare] * 3 + [1 - 3 * rare], {str(y): guesses(str(y), 3) for y in range(1, 5)})
    parameters = {"N": 2, "theta": rare, "delta_tilde": Fraction(0)}
    return Case("three guesses", game(draw), ONE, CENT, parameters)


def declared_reveal() -> Case:
    """One round that reveals x and declares (log 15, 1): it is charged 2/(15·log 15) < 1/20."""
    shown = Mechanism(reveal().law, {}, Declared(Fraction(15), ONE))
    parameters = {"delta_prime": Fraction(1, 20)}
    return Case("declared reveal", game(shown), Fraction(60), Fraction(1, 10), parameters)


def two_orders() -> Case:
    """RR(5/9), then a rare large loss: order 5 fits on the branch of x, order 2 on the other."""
    favoured = rare(Fraction(3, 4), Fraction(100))
    other = rare(Fraction(1, 8), Fraction(250))
    first = response(Fraction(5, 9), {"0": {"go": favoured}, "1": {"go": other}})
    parameters = {"orders": (Fraction(2), Fraction(5))}
    budget = Log(Fraction(100)), Fraction(1, 10)
    return Case("two orders", game(first), *budget, parameters)


def two_orders_near_1() -> Case:
    """A leak of 2^64, then one just above ε on either branch: each fits another order."""
    leak = Fraction(1, 3000)
    after = {
        "!": {"go": rare(Fraction(19, 20), Fraction(5 * 2**64))},
        "?": {"go": rare(leak, Fraction(9 * 2**128))},
    }
    law = {"!": (leak, leak / 2**64), "?": (1 - leak, 1 - leak / 2**64)}
    parameters = {"orders": (Fraction(9, 8), Fraction(5, 4))}
    budget = Log(Fraction(2**128)), Fraction(1, 2000)
    return Case("two orders near 1", game(table(law, after)), *budget, parameters)


def rare(d: Fraction, ratio: Fraction) -> Mechanism:
    """The output "!" with probability d under "0" and d/ratio under "1"."""
    return table({"!": (d, d / ratio), "?": (1 - d, 1 - d / ratio)})


def small_switch() -> Case:
    """RR(2/3), then RR(3/4) on the branch of x and erasure(1/3) on the other, at e^ε = 2."""
    after = {"0": {"go": response(Fraction(3, 4))}, "1": {"go": erasure(THIRD)}}
    return Case("small switch", game(response(2 * THIRD, after)), TWO_TO_ONE, THIRD)


def pure_switch() -> Case:
    """RR(3/5), then RR(3/4) once on the branch of x, and RR(2/3) twice on the other, e^ε = 2."""
    after = {
        "0": {"go": response(Fraction(3, 4))},
        "1": {"go": repeated(response(2 * THIRD), 2, "go")},
    }
    first = response(Fraction(3, 5), after)
    return Case("pure switch", game(first), TWO_TO_ONE, Fraction(1, 4))


def two_erasures() -> Case:
    """erasure(1/100) twice at δ = 1/100: each δ_i fits alone."""
    return Case("two erasures", game(repeated(erasure(CENT), 2)), ONE, CENT)


def below_the_grid() -> Case:
    """A leak of probability 1/65, which a lower bound on a grid of 1/64 does not see."""
    parameters = {"N": 1, "theta": Fraction(0), "delta_tilde": Fraction(1, 100)}
    leak = game(one_sided(Fraction(1, 65)))
    return Case("below the grid", leak, ONE, Fraction(1, 100), parameters)


def below_the_grid_charged() -> Case:
    """The same for a filter without parameters."""
    leak = game(one_sided(Fraction(1, 65)))
    return Case("below the grid", leak, ONE, Fraction(1, 100))


def two_responses() -> Case:
    """RR(2/3) twice at (1, 0): each takes log 2 < 1, both together more than 1."""
    return Case("two responses", game(repeated(response(2 * THIRD), 2)), ONE, Fraction(0))


def two_responses_at_log_2() -> Case:
    """RR(2/3) twice at e^ε = 2, δ = 0: the first takes all of ε."""
    play = game(repeated(response(2 * THIRD), 2))
    return Case("two responses", play, TWO_TO_ONE, Fraction(0), {"share": Fraction(1, 2)})


def two_analysts() -> Case:
    """RR(2/3) for one analyst, then for another, at e^ε = 2: each takes all of ε."""
    menu = {"bob: ask": response(2 * THIRD)}
    play = game({"alice: ask": response(2 * THIRD, dict.fromkeys("01", menu))})
    return Case("two analysts", play, TWO_TO_ONE, Fraction(0))


def telling_failure() -> Case:
    """RR(2/3) that says "1" by failing, twice at e^ε = 2."""
    law = table({"0": (2 * THIRD, THIRD), FAILS: (THIRD, 2 * THIRD)})
    return Case("telling failure", game(repeated(law, 2)), TWO_TO_ONE, Fraction(0))


def two_full_responses() -> Case:
    """RR(2/3) twice at e^ε = 2, δ = 0, for a filter without parameters."""
    play = game(repeated(response(2 * THIRD), 2))
    return Case("two full responses", play, TWO_TO_ONE, Fraction(0))


def one_reveal() -> Case:
    """One round that reveals x, at (1, 1/100)."""
    return Case("one reveal", game(reveal()), ONE, CENT)


def pure_and_leaking() -> Case:
    """RR(2/3), then RR(2/3) that is replaced by x with probability 1/100, at (log 2, 1/100)."""
    leak, rest = {"0!": (CENT, Fraction(0)), "1!": (Fraction(0), CENT)}, (1 - CENT) * THIRD
    after = {"ask": table({**leak, "0": (2 * rest, rest), "1": (rest, 2 * rest)})}
    play = game(response(2 * THIRD, dict.fromkeys("01", after)))
    return Case("pure and leaking", play, TWO_TO_ONE, CENT)


def misconverted_leak() -> Case:
    """A loss of log 200 with probability 1/20, at e^ε = 100 and order 2."""
    parameters = {"order": Fraction(2)}
    shown = game(rare(Fraction(1, 20), Fraction(200)))
    return Case("misconverted leak", shown, Log(Fraction(100)), CENT, parameters)


def ahead_or_behind() -> Case:
    """RR(5/9) up to 20 times at ε = 19·log(5/4), and after a 1 an erasure with probability δ."""
    odds, tenth = Fraction(5, 4), Fraction(1, 10)
    last = response(odds / (1 + odds))
    for _ in range(19):
        after = {"0": {"go": last}, "1": {"stop": erasure(tenth)}}
        last = response(odds / (1 + odds), after)
    return Case("ahead or behind", game(last), Log(odds**19), tenth)


def old_and_new() -> Case:
    """RR(2/3) on the new ledger, then on the old one, at e^ε = 2: each takes all of ε."""
    menu = {"old: ask": response(2 * THIRD)}
    play = game({"new: ask": response(2 * THIRD, dict.fromkeys("01", menu))})
    return Case("old and new", play, TWO_TO_ONE, Fraction(0))


def half_a_budget() -> Case:
    """RR(4/5) once at e^ε = 2: a half may spend 2ε."""
    return Case("half a budget", game(response(Fraction(4, 5))), TWO_TO_ONE, Fraction(0))


def just_above() -> Case:
    """One erasure with probability δ·(1 + 10⁻⁹), at δ = 1/100."""
    return Case("just above", game(erasure(CENT * (1 + Fraction(1, 10**9)))), ONE, CENT)


SPECIMENS: Mapping[str, Callable[[], Case]] = MappingProxyType(
    {
        "naive": two_leaks,
        "algorithm1": three_guesses,
        "advanced-printed": declared_reveal,
        "rdp-some-order": two_orders,
        "rdp-some-order-mironov": two_orders_near_1,
        "exact-composition": small_switch,
        "exact-composition-pure": pure_switch,
        "per-round-delta": two_erasures,
        "repaired-lower-bound": below_the_grid,
        "compensator-lower-bound": below_the_grid_charged,
        "floor-upside-down": two_responses,
        "floor-fresh-losses": two_responses_at_log_2,
        "floor-double": two_erasures,
        "budget-per-analyst": two_analysts,
        "refund-on-failure": telling_failure,
        "missing-key": two_full_responses,
        "clamped-charge": one_reveal,
        "stale-remaining": two_full_responses,
        "two-ledgers": pure_and_leaking,
        "rdp-wrong-conversion": misconverted_leak,
        "basic-or-advanced": ahead_or_behind,
        "ledger-in-migration": old_and_new,
        "divided-by-ratio": half_a_budget,
        "charged-afterwards": one_reveal,
        "equal-charges": two_full_responses,
        "relative-tolerance": just_above,
        "largest-promise": largest_promise,
        "individual-actual-data": actual_data,
        "pay-first-round": one_session,
        "pay-largest": two_sessions,
        "pay-unchecked": one_leaking_session,
        "pay-largest-delta": two_leaking_sessions,
    }
)
"""By registry name, the game that convicts the filter."""
