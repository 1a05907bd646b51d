"""Filters that depend on what is released: mean rounds over seeded plays, on any domain.

The database is drawn evenly, as in `utility.rounds`.  A pair whose x is ruled out is skipped.
"""

import math
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof_properties.choose.domains import Guarded
from filterproof_properties.choose.filters import CANDIDATES, STILL, Plan, Row, additive, longest
from filterproof_properties.choose.losses import Array, Loss
from filterproof_properties.choose.questions import Question

SHARES = (Fraction(1, 2), Fraction(9, 10))
"""Parts of δ that a floor gives to its accounting."""

FLOORS = {"floor-additive": "additive", "floor-gdp": "gdp", "floor-rdp": "rdp-tight"}
"""Which mechanism-level filter lies below each floor."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Group:
    """The ordered pairs with one loss: their places, the loss, and that of the other direction."""

    columns: tuple[int, ...]
    loss: Loss
    opposite: Loss


@dataclass(frozen=True)
class Workload:
    """A domain, the questions of rounds 1..N, and the budget."""

    domain: Guarded
    questions: tuple[Question, ...]
    epsilon: float
    delta: float

    def plan(self, part: float = 1.0) -> Plan:
        """Return what mechanism-level filters see of it, with a part of δ."""
        return Plan(self.epsilon, self.delta * part, tuple(map(self.worst, self.questions)))

    def worst(self, question: Question) -> Loss:
        """Return the loss of the pair that is told apart best."""
        losses = (one.loss for one in pairs_by_loss(self.domain, question))
        return max(losses, key=lambda loss: float(loss.profile(np.array(0.0))))


@lru_cache(maxsize=64)
def pairs_by_loss(domain: Guarded, question: Question) -> tuple[Group, ...]:
    """Return the ordered pairs of the domain by their loss."""
    found: dict[tuple[Loss, Loss], list[int]] = {}
    for column, (x, x_) in enumerate(domain.pairs):
        found.setdefault((question.loss(x, x_), question.loss(x_, x)), []).append(column)
    return tuple(Group(tuple(columns), *both) for both, columns in found.items())


# --- a play ---------------------------------------------------------------------------------


def simulated_losses(work: Workload, paths: int, seed: int) -> Iterator[Array]:
    """Yield the realised losses before rounds 1..N, a row per path, a column per ordered pair."""
    rng = np.random.default_rng(seed)
    drawn = Counter(rng.integers(work.domain.size, size=paths).tolist())
    asked = sorted(drawn.items())
    x, x_ = (list(side) for side in zip(*work.domain.pairs, strict=True))
    told = np.zeros((paths, work.domain.size))
    for question in work.questions:
        with np.errstate(invalid="ignore"):
            losses = told[:, x] - told[:, x_]
        yield np.where(np.isneginf(told[:, x]), -np.inf, losses)
        told = told + np.vstack([question.answers(rng, one, paths) for one, paths in asked])


def charge(group: Group, realised: Array, epsilon: float) -> Array:
    """Return the compensator's charge: δ(ε - l), or e^{ε-l}·δ′(l - ε) above ε.

    δ′ is the profile of the other direction.  What is lost for good, or cannot have happened,
    costs nothing.
    """
    distance = np.where(np.isfinite(realised), realised - epsilon, 0.0)
    below = group.loss.profile(np.maximum(-distance, 0.0))
    above = group.opposite.profile(np.maximum(distance, 0.0)) * np.exp(-np.maximum(distance, 0.0))
    found: Array = np.where(distance > 0, above, below)
    return np.where(np.isfinite(realised), found, 0.0)


def charges(work: Workload, question: Question, losses: Array) -> Array:
    """Return the charge of every path and ordered pair."""
    found = np.zeros_like(losses)
    for group in pairs_by_loss(work.domain, question):
        columns = list(group.columns)
        found[:, columns] = charge(group, losses[:, columns], work.epsilon)
    return found


# --- rules ----------------------------------------------------------------------------------

Rule = Callable[[int, Array, Array], Flags]
"""Says which paths go on: from the round's number (0 is the first), the losses and the charges."""


def within(limits: Sequence[Array]) -> Rule:
    """Return the rule "every loss before round i is at most the pair's limit"."""
    return lambda i, losses, costs: ~np.any(losses > limits[i], axis=1)


def after(free: int, rule: Rule) -> Rule:
    """Return the rule that runs the first rounds whatever the losses, and then asks another."""
    return lambda i, losses, costs: rule(i, losses, costs) if i >= free else _all(losses)


def _all(losses: Array) -> Flags:
    return np.full(len(losses), True)


def compensator(delta: float) -> Rule:
    """Return the rule that pays for every round it is asked about, up to δ."""
    spent = np.zeros(1)

    def affordable(i: int, losses: Array, costs: Array) -> Flags:
        nonlocal spent
        spent = np.where(np.isneginf(losses), 0.0, spent + costs)
        fits: Flags = np.all(spent <= delta, axis=1)
        return fits

    return affordable


