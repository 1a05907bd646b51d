"""Open menus: at every position the adversary may choose from all shapes of loss.

A source sits down at a `Table` for every parameter set that the filter takes, and makes some of
the moves there.  For a filter that looks ahead the table is another one.
"""

from collections.abc import Callable, Iterator

from filterproof.filter import parameter_sets
from filterproof_properties.case import Case
from filterproof_properties.games.probes import COARSE, FINE, at_once, sliced, small
from filterproof_properties.games.scenes import LIFTS, PLAIN, SCENES
from filterproof_properties.games.shapes import MORE_RUNS, RUNS
from filterproof_properties.search.ahead import AheadTable
from filterproof_properties.search.filling import sees_ahead
from filterproof_properties.search.loop import Source, said_budget
from filterproof_properties.search.plan import Stint
from filterproof_properties.search.table import Table, Tries
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.target import Declined, Target

FEW = 9
"""How many first rounds are tried at every budget before the others are."""


def over_budget(stint: Stint, target: Target) -> Source:
    """What no filter may run: by much or by little, at once or in slices, and in all scenes."""
    epsilon, delta = stint.fixed()
    for name, game in (*at_once(epsilon, delta, COARSE), *sliced(epsilon, delta, COARSE)):
        yield Case(name, game, epsilon, delta)
    laws = [*small(epsilon, delta)]
    for number, scene in enumerate(LIFTS):
        name, game = laws[number % len(laws)]
        yield Case(f"{name}, {scene.name}", scene.lifted(game), epsilon, delta)
    for name, game in (*at_once(epsilon, delta, FINE), *sliced(epsilon, delta, FINE)):
        yield Case(name, game, epsilon, delta)
    return ()


def one_round(table: Table, stint: Stint) -> Tries:
    """One round of every shape; in a scene, two rounds as well; three where its sides turn."""
    yield from table.singles()
    yield from table.turns() if table.scene.turns else ()
    yield from () if table.scene is PLAIN else table.seconds(slice(2))


def one_shape(table: Table, stint: Stint) -> Tries:
    """Marches of one shape, and spends after which it is waited."""
    yield from table.marches()
    yield from table.waits()


def equal_rounds(table: Table, stint: Stint) -> Tries:
    """Runs of equal rounds."""
    yield from table.runs(MORE_RUNS if stint.family else RUNS)


def two_rounds(table: Table, stint: Stint) -> Tries:
    """Open menus after a few first rounds; the best play is reopened, and lifted elsewhere."""
    yield from table.seconds(slice(FEW))
    yield from table.reopened(1)
    yield from table.lifted() if table.scene is PLAIN else ()


def more_rounds(table: Table, stint: Stint) -> Tries:
    """Open menus after all other first rounds, and what the best of these plays lead to."""
    yield from table.seconds(slice(FEW, None))
    yield from table.reopened(3)


def at_tables(moves: Callable[[Table, Stint], Tries]) -> Callable[[Stint, Target], Source]:
    """Return the source that makes these moves at every table."""

    def source(stint: Stint, target: Target) -> Source:
        for table in tables(stint, target):
            yield from moves(table, stint)
        return ()

    return source


def tables(stint: Stint, target: Target) -> Iterator[Table]:
    """Yield the filter at the stint's budget and scene, once per parameter set that it takes."""
    epsilon, delta = stint.fixed()
    scene = (PLAIN, *SCENES)[stint.part]
    declined: list[str] = []
    for parameters in parameter_sets(target, epsilon, delta, 2):
        try:
            rule = make_filter(target, epsilon, delta, parameters)
        except Declined as error:
            declined.append(f"{said_budget(epsilon, delta)}: {error}")
            continue
        kind = AheadTable if sees_ahead(rule, scene) else Table
        table = kind(rule, scene, epsilon, delta, parameters)
        yield table
        if table.filler.fault is not None:  # what else there was to try has been tried
            raise table.filler.fault
    if declined:
        raise Declined(declined[0], len(declined))
