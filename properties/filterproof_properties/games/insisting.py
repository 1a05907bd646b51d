"""Games that insist: a refused request again and again, crowds, and keys that mean two things.

A ledger may take a retry for a confirmation, give up after some refusals, book less where there is
a choice, or look a price up under a key that another request has as well.  Each game is over its
budget if all of it runs.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from filterproof.exact import Epsilon
from filterproof.game import Game, Mechanism
from filterproof.game.rows import SILENT, Rows, erasure, one_sided
from filterproof_properties.games.contexts import PLAIN, Context
from filterproof_properties.games.families import ASK, Menu, Round, chain_rounds, odds_rows
from filterproof_properties.games.over_budget import line
from filterproof_properties.games.thresholds import odds_of, root_above
from filterproof_properties.games.transforms import add_harmless

INSISTED = 16
"""So often a refused request comes again: ten refusals are a usual limit."""
SAME_MENU = 4
"""So often it comes again within one round, under other names: all their orders are played."""
QUIET, LITTLE, LITTLES = "quiet", "little", 4
NOTHING: Menu = {}
CROWDS, CROWDED = (1, 40), (3, 10, 30)
"""So many harmless requests stand beside each round, and so many rounds share out the budget."""
OVER, HALF, MOST = Fraction(21, 20), Fraction(1, 2), Fraction(9, 10)
"""The dear one of two rounds is at least so many times delta, where delta is below the last."""
IN_BETWEEN = 9
"""So many rounds lie between round 1 and round 11, whose number begins and ends with 1."""


def insist(
    spends: list[Round],
    again: Mechanism,
    name: str = ASK,
    then: Menu = NOTHING,
    times: int = INSISTED,
) -> Game:
    """Return the game of some rounds, of one request in every round until it is run, and a menu.

    Where it is refused a quiet round leads on to the next, and from the last one to the menu.
    """
    menu = then
    for _ in range(times):
        menu = {name: again, QUIET: PLAIN.mechanism(SILENT, {"-": menu} if menu else {})}
    return PLAIN.game(chain_rounds(spends, menu))


def insist_at_once(spends: list[Round], again: Mechanism, then: Menu = NOTHING) -> Game:
    """Return the game of some rounds, and then of one request under several names, or a menu."""
    names = [f"{ASK} {n}" for n in range(SAME_MENU)]
    return PLAIN.game(chain_rounds(spends, {**dict.fromkeys(names, again), **then}))


def insisting(epsilon: Epsilon, delta: Fraction) -> Iterator[tuple[str, Game]]:
    """Yield what is refused until it runs, or until less than it runs.

    That is far too much; or most of the budget again, or a part of that, once most of it is spent.
    """
    much = PLAIN.mechanism(far_too_much(epsilon, delta))
    spend, little = most_of(epsilon, delta), part_of(epsilon, delta)
    menu = chain_rounds([little] * LITTLES, {})
    yield "far too much until it runs", insist([], much)
    yield "far too much until it runs, at once", insist_at_once([], much)
    yield "a spend until it runs again", insist([spend], spend[0])
    yield "a spend until it runs again, at once", insist_at_once([spend], spend[0])
    yield "little after what is refused", insist([spend], much, ASK, menu)
    yield "little after what is refused at once", insist_at_once([spend], much, menu)


def far_too_much(epsilon: Epsilon, delta: Fraction) -> Rows:
    """Return the law of a round that no filter may run."""
    return odds_rows(8 * odds_of(epsilon, 8)) if delta < HALF else erasure((1 + delta) / 2)


def most_of(epsilon: Epsilon, delta: Fraction) -> Round:
    """Return a round that fits once and not twice, along the output that says less."""
    if delta:
        return PLAIN.mechanism(erasure(delta * Fraction(7, 8))), "?", ASK
    return PLAIN.mechanism(odds_rows(root_above(odds_of(epsilon, 8) ** 3, 4, 6))), "0", ASK


def part_of(epsilon: Epsilon, delta: Fraction) -> Round:
    """Return a round that does not fit where most of the budget is spent, but twice in half."""
    if delta:
        return PLAIN.mechanism(erasure(delta / 4)), "?", LITTLE
    return PLAIN.mechanism(odds_rows(root_above(odds_of(epsilon, 8) ** 3, 8, 6))), "0", LITTLE


def crowded_menus(delta: Fraction) -> Iterator[tuple[str, Game]]:
    """Yield the budget in slices, and a half more, with harmless requests beside every round."""
    more = delta * Fraction(3, 2)
    for count in CROWDS if 0 < more < 1 else ():
        crowd = Context(transform=add_harmless(count))
        for k in CROWDED:
            parts = [more / k / (1 - i * more / k) for i in range(k)]
            slices = line([*map(erasure, parts)])
            yield f"erasure / {k} in a crowd of {count}", crowd.transplant(slices)


def glued_keys(epsilon: Epsilon, delta: Fraction) -> Iterator[tuple[str, Game]]:
    """Yield two rounds whose keys are one text where their parts are glued together.

    The parts are the numerator and denominator of delta, a name and delta (the first round is
    cheap, the second one dear), or a name and the number of the round.
    """
    if 0 < delta < MOST:
        d = next(d for d in range(int(11 / (delta * OVER)), 0, -1) if gcd(11, d) == 1)
        for name, law in (("erasure", erasure), ("leak", one_sided)):
            cheap, beside = law(Fraction(1, int(f"1{d}"))), law(Fraction(1, d))
            dear = PLAIN.mechanism(law(Fraction(11, d)))
            for key, rows, first in (("fraction", cheap, ASK), ("name", beside, f"{ASK}1")):
                rounds = [(PLAIN.mechanism(rows), "?", first), (dear, "?", ASK)]
                yield f"{name}, {key} glued", PLAIN.game(chain_rounds(rounds, {}))
    spend, y, _ = most_of(epsilon, delta)
    quiet = [(PLAIN.silent, "-", ASK)] * IN_BETWEEN
    later = {y: chain_rounds(quiet, {ASK: spend})}
    yield (
        "number of the round glued",
        PLAIN.game({n: Mechanism(spend.law, later) for n in (f"1{ASK}", f"{ASK}1")}),
    )
