"""Mistakes with several databases, pooled pairs, menus, and what can be asked next."""

from typing import Any

from corpus.blind.base import NOTHING, Answer, Rule, Witness, Wrong, answer, covers, plus
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    Book,
    F,
    Meter,
    Rows,
    chain,
    erasing,
    law,
    leaking,
    none,
    play,
)
from filterproof.exact import ExpLinear
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.game.law import Declared, Pair
from filterproof.privacy import charge


class Pooled(Rule):
    """All ordered pairs together may be charged delta times their number."""

    def start(self) -> Any:
        return none(self)

    def decide(self, state: Any, step: Step) -> Answer:
        costs = [charge(step.mechanism.law, pair, step.mass, self.epsilon) for pair in step.pairs]
        total = sum(costs, state)
        return answer(total <= self.delta * len(step.game.pairs), total, state)


class Nearest(Meter):
    """Charges a database only against the neighbour that it resembles most."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        costs = [super(Nearest, self).cost(step, one) for one in step.pairs if one[0] == pair[0]]
        return min(costs)


class Touched(Rule):
    """Books delta on every database whose law is not that of the first; a pair has the larger."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        names, rows = step.game.databases, step.mechanism.law.values()
        odds, delta = step.mechanism.declared
        spent = list(state[1] or [F(0)] * len(names))
        for i, x in enumerate(names):
            if any(row[x] != row[names[0]] for row in rows):
                spent[i] += delta
        total = Declared(state[0] * odds, max(spent))
        return answer(covers(total, self.epsilon, self.delta), (total.odds, tuple(spent)), state)


class Dated(Meter):
    """Watches a pair only from the round on in which the two laws are first seen to differ."""

    def decide(self, state: Any, step: Step) -> Answer:
        spent, seen = state or ((), frozenset())
        rows = step.mechanism.law.values()
        new = {pair for pair in step.pairs if any(row[pair[0]] != row[pair[1]] for row in rows)}
        total = list(spent or [none(self)] * len(step.game.pairs))
        for i, pair in enumerate(step.game.pairs):
            if pair in seen and step.mass[pair[0]]:
                total[i] = total[i] + self.cost(step, pair)
        fits = step.index <= 12 and all(one <= self.delta for one in total)
        return answer(fits, (tuple(total), seen | new), state)


class MenuMean(Book):
    """Charges the mean delta of what was on offer."""

    def cost(self, state: Declared, step: Step) -> Declared:
        asked = [one.declared for one in step.menu.values()]
        odds = max(one.odds for one in asked)
        return Declared(odds, sum((one.delta for one in asked), F(0)) / len(asked))


class MenuOnce(Rule):
    """Charges the largest delta of a menu, once for menus that offer the same names."""

    def start(self) -> Any:
        return F(1), ()

    def decide(self, state: Any, step: Step) -> Answer:
        known = dict(state[1])
        key = ",".join(sorted(step.menu))
        worst = max(one.declared.delta for one in step.menu.values())
        known[key] = max(known.get(key, F(0)), worst)
        odds = state[0] * step.mechanism.declared.odds
        total = Declared(odds, sum(known.values(), F(0)))
        return answer(
            covers(total, self.epsilon, self.delta), (odds, tuple(sorted(known.items()))), state
        )


