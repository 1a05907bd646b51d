"""One round of which nothing is known: any law, any likelihoods, any budget, any state of a shape.

The filter sees a real `Step`.  What a proof of one round cannot know (the history, the request's
name, the rest of the game) is not there: looking at it raises `NeedsKnown`.  The menus that follow
are there where a proof was asked for that includes them (`Menus`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from operator import add
from types import MappingProxyType
from typing import Any

import z3

from filterproof.exact import ExpLinear
from filterproof.game import OPENING, Game, Mechanism, Menu, Step
from filterproof.game.law import Database, Declared, Law, Output, Pair
from filterproof_proofs.symbolic.epsilons import AnyEpsilon
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.names import Hidden, Name
from filterproof_proofs.symbolic.paths import Paths
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.shapes import Shape
from filterproof_proofs.symbolic.terms import Term, value

Masses = Mapping[Database, Any]
ODDS, DELTA, INDEX = "e^eps", "delta", "index"
DECLARED_ODDS, DECLARED_DELTA = "declared odds", "declared delta"
"""Names of numbers in the solver; those of a target's parameters begin with `PARAMETER`."""
PARAMETER = "parameter "


class NeedsMenus(NeedsKnown):
    """The filter looks one round ahead: the menu after each output must be part of the proof."""


@dataclass(frozen=True)
class Menus:
    """Which requests are on offer: how many now, and which of them after each output."""

    now: int
    after: tuple[tuple[str, ...], ...]
    outputs: int = 2

    def __str__(self) -> str:
        after = ", ".join("{" + ", ".join(one) + "}" for one in self.after)
        return f"{self.now} now, then {after}"


def all_menus(outputs: int, ahead: int = 2) -> list[Menus]:
    """Return every way to offer at most two requests, now and after each output.

    >>> len(all_menus(1)), str(all_menus(2)[6])
    (8, '1 now, then {}, {r, s}')
    """
    offers = [(), ("r",), ("s",), ("r", "s")]
    every = product(offers, repeat=outputs)
    return [Menus(now, after, ahead) for after in every for now in (1, 2)]


@dataclass(frozen=True)
class Kind:
    """Which rounds are looked at together; `first` is the database x whose pairs are asked about.

    `shape` is None for the opening round, which starts from the filter's own first state.
    """

    outputs: int
    databases: int
    first: int
    shape: Shape | None
    menus: Menus | None = None


class AnyMechanism:
    """A mechanism whose law is unknown; it may declare any pair that is true of the law."""

    stands_for = Mechanism

    def __init__(
        self, law: Law, after: Any, pairs: tuple[Pair, ...], name: str, world: Any
    ) -> None:
        self.law, self.after, self.pairs, self.name, self.world = law, after, pairs, name, world

    @property
    def declared(self) -> Declared:
        """Any odds >= 1 and delta for which the law is (log odds, delta)-DP."""
        return self.world.declare(self)  # type: ignore[no-any-return]

    @property
    def stated(self) -> Declared | None:
        """What was declared by hand, if anything was."""
        said = self.world.paths.branch(z3.Real(f"stated{self.name}") > 0)
        return self.declared if said else None

    @property
    def whole(self) -> Any:
        """The law in integers, which are not known."""
        raise self.world.paths.stuck("the law in integers is looked at")


class AnyMenu(dict[str, Any]):
    """A menu whose requests mean nothing."""

    stands_for = Menu


class AnyGame:
    """What a filter may know of the game: its databases, its pairs, and what silence is."""

    stands_for = Game

    def __init__(self, world: Any, silent: Mechanism) -> None:
        self.databases, self.pairs, self.silent = world.databases, world.pairs, silent
        self._world = world

    def __getattr__(self, name: str) -> Any:
        raise self._world.hidden(f"step.game.{name}")._raise()


