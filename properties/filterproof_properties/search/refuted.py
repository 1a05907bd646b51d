"""A refuted round as the start of a search: reach such a state, then play that law.

`first_idea` keeps of a refuted round what a search can use, as plain data.  `games` builds small
games from it: rounds that bring the likelihoods to where they were, or that spend the budget, then
the law, once or again and again.  A refuted round is not yet a violation; these are the places
where to look for one first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from filterproof.exact import Epsilon
from filterproof.game import Game, Mechanism, Request
from filterproof.game.law import Law, Output
from filterproof_proofs.potential import Refutation
from filterproof_properties.case import Case

Menu = Mapping[Request, Mechanism]
ONE = Fraction(1)
REPEATS = (1, 2, 3, 5)
WAYS_THERE = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100))
"""How often the law is played, and how likely the state before it: what usual budgets allow."""


@dataclass(frozen=True)
class Idea:
    """What a refuted round says: a law, the likelihoods before it, the budget and the answer."""

    law: Law
    ratios: Mapping[str, Fraction]
    decision: str
    epsilon: Epsilon
    delta: Fraction
    parameters: Mapping[str, object]
    index: int


def first_idea(found: Refutation) -> Idea:
    """Return the part of a refuted round from which a search can start."""
    here = found.round
    most = max(here.mass.values())
    ratios = {x: Fraction(w) / most for x, w in here.mass.items()}
    return Idea(
        here.law,
        ratios,
        str(found.broken.decision),
        here.epsilon,
        here.delta,
        here.parameters,
        here.index,
    )


def games(idea: Idea) -> list[Case]:
    """Return small games that reach such a state and then play the law.

    Only laws of more than one output can be a violation; of the others nothing is returned.
    """
    if len(idea.law) < 2:
        return []
    return list(_cases(idea))


def _cases(idea: Idea) -> Iterator[Case]:
    for repeats in REPEATS:
        last = _repeat(idea.law, repeats)
        yield _case(f"the law x {repeats}", idea, last)
        for share in WAYS_THERE:
            yield _case(f"tilt {share}, then the law x {repeats}", idea, _tilt(idea, share, last))
        yield _case(f"spend, then the law x {repeats}", idea, _spend_first(idea, last))


def _case(name: str, idea: Idea, menu: Menu) -> Case:
    databases = tuple(idea.ratios)
    pairs = [(a, b) for a in databases for b in databases if a < b]
    made = Game(databases, pairs, menu)
    return Case(f"refuted round: {name}", made, idea.epsilon, idea.delta, dict(idea.parameters))


def _repeat(law: Law, times: int) -> Menu:
    """The law several times in a row, whatever its outputs."""
    menu: Menu = {"go": Mechanism(law)}
    for _ in range(times - 1):
        menu = {"go": Mechanism(law, dict.fromkeys(law, menu))}
    return menu


def _tilt(idea: Idea, share: Fraction, then: Menu) -> Menu:
    """One round whose output "there" has likelihoods in the proportion of the refuted round."""
    there = {x: share * ratio for x, ratio in idea.ratios.items()}
    law: dict[Output, dict[str, Fraction]] = {
        "there": there,
        "else": {x: 1 - p for x, p in there.items()},
    }
    return {"go": Mechanism(law, {"there": then})}


def _spend_first(idea: Idea, then: Menu) -> Menu:
    """An erasure that costs half of δ: the budget is in use when the law comes."""
    p = idea.delta / 2
    if not p:
        return _tilt(idea, Fraction(1, 2), then)
    databases = tuple(idea.ratios)
    law = {
        **{f"is {x}": {a: p if a == x else Fraction(0) for a in databases} for x in databases},
        "?": dict.fromkeys(databases, ONE - p),
    }
    return {"go": Mechanism(law, {"?": then})}
