"""Every built-in odometer: what it reports, and whether it keeps the promise of one.

>>> [one.name for one in ODOMETERS if one.sound][:2]
['odometer-additive', 'odometer-realised']
"""

from collections.abc import Callable
from typing import Any

from filterproof.filter import Filter
from filterproof.filters.registry import PROJECT, Entry
from filterproof.odometers.accountant import Accountant
from filterproof.odometers.additive import (
    AdditiveOdometer,
    DeclaredOdometer,
    Late,
    PerRoundOdometer,
    Resets,
    RoundedDown,
)
from filterproof.odometers.guesses import Guesses, GuessesDP, GuessesUndivided
from filterproof.odometers.realised import Forgiving, ForgivingAgain, OneDirection, Realised
from filterproof.odometers.renyi import RenyiBest, RenyiOne, RenyiOrders

FAMILY = "odometer"
PROMISE = "P(loss > report, at some time) <= delta"
ROGERS = "Rogers, Roth, Ullman and Vadhan"


def _sound(name: str, target: Callable[..., Filter[Any]], source: str) -> Entry:
    return Entry(f"odometer-{name}", target, FAMILY, source, PROMISE, sound=True)


def _bad(name: str, target: Callable[..., Filter[Any]], source: str, why: str) -> Entry:
    return Entry(f"odometer-{name}", target, FAMILY, source, PROMISE, sound=False, why=why)


ODOMETERS: tuple[Entry, ...] = (
    _sound("additive", AdditiveOdometer, f"{ROGERS}: basic composition"),
    _sound("realised", Realised, PROJECT),
    _sound("forgiving", Forgiving, PROJECT),
    _sound("renyi", RenyiOne, "Feldman and Zrnic; Ville's inequality"),
    _sound("renyi-orders", RenyiOrders, "the same, with a union bound over the orders"),
    _sound("guesses", Guesses, f"{ROGERS}: doubling, with Rényi filters"),
    _bad(
        "accountant",
        Accountant,
        "privacy-loss-distribution accountants read while a play goes on",
        "it holds after a list fixed in advance, not at a time that the adversary picks",
    ),
    _bad(
        "declared",
        DeclaredOdometer,
        PROJECT,
        "(eps_i, delta_i)-DP does not bound how likely a loss above eps_i is",
    ),
    _bad(
        "per-round-delta",
        PerRoundOdometer,
        PROJECT,
        "each delta_i is compared with delta alone, so they never add up",
    ),
    _bad("rounded-down", RoundedDown, PROJECT, "a report is rounded down to its grid"),
    _bad("late", Late, PROJECT, "a round is booked when the next one is asked for"),
    _bad("resets", Resets, PROJECT, "it begins anew after every second round"),
    _bad(
        "one-direction",
        OneDirection,
        PROJECT,
        "the loss of (x, x') is reported, that of (x', x) is not",
    ),
    _bad(
        "forgiving-again",
        ForgivingAgain,
        PROJECT,
        "every round may be wrong with probability delta",
    ),
    _bad(
        "renyi-best",
        RenyiBest,
        "Renyi accountants that take the best order afterwards",
        "each order has the whole delta, and the adversary fails one before it turns to another",
    ),
    _bad(
        "guesses-undivided",
        GuessesUndivided,
        PROJECT,
        "each guess has the whole delta, and the adversary tries one after the other",
    ),
    _bad(
        "guesses-dp",
        GuessesDP,
        PROJECT,
        "an (eps, delta)-DP filter does not bound how likely a loss above eps is",
    ),
)
