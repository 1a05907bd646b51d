"""One round of which nothing is known, as a rule of `proofs/coq` sees it.

Two databases, both directions.  What trusted functions say of the round (its risk, its charge, its
Rényi sum) are unknown numbers, see `contracts`; so a law may have any number of outputs.  Where
the filter goes through the outputs by itself there are `outputs` of them, and where it looks ahead
`requests` that may follow each.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Any

import z3

from filterproof.game import OPENING, Game, Mechanism, Menu, Step
from filterproof.game.law import Declared
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.paths import Paths
from filterproof_proofs.symbolic.terms import Term, value

Pair = tuple[str, str]
RELEASED = Name("y0")
"""The output that is released, where a law has any number of them."""


@dataclass(frozen=True)
class Size:
    """How much of a round the filter looks at by itself; 0 outputs stand for any number.

    Without `laws` there is no law, no database and no likelihood to be looked at.
    """

    outputs: int = 0
    requests: int = 0
    orders: int = 1
    laws: bool = True
    databases: int = 2


@dataclass(frozen=True)
class Moment:
    """What a rule counts and which databases are possible, before a round or after it."""

    counts: Mapping[str, Any]
    mass: Mapping[str, Any]
    inner: Any = None
    """The state that the filter inside of this one is in, if there is one."""

    def alive(self, x: str) -> Any:
        """Return that the history is possible under x."""
        return self.mass[x] > 0

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All ordered pairs."""
        return tuple(permutations(self.mass, 2))


class AnyMechanism:
    """A mechanism of which trusted functions know the costs."""

    stands_for = Mechanism

    def __init__(
        self, law: Any, after: Any, declared: Any, pairs: tuple[Pair, ...], run: Paths
    ) -> None:
        self.law, self.after, self.declared, self.pairs = law, after, declared, pairs
        self._run = run

    def __getattr__(self, name: str) -> Any:
        raise self._run.stuck(f"the mechanism's {name} is looked at")


class AnyLaw:
    """A law with any number of outputs: only that of the output that is released is known."""

    stands_for = dict

    def __init__(self, row: Mapping[str, Any], run: Paths) -> None:
        self._row, self._run = row, run

    def __getitem__(self, y: str) -> Mapping[str, Any]:
        if y != RELEASED:
            raise self._run.stuck("an output that is not released is looked at")
        return self._row

    def _every(self, *_: object) -> Any:
        raise self._run.stuck("the outputs are gone through, and there may be any number of them")

    __iter__ = __len__ = __contains__ = values = items = keys = __bool__ = _every


class AnyMenu(dict[str, Any]):
    """A menu whose requests mean nothing."""

    stands_for = Menu


@dataclass
class AnyGame:
    """What a filter may know of the game: its databases, its pairs, and what silence is."""

    stands_for = Game
    silent: Any
    databases: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass
