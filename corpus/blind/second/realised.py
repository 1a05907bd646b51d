"""Filters that look at realised losses, with a slip in how a loss is kept or judged."""

from fractions import Fraction
from typing import Any

from corpus.blind.second.base import (
    NONE,
    Answer,
    Rule,
    Witness,
    Wrong,
    chain,
    loss,
    nats,
    run_if,
    within,
)
from filterproof import ExpLinear, Log, Step
from filterproof.exact import Epsilon, exceeds
from filterproof.game.law import Pair
from filterproof.palette import erasure, game, one_sided, repeated, response, reveal, table
from filterproof.privacy import charge, risk


class StaleMass(Rule):
    """Judges a request by the losses of one round ago: the last output is not yet counted."""

    def start(self) -> Any:
        """Return no masses."""
        return None

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a loss above epsilon, seen from one round earlier."""
        now = tuple(sorted(step.mass.items()))
        mass = dict(state or now)
        fits = not any(
            risk(step.mechanism.law, pair, mass, self.epsilon) for pair in step.game.pairs
        )
        return run_if(fits, now, state)


class ClipsLosses(Rule):
    """Keeps a sum of losses in which every round's loss is clipped to [-1, 1]."""

    def start(self) -> Any:
        """Return nothing; the opening sets a zero per pair."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a clipped sum above epsilon."""
        sums = state or (0.0,) * len(step.game.pairs)
        worst = max(
            now + self.clipped(step, y, pair)
            for y in step.mechanism.law
            for now, pair in zip(sums, step.game.pairs, strict=True)
        )
        return run_if(worst <= nats(self.epsilon), sums, state)

    def clipped(self, step: Step, y: str, pair: Pair) -> float:
        """Return the loss of y, at least -1 and at most 1."""
        p, q = (step.mechanism.law[y][x] for x in pair)
        if not (p and q):
            return float(p > 0) - float(q > 0)
        return max(-1.0, min(1.0, loss(p / q)))

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Add the clipped loss of what was released."""
        pairs = zip(state, step.game.pairs, strict=True)
        return tuple(now + self.clipped(step, output, pair) for now, pair in pairs)


class PosteriorToPrior(Rule):
    """Bounds how far a uniform prior may move: posterior/prior <= e^eps for every database.

    Two databases reach odds e^eps/(2 - e^eps) that way, and from eps = log 2 on anything.
    """

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output moves any posterior too far."""
        number = len(step.game.databases)
        for y in step.mechanism.law:
            mass = step.released(y)
            total = sum(mass.values(), NONE)
            if any(exceeds(number * w, total, self.epsilon) for w in mass.values()):
                return run_if(False, None, state)
        return run_if(True, None, state)


class Basel(Rule):
    """Lets round i risk delta/i^2, and forgets that these add up to 1.64 delta."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no pair's risk in this round is above delta/i^2."""
        share = self.delta / max(1, step.index) ** 2
        law, mass = step.mechanism.law, step.mass
        fits = all(risk(law, pair, mass, self.epsilon) <= share for pair in step.pairs)
        return run_if(fits, None, state)


class SignedOneWay(Rule):
    """Keeps one signed loss per unordered pair, so that what counts against x' is credit."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if the loss of (x, x') with x before x' can pay the declared epsilon."""
        odds, delta = step.mechanism.declared
        forward = [(x, x_) for x, x_ in step.game.pairs if x < x_]
        fits = not any(
            exceeds(step.mass[x] * odds, step.mass[x_], self.epsilon) for x, x_ in forward
        )
        return run_if(fits and delta <= 0, None, state)


class SkipsUnlikelyDatabases(Rule):
    """Looks only at databases whose posterior is at least one percent, to save time."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a loss between likely databases above epsilon."""
        floor = sum(step.mass.values()) / 100
        likely = [p for p in step.pairs if step.mass[p[0]] >= floor and step.mass[p[1]] >= floor]
        law = step.mechanism.law
        return run_if(not any(risk(law, p, step.mass, self.epsilon) for p in likely), None, state)


class JudgesOnlyNow(Rule):
    """Asks whether H would be within delta if the play ended after this round, as seen from now.

    What was risked in the rounds before is forgotten as soon as it went well.
    """

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if for no pair the expected h after this round is above delta."""
        for x, x_ in step.pairs:
            w, w_ = step.mass[x], step.mass[x_]
            cost = charge(step.mechanism.law, (x, x_), step.mass, self.epsilon)
            lost = ExpLinear(1, -w_ / w, self.epsilon) if exceeds(w, w_, self.epsilon) else 0
            if cost + lost > self.delta:
                return run_if(False, None, state)
        return run_if(True, None, state)


class LargestExcess(Rule):
    """Bounds P_x(y) - e^eps P_x'(y) for every single output, where sets of outputs are meant."""

    def start(self) -> Any:
        """Return that nothing is spent."""
        return NONE

    def decide(self, state: Any, step: Step) -> Answer:
        """Add up the largest excess of each round."""
        nothing = ExpLinear(0, 0, self.epsilon)
        worst = max(
            (
                ExpLinear(row[x], -row[x_] * step.mass[x_] / step.mass[x], self.epsilon)
                for x, x_ in step.pairs
                for row in step.mechanism.law.values()
            ),
            default=nothing,
        )
        after = state + max(worst, nothing)
        return run_if(after <= self.delta, after, state)


