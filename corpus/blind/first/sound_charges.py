"""Sound filters on realised losses and Rényi sums that look like mistakes."""

from fractions import Fraction
from math import log, sqrt

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, answer, covers, nats, plus, size
from corpus.blind.first.pairs import ChargeLedger, Costs
from corpus.blind.first.realised import RiskLedger
from corpus.blind.first.renyi import Squares, sum_at, times
from filterproof.exact import ExpLinear, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import survivors
from filterproof.filters.compensator import Budgets, Capped, Compensator
from filterproof.game import Step
from filterproof.game.law import Declared, Output, Pair
from filterproof.privacy import charge, renyi_sum, risk


class GeometricRisk(Rule):
    """Grants a risk of delta/2^j anew, where j counts the rounds that risk anything at all."""

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> Answer:
        law = step.mechanism.law
        worst = max(risk(law, pair, step.mass, self.epsilon) for pair in step.pairs)
        after = state + (worst > 0)
        return answer(worst * 2**after <= self.delta or not worst, after, state)


class FourRiskyRounds(Rule):
    """Grants delta/4 to a round and never ends; rounds without a risk do not count."""

    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> Answer:
        law = step.mechanism.law
        worst = max(risk(law, pair, step.mass, self.epsilon) for pair in step.pairs)
        after = state + (worst > 0)
        return answer(after <= 4 and 4 * worst <= self.delta, after, state)


