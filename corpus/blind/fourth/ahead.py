"""Filters that pay in advance or hand back what is left over, one share too many."""

from fractions import Fraction

from corpus.blind.base import Sound, Wrong
from corpus.blind.first.games import at, branch, chain, coin
from corpus.blind.third.ahead import Prepaid
from corpus.blind.third.base import TENTH, nothing
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.common import possible_pairs, same_for_each_pair, survivors
from filterproof.filters.compensator import Budgets, Capped, Recycling
from filterproof.filters.composition import ExactComposition, Losses
from filterproof.filters.repaired import Repaired
from filterproof.game import Mechanism, Step
from filterproof.game.law import Output, Pair
from filterproof.palette import erasure, lottery, reveal, silent
from filterproof.privacy import charge


class OneLookFewer(Repaired):
    """Shares delta among the looks at the next round, and counts N - 2 of them."""

    def check_parameters(self) -> None:
        if self.theta == 1 or (1 - self.theta) ** (self.N - 2) < 1 - self.delta:
            raise ValueError("need (1 - theta)**(N - 2) >= 1 - delta, and theta < 1")


def one_look_fewer(epsilon: Epsilon, delta: Fraction) -> OneLookFewer:
    return OneLookFewer(epsilon, delta, N=3, theta=delta, delta_tilde=Fraction(0))


class WithChange(Prepaid):
    """Pays the mean of the dearest next requests; after an output it has the dearest one in hand.

    From that it pays for what is really asked, and keeps the change.
    """

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            paid = charge(step.mechanism.law, pair, step.mass, self.epsilon)
            rest = budget - paid - self.ahead(step, pair)
            if rest.sign() < 0:
                return Decision.LAST, before
            left[i] = rest
        return Decision.CONTINUE, tuple(left)

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            left if left is None else left + self.in_hand(step, output, pair) for left, pair in kept
        )

    def in_hand(self, step: Step, output: Output, pair: Pair) -> ExpLinear:
        """Return what was set aside for the request that comes."""
        return self.worst(step, output, pair)


class ChangeOfTheDearest(WithChange):
    """Has the dearest request after any output in hand."""

    def in_hand(self, step: Step, output: Output, pair: Pair) -> ExpLinear:
        law = step.mechanism.law
        found = [self.worst(step, y, pair) for y in law if law[y][pair[0]]]
        return max(found, default=nothing(self.epsilon))


class FromEven(Prepaid):
    """Works out the charges of the next round as if nothing had been lost until then."""

    def cost(self, step: Step, y: Output, mechanism: Mechanism, pair: Pair) -> ExpLinear:
        even = dict.fromkeys(step.mass, Fraction(1))
        return charge(mechanism.law, pair, even, self.epsilon)


class RecycledAndCapped(Capped):
    """Shares out what is stranded where x′ is ruled out, and then what is above the room."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        recycled = Recycling(self.epsilon, self.delta).share(rest, step, pair)
        return super().share(recycled, step, pair)


class OneRequestOnly(ExactComposition):
    """Composes exactly what was run, where there is no choice: menus of one request only."""

    def decide(self, state: tuple[Losses, ...], step: Step) -> tuple[Decision, tuple[Losses, ...]]:
        return super().decide(state, step) if len(step.menu) == 1 else (Decision.HALT, state)


class FixedList(ExactComposition):
    """Composes exactly what was run, until what comes next depends on an output."""

    def decide(self, state: tuple[Losses, ...], step: Step) -> tuple[Decision, tuple[Losses, ...]]:
        decision, after = super().decide(state, step)
        menus = [*step.mechanism.after.values()]
        fixed = all(menu is menus[0] for menu in menus) and len(menus[0]) <= 1
        if decision is Decision.HALT or fixed or step.index == 0:
            return decision, after
        return Decision.LAST, after


def step_by_step(rare: Fraction) -> dict[str, Mechanism]:
    """Two draws one after the other, each of which opens the data with a small chance."""
    draw = {"ask": lottery([rare, 1 - rare], {"1": {"ask": reveal()}})}
    return {"ask": lottery([rare, 1 - rare], {"1": {"ask": reveal()}, "2": draw})}


def dear_and_free() -> dict[str, Mechanism]:
    """A draw after which all is told, rarely, or nothing, and then all."""
    rare = TENTH / 2
    rest = {"ask": silent({"-": {"ask": reveal()}})}
    return {"ask": lottery([rare, 1 - rare], {"1": {"ask": reveal()}, "2": rest})}


WRONG = {
    "one-look-fewer": Wrong(
        one_look_fewer,
        "of N rounds there are N - 1 at which the next one is looked at",
        "hard",
        at(1, TENTH, lambda: step_by_step(TENTH)),
    ),
    "change-of-the-dearest": Wrong(
        ChangeOfTheDearest,
        "what is handed back is more than what was paid in the mean",
        "medium",
        at(1, TENTH, dear_and_free),
    ),
    "from-even": Wrong(
        FromEven,
        "the next round starts from what this one has told",
        "medium",
        at(1, TENTH, lambda: chain(coin(2), coin(2))),
    ),
    "recycled-and-capped": Wrong(
        RecycledAndCapped,
        "an output that rules x' out has no room, so its share is handed out twice",
        "hard",
        at(1, TENTH, lambda: chain(erasure(TENTH / 2), erasure(Fraction(20, 361)))),
    ),
    "one-request-only": Wrong(
        OneRequestOnly,
        "with one request on each menu the menus still depend on the outputs",
        "hard",
        at(
            1,
            TENTH,
            lambda: branch(
                coin(2), **{"0": chain(coin(Fraction(7, 4))), "1": chain(erasure(TENTH))}
            ),
        ),
    ),
}
SOUND = {
    "with-change": Sound(
        WithChange,
        "under x the mean of what is in hand is what was paid, and it covers whatever is asked",
    ),
    "fixed-list": Sound(
        FixedList,
        "whatever comes out, the same requests run up to the last one, so composition is exact",
    ),
}
