"""Steps that hide something, or notice that it was read.

Merged histories have no single history to show.  A filter that declares `markov` gets a
`MergedStep`: reading its history raises, so a false declaration is an error and never a wrong
answer.  A `WatchedStep` notices whether the likelihoods or the history were read: if neither was,
the answer holds wherever only these differ.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from filterproof.filter import ProtocolError
from filterproof.game import Game, History, Mechanism, Request, Step, coprime
from filterproof.game.law import Database, Output, Pair


class HistoryHidden(ProtocolError):
    """A filter that declares `markov` looked at the history."""


class LazyStep(Step):
    """A step that works out its likelihoods when they are first read."""

    def __init__(self, **known: Any) -> None:
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> Any:
        """Work out the likelihoods, the one thing that is not known from the start."""
        if name != "mass" or "find_mass" not in self.__dict__:
            raise AttributeError(f"a step has no {name!r}")
        self.__dict__["mass"] = self.__dict__["find_mass"]()
        return self.__dict__["mass"]

    def instead(self, request: Request) -> Step:
        """Return the step with another request of the same menu."""
        what = self.index, request, self.menu[request], self.mass, self.history
        return Step(*what, self.game, self.menu)


def lazy_step(
    kind: type[LazyStep], known: Mapping[str, Any], request: Request, mechanism: Mechanism
) -> LazyStep:
    """Return a step of this kind: what its constructor makes, in a third of the time."""
    step = object.__new__(kind)
    step.__dict__.update(known, request=request, mechanism=mechanism)
    return step


class MergedStep(LazyStep):
    """A step that stands for many histories at once; asking which one is an error."""

    @property
    def history(self) -> NoReturn:
        """Raise: the filter said that it does not depend on this."""
        raise HistoryHidden("the filter declares markov = True but reads the history")

    def next(self, y: Output, request: Request) -> "MergedStep":
        """Return the step after y and one more request, the history still hidden."""
        menu, mass = self.mechanism.after[y], coprime(self.released(y))
        what = {"index": self.index + 1, "request": request, "mechanism": menu[request]}
        return MergedStep(**what, mass=mass, game=self.game, menu=menu)

    def instead(self, request: Request) -> "MergedStep":
        """Return the step with another request of the same menu, the history still hidden."""
        what = {"request": request, "mechanism": self.menu[request], "mass": self.mass}
        return MergedStep(**{**self.__dict__, **what})

    def __repr__(self) -> str:
        return f"MergedStep(index={self.index}, request={self.request!r})"


class WatchedStep(Step):
    """A step that works out likelihoods and history on demand and remembers that it had to."""

    def __init__(
        self,
        index: int,
        request: Request,
        game: Game,
        menu: Mapping[Request, Mechanism],
        pairs: tuple[Pair, ...],
        find_mass: Callable[[], Mapping[Database, Fraction]],
        find_history: Callable[[], History] | None,
    ) -> None:
        what = {"index": index, "request": request, "mechanism": menu[request], "menu": menu}
        self.__dict__.update(what, game=game, pairs=pairs, looked=False, known=None)
        self.__dict__.update(find_mass=find_mass, find_history=find_history)

    @property
    def mass(self) -> Mapping[Database, Fraction]:
        """The likelihoods, worked out now."""
        self.mark_as_read()
        return self._mass()

    def _mass(self) -> Mapping[Database, Fraction]:
        own = self.__dict__
        if own["known"] is None:
            own["known"] = own["find_mass"]()
        known: Mapping[Database, Fraction] = own["known"]
        return known

    @property
    def history(self) -> History:
        """The history, worked out now; hidden from a filter that declares `markov`."""
        self.mark_as_read()
        if self.__dict__["find_history"] is None:
            raise HistoryHidden("the filter declares markov = True but reads the history")
        found: History = self.__dict__["find_history"]()
        return found

    @property
    def looked(self) -> bool:
        """Whether the likelihoods or the history were read."""
        return bool(self.__dict__["looked"])

    def mark_as_read(self) -> None:
        """Note that the likelihoods or the history were read, here or in another process."""
        self.__dict__["looked"] = True

    def without_watch(self) -> Step:
        """Return the plain step with the same content, which nobody watches."""
        find_history, mass = self.__dict__["find_history"], self._mass()
        if find_history is None:
            what = {"index": self.index, "request": self.request, "mechanism": self.mechanism}
            return MergedStep(**what, mass=mass, game=self.game, menu=self.menu)
        own = self.index, self.request, self.mechanism
        return Step(*own, mass, find_history(), self.game, self.menu)

    def next(self, y: Output, request: Request) -> Step:
        """Return the step after y and one more request."""
        self.mark_as_read()
        return self.without_watch().next(y, request)

    def instead(self, request: Request) -> Step:
        """Return the step with another request of the same menu."""
        self.mark_as_read()
        return self.without_watch().instead(request)

    def __repr__(self) -> str:
        return f"WatchedStep(index={self.index}, request={self.request!r})"
