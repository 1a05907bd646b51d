"""Mechanism families: laws with a strength, from silent at 0 to telling all.

A family has one number that is turned up or down, its `strength` s > 0.  A
probability grows as s up to 1/2 and then as 1 - 1/(4s); odds are 1 + s.  Both numbers of a rare
finite loss (u, u/ratio) count: the ratios lie just above 1, around e^ε and its fractions, and
far above it.

The surroundings they are tried in are `contexts`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType

from filterproof.exact import Epsilon
from filterproof.game import Mechanism
from filterproof.game.rows import (
    NONE,
    ONE,
    SILENT,
    Rows,
    erasure,
    k_ary,
    lottery,
    one_sided,
    response,
)
from filterproof_properties.games.rows import mirror, mixture
from filterproof_properties.games.thresholds import odds_of, root_above

HALF = ONE / 2
Strength = Fraction
Menu = dict[str, Mechanism]
Round = tuple[Mechanism, str, str]
"""A round of a play, the output that it goes on after, and what the request is called."""
ASK = "ask"
NONE_BESIDE: Mapping[str, Mechanism] = MappingProxyType({})


ALL, LOUD, QUIET = "all", "loud", "quiet"
ONWARD = {ALL: slice(None), LOUD: slice(1), QUIET: slice(-1, None)}
"""After which outputs a run of rounds goes on: all, the first, or the last."""


@dataclass(frozen=True)
class MechanismFamily:
    """A family of laws, played `times` in a row after the outputs that `onward` names.

    With `odds` it declares these, at its strength, and the smallest delta that is true with them.
    Families of one `warm_start` are about as strong where they are admitted, so one is the first
    guess of the next; those with `always` are tried everywhere.
    `guess` is about how far a sound filter lets it go.  One that is `loose` declares twice its
    odds, and the delta that would do without any.  A `ratio` can be varied.  With `sides` it says
    itself which database behaves like which side, whatever the context says.
    """

    name: str
    rows: Callable[[Strength], Rows]
    times: int = 1
    onward: str = ALL
    odds: Callable[[Strength], Fraction] | None = None
    warm_start: str = ""
    always: bool = False
    guess: Strength = ONE
    loose: bool = False
    ratio: Fraction | None = None
    sides: tuple[int | str, ...] = ()

    def with_sides(self, sides: tuple[int | str, ...]) -> "MechanismFamily":
        """Return the same family with sides of its own."""
        return replace(self, name=f"{self.name} {sides}", sides=sides, always=True)

    def nearby(self) -> "list[MechanismFamily]":
        """Return families whose ratio is a little smaller or larger, where it has one."""
        if self.ratio is None or not isinstance(self.rows, partial):
            return []
        near = [self.ratio * by for by in NEARBY if self.ratio * by > 1]
        word = self.name.rsplit(" ", 1)[0]
        rows = self.rows.func
        return [
            replace(self, name=f"{word} {r}", rows=partial(rows, r), always=False, ratio=r)
            for r in near
        ]


BASIC = ("response", "erasure", "leak", "leak back", "sloping", "sloping back", "mixture")
"""Families that are enough where not all can be tried."""
NEARBY = tuple(Fraction(*by) for by in ((3, 4), (4, 3), (1, 2), (2, 1), (1, 4), (4, 1)))
"""By what the ratio of a rare loss is changed once it has turned out to be of use."""


def chance(strength: Strength) -> Fraction:
    """Return the probability at a strength.

    >>> [str(chance(Fraction(s))) for s in (Fraction(1, 8), Fraction(1, 2), 4)]
    ['1/8', '1/2', '15/16']
    """
    return strength if strength <= HALF else 1 - 1 / (4 * strength)


def response_rows(strength: Strength) -> Rows:
    """Randomised response with odds 1 + s."""
    return odds_rows(1 + strength)


def odds_rows(odds: Fraction) -> Rows:
    """Randomised response with these odds."""
    return response(odds / (1 + odds))


def rare(ratio: Fraction, strength: Strength) -> Rows:
    """The output "!" with probability u under "0" and u/ratio under "1"."""
    u = chance(strength)
    return {"!": (u, u / ratio), "?": (1 - u, 1 - u / ratio)}


def rare_back(ratio: Fraction, strength: Strength) -> Rows:
    """The same with the databases exchanged."""
    return mirror(rare(ratio, strength))


def hint(ratio: Fraction, strength: Strength) -> Rows:
    """A hint of this ratio in either direction, with probability u; else nothing."""
    u = chance(strength) / (1 + 1 / ratio)
    rest = 1 - u - u / ratio
    return {"0": (u, u / ratio), "1": (u / ratio, u), "?": (rest, rest)}


def sloping(strength: Strength) -> Rows:
    """Half of the time under "0", 1 + s times less often under "1"."""
    return {"0": (HALF, HALF / (1 + strength)), "1": (HALF, 1 - HALF / (1 + strength))}


def symbols(k: int, strength: Strength) -> Rows:
    """Randomised response over k symbols."""
    return k_ary(k, Fraction(1, k) + chance(strength) * (1 - Fraction(1, k)))


def two_strengths(weight: Fraction, ratio: Fraction, strength: Strength) -> Rows:
    """Strong with a small weight, weak otherwise: hints of this ratio, else odds 1 + s."""
    weak = {
        f"{y}~": tuple(p * (1 - weight) for p in row) for y, row in response_rows(strength).items()
    }
    strong = {f"{y}!": tuple(p * weight for p in row) for y, row in odds_rows(ratio).items()}
    return {**strong, **weak}


def sloping_back(strength: Strength) -> Rows:
    """The same with the databases exchanged."""
    return mirror(sloping(strength))


def erase(strength: Strength) -> Rows:
    """All is told, seldom; else nothing."""
    return erasure(chance(strength))


def leak(strength: Strength) -> Rows:
    """One database is told, seldom."""
    return one_sided(chance(strength))


def leak_back(strength: Strength) -> Rows:
    """The other one is told, seldom."""
    return mirror(leak(strength))


def mix_seldom(odds: Fraction, strength: Strength) -> Rows:
    """All is told, seldom; else randomised response with these odds."""
    return mixture(chance(strength), odds / (1 + odds))


def mix_at(share: Fraction, strength: Strength) -> Rows:
    """All is told with this probability; else randomised response with odds 1 + s."""
    return mixture(share, (1 + strength) / (2 + strength))


def say_nothing(strength: Strength) -> Rows:
    """Nothing is told at any strength."""
    return SILENT


def tilt_by(delta: Fraction, strength: Strength) -> Rows:
    """A small finite loss, the same at every strength."""
    return rare(Fraction(3), min(3 * delta / 2, HALF))


def growing_odds(strength: Strength) -> Fraction:
    """Declare odds 1 + s."""
    return 1 + strength


def fixed_odds(odds: Fraction, strength: Strength) -> Fraction:
    """Declare these odds at every strength."""
    return odds


def ratios_at(epsilon: Epsilon) -> list[Fraction]:
    """Return ratios from just above 1, over e^ε and its fractions, to 10^12."""
    edge = odds_of(epsilon, 16)
    around = [edge * Fraction(65, 64), edge * Fraction(3, 2), 4 * edge, root_above(edge, 2, 6)]
    far = [edge / 2, edge * 10**12, root_above(edge, 4, 6), 32 * edge, 2 * edge, Fraction(2)]
    more = [edge * Fraction(63, 64), edge * Fraction(6, 5)]
    return [ratio for ratio in dict.fromkeys([*around, *far, *more]) if ratio > Fraction(33, 32)]


def families_at(epsilon: Epsilon, delta: Fraction) -> list[MechanismFamily]:
    """Return the families that an adversary chooses from at this budget."""
    edge = odds_of(epsilon, 16)
    root = root_above(edge, 2, 6)
    even, seldom = max(edge - 1, delta), max(delta, TINY)
    found = [
        MechanismFamily("response", response_rows, always=True, guess=even),
        MechanismFamily("sloping", sloping, always=True, guess=even),
        MechanismFamily("sloping back", sloping_back, always=True, guess=even),
        MechanismFamily("3 x response", response_rows, 3, always=True, guess=even / 3),
        MechanismFamily("2 x response", response_rows, 2, always=True, guess=even / 2),
        *(
            MechanismFamily(f"{k} symbols", partial(symbols, k), always=k > 4)
            for k in (32, 4, 10**4)
        ),
    ]
    for number, ratio in enumerate(ratios_at(epsilon)):
        likely = 2 * seldom if ratio > edge else ONE
        for name, rows in ((f"rare {ratio}", rare), (f"rare back {ratio}", rare_back)):
            always = number < 4
            law = partial(rows, ratio)
            found.append(MechanismFamily(name, law, always=always, guess=likely, ratio=ratio))
    for ratio in ratios_at(epsilon)[:3]:
        found.append(
            MechanismFamily(f"hint {ratio}", partial(hint, ratio), guess=seldom, ratio=ratio)
        )
    if not delta:
        return found
    laws: dict[str, Callable[[Strength], Rows]] = {
        "erasure": erase,
        "leak": leak,
        "leak back": leak_back,
        "mixture": partial(mix_seldom, edge),
        "weak mixture": partial(mix_seldom, root),
    }
    return [
        *(
            MechanismFamily(name, law, always=name[0] != "w", guess=delta)
            for name, law in laws.items()
        ),
        MechanismFamily("mixture at delta", partial(mix_at, delta / 2), guess=even),
        MechanismFamily("two strengths", partial(two_strengths, delta, 4 * edge), guess=even),
        MechanismFamily("3 x leak", laws["leak"], 3, QUIET, guess=delta / 3),
        *found,
    ]


TINY = Fraction(1, 2**30)
"""The guess where δ is 0: as good as nothing, and found by bisection from there."""

UNSPENT = MechanismFamily("nothing, declared as a loss", say_nothing, odds=growing_odds)
"""It tells nothing, and declares that it might: how much may be declared is found with it."""


def statements_at(
    epsilon: Epsilon, delta: Fraction, most: Iterable[Fraction]
) -> list[MechanismFamily]:
    """Return families that declare a true pair other than the tight one, up to the `most` odds."""
    edge = odds_of(epsilon, 16)
    usual = [*map(Fraction, (2, 4, 20, 200)), edge, edge * Fraction(63, 64), edge * 1000]
    found = [o for top in most for o in (top, root_above(top, 2, 6))]
    spends = {"erasure": erase, "response": response_rows}
    return [
        MechanismFamily("response, loosely", response_rows, guess=max(delta, TINY), loose=True),
        *(
            _declare(f"{name} at odds {o}", rows, o, max(delta, TINY))
            for name, rows in spends.items()
            for o in dict.fromkeys([*usual, *found])
            if o > 1
        ),
    ]


def _declare(
    name: str, rows: Callable[[Strength], Rows], odds: Fraction, guess: Strength
) -> MechanismFamily:
    return MechanismFamily(name, rows, odds=partial(fixed_odds, odds), guess=guess)


RUNS, MORE_RUNS = (21, 5), (2, 3, 8, 13, 34, 64)
"""How many equal rounds: those that are tried at every budget first, and the others."""


def runs_at(epsilon: Epsilon, delta: Fraction, lengths: Iterable[int]) -> Iterator[MechanismFamily]:
    """Yield homogeneous runs: n equal rounds, after all outputs or after the telling one."""
    edge = odds_of(epsilon, 16)
    both: dict[str, Callable[[Strength], Rows]] = {"response": response_rows}
    quiet: dict[str, Callable[[Strength], Rows]] = {}
    if delta:
        both |= {"hint": partial(hint, 4 * edge)}
        quiet |= {
            "leak": leak,
            "leak back": leak_back,
            "erasure": erase,
            "rare": partial(rare, edge * Fraction(65, 64)),
            "unlikely": partial(rare_back, Fraction(4)),
        }
    for n in lengths:
        for name, law in both.items():
            yield MechanismFamily(f"{n} x {name}", law, n, ALL, None, f"run of {name}")
            yield MechanismFamily(f"{n} x {name}, loud", law, n, LOUD, None, f"{name}, loud")
        for name, law in quiet.items():
            yield MechanismFamily(f"{n} x {name}, quiet", law, n, QUIET, None, f"{name}, quiet")


def first_rounds(epsilon: Epsilon, delta: Fraction) -> Iterator[tuple[str, Rows]]:
    """Yield first rounds that say little or nothing, lean to a side, or sort into classes."""
    edge = odds_of(epsilon, 16)
    p = Fraction(1, 20)
    yield "lean 1/20", odds_rows(Fraction(21, 19))
    yield "rare hints", {"0": (2 * p, p), "1": (p, 2 * p), "?": (1 - 3 * p,) * 2}
    if delta:
        yield "half a loss, seldom", rare(root_above(edge, 2, 6), min(2 * delta / 3, HALF))
        yield "delta leak back", mirror(one_sided(min(delta / 2, HALF)))
        yield "delta leak", one_sided(min(delta / 2, HALF))
    yield "rare symbol", lottery([p, 1 - p])
    yield from ladders(edge)
    yield "coin", lottery([HALF, HALF])
    yield "lean 1/3", odds_rows(Fraction(2))
    yield "hints", {"0": (6 * p, 3 * p), "1": (3 * p, 6 * p), "?": (11 * p,) * 2}
    yield "rare leak", one_sided(p)
    yield "rare leak back", mirror(one_sided(p))
    yield "half leak", one_sided(HALF)
    yield "half leak back", mirror(one_sided(HALF))
    yield "lean 4/5", odds_rows(Fraction(9))
    yield "lean 31/32", odds_rows(Fraction(63))
    yield "lottery of 4", lottery([Fraction(1, 4)] * 4)
    if delta:
        yield "delta symbol", lottery([min(delta, HALF), 1 - min(delta, HALF)])


def tilt(delta: Fraction) -> MechanismFamily:
    """A small finite loss that declares (0, δ), which is true: no epsilon is booked for it."""
    return MechanismFamily("tilt", partial(tilt_by, delta), odds=partial(fixed_odds, ONE))


def ladders(edge: Fraction) -> Iterator[tuple[str, Rows]]:
    """Yield first rounds of four classes whose ratios rise step by step, up and down."""
    weights = [HALF, HALF / 2, HALF / 4, HALF / 4]
    for root in (3, 4):
        step = root_above(edge, root, 6)
        if step > Fraction(17, 16):
            rows = {str(j): (p, p / step**j) for j, p in enumerate(weights)}
            rest = 1 - sum((q for y, (_, q) in rows.items() if y != "0"), NONE)
            ladder: Rows = {**rows, "0": (weights[0], rest)}
            yield f"ladder 1/{root}", ladder
            yield f"ladder 1/{root} back", mirror(ladder)


def chain_rounds(
    rounds: Sequence[Round], menu: Menu, beside: Mapping[str, Mechanism] = NONE_BESIDE
) -> Menu:
    """Return the rounds one after the other, each along one output, and then the menu.

    `beside` is what may be asked for in each of these rounds as well.
    """
    for one, y, name in reversed(rounds):
        after = {y: menu} if menu else {}
        menu = {**beside, name: Mechanism(one.law, after, one.stated)}
    return menu
