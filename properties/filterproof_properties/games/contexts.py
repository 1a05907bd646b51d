"""Contexts: the surroundings in which a mechanism family is tried.

Among several databases, with more outputs, after quiet rounds, or with requests on every menu that
ought to be refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

from filterproof.filters.ledger_bugs import FAILS
from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Declared, Law, Output, Pair, odds_at
from filterproof.game.rows import NONE, ONE, REVEAL, Rows
from filterproof_properties.games import editing
from filterproof_properties.games.families import ONWARD, MechanismFamily, Strength
from filterproof_properties.games.rows import declared_at_odds
from filterproof_properties.games.transforms import (
    Transform,
    add_decoy,
    add_harmless,
    exchange_databases,
    rename_all,
    reverse_order,
)

Row = tuple[Fraction, ...]
Relabel = Callable[[Rows], Iterator[tuple[Output, Row, Output]]]
"""Yields outputs as they look, each with its row and the output that it stands for."""


def keep_labels(rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Leave the outputs as they are."""
    return ((y, row, y) for y, row in rows.items())


@dataclass(frozen=True)
class Context:
    """Says which database behaves like which side, and how outputs are relabelled.

    A side is 0 or 1, "half" (between the two), "quarter" (nearer to 1) or "out" (it alone has
    another output).  `quiet` rounds come before; every menu has `decoy` reveals on it; at last the
    game is transformed.  In a context with `turns` every round has its own sides, one of these.
    """

    name: str = "plain"
    sides: tuple[int | str, ...] = (0, 1)
    neighbours: tuple[Pair, ...] = (("0", "1"),)
    relabel: Relabel = keep_labels
    quiet: int = 0
    decoy: int = 0
    transform: Transform = lambda game: game
    turns: tuple[tuple[int | str, ...], ...] = ()

    @cached_property
    def databases(self) -> tuple[Database, ...]:
        """Their names."""
        return tuple(map(str, range(len(self.sides))))

    def mechanism(
        self,
        rows: Rows,
        after: Mapping[Output, editing.Menu] | None = None,
        stated: Declared | None = None,
    ) -> Mechanism:
        """Return the mechanism with these rows as it looks in this context; what it states, too."""
        relabelled = [*self.relabel(rows)]
        law = {"~": self.row((NONE, NONE), ONE)} if "out" in self.sides else {}
        law |= {z: self.row(row, NONE) for z, row, _ in relabelled}
        kept = {z: row for z, row in law.items() if any(row.values())}
        then = {z: (after or {}).get(y, {}) for z, _, y in relabelled if z in kept}
        if stated is not None:
            stated = declared_at_odds(kept, self.pairs, stated.odds)
        return Mechanism(kept, {z: menu for z, menu in then.items() if menu}, stated)

    @cached_property
    def silent(self) -> Mechanism:
        """The round that says nothing about any database."""
        return Mechanism({"-": dict.fromkeys(self.databases, ONE)})

    @property
    def pairs(self) -> list[Pair]:
        """The neighbours, in both orders."""
        return [*self.neighbours, *((x_, x) for x, x_ in self.neighbours)]

    @property
    def has_the_pair(self) -> bool:
        """Whether databases of both sides are neighbours."""
        sides = dict(zip(self.databases, self.sides, strict=True))
        return any((sides[x], sides[x_]) == (0, 1) for x, x_ in self.pairs)

    def row(self, row: tuple[Fraction, ...], out: Fraction) -> dict[Database, Fraction]:
        """Return the probabilities of one output under every database."""
        kinds: dict[int | str, Fraction] = {0: row[0], 1: row[1]}
        if "half" in self.sides or "quarter" in self.sides:
            kinds |= {"half": (row[0] + row[1]) / 2, "quarter": (row[0] + 3 * row[1]) / 4}
        return {x: kinds.get(side, out) for x, side in zip(self.databases, self.sides, strict=True)}

    def build(self, family: MechanismFamily, strength: Strength) -> Mechanism:
        """Return the family at a strength, its rounds chained."""
        if family.sides:
            return replace(self, sides=family.sides).build(replace(family, sides=()), strength)
        one = self.mechanism(family.rows(strength))
        if family.odds is not None or family.loose:
            one = Mechanism(one.law, {}, self.declare(one.law, family, strength))
        return self.chain(one, family)

    def chain(self, one: Mechanism, family: MechanismFamily) -> Mechanism:
        """Return a round of a family followed by as many more as the family has."""
        last = one
        for _ in range(family.times - 1):
            menu = {family.name: last}
            last = Mechanism(
                one.law, dict.fromkeys([*one.law][ONWARD[family.onward]], menu), one.stated
            )
        return last

    def declare(self, law: Law, family: MechanismFamily, strength: Strength) -> Declared:
        """Return the true pair that a family declares at a strength."""
        if family.odds is not None:
            return declared_at_odds(law, self.pairs, family.odds(strength))
        tight = max(odds_at(law, pair, NONE) or ONE for pair in self.pairs)
        return Declared(2 * tight, declared_at_odds(law, self.pairs, ONE).delta)

    def transplant(self, game: Game) -> Game:
        """Return a game of two databases as it looks in this context."""
        x, x_ = game.databases

        def change(m: Mechanism, after: Mapping[Output, editing.Menu]) -> Mechanism:
            rows: Rows = {y: (row[x], row[x_]) for y, row in m.law.items()}
            return self.mechanism(rows, after, m.stated)

        return self.game(editing.rebuild(game, change))

    def game(self, menu: editing.Menu) -> Game:
        """Return the game with this menu after the quiet rounds."""
        for _ in range(self.quiet):
            law = self.silent.law
            menu = {"quiet": Mechanism(law, dict.fromkeys(law, menu))}
        return self.transform(Game(self.databases, self.neighbours, menu))


