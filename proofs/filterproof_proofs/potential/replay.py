"""A round in numbers, played by the filter's interpreted source: a refutation must survive this.

Nothing here knows a solver.  The law goes through `Game`, the filter gets a real `Step`, and the
rules of a potential are checked in exact numbers (`rules`).
"""

from fractions import Fraction

from filterproof.exact import MAX_EPSILON
from filterproof.game import Game, Mechanism, Step, coprime, opening
from filterproof.game.law import Declared
from filterproof_proofs.potential.plays import Subject
from filterproof_proofs.potential.rules import Rules, before_request
from filterproof_proofs.potential.verdicts import Refutation, Round
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Limits, Paths


class NotAllowed(ValueError):
    """Numbers that are no round: a false law, a state that the potential or invariant excludes."""


def replay(subject: Subject, here: Round, limits: Limits) -> list[Refutation]:
    """Return every rule that the round breaks.

    Raises `NotAllowed` (or what the filter raises) where the numbers are no round of a play.
    """
    if isinstance(here.epsilon, Fraction) and here.epsilon > MAX_EPSILON:
        raise NotAllowed("an epsilon that is too large")
    machine = Interpreter(subject.program, Paths(limits))
    rule = machine.call(machine.attribute(), here.epsilon, here.delta, **here.parameters)
    rules = Rules(rule, here.epsilon)
    if here.state is None:
        first = machine.method(rule, "start")
        found = list(rules.opening(first, opening(_game(here)), here.delta))
    else:
        step, state = _step(here), here.state.made(here.epsilon, machine.find)
        if not rules.invariant(state, before_request(step)):
            raise NotAllowed("the invariant excludes this state")
        before = rules.potential(state, step)
        if any(number.sign() < 0 for number in before.values()):
            raise NotAllowed("the potential of this state is negative")
        found = list(rules.round(state, step, before))
    return [Refutation(one, here) for one in found]


# --- a real step out of a round's numbers ---------------------------------------------------


def _game(here: Round) -> Game:
    databases = tuple(here.mass)
    pairs = [(a, b) for a in databases for b in databases if a < b]
    after = {y: {r: Mechanism(law) for r, law in menu.items()} for y, menu in here.after.items()}
    if here.state is None and here.after:
        (menu,) = after.values()
        return Game(databases, pairs, menu)
    stated = Declared(*here.declared) if here.declared else None
    menu = {"asked": Mechanism(here.law, after, stated)}
    menu |= {name: Mechanism(law) for name, law in here.others.items()}
    return Game(databases, pairs, menu)


def _step(here: Round) -> Step:
    game = _game(here)
    mass = coprime({x: Fraction(w) for x, w in here.mass.items()})
    return Step(here.index, "asked", game.menu["asked"], mass, (), game, game.menu)
