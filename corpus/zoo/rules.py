"""The built-in specimens of rules that public programs have, each with its one line mended.

The wrong ones are in `filterproof.filters`, and are found on their own games.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from corpus.zoo.base import Specimen
from filterproof.filter import Decision, Filter
from filterproof.filters import advanced, ledger_bugs, rdp
from filterproof.game import Step
from filterproof.game.law import Declared
from filterproof.radicals import RadicalSum

FAMILY = "public rules"


class DividedByOrderMinusOne(rdp.RenyiMisconverted):
    def fits(self, product: RadicalSum) -> bool:
        return rdp.RenyiTight(self.epsilon, self.delta, order=self.order).fits(product)


class EachWithHalf(advanced.BasicOrAdvanced):
    share = Fraction(1, 2)


class KnowsTheOldLedger(ledger_bugs.InMigration):
    def in_first(self, step: Step) -> bool:
        return True


class TimesRatio(ledger_bugs.DividedByRatio):
    share = Fraction(1, 2)


class ChargedBefore(ledger_bugs.ChargedAfterwards):
    def too_much(self) -> Decision:
        return Decision.HALT


class EveryCharge(ledger_bugs.EqualCharges):
    def entered(self, charges: ledger_bugs.Charges, asked: Declared) -> ledger_bugs.Charges:
        return tuple(sorted((*charges, asked)))


class NoTolerance(ledger_bugs.RelativeTolerance):
    tolerance = Fraction(0)


def _mended(name: str, target: Callable[..., Filter[Any]], idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


MENDED: tuple[Specimen, ...] = (
    _mended("divided-by-order-minus-one", DividedByOrderMinusOne, "converts at alpha - 1"),
    _mended("each-with-half", EachWithHalf, "basic or advanced, each with half of delta"),
    _mended("knows-the-old-ledger", KnowsTheOldLedger, "both kinds are booked in one ledger"),
    _mended("times-ratio", TimesRatio, "a half gets half"),
    _mended("charged-before", ChargedBefore, "halts where it used to run once more"),
    _mended("every-charge", EveryCharge, "equal charges stay two"),
    _mended("no-tolerance", NoTolerance, "the budget is the budget"),
)
"""In the order of `tests/reference/filters/test_public_rules.py`."""
