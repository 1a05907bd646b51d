"""Filters from advanced composition: sums of ε_i² under a root, at the cost of some δ.

All read the declared (ε_i, δ_i) and need logarithms of the odds, so their tests are decided
by enclosures up to a precision cap; at the cap the filter halts and its state says so.

* `Rogers`, sound: Rogers, Roth, Ullman and Vadhan, Theorem 5.1.
* `AdvancedPrinted`, a *known-bad specimen*: as the paper prints that theorem, with the test
  δ′ + sum of 2δ_i/(ε_i·e^ε_i) <= δ.  A mechanism that reveals x is (ε_i, 1)-DP for every ε_i, and
  the larger ε_i it declares the less it is charged.
* `BasicOrAdvanced`, a *known-bad specimen*: that theorem or basic composition, whichever fits.
* `Whitehouse`, sound: Whitehouse, Ramdas, Rogers and Wu, fully adaptive composition.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, ClassVar

from filterproof.exact import Epsilon, Log, exceeds, rational, sign_by_enclosure
from filterproof.filter import Decision
from filterproof.filters.additive import NOTHING
from filterproof.filters.common import Open, check_budget, continue_if, real
from filterproof.filters.parameters import ParameterError
from filterproof.game import Step
from filterproof.game.law import Declared

Spent = tuple[tuple[Fraction, int, Fraction], ...]
"""For each odds declared so far, in order: how often, and the sum of the δ_i that went with it."""

CONSTANT = Fraction(701, 25)  # the theorem's 28.04


@dataclass(frozen=True)
class Rogers:
    """Halts if the sum of the δ_i exceeds δ/2 or ε is below the bound of Theorem 5.1.

    The theorem needs 0 < δ < 1/e and ε > 0; outside that range nothing is promised and no
    request is answered.
    """

    epsilon: Epsilon
    delta: Fraction

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Spent:
        """Return that nothing is spent yet."""
        return ()

    def decide(self, state: Spent, step: Step) -> tuple[Decision, Spent | Open]:
        """Run M_i iff the test passes with its declared pair added; round 0 is free."""
        if step.index == 0:
            return Decision.CONTINUE, state
        spent = spend(state, step.mechanism.declared)
        return continue_if(lambda: self.fits(spent), spent)

    def fits(self, spent: Spent) -> bool:
        """Whether the δ_i stay within δ/2 and ε covers the bound, with logarithms of δ."""
        in_range = is_positive(self.epsilon) and self.delta > 0 and below_one_over_e(self.delta)
        return (
            in_range
            and 2 * total_delta(spent) <= self.delta
            and advanced_fits(spent, self.epsilon, self.delta)
        )


@dataclass(frozen=True)
class BasicOrAdvanced(Rogers):
    """Runs M_i iff basic composition fits *or* that theorem does, each with all of δ.

    A *known-bad specimen*: whoever is ahead spends δ at once, and the others go on with theirs.
    """

    share: ClassVar[Fraction] = Fraction(1)

    def fits(self, spent: Spent) -> bool:
        """Whether one of the two tests passes with its share of δ."""
        rogers = Rogers(self.epsilon, self.share * self.delta)
        return rogers.fits(spent) or basic_fits(spent, rogers.epsilon, rogers.delta)


@dataclass(frozen=True)
class Split(Rogers):
    """A part δ′ of δ pays for the composition, the rest for the δ_i."""

    _: KW_ONLY
    delta_prime: Fraction

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)
        check_part(self.delta_prime, self.delta)


@dataclass(frozen=True)
class AdvancedPrinted(Split):
    """Halts if δ′ + sum of 2δ_i/(ε_i·e^ε_i) exceeds δ, or ε is below the bound with δ′ for δ."""

    def fits(self, spent: Spent) -> bool:
        """Whether both printed tests pass; 2δ_i/(ε_i·e^ε_i) is infinite at ε_i = 0 < δ_i."""
        in_range = is_positive(self.epsilon) and 0 < self.delta_prime < 1
        return (
            in_range
            and printed_delta_fits(spent, self.delta - self.delta_prime)
            and advanced_fits(spent, self.epsilon, self.delta_prime)
        )

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer half of δ as δ′."""
        yield {"delta_prime": delta / 2}


@dataclass(frozen=True)
class Whitehouse(Split):
    """Runs M_i iff √(2·log(1/δ′)·Σε_j²) + Σε_j²/2 <= ε and the δ_j add up to at most δ - δ′."""

    def fits(self, spent: Spent) -> bool:
        """Whether both sums fit; with δ′ = 0 nothing is promised and nothing runs."""
        return (
            self.delta_prime > 0
            and total_delta(spent) <= self.delta - self.delta_prime
            and whitehouse_fits(spent, self.epsilon, self.delta_prime)
        )

    @classmethod
    def parameters(cls, epsilon: Epsilon, delta: Fraction, depth: int) -> Iterator[dict[str, Any]]:
        """Offer half of δ, and all of it, as δ′."""
        yield {"delta_prime": delta / 2}
        yield {"delta_prime": delta}


