"""Look-ahead filters decided by one comparison per pair, instead of one per future transcript.

A filter that weighs realised losses answers yes for a pair (x, x′) iff  w_x <= e^ε·C·w_x′  for a
rational C, its *cut*, that depends on the mechanism and not on the history.  For the risk of one
round: an output y overshoots iff  w_x·p > e^ε·w_x′·q, so the outputs of smallest q/p overshoot
first, and the risk is within z iff the one that would bring their sum above z does not.
Algorithm 1 applies this twice, once to the round ahead and once to the round itself.  The cuts
are exact, the filters' own `decide` stays the specification, and the tests compare the two.

Cuts belong to exact types: a subclass that changes a rule is asked for its own answers.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.naive import Naive, NaiveOverN
from filterproof.filters.repaired import Repaired, RepairedSharp
from filterproof.game import Step
from filterproof.game.law import Law, Output, Pair

Cut = Fraction | None
"""None: the answer is yes whatever the likelihoods."""


@dataclass(frozen=True)
class Answers:
    """The answer if every pair stays within its cut, and the answer if one does not."""

    cuts: dict[Pair, Cut]
    within: Decision
    beyond: Decision


def risk_cut(law: Law, pair: Pair, allowed: Fraction) -> Cut:
    """Return C such that  P_x(L > ε - l) <= allowed  iff  w_x <= e^ε·C·w_x′.

    >>> p, q = Fraction(3, 4), Fraction(1, 4)
    >>> rr = {"0": {"a": p, "b": q}, "1": {"a": q, "b": p}}
    >>> risk_cut(rr, ("a", "b"), Fraction(1, 2)), risk_cut(rr, ("a", "b"), Fraction(1))
    (Fraction(1, 3), None)
    """
    x, x_ = pair
    total = Fraction(0)
    for ratio, p in sorted((row[x_] / row[x], row[x]) for row in law.values() if row[x]):
        total += p
        if total > allowed:
            return ratio
    return None


def lowest(cuts: Iterable[Cut]) -> Cut:
    """Return the cut that is within all of these."""
    return min((cut for cut in cuts if cut is not None), default=None)


class CutBook:
    """The cuts of one filter, each worked out once per mechanism."""

    def __init__(self, rule: Any) -> None:
        self.rule = rule
        self.known: dict[tuple[int, bool], Answers | None] = {}
        self.risks: dict[tuple[int, Pair], Cut] = {}

    def answers(self, step: Step) -> Answers | None:
        """Return the answers in this round; None for a filter that has no cuts."""
        make = _CUTS.get(type(self.rule))
        if make is None:
            return None
        late = step.index > getattr(self.rule, "N", step.index) - make.look_ahead
        key = (id(step.mechanism), late)
        if key not in self.known:
            cuts = {} if late else {pair: make.cut(self, step, pair) for pair in step.game.pairs}
            within = make.beyond if late else Decision.CONTINUE
            self.known[key] = Answers(cuts, within, make.beyond)
        return self.known[key]

    def risk(self, law: Law, pair: Pair, allowed: Fraction) -> Cut:
        """Return the cut of one law's risk; a filter always allows the same."""
        key = (id(law), pair)
        if key not in self.risks:
            self.risks[key] = risk_cut(law, pair, allowed)
        return self.risks[key]


def _one_round(book: CutBook, step: Step, pair: Pair) -> Cut:
    return book.risk(step.mechanism.law, pair, book.rule.delta / getattr(book.rule, "N", 1))


def _safe(book: CutBook, step: Step, pair: Pair, r: str, y: Output) -> Cut:
    """Return C such that y_i is safe for r iff  w_x <= e^ε·C·w_x′."""
    ahead = step.mechanism.after[y].get(r, step.game.silent)
    cut = book.risk(ahead.law, pair, book.rule.delta_tilde)
    row = step.mechanism.law[y]
    return None if cut is None else cut * row[pair[1]] / row[pair[0]]


def _chance_cut(book: CutBook, step: Step, pair: Pair, safe: Callable[[Output], Cut]) -> Cut:
    """Return C such that  P_x(y_i is safe) >= 1 - θ  iff  w_x <= e^ε·C·w_x′."""
    x = pair[0]
    chances = [(safe(y), row[x]) for y, row in step.mechanism.law.items() if row[x]]
    needed = 1 - book.rule.theta - sum((p for cut, p in chances if cut is None), Fraction(0))
    falling = sorted(((cut, p) for cut, p in chances if cut is not None), reverse=True)
    for cut, p in falling if needed > 0 else ():
        needed -= p
        if needed <= 0:
            return cut
    return None


def _published_cut(book: CutBook, step: Step, pair: Pair) -> Cut:
    requests = step.requests_after
    return lowest(
        _chance_cut(book, step, pair, partial(_safe, book, step, pair, r)) for r in requests
    )


def _repaired_cut(book: CutBook, step: Step, pair: Pair) -> Cut:
    def safe(y: Output) -> Cut:
        return lowest(_safe(book, step, pair, r, y) for r in step.requests_after)

    return _chance_cut(book, step, pair, safe)


@dataclass(frozen=True)
class _Rule:
    """How a filter's cuts are made, what it answers beyond them, and whether it looks ahead.

    A filter with N answers like that in any case from round N + 1 on, or N if it looks ahead.
    """

    cut: Callable[[CutBook, Step, Pair], Cut]
    beyond: Decision
    look_ahead: bool


_CUTS: dict[type, _Rule] = {
    Algorithm1: _Rule(_published_cut, Decision.LAST, True),
    Repaired: _Rule(_repaired_cut, Decision.LAST, True),
    RepairedSharp: _Rule(_repaired_cut, Decision.LAST, True),
    Naive: _Rule(_one_round, Decision.HALT, False),
    NaiveOverN: _Rule(_one_round, Decision.HALT, False),
}
