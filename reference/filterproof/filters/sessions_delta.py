"""Sessions that are paid for by one (ε, δ) each: what begins is charged once, and goes on.

As in `sessions.py` the rounds of a session share a name before the colon.  The request that begins
one declares the session's odds e^ε_s; its δ_s is the most that *all its rounds together* can leak
beyond these odds, whatever is asked, and whatever other sessions answer in between.  A request
without a colon is a session of one round.

`PayOnceDelta` begins a session iff the odds of all multiply to at most e^ε and the δ_s add up to at
most δ.  That is private however the sessions are interleaved (`sessions_private` in
`proofs/coq/Sessions.v`).  The other two are known-bad: one believes what the first request
declares, which is true of that round and not of the session; the other charges only the largest
δ_s, as for parts of the data of which a neighbour changes one.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget, per_mechanism
from filterproof.filters.sessions import ONE, session
from filterproof.game import Mechanism, Step
from filterproof.game.law import Declared, Output

NOTHING = Fraction(0)


@dataclass(frozen=True)
class Account:
    """The product of the odds that were charged, what was charged of δ, and who has begun."""

    odds: Fraction = ONE
    delta: Fraction = NOTHING
    begun: tuple[str, ...] = ()


@dataclass(frozen=True)
class PayOnceDelta:
    """Runs what belongs to a session that was paid for; begins one iff all of them fit."""

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Account:
        """Return that nothing has begun."""
        return Account()

    def decide(self, state: Account, step: Step) -> tuple[Decision, Account]:
        """Run M_i iff its session has begun, or fits beside those that have."""
        begins = {session(step.request)} if is_session(step.request) else set[str]()
        if begins & {*state.begun}:
            return Decision.CONTINUE, state
        price = self.price(step)
        odds, delta = state.odds * price.odds, self.together(state.delta, price.delta)
        if delta > self.delta or exceeds(odds, ONE, self.epsilon):
            return Decision.REFUSE, state
        return Decision.CONTINUE, Account(odds, delta, tuple(sorted({*state.begun} | begins)))

    def price(self, step: Step) -> Declared:
        """Return the odds that this request declares, and what its session needs beside them."""
        mechanism, declared = step.mechanism, step.mechanism.declared
        if not is_session(step.request):
            return declared
        name, pairs = session(step.request), range(len(mechanism.pairs))
        leaks = (session_leak(mechanism, (name, True, i, declared.odds)) for i in pairs)
        return Declared(declared.odds, max(leaks))

    def together(self, charged: Fraction, asked: Fraction) -> Fraction:
        """Return the sum of the δ_s."""
        return charged + asked


class PayUnchecked(PayOnceDelta):
    """Known-bad: what the first request declares is believed of the whole session."""

    def price(self, step: Step) -> Declared:
        """Return the declared pair of this round."""
        return step.mechanism.declared


class PayLargestDelta(PayOnceDelta):
    """Known-bad: of the δ_s only the largest counts, as if only one session could fail."""

    def together(self, charged: Fraction, asked: Fraction) -> Fraction:
        """Return the larger one."""
        return max(charged, asked)


# --- what a session needs beside its odds -------------------------------------------------------


def is_session(request: str) -> bool:
    """Return whether a request is a round of a session that may have more of them."""
    return ":" in request


@per_mechanism
def session_leak(mechanism: Mechanism, key: tuple[str, bool, int, Fraction]) -> Fraction:
    """Return the most of P_x beyond odds·P_x′ that a session can leak from here on, P_x being 1.

    The key is the session's name, whether this round belongs to it, the number of the ordered pair,
    and odds·P_x′/P_x of the session's rounds so far.  What others answer in between is chosen by
    the adversary, who may stop at any time.
    """
    name, counts, number, share = key
    x, x_ = mechanism.pairs[number]
    rows = [(y, row[x], row[x_]) for y, row in mechanism.law.items() if row[x]]
    if not counts:
        return max(_afterwards(mechanism, y, name, number, share) for y, _, _ in rows)
    leaks = (p * _afterwards(mechanism, y, name, number, share * q / p) for y, p, q in rows)
    return sum(leaks, NOTHING)


def _afterwards(
    mechanism: Mechanism, y: Output, name: str, number: int, share: Fraction
) -> Fraction:
    """Return the same after an output: the most of stopping and of every request of the menu."""
    further = (
        session_leak(one, (name, is_session(request) and session(request) == name, number, share))
        for request, one in mechanism.after[y].items()
    )
    return max(NOTHING, 1 - share, *further)