def check_part(part: Fraction, whole: Fraction) -> None:
    """Require 0 <= δ′ <= δ."""
    if not 0 <= rational(part) <= whole:
        raise ParameterError(f"need 0 <= delta_prime <= delta; got {part} and {whole}")


def is_positive(epsilon: Epsilon) -> bool:
    """Return whether ε > 0."""
    return epsilon.argument > 1 if isinstance(epsilon, Log) else epsilon > 0


def below_one_over_e(delta: Fraction) -> bool:
    """Return whether δ < 1/e, that is, 1 > e·δ."""
    return exceeds(Fraction(1), delta, Fraction(1))


# --- sums over what was declared ------------------------------------------------------------


def spend(spent: Spent, asked: Declared) -> Spent:
    """Add one declared pair, kept sorted so that the order of the rounds does not matter.

    >>> spend(spend((), Declared(Fraction(2), Fraction(0))), Declared(Fraction(2), Fraction(1, 9)))
    ((Fraction(2, 1), 2, Fraction(1, 9)),)
    """
    if asked == NOTHING:
        return spent
    sums = {odds: (count, delta) for odds, count, delta in spent}
    count, delta = sums.get(asked.odds, (0, Fraction(0)))
    sums[asked.odds] = count + 1, delta + asked.delta
    return tuple((odds, *sums[odds]) for odds in sorted(sums))


def total_delta(spent: Spent) -> Fraction:
    """Return the sum of the δ_i."""
    return sum((delta for _, _, delta in spent), Fraction(0))


def basic_fits(spent: Spent, epsilon: Epsilon, delta: Fraction) -> bool:
    """Return whether the ε_i add up to at most ε, and the δ_i to at most δ."""
    total = prod((odds**count for odds, count, _ in spent), start=Fraction(1))
    return total_delta(spent) <= delta and not exceeds(total, Fraction(1), epsilon)


def squares(iv: Any, spent: Spent) -> Any:
    """Return the sum of ε_i² as an interval."""
    return sum((count * real(iv, Log(odds)) ** 2 for odds, count, _ in spent), iv.mpf(0))


@lru_cache(maxsize=4096)
def advanced_fits(spent: Spent, epsilon: Epsilon, delta: Fraction) -> bool:
    """Return whether ε is at least the bound `eq: advanced f`, with its logarithms of delta."""

    def gap(iv: Any) -> Any:
        total, budget = squares(iv, spent), real(iv, epsilon)
        scale = real(iv, CONSTANT) * iv.log(1 / real(iv, delta)) / budget**2
        drift = sum(
            (count * real(iv, Log(odds)) * real(iv, odds - 1) / 2 for odds, count, _ in spent),
            iv.mpf(0),
        )
        spread = 2 * (total + 1 / scale) * (1 + iv.log(scale * total + 1) / 2)
        return drift + iv.sqrt(spread * iv.log(2 / real(iv, delta))) - budget

    return sign_by_enclosure(gap) <= 0


@lru_cache(maxsize=4096)
def printed_delta_fits(spent: Spent, room: Fraction) -> bool:
    """Return whether the sum of 2δ_i/(ε_i·e^ε_i) is at most the room."""
    if any(delta and odds == 1 for odds, _, delta in spent):
        return False
    priced = [(odds, delta) for odds, _, delta in spent if delta]
    if not priced:
        return room >= 0

    def gap(iv: Any) -> Any:
        terms = (2 * real(iv, delta / odds) / real(iv, Log(odds)) for odds, delta in priced)
        return sum(terms, iv.mpf(0)) - real(iv, room)

    return sign_by_enclosure(gap) <= 0


@lru_cache(maxsize=4096)
def whitehouse_fits(spent: Spent, epsilon: Epsilon, delta_prime: Fraction) -> bool:
    """Return whether √(2·log(1/δ′)·Σε_i²) + Σε_i²/2 <= ε; nothing spent always fits."""
    if all(odds == 1 for odds, _, _ in spent):
        return True

    def gap(iv: Any) -> Any:
        total = squares(iv, spent)
        root = iv.sqrt(2 * iv.log(1 / real(iv, delta_prime)) * total)
        return root + total / 2 - real(iv, epsilon)

    return sign_by_enclosure(gap) <= 0
