"""Algorithm 1 on equal finite rounds: its threshold κ and its best parameters, exactly.

The paper remarks that Proposition 1 "extends to general i.i.d. mechanisms for suitable κ".  On
finite mechanisms the extension is exact.  Let O = P_x(Y)/P_x′(Y) be the odds of one output, and
q(t) the smallest odds v with P_x(O > v) <= t.  With ρ = w_x/w_x′ so far,

    P_x(ρ·o_y·O > e^ε) <= δ̃   iff   ρ·o_y <= e^ε / q(δ̃),     and then
    P_x(y is safe) >= 1 - θ     iff   ρ <= e^ε / (q(δ̃)·q(θ)).

So  e^κ = e^ε / (q(δ̃)·q(θ)):  a rational divisor per ordered pair, and nothing is rounded.
q is a step function, so only the tails P_x(O > v) themselves are worth trying as δ̃ and θ.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import log

from filterproof.exact import Epsilon, Log, exceeds
from filterproof.game import coprime
from filterproof.game.law import Database, Law, Pair

Divisor = Fraction | None
"""A product of two quantiles of the odds; None where it is infinite."""


def odds_quantile(law: Law, pair: Pair, tail: Fraction) -> Divisor:
    """Return q(tail): the smallest odds v with P_x(O > v) <= tail, 0 if every v will do.

    >>> third = Fraction(1, 3)
    >>> law = {"a": {"0": 2 * third, "1": third}, "b": {"0": third, "1": 2 * third}}
    >>> odds_quantile(law, ("0", "1"), Fraction(1, 2)), odds_quantile(law, ("0", "1"), 2 * third)
    (Fraction(2, 1), Fraction(1, 2))
    """
    x, x_ = pair
    rows = [row for row in law.values() if row[x]]
    above = sum((row[x] for row in rows if not row[x_]), Fraction(0))
    if above > tail:
        return None
    finite = sorted(((row[x] / row[x_], row[x]) for row in rows if row[x_]), reverse=True)
    for odds, p in finite:
        above += p
        if above > tail:
            return odds
    return Fraction(0)


def tails(law: Law, pairs: Iterable[Pair]) -> set[Fraction]:
    """Return 0 and every P_x(O > v): the only values of δ̃ and θ at which a quantile changes."""
    found = {Fraction(0)}
    for x, x_ in pairs:
        mass: dict[Fraction, Fraction] = {}
        for row in law.values():
            if row[x]:
                inverse = row[x_] / row[x]
                mass[inverse] = mass.get(inverse, Fraction(0)) + row[x]
        found |= set(accumulate(mass[inverse] for inverse in sorted(mass)))
    return found


@dataclass(frozen=True)
class Threshold:
    """The rule "round i+1 is open iff w_x·divisor <= e^ε·w_x′ for every pair", from round 1 on."""

    epsilon: Epsilon
    first: Mapping[Pair, Divisor]
    divisors: Mapping[Pair, Divisor]

    def opens(self) -> bool:
        """Return whether y_1 is released: Y_0 is fixed, so q(δ̃) alone decides."""
        return all(_within(self.epsilon, d, Fraction(1), Fraction(1)) for d in self.first.values())

    def allows(self, mass: Mapping[Database, Fraction]) -> bool:
        """Return whether y_{i+1} will be released, from the masses before round i (i >= 1)."""
        return all(
            _within(self.epsilon, divisor, mass[x], mass[x_])
            for (x, x_), divisor in self.divisors.items()
            if mass[x]
        )

    def kappa(self, pair: Pair) -> float:
        """Return κ = ε - log(divisor) as a float, for people to read."""
        divisor = self.divisors[pair]
        if not divisor:
            return float("-inf") if divisor is None else float("inf")
        epsilon = log(self.epsilon.argument) if isinstance(self.epsilon, Log) else self.epsilon
        return float(epsilon) - log(divisor)


def _within(epsilon: Epsilon, divisor: Divisor, mass: Fraction, mass_: Fraction) -> bool:
    return divisor is not None and not exceeds(mass * divisor, mass_, epsilon)


def threshold(
    law: Law, pairs: Iterable[Pair], epsilon: Epsilon, delta_tilde: Fraction, theta: Fraction
) -> Threshold:
    """Return the exact rule that Algorithm 1 amounts to when every round has this law."""
    first = {pair: odds_quantile(law, pair, delta_tilde) for pair in pairs}
    second = {pair: odds_quantile(law, pair, theta) for pair in first}
    return Threshold(epsilon, first, {p: _product(first[p], second[p]) for p in first})


def _product(one: Divisor, other: Divisor) -> Divisor:
    return None if one is None or other is None else one * other


# --- the best parameters --------------------------------------------------------------------


@dataclass(frozen=True)
class Best:
    """The (δ̃, θ) with the largest κ, the pair of databases with the least κ deciding."""

    delta_tilde: Fraction
    theta: Fraction
    rule: Threshold


def best_parameters(
    law: Law,
    pairs: tuple[Pair, ...],
    epsilon: Epsilon,
    delta: Fraction,
    N: int,
    *,
    sharp: bool = False,
) -> Best:
    """Return the best (δ̃, θ) for N rounds, by trying every one that matters.

    Among equal κ the first round's test is made as easy as possible.  Where no choice reaches
    κ >= 0 only that first round can run, and all of δ goes to it.
    """
    offers = _offers(law, pairs, delta, N, sharp)
    ranked = [Best(d, t, threshold(law, pairs, epsilon, d, t)) for d, t in offers]
    everyone = dict.fromkeys({x for pair in pairs for x in pair}, Fraction(1))
    second = [one for one in ranked if one.rule.opens() and one.rule.allows(everyone)]
    if N == 1 or not second:
        return min(ranked, key=lambda one: _worst(one.rule.first))
    return min(second, key=lambda one: (_worst(one.rule.divisors), _worst(one.rule.first)))


def _offers(
    law: Law, pairs: tuple[Pair, ...], delta: Fraction, N: int, sharp: bool
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield each δ̃ that matters with the largest θ that matters and is still admitted."""
    candidates = sorted(tails(law, pairs))
    for delta_tilde in candidates:
        admitted = [t for t in candidates if _admits(delta, delta_tilde, t, N, sharp)]
        if admitted:
            yield delta_tilde, max(admitted)


