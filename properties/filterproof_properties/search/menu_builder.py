"""Builds menus for one filter, at one budget, in one context, from all that the filter admits.

Each family is turned up as far as the filter admits it there, the game whose menus hold all of
them is solved exactly, once, and the best choice per branch comes out of the solver.  Then the
best plays are deepened: the families that were used are turned up more finely, the plays go on for
another round where they ended, and their first rounds are varied; and they are transplanted,
turned up until they are over the budget, into other contexts.

An odometer admits everything.  It is asked as the filter that it makes (`Enforced`): up to where
it would report more than ε.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby, islice, permutations
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Filter, is_markov
from filterproof.game import Game, Mechanism
from filterproof.game.rows import ONE
from filterproof.odometer import Enforced, is_odometer
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.contexts import PLAIN, Context
from filterproof_properties.games.editing import rebuild
from filterproof_properties.games.families import (
    ALL,
    ASK,
    BASIC,
    UNSPENT,
    MechanismFamily,
    Menu,
    Strength,
    families_at,
    first_rounds,
    runs_at,
    statements_at,
    tilt,
)
from filterproof_properties.games.strengths import TOP, strength_at
from filterproof_properties.targets.inquiry import interleave
from filterproof_properties.targets.prober import (
    Inquiry,
    PlayState,
    Prober,
    game_cache,
)

Tries = Generator[Case, Scored | None, None]
FIRST, SPEND, SPEND_BITS = "first", "spend", 12
"""A spend in every round is found so many bits more finely than the grid: it is all that counts."""
MERGED_ROUNDS, PLAIN_ROUNDS = 64, 8
"""How many rounds a run may have in which every output goes on: merged, and not."""
LESS = (ONE, Fraction(3, 4))
"""A run may be less full than it could be: then it may last longer."""


class MenuBuilder:
    """Builds the games for one filter at one budget in one context; keeps the best plays so far."""

    def __init__(
        self,
        rule: Filter[Any],
        context: Context,
        epsilon: Epsilon,
        delta: Fraction,
        parameters: dict[str, Any],
    ) -> None:
        self.rule, self.context, self.parameters = rule, context, parameters
        self.epsilon, self.delta = epsilon, delta
        admits = Enforced(rule, epsilon) if is_odometer(rule) else rule
        self.prober = Prober(admits, context, game_cache(context.name, epsilon, delta))
        self.families = {family.name: family for family in self.every_family()}
        self.always = [family for family in self.families.values() if family.always]
        self.known = dict(self.families)
        self.best: list[Scored] = []
        self.quiet_games: dict[str, Game] = {}

    def every_family(self) -> list[MechanismFamily]:
        """Return all families of this budget; where sides turn, a few with each of these."""
        every = families_at(self.epsilon, self.delta)
        few = [family for family in every if family.name in BASIC[:4]]
        return [family.with_sides(sides) for sides in self.context.turns for family in few] or every

    @cached_property
    def there(self) -> PlayState | None:
        """The position before the first request."""
        return self.prober.first_state()

    def case(self, name: str, menu: Menu) -> Case:
        """Return the case with this first menu."""
        said = name if self.context is PLAIN else f"{name}, {self.context.name}"
        return Case(said, self.context.game(menu), self.epsilon, self.delta, self.parameters)

    def one_round(self) -> Tries:
        """One round: all families on one menu, and those that declare more than they need."""
        if self.there is None:
            return
        every = {family.name: family for family in self.always}
        if self.context is PLAIN:
            every = self.families | {family.name: family for family in self.statements(self.there)}
        if menu := self.prober.menu_of(
            self.prober.largest_admitted(self.there, every.values()), every
        ):
            yield self.case("open menu", menu)

    def statements(self, there: PlayState) -> list[MechanismFamily]:
        """Return families that declare odds: usual ones, and the most that are admitted."""
        found = self.prober.largest_admitted(there, [UNSPENT])
        most = [1 + strength for strength in found.values() if strength < strength_at(TOP)]
        return statements_at(self.epsilon, self.delta, most)

    def equal_rounds(self, lengths: Iterable[int]) -> Tries:
        """Equal rounds in a row, each as full as all of them run."""
        every = runs_at(self.epsilon, self.delta, lengths)
        spend = self.one_spend()
        for _, group in groupby(every, key=lambda family: family.times):
            families = {family.name: family for family in group}
            strengths = (
                self.prober.largest_admitted(self.there, families.values()) if self.there else {}
            )
            longest = interleave(
                self.longest_run(families[name], strengths[name]) for name in strengths
            )
            for name, run in zip(strengths, self.prober.ask(longest), strict=True):
                for share in LESS if run.times >= families[name].times else ():
                    menu = self.prober.menu_of({name: share * strengths[name]}, {name: run})
                    yield self.case(f"run: {name}, {share}", menu)
                    if run.onward == ALL and run.times == MERGED_ROUNDS and spend:
                        yield self.case(f"run: {name}, {share}, or a spend", beside(menu, spend))

    def one_spend(self) -> Menu:
        """Return the erasure that runs at the start, to be offered in every round of a run.

        Two rules of which either may fit are broken so: spend by one where the loss is low, and
        go on by the other where it is high.
        """
        erasure = self.families.get("erasure")
        if self.there is None or erasure is None:
            return {}
        found = self.prober.largest_admitted(self.there, [erasure], SPEND_BITS)
        strength = found.get(erasure.name)
        return {SPEND: self.context.build(erasure, strength)} if strength else {}

    def longest_run(self, family: MechanismFamily, strength: Strength) -> Inquiry[MechanismFamily]:
        """Return the run with as many rounds as it may have; the filter ends it where it wants.

        Every output goes on that leaves both databases possible, where the order of the outputs is
        forgotten, so that plays merge.
        """
        certain = any(not all(row) for row in family.rows(strength).values())
        if (
            not certain
            and is_markov(self.rule)
            and (yield from self.forgets_order(family, strength))
        ):
            return replace(family, times=MERGED_ROUNDS, onward=ALL)
        return replace(family, times=PLAIN_ROUNDS if family.onward == ALL else MERGED_ROUNDS)

    def forgets_order(self, family: MechanismFamily, strength: Strength) -> Inquiry[bool]:
        """Whether the filter's state is the same when one output of another kind came earlier.

        Where it does not run them all there is no state to compare, and it is not known to.
        """
        one, others = (
            self.context.build(replace(family, times=1), strength),
            [-1] * (family.times - 1),
        )
        assert self.there is not None
        orders = [0, *others], [*others, 0]
        found = yield from interleave(
            self.prober.after_repeating(self.there, one, order) for order in orders
        )
        return len({there.state for there in found if there}) == 1 and None not in found

    def two_rounds(self, some: slice) -> Tries:
        """Two rounds: a first one, then open menus."""
        for name, first in islice(self.first_rounds_here(), some.start, some.stop):
            if self.there is None:
                return
            opened = self.prober.ask(self.open_after(self.there, FIRST, first, self.always))
            if opened is not None:
                found = yield self.case(f"{name}, then open menus", {FIRST: opened})
                self.keep_best(found)

    def turn_sides(self) -> Tries:
        """A spend on one side, all that others admit then, and after these the same spend again."""
        strengths = self.prober.largest_admitted(self.there, self.always) if self.there else {}
        for name, strength in strengths.items():
            for share in (ONE, Fraction(1, 2)):
                first = self.context.build(self.families[name], share * strength)
                if menu := self.prober.ask(self.others_then_again(self.families[name], first)):
                    rounds = Mechanism(first.law, {[*first.law][-1]: menu}, first.stated)
                    yield self.case(f"{share} of {name}, then others", {FIRST: rounds})

    def others_then_again(self, spend: MechanismFamily, first: Mechanism) -> Inquiry[Menu]:
        """Return what may follow the last output of a spend: other sides, then the spend again."""
        game, y = self.prober.game(FIRST, first), [*first.law][-1]
        there = self.there and (yield from self.prober.after_output(self.there, game, FIRST, y))
        if there is None:
            return {}
        others = [family for family in self.always if family.sides != spend.sides]
        if not (menu := (yield from self.open_menu(there, others))):
            return {}
        guide, *rest = (self.open_after(there, r, one, [spend]) for r, one in menu.items())
        then = [(yield from guide), *(yield from interleave(rest))]  # one is the guess of the next
        return {r: after or menu[r] for r, after in zip(menu, then, strict=True)}

    def first_rounds_here(self) -> Iterator[tuple[str, Mechanism]]:
        """Yield first rounds: little ones, and weaker versions of what runs at once."""
        if self.delta:
            yield "tilt", self.context.build(tilt(self.delta), ONE)
        for name, rows in first_rounds(self.epsilon, self.delta):
            yield name, self.context.mechanism(rows)
        strengths = self.prober.largest_admitted(self.there, self.always) if self.there else {}
        for share in (Fraction(1, 2), Fraction(7, 8)):
            for name, strength in strengths.items():
                yield (
                    f"{share} of {name}",
                    self.context.build(self.families[name], strength * share),
                )

    def open_after(
        self, there: PlayState, request: str, one: Mechanism, some: Iterable[MechanismFamily]
    ) -> Inquiry[Mechanism | None]:
        """Return a round with an open menu after each of its outputs, if it runs."""
        game = self.prober.game(request, one)
        found = yield from self.prober.after_outputs(there, game, request, one.law)
        thens = yield from interleave(map(self.prober.after_decoys, found.values()))
        menus = yield from interleave(self.open_menu(then, some) for then in thens)
        after = {y: menu for y, menu in zip(found, menus, strict=True) if menu}
        return Mechanism(one.law, after, one.stated) if after else None

    def open_menu(self, there: PlayState, some: Iterable[MechanismFamily]) -> Inquiry[Menu]:
        """Return the open menu at a position."""
        return self.prober.menu_of(
            (yield from self.prober.find_largest(there, some)), self.families
        )

    def game_asking(self, one: Mechanism) -> Game:
        """Return the game that asks one round."""
        return self.prober.game(ASK, one)

    def quiet_game(self, name: str) -> Game:
        """Return the game that asks the silent round under a name; it is made once."""
        if name not in self.quiet_games:
            self.quiet_games[name] = self.prober.game(name, self.context.silent)
        return self.quiet_games[name]

    def keep_best(self, found: Scored | None) -> None:
        """Keep the best few plays."""
        if found is not None:
            self.best = sorted([found, *self.best], key=_rank, reverse=True)[:3]


def beside(menu: Menu, spend: Menu) -> Menu:
    """Return the menu with a spend added in every round, and after the last one."""
    databases = next(iter(next(iter(menu.values())).law.values()))
    game = Game(databases, list(permutations(databases, 2)), menu)
    return dict(rebuild(game, menu_change=lambda node, one, below: {**one, **spend}))


def _rank(found: Scored) -> tuple[float, Fraction]:
    return found.ratio, found.hidden
