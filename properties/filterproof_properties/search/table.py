"""One filter at one budget in one scene, asked and played: the moves that open menus are made of.

Each shape is turned up as far as the filter admits it there, the game whose menus hold all of
them is solved exactly, once, and the best choice per branch comes out of the solver.  Then the
best plays are reopened: the shapes that were used are turned up more finely, the plays go on for
another round where they ended, and their first rounds are varied; and they are lifted, turned up
until they are over the budget, into other scenes.

An odometer admits everything.  It is filled as the filter that it makes (`Enforced`): up to where
it would report more than ε.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import groupby, islice
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, is_markov
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism
from filterproof.game.rows import ONE, REVEAL, SILENT
from filterproof.odometer import Enforced, is_odometer
from filterproof.witness import WorstCase
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.probes import even, seldom
from filterproof_properties.games.scenes import LIFTS, PLAIN, Scene
from filterproof_properties.games.shapes import (
    ALL,
    ASK,
    BASIC,
    UNSPENT,
    Level,
    Menu,
    Round,
    Shape,
    chained,
    first_rounds,
    odds_rows,
    runs_at,
    shapes_at,
    statements_at,
    tilt,
)
from filterproof_properties.search.dialogue import together
from filterproof_properties.search.filling import (
    RUNS,
    TOP,
    Dialogue,
    Filler,
    Position,
    level_at,
    stage,
)
from filterproof_properties.search.readable import TURNS, turned_up
from filterproof_properties.search.results import as_played
from filterproof_properties.targets.evaluate import worst

Tries = Generator[Case, Scored | None, None]
Then = Callable[[Mechanism, list[Round], Position], Dialogue[Menu]]
FIRST = "first"
MERGED_ROUNDS, PLAIN_ROUNDS = 64, 8
"""How many rounds a run may have in which every output goes on: merged, and not."""
MOST_ENDS, MOST_TURNS = 8, 40
DEEPEST, LONGEST_MARCH, LONGEST_WAIT = 6, 5, 128
MOST_SPENDS, MOST_BAITS, MOST_TEMPTED, MOST_LIFTED = 8, 3, 6, 2
MILD = Fraction(11, 9)
"""The odds of a request that is refused, if it is, because it differs from those before."""
FINE, FINER = 10, ", fine"
LESS = (ONE, Fraction(3, 4))
"""A run may be less full than it could be: then it may last longer."""


class Table:
    """One filter at one budget in one scene, and the best play against it so far."""

    def __init__(
        self,
        rule: Filter[Any],
        scene: Scene,
        epsilon: Epsilon,
        delta: Fraction,
        parameters: dict[str, Any],
    ) -> None:
        self.rule, self.scene, self.parameters = rule, scene, parameters
        self.epsilon, self.delta = epsilon, delta
        admits = Enforced(rule, epsilon) if is_odometer(rule) else rule
        self.filler = Filler(admits, scene, stage(scene.name, epsilon, delta))
        self.shapes = {shape.name: shape for shape in self.every_shape()}
        self.core = [shape for shape in self.shapes.values() if shape.core]
        self.known = dict(self.shapes)
        self.best: list[Scored] = []

    def every_shape(self) -> list[Shape]:
        """Return all shapes of this budget; where sides turn, a few with each of these."""
        every = shapes_at(self.epsilon, self.delta)
        few = [shape for shape in every if shape.name in BASIC[:4]]
        return [shape.facing(sides) for sides in self.scene.turns for shape in few] or every

    @cached_property
    def there(self) -> Position | None:
        """The position before the first request."""
        return self.filler.first()

    def case(self, name: str, menu: Menu) -> Case:
        """Return the case with this first menu."""
        said = name if self.scene is PLAIN else f"{name}, {self.scene.name}"
        return Case(said, self.scene.game(menu), self.epsilon, self.delta, self.parameters)

    def singles(self) -> Tries:
        """One round: all shapes on one menu, and those that declare more than they need."""
        if self.there is None:
            return
        every = {shape.name: shape for shape in self.core}
        if self.scene is PLAIN:
            every = self.shapes | {shape.name: shape for shape in self.statements(self.there)}
        if menu := self.filler.menu(self.filler.filled(self.there, every.values()), every):
            yield self.case("open menu", menu)

    def statements(self, there: Position) -> list[Shape]:
        """Return shapes that declare odds: some that are usual, and the most that are admitted."""
        found = self.filler.filled(there, [UNSPENT])
        most = [1 + level for level in found.values() if level < level_at(TOP)]
        return statements_at(self.epsilon, self.delta, most)

    def runs(self, lengths: Iterable[int]) -> Tries:
        """Equal rounds in a row, each as full as all of them run."""
        every = runs_at(self.epsilon, self.delta, lengths)
        for _, group in groupby(every, key=lambda shape: shape.times):
            shapes = {shape.name: shape for shape in group}
            levels = self.filler.filled(self.there, shapes.values()) if self.there else {}
            longest = together(self.longest(shapes[name], levels[name]) for name in levels)
            for name, run in zip(levels, self.filler.told(longest), strict=True):
                for share in LESS if run.times >= shapes[name].times else ():
                    menu = self.filler.menu({name: share * levels[name]}, {name: run})
                    yield self.case(f"run: {name}, {share}", menu)

    def longest(self, shape: Shape, level: Level) -> Dialogue[Shape]:
        """Return the run with as many rounds as it may have; the filter ends it where it wants.

        Every output goes on that leaves both databases possible, where the order of the outputs is
        forgotten, so that plays merge.
        """
        certain = any(not all(row) for row in shape.rows(level).values())
        if not certain and is_markov(self.rule) and (yield from self.forgets_order(shape, level)):
            return replace(shape, times=MERGED_ROUNDS, onward=ALL)
        return replace(shape, times=PLAIN_ROUNDS if shape.onward == ALL else MERGED_ROUNDS)

    def forgets_order(self, shape: Shape, level: Level) -> Dialogue[bool]:
        """Whether the filter's state is the same when one output of another kind came earlier.

        Where it does not run them all there is no state to compare, and it is not known to.
        """
        one, others = self.scene.staged(replace(shape, times=1), level), [-1] * (shape.times - 1)
        assert self.there is not None
        orders = [0, *others], [*others, 0]
        found = yield from together(self.filler.along(self.there, one, order) for order in orders)
        return len({there.state for there in found if there}) == 1 and None not in found

    def marches(self) -> Tries:
        """Rounds of one shape, each turned up as far as it goes after those before it."""
        singles = [shape for shape in self.core if shape.times == 1]
        for marched in self.filler.told(together(self.march(shape) for shape in singles)):
            for shape, side, rounds in marched:
                menu: Menu = {}
                for one in reversed(rounds):
                    after = {[*one.law][side]: menu} if menu else {}
                    menu = {shape.name: Mechanism(one.law, after)}
                if len(rounds) > 1:
                    yield self.case(f"march: {len(rounds)} x {shape.name}", menu)

    def march(self, shape: Shape) -> Dialogue[list[tuple[Shape, int, list[Mechanism]]]]:
        """Go on round after round along the first output, then along the last one."""
        marched = []
        for side in (0, -1):
            there, rounds = self.there, list[Mechanism]()
            while there and (levels := (yield from self.filler.levels(there, [shape], 3))):
                rounds.append(one := self.scene.staged(shape, levels[shape.name]))
                if len(rounds) == LONGEST_MARCH:
                    break
                game = self.filler.game(shape.name, one)
                there = yield from self.filler.going(there, game, shape.name, [*one.law][side])
            marched.append((shape, side, rounds))
        return marched

    def seconds(self, some: slice) -> Tries:
        """Two rounds: a first one, then open menus."""
        for name, first in islice(self.firsts(), some.start, some.stop):
            if self.there is None:
                return
            opened = self.filler.told(self.open_after(self.there, FIRST, first, self.core))
            if opened is not None:
                found = yield self.case(f"{name}, then open menus", {FIRST: opened})
                self.keep(found)

    def turns(self) -> Tries:
        """A spend on one side, all that others admit then, and after these the same spend again."""
        levels = self.filler.filled(self.there, self.core) if self.there else {}
        for name, level in levels.items():
            for share in (ONE, Fraction(1, 2)):
                first = self.scene.staged(self.shapes[name], share * level)
                if menu := self.filler.told(self.aside(self.shapes[name], first)):
                    rounds = Mechanism(first.law, {[*first.law][-1]: menu}, first.stated)
                    yield self.case(f"{share} of {name}, then others", {FIRST: rounds})

    def aside(self, spend: Shape, first: Mechanism) -> Dialogue[Menu]:
        """Return what may follow the last output of a spend: other sides, then the spend again."""
        game, y = self.filler.game(FIRST, first), [*first.law][-1]
        there = self.there and (yield from self.filler.going(self.there, game, FIRST, y))
        if there is None:
            return {}
        others = [shape for shape in self.core if shape.sides != spend.sides]
        if not (menu := (yield from self.opened(there, others))):
            return {}
        guide, *rest = (self.open_after(there, r, one, [spend]) for r, one in menu.items())
        then = [(yield from guide), *(yield from together(rest))]  # one is the guess of the next
        return {r: after or menu[r] for r, after in zip(menu, then, strict=True)}

    def firsts(self) -> Iterator[tuple[str, Mechanism]]:
        """Yield first rounds: little ones, and weaker versions of what runs at once."""
        if self.delta:
            yield "tilt", self.scene.staged(tilt(self.delta), ONE)
        for name, rows in first_rounds(self.epsilon, self.delta):
            yield name, self.scene.mechanism(rows)
        levels = self.filler.filled(self.there, self.core) if self.there else {}
        for share in (Fraction(1, 2), Fraction(7, 8)):
            for name, level in levels.items():
                yield f"{share} of {name}", self.scene.staged(self.shapes[name], level * share)

    def open_after(
        self, there: Position, request: str, one: Mechanism, some: Iterable[Shape]
    ) -> Dialogue[Mechanism | None]:
        """Return a round with an open menu after each of its outputs, if it runs."""
        game = self.filler.game(request, one)
        found = yield from self.filler.released(there, game, request, one.law)
        thens = yield from together(map(self.filler.tempted, found.values()))
        menus = yield from together(self.opened(then, some) for then in thens)
        after = {y: menu for y, menu in zip(found, menus, strict=True) if menu}
        return Mechanism(one.law, after, one.stated) if after else None

    def opened(self, there: Position, some: Iterable[Shape]) -> Dialogue[Menu]:
        """Return the open menu at a position."""
        return self.filler.menu((yield from self.filler.filling(there, some)), self.shapes)

    def waits(self) -> Tries:
        """Quiet rounds, at the start or after spends, until what was not run at once is run."""
        basic = [self.shapes[name] for name in BASIC if name in self.shapes]
        levels = self.filler.filled(self.there, basic) if self.there else {}
        spends = [self.scene.staged(self.shapes[n], level) for n, level in levels.items()]
        over = [*even(self.epsilon, self.delta, 1), *seldom(self.epsilon, self.delta, 1)]
        probes = [self.scene.mechanism(rows) for _, rows in over]
        baits = [self.scene.mechanism(rows) for rows in (REVEAL, odds_rows(MILD))]
        thens: list[Then] = [*(partial(self.tempt, told) for told in baits), self.wait]
        walks = [self.wait(probe, []) for probe in probes]
        walks += [
            self.spend(one, side, then) for one in spends for side in (0, -1) for then in thens
        ]
        for menu in self.filler.told(together(walks)):
            if menu:
                yield self.case("waits", menu)

    def spend(self, one: Mechanism, side: int, then: Then) -> Dialogue[Menu]:
        """Run a round for as long as it is run, a few times at most, and then wait."""
        there, rounds, y = self.there, list[Round](), [*one.law][side]
        asked = self.asking(one)
        while there and len(rounds) < MOST_SPENDS:
            found = yield from self.filler.going(there, asked, ASK, y)
            if found is None:
                return (yield from then(one, rounds, there)) if rounds else {}
            there, rounds = found, [*rounds, (one, y)]
        return {}

    def wait(
        self, probe: Mechanism, rounds: list[Round], there: Position | None = None
    ) -> Dialogue[Menu]:
        """Play quiet rounds until the probe runs, and return this game."""
        there, silent, asked = there or self.there, self.scene.mechanism(SILENT), self.asking(probe)
        quiet, (blank,) = self.asking(silent), silent.law
        for waited in range(1, LONGEST_WAIT):
            there = there and (yield from self.filler.going(there, quiet, ASK, blank))
            if there and (yield [(there, asked, ASK)])[0][0] in RUNS:
                return chained([*rounds, *[(silent, blank)] * waited], {ASK: probe})
        return {}

    def tempt(
        self, told: Mechanism, one: Mechanism, rounds: list[Round], there: Position
    ) -> Dialogue[Menu]:
        """Ask for what is refused wherever the round does not run, for as long as that helps."""
        baits: Menu = {}
        (_, y), spends = rounds[-1], len(rounds)
        for _ in range(MOST_TEMPTED):
            found = None
            for name in (f"bait {number}" for number in range(MOST_BAITS)):
                ((decision, state),) = yield [(there, self.filler.game(name, told), name)]
                if decision is not Decision.REFUSE:
                    break
                there, baits[name] = replace(there, state=state), told
                if found := (yield from self.filler.going(there, self.asking(one), ASK, y)):
                    break
            if found is None:
                break
            there, rounds = found, [*rounds, (one, y)]
        return chained(rounds, {}, baits) if len(rounds) > spends else {}

    def asking(self, one: Mechanism) -> Game:
        """Return the game that asks one round."""
        return self.filler.game(ASK, one)

    def lifted(self) -> Tries:
        """The best plays, turned up until they are over the budget, in all other scenes."""
        for best in [one for one in self.best[:MOST_LIFTED] if one.reaches_something]:
            counts = best.case if best.value > 0 else replace(best.case, epsilon=Fraction(0))
            play = as_played(counts, self.rule).game
            over = (turned_up(play, by) for by in TURNS)
            harm = (one for one in over if worst(RunAll(), one, self.epsilon).value > self.delta)
            if (game := next(harm, None)) is not None:
                for scene in LIFTS:
                    name = f"{best.case.name}, {scene.name}"
                    yield replace(best.case, name=name, game=scene.lifted(game))

    def keep(self, found: Scored | None) -> None:
        """Keep the best few plays."""
        if found is not None:
            self.best = sorted([found, *self.best], key=_rank, reverse=True)[:3]

    def reopened(self, most: int) -> Tries:
        """Reopen the best plays, deeper and finer, for as long as that helps."""
        for best in self.best[:most]:
            before: Scored | None = None
            found: Scored | None = best
            while found and (before is None or found.gains_on(before)):
                before, menu = found, self.reopen(found.case.game)
                found = (yield self.case("reopened", menu)) if menu else None

    def reopen(self, game: Game) -> Menu | None:
        """Return the best play of a game with its ends open and its choices finer."""
        found = worst(self.rule, game, self.epsilon)
        told = found.turns
        if not told or self.there is None or len(told) > MOST_TURNS or self.scene.quiet:
            return None
        if any(turn.decision is Decision.REFUSE for turn in told):
            return None
        self.ends = MOST_ENDS
        first = self.filler.told(self.replayed(game, found, 0, self.there, 1))
        return {told[0].request: first}

    def replayed(
        self, game: Game, found: WorstCase, number: int, there: Position, depth: int
    ) -> Dialogue[Mechanism]:
        """Return one turn of the best play, with what was chosen after it and more."""
        turn = found.turns[number]
        chosen = game.nodes[turn.node][turn.request]
        bare = Mechanism(chosen.law, {}, chosen.stated)
        alone = self.filler.game(turn.request, bare)
        after: dict[str, Menu] = {}
        thens = yield from self.filler.released(there, alone, turn.request, chosen.law)
        for y, then in thens.items():
            then = yield from self.filler.tempted(then)
            after[y] = yield from self.choices(game, found, turn.then.get(y), then, depth)
        kept = {y: menu for y, menu in after.items() if menu}
        return Mechanism(chosen.law, kept, chosen.stated)

    def choices(
        self, game: Game, found: WorstCase, number: int | None, there: Position, depth: int
    ) -> Dialogue[Menu]:
        """Return the menu at a position of the best play: its choice, finer, or an open menu."""
        if number is None:
            self.ends -= 1
            more = self.ends >= 0 and depth < DEEPEST
            return (yield from self.opened(there, self.shapes.values())) if more else {}
        request = found.turns[number].request
        played = yield from self.replayed(game, found, number, there, depth + 1)
        others = [shape for name, shape in self.shapes.items() if name != request]
        menus = [self.opened(there, others), self.refined(there, request)]
        opened, refined = yield from together(menus)
        return {**opened, **refined, request: played}

    def refined(self, there: Position, request: str) -> Dialogue[Menu]:
        """Return a shape that was of use, turned up more finely, and others of its kind."""
        name = request.removesuffix(FINER)
        if name not in self.known:
            return {}
        near = {shape.name: shape for shape in (self.known[name], *self.known[name].varied())}
        self.known |= near
        levels = yield from self.filler.filling(there, near.values(), FINE)
        return {f"{one}{FINER}": m for one, m in self.filler.menu(levels, near).items()}


def _rank(found: Scored) -> tuple[float, Fraction]:
    return found.ratio, found.hidden
