"""Games that budget objects are known to lose, tried before all others.

Ordinary games have one menu of mechanisms; what goes wrong with a ledger often needs a request of
another kind in between: one that is refused, or one about another part of the data.
"""

from collections.abc import Iterator
from fractions import Fraction

from filterproof.budget_calls import BudgetCalls
from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof_properties.case import Case
from filterproof_properties.games.families import Round, chain_rounds
from filterproof_properties.games.insisting import insist
from filterproof_properties.games.ledger_lines import ledger_lines
from filterproof_properties.games.thresholds import odds_below
from filterproof_properties.targets.budget.named import (
    OTHER,
    OTHERS,
    WAITS,
    ZERO,
    rare_waits,
    usual_choices,
)

NEIGHBOURS = ("0", "1")
EPSILON = Fraction(1)
LITTLE, SMALL, WHOLE, TOO_MUCH = Fraction(21, 20), Fraction(6, 5), Fraction(5, 2), Fraction(64)
"""The odds of mechanisms that take next to nothing, little, most and four times the budget."""
FEW = 4
"""So many ways to ask at most are on the menus of a game of three rounds."""
MOST = 12
"""So many ways to ask at most are on one menu."""
FIRST = "whole|0"
"""The name of a request for the whole budget in the first of the ways to ask."""
ROUNDS = 2
"""So often the whole budget is asked for again after something else."""
HALF, TINY = Fraction(17, 10), Fraction(1001, 1000)
"""The odds of half of the budget, and of so little that all others may ask for it at once."""
HALVES = tuple(Fraction(2) ** n for n in (24, 11, 5, 2))
"""The odds of requests above the budget of which each asks for less than half of the one before."""
HOURS, BITS = 25, 20
"""So often is waited an hour, a day or a month; so precisely odds are below a loss."""
CROWDS = (2, 4, 8)
"""So many others are asked for a little in between: more than a cache holds."""
SHARES, TURNS = (Fraction(8, 5), Fraction(11, 8)), 6
"""The odds of a little less than a half, and a third, of the budget; names are asked in turn for
these, as often as there are names, but so often at least."""


def ideas(calls: BudgetCalls) -> list[Case]:
    """Return the games for one budget object, at delta = 0 and, where it counts delta, above."""
    deltas = (Fraction(0),) if calls.promises_no_delta else (Fraction(1, 100), Fraction(0))
    found = [Case(name, game, EPSILON, delta) for delta in deltas for name, game in games(calls)]
    if calls.part and deltas[0]:
        found.append(Case("leaks after something else", leaks(deltas[0]), EPSILON, deltas[0]))
    if calls.plays_failures and deltas[0]:
        found.append(Case("leaks that fail", failing_leaks(deltas[0]), EPSILON, deltas[0]))
    return [*found, *ledger_lines(with_delta=not calls.promises_no_delta)]


def games(calls: BudgetCalls) -> Iterator[tuple[str, Game]]:
    """Yield the games by name."""
    yield from usual_games(calls)
    yield from games_with_refusals()
    first, usual = range(1, len(WAITS) if calls.clock else 1), len(usual_choices(calls))
    for n in (*first, *range(usual, usual + len(rare_waits(calls)))):
        turns = insist([whole()], response(WHOLE, {}), f"whole|{n}", times=HOURS)
        yield "the whole whenever it is run again", turns


def games_with_refusals() -> Iterator[tuple[str, Game]]:
    """Yield the whole, and again after requests of nothing, or after ever less that is refused."""
    second = {FIRST: response(WHOLE, {})}
    silent = Mechanism({"-": dict.fromkeys(NEIGHBOURS, Fraction(1))}, {"-": second})
    nothing = {f"{ZERO}|0": silent, **second}
    yield "the whole after nothing", _game(chain_rounds([whole()], nothing))
    too_much = response(TOO_MUCH, {})
    yield "nothing after refusals", insist([whole()], too_much, FIRST, nothing)
    coming_down = {f"whole {odds}|0": response(odds, {}) for odds in HALVES}
    yield "ever less until it runs", _after_whole(coming_down)