class TopFiveOutputs(Rule):
    """Looks at the five most likely outputs of x; the tail is taken to be harmless."""

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if none of the likely outputs takes a loss above epsilon."""
        for x, x_ in step.pairs:
            likely = sorted((row[x], y) for y, row in step.mechanism.law.items())[-5:]
            rows = [step.mechanism.law[y] for _, y in likely]
            w, w_ = step.mass[x], step.mass[x_]
            if any(exceeds(w * row[x], w_ * row[x_], self.epsilon) for row in rows):
                return run_if(False, None, state)
        return run_if(True, None, state)


class TruncatesLosses(Rule):
    """Keeps realised losses in whole units of epsilon/10; a smaller loss is cut to nothing."""

    def start(self) -> Any:
        """Return nothing; the opening sets a zero per pair."""
        return ()

    def decide(self, state: Any, step: Step) -> Answer:
        """Run if no output takes a pair above ten units."""
        now = state or (0,) * len(step.game.pairs)
        units = max(
            u + self.units(row[x], row[x_])
            for row in step.mechanism.law.values()
            for u, (x, x_) in zip(now, step.game.pairs, strict=True)
            if row[x]
        )
        return run_if(units <= 10, now, state)

    def units(self, p: Fraction, q: Fraction) -> int:
        """Return log(p/q) in units, cut towards zero; 11 stands for infinite."""
        if not (p and q):
            return 11 if p else -11
        ratio, sign = (p / q, 1) if p >= q else (q / p, -1)
        whole = 0
        while whole < 11 and not within(ratio**10, self.times(10 * whole + 10)):
            whole += 1
        return sign * whole

    def times(self, tenths: int) -> Epsilon:
        """Return so many tenths of epsilon."""
        if isinstance(self.epsilon, Log):
            return Log(self.epsilon.argument ** (tenths // 10))
        return self.epsilon * tenths / 10

    def observe(self, state: Any, step: Step, output: str) -> Any:
        """Add the units of what was released."""
        row = step.mechanism.law[output]
        pairs = zip(state, step.game.pairs, strict=True)
        return tuple(u + self.units(row[x], row[x_]) for u, (x, x_) in pairs)


F = Fraction
LOG2 = Log(F(2))


WRONG = {
    "stale-mass": Wrong(
        StaleMass,
        "the losses that are looked at are those of one round ago",
        Witness(game(repeated(response(F(13, 18)), 2)), F(1), F(1, 100)),
    ),
    "clips-losses": Wrong(
        ClipsLosses,
        "every round's loss is clipped to 1",
        Witness(game(reveal()), F(3, 2), F(1, 100)),
    ),
    "posterior-to-prior": Wrong(
        PosteriorToPrior,
        "the posterior is compared with the prior, not with the neighbour's",
        Witness(game(response(F(5, 8))), F(1, 4), F(1, 1000)),
    ),
    "basel": Wrong(
        Basel,
        "delta/i^2 is handed out without the factor that makes it sum to delta",
        Witness(game(chain(erasure(F(1, 100)), erasure(F(1, 400)))), F(1), F(1, 100)),
    ),
    "signed-one-way": Wrong(
        SignedOneWay,
        "the loss is kept in one direction, where it may run into credit",
        Witness(game(repeated(response(F(3, 5)), 4)), F(1, 2), F(1, 100)),
    ),
    "skips-unlikely-databases": Wrong(
        SkipsUnlikelyDatabases,
        "databases with a small posterior are not looked at any more",
        Witness(game(chain(response(F(200, 201)), reveal())), F(6), F(1, 1000)),
    ),
    "judges-only-now": Wrong(
        JudgesOnlyNow,
        "every round is judged from where it starts, and earlier risks are forgotten",
        Witness(game(repeated(one_sided(F(1, 10**9)), 2)), F(1), F(1, 10**9)),
    ),
    "largest-excess": Wrong(
        LargestExcess,
        "outputs are bounded one by one, not as a set",
        Witness(
            game(table({"a": (F(1, 150), 0), "b": (F(1, 150), 0), "?": (F(74, 75), 1)})),
            F(1),
            F(1, 100),
        ),
    ),
    "truncates-losses": Wrong(
        TruncatesLosses,
        "realised losses below a tenth of epsilon are cut to nothing",
        Witness(game(repeated(response(F(11, 21)), 40)), F(1), F(1, 100)),
    ),
    "top-five-outputs": Wrong(
        TopFiveOutputs,
        "only the five most likely outputs are looked at",
        Witness(
            game(table({**{str(i): (F(19, 100), F(1, 5)) for i in range(5)}, "!": (F(1, 20), 0)})),
            F(1),
            F(1, 100),
        ),
    ),
}
