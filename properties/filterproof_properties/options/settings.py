"""How hard to try, and at which budget."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from filterproof.exact import Epsilon


@dataclass(frozen=True)
class Settings:
    """How hard to try (None: no limit of that kind), and at which budget (None: several).

    Without end (`seconds` is infinite) the search goes on until it is stopped by hand.
    With `exact` an excess of the size of rounding is a violation.
    """

    seed: int = 0
    seconds: float | None = None
    examples: int | None = None
    jobs: int = 1
    cluster: str | None = None
    attacks: bool = True
    proved: bool = False
    exact: bool = False
    no_memory: bool = False
    corpus: str | None = None
    epsilon: Epsilon | None = None
    delta: Fraction | None = None

    @property
    def endless(self) -> bool:
        """Whether the search goes on until it is stopped."""
        return self.seconds == inf

    @property
    def budget_is_fixed(self) -> bool:
        """Whether the user named a budget."""
        return self.epsilon is not None or self.delta is not None
