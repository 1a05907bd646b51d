"""How far a filter lets a shape go at a position, found by asking it; nothing else is known of it.

A position is what the filter knows before a request: its state, the likelihoods, the history.
Games are not rebuilt for a question: the shapes are made once per level, as small games of their
own, and asked about at every position.  A filter that looks back into the game, at what came
before, is asked about the whole game instead; one that looks ahead may answer otherwise in the
game that is played in the end, and what counts is the exact value of that game.
"""

from bisect import bisect_right
from collections.abc import Generator, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ProtocolError, ask, ask_many, observe, start
from filterproof.game import OPENING, Game, History, Mechanism, Step, coprime, opening
from filterproof.game.law import Database, Output
from filterproof.game.rows import REVEAL, SILENT, lottery
from filterproof_properties.games.scenes import Scene
from filterproof_properties.games.shapes import HALF, ONWARD, Level, Shape
from filterproof_properties.search.dialogue import T, fullest, held, together
from filterproof_properties.targets.guard import Misbehaved

RUNS = (Decision.CONTINUE, Decision.LAST)
OCTAVES, STEPS = 40, 8
TOP = 2 * OCTAVES * STEPS - 1
MIDDLE = OCTAVES * STEPS
"""Levels are tried on a grid of eight per octave, from 2^-40 to 2^40; the middle one is 1."""
BAIT, QUIET = "bait", "quiet"


def level_at(place: int) -> Level:
    """Return the level at a place of the grid.

    >>> [str(level_at(place)) for place in (0, MIDDLE, MIDDLE + 4)]
    ['1/1099511627776', '1', '3/2']
    """
    octave, step = divmod(place, STEPS)
    return Fraction(STEPS + step, STEPS) * Fraction(2) ** (octave - OCTAVES)


LEVELS = tuple(level_at(place) for place in range(TOP + 2))


def place_of(level: Level) -> int:
    """Return the place of the grid at or just below a level."""
    return max(0, min(bisect_right(LEVELS, level) - 1, TOP - 1))


@dataclass(frozen=True)
class Position:
    """What a filter knows before the next request."""

    index: int
    state: Hashable
    mass: Mapping[Database, Fraction]
    history: History
    sent: tuple[Mechanism, ...] = ()
    known: dict[Hashable, bool] = field(default_factory=dict, compare=False, repr=False)
    """Which shapes run here at which levels, as far as it was asked."""

    def step(self, game: Game, request: str, whole: bool = False) -> Step:
        """Return the step at which this request is sent, alone or in the game that led here."""
        grown = self.grown(game) if whole else game
        menu: Mapping[str, Mechanism] = grown.menu
        for asked, y in self.history if whole else ():
            menu = menu[asked].after[y]
        return Step(self.index, request, menu[request], self.mass, self.history, grown, menu)

    def grown(self, game: Game) -> Game:
        """Return the game of the rounds so far, followed by this one."""
        menu: Mapping[str, Mechanism] = game.menu
        for (request, y), one in zip(self.history[::-1], self.sent[::-1], strict=True):
            menu = {request: Mechanism(one.law, {y: menu}, one.stated)}
        return Game(game.databases, game.pairs, menu)


Question = tuple[Position, Game, str]
Answer = tuple[Decision, Hashable]
Dialogue = Generator[list[Question], list[Answer], T]
"""Yields questions to a filter, is sent its answers, and returns what it wanted to know."""

Stage = dict[tuple[str, int | Level], Game]
"""The shapes of one scene and budget at the levels that were asked for, each as a small game."""


@lru_cache(maxsize=16)
def stage(scene: str, epsilon: Epsilon, delta: Fraction) -> Stage:
    """Return the one stage of this scene and budget: what was made for a filter serves others."""
    return {}


