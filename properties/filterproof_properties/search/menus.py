"""Open menus: at every position the adversary may choose from all families of loss.

A source has a `MenuBuilder` for every parameter set that the filter takes, and plays some of the
games that it builds.  A filter that looks ahead has a builder of its own kind.
"""

from collections.abc import Callable, Iterator

from filterproof.filter import parameter_sets
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import PLAIN, TRANSPLANTS, context_at
from filterproof_properties.games.families import MORE_RUNS, RUNS
from filterproof_properties.games.insisting import crowded_menus, glued_keys, insisting
from filterproof_properties.games.over_budget import COARSE, FINE, at_once, in_slices, small
from filterproof_properties.search.deepening import deepen, transplant
from filterproof_properties.search.look_ahead import LookAheadBuilder
from filterproof_properties.search.loop import Source, describe_budget
from filterproof_properties.search.menu_builder import MenuBuilder, Tries
from filterproof_properties.search.plan import SearchTask
from filterproof_properties.search.spending import (
    spend_after_free_rounds,
    spend_repeatedly,
    spend_then_fill_names,
    spend_then_idle,
)
from filterproof_properties.targets.evaluate import make_filter
from filterproof_properties.targets.prober import sees_ahead
from filterproof_properties.targets.target import Declined, Target

FEW = 10
"""How many first rounds are tried at every budget before the others are."""


def over_budget(task: SearchTask, target: Target) -> Source:
    """What no filter may run: by much or by little, at once or in slices, and in all contexts."""
    epsilon, delta = task.fixed()
    for name, game in (*at_once(epsilon, delta, COARSE), *in_slices(epsilon, delta, COARSE)):
        yield Case(name, game, epsilon, delta)
    laws = [*small(epsilon, delta)]
    for number, context in enumerate(TRANSPLANTS):
        name, game = laws[number % len(laws)]
        yield Case(f"{name}, {context.name}", context.transplant(game), epsilon, delta)
    for name, game in (
        *insisting(epsilon, delta),
        *crowded_menus(delta),
        *glued_keys(epsilon, delta),
    ):
        yield Case(name, game, epsilon, delta)
    for name, game in (*at_once(epsilon, delta, FINE), *in_slices(epsilon, delta, FINE)):
        yield Case(name, game, epsilon, delta)
    return ()


def one_round(builder: MenuBuilder, task: SearchTask) -> Tries:
    """One round of every family; in a context, two rounds as well; three where its sides turn."""
    yield from builder.one_round()
    yield from builder.turn_sides() if builder.context.turns else ()
    yield from () if builder.context is PLAIN else builder.two_rounds(slice(2))


def one_family(builder: MenuBuilder, task: SearchTask) -> Tries:
    """One family round after round, and spends after which the play idles."""
    if not isinstance(builder, LookAheadBuilder):  # it judges at once what follows
        yield from spend_repeatedly(builder)
        yield from spend_then_idle(builder)


def many_rounds(builder: MenuBuilder, task: SearchTask) -> Tries:
    """A hundred weak rounds that cost nothing, and a hundred names."""
    if not isinstance(builder, LookAheadBuilder):
        yield from spend_after_free_rounds(builder)
        yield from spend_then_fill_names(builder)


def equal_rounds(builder: MenuBuilder, task: SearchTask) -> Tries:
    """Runs of equal rounds."""
    yield from builder.equal_rounds(MORE_RUNS if task.variant else RUNS)


def two_rounds(builder: MenuBuilder, task: SearchTask) -> Tries:
    """Open menus after a few first rounds; the best play is deepened, and transplanted."""
    yield from builder.two_rounds(slice(FEW))
    yield from deepen(builder, 1)
    yield from transplant(builder) if builder.context is PLAIN else ()


def more_rounds(builder: MenuBuilder, task: SearchTask) -> Tries:
    """Open menus after all other first rounds, and what the best of these plays lead to."""
    yield from builder.two_rounds(slice(FEW, None))
    yield from deepen(builder, 3)


def with_builders(
    moves: Callable[[MenuBuilder, SearchTask], Tries],
) -> Callable[[SearchTask, Target], Source]:
    """Return the source that plays what every builder makes of these moves."""

    def source(task: SearchTask, target: Target) -> Source:
        for builder in builders(task, target):
            yield from moves(builder, task)
        return ()

    return source


def builders(task: SearchTask, target: Target) -> Iterator[MenuBuilder]:
    """Yield the filter at the task's budget and context, once per parameter set that it takes."""
    epsilon, delta = task.fixed()
    context = context_at(task.part)
    declined: list[str] = []
    for parameters in parameter_sets(target, epsilon, delta, 2):
        try:
            rule = make_filter(target, epsilon, delta, parameters)
        except Declined as error:
            declined.append(f"{describe_budget(epsilon, delta)}: {error}")
            continue
        kind = LookAheadBuilder if sees_ahead(rule, context) else MenuBuilder
        builder = kind(rule, context, epsilon, delta, parameters)
        yield builder
        if builder.prober.fault is not None:  # what else there was to try has been tried
            raise builder.prober.fault
    if declined:
        raise Declined(declined[0], len(declined))
