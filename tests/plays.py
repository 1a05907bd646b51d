"""Which rounds a filter runs, and games in another dress: what the tests of relations share."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import Game, History, Mechanism, Request, Step, opening
from filterproof.game.law import Output

Menu = Mapping[Request, Mechanism]
Ran = set[tuple[History, Request]]


def rounds_run(rule: Filter[Any], game: Game) -> Ran:
    """Return every partial transcript (r^i, y^{i-1}), i >= 1, at which the filter runs M_i."""
    ran: Ran = set()
    first = opening(game)
    todo: list[tuple[Step, Hashable]] = [(first, start(rule))]
    while todo:
        step, state = todo.pop()
        decision, after = ask(rule, state, step)
        if decision in (Decision.CONTINUE, Decision.LAST) and step.index:
            ran.add((step.history, step.request))
        if decision is Decision.REFUSE:
            others = (r for r in step.menu if r != step.request)
            todo += [(step.instead(r), after) for r in others if not refuses(rule, after, step, r)]
        if decision is Decision.CONTINUE:
            todo += [
                (step.next(y, r), observe(rule, after, step, y))
                for y in step.mechanism.law
                if any(step.released(y).values())
                for r in step.mechanism.after[y]
            ]
    return ran


def refuses(rule: Filter[Any], state: Hashable, step: Step, request: Request) -> bool:
    return ask(rule, state, step.instead(request))[0] is Decision.REFUSE


# --- the same game in another dress ------------------------------------------------------------


def rebuilt(game: Game, change: Callable[[Mechanism, dict[Output, Menu]], Mechanism]) -> Menu:
    """Return the first menu with every mechanism changed, from the leaves up."""
    made: list[Menu] = []
    for node in game.nodes:
        after = {
            r: {y: made[menu.id] for y, menu in m.after.items()}  # type: ignore[attr-defined]
            for r, m in node.items()
        }
        made.append({r: change(m, after[r]) for r, m in node.items()})
    return made[game.menu.id]


def relabelled(game: Game) -> Game:
    """Give every output another name."""

    def change(m: Mechanism, after: dict[Output, Menu]) -> Mechanism:
        names = {y: f"<{y}>" for y in m.law}
        law = {names[y]: row for y, row in m.law.items()}
        return Mechanism(law, {names[y]: menu for y, menu in after.items()}, m.stated)

    return Game(game.databases, game.pairs, rebuilt(game, change))


def split(game: Game) -> Game:
    """Split the first output of every mechanism into two proportional parts, 1/3 and 2/3."""

    def change(m: Mechanism, after: dict[Output, Menu]) -> Mechanism:
        first, *_ = m.law
        law = dict(m.law)
        law[first] = {x: p / 3 for x, p in m.law[first].items()}
        law["more"] = {x: 2 * p / 3 for x, p in m.law[first].items()}
        return Mechanism(law, {**after, "more": after[first]}, m.stated)

    return Game(game.databases, game.pairs, rebuilt(game, change))


def permuted(game: Game) -> Game:
    """Let the databases change places."""
    names = dict(zip(game.databases, (*game.databases[1:], game.databases[0]), strict=True))

    def change(m: Mechanism, after: dict[Output, Menu]) -> Mechanism:
        law = {y: {names[x]: p for x, p in row.items()} for y, row in m.law.items()}
        return Mechanism(law, after, m.stated)

    pairs = [(names[x], names[x_]) for x, x_ in game.pairs]
    return Game(game.databases, pairs, rebuilt(game, change))


def renamed(game: Game) -> Game:
    """Give every request another name."""

    def rename(menu: Menu) -> Menu:
        return {f"<{r}>": m for r, m in menu.items()}

    def change(m: Mechanism, after: dict[Output, Menu]) -> Mechanism:
        return Mechanism(m.law, {y: rename(menu) for y, menu in after.items()}, m.stated)

    return Game(game.databases, game.pairs, rename(rebuilt(game, change)))


DRESSES: tuple[Callable[[Game], Game], ...] = (relabelled, split, permuted, renamed)
