"""The game an adversary plays against a filter: a finite tree of mechanisms.

A `Menu` is the set of requests on offer in a round.  Sending one runs its `Mechanism`, which
releases an output y with probability law[y][x] and leads to the menu after y.  Sub-trees may be
shared, so a game is a directed acyclic graph; `Game` checks everything at the door and makes
equal sub-trees one object, so that equal continuations are recognised by identity.

As in the paper the play opens with a dummy round r_0 = y_0 = ⊥ (index 0) that says nothing.
"""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, lcm
from types import MappingProxyType
from typing import Any

from filterproof.collection_pause import full_collection_paused
from filterproof.exact import Epsilon
from filterproof.game.databases import GameError as GameError
from filterproof.game.databases import checked_databases, checked_pairs
from filterproof.game.law import (
    CheckedLaw,
    Database,
    Declared,
    Law,
    Numbers,
    Output,
    Pair,
    Whole,
    check_declared,
    checked_law,
    name,
    tightest,
    whole_law,
)
from filterproof.game.promises import NO_PROMISES, Promise, checked_promises

Request = str
History = tuple[tuple[Request, Output], ...]
OPENING = "⊥"

MAX_ROUNDS = 10_000
MAX_NODES = 1_000_000
MANY_LAWS = 1000
"""From so many different laws on, equal probabilities become one object: memory, not time."""


NO_MENUS: Mapping[Output, Mapping[Request, "Mechanism"]] = MappingProxyType({})
"""What follows a last round."""


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Mechanism:
    """One round: `law[y][x]` is P_x(y), and `after[y]` is the menu that follows y.

    `stated` may declare a true (odds, delta); without it `declared` is the tightest one.
    """

    law: Law
    after: Mapping[Output, Mapping[Request, "Mechanism"]] = field(default_factory=lambda: NO_MENUS)
    stated: Declared | None = None
    pairs: tuple[Pair, ...] = field(default=(), repr=False)  # set by the game it belongs to

    @property
    def declared(self) -> Declared:
        """The statement (odds, delta) that mechanism-level filters add up."""
        if self.stated is not None:
            return self.stated
        if not self.pairs:
            raise GameError("a mechanism has a declared pair only as part of a game")
        law = self.law
        if type(law) is CheckedLaw:
            return law.declared(self.pairs)
        return tightest(law, self.pairs)

    @property
    def whole(self) -> Whole:
        """The law in integers, its rows in the order of the databases."""
        law = self.law
        return law.whole if type(law) is CheckedLaw else whole_law(law, next(iter(law.values())))


class Menu(Mapping[Request, Mechanism]):
    """The requests of one round, as a node of a game; `id` is its number there.

    `depth` is how many rounds can follow, `transcripts` how many ways these can go if no filter
    stops them.
    """

    __slots__ = ("_requests", "depth", "id", "transcripts")

    def __init__(self, requests: Mapping[Request, Mechanism], number: int) -> None:
        self._requests = dict(requests)
        self.id = number
        below: list[Any] = [menu for m in self._requests.values() for menu in m.after.values()]
        self.depth: int = 1 + max([menu.depth for menu in below], default=0) if requests else 0
        self.transcripts: int = sum([menu.transcripts for menu in below]) if requests else 1

    def __getitem__(self, request: Request) -> Mechanism:
        return self._requests[request]

    def __iter__(self) -> Iterator[Request]:
        return iter(self._requests)

    def __len__(self) -> int:
        return len(self._requests)

    def __contains__(self, request: object) -> bool:
        return request in self._requests

    def keys(self) -> KeysView[Request]:
        """Return the requests."""
        return self._requests.keys()

    def values(self) -> ValuesView[Mechanism]:
        """Return the mechanisms."""
        return self._requests.values()

    def items(self) -> ItemsView[Request, Mechanism]:
        """Return the requests with their mechanisms."""
        return self._requests.items()

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"Menu({self.id}: {', '.join(self._requests) or 'end'})"