def usual_games(calls: BudgetCalls) -> Iterator[tuple[str, Game]]:
    """Yield the games in which little is refused."""
    ways = len(usual_choices(calls))
    yield "the whole again", again([f"whole|{n}" for n in range(ways)][:MOST])
    if 1 < ways <= FEW:
        yield "the whole after a little", after_little(ways)
    if ways > 1:
        yield from by_name(min(ways, MOST))
    yield "the whole after a refusal", after_refusal()
    yield "far too much until it runs", insist([], response(TOO_MUCH, {}), FIRST)
    yield "the whole until it runs again", insist([whole()], response(WHOLE, {}), FIRST)
    little = chain_rounds([whole(0, SMALL)] * TURNS, {})
    yield "a little after refusals", insist([whole()], response(TOO_MUCH, {}), FIRST, little)
    if not calls.promises_no_delta:
        yield "the whole with a little delta, again", again_with_delta()
    if calls.plays_failures:
        yield "the whole after a failure", after_failure()
        yield "the whole after three failures", after_three_failures()
    if calls.part or calls.instances > 1:
        yield "the whole after something else", after_something_else()
    for count in CROWDS if calls.part else ():
        others = [(little_elsewhere(), "-", f"other{name}") for name in OTHERS[:count]]
        yield f"the whole after {count} others", in_turn([whole(), *others, whole()])
        others = [(elsewhere(WHOLE), "-", f"other{name}") for name in OTHERS[:count]]
        turns = in_turn([whole(0, HALF), *others, whole()])
        yield f"half, and the whole after {count} others", turns


def again(requests: list[str]) -> Game:
    """Return the game of the whole budget, again and again, in every way that there is to ask."""
    menu: dict[str, Mechanism] = {}
    for _ in range(ROUNDS + 1):
        menu = {name: response(WHOLE, menu) for name in requests}
    return _game(menu)


def again_with_delta() -> Game:
    """Return the game of the whole epsilon, each time with a little delta beside it."""
    menu: dict[str, Mechanism] = {}
    p, d = WHOLE / (1 + WHOLE), Fraction(1, 1024)
    for _ in range(ROUNDS + 1):
        law = {"0": {"0": p, "1": 1 - p}, "1": {"0": 1 - p, "1": p}}
        leaking = {y: {x: (1 - d) * row[x] for x in row} for y, row in law.items()}
        leaking["!"] = {"0": d, "1": Fraction(0)}
        leaking["?"] = {"0": Fraction(0), "1": d}
        after = dict.fromkeys(law, menu) if menu else {}
        menu = {"whole": Mechanism(leaking, after)}
    return _game(menu)


def after_little(ways: int) -> Game:
    """Return the game of a little, twice, and the whole budget, each in every way to ask."""
    menu: dict[str, Mechanism] = {}
    for name, odds in (("whole", WHOLE), ("little", SMALL), ("little", SMALL)):
        menu = {f"{name}|{n}": response(odds, menu) for n in range(ways)}
    return _game(menu)


def by_name(ways: int) -> Iterator[tuple[str, Game]]:
    """Yield a share of the budget under each name in turn, and the whole after other names."""
    for odds in (*SHARES, odds_below(Fraction(1, max(ways - 1, 2)), BITS)):
        turns = [whole(n % ways, odds) for n in range(max(ways, TURNS))]
        yield f"odds {odds} under every name", in_turn(turns)
    others = [whole(n, TINY) for n in range(1, ways)]
    yield "the whole after the other names", in_turn([whole(0), *others, whole(0)])


def whole(way: int = 0, odds: Fraction = WHOLE) -> Round:
    """Return a round of most of the budget, or of other odds, asked for in one of the ways."""
    return response(odds, {}), "0", f"whole|{way}"


def in_turn(rounds: list[Round]) -> Game:
    """Return the game of rounds one after the other."""
    return _game(chain_rounds(rounds, {}))


