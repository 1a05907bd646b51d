"""Two versions of a filter that looks at laws, side by side: the new one is never looser.

What trusted functions say of a round (its risk, its charge for a pair) are unknown numbers, the
same ones for both versions, so a law may have any number of outputs.  Both states are followed
together; relations between their numbers are guessed from a list, and those stay that every path
keeps.  Whatever else of a round a version looks at ends the proof.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import z3

from filterproof.filter import OTHER_WAYS, Decision
from filterproof.game import OPENING
from filterproof_proofs.potential.verdicts import Verdict
from filterproof_proofs.refinement import induction
from filterproof_proofs.refinement.induction import Clock, Edge, TooLong, ask
from filterproof_proofs.refinement.machine import Choice, Shape
from filterproof_proofs.refinement.proof import Attempt, Explored, open_questions
from filterproof_proofs.refinement.prove import ALLOWED, OLD_VERSION
from filterproof_proofs.refinement.relations import Relation, linear
from filterproof_proofs.refinement.samples import Setting
from filterproof_proofs.refinement.verdicts import Refinement
from filterproof_proofs.refinement.versions import LOOSER
from filterproof_proofs.refinement.words import invariant_words
from filterproof_proofs.symbolic.filling import fill
from filterproof_proofs.symbolic.library import is_instance
from filterproof_proofs.symbolic.memory import held_by
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.paths import Infeasible, Limits, Paths, TooMuch
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.run import NeedsKnown
from filterproof_proofs.symbolic.shapes import (
    Around,
    BadState,
    describe,
    names,
    numbers,
    shape_of,
)
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Instance,
    Raised,
    kind_of_instance,
)
from filterproof_proofs.ties.contracts import CONTRACTS, Contract, trusted_words
from filterproof_proofs.ties.tie import RUNS, NotTied, Tied, answered, asked
from filterproof_proofs.ties.world import RELEASED, Round, Size


def _possible(path: str) -> Contract:
    """Return a contract that speaks only of histories that x can have."""

    def answer(now: Round, law: Any, pair: Any, mass: Any, epsilon: Any) -> Any:
        if not now.run.branch(value(mass[pair[0]]) > 0):
            raise now.run.stuck(f"{path} is asked about a history that {pair[0]} cannot have")
        return CONTRACTS[path](now, law, pair, mass, epsilon)

    return answer


_TRUSTED = ("filterproof.privacy.risk", "filterproof.privacy.charge")
SAME_FOR_BOTH = {path: _possible(path) for path in _TRUSTED}
"""Functions that say one number of a round, whatever the version has counted."""
MOST_SHAPES = 24
SIZES = Size(), Size(databases=3)
"""A version may count databases, so a proof is one for two and for three of them."""


@dataclass(frozen=True)
class Version:
    """One version in its interpreter: the filter, its state, and None once it has ended."""

    machine: Tied
    filter: Any
    state: Any
    name: str

    def split(self) -> tuple[Any, list[str], list[Any]]:
        """Return the shape of its state, and the names and numbers in it."""
        around = Around({**held_by(self.filter), **self.machine.public})
        found = shape_of(self.state, around), names(self.state, self.name, around)
        return *found, numbers(self.state, around)


@dataclass(frozen=True)
class Pair:
    """Both programs, and the size of the rounds that they are followed in."""

    new: Program
    old: Program
    size: Size
    used: set[str] = field(default_factory=set)
    """The trusted functions that were asked."""


SETTING = Setting(None, (), ("odds", "delta"), (), Fraction)  # type: ignore[arg-type]
"""The numbers of the budget, by the names that relations use."""


def prove_laws(new: Program, old: Program, name: str, seconds: float) -> Refinement:
    """Return whether a new version runs a round only where the old one runs it.

    It is shown for two databases and for three, or not at all.
    """
    begun, draft = time.monotonic(), Refinement(name, Verdict.OPEN, OLD_VERSION)
    for size in SIZES:
        shown = _attempt(draft, Pair(new, old, size), Clock(begun + seconds))
        if shown.verdict is not Verdict.PROVED:
            break
    return replace(shown, seconds=time.monotonic() - begun)


def _attempt(draft: Refinement, pair: Pair, clock: Clock) -> Refinement:
    try:
        return _prove(draft, pair, clock)
    except (BadState, NeedsKnown, NotTied, TooLong, TooMuch) as why:
        return replace(draft, open=(str(why),))


def _prove(draft: Refinement, pair: Pair, clock: Clock) -> Refinement:
    found = explore(pair, clock)
    draft = replace(draft, paths=len(found.edges), shapes=len(found.shapes))
    guessed = {shape: list(templates(shape)) for shape in found.shapes}
    relations = induction.preserved(SETTING, found.edges, guessed, clock)
    left = [*open_questions(SETTING, found, relations, Attempt(False), clock)]
    running = (one for one in found.edges if one.ran and one.before is not None)
    if not left and not any(
        ask(clock, induction.before(SETTING, one, relations))[0] == "sat" for one in running
    ):
        left = ["nothing runs on any path: what runs nothing proves nothing"]
    if left:
        return replace(draft, open=tuple(left[:4]))
    words = invariant_words(SETTING, relations)
    said = f"every law, any number of outputs, {_sizes(pair.size)}; any number of rounds"
    trusted = f"taken at their word, the same for both: {trusted_words(pair.used)}"
    covers = (said, "every epsilon and delta that the new version accepts", trusted)
    return replace(draft, verdict=Verdict.PROVED, covers=covers, invariant=words, promise=ALLOWED)


def _sizes(size: Size) -> str:
    return " or ".join(str(n) for n in range(2, size.databases + 1)) + " databases"


# --- what may be true of both states --------------------------------------------------------------


def templates(shape: Shape) -> Iterator[Relation]:
    """Yield what is guessed: bounds, and each new number beside each old one."""
    for name in shape.names:
        yield linear((name, 1))
        yield linear(("1", 1), (name, -1))
        yield linear(("delta", 1), (name, -1))
    ours, theirs = ([one for one in shape.names if one.startswith(k)] for k in ("new", "old"))
    for one, other in product(ours, theirs):
        for whole in ((), (("delta", -1),), (("1", -1),)):
            terms = ((one, 1), (other, 1 if whole else -1), *whole)
            yield replace(linear(*terms), equal=True)
            yield linear(*terms)
            yield linear(*((name, -factor) for name, factor in terms))


# --- paths ----------------------------------------------------------------------------------------


def explore(pair: Pair, clock: Clock) -> Explored:
    """Return every path of the opening round, and of a round from every shape of both states."""
    edges = _edges(pair, None, clock)
    shapes = [*dict.fromkeys(one.after for one in edges if one.goes_on)]
    for shape in shapes:  # grows while it is gone through
        if len(shapes) > MOST_SHAPES:
            raise TooLong(f"the states have more than {MOST_SHAPES} shapes")
        found = _edges(pair, shape, clock)
        edges += found
        shapes += dict.fromkeys(o.after for o in found if o.goes_on and o.after not in shapes)
    return Explored(tuple(edges), tuple(shapes))


def _edges(pair: Pair, before: Shape | None, clock: Clock) -> list[Edge]:
    clock.check()
    run = Paths(Limits(induction.MOST_PATHS, clock.deadline))
    return induction.completed(run, run.cases(lambda: _round(pair, before, run)))


def _round(pair: Pair, before: Shape | None, run: Paths) -> Edge:
    """Follow one round of both versions, from a shape of their states or from the start."""
    now = Round(run, pair.size, before is None)
    run.assume(z3.Real("budget delta") == now.delta.term)
    run.assume(z3.Real("budget odds") == now.odds.term)
    new, old = _both_versions(pair, before, now)
    decision, new = _ask_version(new, now)
    if now.opening and decision is Decision.REFUSE:
        raise NotTied("it refuses the opening round")
    ran, beyond = decision in RUNS, ""
    if ran:
        old, beyond = _ask_old(old, now)
    alive = tuple(_lives(now, now.mass[x]) for x in now.databases)
    if decision is Decision.CONTINUE:
        alive, new, old = _release(now, new, old)
    goes_on = not beyond and decision in (Decision.CONTINUE, Decision.REFUSE)
    pair.used.update(new.machine.used, old.machine.used if old else ())
    shape, found = _shape_and_numbers(alive, new, old)
    return Edge(before, Choice(), (), ran, goes_on, beyond, shape, tuple(found), ())


def _ask_old(old: Version | None, now: Round) -> tuple[Version | None, str]:
    """Ask the old version what the new one runs; return it, None once it has ended."""
    if old is None:
        return None, LOOSER
    said, after = _ask_version(old, now)
    return after if said is Decision.CONTINUE else None, "" if said in RUNS else LOOSER


def _both_versions(pair: Pair, before: Shape | None, now: Round) -> tuple[Version, Version | None]:
    """Return both versions; only one of them if the old one has ended or was never made."""
    new = _make_version(pair.new, now, "new")
    if new is None:
        raise Infeasible  # refused at the door: nothing runs
    if before is None:
        old = _make_version(pair.old, now, "old")
        return _start(new), _start(old) if old else None
    form: Any = before.form
    alive, *forms = form
    for x, lives in zip(now.databases, alive, strict=True):
        mass = value(now.mass[x])
        now.run.assume(mass > 0 if lives else mass == 0)
    left = iter([now.run.unknown(f"state {one}") for one in before.names])
    joined = replace(new, state=_state_of(new, forms[0], left, now))
    if forms[1] is None:
        return joined, None
    made = _make_version(pair.old, now, "old")
    if made is None:
        raise Infeasible
    return joined, replace(made, state=_state_of(made, forms[1], left, now))


def _state_of(version: Version, form: Any, left: Iterator[Term], now: Round) -> Any:
    return fill(form, lambda _: next(left), now.epsilon, version.machine.find)


def _make_version(program: Program, now: Round, name: str) -> Version | None:
    """Return a version made for the budget; None where it refuses that."""
    machine = Tied(program, now, {}, SAME_FOR_BOTH)
    target = machine.attribute()
    for way in (*OTHER_WAYS, "parameters"):
        if isinstance(target, Class) and target.find(way) is not MISSING:
            raise BadState(f"the filter has {way}, which is not followed")
    try:
        made = machine.call(target, now.epsilon, now.delta)
    except Raised as error:
        if is_instance(machine, error.value, ValueError):
            return None
        raise NotTied(f"the constructor raises {error}") from None
    machine.seal()
    return Version(machine, made, None, name)


def _start(version: Version) -> Version:
    return replace(version, state=answered(version.machine, version.filter, "start"))


def _ask_version(version: Version, now: Round) -> tuple[Decision, Version]:
    """Return what a version decides, and the version after that."""
    decision, state = asked(version.machine, now, version.filter, version.state)
    return decision, replace(version, state=state)


def _release(
    now: Round, new: Version, old: Version | None
) -> tuple[tuple[bool, ...], Version, Version | None]:
    """Release an output to both: which databases stay possible, and the states after it."""
    y = Name(OPENING) if now.opening else RELEASED
    row = now.law[y]
    alive = tuple(
        _lives(now, now.mass[x]) and (now.opening or _lives(now, row[x])) for x in now.databases
    )
    if not any(alive):
        raise Infeasible
    return alive, _observe(new, now, y), _observe(old, now, y) if old else None


def _lives(now: Round, chance: Any) -> bool:
    return now.run.branch(value(chance) > 0)


def _observe(version: Version, now: Round, y: str) -> Version:
    made = version.filter
    if isinstance(made, Instance) and kind_of_instance(made).find("observe") is MISSING:
        return version
    given = version.state, now.step_now, y
    return replace(version, state=answered(version.machine, version.filter, "observe", *given))


def _shape_and_numbers(
    alive: tuple[bool, ...], new: Version, old: Version | None
) -> tuple[Shape, Sequence[Any]]:
    """Return what both states are made of, and their numbers for the solver."""
    parts = [one.split() for one in (new, old) if one]
    forms = [form for form, _, _ in parts]
    named = tuple(f"{one}" for _, some, _ in parts for one in some)
    words = ", ".join(f"{n} {describe(f)}" for n, f in zip(("new", "old"), forms, strict=False))
    words += "" if old else ", old ended"
    dead = f", {alive.count(False)} of {len(alive)} databases ruled out" if not all(alive) else ""
    shape = Shape(
        (alive, forms[0], forms[1] if old else None),
        named,
        (Fraction,) * len(named),
        words + dead,
    )
    return shape, [value(one) for _, _, some in parts for one in some]
