"""Requests of which only the kind is known, as code sees them and as mechanisms of a game.

A round is a randomised response, a leak that tells all with some probability, or both at once;
quiet rounds state a little and say nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Mechanism
from filterproof.game.law import Declared
from filterproof_properties.games.families import ASK, Round

NEIGHBOURS = ("0", "1")
ONE, NONE = Fraction(1), Fraction(0)


class Kind(StrEnum):
    """What a request loses."""

    RESPONSE = "response"
    LEAK = "leak"
    BOTH = "both"
    QUIET = "quiet"


@dataclass(frozen=True)
class Solved:
    """A request with numbers: its kind, odds and delta, its name, and whether the round fails."""

    kind: Kind
    odds: Fraction
    delta: Fraction
    name: str = ASK
    fails: bool = False


def law_of(kind: Kind, p: Any, delta: Any) -> dict[str, dict[str, Any]]:
    """Return the law of a round whose right answer has probability p; numbers may be unknown.

    The play goes on after the first output.
    """
    if kind is Kind.QUIET:
        return {"-": {"0": ONE, "1": ONE}}
    told = {"!": {"0": delta, "1": NONE}}
    if kind is Kind.LEAK:
        return {"?": {"0": 1 - delta, "1": ONE}, **told}
    if kind is Kind.RESPONSE:
        return {"0": {"0": p, "1": 1 - p}, "1": {"0": 1 - p, "1": p}}
    rest = 1 - delta
    even = {"0": {"0": rest * p, "1": rest * (1 - p)}, "1": {"0": rest * (1 - p), "1": rest * p}}
    return {**even, **told, "!!": {"0": NONE, "1": delta}}


def outputs_of(kind: Kind) -> tuple[str, ...]:
    """Return the outputs of a round; the play goes on after the first.

    >>> outputs_of(Kind.LEAK)
    ('?', '!')
    """
    return tuple(law_of(kind, NONE, NONE))


def as_round(one: Solved) -> Round:
    """Return a solved request as a round of a game, along the output after which it goes on."""
    law = law_of(one.kind, one.odds / (1 + one.odds), one.delta)
    if one.fails:
        first, *rest = law
        law = {FAILS: law[first], **{y: law[y] for y in rest}}
    kept = {y: row for y, row in law.items() if any(row.values())}
    return Mechanism(kept, {}, Declared(one.odds, one.delta)), next(iter(kept)), one.name
