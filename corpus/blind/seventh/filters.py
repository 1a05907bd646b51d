"""Pure filters after reports in public trackers: windows, refills, retries, keys and clamps."""

from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Witness, Wrong, answer, covers, plus
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    Book,
    F,
    call,
    chain,
    erasing,
    is_quiet,
    law,
    leaking,
    play,
)
from filterproof.filter import Decision
from filterproof.game import Game, Mechanism, Step
from filterproof.game.law import Declared, Output

SILENT: dict[Output, tuple[Fraction | int, ...]] = {"-": (1, 1)}
TELLS: dict[Output, tuple[Fraction | int, ...]] = {"0": (1, 0), "1": (0, 1)}


class Window(Rule):
    """Counts what was spent in the last sixteen rounds."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        recent = tuple(one for one in state if step.index - one[0] < 16)
        total = step.mechanism.declared
        for _, cost in recent:
            total = plus(total, cost)
        after = (*recent, (step.index, step.mechanism.declared))
        return answer(covers(total, self.epsilon, self.delta), after, recent)


class Refill(Rule):
    """A bucket of delta; each round that costs nothing pours an eighth of it back."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        if step.mechanism.declared == NOTHING:
            less = max(F(0), state.delta - self.delta / 8)
            return Decision.CONTINUE, Declared(state.odds, less)
        total = plus(state, step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), total, state)


class Retry(Rule):
    """A request that comes twice in a row, at the same cost, is a retry and is free."""

    def start(self) -> Any:
        return NOTHING, None

    def decide(self, state: Any, step: Step) -> Answer:
        spent, last = state
        asked = step.request, step.mechanism.declared
        if asked == last and asked[1] != NOTHING:
            return Decision.CONTINUE, state
        total = plus(spent, step.mechanism.declared)
        fits = covers(total, self.epsilon, self.delta)
        return (Decision.CONTINUE, (total, asked)) if fits else (Decision.REFUSE, state)


class FourBooks(Rule):
    """Keeps a book per request name, four at most: the one that was used least recently goes."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        own = dict(state).get(step.request, NOTHING)
        others = tuple(one for one in state if one[0] != step.request)
        book = plus(own, step.mechanism.declared)
        total = book
        for _, cost in others:
            total = plus(total, cost)
        after = (*others, (step.request, book))[-4:]
        return answer(covers(total, self.epsilon, self.delta), after, state)


class Clamp(Book):
    """A request that asks for too much is clamped to the whole of what there is."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        return Declared(odds, min(delta, self.delta))


class Units(Book):
    """Counts delta in units of a thirty-second of the budget, rounded down."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        unit = self.delta / 32
        return Declared(odds, delta // unit * unit if unit else delta)


class NothingSeen(Rule):
    """Gives the cost back when the output was as likely under all databases."""

    def start(self) -> Any:
        return NOTHING, NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state[0], step.mechanism.declared)
        return answer(covers(total, self.epsilon, self.delta), (total, state[0]), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        before = state[1] if is_quiet(step, output) else state[0]
        return before, before


class BackOff(Rule):
    """Refuses what does not fit; after three refusals in a row half is left."""

    def start(self) -> Any:
        return NOTHING, 0

    def decide(self, state: Any, step: Step) -> Answer:
        spent, refused = state
        total = plus(spent, step.mechanism.declared)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, 0)
        if refused < 2:
            return Decision.REFUSE, (spent, refused + 1)
        return Decision.REFUSE, (Declared(spent.odds, min(spent.delta, self.delta / 2)), 0)


def rounds(number: int, rows: Any, last: Any = None) -> Game:
    """One law again and again, and another one at the end."""
    return play(chain(*[rows] * number, *([last] if last else [])))


def named_apart() -> Game:
    quiet = [(name, erasing(F(1, 1000))) for name in "bcde"]
    return play(call(("a", erasing(TENTH - F(1, 100))), *quiet, ("a", erasing(F(9, 100)))))


def locked_out() -> Game:
    asked = {name: law(TELLS) for name in "abc"}
    menu: dict[str, Mechanism] = {**asked, "d": law(erasing(TENTH / 2))}
    return play({"first": law(erasing(TENTH), after=dict.fromkeys("01?", menu))})


WRONG: dict[str, Wrong] = {
    "window-of-sixteen": Wrong(
        Window,
        "what is older than the window is forgotten",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(erasing(TENTH), *[SILENT] * 16, erasing(TENTH)))),
    ),
    "refilled-bucket": Wrong(
        Refill,
        "delta comes back with quiet rounds",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(erasing(TENTH), *[SILENT] * 8, erasing(TENTH)))),
    ),
    "same-again": Wrong(
        Retry,
        "a retry draws anew",
        "easy",
        Witness(TWO, TENTH, lambda: rounds(2, erasing(TENTH))),
    ),
    "four-books": Wrong(
        FourBooks,
        "the fifth name makes the first forgotten",
        "hard",
        Witness(TWO, TENTH, named_apart),
    ),
    "clamped": Wrong(
        Clamp,
        "more than the budget runs once",
        "easy",
        Witness(TWO, TENTH, lambda: rounds(1, leaking(F(1, 2)))),
    ),
    "thirty-second": Wrong(
        Units,
        "less than a unit is free",
        "hard",
        Witness(TWO, TENTH, lambda: rounds(40, leaking(F(1, 330)))),
    ),
    "nothing-seen": Wrong(
        NothingSeen,
        "until it tells, it is free",
        "easy",
        Witness(TWO, TENTH, lambda: rounds(4, erasing(F(1, 20)))),
    ),
    "back-off": Wrong(
        BackOff,
        "a lock-out ends with half of the budget",
        "hard",
        Witness(TWO, TENTH, locked_out),
    ),
}
