"""Open menus: at every position the adversary may choose from all shapes of loss.

Each shape is turned up as far as the filter admits it there, the game whose menus hold all of
them is solved exactly, once, and the best choice per branch comes out of the solver.  Then the
best plays are reopened: the shapes that were used are turned up more finely, the plays go on for
another round where they ended, and their first rounds are varied.

An odometer admits everything.  It is filled as the filter that it makes (`Enforced`): up to where
it would report more than ε.

A filter that looks ahead judges a round by all that may follow it, so its games offer one request
a round, and a level is found by playing them.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby, islice
from typing import Any

from filterproof.adversary import WorstCase
from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, is_markov, parameter_sets
from filterproof.game import Game, Mechanism
from filterproof.game.rows import ONE, Rows
from filterproof.odometer import Enforced, is_odometer
from filterproof_properties.case import Case, Scored
from filterproof_properties.games.scenes import PLAIN, SCENES, Scene
from filterproof_properties.games.shapes import (
    ALL,
    LOUD,
    MORE_RUNS,
    RUNS,
    UNSPENT,
    Level,
    Menu,
    Shape,
    first_rounds,
    leaning,
    runs_at,
    shapes_at,
    statements_at,
    tilt,
)
from filterproof_properties.search.filling import (
    STEPS,
    TOP,
    Dialogue,
    Filler,
    Position,
    level_at,
    sees_ahead,
    stage,
)
from filterproof_properties.search.loop import Source, said_budget
from filterproof_properties.search.plan import Stint
from filterproof_properties.targets.evaluate import make_filter, worst
from filterproof_properties.targets.target import Declined, Target

Tries = Generator[Case, Scored | None, None]
FIRST = "first"
FEW = 9
"""How many first rounds are tried at every budget before the others are."""
MERGED_ROUNDS, PLAIN_ROUNDS = 64, 8
"""How many rounds a run may have in which every output goes on: merged, and not."""
MOST_ENDS, MOST_TURNS = 8, 40
DEEPEST, LONGEST_MARCH = 6, 5
FINE, FINER = 10, ", fine"
LUCKY = (3, 8)


def one_round(stint: Stint, target: Target) -> Source:
    """One round of every shape; in a scene, two rounds as well."""
    for table in tables(stint, target):
        yield from table.singles()
        yield from () if table.scene is PLAIN else table.seconds(slice(2))
    return ()


def one_shape(stint: Stint, target: Target) -> Source:
    """Marches of one shape."""
    for table in tables(stint, target):
        yield from table.marches()
    return ()


def equal_rounds(stint: Stint, target: Target) -> Source:
    """Runs of equal rounds, and those that end when luck does."""
    for table in tables(stint, target):
        yield from table.runs(MORE_RUNS if stint.family else RUNS)
        yield from table.lucky()
    return ()


def two_rounds(stint: Stint, target: Target) -> Source:
    """Open menus after a few first rounds."""
    for table in tables(stint, target):
        yield from table.seconds(slice(FEW))
    return ()


def more_rounds(stint: Stint, target: Target) -> Source:
    """Open menus after all other first rounds, and what the best of these plays lead to."""
    for table in tables(stint, target):
        yield from table.seconds(slice(FEW, None))
        yield from table.reopened()
    return ()


def tables(stint: Stint, target: Target) -> Iterator["Table"]:
    """Yield the filter at the stint's budget and scene, once per parameter set that it takes."""
    epsilon, delta = stint.fixed()
    scene = (PLAIN, *SCENES)[stint.part]
    declined: list[str] = []
    for parameters in parameter_sets(target, epsilon, delta, 2):
        try:
            rule = make_filter(target, epsilon, delta, parameters)
        except Declined as error:
            declined.append(f"{said_budget(epsilon, delta)}: {error}")
            continue
        kind = AheadTable if sees_ahead(rule, scene) else Table
        table = kind(rule, scene, epsilon, delta, parameters)
        yield table
        if table.filler.fault is not None:  # what else there was to try has been tried
            raise table.filler.fault
    if declined:
        raise Declined(declined[0], len(declined))


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
        self.shapes = {shape.name: shape for shape in shapes_at(epsilon, delta)}
        self.core = [shape for shape in self.shapes.values() if shape.core]
        self.known = dict(self.shapes)
        self.best: list[Scored] = []

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
            for name, level in levels.items():
                run = replace(shapes[name], times=self.longest(shapes[name], level))
                if run.times >= shapes[name].times:
                    yield self.case(f"run: {name}", self.filler.menu({name: level}, {name: run}))

    def longest(self, shape: Shape, level: Level) -> int:
        """Return how many rounds a run may have; the filter ends it where it wants to.

        Where every output goes on, it may be long only if the order of the outputs is forgotten.
        """
        if shape.onward != ALL:
            return MERGED_ROUNDS
        if self.there is None or not is_markov(self.rule):
            return PLAIN_ROUNDS
        one, others = self.scene.staged(replace(shape, times=1), level), [0] * (shape.times - 1)
        orders = [-1, *others], [*others, -1]
        states = {there and there.state for there in (self.along(one, o) for o in orders)}
        return MERGED_ROUNDS if len(states) == 1 else PLAIN_ROUNDS

    def along(self, one: Mechanism, places: list[int]) -> Position | None:
        """Return the position after a round was run again and again, with these outputs."""
        return self.there and self.filler.along(self.there, one, places)

    def lucky(self) -> Tries:
        """Equal rounds for as long as the first output comes; after any other, open menus."""
        for times in LUCKY:
            shape = Shape(f"{times} x response", leaning, times, LOUD, kin="response, loud")
            levels = self.filler.filled(self.there, [shape]) if self.there else {}
            if self.there and levels:
                one = self.scene.staged(replace(shape, times=1), levels[shape.name])
                play = self.while_lucky(one, shape.name, self.there, times)
                self.keep((yield self.case(f"lucky: {shape.name}", {shape.name: play})))

    def while_lucky(self, one: Mechanism, name: str, there: Position, times: int) -> Mechanism:
        """Return a round with the next one after its first output, open menus elsewhere."""
        game = self.filler.game(name, one)
        after: dict[str, Menu] = {}
        for number, y in enumerate(one.law):
            then = self.filler.after(there, game, name, y)
            if then is not None and number == 0 and times > 1:
                after[y] = {name: self.while_lucky(one, name, then, times - 1)}
            elif then is not None and (menu := self.opened(then, self.core)):
                after[y] = menu
        return Mechanism(one.law, after, one.stated)

    def marches(self) -> Tries:
        """Rounds of one shape, each turned up as far as it goes after those before it."""
        singles = [shape for shape in self.core if shape.times == 1]
        for marched in self.filler.told(self.march(shape) for shape in singles):
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
            opened = self.open_after(first)
            if opened is not None:
                found = yield self.case(f"{name}, then open menus", {FIRST: opened})
                self.keep(found)

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

    def open_after(self, first: Mechanism) -> Mechanism | None:
        """Return the first round with an open menu after each of its outputs, if it runs."""
        game = self.filler.game(FIRST, first)
        after = {}
        for y in first.law:
            there = self.there and self.filler.after(self.there, game, FIRST, y)
            if there is not None:
                after[y] = self.opened(self.filler.tempted(there), self.core)
        after = {y: menu for y, menu in after.items() if menu}
        return Mechanism(first.law, after, first.stated) if after else None

    def opened(self, there: Position, some: Iterable[Shape]) -> Menu:
        """Return the open menu at a position."""
        return self.filler.menu(self.filler.filled(there, some), self.shapes)

    def keep(self, found: Scored | None) -> None:
        """Keep the best few plays."""
        if found is not None:
            self.best = sorted([found, *self.best], key=_rank, reverse=True)[:3]

    def reopened(self) -> Tries:
        """Reopen the best plays, deeper and finer, for as long as that helps."""
        for best in list(self.best):
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
        return {told[0].request: self.replayed(game, found, 0, self.there, 1)}

    def replayed(
        self, game: Game, found: WorstCase, number: int, there: Position, depth: int
    ) -> Mechanism:
        """Return one turn of the best play, with what was chosen after it and more."""
        turn = found.turns[number]
        chosen = game.nodes[turn.node][turn.request]
        bare = Mechanism(chosen.law, {}, chosen.stated)
        alone = self.filler.game(turn.request, bare)
        after: dict[str, Menu] = {}
        for y in chosen.law:
            then = self.filler.after(there, alone, turn.request, y)
            if then is not None:
                then = self.filler.tempted(then)
                after[y] = self.choices(game, found, turn.then.get(y), then, depth)
        kept = {y: menu for y, menu in after.items() if menu}
        return Mechanism(chosen.law, kept, chosen.stated)

    def choices(
        self, game: Game, found: WorstCase, number: int | None, there: Position, depth: int
    ) -> Menu:
        """Return the menu at a position of the best play: its choice, finer, or an open menu."""
        if number is None:
            self.ends -= 1
            every = self.shapes.values()
            return self.opened(there, every) if self.ends >= 0 and depth < DEEPEST else {}
        request = found.turns[number].request
        menu = {request: self.replayed(game, found, number, there, depth + 1)}
        others = [shape for name, shape in self.shapes.items() if name != request]
        return {**self.opened(there, others), **self.refined(there, request), **menu}

    def refined(self, there: Position, request: str) -> Menu:
        """Return a shape that was of use, turned up more finely, and others of its kind."""
        name = request.removesuffix(FINER)
        if name not in self.known:
            return {}
        near = {shape.name: shape for shape in (self.known[name], *self.known[name].varied())}
        self.known |= near
        levels = self.filler.filled(there, near.values(), FINE)
        return {f"{one}{FINER}": m for one, m in self.filler.menu(levels, near).items()}


