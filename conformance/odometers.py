"""What the adapters show of odometers, as games: each is played again on the real library."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from conformance.findings import (
    FINDINGS,
    Finding,
    failing_twice,
    interrupted,
)
from filterproof.certificate import certify_reports
from filterproof.engine.by_position.reports import worst_report
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, k_ary
from filterproof.witness import WorstCase
from filterproof_properties.adapters import load
from filterproof_properties.games.odometers import leak

ONE, CENT = Fraction(1), Fraction(1, 100)


@dataclass(frozen=True)
class OdometerFinding(Finding):
    """A δ, and how to make the game on which a report is exceeded more often than that."""

    measure: ClassVar[str] = "P(loss > report)"

    @property
    def file(self) -> str:
        """Apart from the certificates of filters, since not every checker knows its kind."""
        return f"odometers/{self.name}.json"

    def played(self) -> tuple[Game, WorstCase]:
        """Return the game and the worst case of the real library's reports on it."""
        made = self.make()
        return made, worst_report(load(self.adapter)(self.epsilon, self.delta), made, self.epsilon)

    def certificate_of(self, made: Game, worst: WorstCase) -> str:
        """Return the certificate of a play."""
        return certify_reports(self.adapter, {}, made, self.epsilon, self.delta, worst)


def three_tries() -> Game:
    """Leaks of loss log 10^2, log 10^4 and log 10^6, each nearly as likely as δ = 1/100."""
    likely = Fraction(95, 10000)
    third = leak(likely, Fraction(10**6))
    return game(leak(likely, Fraction(100), leak(likely, Fraction(10**4), third)))


def two_orders() -> Game:
    """k-ary responses of loss log 1000, then log 10^7: small orders fit the one, order 2 the other.

    The true symbol has probability 1/12500; the game goes on after the symbols that say nothing.
    """
    loud = Fraction(1, 12500)
    first, second = (k_ary(12500 * odds - odds + 1, loud) for odds in (1000, 10**7))
    return game(Mechanism(first.law, {"other": {"then": second}}))


def erasures_to_the_end(rounds: int) -> Game:
    """erasure(1/10), declared at odds 11/10, in every round, also after x was revealed."""
    law, stated = erasure(Fraction(1, 10)).law, Declared(Fraction(11, 10), Fraction(1, 10))
    menu: dict[str, Mechanism] = {}
    for _ in range(rounds):
        menu = {"ask": Mechanism(law, dict.fromkeys(law, menu) if menu else {}, stated)}
    return game(menu)


ODOMETER_FINDINGS = (
    OdometerFinding(
        "dp-accounting-pld-as-odometer",
        "dp-accounting-pld-odometer",
        ONE,
        CENT,
        three_tries,
        "real",
        "three leaks, each tried if the one before fails; after any one alone the report holds",
    ),
    OdometerFinding(
        "dp-accounting-rdp-as-odometer",
        "dp-accounting-rdp-odometer",
        ONE,
        Fraction(1, 10**4),
        two_orders,
        "real",
        "two responses, each reported by another Renyi order, the best one at the time",
    ),
    OdometerFinding(
        "opendp-odometer-failure-not-charged",
        "opendp-odometer",
        ONE,
        CENT,
        failing_twice,
        "real",
        "a measurement that raises after touching the data is not charged",
    ),
    OdometerFinding(
        "smartnoise-odometer-falls",
        "smartnoise-odometer",
        ONE,
        Fraction(3, 10),
        lambda: erasures_to_the_end(25),
        "real",
        "the reported delta falls again after its peak, while x has been revealed",
    ),
    OdometerFinding(
        "opacus-odometer-forgets",
        "opacus-gaussian-odometer",
        ONE,
        CENT,
        lambda: interrupted(6),
        "real",
        "after a refused step the report is that of the steps since then",
    ),
)


PUBLISHED: tuple[Finding, ...] = (*FINDINGS, *ODOMETER_FINDINGS)
"""All that has a certificate in docs/certificates, a script and a page."""
