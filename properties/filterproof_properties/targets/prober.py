"""Finds the largest strength of each family that a filter admits at a position, by asking it.

A filter in another process is asked for whole inquiries where it offers that (`probe`): this same
code then runs there, and what it found comes back.

Nothing else is known of the filter.  A position is what it knows before a request: its state, the
likelihoods, the history.  Games are not rebuilt for a question: the families are made once per
strength, as small games of their own, and asked about at every position.  A filter that looks back
into the game, at what came before, is asked about the whole game instead; one that looks ahead may
answer otherwise in the game that is played in the end, and what counts is the exact value of that
game.
"""

from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Decision, Filter, ProtocolError, ask, ask_many, observe, start
from filterproof.game import OPENING, Game, History, Mechanism, Step, coprime, opening
from filterproof.game.law import Database, Output
from filterproof.game.rows import REVEAL, SILENT, lottery
from filterproof_properties.games.contexts import Context
from filterproof_properties.games.families import HALF, ONWARD, MechanismFamily, Strength
from filterproof_properties.games.strengths import STRENGTHS, TOP, place_of
from filterproof_properties.targets.guard import Misbehaved
from filterproof_properties.targets.inquiry import T, bisect, drive, interleave

RUNS = (Decision.CONTINUE, Decision.LAST)
"""The answers with which a mechanism is run."""
DECOY, QUIET = "decoy", "quiet"


@dataclass(frozen=True)
class PlayState:
    """What a filter knows before the next request."""

    index: int
    state: Hashable
    mass: Mapping[Database, Fraction]
    history: History
    sent: tuple[Mechanism, ...] = ()
    known: dict[Hashable, bool] = field(default_factory=dict, compare=False, repr=False)
    """Which families run here at which strengths, as far as it was asked."""

    def step(self, game: Game, request: str, whole: bool = False) -> Step:
        """Return the step at which this request is sent, alone or in the game that led here."""
        whole_game = self.game_so_far(game) if whole else game
        menu: Mapping[str, Mechanism] = whole_game.menu
        for asked, y in self.history if whole else ():
            menu = menu[asked].after[y]
        return Step(self.index, request, menu[request], self.mass, self.history, whole_game, menu)

    def game_so_far(self, game: Game) -> Game:
        """Return the game of the rounds so far, followed by this one."""
        menu: Mapping[str, Mechanism] = game.menu
        for (request, y), one in zip(self.history[::-1], self.sent[::-1], strict=True):
            menu = {request: Mechanism(one.law, {y: menu}, one.stated)}
        return Game(game.databases, game.pairs, menu)


Question = tuple[PlayState, Game, str]
Answer = tuple[Decision, Hashable]
Inquiry = Generator[list[Any], list[Any], T]
"""Yields questions to a filter, is sent its answers, and returns what it wanted to know."""
Rounds = Sequence[tuple[Game, str, Output]]
"""Requests that are run one after the other, each in a game of its own, and what they release."""


@dataclass(frozen=True)
class Largest:
    """Asks how far each of these families can be turned up at a position."""

    there: PlayState
    families: tuple[MechanismFamily, ...]
    bits: int


@dataclass(frozen=True)
class Follow:
    """Asks after how many of these rounds a probe runs, asked after `each` of them or after all."""

    there: PlayState
    rounds: tuple[tuple[Game, str, Output], ...]
    probe: tuple[Game, str]
    each: bool


Whole = Largest | Follow
"""A question that a whole inquiry answers."""

GameCache = dict[tuple[str, int | Strength], Game]
"""The families of one context and budget at the strengths asked for, each as a small game."""


@lru_cache(maxsize=16)
def game_cache(context: str, epsilon: Epsilon, delta: Fraction) -> GameCache:
    """Return the cache of this context and budget: what was made for a filter serves others."""
    return {}


