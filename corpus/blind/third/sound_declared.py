"""Sound filters of declared costs that look generous: each says why nothing is lost by it."""

from fractions import Fraction
from math import floor

from corpus.blind.base import NOTHING, ONE, Answer, Rule, Sound, answer, covers, plus, within
from corpus.blind.third.base import HALF, ZERO, Book
from corpus.blind.third.calendar import HalvingDays, PaidIn, Shares, UnlocksForEver, share_covers
from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.game import Request, Step
from filterproof.game.law import Declared, Output


class OddsLessOne(Rule):
    """Adds up odds less one in place of their logarithms, against a whole number of hundredths."""

    def start(self) -> Declared:
        return Declared(ZERO, ZERO)

    def decide(self, state: Declared, step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        total = Declared(state.odds + odds - 1, state.delta + delta)
        return answer(total.odds <= self.hundredths() and total.delta <= self.delta, total, state)

    def hundredths(self) -> Fraction:
        """Return ε rounded down; where e^ε is rational, 1 - e^-ε, which is less."""
        below = self.epsilon
        if isinstance(below, Log):
            below = 1 - 1 / below.argument
        return Fraction(floor(100 * below), 100)


class LastWhenSpent(Book):
    """Refuses what does not fit, and says "last" as soon as nothing on any next menu would."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if not self.fits(total):
            return Decision.REFUSE, state
        menus = step.mechanism.after.values()
        more = any(self.fits(plus(total, m.declared)) for menu in menus for m in menu.values())
        return (Decision.CONTINUE if more else Decision.LAST), total


class HalfOfTheRest(Book):
    """Lets a request use half of the epsilon that is left, or all of it as the last one."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if not self.fits(total):
            return Decision.HALT, state
        half = Declared(total.odds * step.mechanism.declared.odds, total.delta)
        return (Decision.CONTINUE if self.fits(half) else Decision.LAST), total


class TwoAnalysts(Rule):
    """Gives half of the budget to each of the first two names that ask, and refuses others."""

    def start(self) -> Shares:
        return ()

    def decide(self, state: Shares, step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        known = dict(state)
        total = plus(known.get(step.request, NOTHING), step.mechanism.declared)
        after = tuple(sorted((known | {step.request: total}).items()))
        fits = len(after) <= 2 and share_covers(total, self.epsilon, self.delta, HALF)
        return (Decision.CONTINUE, after) if fits else (Decision.REFUSE, state)


class Replayed(Book):
    """Keeps no state: it walks the game along the history and adds up what was run."""

    markov = False

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> Answer:
        total, menu = NOTHING, step.game.menu
        for request, output in step.history:
            total = plus(total, menu[request].declared)
            menu = menu[request].after[output]  # type: ignore[assignment]
        fits = self.fits(plus(total, step.mechanism.declared))
        return (Decision.CONTINUE if fits else Decision.REFUSE), state


class ThreeStrikes(Rule):
    """Refuses what does not fit, keeps its costs, and halts at the third refusal."""

    def start(self) -> tuple[Declared, tuple[Request, ...]]:
        return NOTHING, ()

    def decide(self, state: tuple[Declared, tuple[Request, ...]], step: Step) -> Answer:
        spent, refused = state
        total = plus(spent, step.mechanism.declared)
        if covers(total, self.epsilon, self.delta):
            return Decision.CONTINUE, (total, refused)
        strikes = (*refused, step.request)
        return (Decision.HALT if len(strikes) == 3 else Decision.REFUSE), (spent, strikes)


class RefundedToTheAnswer(Rule):
    """Sets the declared epsilon aside, and keeps what the answer really told, up or down."""

    def start(self) -> tuple[Fraction, Fraction]:
        return ONE, ONE

    def decide(self, state: tuple[Fraction, Fraction], step: Step) -> Answer:
        odds, delta = step.mechanism.declared
        fits = delta == 0 and within(state[0] * odds, self.epsilon)
        return answer(fits, (state[0] * odds, state[0]), state)

    def observe(
        self, state: tuple[Fraction, Fraction], step: Step, output: Output
    ) -> tuple[Fraction, Fraction]:
        row = step.mechanism.law[output]
        told = max(row[x] / row[x_] for x, x_ in step.game.pairs if row[x_])
        return state[1] * told, ONE


class TimesTheDearest(Rule):
    """Counts the requests that are not free, times the largest epsilon and the largest delta."""

    def start(self) -> tuple[int, Declared]:
        return 0, NOTHING

    def decide(self, state: tuple[int, Declared], step: Step) -> Answer:
        count, dearest = state
        asked = step.mechanism.declared
        if asked == NOTHING:
            return Decision.CONTINUE, state
        odds, delta = max(dearest.odds, asked.odds), max(dearest.delta, asked.delta)
        total = Declared(odds ** (count + 1), delta * (count + 1))
        after = count + 1, Declared(odds, delta)
        return answer(covers(total, self.epsilon, self.delta), after, state)


class HalvingFromHalf(HalvingDays):
    """Grants half as much every day (two requests), beginning with half; six days."""

    def decide(self, state: Declared, step: Step) -> Answer:
        day, hour = divmod(max(step.index - 1, 0), 2)
        total = plus(state if hour else NOTHING, step.mechanism.declared)
        fits = day < 6 and share_covers(total, self.epsilon, self.delta, HALF ** (day + 1))
        return answer(fits, total, state)


class PaidInAndOut(PaidIn):
    """Pays in delta/2^i in round i and takes out what is used: savings may shrink."""

    def decide(self, state: tuple[Fraction, Fraction], step: Step) -> Answer:
        if step.index == 0:
            return Decision.CONTINUE, state
        spent, saved = state
        odds, delta = step.mechanism.declared
        left = saved + self.delta / 2**step.index - delta
        return answer(within(spent * odds, self.epsilon) and left >= 0, (spent * odds, left), state)


class Unlocked(UnlocksForEver):
    """Unlocks a part of the budget with every request that arrives, until all of it is."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        unlocked = Fraction(min(step.index, self.parts), self.parts)
        if share_covers(total, self.epsilon, self.delta, unlocked):
            return Decision.CONTINUE, total
        return Decision.REFUSE, state


class GraceFromTheStart(Book):
    """Keeps to nine tenths of epsilon, and then allows one request up to the whole as the last."""

    def decide(self, state: Declared, step: Step) -> Answer:
        total = plus(state, step.mechanism.declared)
        if within(total.odds, self.epsilon, Fraction(9, 10)) and total.delta <= self.delta:
            return Decision.CONTINUE, total
        return (Decision.LAST, total) if self.fits(total) else (Decision.REFUSE, state)


SOUND = {
    "odds-less-one": Sound(OddsLessOne, "odds - 1 is never below their logarithm"),
    "last-when-spent": Sound(LastWhenSpent, "it runs no more than the sums allow"),
    "half-of-the-rest": Sound(HalfOfTheRest, "the sums fit in any case"),
    "two-analysts": Sound(TwoAnalysts, "there are never more than two halves"),
    "replayed": Sound(Replayed, "the history holds all that was run, a refused request was not"),
    "three-strikes": Sound(ThreeStrikes, "what is refused is neither run nor charged"),
    "refunded-to-the-answer": Sound(
        RefundedToTheAnswer,
        "the realised loss is at most the sum of what the answers told, which is never above what "
        "was set aside: no loss exceeds epsilon",
    ),
    "times-the-dearest": Sound(TimesTheDearest, "a count times the largest is above the sum"),
    "halving-from-half": Sound(HalvingFromHalf, "1/2 + 1/4 + ... is at most 1"),
    "paid-in-and-out": Sound(PaidInAndOut, "no more is taken out than was paid in, below delta"),
    "unlocked": Sound(Unlocked, "never more than the whole is unlocked"),
    "grace-from-the-start": Sound(GraceFromTheStart, "with the grace it is the whole, not more"),
}
