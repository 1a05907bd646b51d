"""The libraries' accountants and odometers as odometers, on the real libraries."""

from fractions import Fraction
from math import inf, nan
from pathlib import Path

import pytest

from conformance.findings import failing_twice
from conformance.odometers import (
    ODOMETER_FINDINGS,
    OdometerFinding,
    two_orders,
)
from filterproof.certificate import read_certificate, replay
from filterproof.engine.by_position.reports import worst_report
from filterproof.exact import ExpLinear
from filterproof.game import Mechanism
from filterproof.odometer import INFINITE, is_odometer
from filterproof.palette import erasure, game, repeated, response
from filterproof_proofs.certificates import check
from filterproof_properties.adapters import ADAPTERS, load
from filterproof_properties.adapters.support.metered import LOG_2_UP, NotANumber, fairly
from filterproof_properties.games.odometers import leak

CERTIFICATES = Path(__file__).parents[3] / "docs" / "certificates"
F = Fraction
CENT, RARE = F(1, 100), F(1, 10**4)
PLD, RDP = "dp-accounting-pld-odometer", "dp-accounting-rdp-odometer"
ONE_ORDER, OPENDP = "dp-accounting-rdp-one-order-odometer", "opendp-odometer"


LIGHT = ODOMETER_FINDINGS[:3]
TIMES = dict(zip((PLD, RDP, OPENDP), (F(2823, 1000), F(1599, 1000), F(75)), strict=True))


@pytest.mark.parametrize("finding", LIGHT, ids=lambda f: f.name)
def test_it_reports_too_little_more_often_than_delta_allows(finding: OdometerFinding) -> None:
    rule = load(finding.adapter)(finding.epsilon, finding.delta)
    assert is_odometer(rule)
    made, worst = finding.played()
    times = TIMES[finding.adapter]
    assert times <= worst.mass_x / finding.delta < times + F(1, 500)
    text = finding.certificate_of(made, worst)
    assert text == (CERTIFICATES / finding.file).read_text(encoding="utf-8")
    assert check(text)
    assert replay(rule, read_certificate(text)) == len(worst.turns)


def test_one_order_fixed_before_is_not_exceeded_there() -> None:
    for order in (2, 3, 16):
        rule = load(ONE_ORDER)(F(1), RARE, order=order)
        assert worst_report(rule, two_orders(), F(1)).mass_x <= RARE


def test_one_list_fixed_before_is_not_exceeded_at_its_end() -> None:
    """The reading is fair: after one leak, or any one of the three, the report holds."""
    rule = load(PLD)(F(1), CENT)
    for odds in (10**2, 10**4, 10**6):
        assert worst_report(rule, game(leak(F(95, 10000), F(odds))), F(1)).mass_x <= CENT


def test_opendps_odometer_holds_where_nothing_fails() -> None:
    rule = load(OPENDP)(F(1), CENT)
    for law in (response(F(2, 3)), erasure(F(1, 200)), erasure(F(1, 300))):
        assert worst_report(rule, game(repeated(law, 3)), F(1)).mass_x <= CENT
    failing = game(Mechanism(failing_twice().menu["ask"].law))
    assert worst_report(rule, failing, F(1)).mass_x > CENT


def test_a_reading_is_rounded_up_and_a_nan_is_no_report() -> None:
    assert ExpLinear(2, -1, LOG_2_UP) < 0  # e^LOG_2_UP > 2
    assert fairly(inf, 0.1) == INFINITE
    assert fairly(-1.0, 0.0) == F(2) ** -40
    with pytest.raises(NotANumber, match="NaN"):
        fairly(nan, 0.1)


def test_each_says_what_is_promised_and_whose_fault_it_is() -> None:
    kinds = {name: (ADAPTERS[name].kind, ADAPTERS[name].fault) for name in (PLD, RDP, OPENDP)}
    assert kinds[OPENDP] == ("claims to be an odometer", "the library")
    assert kinds[PLD] == kinds[RDP] == ("accountant read as an odometer", "the use")
