"""A violation in one sentence with decimals: the first line of every report."""

from filterproof.exact import Log, parse_epsilon
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import entry
from filterproof_properties.reports.own_words import decimal
from filterproof_properties.reports.picture import Picture, picture
from filterproof_properties.targets.budget.names import is_budget_object, named


def short_name(target: str) -> str:
    """Return what a person calls a target: of a budget object its class, without the calls.

    >>> short_name("shop.py:Budget --spend 'spend(epsilon)' --open '(epsilon)'")
    'shop.py:Budget'
    """
    return named(target)[0] if is_budget_object(target) else target


def sentence(shown: Picture) -> str:
    """Say of a violation who breaks which promise, and what an adversary can tell apart."""
    x, x_ = shown.pair
    name, delta = short_name(shown.target), decimal(shown.delta)
    p, q = decimal(shown.mass_x), decimal(shown.mass_x_prime)
    over = "more than" if shown.ratio is None else f"{shown.ratio:.4g} times what"
    if shown.reports:
        return (
            f"{name} reports too little: the loss exceeds the report with probability {p}, "
            f"{over} delta = {delta} allows."
        )
    return (
        f"{name} breaks its promise (epsilon = {_epsilon(shown.epsilon)}, delta = {delta}): "
        f"an adversary wins with probability {p} on database {x} and {q} on database {x_}, "
        f"{over} delta allows."
    )


def _epsilon(text: str) -> str:
    value = parse_epsilon(text)
    return text if isinstance(value, Log) else decimal(value)


def first_line(one: Record) -> str:
    """Return what a report says first about a target that does not pass."""
    if one.certificate:
        return sentence(picture(one.certificate))
    said = one.error.splitlines()[0] if one.error else entry(one.verdict).words
    return f"{short_name(one.target)}: {said}"
