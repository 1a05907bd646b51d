"""Scenes: where a shape of loss is staged.

Among several databases, with more outputs, after quiet rounds, or with requests on every menu that
ought to be refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Declared, Law, Output, Pair, odds_at
from filterproof.game.rows import NONE, ONE, REVEAL, SILENT, Rows
from filterproof_properties.games import editing
from filterproof_properties.games.disguises import (
    Disguise,
    baited,
    crowded,
    mirrored,
    renamed,
    swapped,
)
from filterproof_properties.games.drawn import declared_at_odds
from filterproof_properties.games.shapes import ONWARD, Level, Shape

Row = tuple[Fraction, ...]
Dress = Callable[[Rows], Iterator[tuple[Output, Row, Output]]]
"""Yields outputs as they look, each with its row and the output that it stands for."""


def undressed(rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Leave the outputs as they are."""
    return ((y, row, y) for y, row in rows.items())


@dataclass(frozen=True)
class Scene:
    """Where a shape is staged: which database behaves like which side, and how it is dressed.

    A side is 0 or 1, "half" (between the two), "quarter" (nearer to 1) or "out" (it alone has
    another output).  `quiet` rounds come before; every menu has `bait` reveals on it; at last the
    game is disguised.  In a scene with `turns` every round has its own sides, one of these.
    """

    name: str = "plain"
    sides: tuple[int | str, ...] = (0, 1)
    neighbours: tuple[Pair, ...] = (("0", "1"),)
    dress: Dress = undressed
    quiet: int = 0
    bait: int = 0
    disguise: Disguise = lambda game: game
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
        """Return the mechanism with these rows as it looks in this scene; what it states, too."""
        dressed = [*self.dress(rows)]
        law = {"~": self.row((NONE, NONE), ONE)} if "out" in self.sides else {}
        law |= {z: self.row(row, NONE) for z, row, _ in dressed}
        kept = {z: row for z, row in law.items() if any(row.values())}
        then = {z: (after or {}).get(y, {}) for z, _, y in dressed if z in kept}
        if stated is not None:
            stated = declared_at_odds(kept, self.pairs, stated.odds)
        return Mechanism(kept, {z: menu for z, menu in then.items() if menu}, stated)

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

    def staged(self, shape: Shape, level: Level) -> Mechanism:
        """Return the shape at a level, its rounds chained."""
        if shape.sides:
            return replace(self, sides=shape.sides).staged(replace(shape, sides=()), level)
        one = self.mechanism(shape.rows(level))
        if shape.odds is not None or shape.loose:
            one = Mechanism(one.law, {}, self.stated(one.law, shape, level))
        last = one
        for _ in range(shape.times - 1):
            menu = {shape.name: last}
            last = Mechanism(
                one.law, dict.fromkeys([*one.law][ONWARD[shape.onward]], menu), one.stated
            )
        return last

    def stated(self, law: Law, shape: Shape, level: Level) -> Declared:
        """Return the true pair that a shape declares at a level."""
        if shape.odds is not None:
            return declared_at_odds(law, self.pairs, shape.odds(level))
        tight = max(odds_at(law, pair, NONE) or ONE for pair in self.pairs)
        return Declared(2 * tight, declared_at_odds(law, self.pairs, ONE).delta)

    def lifted(self, game: Game) -> Game:
        """Return a game of two databases as it looks in this scene."""
        x, x_ = game.databases

        def change(m: Mechanism, after: Mapping[Output, editing.Menu]) -> Mechanism:
            rows: Rows = {y: (row[x], row[x_]) for y, row in m.law.items()}
            return self.mechanism(rows, after, m.stated)

        return self.game(editing.rebuilt(game, change))

    def game(self, menu: editing.Menu) -> Game:
        """Return the game with this menu after the quiet rounds."""
        for _ in range(self.quiet):
            quiet = self.mechanism(SILENT)
            menu = {"quiet": Mechanism(quiet.law, dict.fromkeys(quiet.law, menu))}
        return self.disguise(Game(self.databases, self.neighbours, menu))


