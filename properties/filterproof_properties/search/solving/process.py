"""The solver in a copy of this process that can be killed; each play comes back as one line.

A solver may ignore its limits, and a target's source may be of any shape: whatever goes wrong there
ends that process, and the search goes on without it and says so.
"""

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain
from time import monotonic
from typing import Any

from filterproof.budget_calls import complete
from filterproof_properties.case import Case
from filterproof_properties.processes.child import Child, ChildFailed, Limits, NoAnswer
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.search.constants import constants_in, number_of
from filterproof_properties.search.loop import NotTried, Source, Space
from filterproof_properties.search.plan import SearchTask
from filterproof_properties.search.solving.plays import Counted, budget_for, case_of
from filterproof_properties.targets.budget.names import is_budget_object, named
from filterproof_properties.targets.coverage.own_code import OwnFile, program_of
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Target

MOST = 160
"""So many plays are asked for at most."""
PATIENCE = 60.0
"""So many seconds without a play, and there is none any more; with a limit on time, that."""
MOST_BYTES = 2**20
UNFINISHED = "branches of the code that the solver had not come to; {}, after {} plays"
"""What is said of a solver that did not come to its end."""
NOTHING: tuple[Space, ...] = ()


def branches(task: SearchTask, target: Target) -> Source:
    """Plays that take branches of a target's code for the first time, as a solver finds them."""
    at = budget_for(task.variant, *task.budget)
    if at is None or not isinstance(target, RemoteTarget) or not target.own:
        return NOTHING
    yield from found_by_solver(task.variant, target.own, at, task.seconds, more=task.part > 0)
    return NOTHING


def found_by_solver(
    spec: str,
    own: tuple[OwnFile, ...],
    at: Counted,
    seconds: float | None = None,
    *,
    more: bool = False,
) -> Iterator[Case]:
    """Yield the plays as they are found, for so many seconds; `more` are those that come later."""
    until = None if seconds is None else monotonic() + seconds
    counts = constants_in(own).counts
    child = Child(partial(tell_plays, spec, counts, at, more=more), Limits())
    found = 0
    try:
        while True:
            left = PATIENCE if until is None else min(PATIENCE, until - monotonic())
            told = json.loads(child.line(max(0.0, left), MOST_BYTES))
            if told is None:
                return
            yield case_of(told, at)
            found += 1
    except NoAnswer:
        raise NotTried(UNFINISHED.format("its time was up", found)) from None
    except (ChildFailed, ValueError) as error:  # it ended, or sent no JSON
        raise NotTried(UNFINISHED.format(f"its process: {quoted(error, 100)}", found)) from None
    finally:
        child.close()


def tell_plays(spec: str, counts: tuple[int, ...], at: Counted, *, more: bool) -> None:
    """Write the plays for one target as lines, and null where they end."""
    with open(1, "wb", closefd=False) as lines:
        for told in chain(plays_for(spec, counts, at, more=more), [None]):
            lines.write(json.dumps(told).encode() + b"\n")
            lines.flush()


def plays_for(
    spec: str, counts: tuple[int, ...], at: Counted, *, more: bool
) -> Iterator[dict[str, Any]]:
    """Yield plays as plain data, each once."""
    from filterproof_properties.search.solving.asked import (  # loads a solver
        AskedFilter,
        LawMachine,
        asked_budget,
    )
    from filterproof_properties.search.solving.solver import Opening, plans, solved_plays

    program = program_of(spec)
    if program is None:
        return
    target: Any = AskedFilter(LawMachine(program))
    if is_budget_object(spec):
        target = asked_budget(program, complete(named(spec)[1]), float(number_of(at.epsilon)))
    opening, seen = Opening(at.size, at.delta, at.free and at.adds_up), set[str]()
    for play in solved_plays(target, plans(target, counts, opening, more=more), opening):
        told = {
            "size": str(play.size),
            "delta": str(play.delta),
            "any budget": play.size != opening.size,
            "beyond": play.beyond,
            "requests": [
                [one.kind, str(one.size), str(one.delta), one.way.name, one.way.fails]
                for one in play.requests
            ],
        }
        text = json.dumps(told)
        if text not in seen:
            yield told
        seen.add(text)
        if len(seen) == MOST:
            return
