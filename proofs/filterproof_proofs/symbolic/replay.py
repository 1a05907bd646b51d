"""A round in numbers, played by the ordinary filter: what a refutation must survive to be shown.

Nothing here knows a solver.  The law goes through `Game`, the filter gets a real `Step`, and the
rules of a potential are checked with fractions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import ExpLinear
from filterproof.filter import Decision, Filter, ask, observe
from filterproof.game import Game, Mechanism, Step, coprime, opening
from filterproof.game.law import Database, Declared, Output, Pair
from filterproof_proofs.symbolic.plays import invariant, number_of
from filterproof_proofs.symbolic.verdicts import Refutation, Round

START = "at the start B <= delta"
PAYS = "a round that runs is paid for: sum of P_x(y)·B_y + charge <= B"
LAST = "the last round is paid for: charge <= B"
REFUSAL = "a refusal does not raise the potential: B after <= B before"
NEGATIVE = "a potential is never negative: 0 <= B after"
INVARIANT = "the invariant is kept (1 if it holds)"
FIRST_INVARIANT = "the invariant holds of the first state (1 if it holds)"


class NotAllowed(ValueError):
    """Numbers that are no round: a false law, a state that the potential or invariant excludes."""


def replay(target: Callable[..., Filter[Any]], here: Round) -> list[Refutation]:
    """Return every rule that the round breaks, played by the ordinary filter.

    Raises `NotAllowed` (or what the filter raises) where the numbers are no round of a play.
    """
    rule: Any = target(here.epsilon, here.delta, **here.parameters)
    if here.index == 0:
        return list(_opening(rule, here))
    step = _step(here)
    if not invariant(rule, here.state, _before(step)):
        raise NotAllowed("the invariant excludes this state")
    before = {pair: _number(rule, here.state, _before(step), pair) for pair in step.pairs}
    if any(number < 0 for number in before.values()):
        raise NotAllowed("the potential of this state is negative")
    return list(_broken(rule, here, step, here.state, before))


def _opening(rule: Any, here: Round) -> Iterator[Refutation]:
    step = opening(_game(here))
    state = rule.start()
    if not invariant(rule, state, _before(step)):
        yield Refutation(
            FIRST_INVARIANT, step.pairs[0], here, Decision.HALT, Fraction(1), Fraction(0)
        )
        return
    before = {pair: _number(rule, state, _before(step), pair) for pair in step.pairs}
    for pair, number in before.items():
        if number > here.delta:
            yield Refutation(START, pair, here, Decision.HALT, number, here.delta)
    yield from _broken(rule, here, step, state, before)


def _broken(
    rule: Any, here: Round, step: Step, state: Any, before: Mapping[Pair, Fraction]
) -> Iterator[Refutation]:
    decision, after = ask(rule, state, step)
    if decision is Decision.REFUSE:
        now = _before(step)
        for pair, number in before.items():
            left = _number(rule, after, now, pair)
            yield from _exceeds(REFUSAL, pair, here, decision, left, number)
            yield from _exceeds(NEGATIVE, pair, here, decision, Fraction(0), left)
        yield from _kept(rule, after, now, here, decision)
    if decision is Decision.LAST:
        for pair, number in before.items():
            yield from _exceeds(LAST, pair, here, decision, charge(here, step, pair), number)
    if decision is Decision.CONTINUE:
        for pair, number in before.items():
            yield from _paid(rule, here, step, after, pair, number)


def _paid(
    rule: Any, here: Round, step: Step, state: Any, pair: Pair, before: Fraction
) -> Iterator[Refutation]:
    total = charge(here, step, pair)
    for y, row in step.mechanism.law.items():
        if not row[pair[0]]:
            continue
        later = observe(rule, state, step, y)
        now = _after(step, y)
        left = _number(rule, later, now, pair)
        total += row[pair[0]] * left
        yield from _exceeds(NEGATIVE, pair, here, Decision.CONTINUE, Fraction(0), left)
        yield from _kept(rule, later, now, here, Decision.CONTINUE)
    yield from _exceeds(PAYS, pair, here, Decision.CONTINUE, total, before)


def _exceeds(
    rule: str, pair: Pair, here: Round, decision: Decision, left: Fraction, right: Fraction
) -> Iterator[Refutation]:
    if left > right:
        yield Refutation(rule, pair, here, decision, left, right)


def _kept(
    rule: Any, state: Any, step: Step, here: Round, decision: Decision
) -> Iterator[Refutation]:
    if not invariant(rule, state, step):
        pair = step.pairs[0]
        yield Refutation(INVARIANT, pair, here, decision, Fraction(1), Fraction(0))


def charge(here: Round, step: Step, pair: Pair) -> Fraction:
    """Return what the round adds to H, per unit of P_x, straight from its definition."""
    x, x_ = pair
    w, w_ = step.mass[x], step.mass[x_]
    won = sum(
        (
            max(Fraction(0), w * row[x] - here.odds * w_ * row[x_])
            for row in step.mechanism.law.values()
        ),
        Fraction(0),
    )
    return (won - max(Fraction(0), w - here.odds * w_)) / w


def _number(rule: Any, state: Any, step: Step, pair: Pair) -> Fraction:
    said = rule.remaining(state, step, pair)
    if isinstance(said, ExpLinear) and said.b:
        raise NotAllowed("a potential at a rational e^eps is rational")
    return number_of(said, pair)


# --- a real step out of a round's numbers ---------------------------------------------------


@dataclass(frozen=True)
class _Nothing:
    """Stands for the request that is not sent yet."""


def _game(here: Round) -> Game:
    databases = tuple(here.mass)
    pairs = [(a, b) for a in databases for b in databases if a < b]
    after = {y: {r: Mechanism(law) for r, law in menu.items()} for y, menu in here.after.items()}
    if here.index == 0 and here.after:
        return Game(databases, pairs, *after.values())
    stated = Declared(*here.declared) if here.declared else None
    menu = {"asked": Mechanism(here.law, after, stated)}
    menu |= {name: Mechanism(law) for name, law in here.others.items()}
    return Game(databases, pairs, menu)


def _step(here: Round) -> Step:
    game = _game(here)
    mass = coprime({x: Fraction(w) for x, w in here.mass.items()})
    return Step(here.index, "asked", game.menu["asked"], mass, (), game, game.menu)


def _before(step: Step) -> Step:
    """Return the step as a potential may see it: before a request is sent."""
    nothing: Any = _Nothing()
    return Step(step.index, "", nothing, step.mass, (), step.game, step.menu)


def _after(step: Step, y: Output) -> Step:
    nothing: Any = _Nothing()
    mass: Mapping[Database, Fraction] = coprime(step.released(y))
    return Step(step.index + 1, "", nothing, mass, (), step.game, step.mechanism.after[y])
