"""What the filters of the sixth set share: two right ledgers to get wrong, and short games."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, answer, covers, plus
from filterproof.exact import ExpLinear, Log
from filterproof.filter import Decision
from filterproof.game import Game, Mechanism, Step
from filterproof.game.law import Declared, Law, Output, Pair
from filterproof.privacy import charge

F = Fraction
ZERO, HALF, TENTH = F(0), F(1, 2), F(1, 10)
TWO = Log(F(2))
Rows = Mapping[Output, tuple[Fraction | int, ...]]


class Book(Rule):
    """Adds up what is declared.  It is right as it stands; those made of it change one thing."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, self.cost(state, step))
        return answer(self.fits(total), total, state)

    def cost(self, state: Declared, step: Step) -> Declared:
        return step.mechanism.declared

    def fits(self, total: Declared) -> bool:
        return covers(total, self.epsilon, self.delta)


class Meter(Rule):
    """Adds up charges pair by pair.  It is right as it stands, too."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        spent = list(state or [ExpLinear(0, 0, self.epsilon)] * len(pairs))
        for i, pair in enumerate(pairs):
            if step.mass[pair[0]]:
                spent[i] = spent[i] + self.cost(step, pair)
                if spent[i] > self.delta:
                    return Decision.HALT, state
        return Decision.CONTINUE, tuple(spent)

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


def none(rule: Rule) -> ExpLinear:
    """Return 0 as a number a + b·e^ε."""
    return ExpLinear(0, 0, rule.epsilon)


def is_quiet(step: Step, output: Output) -> bool:
    """Return whether an output is equally likely under all databases."""
    return len(set(step.mechanism.law[output].values())) == 1


def ratio(law: Law, output: Output, pair: Pair) -> Fraction | None:
    """Return P_x(y) / P_x′(y); None if it is infinite."""
    p, q = law[output][pair[0]], law[output][pair[1]]
    return p / q if q else None


# --- games ----------------------------------------------------------------------------------

Menu = dict[str, Mechanism]


def law(rows: Rows, names: str = "01", after: Any = None, stated: Any = None) -> Mechanism:
    """Return the mechanism on the databases of these names, probabilities per output."""
    made = {y: dict(zip(names, map(F, p), strict=True)) for y, p in rows.items()}
    return Mechanism(made, after or {}, Declared(*map(F, stated)) if stated else None)


def erasing(d: Fraction) -> Rows:
    return {"0": (d, 0), "1": (0, d), "?": (1 - d, 1 - d)}


def leaking(d: Fraction) -> Rows:
    return {"!": (d, 0), "?": (1 - d, 1)}


def answering(p: Fraction) -> Rows:
    return {"0": (p, 1 - p), "1": (1 - p, p)}


def call(*rounds: tuple[str, Rows], names: str = "01", stated: Any = None) -> Menu:
    """One request a round, each with a name, whatever comes out."""
    menu: Menu = {}
    for request, rows in reversed(rounds):
        menu = {request: law(rows, names, dict.fromkeys(rows, menu) if menu else None, stated)}
    return menu


def chain(*rounds: Rows, names: str = "01", stated: Any = None) -> Menu:
    """One law after the other, all under one name."""
    return call(*[("ask", rows) for rows in rounds], names=names, stated=stated)


def play(menu: Menu, pairs: str = "01") -> Game:
    """Return the game on the databases that the pairs (such as "ab bc") name."""
    names = "".join(sorted(set(pairs) - {" "}))
    return Game(names, [(pair[0], pair[1]) for pair in pairs.split()], menu)
