"""Mistakes of ledgers that refuse and go on, or that are paid later."""

from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Witness, Wrong, answer, covers, plus
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    Book,
    F,
    chain,
    erasing,
    law,
    leaking,
    play,
)
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared


class Released(Book):
    """Refuses what does not fit, and takes a reservation back that it never made."""

    def decide(self, state: Any, step: Step) -> Answer:
        asked = step.mechanism.declared
        total = plus(state, asked)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, total
        return Decision.REFUSE, Declared(state.odds, max(F(0), state.delta - asked.delta))


class Apology(Rule):
    """After two refusals in one round the next request of that round pays half its delta."""

    def start(self) -> Any:
        return NOTHING, 0

    def decide(self, state: Any, step: Step) -> Answer:
        spent, refused = state
        odds, delta = step.mechanism.declared
        total = plus(spent, Declared(odds, delta / 2 if refused >= 2 else delta))
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, 0)
        return Decision.REFUSE, (spent, refused + 1)


class Quote(Rule):
    """A request that was refused may come back in a later round for whatever is then left."""

    def start(self) -> Any:
        return NOTHING, frozenset()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, quoted = state
        odds, delta = step.mechanism.declared
        total = plus(spent, Declared(odds, delta))
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, quoted)
        if any(name == step.request and i < step.index for name, i in quoted):
            return Decision.LAST, state
        return Decision.REFUSE, (spent, quoted | {(step.request, step.index)})


class PayLater(Rule):
    """Pays half of a delta now and half of it with the next request."""

    def start(self) -> Any:
        return NOTHING, F(0)

    def decide(self, state: Any, step: Step) -> Answer:
        spent, due = state
        odds, delta = step.mechanism.declared
        total = plus(spent, Declared(odds, due + delta / 2))
        return answer(covers(total, self.epsilon, self.delta), (total, delta / 2), state)


def refused_first() -> Any:
    menu = {"big": law({"0": (1, 0), "1": (0, 1)}), "small": law(erasing(TENTH))}
    return play({"ask": law(erasing(TENTH), after=dict.fromkeys("01?", menu))})


def refused_twice() -> Any:
    big = {"0": (1, 0), "1": (0, 1)}
    return play({"a": law(big), "b": law(big), "c": law(erasing(F(1, 6)))})


def quoted() -> Any:
    big, later = {"0": (1, 0), "1": (0, 1)}, {"big": law({"0": (1, 0), "1": (0, 1)})}
    return play({"big": law(big), "nil": law({"-": (1, 1)}, after={"-": later})})


WRONG: dict[str, Wrong] = {
    "reservation-released": Wrong(
        Released, "a refusal lowers what is spent", "medium", Witness(TWO, TENTH, refused_first)
    ),
    "apology": Wrong(
        Apology, "two refusals earn a discount", "hard", Witness(TWO, TENTH, refused_twice)
    ),
    "quoted-price": Wrong(
        Quote, "a quote lets everything through later", "hard", Witness(TWO, TENTH, quoted)
    ),
    "pay-later": Wrong(
        PayLater,
        "nobody need ask again",
        "easy",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 5))))),
    ),
}