class Game:
    """A validated game: databases, a symmetric neighbour relation, and the first menu.

    `nodes` lists the distinct menus, children before parents, so the last one is the first menu.
    `promises` is empty unless pairs are promised different things (`promises`).

    >>> coin = Mechanism({"h": {"0": Fraction(1, 2), "1": Fraction(1, 3)},
    ...                   "t": {"0": Fraction(1, 2), "1": Fraction(2, 3)}})
    >>> game = Game(["0", "1"], [("0", "1")], {"toss": coin})
    >>> game.depth, game.menu["toss"].declared
    (1, Declared(odds=Fraction(3, 2), delta=Fraction(0, 1)))
    """

    __slots__ = ("databases", "depth", "menu", "nodes", "pairs", "promises", "silent")

    def __init__(
        self,
        databases: Iterable[Database],
        neighbours: Iterable[Pair],
        menu: Mapping[Request, Mechanism],
        promises: Mapping[Pair, tuple[Epsilon, Fraction]] = NO_PROMISES,
    ) -> None:
        self.databases = checked_databases(databases)
        self.pairs = checked_pairs(tuple(neighbours), self.databases)
        self.promises = checked_promises(promises, self.databases, self.pairs)
        self.silent = silent(self.databases, self.pairs)
        with full_collection_paused():
            self.nodes = _Interner(self.databases, self.pairs).intern(menu)
        self.menu = self.nodes[-1]
        self.depth = self.menu.depth
        if not self.menu:
            raise GameError("the first menu is empty: there is nothing to ask")
        if self.depth > MAX_ROUNDS:
            raise GameError(f"need at most {MAX_ROUNDS} rounds; got {self.depth}")

    def promise(self, pair: Pair, epsilon: Epsilon, delta: Fraction) -> Promise:
        """Return what a pair is promised by a filter that was opened at (ε, δ)."""
        return self.promises.get(pair) or Promise(epsilon, delta)

    def __repr__(self) -> str:
        return (
            f"Game({len(self.databases)} databases, {self.depth} rounds, {len(self.nodes)} menus)"
        )


def node_after(mechanism: Mechanism, y: Output) -> Menu:
    """Return the node that follows y; only a mechanism of a game has one."""
    menu = mechanism.after[y]
    if not isinstance(menu, Menu):
        raise GameError("a mechanism leads to nodes only as part of a game")
    return menu


def children(mechanism: Mechanism) -> Iterator[Menu]:
    """Yield the nodes after a mechanism of a game, all outputs in turn."""
    return (node_after(mechanism, y) for y in mechanism.after)


@lru_cache(maxsize=64)
def silent(databases: tuple[Database, ...], pairs: tuple[Pair, ...]) -> Mechanism:
    """Return the mechanism that says nothing."""
    row = dict.fromkeys(databases, Fraction(1))
    return Mechanism({"-": row}, {}, None, pairs)


class _Interner:
    """Turns nested mappings into numbered menus, one per distinct sub-tree, without recursion."""

    def __init__(self, databases: tuple[Database, ...], pairs: tuple[Pair, ...]) -> None:
        self.databases, self.pairs = databases, pairs
        self.nodes: list[Menu] = []
        self.by_shape: dict[object, Menu] = {}
        self.by_identity: dict[int, Menu] = {}
        self.laws: dict[int, tuple[CheckedLaw, int]] = {}  # by identity, with their numbers
        self.numbers: dict[object, int] = {}  # equal laws have equal numbers
        self.kept: list[object] = []  # so that no identity is used twice
        self.last: dict[tuple[Output, ...], Mapping[Output, Menu]] = {}  # what follows last rounds
        self.probabilities: Numbers = {}  # so that equal ones are one object

    def intern(self, root: Mapping[Request, Mechanism]) -> tuple[Menu, ...]:
        if not self._below(root):  # one round
            return self._rooted_at(self._place(root))
        todo: list[tuple[Mapping[Request, Mechanism], bool]] = [(root, False)]
        open_menus: set[int] = set()
        while todo:
            menu, children_done = todo.pop()
            if id(menu) in self.by_identity:
                continue
            if children_done:
                open_menus.discard(id(menu))
                self.by_identity[id(menu)] = self._place(menu)
                self.kept.append(menu)
                continue
            if id(menu) in open_menus:
                raise GameError("a menu leads back to itself: a game must be acyclic")
            open_menus.add(id(menu))
            todo.append((menu, True))
            todo += [(after, False) for after in self._below(menu)]
        return self._rooted_at(self.by_identity[id(root)])

    def _below(self, menu: Mapping[Request, Mechanism]) -> list[Mapping[Request, Mechanism]]:
        if not isinstance(menu, Mapping):
            raise GameError(f"a menu must map requests to mechanisms; got {menu!r}")
        for request, mechanism in menu.items():
            name(request, "request")
            if not isinstance(mechanism, Mechanism):
                raise GameError(f"request {request!r} needs a Mechanism; got {mechanism!r}")
        return [after for m in menu.values() for after in m.after.values()]

    def _place(self, menu: Mapping[Request, Mechanism]) -> Menu:
        found = {request: self._mechanism_place(m) for request, m in menu.items()}
        shape = tuple([(request, *found[request][1]) for request in sorted(found)])
        if shape not in self.by_shape:
            if len(self.nodes) >= MAX_NODES:
                raise GameError(f"need at most {MAX_NODES} distinct menus")
            placed = {request: mechanism for request, (mechanism, _) in found.items()}
            self.by_shape[shape] = Menu(placed, len(self.nodes))
            self.nodes.append(self.by_shape[shape])
        return self.by_shape[shape]

    def _mechanism_place(self, mechanism: Mechanism) -> tuple[Mechanism, tuple[object, ...]]:
        """Return a mechanism in its place, and what it has in common with those that equal it."""
        (law, number), given = self._law(mechanism), mechanism.after
        if unknown := given and set(given).difference(law.outputs):
            raise GameError(f"menus after unknown outputs {sorted(unknown)}")
        stated = mechanism.stated and check_declared(mechanism.stated, law, self.pairs)
        if not (given and any(given.values())):
            placed = Mechanism(law, self._ends(law.outputs), stated, self.pairs)
            return placed, (number, (), stated)
        after = self._menus_after(given, law)
        placed = Mechanism(law, after, stated, self.pairs)
        return placed, (number, tuple([after[y].id for y in sorted(after)]), stated)

    def _law(self, mechanism: Mechanism) -> tuple[CheckedLaw, int]:
        """Return the law, checked, and its number; a law that is one object is checked once."""
        known = self.laws.get(id(mechanism.law))
        if known is None:
            numbers = self.probabilities if len(self.numbers) > MANY_LAWS else None
            law = checked_law(mechanism.law, self.databases, numbers)
            known = law, self.numbers.setdefault(law.in_order(), len(self.numbers))
            self.laws[id(mechanism.law)] = known
            self.kept.append(mechanism.law)
        return known

    def _menus_after(
        self, given: Mapping[Output, Mapping[Request, Mechanism]], law: CheckedLaw
    ) -> Mapping[Output, Menu]:
        end = self._place({})
        found = {y: self.by_identity[id(given[y])] if y in given else end for y in law.outputs}
        return MappingProxyType(found)

    def _ends(self, outputs: tuple[Output, ...]) -> Mapping[Output, Menu]:
        """Return that nothing follows; last rounds of the same outputs share it."""
        found = self.last.get(outputs)
        if found is None:
            found = MappingProxyType(dict.fromkeys(outputs, self._place({})))
            self.last[outputs] = found
        return found

    def _rooted_at(self, root: Menu) -> tuple[Menu, ...]:
        return tuple(self.nodes[: root.id + 1])


