"""What an entry of the fifth set holds: a budget class, and calls that show what it lets out."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

Theory = Literal["sum", "squares", "orders", "responses", "gaussians"]
"""How costs add up: as they are, squared, order by order; or exactly, of what was run."""


@dataclass(frozen=True)
class Step:
    """A request (with costs), a word to the object (without), or some time that passes."""

    method: str = ""
    args: tuple[Any, ...] = ()
    costs: tuple[Any, ...] = ()
    times: int = 1
    fails: bool = False
    check: str = ""
    part: str = ""
    seconds: float = 0.0
    opens: bool = False


def ask(
    method: str,
    *args: Any,
    costs: tuple[Any, ...] | None = None,
    times: int = 1,
    fails: bool = False,
    check: str = "",
    part: str = "",
) -> Step:
    """Request something; unless said otherwise the numbers among the arguments are its costs."""
    paid = tuple(a for a in args if isinstance(a, float)) if costs is None else costs
    return Step(method, args, paid, times, fails, check, part)


def tell(method: str, *args: Any) -> Step:
    """Call a method that is no request, such as one for a mechanism that failed."""
    return Step(method, args)


def wait(seconds: float) -> Step:
    """Let time pass."""
    return Step(seconds=seconds)


def another() -> Step:
    """Open a second object, for other data."""
    return Step(opens=True)


def either(*granted: Any) -> bool:
    """Whether a result is a grant, where a class says nothing of its own."""
    return granted[0] is not False


@dataclass(frozen=True)
class Case:
    """A class, whether it is wrong and why, the words of its command line, and a witness.

    A wrong one has `calls`; a sound one draws them with `draw`, and its costs stay in the budget.
    """

    made: type
    wrong: bool
    words: str
    mistake: str
    calls: tuple[Step, ...] = ()
    draw: Callable[[Random], list[Step]] | None = None
    budget: tuple[Any, ...] = (1.0,)
    theory: Theory = "sum"
    limit: tuple[float, ...] = ()
    granted: Callable[[Any], bool] = either

    @property
    def name(self) -> str:
        """The class's name."""
        return self.made.__name__

    @property
    def theme(self) -> str:
        """The module's name."""
        return self.made.__module__.rsplit(".", 1)[-1]

    @property
    def clock(self) -> str:
        """What tells the object the time."""
        words = self.words.split()
        return words[words.index("--clock") + 1] if "--clock" in words else ""


def wrong(
    made: type,
    words: str,
    mistake: str,
    *calls: Step,
    budget: tuple[Any, ...] = (1.0,),
    theory: Theory = "sum",
    limit: tuple[float, ...] = (),
    granted: Callable[[Any], bool] = either,
) -> Case:
    """Return an entry for a class that lets too much out."""
    limit = limit or budget
    return Case(made, True, words, mistake, calls, None, budget, theory, limit, granted)


def sound(
    made: type,
    words: str,
    why: str,
    draw: Callable[[Random], list[Step]],
    *,
    budget: tuple[Any, ...] = (1.0,),
    theory: Theory = "sum",
    limit: tuple[float, ...] = (),
    granted: Callable[[Any], bool] = either,
) -> Case:
    """Return an entry for a class that keeps its promise."""
    limit = limit or budget
    return Case(made, False, words, why, (), draw, budget, theory, limit, granted)


def amount(random: Random, most: float = 1.0) -> float:
    """Draw a cost: now and then large, mostly small."""
    return float(random.choice([0.01, 0.05, 0.1, 0.25, 0.5, 1.0, random.random()]) * most)
