"""Changes of a game that tell an adversary no more than before: what a promise of privacy survives.

A filter that runs everything gives the same H after a renaming, after outputs are split in fixed
proportions, and with quiet rounds in between; merged or noisier outputs give no more.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from filterproof.game import Game, Mechanism
from filterproof.game.law import Law, Output
from filterproof_properties.case import Case
from filterproof_properties.games.editing import Change, Menu, MenuChange, rebuild, same_menu

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
QUIET = "wait"
"""The request of a quiet round."""


def _changed(game: Game, change: Change, menu_change: MenuChange = same_menu) -> Game:
    return Game(game.databases, game.pairs, rebuild(game, change, menu_change))


def rename_outputs(game: Game) -> Game:
    """Give every output another name."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {f"<{y}>": row for y, row in m.law.items()}
        return Mechanism(law, {f"<{y}>": menu for y, menu in after.items()}, m.stated)

    return _changed(game, change)


def rename_requests(game: Game) -> Game:
    """Give every request another name."""
    menu = rebuild(
        game, menu_change=lambda node, menu, below: {f"<{r}>": m for r, m in menu.items()}
    )
    return Game(game.databases, game.pairs, menu)


def permute_databases(game: Game) -> Game:
    """Let the databases change places."""
    names = dict(zip(game.databases, (*game.databases[1:], game.databases[0]), strict=True))

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        law = {y: {names[x]: p for x, p in row.items()} for y, row in m.law.items()}
        return Mechanism(law, after, m.stated)

    pairs = [(names[x], names[x_]) for x, x_ in game.pairs]
    return Game(game.databases, pairs, rebuild(game, change))


def split_outputs(game: Game) -> Game:
    """Split the first output of every mechanism into two proportional parts, 1/3 and 2/3."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        first, *_ = m.law
        part = {x: p * THIRD for x, p in m.law[first].items()}
        rest = {x: p - part[x] for x, p in m.law[first].items()}
        name = fresh("more", m.law)
        return Mechanism(
            {**m.law, first: part, name: rest}, {**after, name: after[first]}, m.stated
        )

    return _changed(game, change)


def merge_outputs(game: Game) -> Game:
    """Merge two outputs of a mechanism that the same menu follows, the last such pair."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        outputs = [*m.law]
        for gone in reversed(outputs[1:]):
            alike = [y for y in outputs if y != gone and after[y] is after[gone]]
            if alike:
                rows = {y: row for y, row in m.law.items() if y != gone}
                into = alike[0]
                rows[into] = {x: p + m.law[gone][x] for x, p in rows[into].items()}
                return Mechanism(rows, {y: after[y] for y in rows}, m.stated)
        return Mechanism(m.law, after, m.stated)

    return _changed(game, change)


def post_process(game: Game) -> Game:
    """Replace an output, half of the time, by a uniform one of those that the same menu follows."""

    def change(m: Mechanism, after: Mapping[Output, Menu]) -> Mechanism:
        groups: dict[int, list[Output]] = {}
        for y in m.law:
            groups.setdefault(id(after[y]), []).append(y)
        law: dict[Output, Mapping[str, Fraction]] = {}
        for group in groups.values():
            law |= _noisier({y: m.law[y] for y in group})
        return Mechanism({y: law[y] for y in m.law}, after, m.stated)

    return _changed(game, change)


def _noisier(rows: Law) -> Law:
    """Mix every row with the mean of all."""
    total = {x: sum(row[x] for row in rows.values()) for row in rows.values() for x in row}
    return {
        y: {x: HALF * p + HALF * total[x] / len(rows) for x, p in row.items()}
        for y, row in rows.items()
    }


def quiet_rounds(game: Game) -> Game:
    """Put a round that says nothing before every menu but the first."""
    quiet: Law = {"-": dict.fromkeys(game.databases, Fraction(1))}

    def wait(node: int, menu: dict[str, Mechanism], below: list[Menu]) -> Menu:
        if not menu or node == game.menu.id:
            return menu
        return {QUIET: Mechanism(quiet, {"-": menu})}

    return Game(game.databases, game.pairs, rebuild(game, menu_change=wait))


def fresh(name: Output, taken: Mapping[Output, object]) -> Output:
    """Return the name, with as many dashes as it takes to be new.

    >>> fresh("more", {"more": 1})
    'more-'
    """
    while name in taken:
        name += "-"
    return name


SAME: tuple[Callable[[Game], Game], ...] = (
    rename_outputs,
    rename_requests,
    permute_databases,
    split_outputs,
    quiet_rounds,
)
"""Changes after which running everything gives the same H."""
LESS: tuple[Callable[[Game], Game], ...] = (merge_outputs, post_process)
"""Changes after which running everything gives no larger H."""


def with_game(change: Callable[[Game], Game]) -> Callable[[Case], Case]:
    """Return the change of a case that changes its game."""
    return lambda case: replace(case, game=change(case.game))


def larger_delta(case: Case) -> Case:
    """Return the case with a larger δ, half way to 1."""
    return replace(case, delta=(1 + case.delta) / 2)