def padded(count: int, place: int) -> Dress:
    """Add quiet outputs of small probability; the telling ones stand at `place` among them.

    The place is in their names, because a certificate sorts them by name.
    """
    share = Fraction(1, 64)

    def dress(rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
        for i in range(count):
            yield f"q{i:02}", (share / count,) * 2, ""
        for y, row in rows.items():
            yield f"q{place - 1:02}~{y}", scaled(row, 1 - share), y

    return dress


def split(count: int) -> Dress:
    """Split every output into equal ones."""
    return lambda rows: (
        (f"{y}{i}", scaled(row, Fraction(1, count)), y)
        for y, row in rows.items()
        for i in range(count)
    )


def refined(rows: Rows) -> Iterator[tuple[Output, Row, Output]]:
    """Let a thousandth of every output tell all."""
    tiny = Fraction(1, 1000)
    yield from ((f"={y}", scaled(row, tiny), "") for y, row in REVEAL.items())
    yield from ((y, scaled(row, 1 - tiny), y) for y, row in rows.items())


def scaled(row: Row, share: Fraction) -> Row:
    """Return a share of these probabilities."""
    return tuple(p * share for p in row)


def path(sides: Sequence[int | str]) -> Scene:
    """Databases in a row."""
    pairs = tuple((str(i), str(i + 1)) for i in range(len(sides) - 1))
    return Scene(f"path {sides}", tuple(sides), pairs)


def star(sides: Sequence[int | str]) -> Scene:
    """All databases are neighbours of the first."""
    pairs = tuple(("0", str(i)) for i in range(1, len(sides)))
    return Scene(f"star {sides}", tuple(sides), pairs)


def complete(sides: Sequence[int | str]) -> Scene:
    """All databases are neighbours."""
    names = [*map(str, range(len(sides)))]
    pairs = tuple((x, x_) for i, x in enumerate(names) for x_ in names[i + 1 :])
    return Scene(f"complete {sides}", tuple(sides), pairs)


def turning(scene: Scene) -> Scene:
    """Three databases of which any one may be told from the others, in each round another one."""
    return replace(scene, name=f"turning {scene.name}", turns=((0, 1, 1), (0, 1, 0), (0, 0, 1)))


PLAIN = Scene()
SCENES: tuple[Scene, ...] = (
    turning(path((0, 1, 1))),
    complete((0, 0, 1)),
    complete((0, "quarter", 1)),
    Scene("bait", bait=1),
    path((0, 1, 1)),
    Scene("padded to 16, last", dress=padded(14, 14)),
    complete((0, 1, "out")),
    complete((0, 1, "half")),
    Scene("three baits", bait=3),
    path((0, 0, 0, 1)),
    Scene("crowded", disguise=crowded(6)),
    Scene("quiet 1", quiet=1),
    path((0, 0, 1)),
    turning(complete((0, 1, 1))),
    Scene("split in 4", dress=split(4)),
    Scene("quiet 12", quiet=12),
    star((0, 0, 0, 1)),
    Scene("padded to 32, middle", dress=padded(30, 15)),
    path((0, 1, "out")),
    Scene("quiet 3", quiet=3),
    path(("out", 0, 1)),
    Scene("refined", dress=refined),
    complete((0, 1, 1, 0, 1)),
    path((0, 0, 1, 1, 1)),
    Scene("padded to 8, first", dress=padded(6, 0)),
    Scene("gap", (0, 0, 1), (("0", "2"),)),
    Scene("quiet 7", quiet=7),
    Scene("quiet 33", quiet=33),
    star((1, "out", "half", 0)),
    Scene("split in 10", dress=split(10)),
)
"""Where every shape is staged besides the plain scene, those that matter most first."""


def crowds() -> Iterator[Scene]:
    """Yield graphs of three to five databases, with the pair at every place among the others."""
    for other in (0, 1, "half", "quarter", "out"):
        sides: tuple[int | str, ...]
        for sides in ((0, 1, other), (other, 0, 1), (0, other, 1)):
            yield from (graph(sides) for graph in (complete, path, star))
        yield Scene(f"gap {other}", (0, other, 1), (("0", "2"),))
        for sides in ((0, 1, *[other] * 2), (*[other] * 2, 0, 1), (other, 0, 1, *[other] * 2)):
            yield from (graph(sides) for graph in (complete, path))
        yield from (star((0, *[other] * n, 1)) for n in (2, 3))


def looks() -> Iterator[Scene]:
    """Yield other looks of the same game: its outputs, the order, the names, more requests."""
    for name, disguise in {
        "bait first": baited(True),
        "bait last": baited(False),
        "crowded": crowded(6),
        "swapped": swapped,
        "mirrored": mirrored,
        "renamed": renamed,
    }.items():
        yield Scene(name, disguise=disguise)
    for count in (6, 14, 30):
        for place in (0, count // 2, count):
            yield Scene(f"padded by {count} at {place}", dress=padded(count, place))
    yield from (Scene(f"split in {count}", dress=split(count)) for count in (2, 4, 10))
    yield Scene("refined", dress=refined)


LIFTS: tuple[Scene, ...] = (*looks(), *(scene for scene in crowds() if scene.has_the_pair))
"""Where a game is lifted to as it is."""
