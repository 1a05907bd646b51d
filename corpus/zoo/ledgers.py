"""The built-in ledgers with a mistake on public record, and each with its one line mended.

One that refunds takes the output that stands for a failure for one, another takes "?" for it.
"""

from typing import Any

from corpus.zoo.base import Specimen
from filterproof.filters import ledger_bugs
from filterproof.game import Request, Step
from filterproof.game.law import Declared, Output

FAMILY = "ledgers"


class OneBudgetForAll(ledger_bugs.PerAnalyst):
    def analyst(self, request: Request) -> str:
        return "everybody"


class RefundWithoutAnAnswer(ledger_bugs.RefundOnFailure):
    def failed(self, output: Output) -> bool:
        return output == "?"


class FailureIsCharged(ledger_bugs.RefundOnFailure):
    def failed(self, output: Output) -> bool:
        return False


class KeyIsSet(ledger_bugs.MissingKey):
    def deducted(self, state: Declared | str, after: Declared) -> Declared | str:
        return after


class TooMuchIsRefused(ledger_bugs.ClampedCharge):
    def decide(self, state: Declared | None, step: Step) -> tuple[Any, Declared | None]:
        decision, after = super().decide(state, step)
        return (decision, after) if after is not None else ("halt", state)


class FreshCopy(ledger_bugs.StaleRemaining):
    def copied(self, before: Declared, after: Declared) -> Declared:
        return after


class OneLedger(ledger_bugs.TwoLedgers):
    def in_first(self, step: Step) -> bool:
        return True


def _wrong(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea)


def _mended(name: str, target: Any, idea: str) -> Specimen:
    return Specimen(name, target, FAMILY, idea, sound=True)


SPECIMENS: tuple[Specimen, ...] = (
    _wrong("budget-per-analyst", ledger_bugs.PerAnalyst, "each analyst has the whole budget"),
    _wrong("refund-on-failure", ledger_bugs.RefundOnFailure, "what fails is paid back"),
    _wrong("refund-without-an-answer", RefundWithoutAnAnswer, "no answer, no charge"),
    _wrong("missing-key", ledger_bugs.MissingKey, "the first deduction stores NaN"),
    _wrong("clamped-charge", ledger_bugs.ClampedCharge, "charges what is left, and runs"),
    _wrong("stale-remaining", ledger_bugs.StaleRemaining, "compares with an old copy"),
    _wrong("two-ledgers", ledger_bugs.TwoLedgers, "two ledgers, never added up"),
)

MENDED: tuple[Specimen, ...] = (
    _mended("one-budget-for-all", OneBudgetForAll, "analysts have names and one ledger"),
    _mended("failure-is-charged", FailureIsCharged, "sees that a mechanism failed, and charges it"),
    _mended("key-is-set", KeyIsSet, "the missing key is set at the first deduction"),
    _mended("too-much-is-refused", TooMuchIsRefused, "halts where it used to clamp"),
    _mended("fresh-copy", FreshCopy, "the copy is taken after each booking"),
    _mended("one-ledger", OneLedger, "two ledgers, one of which is never used"),
)
"""Each of them with its one line mended, in the same order (both refunds have one)."""
