"""How hard to try, and at which budget."""

from dataclasses import dataclass
from fractions import Fraction

from filterproof.exact import Epsilon


@dataclass(frozen=True)
class SearchSettings:
    """How hard to try, at which budget (None: several), and which claim to break."""

    seed: int = 0
    seconds: float | None = None
    examples: int | None = None
    attacks: bool = True
    epsilon: Epsilon | None = None
    delta: Fraction | None = None
    max_rounds: int = 3
    max_requests: int = 3
    max_databases: int = 3
    claim: str = "dp"


@dataclass(frozen=True)
class Settings:
    """How hard to try (None: no limit of that kind), and at which budget (None: several)."""

    seed: int = 0
    seconds: float | None = None
    examples: int | None = None
    jobs: int = 1
    cluster: str | None = None
    attacks: bool = True
    epsilon: Epsilon | None = None
    delta: Fraction | None = None

    @property
    def budget_is_fixed(self) -> bool:
        """Whether the user named a budget."""
        return self.epsilon is not None or self.delta is not None

    def for_search(self, claim: str) -> SearchSettings:
        """Return the settings of a search for a breach of one claim."""
        return SearchSettings(
            self.seed,
            self.seconds,
            self.examples,
            self.attacks,
            self.epsilon,
            self.delta,
            claim=claim,
        )