class Round:
    """The unknown numbers of one path of one round, and the step that is made of them."""

    run: Paths
    size: Size
    opening: bool
    notes: dict[str, Any] = field(default_factory=dict)
    """What a contract has said on this path, for the rule to look at."""

    def __post_init__(self) -> None:
        self.databases = tuple(Name(str(i)) for i in range(self.size.databases))
        self.pairs = tuple(permutations(self.databases, 2))
        self.odds = self.number("e^eps", low=1)
        self.delta = self.number("delta", low=0, high=1)
        self.epsilon = AnyEpsilon(self.run, self.odds)
        self.index: Any = 0 if self.opening else self.run.unknown("index", python_type=int)
        self.run.assume(value(self.index) >= (0 if self.opening else 1))
        self.laws: dict[int, tuple[str, Any]] = {}
        self.step_now: Any = None
        self.released: Any = None
        self.mass = self._mass()
        self.law = self._law("", self.size.outputs)
        law = self.law if self.size.laws else self.hidden("the law")
        self.mechanism = AnyMechanism(
            law, self._after(), self._stated_costs(), self.pairs, self.run
        )
        self.ahead = self._requests_ahead()

    def number(
        self, name: str, low: int | None = None, high: int | None = None, degree: int = 0
    ) -> Term:
        """Return an unknown number between bounds."""
        made = self.run.unknown(name, degree)
        if low is not None:
            self.run.assume(made.term >= low)
        if high is not None:
            self.run.assume(made.term <= high)
        return made

    # --- laws -------------------------------------------------------------------------------------

    def _mass(self) -> Mapping[str, Any]:
        if self.opening:
            return MappingProxyType(dict.fromkeys(self.databases, Term(self.run, z3.RealVal(1), 1)))
        made: dict[str, Any] = {
            x: self.number(f"mass {x}", low=0, degree=1) for x in self.databases
        }
        self.run.assume(z3.Or(*(one.term > 0 for one in made.values())))
        return MappingProxyType(made)

    def _law(self, tag: str, outputs: int) -> Any:
        """Return a law; the last probability is what the others leave."""
        if self.opening and not tag:
            certain: dict[str, Any] = dict.fromkeys(self.databases, Fraction(1))
            made: Any = MappingProxyType({Name(OPENING): MappingProxyType(certain)})
        elif not outputs:
            row: dict[str, Any] = {
                x: self.number(f"P{tag} {x}", low=0, high=1) for x in self.databases
            }
            made = AnyLaw(MappingProxyType(row), self.run)
        else:
            made = self._law_of_outputs(tag, outputs)
        self.laws[id(made)] = tag, made
        return made

    def _law_of_outputs(self, tag: str, outputs: int) -> Any:
        law: dict[str, dict[str, Any]] = {Name(f"y{i}"): {} for i in range(outputs)}
        *others, last = law
        for x in self.databases:
            for y in others:
                law[y][x] = self.number(f"P{tag} {x} {y}", low=0)
            law[last][x] = 1 - sum((law[y][x] for y in others), Fraction(0))
            self.run.assume(value(law[last][x]) >= 0)
        return MappingProxyType({y: MappingProxyType(row) for y, row in law.items()})

    def _after(self) -> Any:
        """Return the menus after each output: the same requests, other mechanisms."""
        if not isinstance(self.law, Mapping):
            return self.hidden("a menu of the next round")
        return MappingProxyType({y: self._menu(y) for y in self.law})

    def _menu(self, y: str) -> AnyMenu:
        return AnyMenu({Name(f"r{i}"): self._next(f"{y} r{i}") for i in range(self.size.requests)})

    def _next(self, tag: str) -> AnyMechanism:
        beyond = self.hidden("a menu two rounds ahead")
        return AnyMechanism(self._law(f" {tag}", 0), beyond, beyond, self.pairs, self.run)

    def _stated_costs(self) -> Declared:
        if self.opening:
            return Declared(Fraction(1), Fraction(0))
        return Declared(self.number("odds_i", low=1), self.number("delta_i", low=0, high=1))

    def _requests_ahead(self) -> Mapping[str, list[str]]:
        after = self.mechanism.after
        return {} if isinstance(after, Hidden) else {y: list(menu) for y, menu in after.items()}

    # --- the step ---------------------------------------------------------------------------------

    def step(self) -> Step:
        """Return the step in which the filter decides."""
        unseen = {name: self.hidden(f"step.{name}") for name in ("request", "history", "menu")}
        asked: Any = self.mechanism
        silent = AnyMechanism(self.hidden("the silent mechanism"), {}, None, (), self.run)
        if not self.size.laws:
            unseen |= {name: self.hidden(f"step.{name}") for name in ("mass", "game")}
            return Step(self.index, mechanism=asked, **unseen)
        game: Any = AnyGame(silent, self.databases, self.pairs)
        return Step(self.index, mechanism=asked, mass=self.mass, game=game, **unseen)

    def hidden(self, what: str) -> Any:
        """Return a stand-in for what may not be looked at."""
        return Hidden(lambda: self.run.stuck(f"{what} is looked at"))

    def outputs(self) -> Iterator[str]:
        """Yield the outputs that may be released."""
        yield from self.law if isinstance(self.law, Mapping) else [RELEASED]

    def mass_after(self, y: str) -> dict[str, Any]:
        """Return the likelihoods after an output, as terms of the solver."""
        return {x: value(self.mass[x]) * value(self.law[y][x]) for x in self.databases}
