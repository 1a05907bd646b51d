"""The named games: small plays that tell filters apart, with the exact H each attains.

Every case is a game with a budget and the filter parameters it was made for.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from filterproof.exact import Epsilon, Log
from filterproof.game import Mechanism, Request
from filterproof.palette import (
    erasure,
    game,
    lottery,
    repeated,
    response,
    reveal,
    silent,
)
from filterproof_properties.case import Case

Menu = Mapping[Request, Mechanism]
ONE = Fraction(1)
TWO_TO_ONE = Log(Fraction(2))  # e^ε = 2


def guess(m: int, epsilon: Epsilon = ONE) -> Case:
    """Y_1 is uniform on m symbols; request r_2 reveals x iff it names y_1, else is silent."""
    draw = lottery([Fraction(1, m)] * m, {str(y): guesses(str(y), m) for y in range(1, m + 1)})
    parameters = {"N": 2, "theta": Fraction(1, m), "delta_tilde": Fraction(0)}
    return Case(f"guess({m})", game(draw), epsilon, Fraction(2, m), parameters)


def guesses(winner: str, m: int, otherwise: Mechanism | None = None) -> Menu:
    """Requests "1".."m": the winner reveals x, the others are silent (or the given mechanism)."""
    other = otherwise or silent()
    return {str(r): reveal() if str(r) == winner else other for r in range(1, m + 1)}


def lottery_3_of_4(epsilon: Epsilon = ONE) -> Case:
    """Three symbols of probability 1/20 can be named by a request, the fourth cannot."""
    weights = [Fraction(1, 20)] * 3 + [Fraction(17, 20)]
    draw = lottery(weights, {str(y): guesses(str(y), 3) for y in range(1, 5)})
    parameters = {"N": 2, "theta": Fraction(1, 20), "delta_tilde": Fraction(0)}
    return Case("lottery(3 of 4)", game(draw), epsilon, Fraction(1, 10), parameters)


def twice_2(epsilon: Epsilon = ONE) -> Case:
    """Two lotteries in a row, two nameable symbols of probability 1/30 each; then a guess."""
    weights = [Fraction(1, 30), Fraction(1, 30), Fraction(28, 30)]
    names = ["1", "2", "3"]
    second = lottery(weights, {y: guesses(y, 2) for y in names})
    first = lottery(weights, {y: guesses(y, 2, otherwise=second) for y in names})
    parameters = {"N": 3, "theta": Fraction(1, 30), "delta_tilde": Fraction(0)}
    return Case("twice(2)", game(first), epsilon, Fraction(1, 10), parameters)


def chain(N: int, theta: Fraction, delta_tilde: Fraction, epsilon: Epsilon = ONE) -> Case:
    """Each round is bad with probability θ, then x is revealed; round N is erasure(δ̃).

    δ is what the sharp constraint leaves: 1 - (1-δ̃)(1-θ)^(N-1), which the chain attains.
    """
    menu: Menu = {"go": erasure(delta_tilde)} if delta_tilde else {"go": silent()}
    for _ in range(N - 1):
        menu = {"go": lottery([theta, 1 - theta], {"1": {"go": reveal()}, "2": menu})}
    delta = 1 - (1 - delta_tilde) * (1 - theta) ** (N - 1)
    parameters = {"N": N, "theta": theta, "delta_tilde": delta_tilde}
    return Case(f"chain({N}, {theta}, {delta_tilde})", game(menu), epsilon, delta, parameters)


def erasures(p: Fraction, N: int, delta: Fraction | None = None, epsilon: Epsilon = ONE) -> Case:
    """Erasure with probability p, N times, one request a round."""
    parameters = {"N": N, "theta": Fraction(0), "delta_tilde": p}
    return Case(
        f"erasure({p}) x {N}", game(repeated(erasure(p), N)), epsilon, delta or p, parameters
    )


def switch(epsilon: Epsilon = TWO_TO_ONE) -> Case:
    """RR(11/20), then RR(68/100) on the branch that favours x, erasure(1/10) on the other."""
    after = {"0": {"go": response(Fraction(68, 100))}, "1": {"go": erasure(Fraction(1, 10))}}
    return Case("switch", game(response(Fraction(11, 20), after)), epsilon, Fraction(1, 10))


def closed_menu(epsilon: Epsilon = ONE) -> Case:
    """erasure(1/10) three times, where the game ends as soon as x is revealed."""
    p = Fraction(1, 10)
    third = erasure(p)
    second = erasure(p, {"?": {"go": third}})
    first = erasure(p, {"?": {"go": second}})
    parameters = {"N": 3, "theta": Fraction(0), "delta_tilde": p}
    return Case("closed menu", game({"go": first}), epsilon, p, parameters)


def wasted_branch(epsilon: Epsilon = ONE) -> Case:
    """erasure(1/20), then erasure(1/19) on the silent branch, at δ = 1/10."""
    first = erasure(Fraction(1, 20), {"?": {"go": erasure(Fraction(1, 19))}})
    return Case("wasted branch", game({"go": first}), epsilon, Fraction(1, 10))


NAMED: tuple[Callable[[], Case], ...] = (
    lambda: guess(4),
    lambda: guess(20),
    lottery_3_of_4,
    twice_2,
    lambda: chain(4, Fraction(1, 10), Fraction(1, 5)),
    lambda: erasures(Fraction(1, 10), 3),
    switch,
    closed_menu,
    wasted_branch,
)


def named_cases() -> Iterator[Case]:
    """Yield every named game in the order in which the documentation lists them."""
    return (make() for make in NAMED)
