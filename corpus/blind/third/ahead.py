"""Filters that look one round ahead, and trust the menu, the analyst or the end of the game."""

from fractions import Fraction

from corpus.blind.base import Answer, Wrong
from corpus.blind.first.games import at, branch, chain
from corpus.blind.third.base import HALF, TENTH, Book, nothing
from filterproof.exact import Epsilon, ExpLinear
from filterproof.filter import Decision
from filterproof.filters.common import possible_pairs, same_for_each_pair
from filterproof.filters.compensator import Budgets, Compensator
from filterproof.filters.product import ProductRule
from filterproof.game import Mechanism, Request, Step, coprime
from filterproof.game.law import Declared, Output, Pair
from filterproof.palette import erasure, lottery, reveal, silent
from filterproof.privacy import charge, risk


class Prepaid(Compensator):
    """Pays for the next round before it is known what is asked in it, then runs what is asked.

    It is right as it stands: what it pays is the mean, over the outputs of this round, of the
    largest charge among the requests that follow; if that does not fit, this round is the last.
    """

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        before = state or same_for_each_pair(step, ExpLinear(self.delta, 0, self.epsilon))
        left: list[ExpLinear | None] = [None] * len(before)
        for i, pair, budget in possible_pairs(before, step):
            rest = budget - self.ahead(step, pair)
            if rest.sign() < 0:
                return Decision.LAST, before
            left[i] = rest
        return Decision.CONTINUE, tuple(left)

    def ahead(self, step: Step, pair: Pair) -> ExpLinear:
        """Return what the next round costs in the mean, at most."""
        outputs = (y for y in step.mechanism.law if step.mechanism.law[y][pair[0]])
        costs = (self.worst(step, y, pair) * step.mechanism.law[y][pair[0]] for y in outputs)
        return sum(costs, nothing(self.epsilon))

    def worst(self, step: Step, y: Output, pair: Pair) -> ExpLinear:
        """Return the largest charge of a request after y."""
        costs = [self.cost(step, y, m, pair) for m in step.mechanism.after[y].values()]
        return max(costs, default=nothing(self.epsilon))

    def cost(self, step: Step, y: Output, mechanism: Mechanism, pair: Pair) -> ExpLinear:
        return charge(mechanism.law, pair, coprime(step.released(y)), self.epsilon)


class UsualRequest(Prepaid):
    """Takes the mean over the requests on offer, as if the analyst drew one of them."""

    def worst(self, step: Step, y: Output, pair: Pair) -> ExpLinear:
        menu = step.mechanism.after[y].values()
        costs = [self.cost(step, y, m, pair) for m in menu]
        return sum(costs, nothing(self.epsilon)) / max(len(costs), 1)


class CheapestRequest(Prepaid):
    """Sets aside what the cheapest request on offer needs: something must always be answered."""

    def worst(self, step: Step, y: Output, pair: Pair) -> ExpLinear:
        menu = step.mechanism.after[y].values()
        return min((self.cost(step, y, m, pair) for m in menu), default=nothing(self.epsilon))


class LikelyMenu(Prepaid):
    """Looks at the menu after the likeliest output."""

    def ahead(self, step: Step, pair: Pair) -> ExpLinear:
        law = step.mechanism.law
        return self.worst(step, max(sorted(law), key=lambda y: law[y][pair[0]]), pair)


class RequestOutside(Prepaid):
    """Takes the request that is worst in the mean over the outputs, one for all of them."""

    def ahead(self, step: Step, pair: Pair) -> ExpLinear:
        costs = [self.mean(step, request, pair) for request in step.requests_after]
        return max(costs, default=nothing(self.epsilon))

    def mean(self, step: Step, request: Request, pair: Pair) -> ExpLinear:
        law = step.mechanism.law
        ahead = {y: step.menu_after(y)[request] for y in law if law[y][pair[0]]}
        costs = (self.cost(step, y, m, pair) * law[y][pair[0]] for y, m in ahead.items())
        return sum(costs, nothing(self.epsilon))


