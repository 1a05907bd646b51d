"""Goes on from the best plays: deeper and finer, or turned up and in other contexts."""

from dataclasses import replace
from fractions import Fraction

from filterproof.filter import Decision
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism
from filterproof.witness import WorstCase
from filterproof_properties.case import Scored
from filterproof_properties.games.contexts import TRANSPLANTS
from filterproof_properties.games.families import Menu
from filterproof_properties.search.look_ahead import LookAheadBuilder
from filterproof_properties.search.menu_builder import MenuBuilder, Tries
from filterproof_properties.search.ranking import TURNS, turn_up
from filterproof_properties.search.results import only_played
from filterproof_properties.targets.evaluate import worst
from filterproof_properties.targets.inquiry import interleave
from filterproof_properties.targets.prober import Inquiry, PlayState

MOST_ENDS = 8
"""So many ends of a play get an open menu: each holds all families, and is bisected for each."""
MOST_TURNS = 40
"""A play of more turns is long because it is repeated, and deeper menus are not what it lacks."""
DEEPEST = 6
"""Rounds of a deepened play: the longest one that was ever needed from there had five."""
MOST_TRANSPLANTED = 2
"""Each of the best plays is played in some hundred contexts."""
FINE, FINER = 10, ", fine"
"""Bits beyond the grid to which a strength is found, and what such a request is called."""


def transplant(builder: MenuBuilder) -> Tries:
    """The best plays, turned up until they are over the budget, in all other contexts."""
    for best in [one for one in builder.best[:MOST_TRANSPLANTED] if one.reaches_something]:
        counts = best.case if best.value > 0 else replace(best.case, epsilon=Fraction(0))
        play = only_played(counts, builder.rule).game
        over = (turn_up(play, by) for by in TURNS)
        harm = (one for one in over if worst(RunAll(), one, builder.epsilon).value > builder.delta)
        if (game := next(harm, None)) is not None:
            for context in TRANSPLANTS:
                name = f"{best.case.name}, {context.name}"
                yield replace(best.case, name=name, game=context.transplant(game))


def deepen(builder: MenuBuilder, most: int) -> Tries:
    """Play the best plays again, deeper and finer, for as long as that helps."""
    if isinstance(builder, LookAheadBuilder):  # it judges at once what follows
        return
    for best in builder.best[:most]:
        before: Scored | None = None
        found: Scored | None = best
        while found and (before is None or found.gains_on(before)):
            before, menu = found, Deepener(builder).menu(found.case.game)
            found = (yield builder.case("deepened", menu)) if menu else None


class Deepener:
    """Replays the best play against one filter and opens more menus on the way."""

    def __init__(self, builder: MenuBuilder) -> None:
        self.builder, self.prober, self.ends = builder, builder.prober, MOST_ENDS

    def menu(self, game: Game) -> Menu | None:
        """Return the best play of a game with its ends open and its choices finer."""
        found, there = worst(self.builder.rule, game, self.builder.epsilon), self.builder.there
        if not 0 < len(found.turns) <= MOST_TURNS or there is None or self.builder.context.quiet:
            return None
        if any(turn.decision is Decision.REFUSE for turn in found.turns):
            return None
        first = self.prober.ask(self.replay_turn(game, found, 0, there, 1))
        return {found.turns[0].request: first}

    def replay_turn(
        self, game: Game, found: WorstCase, number: int, there: PlayState, depth: int
    ) -> Inquiry[Mechanism]:
        """Return one turn of the best play, with what was chosen after it and more."""
        turn = found.turns[number]
        chosen = game.nodes[turn.node][turn.request]
        bare = Mechanism(chosen.law, {}, chosen.stated)
        alone = self.prober.game(turn.request, bare)
        after: dict[str, Menu] = {}
        thens = yield from self.prober.after_outputs(there, alone, turn.request, chosen.law)
        for y, then in thens.items():
            then = yield from self.prober.after_decoys(then)
            after[y] = yield from self.choices(game, found, turn.then.get(y), then, depth)
        kept = {y: menu for y, menu in after.items() if menu}
        return Mechanism(chosen.law, kept, chosen.stated)

    def choices(
        self, game: Game, found: WorstCase, number: int | None, there: PlayState, depth: int
    ) -> Inquiry[Menu]:
        """Return the menu at a position of the best play: its choice, finer, or an open menu."""
        if number is None:
            self.ends -= 1
            more = self.ends >= 0 and depth < DEEPEST
            return (
                (yield from self.builder.open_menu(there, self.builder.families.values()))
                if more
                else {}
            )
        request = found.turns[number].request
        played = yield from self.replay_turn(game, found, number, there, depth + 1)
        others = [family for name, family in self.builder.families.items() if name != request]
        menus = [self.builder.open_menu(there, others), self.finer_menu(there, request)]
        opened, refined = yield from interleave(menus)
        return {**opened, **refined, request: played}

    def finer_menu(self, there: PlayState, request: str) -> Inquiry[Menu]:
        """Return a family that was of use, turned up more finely, and others of its kind."""
        name = request.removesuffix(FINER)
        if name not in self.builder.known:
            return {}
        near = {
            family.name: family
            for family in (self.builder.known[name], *self.builder.known[name].nearby())
        }
        self.builder.known |= near
        strengths = yield from self.prober.find_largest(there, near.values(), FINE)
        return {f"{one}{FINER}": m for one, m in self.prober.menu_of(strengths, near).items()}