def failing_leaks(delta: Fraction) -> Game:
    """Return the game of most of delta, again and again, in rounds that fail when they say no."""
    menu: dict[str, Mechanism] = {}
    d = delta * Fraction(9, 10)
    law = {"!": {"0": d, "1": Fraction(0)}, FAILS: {"0": 1 - d, "1": Fraction(1)}}
    for _ in range(ROUNDS + 1):
        menu = {"leak": Mechanism(law, {FAILS: menu} if menu else {}, Declared(LITTLE, d))}
    return _game(menu)


def after_failure() -> Game:
    """Return the game of the whole budget, which fails for one of two answers, and again."""
    menu: dict[str, Mechanism] = {}
    p = WHOLE / (1 + WHOLE)
    law = {"0": {"0": p, "1": 1 - p}, FAILS: {"0": 1 - p, "1": p}}
    for _ in range(ROUNDS + 1):
        menu = {"whole": Mechanism(law, dict.fromkeys(law, menu) if menu else {})}
    return _game(menu)


def after_three_failures() -> Game:
    """Return the game of a third of the budget, which fails, three times, and then the whole."""
    odds = SHARES[1]
    p = odds / (1 + odds)
    law = {FAILS: {"0": p, "1": 1 - p}, "1": {"0": 1 - p, "1": p}}
    failing = [(Mechanism(law), FAILS, "third")] * 3
    return in_turn([*failing, whole(), whole()])


def after_refusal() -> Game:
    """Return the game of the whole budget, then far too much, then the whole budget again."""
    menu: dict[str, Mechanism] = {}
    for _ in range(ROUNDS):
        menu = {"whole": response(WHOLE, menu), "too much": response(TOO_MUCH, menu)}
    return _after_whole(menu)


def after_something_else() -> Game:
    """Return the game of the whole budget, a little elsewhere, and again the whole budget.

    Elsewhere is another part of the data, or an object for other data: both databases agree there,
    though a mechanism costs something.
    """
    menu: dict[str, Mechanism] = {}
    for _ in range(ROUNDS):
        again = {"whole": response(WHOLE, menu)}
        menu = {**again, f"other{OTHER}": little_elsewhere(again)}
    return _after_whole(menu)


def little_elsewhere(after: dict[str, Mechanism] | None = None) -> Mechanism:
    """Return a mechanism that costs a little, though both databases agree about it."""
    return elsewhere(LITTLE, after)


def elsewhere(odds: Fraction, after: dict[str, Mechanism] | None = None) -> Mechanism:
    """Return a mechanism of which these odds are stated, though both databases agree about it."""
    law = {"-": dict.fromkeys(NEIGHBOURS, Fraction(1))}
    return Mechanism(law, {"-": after} if after else {}, Declared(odds, Fraction(0)))


def leaks(delta: Fraction) -> Game:
    """Return the game of a little elsewhere, and then most of delta, again and again."""
    menu: dict[str, Mechanism] = {}
    d = delta * Fraction(9, 10)
    law = {"!": {"0": d, "1": Fraction(0)}, "?": {"0": 1 - d, "1": Fraction(1)}}
    for _ in range(ROUNDS + 1):
        menu = {"leak": Mechanism(law, {"?": menu} if menu else {}, Declared(LITTLE, d))}
    return _game({f"other{OTHER}": little_elsewhere(menu)})


def response(odds: Fraction, after: dict[str, Mechanism]) -> Mechanism:
    """Return a randomised response with these odds, and what is on offer after either answer."""
    p = odds / (1 + odds)
    law = {"0": {"0": p, "1": 1 - p}, "1": {"0": 1 - p, "1": p}}
    return Mechanism(law, dict.fromkeys(law, after) if after else {})


def _after_whole(menu: dict[str, Mechanism]) -> Game:
    return _game({"whole": response(WHOLE, menu)})


def _game(menu: dict[str, Mechanism]) -> Game:
    return Game(NEIGHBOURS, [NEIGHBOURS], menu)
