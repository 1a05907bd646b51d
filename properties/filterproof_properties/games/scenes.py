"""Scenes: where a shape of loss is staged.

Among several databases, with more outputs, after quiet rounds, or with requests on every menu that
ought to be refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Declared, Law, Output, Pair, odds_at
from filterproof.game.rows import NONE, ONE, REVEAL, SILENT, Rows
from filterproof_properties.games.disguises import Disguise, crowded
from filterproof_properties.games.drawn import declared_at_odds
from filterproof_properties.games.shapes import ONWARD, Level, Menu, Shape

Dress = Callable[[Rows], Rows]


@dataclass(frozen=True)
class Scene:
    """Where a shape is staged: which database behaves like which side, and how it is dressed.

    A side is 0 or 1, "half" (between the two), "quarter" (nearer to 1) or "out" (it alone has
    another output).  `quiet` rounds come before; every menu has `bait` reveals on it; at last the
    game is disguised.
    """

    name: str = "plain"
    sides: tuple[int | str, ...] = (0, 1)
    neighbours: tuple[Pair, ...] = (("0", "1"),)
    dress: Dress = lambda rows: rows
    quiet: int = 0
    bait: int = 0
    disguise: Disguise = lambda game: game

    @cached_property
    def databases(self) -> tuple[Database, ...]:
        """Their names."""
        return tuple(map(str, range(len(self.sides))))

    def mechanism(self, rows: Rows, after: Mapping[Output, Menu] | None = None) -> Mechanism:
        """Return the mechanism with these rows as it looks in this scene."""
        dressed = self.dress(rows)
        law = {"~": self.row((NONE, NONE), ONE)} if "out" in self.sides else {}
        law |= {y: self.row(row, NONE) for y, row in dressed.items()}
        kept = {y: row for y, row in law.items() if any(row.values())}
        return Mechanism(kept, {y: m for y, m in (after or {}).items() if y in kept})

    def row(self, row: tuple[Fraction, ...], out: Fraction) -> dict[Database, Fraction]:
        """Return the probabilities of one output under every database."""
        kinds: dict[int | str, Fraction] = {0: row[0], 1: row[1]}
        if "half" in self.sides or "quarter" in self.sides:
            kinds |= {"half": (row[0] + row[1]) / 2, "quarter": (row[0] + 3 * row[1]) / 4}
        return {x: kinds.get(side, out) for x, side in zip(self.databases, self.sides, strict=True)}

    def staged(self, shape: Shape, level: Level) -> Mechanism:
        """Return the shape at a level, its rounds chained."""
        one = self.mechanism(shape.rows(level))
        if shape.odds is not None or shape.loose:
            one = Mechanism(one.law, {}, self.stated(one.law, shape))
        last = one
        for _ in range(shape.times - 1):
            menu = {shape.name: last}
            last = Mechanism(
                one.law, dict.fromkeys([*one.law][ONWARD[shape.onward]], menu), one.stated
            )
        return last

    def stated(self, law: Law, shape: Shape) -> Declared:
        """Return the true pair that a shape declares."""
        pairs = [*self.neighbours, *((x_, x) for x, x_ in self.neighbours)]
        if shape.odds is not None:
            return declared_at_odds(law, pairs, shape.odds)
        tight = max(odds_at(law, pair, NONE) or ONE for pair in pairs)
        return Declared(2 * tight, declared_at_odds(law, pairs, ONE).delta)

    def game(self, menu: Menu) -> Game:
        """Return the game with this menu after the quiet rounds."""
        for _ in range(self.quiet):
            quiet = self.mechanism(SILENT)
            menu = {"quiet": Mechanism(quiet.law, dict.fromkeys(quiet.law, menu))}
        return self.disguise(Game(self.databases, self.neighbours, menu))


def padded(count: int, place: int) -> Dress:
    """Add quiet outputs of small probability; the telling ones stand at `place` among them."""

    def dress(rows: Rows) -> Rows:
        share = Fraction(1, 64)
        quiet: Rows = {f"q{i:02}": (share / count,) * 2 for i in range(count)}
        told = {f"t{y}": tuple(p * (1 - share) for p in row) for y, row in rows.items()}
        return dict([*[*quiet.items()][:place], *told.items(), *[*quiet.items()][place:]])

    return dress


def split(count: int) -> Dress:
    """Split every output into equal ones."""
    return lambda rows: {
        f"{y}{i}": tuple(p / count for p in row) for y, row in rows.items() for i in range(count)
    }


def refined(rows: Rows) -> Rows:
    """Let a thousandth of every output tell all."""
    tiny = Fraction(1, 1000)
    told = {f"={y}": tuple(p * tiny for p in row) for y, row in REVEAL.items()}
    return {**told, **{y: tuple(p * (1 - tiny) for p in row) for y, row in rows.items()}}


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


PLAIN = Scene()
SCENES: tuple[Scene, ...] = (
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
