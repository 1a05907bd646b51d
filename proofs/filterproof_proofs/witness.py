"""A counterexample of the solver as a game, attacked by the audit and certified.

The masses of a model are divided into laws, the exact worst case of the rule is computed on the
resulting game by the reference, and the certificate is put to the independent checker.
"""

from fractions import Fraction
from typing import Any

from filterproof.adversary import worst_case
from filterproof.certificate import certify
from filterproof.exact import Log
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.game import Game, Mechanism
from filterproof_proofs.checker import check
from filterproof_proofs.jointmass import History, Tree, name
from filterproof_proofs.smtlib import Model

DATABASES = ("x", "x'")


def game(tree: Tree, model: Model) -> Game:
    """The game whose transcripts have the masses of the model."""
    masses = {history: _masses(history, tree, model) for history in tree.P}
    return Game(DATABASES, [DATABASES], _menu((), tree, masses))


def certified(tree: Tree, model: Model, delta: Fraction) -> str:
    """Certify that the published rule breaks its promise on the model's game; say how.

    Raises if the audit finds no violation there, or if the checker rejects the certificate.
    """
    parameters: dict[str, Any] = {
        "N": tree.shape.rounds,
        "theta": tree.theta,
        "delta_tilde": tree.delta_tilde,
    }
    epsilon = Log(tree.odds)
    rule = Algorithm1(epsilon, delta, **parameters)
    found = game(tree, model)
    worst = worst_case(rule, found, epsilon)
    return check(certify("algorithm1", parameters, found, epsilon, delta, worst))


Masses = dict[History, tuple[Fraction, Fraction]]


def _masses(history: History, tree: Tree, model: Model) -> tuple[Fraction, Fraction]:
    if not history:
        return Fraction(1), Fraction(1)
    under_x, scaled = (model.get(f"{letter}({name(history)})", Fraction(0)) for letter in "PQ")
    if not (isinstance(under_x, Fraction) and isinstance(scaled, Fraction)):
        raise TypeError(f"the masses of {name(history)} must be numbers")
    return under_x, scaled / tree.odds


def _menu(history: History, tree: Tree, masses: Masses) -> dict[str, Mechanism]:
    return {
        f"r{request}": _mechanism(history, request, tree, masses)
        for request in tree.shape.requests_after(history)
    }


def _mechanism(history: History, request: int, tree: Tree, masses: Masses) -> Mechanism:
    after = tree.shape.after(history, request)
    law = _law(masses[history], [masses[later] for later in after])
    goes_on = tree.shape.goes_on(history, request)
    menus = (
        {f"y{y}": _menu(later, tree, masses) for y, later in enumerate(after)} if goes_on else {}
    )
    return Mechanism(law, {y: menu for y, menu in menus.items() if y in law})


def _law(
    before: tuple[Fraction, Fraction], after: list[tuple[Fraction, Fraction]]
) -> dict[str, dict[str, Fraction]]:
    """Conditional probabilities; a database that is impossible here borrows the other's law."""
    possible = [side for side in (0, 1) if before[side] > 0]
    if not possible:
        return {"y0": dict.fromkeys(DATABASES, Fraction(1))}
    sides = [side if before[side] > 0 else possible[0] for side in (0, 1)]
    rows = [[mass[side] / before[side] for side in sides] for mass in after]
    return {
        f"y{y}": dict(zip(DATABASES, row, strict=True)) for y, row in enumerate(rows) if any(row)
    }