class Filler:
    """One filter in one scene, asked how far each shape may go."""

    def __init__(self, rule: Filter[Any], scene: Scene, staged: Stage | None = None) -> None:
        self.rule, self.scene = rule, scene
        self.staged: Stage = {} if staged is None else staged
        self.topped: set[str] = set()
        self.found: dict[str, int] = {}
        self.fault: ProtocolError | None = None
        self.whole = False  # whether it is asked about whole games

    def first(self) -> Position | None:
        """Return the position before the first request, after the quiet rounds of the scene."""
        silent = self.game(QUIET, self.scene.mechanism(SILENT))
        step = opening(silent)
        decision, state = ask(self.rule, start(self.rule), step)
        if decision is not Decision.CONTINUE:
            return None
        state = observe(self.rule, state, step, OPENING)
        quiet = [0] * self.scene.quiet
        return self.told(self.quieted(Position(1, state, step.mass, ()), quiet))

    def quieted(self, there: Position, places: Iterable[int]) -> Dialogue[Position | None]:
        """Return the position after quiet rounds, and after the bait if there is any."""
        found = yield from self.along(there, self.scene.mechanism(SILENT), places)
        return found and (yield from self.tempted(found))

    @cached_property
    def baits(self) -> dict[str, Mechanism]:
        """What ought to be refused, as often as the scene has it."""
        told = self.scene.mechanism(REVEAL)
        return {f"{BAIT}{'+' * i}": told for i in range(self.scene.bait)}

    def game(self, request: str, mechanism: Mechanism) -> Game:
        """Return the game that offers one request."""
        return Game(self.scene.databases, self.scene.neighbours, {request: mechanism})

    def told(self, dialogue: Dialogue[T]) -> T:
        """Hold a dialogue with the filter."""
        return held(dialogue, self.answers)

    def along(
        self, there: Position, one: Mechanism, places: Iterable[int]
    ) -> Dialogue[Position | None]:
        """Return the position after a round was run again and again, with these outputs."""
        game = self.game(QUIET, one)
        found: Position | None = there
        for place in places:
            found = found and (yield from self.going(found, game, QUIET, [*one.law][place]))
        return found

    def going(
        self, there: Position, game: Game, request: str, y: Output
    ) -> Dialogue[Position | None]:
        """Return the position after a request was run and y released, if the play goes on."""
        return (yield from self.released(there, game, request, [y])).get(y)

    def released(
        self, there: Position, game: Game, request: str, outputs: Iterable[Output]
    ) -> Dialogue[dict[Output, Position]]:
        """Return the positions after a request was run, one for each output; none if it was not."""
        ((decision, state),) = yield [(there, game, request)]
        if decision is not Decision.CONTINUE:
            return {}
        step = there.step(game, request, self.whole)
        sent = (*there.sent, step.mechanism)
        found = {}
        for y in outputs:
            seen, history = observe(self.rule, state, step, y), (*there.history, (request, y))
            found[y] = Position(there.index + 1, seen, coprime(step.released(y)), history, sent)
        return found

    def tempted(self, there: Position) -> Dialogue[Position]:
        """In a scene with bait, return the position after that was refused."""
        for name, bait in self.baits.items():
            ((decision, state),) = yield [(there, self.game(name, bait), name)]
            if decision is not Decision.REFUSE:
                return there
            there = replace(there, state=state)
        return there

    def runs(self, there: Position, shape: Shape, at: int | Level) -> Dialogue[bool]:
        """Whether all rounds of a shape run after the first outputs, and after the last ones."""
        key = shape.name, shape.times, shape.onward, at, self.whole
        if key not in there.known:
            game = self.alone(shape, at)
            if shape.times > 1:
                there.known[key] = yield from self.repeated(there, shape, game)
            else:
                ((decision, _),) = yield [(there, game, shape.name)]
                there.known[key] = decision in RUNS
        return there.known[key]

    def alone(self, shape: Shape, at: int | Level) -> Game:
        """Return the game of one round of a shape."""
        key = shape.name, at
        if key not in self.staged:
            one = shape if shape.times == 1 else replace(shape, times=1)
            level = LEVELS[at] if isinstance(at, int) else at
            self.staged[key] = self.game(shape.name, self.scene.staged(one, level))
        return self.staged[key]

    def repeated(self, there: Position, shape: Shape, game: Game) -> Dialogue[bool]:
        """Whether a shape of several rounds runs, to its end."""
        outputs = [*game.menu[shape.name].law][ONWARD[shape.onward]]
        for y in dict.fromkeys((outputs[0], outputs[-1])):
            if not (yield from self.runs_along(there, game, shape, y)):
                return False
        return True

    def runs_along(self, there: Position, game: Game, shape: Shape, y: Output) -> Dialogue[bool]:
        """Whether a round is run as often as the shape has it, after one and the same output."""
        for _ in range(shape.times - 1):
            then = yield from self.going(there, game, shape.name, y)
            if then is None:
                return False
            there = then
        ((decision, _),) = yield [(there, game, shape.name)]
        return decision in RUNS

    def answers(self, questions: list[Question]) -> list[Answer]:
        """Return the answers, all at once; if the filter raises, to one question at a time."""
        try:
            asked = ask_many(self.rule, questions, self.put)
            return [(decision, state) for _, decision, state in asked]
        except Misbehaved:
            raise
        except ProtocolError:
            return [self.asked(*one) for one in questions]

    def put(self, question: Question) -> tuple[Hashable, Step]:
        """Return a question as it is put to the filter."""
        there, game, request = question
        return there.state, there.step(game, request, self.whole)

    def asked(self, there: Position, game: Game, request: str) -> Answer:
        """Return the answer; where the filter raises, it runs nothing, and that is noted once."""
        step = there.step(game, request, self.whole)
        try:
            return ask(self.rule, there.state, step)
        except Misbehaved:
            raise
        except ProtocolError as error:
            if there.history and not self.whole:  # it may have looked for the rounds before
                self.whole = True
                return self.asked(there, game, request)
            law = {y: [*map(str, row.values())] for y, row in step.mechanism.law.items()}
            self.fault = self.fault or ProtocolError(f"{error}, on the law {law!r:.300}")
            return Decision.HALT, there.state

    def filled(self, there: Position, shapes: Iterable[Shape], bits: int = 0) -> dict[str, Level]:
        """Return, by name, how far each shape can be turned up here, where it runs at all."""
        return self.told(self.filling(there, shapes, bits))

    def filling(
        self, there: Position, shapes: Iterable[Shape], bits: int = 0
    ) -> Dialogue[dict[str, Level]]:
        """Find out what `filled` returns.

        With `bits` the level is found so much more finely than on the grid.  Shapes of one kin
        are tried one after the other, because one is the guess of the next.
        """
        kin: dict[str, list[Shape]] = {}
        for shape in (shapes := list(shapes)):
            kin.setdefault(shape.kin or shape.name, []).append(shape)
        each = yield from together(self.levels(there, some, bits) for some in kin.values())
        found = {name: level for levels in each for name, level in levels.items()}
        return {shape.name: found[shape.name] for shape in shapes if shape.name in found}

    def levels(self, there: Position, shapes: list[Shape], bits: int) -> Dialogue[dict[str, Level]]:
        """Find out what `filled` returns for some shapes, one after the other."""
        levels: dict[str, Level] = {}
        for shape in shapes:
            place = yield from self.place(there, shape)
            if place >= 0:
                self.found[shape.kin or shape.name] = min(place, TOP - 1)
                levels[shape.name] = yield from self.finer(there, shape, place, bits)
        return levels

    def place(self, there: Position, shape: Shape) -> Dialogue[int]:
        """Return the fullest place; the top of the grid is tried the first time only."""
        if shape.name not in self.topped:
            self.topped.add(shape.name)
            if (yield from self.runs(there, shape, TOP)):
                return TOP
        guess = self.found.get(shape.kin or shape.name)
        guess = place_of(shape.guess) if guess is None else guess
        return (yield from fullest(lambda at: self.runs(there, shape, at), guess, TOP))

    def finer(self, there: Position, shape: Shape, place: int, bits: int) -> Dialogue[Level]:
        """Return a level between this place and the next that runs, found by bisection."""
        low, high = LEVELS[place], LEVELS[place + 1]
        for _ in range(bits if place < TOP else 0):
            middle = (low + high) / 2
            runs = yield from self.runs(there, shape, middle)
            low, high = (middle, high) if runs else (low, middle)
        return low

    def menu(
        self, levels: Mapping[str, Level], shapes: Mapping[str, Shape]
    ) -> dict[str, Mechanism]:
        """Return the menu that holds these shapes at their levels, and the bait."""
        menu = {name: self.scene.staged(shapes[name], level) for name, level in levels.items()}
        return menu | self.baits


def sees_ahead(rule: Filter[Any], scene: Scene) -> bool:
    """Whether what the filter says of a round depends on what may follow it."""
    coin = scene.mechanism(lottery([HALF, HALF]))
    filler, answers = Filler(rule, scene), []
    there = filler.first()
    for rows in (SILENT, REVEAL):
        menu = {QUIET: scene.mechanism(rows)}
        game = filler.game(QUIET, Mechanism(coin.law, dict.fromkeys(coin.law, menu)))
        at_once = ask(rule, start(rule), opening(filler.game(QUIET, menu[QUIET])))
        later = there and filler.asked(there, game, QUIET)
        answers.append((at_once, later))
    return answers[0] != answers[1]
