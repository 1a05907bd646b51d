"""The filter that runs every round: what a game costs if nobody stops it."""

from dataclasses import dataclass
from typing import ClassVar

from filterproof.filter import Decision
from filterproof.game import Step


@dataclass(frozen=True)
class RunAll:
    """Runs every round: what is audited of a game that stops by its own coins."""

    markov: ClassVar[bool] = True

    def start(self) -> None:
        """Return the empty state."""

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Run M_i."""
        return Decision.CONTINUE, None
