"""Is code never looser than a rule that has a theorem?  The invariant is found, then it is shown.

1. Run the code on concrete requests: a run that goes beyond the rule refutes it.
2. Follow every path of one request from every shape of state, on unknown numbers.
3. Guess relations from the runs; keep those that every path preserves.
4. Ask, for each path that runs a round, whether what is counted can go beyond the budget.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import z3

from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import induction
from filterproof_proofs.refinement.doubles import LARGEST, UNIT
from filterproof_proofs.refinement.induction import Clock, Edge, TooLong, ask
from filterproof_proofs.refinement.machine import Shape
from filterproof_proofs.refinement.pinned import Pinned, phases
from filterproof_proofs.refinement.relations import (
    NEVER,
    Relation,
    Room,
    Row,
    Vocabulary,
    guesses,
    loosened,
)
from filterproof_proofs.refinement.rules import Rule
from filterproof_proofs.refinement.samples import Observed, Setting, observe
from filterproof_proofs.refinement.search import huge_runs, path_plays, search
from filterproof_proofs.refinement.verdicts import Refinement
from filterproof_proofs.refinement.words import covered, invariant_words
from filterproof_proofs.symbolic.growing import NotCounted
from filterproof_proofs.symbolic.keyed import ANOTHER, FOLLOWED
from filterproof_proofs.symbolic.paths import TooMuch
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.shapes import BadState, Bag
from filterproof_proofs.symbolic.terms import value

Found = TypeVar("Found")

RUNS = 160
"""Concrete runs that relations are guessed from."""
REPLAYS = 60
"""Concrete runs that the caller makes again with the ordinary object."""


MOST_SHAPES = 40
"""States of more shapes than this are states that grow."""
ANOTHER_PART = str(ANOTHER)
"""What holds of the part that is followed holds of every other one."""
DEEP = 8
"""So many changes of shape one after the other are a state that grows."""
MOST_TALLIES = 12
"""Numbers that lists which grow are known by, at most."""
FEW_REQUESTS = 5
"""Requests that are followed where the state grows."""


@dataclass(frozen=True)
class Attempt:
    """One try at a proof: which relations are guessed, and what rounding may take of a limit."""

    products: bool
    promised: Fraction = Fraction(0)
    """What is promised is the limit and this part of it for each round."""
    rooms: tuple[Room, ...] = ()


_LITTLE, _MORE = Room(4 * UNIT, 4 * UNIT), Room(16 * UNIT, 16 * UNIT)
EXACT = (Attempt(False), Attempt(True))
ROUNDED_NUMBERS = (
    Attempt(False, 2 * UNIT, (Room(2 * UNIT, Fraction(0)),)),
    Attempt(False, 8 * UNIT, (_LITTLE,)),
    Attempt(False, 32 * UNIT, (_LITTLE, _MORE)),
    Attempt(True, 32 * UNIT, (_LITTLE, _MORE)),
)
"""The cheapest try first; the first that succeeds is said."""


@dataclass(frozen=True)
class Explored:
    """Every path of the code, and whether any number on them is rounded."""

    edges: tuple[Edge, ...]
    shapes: tuple[Shape, ...]
    requests: int | None = None
    """So many requests at most are followed, where the state grows; None for any number."""

    @property
    def rounds(self) -> bool:
        """Whether doubles or Decimals are computed with."""
        return any(edge.rounded for edge in self.edges)


def prove_setting(target: str, setting: Setting, rule: Rule, seconds: float) -> Refinement:
    """Return the verdict on one machine and one rule."""
    begun = time.monotonic()
    squares = any(one.ghost.power > 1 for one in setting.counts)
    clock = Clock(begun + seconds, linear=squares)
    draft = Refinement(target, Verdict.OPEN, rule.title or rule.name, rule.theorems)
    try:
        found = _prove(draft, setting, rule, clock)
    except (NeedsKnown, BadState, TooMuch, TooLong) as why:
        found = replace(draft, open=(str(why),))
    return replace(found, seconds=time.monotonic() - begun)


def _prove(draft: Refinement, setting: Setting, rule: Rule, clock: Clock) -> Refinement:
    seen = observe(setting, RUNS)
    if seen.excess:
        return replace(draft, verdict=Verdict.REFUTED, excess=seen.excess)
    if not seen.ran:
        return replace(draft, open=("nothing ran in any run: what runs nothing proves nothing",))
    known, setting = setting, for_any_names(setting)
    if setting is not known:
        seen = _until_all_is_counted(lambda: observe(setting, RUNS))
    found = _by_either(draft, setting, rule, seen, clock)
    if found.verdict is Verdict.PROVED:
        return found
    with suppress(TooLong):
        if excess := search(known, clock.part(Fraction(4, 5))):
            return replace(found, verdict=Verdict.REFUTED, excess=excess)
        if names := phases(seen):
            pinned = replace(setting, machine=Pinned(setting.machine, names))
            other = _attempt(draft, pinned, rule, clock)
            return other if other.verdict is Verdict.PROVED else found
    return found


def for_any_names(setting: Setting) -> Setting:
    """Return a setting in which names that the caller chooses stand for any names.

    What is shown of one part of the data is then shown of every part.
    """
    machine = setting.machine.for_any_names
    if machine is None:
        return setting
    parts = dict.fromkeys(one.part for one in setting.counts if one.part)
    first = [one for one in setting.counts if one.part == next(iter(parts), "")]
    counts = tuple(replace(one, part=str(FOLLOWED) if one.part else "") for one in first)
    return replace(setting, machine=machine, counts=counts)


def _by_either(
    draft: Refinement, setting: Setting, rule: Rule, seen: Observed, clock: Clock
) -> Refinement:
    """Return a proof with lists known by a few numbers, or else with lists as they are."""
    found = _by_lists(draft, setting, rule, seen, clock.part(Fraction(1, 3)))
    if found is not None and found.verdict is Verdict.PROVED:
        return found
    whole = _attempt(draft, setting, rule, clock.part(Fraction(1, 2)), seen)
    return whole if found is None or not whole.open or whole.bounded else found


def _until_all_is_counted(attempt: Callable[[], Found]) -> Found:
    """Return what an attempt returns; it begins anew where it needs to know more of a state."""
    for _ in range(MOST_TALLIES):
        with suppress(NotCounted):
            return attempt()
    raise TooMuch("a state holds more and more that must be known")


def _by_lists(
    draft: Refinement, setting: Setting, rule: Rule, seen: Observed, clock: Clock
) -> Refinement | None:
    """Return a proof in which lists that grow are known by a few numbers; None without such lists.

    Where the code asks for a number that is not kept yet, all begins anew with it.
    """
    if not setting.machine.grow(seen.rows):
        return None
    try:
        return _attempt(draft, setting, rule, clock)
    finally:
        setting.machine.grow(())


def _attempt(
    draft: Refinement, setting: Setting, rule: Rule, clock: Clock, seen: Observed | None = None
) -> Refinement:
    """Return PROVED, or OPEN with the reason; runs that were `seen` are not made again."""
    known = [seen] if seen is not None else []

    def attempt() -> Refinement:
        runs = known.pop() if known else observe(setting, RUNS)
        return _show(draft, setting, rule, runs, clock)

    try:
        return _until_all_is_counted(attempt)
    except (NeedsKnown, BadState, TooMuch, TooLong) as why:
        return replace(draft, open=(str(why),))


def _show(
    draft: Refinement, setting: Setting, rule: Rule, seen: Observed, clock: Clock
) -> Refinement:
    """Return PROVED or OPEN for a setting in which no run went too far."""
    found = explore(setting, clock)
    if any(edge.tiny for edge in found.edges):
        setting = replace(setting, tiny=True)
    draft = replace(draft, paths=len(found.edges), shapes=len(found.shapes))
    left: list[str] = []
    for attempt in attempts(setting, found):
        try:
            relations = find_relations(setting, found, seen, attempt, clock)
            draft = replace(draft, invariant=invariant_words(setting, relations))
            left = list(open_questions(setting, found, relations, attempt, clock))
        except TooLong as why:
            return replace(draft, open=(*left[:4], str(why)))
        if not left and found.requests is not None:
            return replace(draft, open=(_only_a_few(found.requests),), bounded=found.requests)
        if not left:
            said = covered(setting, attempt.promised, found.rounds, has_lists(found))
            paths = path_plays(setting, clock, seen.plays) if setting.counts else ()
            replays = (*seen.plays[:REPLAYS], *huge_runs(setting, clock).plays, *paths)
            proved = replace(draft, verdict=Verdict.PROVED, promise=rule.promise, replays=replays)
            return replace(proved, covers=said.covers, leaves_out=said.leaves_out)
    return replace(draft, open=tuple(left[:4]))


def attempts(setting: Setting, found: Explored) -> tuple[Attempt, ...]:
    """Return what is tried; sums of lists that grow are rounded too much for the first ones."""
    if not found.rounds or not setting.counts:
        return EXACT
    return ROUNDED_NUMBERS[2:] if has_lists(found) else ROUNDED_NUMBERS


def has_lists(found: Explored) -> bool:
    """Whether a list that grows is known by a few numbers."""
    return any(isinstance(one, Bag) for shape in found.shapes for _, one in shape.lists)


def _only_a_few(requests: int) -> str:
    return f"what comes after {requests} requests: the state grows with every round"


def explore(setting: Setting, clock: Clock) -> Explored:
    """Return every path from the start and from every shape that is reached.

    A state that grows has more and more shapes: then a few requests are followed.
    """
    edges = induction.first_edges(setting, clock)
    depths = {edge.after: 0 for edge in edges}
    todo, grows = list(depths), False
    while todo:
        shape = todo.pop(0)
        if grows and depths[shape] >= FEW_REQUESTS:
            continue
        for edge in induction.edges_from(setting, shape, clock):
            edges.append(edge)
            if edge.goes_on and edge.after not in depths:
                depths[edge.after] = depths[shape] + 1
                todo.append(edge.after)
        grows = grows or len(depths) > MOST_SHAPES or max(depths.values()) > DEEP
    if not grows:
        return Explored(tuple(edges), tuple(depths))
    near = [one for one in edges if one.before is None or depths[one.before] < FEW_REQUESTS]
    shapes = [shape for shape, depth in depths.items() if depth <= FEW_REQUESTS]
    return Explored(tuple(near), tuple(shapes), FEW_REQUESTS)


def find_relations(
    setting: Setting, found: Explored, seen: Observed, attempt: Attempt, clock: Clock
) -> dict[Shape, list[Relation]]:
    """Return the relations that every path preserves, for each shape."""
    guessed = {shape: _guesses(setting, shape, seen, attempt) for shape in found.shapes}
    for shape in found.shapes:
        if not rows_of(seen, shape):
            guessed[shape] = [NEVER, *_relations_of_others(shape, guessed)]
    for shape, some in guessed.items():
        loose = [one for room in attempt.rooms for one in _with_room(setting, some, room)]
        guessed[shape] = list(dict.fromkeys([*some, *loose]))
    return induction.preserved(setting, found.edges, guessed, clock)


def _guesses(setting: Setting, shape: Shape, seen: Observed, attempt: Attempt) -> list[Relation]:
    rows = rows_of(seen, shape)
    return guesses(rows, vocabulary(setting, shape), attempt.products) if rows else []


def rows_of(seen: Observed, shape: Shape) -> Sequence[Row]:
    """Return what runs showed of a shape, or of one with the same numbers by the same names."""
    if shape in seen.rows:
        return seen.rows[shape]
    said = (shape.words, shape.names, shape.kinds)
    alike = (rows for one, rows in seen.rows.items() if (one.words, one.names, one.kinds) == said)
    return next(alike, [])


def _relations_of_others(
    shape: Shape, guessed: Mapping[Shape, Sequence[Relation]]
) -> list[Relation]:
    """Return what was guessed of other shapes, for one that no run reached."""
    foreign = {name for other in guessed for name in other.names} - {*shape.names}
    found = [one for some in guessed.values() for one in some if not one.names & foreign]
    return list(dict.fromkeys(found))


def vocabulary(setting: Setting, shape: Shape) -> Vocabulary:
    """Return the names that relations of a shape may use."""
    ghosts = tuple((one.name, one.limit, one.ghost.multiplies) for one in setting.counts)
    return Vocabulary(setting.limits, ghosts, shape.names, tuple(setting.machine.constants))


def _with_room(setting: Setting, relations: Sequence[Relation], room: Room) -> list[Relation]:
    rooms = {one.name: (one.room, one.limit) for one in setting.counts}
    rooms |= {one.ghost.limit: (one.room, one.limit) for one in setting.counts}
    return [loose for one in relations for loose in loosened(one, rooms, room)]


# --- what must be shown -----------------------------------------------------------------------


def open_questions(
    setting: Setting,
    found: Explored,
    relations: Mapping[Shape, Sequence[Relation]],
    attempt: Attempt,
    clock: Clock,
) -> Iterator[str]:
    """Yield in words what could not be shown."""
    for edge in found.edges:
        known = induction.before(setting, edge, relations)
        for words, wrong in (*_too_far(setting, edge, attempt.promised), *_too_large(edge)):
            said, model = ask(clock, [*known, wrong])
            if said != "unsat":
                yield f"{_place(edge)}: {words}{_numbers(setting, edge, said, model)}"


def _too_far(setting: Setting, edge: Edge, promised: Fraction) -> Iterator[tuple[str, Any]]:
    """Yield how a path that runs a round could break the rule."""
    if not edge.ran:
        return
    if edge.beyond and edge.choice.part != ANOTHER_PART:
        yield edge.beyond, z3.BoolVal(True)
    then, budget = induction.next_ghosts(setting, edge), induction.budget_numbers(setting)
    for one in setting.counts:
        most = one.ghost.most(budget) + value(promised) * then[one.room]
        yield f"{one.words} may go beyond the budget", then[one.name] > most


def _too_large(edge: Edge) -> Iterator[tuple[str, Any]]:
    if edge.rounded and edge.choice.part != ANOTHER_PART:
        far = [z3.Or(one > LARGEST, one < -LARGEST) for one in edge.rounded]
        yield "a double may overflow", z3.Or(*far)


def _place(edge: Edge) -> str:
    where = "at the start" if edge.before is None else f"in a state {edge.before.words}"
    return f"{where} ({edge.choice})" if str(edge.choice) else where


def _numbers(setting: Setting, edge: Edge, said: str, model: Any) -> str:
    """Return the state and the round in numbers, where the solver names some."""
    if model is None or edge.before is None:
        return f" (the solver says {said})"
    named = {
        **induction.state_numbers(edge.before),
        **induction.ghost_numbers(setting),
        **{f"budget {n}": one for n, one in induction.budget_numbers(setting).items()},
        **{f"asked {n}": one for n, one in induction.cost_numbers(setting).items()},
    }
    shown = ", ".join(f"{name} = {model.eval(one, True)}" for name, one in named.items())
    return f", for example with {shown}"