class OneMenuForAll(Prepaid):
    """Reads the menu after one output and takes it for the menu after every other one."""

    def worst(self, step: Step, y: Output, pair: Pair) -> ExpLinear:
        menu = step.mechanism.after[min(step.mechanism.after)]
        costs = [self.cost(step, y, m, pair) for m in menu.values()]
        return max(costs, default=nothing(self.epsilon))


class FirstRoundFree(Prepaid):
    """Pays nothing at the opening, where nothing has been said yet."""

    def ahead(self, step: Step, pair: Pair) -> ExpLinear:
        return super().ahead(step, pair) if step.index else nothing(self.epsilon)


class ClosedMenus(ProductRule):
    """Calls an output safe if every request on offer after it overshoots rarely enough."""

    def safe(self, step: Step, y: Output, pair: Pair) -> bool:
        mass, ahead = step.released(y), step.mechanism.after[y].values()
        return all(risk(m.law, pair, mass, self.epsilon) <= self.delta_tilde for m in ahead)


def closed_menus(epsilon: Epsilon, delta: Fraction) -> ClosedMenus:
    return ClosedMenus(epsilon, delta, delta_tilde=delta)


class NothingFollows(Book):
    """Runs a request after which nothing is on offer: nobody can build on its answer."""

    def decide(self, state: Declared, step: Step) -> Answer:
        return super().decide(state, step) if step.requests_after else (Decision.LAST, state)


class WillStopThen(Book):
    """Runs a request if it fits, or if no request after it would: then the play ends anyway."""

    def decide(self, state: Declared, step: Step) -> Answer:
        decision, after = super().decide(state, step)
        menus = step.mechanism.after.values()
        fits = any(self.fits(m.declared) for menu in menus for m in menu.values())
        return (
            (decision, after) if fits or decision is Decision.CONTINUE else (Decision.LAST, state)
        )


def hit_or_miss(numbers: str, hit: str) -> dict[str, Mechanism]:
    """Return a menu with a request per number, of which one tells all."""
    return {number: reveal() if number == hit else silent() for number in numbers}


WRONG = {
    "usual-request": Wrong(
        UsualRequest,
        "an adversary asks the worst request",
        "medium",
        at(1, HALF, lambda: {"a": reveal(), "b": silent()}),
    ),
    "cheapest-request": Wrong(
        CheapestRequest,
        "what is set aside must pay for any request that is then let through",
        "easy",
        at(1, TENTH, lambda: {"a": reveal(), "b": silent()}),
    ),
    "likely-menu": Wrong(
        LikelyMenu,
        "the menu after a rarer output may be worse",
        "medium",
        at(
            1,
            TENTH,
            lambda: branch(lottery((3 * TENTH, 7 * TENTH)), **{"1": chain(reveal())}),
        ),
    ),
    "request-outside": Wrong(
        RequestOutside,
        "the request is chosen after the output is seen",
        "hard",
        at(
            1,
            Fraction(1, 4),
            lambda: branch(
                lottery((Fraction(1, 4),) * 4),
                **{number: hit_or_miss("1234", number) for number in "1234"},
            ),
        ),
    ),
    "one-menu-for-all": Wrong(
        OneMenuForAll,
        "the menu may depend on the output",
        "medium",
        at(
            1,
            TENTH,
            lambda: branch(lottery((HALF, HALF)), **{"1": chain(silent()), "2": chain(reveal())}),
        ),
    ),
    "first-round-free": Wrong(
        FirstRoundFree,
        "the first request is paid for at the opening or never",
        "easy",
        at(1, TENTH, lambda: chain(reveal())),
    ),
    "closed-menus": Wrong(
        closed_menus,
        "where nothing is on offer the loss is still what it is",
        "hard",
        at(
            1,
            TENTH,
            lambda: branch(erasure(TENTH), **{"?": branch(erasure(TENTH))}),
        ),
    ),
    "nothing-follows": Wrong(
        NothingFollows,
        "the last answer tells as much as any other",
        "easy",
        at(1, TENTH, lambda: chain(reveal())),
    ),
    "will-stop-then": Wrong(
        WillStopThen,
        "that the play ends does not make its last answer cheaper",
        "easy",
        at(1, TENTH, lambda: chain(reveal())),
    ),
}