# --- a partial transcript -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Step:
    """A partial transcript (r^i, y^{i-1}): request i is known, output i is not.

    `mass[x]` is the likelihood of the history under x, scaled to coprime integers: equal
    likelihood ratios are equal masses.  The realised loss l^(i-1)(x,x′) is the logarithm of
    mass[x] / mass[x′].  There is no output of this round to look at.
    """

    index: int
    request: Request
    mechanism: Mechanism
    mass: Mapping[Database, Fraction]
    history: History
    game: Game = field(repr=False)
    menu: Mapping[Request, Mechanism] = field(repr=False)  # what was on offer in this round

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The ordered neighbouring pairs (x, x′) under whose x this history is possible."""
        return tuple(pair for pair in self.game.pairs if self.mass[pair[0]])

    @cached_property
    def requests_after(self) -> tuple[Request, ...]:
        """The set R_{i+1}: every request that some output of this round puts on offer."""
        offered = {r: None for menu in self.mechanism.after.values() for r in menu}
        return tuple(offered)

    def menu_after(self, y: Output) -> Mapping[Request, Mechanism]:
        """Return the mechanism of every request of round i+1; one closed after y is silent."""
        menu = self.mechanism.after[y]
        return {r: menu.get(r, self.game.silent) for r in self.requests_after}

    def released(self, y: Output) -> dict[Database, Fraction]:
        """Return the mass of the full transcript (r^i, y^i), on the scale of `mass`."""
        return {x: self.mass[x] * p for x, p in self.mechanism.law[y].items()}

    def next(self, y: Output, request: Request) -> "Step":
        """Return the partial transcript after releasing y and receiving the next request."""
        history = (*self.history, (self.request, y)) if self.index else ()
        menu = self.mechanism.after[y]
        mass = coprime(self.released(y))
        return Step(self.index + 1, request, menu[request], mass, history, self.game, menu)

    def instead(self, request: Request) -> "Step":
        """Return the partial transcript in which another request of the same menu is sent."""
        return replace(self, request=request, mechanism=self.menu[request])


def opening(game: Game) -> Step:
    """Return round 0: the request ⊥, whose one output ⊥ says nothing."""
    certain = MappingProxyType(dict.fromkeys(game.databases, Fraction(1)))
    law = MappingProxyType({OPENING: certain})
    nothing = Declared(Fraction(1), Fraction(0))
    start = Mechanism(law, MappingProxyType({OPENING: game.menu}), nothing, game.pairs)
    return Step(0, OPENING, start, certain, (), game, {OPENING: start})


def coprime(mass: Mapping[Database, Fraction]) -> Mapping[Database, Fraction]:
    """Scale likelihoods to integers without a common factor, so that equal ratios are equal.

    >>> dict(coprime({"0": Fraction(1, 2), "1": Fraction(1, 3)}))
    {'0': Fraction(3, 1), '1': Fraction(2, 1)}
    """
    below = lcm(*(p.denominator for p in mass.values()))
    whole = [p.numerator * (below // p.denominator) for p in mass.values()]
    common = gcd(*whole) or 1
    return MappingProxyType({x: Fraction(n // common) for x, n in zip(mass, whole, strict=True)})
