"""Wrong filters that are broken by how requests come, each with a sound twin.

A refused request that comes again, refusals that are counted, a choice that lowers a price, and a
price that is looked up under a key of which two requests have the same.
"""

from fractions import Fraction
from typing import Any, ClassVar

from corpus.zoo.base import Specimen
from corpus.zoo.classes import Booked
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.game import Step
from filterproof.game.law import Declared

FAMILY = "insisting"


class ConfirmsRetries(Booked):
    """Runs a request that comes again after its refusal: somebody must have confirmed it."""

    confirms: ClassVar[bool] = True

    def start(self) -> Any:
        return NOTHING, None

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent, refused = state
        asked = step.request, step.mechanism.declared
        total = self.spend(spent, asked[1])
        if self.fits(total):
            return Decision.CONTINUE, (total, refused)
        if self.confirms and refused == asked:
            return Decision.CONTINUE, (spent, None)
        return Decision.REFUSE, (spent, asked)


class RefusesAgain(ConfirmsRetries):
    confirms: ClassVar[bool] = False


class GivesUpRefusing(Booked):
    """Only warns after six refusals, so that nobody is blocked for ever."""

    patience: ClassVar[int | None] = 6

    def start(self) -> Any:
        return NOTHING, 0

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent, refusals = state
        total = self.spend(spent, step.mechanism.declared)
        if self.fits(total):
            return Decision.CONTINUE, (total, refusals)
        if refusals == self.patience:
            return Decision.CONTINUE, state
        return Decision.REFUSE, (spent, refusals + 1)


class NeverGivesUp(GivesUpRefusing):
    patience: ClassVar[int | None] = None


class ChoiceIsCheaper(Booked):
    """Books half of delta where there was a choice, which hides what is of interest."""

    part: ClassVar[Fraction] = Fraction(1, 2)

    def decide(self, state: Declared, step: Step) -> tuple[Decision, Any]:
        odds, delta = step.mechanism.declared
        part = self.part if len(step.menu) > 1 else Fraction(1)
        total = self.spend(state, Declared(odds, delta * part))
        return (Decision.CONTINUE, total) if self.fits(total) else (Decision.HALT, state)


class ChoiceIsDearer(ChoiceIsCheaper):
    part: ClassVar[Fraction] = Fraction(2)


class GluedPrices(Booked):
    """Looks a delta up under the request's name and the delta, written without a space."""

    space: ClassVar[str] = ""

    def start(self) -> Any:
        return NOTHING, ()

    def decide(self, state: Any, step: Step) -> tuple[Decision, Any]:
        spent, prices = state
        odds, delta = step.mechanism.declared
        known = dict(prices)
        price = known.setdefault(f"{step.request}{self.space}{delta}", delta)
        total = self.spend(spent, Declared(odds, price))
        after = total, tuple(sorted(known.items()))
        return (Decision.CONTINUE, after) if self.fits(total) else (Decision.HALT, state)


class PricesApart(GluedPrices):
    space: ClassVar[str] = "\0"


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


def _twin(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("confirms-retries", ConfirmsRetries, "a refused request that comes again is confirmed"),
    _wrong("gives-up-refusing", GivesUpRefusing, "after six refusals it only warns"),
    _wrong("choice-is-cheaper", ChoiceIsCheaper, "a round with a choice pays half"),
    _wrong("glued-prices", GluedPrices, "ask1 for 1/100 and ask for 11/100 have one price"),
)
TWINS: tuple[Specimen, ...] = (
    _twin("refuses-again", RefusesAgain, "a refused request that comes again is refused again"),
    _twin("never-gives-up", NeverGivesUp, "refusals are counted for nothing"),
    _twin("choice-is-dearer", ChoiceIsDearer, "a round with a choice pays twice"),
    _twin("prices-apart", PricesApart, "every price has a key of its own"),
)
"""The same with the one line mended, in the same order."""
