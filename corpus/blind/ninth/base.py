"""What the filters of the ninth set share: two right ledgers as dataclasses, and short games."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from corpus.blind.base import NOTHING, Answer, answer, covers, plus
from corpus.blind.sixth.base import Menu, Rows, law, play
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision
from filterproof.game import Game, Step
from filterproof.game.law import Declared, Pair
from filterproof.privacy import charge

SILENT: Rows = {"-": (1, 1)}
TELLS: Rows = {"0": (1, 0), "1": (0, 1)}


@dataclass(frozen=True)
class Budget:
    """What a filter is opened with."""

    epsilon: Epsilon
    delta: Fraction
    markov: ClassVar[bool] = True


@dataclass(frozen=True)
class Sums(Budget):
    """Adds up what is declared.  It is right as it stands."""

    def start(self) -> Any:
        return NOTHING

    def decide(self, state: Any, step: Step) -> Answer:
        total = plus(state, self.cost(step))
        return answer(self.fits(total), total, state)

    def cost(self, step: Step) -> Declared:
        return step.mechanism.declared

    def fits(self, total: Declared) -> bool:
        return covers(total, self.epsilon, self.delta)


@dataclass(frozen=True)
class Charges(Budget):
    """Adds up the charges of each pair at its realised loss.  It is right as it stands."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent = self.after(state, step)
        return answer(all(one <= self.delta for one in spent), spent, state)

    def after(self, state: Any, step: Step) -> tuple[ExpLinear, ...]:
        pairs = step.game.pairs
        nothing = ExpLinear(0, 0, self.epsilon)
        before = state or (nothing,) * len(pairs)
        return tuple(
            one + (self.cost(step, pair) if step.mass[pair[0]] else nothing)
            for one, pair in zip(before, pairs, strict=True)
        )

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        return charge(step.mechanism.law, pair, step.mass, self.epsilon)


def refuse(state: Any) -> Answer:
    """Do not run this; something else may be asked for."""
    return Decision.REFUSE, state


def offers(*menus: dict[str, Rows], names: str = "01", stated: Any = None) -> Menu:
    """Several requests a round, each with a name and a law, whatever comes out."""
    after: Menu = {}
    for rows in reversed(menus):
        after = {
            request: law(one, names, dict.fromkeys(one, after) if after else None, stated)
            for request, one in rows.items()
        }
    return after


def rounds(*menus: dict[str, Rows], stated: Any = None) -> Game:
    """Return the game on two databases with one menu a round."""
    return play(offers(*menus, stated=stated))