class World:
    """The unknown numbers of one kind of round, and the step that is made of them."""

    def __init__(self, paths: Paths, kind: Kind) -> None:
        self.paths, self.kind = paths, kind
        self.facts: list[Any] = []
        self.databases = tuple(Name(i) for i in range(kind.databases))
        self.pairs = tuple((a, b) for a in self.databases for b in self.databases if a is not b)
        self.first = self.databases[kind.first]
        self.odds = self.number(ODDS, low=1)
        self.delta = self.number(DELTA, low=0, high=1)
        self.opening = kind.shape is None
        self.laws: dict[str, Law] = {}
        self.law = self._opening_law() if self.opening else self.any_law("", kind.outputs)
        self.mass = self._masses()
        self.paths.where = ""
        self.index: Any = 0
        if not self.opening:
            self.index = self.paths.unknown(INDEX, python_type=int)
            self.facts.append(self.index.term >= 1)
        self.declared: dict[str, Declared] = {}
        self.offered = (self.menu, self.after)  # made now: their facts belong to every path

    # --- numbers ----------------------------------------------------------------------------

    def number(
        self, name: str, low: int | None = None, high: int | None = None, deg: int = 0
    ) -> Term:
        """Return an unknown number between bounds."""
        made = self.paths.unknown(name, deg)
        self.facts += [made.term >= low] if low is not None else []
        self.facts += [made.term <= high] if high is not None else []
        return made

    def epsilon(self) -> AnyEpsilon:
        """Return ε, of which only e^ε >= 1 is known."""
        return AnyEpsilon(self.paths, self.odds)

    def _masses(self) -> Masses:
        """Likelihoods up to a common factor: x has 1, every other database any number >= 0."""
        one = Term(self.paths, z3.RealVal(1), 1)
        if self.opening:
            return MappingProxyType(dict.fromkeys(self.databases, one))
        return MappingProxyType(
            {
                a: one if a is self.first else self.number(f"mass[{a}]", low=0, deg=1)
                for a in self.databases
            }
        )

    def _opening_law(self) -> Law:
        certain: dict[Database, Fraction] = dict.fromkeys(self.databases, Fraction(1))
        return MappingProxyType({Name(OPENING): MappingProxyType(certain)})

    def any_law(self, tag: str, outputs: int) -> Law:
        """Return a law with this many outputs; the last probability is what the others leave."""
        law: dict[Output, dict[Database, Any]] = {Name(y): {} for y in range(outputs)}
        *others, last = law
        for a in self.databases:
            for y in others:
                law[y][a] = self.number(f"P{tag}_{a}({y})", low=0)
            rest = 1 - sum((law[y][a] for y in others), Fraction(0))
            law[last][a] = rest
            self.facts += [value(rest) >= 0]
        self.facts += [total(value(p) for p in row.values()) > 0 for row in law.values()]
        self.laws[tag] = MappingProxyType({y: MappingProxyType(row) for y, row in law.items()})
        return self.laws[tag]

    def declare(self, mechanism: AnyMechanism) -> Declared:
        """Return the unknown pair that a mechanism declares; it comes with what makes it true."""
        odds = self.paths.unknown(f"{DECLARED_ODDS}{mechanism.name}")
        delta = self.paths.unknown(f"{DECLARED_DELTA}{mechanism.name}")
        true = [odds.term >= 1, delta.term >= 0, delta.term <= 1]
        for x, x_ in self.pairs:
            rows = [(value(row[x]), value(row[x_])) for row in mechanism.law.values()]
            true.append(total(positive(p - odds.term * q) for p, q in rows) <= delta.term)
        for one in (odds, delta):
            self.paths.fact(one.term.decl().name(), z3.And(*true))
        self.declared[mechanism.name] = Declared(odds, delta)
        return self.declared[mechanism.name]

    # --- the step ---------------------------------------------------------------------------

    def hidden(self, what: str, kind: type[NeedsKnown] = NeedsKnown) -> Any:
        """Return a stand-in for what this round does not know."""

        def stuck() -> NeedsKnown:
            where = f"{self.paths.where}: " if self.paths.where else ""
            self.paths.reason = kind(f"{where}{what} is looked at, and no single round knows it")
            return self.paths.reason

        return Hidden(stuck)

    @cached_property
    def menu(self) -> Any:
        """What is on offer now: the mechanism that is asked for, and perhaps another one."""
        if self.kind.menus is None:
            return self.hidden("step.menu", NeedsMenus)
        if self.opening:
            return AnyMenu({Name(OPENING): self.asked})
        other: dict[str, Any] = {}
        if self.kind.menus.now == 2:
            other = {Name("other"): self.mechanism("'")}
        return AnyMenu({Name("asked"): self.asked, **other})

    @cached_property
    def asked(self) -> AnyMechanism:
        """The mechanism that is asked for."""
        return AnyMechanism(self.law, self.after, self.pairs, "", self)

    @cached_property
    def after(self) -> Any:
        """The menus after each output."""
        if self.kind.menus is None:
            return self.hidden("a menu of the next round", NeedsMenus)
        offers = zip(self.law, self.kind.menus.after, strict=True)
        return MappingProxyType(
            {
                y: AnyMenu({Name(r): self.mechanism(f"[{y},{r}]") for r in offer})
                for y, offer in offers
            }
        )

    def mechanism(self, tag: str) -> AnyMechanism:
        """Return a mechanism of the next round, or another one of this round."""
        assert self.kind.menus is not None
        law = self.any_law(tag, self.kind.menus.outputs)
        beyond = self.hidden("a menu two rounds ahead")
        return AnyMechanism(law, beyond, self.pairs, tag, self)

    @cached_property
    def game(self) -> Any:
        """What may be known of the game."""
        row: dict[Database, Fraction] = dict.fromkeys(self.databases, Fraction(1))
        silent = Mechanism({Name("-"): row}, {}, None, self.pairs)
        return AnyGame(self, silent)

    def step(self) -> Step:
        """Return the step in which the filter decides; a new one for every path."""
        history, request = self.hidden("step.history"), self.hidden("step.request")
        asked: Any = self.asked
        made = Step(self.index, request, asked, self.mass, history, self.game, self.menu)
        return with_pairs(made)

    def before(self) -> Step:
        """Return what a potential may look at before the round: not which request is sent."""
        return self._potential(self.index, self.mass, self.menu)

    def released(self, y: Output) -> Step:
        """Return what a potential may look at after the output y."""
        mass = MappingProxyType({a: self.mass[a] * p for a, p in self.law[y].items()})
        menu = self.after if self.kind.menus is None else self.after[y]
        return self._potential(self.index + 1, mass, menu)

    def _potential(self, index: Any, mass: Mapping[Database, Any], menu: Any) -> Step:
        history, request = self.hidden("step.history"), self.hidden("step.request")
        mechanism = self.hidden("step.mechanism (of a request that is not sent yet)")
        return with_pairs(Step(index, request, mechanism, mass, history, self.game, menu))

    # --- the filter -------------------------------------------------------------------------

    def state(self, find: Callable[[str, str], Any]) -> Any:
        """Return any state of the shape; `find` gives the classes of the code."""
        assert self.kind.shape is not None
        count = iter(range(10_000))

        def number(kind: type) -> Term:
            python_type = Fraction if kind is ExpLinear else kind
            return self.paths.unknown(f"state[{next(count)}]", python_type=python_type)

        return fill(self.kind.shape, number, self.epsilon(), find)

    def charge(self, pair: Pair) -> Any:
        """Return the round's charge for a pair, written down independently of the filters."""
        x, x_ = pair
        w, w_, odds = value(self.mass[x]), value(self.mass[x_]), self.odds.term
        rows = [(value(row[x]), value(row[x_])) for row in self.law.values()]
        won = [positive(p - odds * (w_ * q)) for p, q in rows]
        assert z3.is_rational_value(w)
        return total(won) - positive(1 - odds * w_)


def with_pairs(step: Step) -> Step:
    """Ask which pairs are possible now, on this path: the step remembers the answer."""
    assert step.pairs is not None
    return step


def positive(term: Any) -> Any:
    """Return max(0, term)."""
    return z3.If(term > 0, term, z3.RealVal(0))


def total(terms: Iterable[Any]) -> Any:
    """Return the sum of one or more terms."""
    return reduce(add, terms)