def _rank(found: Scored) -> tuple[float, Fraction]:
    return found.ratio, found.hidden


class AheadTable(Table):
    """The same for a filter that looks ahead: one request a round, levels found by playing."""

    NAMES = ("response", "erasure", "leak", "leak back", "sloping", "sloping back", "mixture")

    def singles(self) -> Tries:
        """One round of each shape."""
        for name in self.NAMES:
            if name in self.shapes:
                yield from self.sharpest(name, None)

    def marches(self) -> Tries:
        """Nothing: what follows is judged at once."""
        yield from ()

    lucky = reopened = marches

    def runs(self, lengths: Iterable[int]) -> Tries:
        """Nothing, for the same reason."""
        yield from ()

    def seconds(self, some: slice) -> Tries:
        """A first round, then one shape after all of its outputs."""
        rounds = first_rounds(self.epsilon, self.delta)
        for first, rows in islice(rounds, some.start, some.stop):
            for name in self.NAMES:
                if name in self.shapes:
                    yield from self.sharpest(name, (first, rows))

    def sharpest(self, name: str, first: tuple[str, Rows] | None) -> Tries:
        """Turn a shape down until the filter lets something through, then up to the cliff."""
        low, high, best = -1, TOP, None
        for place in (TOP, *range(TOP - 4 * STEPS, 0, -4 * STEPS)):
            found = yield self.staged(name, place, first)
            if found is not None and found.reaches_something:
                low, best = place, found
                break
            high = place
        while best is not None and low < high - 1:
            middle = (low + high) // 2
            found = yield self.staged(name, middle, first)
            if found is not None and found.beats(best):
                low, best = middle, found
            else:
                high = middle

    def staged(self, name: str, place: int, first: tuple[str, Rows] | None) -> Case:
        """Return the case with a shape at a level, alone or after a first round."""
        menu = {name: self.scene.staged(self.shapes[name], level_at(place))}
        if first is None:
            return self.case(name, menu)
        opening = self.scene.mechanism(first[1])
        after = Mechanism(opening.law, dict.fromkeys(opening.law, menu))
        return self.case(f"{first[0]}, then {name}", {FIRST: after})
