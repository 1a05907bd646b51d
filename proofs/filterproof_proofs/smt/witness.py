"""A counterexample of the solver as a game, attacked by the audit and certified.

The reference computes the exact worst case of the filter on that game, and the certificate is put
to the independent checker.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from filterproof import palette
from filterproof.certificate import certify
from filterproof.exact import Epsilon, Log
from filterproof.filters.registry import entry
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof.witness import worst_case
from filterproof_proofs.checker import check
from filterproof_proofs.smt.jointmass import History, Tree, name
from filterproof_proofs.smt.smtlib import Model

DATABASES = ("x", "x'")


def certify_violation(
    target: str, game: Game, epsilon: Epsilon, delta: Fraction, **parameters: Any
) -> str:
    """Certify that the named filter breaks (ε, δ) on the game, and return the checker's summary.

    Raises if the exact worst case stays within δ, or if the checker rejects the certificate.
    """
    rule = entry(target).target(epsilon, delta, **parameters)
    worst = worst_case(rule, game, epsilon)
    return check(certify(target, parameters, game, epsilon, delta, worst))


def published_rule_broken(tree: Tree, model: Model, delta: Fraction) -> str:
    """Certify the published rule's violation on the game whose masses the model gives."""
    return certify_violation(
        "algorithm1",
        game_of(tree, model),
        Log(tree.odds),
        delta,
        N=tree.shape.rounds,
        theta=tree.theta,
        delta_tilde=tree.delta_tilde,
    )


def advanced_test_broken(odds: int, model: Model) -> str:
    """Certify the printed advanced filter's violation at ε = 60, on an erasure stated at `odds`."""
    d, delta, delta_prime = (_number(model, name) for name in ("d", "delta", "delta_prime"))
    stated = Declared(Fraction(odds), d)
    game = palette.game(replace(palette.erasure(d), stated=stated))
    return certify_violation("advanced-printed", game, Fraction(60), delta, delta_prime=delta_prime)


def naive_rule_broken(model: Model) -> str:
    """Certify the naive filter's violation on two rounds of erasure."""
    p, delta = _number(model, "p"), _number(model, "delta")
    game = palette.game(palette.erasure(p, {"?": {"ask": palette.erasure(p)}}))
    return certify_violation("naive", game, Fraction(1), delta)


def game_of(tree: Tree, model: Model) -> Game:
    """The game whose transcripts have the masses of the model."""
    masses = {history: _masses(history, tree, model) for history in tree.P}
    return Game(DATABASES, [DATABASES], _menu((), tree, masses))


Masses = dict[History, tuple[Fraction, Fraction]]


def _masses(history: History, tree: Tree, model: Model) -> tuple[Fraction, Fraction]:
    if not history:
        return Fraction(1), Fraction(1)
    under_x, scaled = (_number(model, f"{letter}({name(history)})") for letter in "PQ")
    return under_x, scaled / tree.odds


def _number(model: Model, symbol: str) -> Fraction:
    value = model.get(symbol, Fraction(0))  # a solver leaves out what does not matter
    if not isinstance(value, Fraction):
        raise TypeError(f"{symbol} must be a number; got {value!r}")
    return value


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
