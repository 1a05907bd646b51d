"""Mistakes of filters that look at realised losses: charges, masses, caps, what is handed on."""

from typing import Any

from corpus.blind.base import Answer, Rule, Witness, Wrong, answer
from corpus.blind.sixth.base import (
    HALF,
    TENTH,
    TWO,
    F,
    Meter,
    answering,
    chain,
    erasing,
    is_quiet,
    leaking,
    none,
    play,
)
from filterproof.exact import ExpLinear, Log, exceeds
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Output, Pair
from filterproof.privacy import charge, risk


class Mean(Meter):
    """Charges every pair the mean of both directions."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        if not step.mass[pair[1]]:
            return none(self)
        return (super().cost(step, pair) + super().cost(step, (pair[1], pair[0]))) / 2


class Unlikely(Meter):
    """Skips pairs whose x is more than four times less likely than x′."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        return none(self) if 4 * step.mass[x] < step.mass[x_] else super().cost(step, pair)


class Inverted(Meter):
    """Takes the likelihood of x′ for that of x where the loss is worked out."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        if not step.mass[x_]:
            return none(self)
        swapped = {x: step.mass[x_], x_: step.mass[x]}
        return charge(step.mechanism.law, pair, swapped, self.epsilon)


class Mixture(Meter):
    """Charges against the even mixture of x and x′ in place of x."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        rows = step.mechanism.law.items()
        mixed = {y: {x: (row[x] + row[x_]) / 2, x_: row[x_]} for y, row in rows}
        return charge(mixed, pair, step.mass, self.epsilon)


class Tolerant(Meter):
    """Does not charge finite losses that are above e^ε by a tenth at most."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, _ = pair
        mass = {**step.mass, x: step.mass[x] * F(10, 11)}
        return charge(step.mechanism.law, pair, mass, self.epsilon)


class Window(Rule):
    """Knows the last two outputs only."""

    def start(self) -> Any:
        return (), ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, rows = state
        names = step.game.databases
        mass = dict.fromkeys(names, F(1))
        for row in rows:
            mass = {x: mass[x] * p for x, p in zip(names, row, strict=True)}
        total = list(spent or [none(self)] * len(step.game.pairs))
        for i, pair in enumerate(step.game.pairs):
            if mass[pair[0]]:
                total[i] = total[i] + charge(step.mechanism.law, pair, mass, self.epsilon)
        return answer(all(one <= self.delta for one in total), (tuple(total), rows), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row = tuple(step.mechanism.law[output].values())
        return state[0], ((*state[1], row)[-2:] if step.index else ())


class SetOfOutputs(Meter):
    """Works the likelihoods out from the set of what was released: a repeat counts once."""

    def decide(self, state: Any, step: Step) -> Answer:
        total, rows = state or ((), frozenset())
        names, mass = step.game.databases, dict.fromkeys(step.game.databases, F(1))
        for _, row in rows:
            mass = {x: mass[x] * p for x, p in zip(names, row, strict=True)}
        spent = list(total or [none(self)] * len(step.game.pairs))
        for i, pair in enumerate(step.game.pairs):
            if mass[pair[0]]:
                spent[i] = spent[i] + charge(step.mechanism.law, pair, mass, self.epsilon)
        return answer(all(one <= self.delta for one in spent), (tuple(spent), rows), state)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        row = tuple(step.mechanism.law[output].values())
        return state[0], state[1] | {(step.request + output, row)}


class LastOfAll(Rule):
    """Pure: lets no output take a loss above ε, but does not look at the one that sorts last."""

    def start(self) -> Any:
        return None

    def decide(self, state: Any, step: Step) -> Answer:
        rows = step.mechanism.law
        outputs = sorted(rows)[: max(1, len(rows) - 1)]
        above = any(
            exceeds(step.mass[x] * rows[y][x], step.mass[x_] * rows[y][x_], self.epsilon)
            for x, x_ in step.pairs
            for y in outputs
        )
        return answer(not above, state, state)


class Rare(Meter):
    """Leaves outputs out that are rarer than half of delta under both databases together."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        rows = {y: r for y, r in step.mechanism.law.items() if 2 * (r[x] + r[x_]) >= self.delta}
        return max(none(self), charge(rows, pair, step.mass, self.epsilon))


