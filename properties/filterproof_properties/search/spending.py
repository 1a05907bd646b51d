"""Spends one family round after round, and waits or asks for decoys until the filter forgets.

A ledger that lets something expire, or forgets when it refuses, runs again what it did not run.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from filterproof.filter import Decision
from filterproof.game import Mechanism
from filterproof.game.rows import REVEAL
from filterproof_properties.games.families import (
    ASK,
    BASIC,
    MechanismFamily,
    Menu,
    Round,
    Strength,
    chain_rounds,
    odds_rows,
)
from filterproof_properties.games.over_budget import even, seldom
from filterproof_properties.games.strengths import TOP, place_of, strength_at
from filterproof_properties.search.menu_builder import MenuBuilder, Tries
from filterproof_properties.targets.inquiry import bisect, interleave
from filterproof_properties.targets.prober import (
    Inquiry,
    PlayState,
)

Then = Callable[[Mechanism, list[Round], PlayState], Inquiry[Menu]]
MOST_REPEATED = 5
"""Each of these rounds is bisected anew; longer plays of one family are runs of equal rounds."""
LONGEST_IDLE = 128
"""The longest period after which a filter is asked to have forgotten; a day of hours is 24."""
MOST_SPENDS = 8
"""A spend is as large as it goes, so a sound filter stops it after one or two."""
MOST_DECOYS, MOST_DECOYED = 3, 6
"""One refusal is enough for most that forget, three are a usual limit of failures; six more spends
show it."""
MILD = Fraction(11, 9)
"""The odds of a request that is refused, if it is, because it differs from those before."""


def spend_repeatedly(builder: MenuBuilder) -> Tries:
    """Rounds of one family, each turned up as far as it goes after those before it."""
    singles = [family for family in builder.always if family.times == 1]
    for played in builder.prober.ask(
        interleave(repeat_family(builder, family) for family in singles)
    ):
        for family, side, rounds in played:
            menu: Menu = {}
            for one in reversed(rounds):
                after = {[*one.law][side]: menu} if menu else {}
                menu = {family.name: Mechanism(one.law, after)}
            if len(rounds) > 1:
                yield builder.case(f"{len(rounds)} x {family.name}", menu)


def repeat_family(
    builder: MenuBuilder, family: MechanismFamily
) -> Inquiry[list[tuple[MechanismFamily, int, list[Mechanism]]]]:
    """Go on round after round along the first output, then along the last one."""
    played = []
    for side in (0, -1):
        there, rounds = builder.there, list[Mechanism]()
        while there and (strengths := (yield from builder.prober.find_largest(there, [family], 3))):
            rounds.append(one := builder.context.build(family, strengths[family.name]))
            if len(rounds) == MOST_REPEATED:
                break
            game = builder.prober.game(family.name, one)
            there = yield from builder.prober.after_output(
                there, game, family.name, [*one.law][side]
            )
        played.append((family, side, rounds))
    return played


def spend_then_idle(builder: MenuBuilder) -> Tries:
    """Quiet rounds, at the start or after spends, until what was not run at once is run."""
    over = [*even(builder.epsilon, builder.delta, 1), *seldom(builder.epsilon, builder.delta, 1)]
    probes = [builder.context.mechanism(rows) for _, rows in over]
    decoys = [builder.context.mechanism(rows) for rows in (REVEAL, odds_rows(MILD))]
    thens: list[Then] = [
        *(partial(spend_after_decoys, builder, told) for told in decoys),
        partial(idle_until_runs, builder),
    ]
    walks = [idle_until_runs(builder, probe, []) for probe in probes]
    walks += spends_then(builder, thens)
    for menu in builder.prober.ask(interleave(walks)):
        if menu:
            yield builder.case("spend, then idle", menu)


def spend_then_fill_names(builder: MenuBuilder) -> Tries:
    """Quiet rounds, each under a name of its own, until what was spent is forgotten."""
    walks = spends_then(builder, [partial(idle_until_runs, builder, fresh=True)])
    for menu in builder.prober.ask(interleave(walks)):
        if menu:
            yield builder.case("spend, then other names", menu)


def spends_then(builder: MenuBuilder, thens: list[Then]) -> list[Inquiry[Menu]]:
    """Return the walks that spend a basic family as far as it goes, and then do each of these."""
    basic = [builder.families[name] for name in BASIC if name in builder.families]
    strengths = builder.prober.largest_admitted(builder.there, basic) if builder.there else {}
    spends = [builder.context.build(builder.families[n], s) for n, s in strengths.items()]
    return [
        spend_then(builder, one, side, then) for one in spends for side in (0, -1) for then in thens
    ]


def spend_then(builder: MenuBuilder, one: Mechanism, side: int, then: Then) -> Inquiry[Menu]:
    """Run a round for as long as it is run, a few times at most, and then wait."""
    there, rounds, y = builder.there, list[Round](), [*one.law][side]
    asked = builder.game_asking(one)
    while there and len(rounds) < MOST_SPENDS:
        found = yield from builder.prober.after_output(there, asked, ASK, y)
        if found is None:
            return (yield from then(one, rounds, there)) if rounds else {}
        there, rounds = found, [*rounds, (one, y, ASK)]
    return {}


def idle_until_runs(
    builder: MenuBuilder,
    probe: Mechanism,
    rounds: list[Round],
    there: PlayState | None = None,
    *,
    fresh: bool = False,
) -> Inquiry[Menu]:
    """Play quiet rounds until the probe runs, and return this game.

    They are all called the same, or each has a `fresh` name, so that a cache of names fills up.
    """
    if (there := there or builder.there) is None:
        return {}
    silent = builder.context.silent
    (blank,) = silent.law
    names = [f"idle {waited}" if fresh else ASK for waited in range(1, LONGEST_IDLE)]
    quiet = {name: builder.quiet_game(name) for name in dict.fromkeys(names)}
    waiting = [(quiet[name], name, blank) for name in names]
    asked = builder.game_asking(probe), ASK
    waited = yield from builder.prober.follow(there, waiting, asked, each=True)
    idle = [(silent, blank, name) for name in names[:waited]]
    return {} if waited is None else chain_rounds([*rounds, *idle], {ASK: probe})


def spend_after_decoys(
    builder: MenuBuilder, told: Mechanism, one: Mechanism, rounds: list[Round], there: PlayState
) -> Inquiry[Menu]:
    """Ask for what is refused wherever the round does not run, for as long as that helps."""
    decoys: Menu = {}
    y, spends = rounds[-1][1], len(rounds)
    for _ in range(MOST_DECOYED):
        found = None
        for name in (f"decoy {number}" for number in range(MOST_DECOYS)):
            ((decision, state),) = yield [(there, builder.prober.game(name, told), name)]
            if decision is not Decision.REFUSE:
                break
            there, decoys[name] = replace(there, state=state), told
            if found := (
                yield from builder.prober.after_output(there, builder.game_asking(one), ASK, y)
            ):
                break
        if found is None:
            break
        there, rounds = found, [*rounds, (one, y, ASK)]
    return chain_rounds(rounds, {}, decoys) if len(rounds) > spends else {}


FREE, NEARLY, FREE_BITS = ("erasure", "leak", "sloping"), Fraction(255, 256), 6
"""What is tried for nothing and then spent, a little weaker; both are found finely, since what many
rounds cost more than nothing has to exceed what a grid and a margin leave."""
FREE_ROUNDS = (128, 12)
"""How many weak rounds may cost nothing: enough for a hundredth of the budget each, or a tenth."""


def spend_after_free_rounds(builder: MenuBuilder) -> Tries:
    """Many weak rounds, as strong as the filter lets them go for nothing, and then a full spend.

    They cost nothing if what was run at the start, nearly as full, is still run after them: what
    is rounded down, forgiven or thought too small to book is found so.
    """
    basic = [builder.families[name] for name in FREE if name in builder.families]
    full = builder.prober.largest_admitted(builder.there, basic, FREE_BITS) if builder.there else {}
    walks = [
        free_rounds(builder, family, times, NEARLY * full[family.name])
        for times in FREE_ROUNDS
        for family in basic
        if family.name in full
    ]
    for menu in builder.prober.ask(interleave(walks)):
        if menu:
            yield builder.case("free rounds, then a spend", menu)


def free_rounds(
    builder: MenuBuilder, family: MechanismFamily, times: int, full: Strength
) -> Inquiry[Menu]:
    """Return rounds of a family at the largest strength at which a full one still runs then."""
    spend = builder.context.build(family, full)
    asked = builder.game_asking(spend)

    def weak_round(strength: Strength) -> Round:
        one = builder.context.build(family, strength)
        return one, [*one.law][-1], ASK

    def runs(strength: Strength) -> Inquiry[bool]:
        one, y, _ = weak_round(strength)
        if builder.there is None:
            return False
        rounds = [(builder.game_asking(one), ASK, y)] * times
        found = yield from builder.prober.follow(builder.there, rounds, (asked, ASK))
        return found is not None

    guess = place_of(family.guess / times)
    place = yield from bisect(lambda at: runs(strength_at(at)), guess, TOP)
    if place < 0:
        return {}
    low, high = strength_at(place), strength_at(place + 1)
    for _ in range(FREE_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if (yield from runs(middle)) else (low, middle)
    return chain_rounds([weak_round(low)] * times, {ASK: spend})
