"""Interactive mechanisms as one request: a session is paid for when it begins, and then goes on.

A sparse vector or an analyst's own adaptive procedure answers many questions for *one* price, less
than that of its rounds added up.  The rounds of a session share a name, which stands before the
colon of a request ("svt: is q above?"); several sessions may be interleaved.  A request without
a colon is a session of one round.

`PayOnce` charges a session, when it begins, the largest loss that *all its rounds together* can
have on any way through what may still be asked, whatever comes in between; it then runs them all.
So no loss exceeds ε, and `bayesian_private` applies; an analysis that was begun is never cut off.
The other two are known-bad: one charges the first round and calls that the session, the other
charges only the dearest of the sessions because "one answers at a time".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget, per_mechanism
from filterproof.game import Mechanism, Request, Step

Odds = Fraction | None
"""e^loss of a session; None where an output can rule a database out."""
Books = tuple[tuple[str, Fraction], ...]
"""The sessions that have begun, in the order of their names, and what each was charged."""

ONE = Fraction(1)


@dataclass(frozen=True)
class PayOnce:
    """Runs what belongs to a session that was paid for; begins one iff all prices fit into e^ε."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Books:
        """Return that nothing has begun."""
        return ()

    def decide(self, state: Books, step: Step) -> tuple[Decision, Books]:
        """Run M_i iff its session has begun, or fits beside those that have."""
        name, books = session(step.request), dict(state)
        if name in books and ":" in step.request:
            return Decision.CONTINUE, state
        price = self.price(step, name)
        if price is None:
            return Decision.REFUSE, state
        after = {**books, name: books.get(name, ONE) * price}
        if exceeds(self.total(after.values()), ONE, self.epsilon):
            return Decision.REFUSE, state
        return Decision.CONTINUE, tuple(sorted(after.items()))

    def price(self, step: Step, name: str) -> Odds:
        """Return e^loss of all rounds of the session that may still come, this one first."""
        return largest(session_odds(step.mechanism, (name, True)))

    def total(self, prices: Iterable[Fraction]) -> Fraction:
        """Return the product of what was charged."""
        product = ONE
        for price in prices:
            product *= price
        return product


class PayFirstRound(PayOnce):
    """Known-bad: what a session is charged is the loss of its first round."""

    def price(self, step: Step, name: str) -> Odds:
        """Return e^loss of this round alone."""
        return largest(round_odds(step.mechanism))


class PayLargest(PayOnce):
    """Known-bad: of interleaved sessions only the dearest counts, as if one answered for all."""

    def total(self, prices: Iterable[Fraction]) -> Fraction:
        """Return the largest charge."""
        return max(prices)


# --- what a session costs -------------------------------------------------------------------


def session(request: Request) -> str:
    """Return the name of a request's session.

    >>> session("svt: is q above?"), session("count")
    ('svt', 'count')
    """
    return request.partition(":")[0]


def largest(odds: Iterable[Odds]) -> Odds:
    """Return the largest of all pairs; None if one is infinite."""
    known = [*odds]
    finite = [each for each in known if each is not None]
    return max(finite, default=ONE) if len(finite) == len(known) else None


def round_odds(mechanism: Mechanism) -> tuple[Odds, ...]:
    """Return, for each ordered pair, the largest P_x(y)/P_x′(y) of one round."""
    rows = mechanism.law.values()
    return tuple(
        largest(row[x] / row[x_] if row[x_] else None for row in rows if row[x])
        for x, x_ in mechanism.pairs
    )


@per_mechanism
def session_odds(mechanism: Mechanism, key: tuple[str, bool]) -> tuple[Odds, ...]:
    """Return, for each ordered pair, the largest product of a session's ratios from here on.

    The key is the session's name, and whether this round belongs to it.  Rounds of others in
    between count as 1, and the worst way through all outputs and requests is taken.
    """
    name, counts = key
    ways: list[tuple[Odds, ...]] = []
    for y, row in mechanism.law.items():
        below = _afterwards(mechanism, y, name)
        here = (_ratio(row[x], row[x_]) if counts else ONE for x, x_ in mechanism.pairs)
        ways.append(tuple(map(_times, here, below)))
    return tuple(map(largest, zip(*ways, strict=True)))


def _afterwards(mechanism: Mechanism, y: str, name: str) -> tuple[Odds, ...]:
    """Return the same from the menu after an output; 1 where nothing of the session may follow."""
    found = [(ONE,) * len(mechanism.pairs)] + [
        session_odds(one, (name, session(request) == name and ":" in request))
        for request, one in mechanism.after[y].items()
    ]
    return tuple(map(largest, zip(*found, strict=True)))


def _ratio(p: Fraction, q: Fraction) -> Odds:
    """Return p/q; 0 where the output is impossible under x, as it is no way then."""
    return Fraction(0) if not p else p / q if q else None


def _times(here: Odds, below: Odds) -> Odds:
    """Return the product; 0 wins over an infinite one, because that way cannot be gone."""
    if here == 0:
        return here
    return None if here is None or below is None else here * below
