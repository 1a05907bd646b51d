"""A certificate of either kind, re-checked by the checker that knows it."""

from filterproof_proofs import checker, odometer_checker

_ODOMETER = f'\n "schema": "{odometer_checker.SCHEMA}",\n'
"""How the canonical text of an odometer's certificate names its kind."""


def is_odometer_certificate(text: str) -> bool:
    """Return whether a text calls itself the certificate of an odometer."""
    return _ODOMETER in text


def check(text: str) -> str:
    """Return a one-line summary of a valid certificate; raise Rejected for any other text."""
    if is_odometer_certificate(text):
        return odometer_checker.check(text)
    return checker.check(text)
