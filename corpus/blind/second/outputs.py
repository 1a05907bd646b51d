"""Filters that misread a law's outputs or a menu's requests, or what a refusal leaves behind."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.base import NONE, Answer, Ledger, Rule, Witness, Wrong, loss, nats, run_if
from corpus.blind.second.charges import Charges
from filterproof import Decision, ExpLinear, Step
from filterproof.exact import exceeds
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, one_sided, repeated, response, reveal, silent, table
from filterproof.privacy import charge


class OtherBucket(Charges):
    """Keeps the four most likely outputs apart and lumps the rest together before charging."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the charge of the lumped law; lumping can hide what tells x and x' apart."""
        if not step.mass[pair[0]]:
            return ExpLinear(0, 0, self.epsilon)
        rows = sorted(step.mechanism.law.values(), key=lambda row: -sum(row.values()))
        law = {str(i): row for i, row in enumerate(rows[:4])}
        if rest := rows[4:]:
            law["other"] = {x: sum((row[x] for row in rest), NONE) for x in step.mass}
        return charge(law, pair, step.mass, self.epsilon)


class FirstOutputDecides(Rule):
    """Reads a mechanism's epsilon off its first output, as one may for randomised response."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the first output, seen or not, keeps every loss within epsilon."""
        row = step.mechanism.law[min(step.mechanism.law)]
        for x, x_ in step.pairs:
            if not (row[x] and row[x_]):
                return run_if(False, None, state)
            odds = max(row[x] / row[x_], row[x_] / row[x])
            if exceeds(step.mass[x] * odds, step.mass[x_], self.epsilon):
                return run_if(False, None, state)
        return run_if(True, None, state)


class SmoothsZeros(Rule):
    """Replaces probabilities below 1e-6 by 1e-6, so that no logarithm is infinite."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a smoothed loss above epsilon."""
        least = Fraction(1, 10**6)
        for x, x_ in step.pairs:
            w, w_ = max(step.mass[x], least), max(step.mass[x_], least)
            for row in step.mechanism.law.values():
                if exceeds(w * max(row[x], least), w_ * max(row[x_], least), self.epsilon):
                    return run_if(False, None, state)
        return run_if(True, None, state)


class UniformAdversary(Charges):
    """Charges the mean over the menu, as if requests were drawn at random from it."""

    def charge(self, step: Step, pair: Pair) -> ExpLinear:
        """Return the mean of the charges of all requests that could have been sent."""
        costs = [super(UniformAdversary, self).charge(step.instead(r), pair) for r in step.menu]
        return sum(costs[1:], costs[0]) / len(costs)


class RestoresOldSnapshot(Charges):
    """Restores the accounts after a refusal from a snapshot that only refusals bring up to date."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Pay from the accounts; on a refusal put the snapshot back."""
        accounts, snapshot = state or ((), ())
        decision, after = super().decide(accounts, step)
        if decision == Decision.CONTINUE:
            return decision, (after, snapshot or after)
        return Decision.REFUSE, (snapshot, accounts)


class RetryAtHalfPrice(Rule):
    """Takes the request after a refusal for the same one at half the accuracy, and books half."""

    def start(self) -> Any:
        """Return no spends, and that nothing was just refused."""
        return 0.0, NONE, False

    def decide(self, state: Any, step: Step) -> Answer:
        """Run what fits; right after a refusal, half of epsilon and of delta is booked."""
        spent, deltas, retry = state
        odds, delta = step.mechanism.declared
        price = 0.5 if retry else 1.0
        after = spent + loss(odds) * price, deltas + delta * Fraction(price), False
        if after[0] <= nats(self.epsilon) and after[1] <= self.delta:
            return Decision.CONTINUE, after
        return Decision.REFUSE, (spent, deltas, True)


class ChecksAtPowersOfTwo(Ledger):
    """Compares the sums with the budget after 1, 2, 4, 8 ... rounds; in between, each one alone."""

    def start(self) -> Any:
        """Return no spends and no rounds."""
        return *super().start(), 0

    def decide(self, state: Any, step: Step) -> Answer:
        """Check the sums, or this request only, by the number of the round."""
        odds, delta = step.mechanism.declared
        after = state[0] * odds, state[1] + delta, state[2] + (step.index > 0)
        due = after[2] & (after[2] - 1) == 0
        return run_if(self.fits(after if due else (odds, delta)), after, state)


F = Fraction


def _after_a_refusal(second: Any) -> Any:
    """A leak, a reveal that is refused, and then a second request of the same menu."""
    menu = {"large": reveal(), "small": second}
    return erasure(F(1, 100), {"?": menu})


WRONG = {
    "other-bucket": Wrong(
        OtherBucket,
        "rare outputs are lumped together before the charge is worked out",
        Witness(
            game(
                table(
                    {
                        **{f"blank{i}": (F(6, 25), F(6, 25)) for i in range(4)},
                        "zero": (F(1, 25), 0),
                        "one": (0, F(1, 25)),
                    }
                )
            ),
            F(1),
            F(1, 100),
        ),
    ),
    "first-output-decides": Wrong(
        FirstOutputDecides,
        "one output's loss is taken for that of all of them",
        Witness(
            game(table({"no": (F(4, 5), F(49, 50)), "yes": (F(1, 5), F(1, 50))})), F(1), F(1, 100)
        ),
    ),
    "smooths-zeros": Wrong(
        SmoothsZeros,
        "impossible outputs are given a small probability to avoid infinite losses",
        Witness(game(erasure(F(1, 500))), F(8), F(1, 10**6)),
    ),
    "uniform-adversary": Wrong(
        UniformAdversary,
        "requests are taken to be drawn at random from the menu",
        Witness(
            game({"count": silent(), "mean": silent(), "row": one_sided(F(1, 40))}), F(1), F(1, 100)
        ),
    ),
    "restores-old-snapshot": Wrong(
        RestoresOldSnapshot,
        "after a refusal the accounts are restored from before the last rounds",
        Witness(game(_after_a_refusal(erasure(F(1, 100)))), F(1), F(1, 100)),
    ),
    "retry-at-half-price": Wrong(
        RetryAtHalfPrice,
        "whatever follows a refusal is booked at half its cost",
        Witness(game({"large": reveal(), "small": response(F(17, 20))}), F(1), F(1, 100)),
    ),
    "checks-at-powers-of-two": Wrong(
        ChecksAtPowersOfTwo,
        "between rounds 2, 4, 8 ... only the request itself is compared with the budget",
        Witness(game(repeated(erasure(F(1, 200)), 3)), F(1), F(1, 100)),
    ),
}