def pad(count: int, place: int, rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Add quiet outputs of small probability; the telling ones stand at `place` among them.

    The place is in their names, because a certificate sorts them by name.
    """
    share = Fraction(1, 64)
    for i in range(count):
        yield f"q{i:02}", (share / count,) * 2, ""
    for y, row in rows.items():
        yield f"q{place - 1:02}~{y}", scale(row, 1 - share), y


def split(count: int, rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Split every output into equal ones."""
    for y, row in rows.items():
        yield from ((f"{y}{i}", scale(row, Fraction(1, count)), y) for i in range(count))


def refine(rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Let a thousandth of every output tell all, by names that no output has yet."""
    tiny = Fraction(1, 1000)
    sign = "==" if "=0" in rows else "="
    yield from ((f"{sign}{y}", scale(row, tiny), "") for y, row in REVEAL.items())
    yield from ((y, scale(row, 1 - tiny), y) for y, row in rows.items())


def fail_at(place: int, rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Let one output be the failure of a mechanism that has seen the data: the first, or the last.

    Where one is a failure already, it stays the only one.

    >>> [y for y, _, _ in fail_at(-1, {"0": (ONE, NONE), "1": (NONE, ONE)})]
    ['0', 'fails']
    """
    failing = FAILS if FAILS in rows else [*rows][place]
    return ((FAILS if y == failing else y, row, y) for y, row in rows.items())


def scale(row: Row, share: Fraction) -> Row:
    """Return a share of these probabilities."""
    return tuple(p * share for p in row)


def path(sides: Sequence[int | str]) -> Context:
    """Databases in a row."""
    pairs = tuple((str(i), str(i + 1)) for i in range(len(sides) - 1))
    return Context(f"path {sides}", tuple(sides), pairs)


def star(sides: Sequence[int | str]) -> Context:
    """All databases are neighbours of the first."""
    pairs = tuple(("0", str(i)) for i in range(1, len(sides)))
    return Context(f"star {sides}", tuple(sides), pairs)


def complete(sides: Sequence[int | str]) -> Context:
    """All databases are neighbours."""
    names = [*map(str, range(len(sides)))]
    pairs = tuple((x, x_) for i, x in enumerate(names) for x_ in names[i + 1 :])
    return Context(f"complete {sides}", tuple(sides), pairs)


def turn_sides(context: Context) -> Context:
    """Three databases of which any one may be told from the others, in each round another one."""
    return replace(context, name=f"turning {context.name}", turns=((0, 1, 1), (0, 1, 0), (0, 0, 1)))


PLAIN = Context()
CONTEXTS: tuple[Context, ...] = (
    turn_sides(path((0, 1, 1))),
    complete((0, 0, 1)),
    Context("the last output is a failure", relabel=partial(fail_at, -1)),
    complete((0, "quarter", 1)),
    Context("decoy", decoy=1),
    Context("the first output is a failure", relabel=partial(fail_at, 0)),
    path((0, 1, 1)),
    Context("padded to 16, last", relabel=partial(pad, 14, 14)),
    complete((0, 1, "out")),
    complete((0, 1, "half")),
    Context("three decoys", decoy=3),
    path((0, 0, 0, 1)),
    Context("harmless requests", transform=add_harmless(6)),
    Context("quiet 1", quiet=1),
    path((0, 0, 1)),
    turn_sides(complete((0, 1, 1))),
    Context("split in 4", relabel=partial(split, 4)),
    Context("quiet 12", quiet=12),
    star((0, 0, 0, 1)),
    Context("padded to 32, middle", relabel=partial(pad, 30, 15)),
    path((0, 1, "out")),
    Context("quiet 3", quiet=3),
    path(("out", 0, 1)),
    Context("refined", relabel=refine),
    complete((0, 1, 1, 0, 1)),
    path((0, 0, 1, 1, 1)),
    Context("padded to 8, first", relabel=partial(pad, 6, 0)),
    Context("gap", (0, 0, 1), (("0", "2"),)),
    Context("quiet 7", quiet=7),
    Context("quiet 33", quiet=33),
    star((1, "out", "half", 0)),
    Context("split in 10", relabel=partial(split, 10)),
)
"""Contexts in which every family is tried besides the plain one, those that matter most first."""

FAILING = tuple(n for n, one in enumerate(CONTEXTS, 1) if one.name.endswith("output is a failure"))
"""The numbers, counted from 1, of the contexts in which mechanisms fail."""


def combine(one: Context, other: Context) -> Context:
    """Return one context within another: both change labels and the game, one says the sides."""
    sides = other if one.sides == PLAIN.sides else one
    return Context(
        f"{one.name}, {other.name}",
        sides.sides,
        sides.neighbours,
        partial(relabel_twice, one.relabel, other.relabel),
        one.quiet + other.quiet,
        max(one.decoy, other.decoy),
        lambda game: other.transform(one.transform(game)),
        sides.turns,
    )


def relabel_twice(one: Relabel, other: Relabel, rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Relabel outputs, and then again."""
    first = {z: (row, y) for z, row, y in one(rows)}
    for w, row, z in other({z: row for z, (row, _) in first.items()}):
        yield w, row, first[z][1] if z in first else ""


ALL_CONTEXTS = len(CONTEXTS) * (len(CONTEXTS) + 1)
"""How many contexts have a number besides the plain one: each alone, and in pairs."""


def context_at(number: int) -> Context:
    """Return a context by its number: the plain one, each of the list, then two of them at once.

    >>> [context_at(n).name for n in (0, 5, 37)]
    ['plain', 'decoy', 'turning path (0, 1, 1), decoy']
    """
    if number <= len(CONTEXTS):
        return (PLAIN, *CONTEXTS)[number]
    one, other = divmod(number - len(CONTEXTS) - 1, len(CONTEXTS))
    return combine(CONTEXTS[one], CONTEXTS[other])


def crowds() -> Iterator[Context]:
    """Yield graphs of three to five databases, with the pair at every place among the others."""
    for other in (0, 1, "half", "quarter", "out"):
        sides: tuple[int | str, ...]
        for sides in ((0, 1, other), (other, 0, 1), (0, other, 1)):
            yield from (graph(sides) for graph in (complete, path, star))
        yield Context(f"gap {other}", (0, other, 1), (("0", "2"),))
        for sides in ((0, 1, *[other] * 2), (*[other] * 2, 0, 1), (other, 0, 1, *[other] * 2)):
            yield from (graph(sides) for graph in (complete, path))
        yield from (star((0, *[other] * n, 1)) for n in (2, 3))


def looks() -> Iterator[Context]:
    """Yield other looks of the same game: its outputs, the order, the names, more requests."""
    for name, transform in {
        "decoy first": add_decoy(True),
        "decoy last": add_decoy(False),
        "harmless requests": add_harmless(6),
        "in reverse order": reverse_order,
        "databases exchanged": exchange_databases,
        "renamed": rename_all,
    }.items():
        yield Context(name, transform=transform)
    for count in (6, 14, 30):
        for place in (0, count // 2, count):
            yield Context(f"padded by {count} at {place}", relabel=partial(pad, count, place))
    yield from (Context(f"split in {count}", relabel=partial(split, count)) for count in (2, 4, 10))
    yield Context("refined", relabel=refine)


TRANSPLANTS: tuple[Context, ...] = (
    *looks(),
    *(context for context in crowds() if context.has_the_pair),
)
"""Contexts into which a game is transplanted as it is."""