class Bucket(Meter):
    """Takes all outputs below a twentieth under both databases for one."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        x, x_ = pair
        rows = {"rest": {x: F(0), x_: F(0)}}
        for y, row in step.mechanism.law.items():
            if max(row[x], row[x_]) < F(1, 20):
                rows["rest"] = {z: rows["rest"][z] + row[z] for z in pair}
            else:
                rows["y" + y] = {z: row[z] for z in pair}
        return charge(rows, pair, step.mass, self.epsilon)


class Largest(Meter):
    """Remembers, pair by pair, the largest charge in place of the sum after quiet outputs."""

    def decide(self, state: Any, step: Step) -> Answer:
        (before, largest, last) = state or ((), (), ())
        decision, spent = super().decide(before, step)
        if decision is Decision.HALT:
            return decision, state
        zero = (none(self),) * len(spent)
        last = tuple(a - b for a, b in zip(spent, before or zero, strict=True))
        return decision, (spent, largest or zero, last)

    def observe(self, state: Any, step: Step, output: Output) -> Any:
        spent, largest, last = state
        largest = tuple(map(max, largest, last))
        return (largest if is_quiet(step, output) else spent), largest, last


class Products(Rule):
    """Multiplies the chances to stay within ε, but leaves risks out below a quarter of delta."""

    def start(self) -> Any:
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        pairs = step.game.pairs
        kept = list(state or [F(1)] * len(pairs))
        for i, pair in enumerate(pairs):
            if step.mass[pair[0]]:
                here = risk(step.mechanism.law, pair, step.mass, self.epsilon)
                kept[i] *= 1 - here if 4 * here >= self.delta else 1
        return answer(all(one >= 1 - self.delta for one in kept), tuple(kept), state)


class Dominant(Meter):
    """Charges only pairs whose x is the most likely database so far."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        top = step.mass[pair[0]] == max(step.mass.values())
        return super().cost(step, pair) if top else none(self)


class Forgiven(Meter):
    """After a loss beyond ε nothing is charged to the pair any more."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        lost = exceeds(step.mass[pair[0]], step.mass[pair[1]], self.epsilon)
        return none(self) if lost else super().cost(step, pair)


def erasures(d: F, n: int) -> Any:
    return lambda: play(chain(*[erasing(d)] * n))


def answers(p: F, n: int) -> Any:
    return lambda: play(chain(*[answering(p)] * n))


def split_leak(d: F, n: int) -> Any:
    rare = {f"0{i}": (d, 0) for i in range(n)}
    return play(chain({**rare, "?": (1 - n * d, 1)}))


SMALL = {"a": (F(1, 4), F(1, 8)), "b": (F(3, 4), F(7, 8))}
BEYOND = {"a": (F(29, 100), TENTH), "b": (F(71, 100), F(9, 10))}

WRONG: dict[str, Wrong] = {
    "mean-of-directions": Wrong(
        Mean,
        "a leak in one direction is halved",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 6))))),
    ),
    "unlikely-databases": Wrong(
        Unlikely,
        "an unlikely x still counts with its chance",
        "hard",
        Witness(Log(F(10)), F(1, 20), lambda: play(chain(answering(F(5, 6)), leaking(HALF)), "01")),
    ),
    "likelihoods-swapped": Wrong(
        Inverted,
        "the loss so far has the wrong sign",
        "medium",
        Witness(Log(F(3)), F(1, 50), lambda: play(chain(answering(F(2, 3)), SMALL))),
    ),
    "against-the-mixture": Wrong(
        Mixture,
        "the mixture is closer to x′ than x is",
        "easy",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 6))))),
    ),
    "a-tenth-too-much": Wrong(
        Tolerant,
        "a loss above ε counts even if it is just above it",
        "medium",
        Witness(TWO, F(1, 20), answers(F(11, 16), 1)),
    ),
    "last-two-outputs": Wrong(
        Window,
        "older outputs tell, too",
        "medium",
        Witness(Log(F(8)), F(1, 20), answers(F(2, 3), 4)),
    ),
    "set-of-outputs": Wrong(
        SetOfOutputs,
        "a repeated output is news",
        "medium",
        Witness(Log(F(4)), TENTH, answers(F(2, 3), 3)),
    ),
    "last-output-unseen": Wrong(
        LastOfAll,
        "the output that sorts last tells as much",
        "easy",
        Witness(
            TWO,
            TENTH,
            lambda: play(
                chain(
                    {"a": (HALF, F(3, 5)), "b": (HALF, F(2, 5))},
                    {"0": (F(4, 5), 1), "1": (F(1, 5), 0)},
                )
            ),
        ),
    ),
    "rare-outputs": Wrong(
        Rare,
        "many rare outputs are not rare",
        "hard",
        Witness(TWO, TENTH, lambda: split_leak(F(1, 25), 3)),
    ),
    "bucket-of-rare-outputs": Wrong(
        Bucket,
        "rare outputs that tell opposite things look quiet together",
        "hard",
        Witness(TWO, TENTH, erasures(F(1, 25), 3)),
    ),
    "largest-after-quiet": Wrong(
        Largest,
        "a quiet output does not undo a charge",
        "medium",
        Witness(TWO, TENTH, erasures(F(1, 20), 3)),
    ),
    "product-without-small-risks": Wrong(
        Products, "small risks add up", "hard", Witness(TWO, TENTH, erasures(F(1, 45), 6))
    ),
    "most-likely-database": Wrong(
        Dominant,
        "the data may be the less likely ones",
        "medium",
        Witness(
            TWO,
            F(1, 20),
            lambda: play(chain(answering(F(3, 5)), {"!": (0, F(1, 5)), "?": (1, F(4, 5))})),
        ),
    ),
    "forgiven-beyond": Wrong(
        Forgiven,
        "beyond ε there is still something to lose",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(BEYOND, erasing(TENTH)))),
    ),
}