class Prober:
    """One filter in one context, asked how far each family may go."""

    def __init__(self, rule: Filter[Any], context: Context, games: GameCache | None = None) -> None:
        self.rule, self.context = rule, context
        self.games: GameCache = {} if games is None else games
        self.topped: set[str] = set()
        self.found: dict[str, int] = {}
        self.fault: ProtocolError | None = None
        self.whole = False  # whether it is asked about whole games
        self.elsewhere = getattr(rule, "hold_inquiries", None)  # holds whole inquiries elsewhere
        self.positions: dict[str, PlayState] = {}

    def first_state(self) -> PlayState | None:
        """Return the position before the first request, after the quiet rounds of the context."""
        silent = self.game(QUIET, self.context.silent)
        step = opening(silent)
        decision, state = ask(self.rule, start(self.rule), step)
        if decision is not Decision.CONTINUE:
            return None
        state = observe(self.rule, state, step, OPENING)
        quiet = [0] * self.context.quiet
        return self.ask(self.after_quiet_rounds(PlayState(1, state, step.mass, ()), quiet))

    def after_quiet_rounds(
        self, there: PlayState, places: Iterable[int]
    ) -> Inquiry[PlayState | None]:
        """Return the position after quiet rounds, and after the decoy if there is any."""
        found = yield from self.after_repeating(there, self.context.silent, places)
        return found and (yield from self.after_decoys(found))

    @cached_property
    def decoys(self) -> dict[str, Mechanism]:
        """What ought to be refused, as often as the context has it."""
        told = self.context.mechanism(REVEAL)
        return {f"{DECOY}{'+' * i}": told for i in range(self.context.decoy)}

    def game(self, request: str, mechanism: Mechanism) -> Game:
        """Return the game that offers one request."""
        return Game(self.context.databases, self.context.neighbours, {request: mechanism})

    def ask(self, inquiry: Inquiry[T]) -> T:
        """Drive an inquiry with the filter."""
        return drive(inquiry, self.answers)

    def after_repeating(
        self, there: PlayState, one: Mechanism, places: Iterable[int]
    ) -> Inquiry[PlayState | None]:
        """Return the position after a round was run again and again, with these outputs."""
        game = self.game(QUIET, one)
        found: PlayState | None = there
        for place in places:
            found = found and (yield from self.after_output(found, game, QUIET, [*one.law][place]))
        return found

    def after_output(
        self, there: PlayState, game: Game, request: str, y: Output
    ) -> Inquiry[PlayState | None]:
        """Return the position after a request was run and y released, if the play goes on."""
        return (yield from self.after_outputs(there, game, request, [y])).get(y)

    def after_outputs(
        self, there: PlayState, game: Game, request: str, outputs: Iterable[Output]
    ) -> Inquiry[dict[Output, PlayState]]:
        """Return the positions after a request was run, one for each output; none if it was not."""
        ((decision, state),) = yield [(there, game, request)]
        if decision is not Decision.CONTINUE:
            return {}
        step = there.step(game, request, self.whole)
        sent = (*there.sent, step.mechanism)
        found = {}
        for y in outputs:
            seen, history = observe(self.rule, state, step, y), (*there.history, (request, y))
            found[y] = PlayState(there.index + 1, seen, coprime(step.released(y)), history, sent)
        return found

    def after_decoys(self, there: PlayState) -> Inquiry[PlayState]:
        """In a context with decoy, return the position after that was refused."""
        for name, decoy in self.decoys.items():
            ((decision, state),) = yield [(there, self.game(name, decoy), name)]
            if decision is not Decision.REFUSE:
                return there
            there = replace(there, state=state)
        return there

    def runs(self, there: PlayState, family: MechanismFamily, at: int | Strength) -> Inquiry[bool]:
        """Whether all rounds of a family run after the first outputs, and after the last ones."""
        key = family.name, family.times, family.onward, at, self.whole
        if key not in there.known:
            game = self.single_game(family, at)
            if family.times > 1:
                there.known[key] = yield from self.runs_repeatedly(there, family, game)
            else:
                ((decision, _),) = yield [(there, game, family.name)]
                there.known[key] = decision in RUNS
        return there.known[key]

    def single_game(self, family: MechanismFamily, at: int | Strength) -> Game:
        """Return the game of one round of a family."""
        key = family.name, at
        if key not in self.games:
            one = family if family.times == 1 else replace(family, times=1)
            strength = STRENGTHS[at] if isinstance(at, int) else at
            self.games[key] = self.game(family.name, self.context.build(one, strength))
            self.games[family.name, strength] = self.games[key]
        return self.games[key]

    def runs_repeatedly(
        self, there: PlayState, family: MechanismFamily, game: Game
    ) -> Inquiry[bool]:
        """Whether a family of several rounds runs, to its end."""
        outputs = [*game.menu[family.name].law][ONWARD[family.onward]]
        for y in dict.fromkeys((outputs[0], outputs[-1])):
            if not (yield from self.runs_along(there, game, family, y)):
                return False
        return True

    def runs_along(
        self, there: PlayState, game: Game, family: MechanismFamily, y: Output
    ) -> Inquiry[bool]:
        """Whether a round is run as often as the family has it, after one and the same output."""
        for _ in range(family.times - 1):
            then = yield from self.after_output(there, game, family.name, y)
            if then is None:
                return False
            there = then
        ((decision, _),) = yield [(there, game, family.name)]
        return decision in RUNS

    def follow(
        self, there: PlayState, rounds: Rounds, probe: tuple[Game, str], each: bool = False
    ) -> Inquiry[int | None]:
        """Return after how many rounds a probe runs, asked after each or after all; None: never."""
        if self.elsewhere is not None:
            (found,) = yield [Follow(there, tuple(rounds), probe, each)]
            return found  # type: ignore[no-any-return]
        then: PlayState | None = there
        for number, (game, request, y) in enumerate(rounds, 1):
            then = then and (yield from self.after_output(then, game, request, y))
            if then is None:
                return None
            if (each or number == len(rounds)) and (yield [(then, *probe)])[0][0] in RUNS:
                return number
        return None

    def answers(self, questions: list[Any]) -> list[Any]:
        """Return the answers, those to whole inquiries from where these are held."""
        inquiries = [one for one in questions if isinstance(one, Whole)]
        if not inquiries:
            return self.decisions(questions)
        rest = [one for one in questions if not isinstance(one, Whole)]
        found = iter(self.held(inquiries))
        said = iter(self.decisions(rest) if rest else ())
        return [next(found if isinstance(one, Whole) else said) for one in questions]

    def held(self, inquiries: list[Whole]) -> list[Any]:
        """Return what inquiries find that are held elsewhere, or here if that is not possible."""
        if self.elsewhere is not None:
            try:
                found: list[Any] | None = self.elsewhere(self.context, inquiries)
            except Misbehaved:
                raise
            except ProtocolError:
                found = None
            if found is not None:
                return found
            self.elsewhere = None
        return self.ask(interleave(map(self.inquiry, inquiries)))

    def inquiry(self, asked: Whole) -> Inquiry[Any]:
        """Return the inquiry that answers a question."""
        if isinstance(asked, Largest):
            return self.find_largest(asked.there, asked.families, asked.bits)
        return self.follow(asked.there, asked.rounds, asked.probe, asked.each)

    def decisions(self, questions: list[Question]) -> list[Answer]:
        """Return the answers, all at once; if the filter raises, to one question at a time."""
        try:
            asked = ask_many(self.rule, questions, self.as_step)
            return [(decision, state) for _, decision, state in asked]
        except Misbehaved:
            raise
        except ProtocolError:
            return [self.ask_one(*one) for one in questions]

    def as_step(self, question: Question) -> tuple[Hashable, Step]:
        """Return a question as it is put to the filter."""
        there, game, request = question
        return there.state, there.step(game, request, self.whole)

    def ask_one(self, there: PlayState, game: Game, request: str) -> Answer:
        """Return the answer; where the filter raises, it runs nothing, and that is noted once."""
        step = there.step(game, request, self.whole)
        try:
            return ask(self.rule, there.state, step)
        except Misbehaved:
            raise
        except ProtocolError as error:
            if there.history and not self.whole:  # it may have looked for the rounds before
                self.whole = True
                return self.ask_one(there, game, request)
            law = {y: [*map(str, row.values())] for y, row in step.mechanism.law.items()}
            self.fault = self.fault or ProtocolError(f"{error}, on the law {law!r:.300}")
            return Decision.HALT, there.state

    def largest_admitted(
        self, there: PlayState, families: Iterable[MechanismFamily], bits: int = 0
    ) -> dict[str, Strength]:
        """Return, by name, how far each family can be turned up here, where it runs at all."""
        return self.ask(self.find_largest(there, families, bits))

    def find_largest(
        self, there: PlayState, families: Iterable[MechanismFamily], bits: int = 0
    ) -> Inquiry[dict[str, Strength]]:
        """Find what `largest_admitted` returns.

        With `bits` the strength is found so much more finely than on the grid.  Families of one
        warm start are tried one after the other, because one is the guess of the next.
        """
        families = tuple(families)
        if self.elsewhere is not None:
            (strengths,) = yield [Largest(there, families, bits)]
            return strengths  # type: ignore[no-any-return]
        groups: dict[str, list[MechanismFamily]] = {}
        for family in families:
            groups.setdefault(family.warm_start or family.name, []).append(family)
        each = yield from interleave(
            self.largest_in_turn(there, some, bits) for some in groups.values()
        )
        found = {name: strength for strengths in each for name, strength in strengths.items()}
        return {family.name: found[family.name] for family in families if family.name in found}

    def largest_in_turn(
        self, there: PlayState, families: list[MechanismFamily], bits: int
    ) -> Inquiry[dict[str, Strength]]:
        """Find out what `largest_admitted` returns for some families, one after the other."""
        strengths: dict[str, Strength] = {}
        for family in families:
            place = yield from self.largest_place(there, family)
            if place >= 0:
                self.found[family.warm_start or family.name] = min(place, TOP - 1)
                strengths[family.name] = yield from self.refine_strength(there, family, place, bits)
        return strengths

    def largest_place(self, there: PlayState, family: MechanismFamily) -> Inquiry[int]:
        """Return the largest place; the top of the grid is tried the first time only."""
        if family.name not in self.topped:
            self.topped.add(family.name)
            if (yield from self.runs(there, family, TOP)):
                return TOP
        guess = self.found.get(family.warm_start or family.name)
        guess = place_of(family.guess) if guess is None else guess
        return (yield from bisect(lambda at: self.runs(there, family, at), guess, TOP))

    def refine_strength(
        self, there: PlayState, family: MechanismFamily, place: int, bits: int
    ) -> Inquiry[Strength]:
        """Return a strength between this place and the next that runs, found by bisection."""
        low, high = STRENGTHS[place], STRENGTHS[place + 1]
        for _ in range(bits if place < TOP else 0):
            middle = (low + high) / 2
            runs = yield from self.runs(there, family, middle)
            low, high = (middle, high) if runs else (low, middle)
        return low

    def menu_of(
        self, strengths: Mapping[str, Strength], families: Mapping[str, MechanismFamily]
    ) -> dict[str, Mechanism]:
        """Return the menu that holds these families at their strengths, and the decoy."""
        menu = {}
        for name, strength in strengths.items():
            known = self.single_game(families[name], strength).menu[name]
            one = Mechanism(known.law, {}, known.stated)
            menu[name] = self.context.chain(one, families[name])
        return menu | self.decoys


def sees_ahead(rule: Filter[Any], context: Context) -> bool:
    """Whether what the filter says of a round depends on what may follow it."""
    coin = context.mechanism(lottery([HALF, HALF]))
    prober, answers = Prober(rule, context), []
    there = prober.first_state()
    for rows in (SILENT, REVEAL):
        menu = {QUIET: context.mechanism(rows)}
        game = prober.game(QUIET, Mechanism(coin.law, dict.fromkeys(coin.law, menu)))
        at_once = ask(rule, start(rule), opening(prober.game(QUIET, menu[QUIET])))
        later = there and prober.ask_one(there, game, QUIET)
        answers.append((at_once, later))
    return answers[0] != answers[1]
