"""A step without a history, for filters that declare that they need none.

Merged histories have no single history to show.  A filter that declares `markov` gets a
`MergedStep`: reading its history raises, so a false declaration is an error and never a wrong
answer.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NoReturn

from filterproof.filter import ProtocolError
from filterproof.game import Game, Mechanism, Request, Step, coprime
from filterproof.game.law import Database, Output


class HistoryHidden(ProtocolError):
    """A filter that declares `markov` looked at the history."""


class MergedStep(Step):
    """A step that stands for many histories at once; asking which one is an error."""

    def __init__(
        self,
        index: int,
        request: Request,
        mass: Mapping[Database, Fraction],
        game: Game,
        menu: Mapping[Request, Mechanism],
    ) -> None:
        what = {"index": index, "request": request, "mechanism": menu[request]}
        self.__dict__.update(what, mass=mass, game=game, menu=menu)

    @property
    def history(self) -> NoReturn:
        """Raise: the filter said that it does not depend on this."""
        raise HistoryHidden("the filter declares markov = True but reads the history")

    def next(self, y: Output, request: Request) -> "MergedStep":
        """Return the step after y and one more request, the history still hidden."""
        menu, mass = self.mechanism.after[y], coprime(self.released(y))
        return MergedStep(self.index + 1, request, mass, self.game, menu)

    def instead(self, request: Request) -> "MergedStep":
        """Return the step with another request of the same menu, the history still hidden."""
        return MergedStep(self.index, request, self.mass, self.game, self.menu)

    def __repr__(self) -> str:
        return f"MergedStep(index={self.index}, request={self.request!r})"