def _admits(delta: Fraction, delta_tilde: Fraction, theta: Fraction, N: int, sharp: bool) -> bool:
    """Return whether the filter's constraint holds, the paper's or the sharp one; θ < 1."""
    kept = (1 - delta_tilde) * (1 - theta) ** (N - 1)
    spent = 1 - kept if sharp else delta_tilde + theta * (1 - delta_tilde) * N
    return theta < 1 and spent <= delta


def _worst(divisors: Mapping[Pair, Divisor]) -> tuple[int, Fraction]:
    """Order divisors by the largest, an infinite one last."""
    finite = [d for d in divisors.values() if d is not None]
    return len(divisors) - len(finite), max(finite, default=Fraction(0))


# --- how long it runs -----------------------------------------------------------------------


def survival(law: Law, x: Database, rule: Threshold, rounds: int) -> list[Fraction]:
    """Return P_x(T >= t) for t = 1..rounds, exactly: equal likelihood ratios are merged."""
    if not rule.opens():
        return [Fraction(0)] * rounds
    start = coprime(dict.fromkeys(next(iter(law.values())), Fraction(1)))
    alive = {tuple(start.items()): Fraction(1)}
    curve = [Fraction(1)]
    while len(curve) < rounds:
        alive = {key: p for key, p in alive.items() if rule.allows(dict(key))}
        curve.append(sum(alive.values(), Fraction(0)))
        alive = _next_alive(law, x, alive)
    return curve


_Masses = tuple[tuple[Database, Fraction], ...]


def _next_alive(
    law: Law, x: Database, alive: Mapping[_Masses, Fraction]
) -> dict[_Masses, Fraction]:
    after: dict[_Masses, Fraction] = {}
    for key, p in alive.items():
        for row in law.values():
            if row[x]:
                masses = tuple(coprime({z: w * row[z] for z, w in key}).items())
                after[masses] = after.get(masses, Fraction(0)) + p * row[x]
    return after