def naive_product(work: Workload) -> Rule:
    """Return the rule that lets the product of 1 - b_j fall to 1 - δ, b_j the realised risk."""
    kept = np.ones(1)

    def affordable(i: int, losses: Array, costs: Array) -> Flags:
        nonlocal kept
        kept = kept * (1 - risks(work, work.questions[i], losses))
        fits: Flags = np.all(kept >= 1 - work.delta, axis=1)
        return fits

    return affordable


def risks(work: Workload, question: Question, losses: Array) -> Array:
    """Return, for every path and ordered pair, the chance that the round ends above ε."""
    found = np.zeros_like(losses)
    for group in pairs_by_loss(work.domain, question):
        columns = list(group.columns)
        found[:, columns] = group.loss.risk(work.epsilon - losses[:, columns])
    return np.where(np.isneginf(losses), 0.0, found)


def quantiles(work: Workload, tail: float) -> list[Array]:
    """Return, per round, every pair's quantile of the round's loss."""
    found = {question: _quantiles(work, question, tail) for question in set(work.questions)}
    return [found[question] for question in work.questions]


def _quantiles(work: Workload, question: Question, tail: float) -> Array:
    row = np.zeros(len(work.domain.pairs))
    for group in pairs_by_loss(work.domain, question):
        row[list(group.columns)] = group.loss.quantile(tail)
    return row


# --- the filters ----------------------------------------------------------------------------

Played = tuple[str, str, Rule, Fraction | None]
"""A filter's name, its parameters, its rule, and the floor's share."""


def rules(work: Workload, names: Container[str]) -> Iterator[Played]:
    """Yield every filter of this kind, by the names of the registry; floors as far as named."""
    N, epsilon = len(work.questions), work.epsilon
    naive = [epsilon - q for q in quantiles(work, work.delta / N)]
    yield "naive-over-n", f"N = {N}", within(naive), None
    yield "naive-product", "nothing to choose", naive_product(work), None
    yield _play_repaired(work)
    declared, free = longest(additive, work.plan())
    bayesian = [epsilon - q for q in quantiles(work, 0.0)]
    yield "hybrid", f"over additive, {declared}", after(free, within(bayesian)), None
    yield "compensator", "nothing to choose", compensator(work.delta), None
    for name in filter(names.__contains__, FLOORS):
        for share in SHARES:
            _, free = longest(STILL[FLOORS[name]], work.plan(float(share)))
            rest = compensator(work.delta * float(1 - share))
            yield name, f"share = {share}, {free} rounds below", after(free, rest), share


def _play_repaired(work: Workload) -> Played:
    """Return the repaired rule with the δ̃ whose smallest κ_i is largest.

    With one request a round its check is that of Algorithm 1, which is refuted otherwise.

    Round i+1 is open iff l^(i-1) <= κ_i = ε - q_{i+1}(δ̃) - q_i(θ); round 1 iff q_1(δ̃) <= ε.
    """
    N, delta = len(work.questions), work.delta
    offers = []
    for share in delta * np.linspace(0.0, 1.0, CANDIDATES + 1)[1:]:
        theta = (delta - share) / (N * (1 - share))
        inner, outer = quantiles(work, share), quantiles(work, theta)
        if np.all(inner[0] <= work.epsilon):
            kappas = [work.epsilon - b - a for a, b in zip(outer, inner[1:], strict=False)]
            offers.append((share, theta, kappas))
    if not offers:
        return "repaired", "none opens a round", lambda i, losses, costs: ~_all(losses), None
    best = max(offers, key=lambda offer: min((float(np.min(k)) for k in offer[2]), default=0.0))
    said = f"N = {N}, delta_tilde = {best[0]:.2e}, theta = {best[1]:.2e}"
    return "repaired", said, one_late(within(best[2])), None


def one_late(rule: Rule) -> Rule:
    """Return the rule that asks about round i+1 with the losses before round i; round 1 runs."""
    before: list[Array] = []

    def asked(i: int, losses: Array, costs: Array) -> Flags:
        before.append(losses)
        return rule(i - 1, before[i - 1], costs) if i else _all(losses)

    return asked


def moving_rows(work: Workload, names: Container[str], paths: int, seed: int) -> Iterator[Row]:
    """Yield each of the named filters: mean rounds over simulated plays, ± 3.3 errors."""
    filters = [one for one in rules(work, names) if one[0] in names]
    going = [np.full(paths, True) for _ in filters]
    ran = [np.zeros(paths) for _ in filters]
    for i, losses in enumerate(simulated_losses(work, paths, seed)):
        costs = charges(work, work.questions[i], losses)
        for k, (_, _, rule, _) in enumerate(filters):
            going[k] = going[k] & rule(i, losses, costs)
            ran[k] = ran[k] + going[k]
    for (name, parameters, _, share), rounds in zip(filters, ran, strict=True):
        error = 3.3 * float(np.std(rounds)) / math.sqrt(paths)
        yield Row(name, parameters, float(np.mean(rounds)), error, share)
