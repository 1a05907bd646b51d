"""For each known-bad odometer a small game on which its report is exceeded too often.

The ε of a case is only what the odometer is made for; the report is compared with the loss.  The
exact probabilities are stated in the tests.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from filterproof.game import Mechanism
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, repeated, response, table
from filterproof_properties.case import Case

ONE, CENT, TENTH = Fraction(1), Fraction(1, 100), Fraction(1, 10)


def case(name: str, first: Mechanism, delta: Fraction) -> Case:
    """Return the case at ε = 1."""
    return Case(name, game(first), ONE, delta)


def leak(d: Fraction, ratio: Fraction, then: Mechanism | None = None) -> Mechanism:
    """The output "!" with probability d under "0" and d/ratio under "1"; else `then` goes on."""
    law = {"!": (d, d / ratio), "?": (1 - d, 1 - d / ratio)}
    return table(law, {"?": {"then": then}} if then else {})


def try_higher() -> Case:
    """Two leaks, each as likely as δ allows: one of loss log 1000, then one of loss log 10^6."""
    likely = Fraction(99, 10000)
    second = leak(likely, Fraction(10**6))
    return case("try higher", leak(likely, Fraction(1000), second), CENT)


def other_order() -> Case:
    """A leak for which order 16 is best, then one for which order 2 is."""
    second = leak(Fraction(7, 1000), Fraction(10**4))
    return case("other order", leak(Fraction(9, 1000), Fraction(8), second), CENT)


def other_guess() -> Case:
    """A leak of loss just above 2, then one just above 32."""
    second = leak(Fraction(9, 1000), Fraction(80 * 10**12))
    return case("other guess", leak(Fraction(97, 10000), Fraction(37, 5), second), CENT)


def above_the_declared() -> Case:
    """RR(3/4), which declares truly that it is (log 2, 1/4)-DP: its loss is log 3 or -log 3."""
    odds = Declared(Fraction(2), Fraction(1, 4))
    return case("above the declared", Mechanism(response(Fraction(3, 4)).law, {}, odds), ONE / 4)


def above_the_guess() -> Case:
    """RR(16/25): charged less than δ/2 at ε = 1/2, and its loss is above 1/2."""
    return case("above the guess", response(Fraction(16, 25)), TENTH)


def two_erasures() -> Case:
    """erasure(1/100) twice at δ = 1/100: each fits alone."""
    return case("two erasures", repeated(erasure(CENT), 2), CENT)


def one_response() -> Case:
    """RR(2/3) once."""
    return case("one response", response(Fraction(2, 3)), CENT)


def off_the_grid() -> Case:
    """RR(5/8): odds 5/3, which lie between 13/8 and 14/8."""
    return case("off the grid", response(Fraction(5, 8)), CENT)


def three_responses() -> Case:
    """RR(2/3) three times."""
    return case("three responses", repeated(response(Fraction(2, 3)), 3), CENT)


SPECIMENS: Mapping[str, Callable[[], Case]] = MappingProxyType(
    {
        "odometer-accountant": try_higher,
        "odometer-declared": above_the_declared,
        "odometer-per-round-delta": two_erasures,
        "odometer-rounded-down": off_the_grid,
        "odometer-late": one_response,
        "odometer-resets": three_responses,
        "odometer-one-direction": one_response,
        "odometer-forgiving-again": two_erasures,
        "odometer-renyi-best": other_order,
        "odometer-guesses-undivided": other_guess,
        "odometer-guesses-dp": above_the_guess,
    }
)
"""By registry name, the game that convicts the odometer."""