class Uncapped(Capped):
    """The capped compensator that forgets to cap what it hands to an output."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        return survivors(state, step, output)


class WorstOfPairs(Rule):
    """Keeps one ledger for all pairs and both directions."""

    def start(self) -> ExpLinear:
        return ExpLinear(0, 0, self.epsilon)

    def decide(self, state: ExpLinear, step: Step) -> Answer:
        law = step.mechanism.law
        total = state + max(charge(law, pair, step.mass, self.epsilon) for pair in step.pairs)
        return answer(total <= self.delta, total, state)


class SkipsTheRuledOut(ChargeLedger):
    """Stops watching a pair as soon as either of its databases is ruled out."""

    def counts(self, step: Step, pair: Pair) -> bool:
        return all(step.mass[x] for x in pair)


class TiltedEvenly(Compensator):
    """Moves budget to the outputs that speak against x, by the mean of P_x and P_x′ over P_x."""

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        row = step.mechanism.law[output]
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            rest if rest is None else rest * ((row[x] + row[x_]) / (2 * row[x]))
            for rest, (x, x_) in kept
        )


class RecycledToTheGood(Compensator):
    """Takes the budget of every output above epsilon and shares it among the others."""

    def share(self, rest: ExpLinear, step: Step, pair: Pair) -> ExpLinear:
        law, x = step.mechanism.law, pair[0]
        kept = sum((law[y][x] for y in law if self.good(step, pair, y)), Fraction(0))
        return rest / kept if kept else rest * 0

    def observe(self, state: Budgets, step: Step, output: Output) -> Budgets:
        kept = zip(survivors(state, step, output), step.game.pairs, strict=True)
        return tuple(
            rest if rest is None or self.good(step, pair, output) else rest * 0
            for rest, pair in kept
        )

    def good(self, step: Step, pair: Pair, y: Output) -> bool:
        mass = step.released(y)
        return not exceeds(mass[pair[0]], mass[pair[1]], self.epsilon)


class ChargesThenLedger(Rule):
    """Goes from charges *back* to declared pairs, with what is left of epsilon at that moment."""

    def start(self) -> tuple[Costs, Declared | None]:
        return (), None

    def decide(self, state: tuple[Costs, Declared | None], step: Step) -> Answer:
        costs, spent = state
        if spent is None:
            decision, after = ChargeLedger(self.epsilon, self.delta / 2).decide(costs, step)
            if decision is Decision.CONTINUE:
                return decision, (after, None)
            alive = [(step.mass[x], step.mass[x_]) for x, x_ in step.pairs if step.mass[x_]]
            spent = Declared(max([ONE, *(w / w_ for w, w_ in alive)]), Fraction(0))
        total = plus(spent, step.mechanism.declared)
        fits = covers(total, self.epsilon, self.delta / 2)
        return answer(fits, ((), total), ((), spent))


class LedgerThenCharges(Rule):
    """Adds up against half of delta, then charges at realised losses against the other half."""

    def start(self) -> tuple[Declared, Costs | None]:
        return NOTHING, None

    def decide(self, state: tuple[Declared, Costs | None], step: Step) -> Answer:
        spent, costs = state
        total = plus(spent, step.mechanism.declared)
        if costs is None and covers(total, self.epsilon, self.delta / 2):
            return Decision.CONTINUE, (total, None)
        decision, after = ChargeLedger(self.epsilon, self.delta / 2).decide(costs or (), step)
        return decision, (spent, after)


class OrderAtFirstRequest(Rule):
    """Fixes its Rényi order when it sees the first request: the one that leaves most room."""

    orders = (2, 4, 16)

    def start(self) -> tuple[int, Fraction]:
        return 0, ONE

    def decide(self, state: tuple[int, Fraction], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        order = state[0] or max(self.orders, key=lambda one: self.room(step, one))
        cost = sum_at(step.mechanism, order)
        total = (order, state[1] * (cost or ONE))
        return answer(cost is not None and self.fits(total[1], order), total, state)

    def room(self, step: Step, order: int) -> float:
        cost = sum_at(step.mechanism, order) or ONE
        return size(self.epsilon) - nats(cost) / (order - 1)

    def fits(self, product: Fraction, order: int) -> bool:
        constant = Fraction(order**order, (order - 1) ** (order - 1))
        return not exceeds(product, self.delta * constant, times(self.epsilon, order - 1))


class RenyiPerPair(Rule):
    """Multiplies Rényi sums of order 2 for each ordered pair by itself, one direction each."""

    def start(self) -> tuple[Fraction | None, ...]:
        return ()

    def decide(self, state: tuple[Fraction | None, ...], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, (ONE,) * len(step.game.pairs)
        after: list[Fraction] = []
        for product, pair in zip(state, step.game.pairs, strict=True):
            found = renyi_sum(step.mechanism.law, pair, 2)
            cost = found.rational() if found else None
            if cost is None or product is None:
                return Decision.HALT, state
            after.append(product * cost)
        fits = not any(exceeds(one, self.delta, self.epsilon) for one in after)
        return answer(fits, tuple(after), state)


class Concentrated(Squares):
    """Adds up eps_i²/2, never the eps_i themselves, and does not count rounds."""

    def fits(self, total: float) -> bool:
        rho = total / 2
        return rho + 2 * sqrt(rho * log(1 / self.delta)) <= size(self.epsilon) - 1e-9


SOUND = {
    "geometric-risk": Sound(
        GeometricRisk, "on every path the risks taken add up to at most delta/2 + delta/4 + ..."
    ),
    "four-risky-rounds": Sound(
        FourRiskyRounds, "on every path at most four rounds risk anything, delta/4 each"
    ),
    "sum-of-risks": Sound(
        RiskLedger, "a charge is at most the probability of ending above epsilon"
    ),
    "uncapped": Sound(
        Uncapped,
        "what an output gets beyond its room it cannot lose: the smaller of budget and room is a "
        "potential",
    ),
    "worst-of-pairs": Sound(WorstOfPairs, "a sum of maxima is at least the maximum of the sums"),
    "skips-the-ruled-out": Sound(
        SkipsTheRuledOut, "where x' is ruled out everything is lost and no charge is left"
    ),
    "tilted-evenly": Sound(TiltedEvenly, "under P_x the weights average to one"),
    "recycled-to-the-good": Sound(
        RecycledToTheGood, "under P_x the shares average to what was left, and the others get none"
    ),
    "charges-then-ledger": Sound(
        ChargesThenLedger,
        "the ledger starts at the largest realised loss, so it is private for what is left",
    ),
    "ledger-then-charges": Sound(
        LedgerThenCharges, "charges are taken at the true losses, whatever the first phase ran"
    ),
    "order-at-first-request": Sound(
        OrderAtFirstRequest, "the first request is chosen before any answer, so the order is fixed"
    ),
    "renyi-per-pair": Sound(
        RenyiPerPair, "each ordered pair has a supermartingale of its own at the fixed order"
    ),
    "concentrated": Sound(
        Concentrated, "an eps-DP mechanism is eps²/2-zCDP, and the target rho is fixed before"
    ),
}