class Final(Book):
    """Does not charge a last round for delta if something was spent before it."""

    def decide(self, state: Any, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        if step.index and not step.requests_after and state.delta:
            return Decision.LAST, state
        return decision, after


class DeadEnd(Meter):
    """Leaves outputs out after which nothing can be asked, where after others something can."""

    def cost(self, step: Step, pair: Pair) -> ExpLinear:
        after = step.mechanism.after
        if not step.requests_after:
            return super().cost(step, pair)
        rows = {y: row for y, row in step.mechanism.law.items() if after[y]}
        return max(none(self), charge(rows, pair, step.mass, self.epsilon))


class Roomy(Book):
    """Charges two thirds of a delta where the next menu offers a request without any."""

    def cost(self, state: Declared, step: Step) -> Declared:
        odds, delta = step.mechanism.declared
        after = [one for menu in step.mechanism.after.values() for one in menu.values()]
        free = any(one.declared == NOTHING for one in after)
        return Declared(odds, delta * F(2, 3) if free and step.index else delta)


class Crowd(Rule):
    """Forgets a delta that was spent while at least two requests were on offer, two rounds on."""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> Answer:
        spent, recent = state
        asked = step.mechanism.declared
        total = plus(spent, asked)
        for delta, crowded in recent:
            total = Declared(total.odds, total.delta + (delta if crowded else F(0)))
        crowded = len(step.menu) > 1
        kept = Declared(total.odds, spent.delta + (F(0) if crowded else asked.delta))
        after = kept, (*recent, (asked.delta, crowded))[-2:]
        return answer(covers(total, self.epsilon, self.delta), after, state)


def ends_on_reveal() -> Any:
    again = {"ask": law({"-": (1, 1)})}
    return play({"ask": law(erasing(F(1, 5)), after={"?": again})})


def menus(d: F, n: int) -> Any:
    menu = {"a": law(erasing(d)), "b": law({"-": (1, 1)})}
    for _ in range(n - 1):
        menu = {
            "a": law(erasing(d), after=dict.fromkeys("01?", menu)),
            "b": law({"-": (1, 1)}, after={"-": menu}),
        }
    return play(menu)


def silence_after() -> Any:
    end = {"nil": law({"-": (1, 1)})}
    return play({"ask": law(leaking(F(1, 7)), after=dict.fromkeys("!?", end))})


TWELFTH = F(1, 12)
MIDDLE: Rows = {"!": (0, F(1, 5), F(1, 5)), "?": (1, F(4, 5), F(4, 5))}
FIRST: Rows = {"!": (0, TWELFTH, 0), "?": (1, 1 - TWELFTH, 1)}
SECOND: Rows = {"!": (TWELFTH, TWELFTH, 0), "?": (1 - TWELFTH, 1 - TWELFTH, 1)}

WRONG: dict[str, Wrong] = {
    "pooled-pairs": Wrong(
        Pooled,
        "one pair may use what is meant for others",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 6))))),
    ),
    "nearest-neighbour": Wrong(
        Nearest,
        "the neighbour that is told apart is another one",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(MIDDLE, names="abc"), "ab bc")),
    ),
    "touched-databases": Wrong(
        Touched,
        "a pair is hurt by rounds on either of its databases",
        "hard",
        Witness(TWO, TENTH, lambda: play(chain(FIRST, SECOND, names="abc"), "ab bc")),
    ),
    "from-the-first-difference": Wrong(
        Dated,
        "the first round that tells a pair apart is not charged",
        "easy",
        Witness(TWO, TENTH, lambda: play(chain(leaking(F(1, 6))))),
    ),
    "mean-of-the-menu": Wrong(
        MenuMean,
        "the adversary does not ask at random",
        "medium",
        Witness(TWO, TENTH, lambda: menus(F(1, 5), 1)),
    ),
    "menu-charged-once": Wrong(
        MenuOnce,
        "the same names again are new rounds",
        "medium",
        Witness(TWO, TENTH, lambda: menus(F(1, 11), 2)),
    ),
    "last-round-on-the-house": Wrong(
        Final,
        "nobody needs a further round to learn",
        "medium",
        Witness(TWO, TENTH, lambda: play(chain(*[leaking(TENTH)] * 2))),
    ),
    "dead-ends": Wrong(
        DeadEnd,
        "an output that ends the play has told",
        "hard",
        Witness(TWO, TENTH, ends_on_reveal),
    ),
    "silence-to-come": Wrong(
        Roomy,
        "what may follow does not make it cheaper",
        "hard",
        Witness(TWO, TENTH, silence_after),
    ),
    "crowded-menus": Wrong(
        Crowd,
        "a choice of requests hides nothing",
        "hard",
        Witness(TWO, TENTH, lambda: menus(F(1, 30), 5)),
    ),
}
