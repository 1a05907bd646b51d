"""Mistakes in what is handed on to the outputs of what a round leaves over."""

from typing import Any

from corpus.blind.base import Answer, Rule, Witness, Wrong, answer
from corpus.blind.sixth.base import (
    HALF,
    TENTH,
    TWO,
    F,
    answering,
    chain,
    erasing,
    law,
    leaking,
    play,
)
from filterproof.exact import ExpLinear, Log
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge, risk


class Overflow(Rule):
    """Shares what is left by the chance that the loss stays within ε, and gives it to all."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        left = list(state or [ExpLinear(self.delta, 0, self.epsilon)] * len(pairs))
        for i, pair in enumerate(pairs):
            if step.mass[pair[0]]:
                left[i] = left[i] - charge(step.mechanism.law, pair, step.mass, self.epsilon)
                if left[i].sign() < 0:
                    return Decision.HALT, state
                kept = self.kept(step, pair)
                left[i] = left[i] / kept if kept else left[i]
        return Decision.CONTINUE, tuple(left)

    def kept(self, step: Step, pair: Pair) -> F:
        return 1 - risk(step.mechanism.law, pair, step.mass, self.epsilon)


class Revived(Overflow):
    """Divides what is left by the chance of the likeliest output, which then gets it alone."""

    def kept(self, step: Step, pair: Pair) -> F:
        return max(row[pair[0]] for row in step.mechanism.law.values())


class Tilted(Rule):
    """Multiplies what is left by the likelihood ratio that came out, up to a factor of four."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        left = list(state or [ExpLinear(self.delta, 0, self.epsilon)] * len(pairs))
        for i, pair in enumerate(pairs):
            if step.mass[pair[0]]:
                left[i] = left[i] - charge(step.mechanism.law, pair, step.mass, self.epsilon)
        return answer(all(one.sign() >= 0 for one in left), tuple(left), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row, new = step.mechanism.law[output], []
        for left, (x, x_) in zip(state, step.game.pairs, strict=True):
            q = row[x_]
            new.append(left * min(F(4), row[x] / q) if q and row[x] else left)
        return tuple(new)


def overflowing() -> Any:
    first = {"a": (TENTH, F(1, 100)), "b": (F(9, 10), F(99, 100))}
    after = {"a": {"x": law(erasing(TENTH))}, "b": {"x": law(erasing(F(1, 45)))}}
    return play({"ask": law(first, after=after)})


WRONG: dict[str, Wrong] = {
    "overflow-to-all": Wrong(
        Overflow, "outputs above ε are paid, too", "hard", Witness(TWO, TENTH, overflowing)
    ),
    "likeliest-takes-all-but-all-get-it": Wrong(
        Revived,
        "the other outputs keep the enlarged budget",
        "medium",
        Witness(Log(F(3)), TENTH, lambda: play(chain(answering(HALF), leaking(F(1, 5))))),
    ),
    "tilted-the-wrong-way": Wrong(
        Tilted,
        "the ratio has a mean above 1 under x",
        "hard",
        Witness(
            Log(F(3)),
            TENTH,
            lambda: play(
                {
                    "ask": law(
                        answering(F(2, 3)),
                        after={
                            "0": {"x": law(leaking(F(1, 5)))},
                            "1": {"x": law(leaking(F(1, 20)))},
                        },
                    )
                }
            ),
        ),
    ),
}
