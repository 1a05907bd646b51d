"""Algorithm 1 of the paper, the realisation-level filter, exactly as published.

    1  choose δ̃ in [0, δ], θ in [0, 1] and N >= 1 with δ̃ + θ(1 - δ̃)N <= δ
    2  i <- 0,  l^(-1) <- 0
    3  while i <= N:
    4      receive r_i
    5      execute M_i(r^i, y^{i-1}, x) to obtain and release y_i
    6      if δ̂_{i+1} > δ̃ (if `eq: better check` is false): break
    7      l^(i)(x,x′) <- l^(i-1)(x,x′) + l_i(x,x′)   for all x ~ x′
    8      i <- i + 1

Lines 3 to 6 are one answer here.  The filter knows r^i and y^{i-1}; it always runs M_i, and it
decides before y_i is drawn whether a request i+1 will still be taken.  It will, if for every
neighbouring pair and every request r_{i+1} the output Y_i is *safe* with probability at least
1 - θ, where

    Ỹ_i(z) = { y_i : P_x( L_{i+1} > ε - l^(i) | r^{i+1}, y^i ) <= z }        (safe for z = δ̃)

is the set of outputs after which request r_{i+1} overshoots ε with probability at most z.  The
loss l of line 7 is carried by the step: e^l is a ratio of masses, a rational number, and adding
to l is multiplying the masses (`add_loss`).  Whether L > ε - l is decided in `exact`, where mpmath
encloses e^ε.

This rule is a *known-bad specimen*.  Theorem 1 claims that it is (ε, δ)-DP, but the quantifiers
are in the wrong order: see `repaired`.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, ClassVar

from filterproof.exact import Epsilon, budget, rational
from filterproof.filter import Decision
from filterproof.filters.parameters import ParameterError, is_whole
from filterproof.game import Request, Step
from filterproof.game.law import Database, Output, Pair
from filterproof.privacy import risk


@dataclass(frozen=True)
class Algorithm1:
    """Releases y_i, then stops unless `eq: better check` holds or N is reached."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    N: int
    theta: Fraction
    delta_tilde: Fraction

    def __post_init__(self) -> None:
        budget(self.epsilon)  # line 1
        for name in ("delta", "theta", "delta_tilde"):
            if not 0 <= rational(getattr(self, name)) <= 1:
                raise ParameterError(f"need 0 <= {name} <= 1; got {getattr(self, name)}")
        if not is_whole(self.N) or self.N < 1:
            raise ParameterError(f"need an integer N >= 1; got {self.N!r}")
        self.check_parameters()

    def check_parameters(self) -> None:
        """Require δ̃ + θ(1 - δ̃)N <= δ, the constraint of line 1."""
        spent = self.delta_tilde + self.theta * (1 - self.delta_tilde) * self.N
        if spent > self.delta:
            raise ParameterError(
                "need delta_tilde + theta*(1 - delta_tilde)*N <= delta; got "
                f"{spent} > {self.delta} ({self.delta_tilde=!s}, {self.theta=!s}, {self.N=})"
            )

    def start(self) -> None:
        """Line 2: return the empty state; the step carries i and l, and l^(-1) = 0."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Lines 3 to 6: run M_i in any case; take request i+1 iff i+1 <= N and the check holds."""
        if step.index + 1 <= self.N and self.holds(step, self.delta_tilde):
            return Decision.CONTINUE, None
        return Decision.LAST, None

    def holds(self, step: Step, z: Fraction) -> bool:
        """`eq: better check`: inf over x ~ x′ and r_{i+1} of P_x(Y_i ∈ Ỹ_i(z)) >= 1 - θ."""
        return all(
            probability(
                step, pair, [y for y in step.mechanism.law if self.safe(step, y, r, pair, z)]
            )
            >= 1 - self.theta
            for pair in step.pairs
            for r in step.requests_after
        )

    def safe(self, step: Step, y: Output, r: Request, pair: Pair, z: Fraction) -> bool:
        """Whether y_i ∈ Ỹ_i(z) for the request r_{i+1} = r."""
        return overshoot(step, y, r, pair, self.epsilon) <= z

    def delta_hat(self, step: Step) -> Fraction:
        """`eq: delta hat def`: the smallest z in [0, 1] for which the check holds.

        The check changes only where z passes an overshoot, so the infimum is one of them or 0.
        """
        risks = {
            overshoot(step, y, r, pair, self.epsilon)
            for y in step.mechanism.law
            for r in step.requests_after
            for pair in step.pairs
        }
        return min(z for z in risks | {Fraction(0), Fraction(1)} if self.holds(step, z))

    # --- for the engine and the search: no part of the published rule ---

    markov: ClassVar[bool] = True

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer N = depth with all of δ spent on θ, all of it on δ̃, and half on each."""
        for delta_tilde in (Fraction(0), delta, delta / 2):
            room = (1 - delta_tilde) * depth
            theta = (delta - delta_tilde) / room if room else Fraction(0)
            yield {"N": depth, "theta": min(theta, Fraction(1)), "delta_tilde": delta_tilde}


def probability(step: Step, pair: Pair, outputs: list[Output]) -> Fraction:
    """Return P_x(Y_i ∈ outputs | r^i, y^{i-1}) for the first database of the pair."""
    return sum((step.mechanism.law[y][pair[0]] for y in outputs), Fraction(0))


def overshoot(step: Step, y: Output, r: Request, pair: Pair, epsilon: Epsilon) -> Fraction:
    """Return P_x(L_{i+1} > ε - l^(i) | r^{i+1}, y^i) for r_{i+1} = r; a closed r is silent."""
    ahead = step.mechanism.after[y].get(r, step.game.silent)
    return risk(ahead.law, pair, add_loss(step, y), epsilon)


def add_loss(step: Step, y: Output) -> dict[Database, Fraction]:
    """Line 7: return masses whose ratios are e^l^(i) for l^(i) = l^(i-1) + l_i, l_i that of y_i."""
    return {x: step.mass[x] * p for x, p in step.mechanism.law[y].items()}
