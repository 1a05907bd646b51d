"""The comparison table: expected rounds of every sound filter on a handful of games, exactly.

The convention is that of `rounds`: any database and any request on offer with the same chance.  The
two optima halt or run but never refuse, so a filter that may refuse can exceed them.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from random import Random

from filterproof.exact import Log, format_epsilon, format_rational
from filterproof.filters.registry import REGISTRY
from filterproof.palette import game, repeated, response
from filterproof.utility.optimum import deterministic_optimum, randomised_optimum
from filterproof.utility.rounds import comparison_rows
from filterproof_properties.case import Case
from filterproof_properties.games import drawn as generate
from filterproof_properties.games.named import (
    chain,
    erasures,
    guess,
    switch,
    twice_2,
    wasted_branch,
)


def responses(p: Fraction, rounds: int, odds: Fraction, delta: Fraction) -> Case:
    """Randomised response, the same every round, at ε = log(odds)."""
    name = f"RR({p}) x {rounds}"
    return Case(name, game(repeated(response(p), rounds)), Log(odds), delta)


COMPARED: tuple[Callable[[], Case], ...] = (
    lambda: guess(4),
    twice_2,
    lambda: chain(4, Fraction(1, 10), Fraction(1, 5)),
    lambda: erasures(Fraction(1, 20), 3, Fraction(1, 10)),
    wasted_branch,
    switch,
    lambda: responses(Fraction(3, 5), 8, Fraction(5), Fraction(1, 20)),
    lambda: responses(Fraction(4, 7), 8, Fraction(3), Fraction(1, 20)),
    lambda: responses(Fraction(4, 7), 8, Fraction(2), Fraction(1, 4)),
)

GENERATED = 40
SEED = 7

Row = tuple[str, list[Fraction]]


def generated_games() -> list[Case]:
    """Return the generated games of the last column, the same ones every time."""
    rng = Random(SEED)
    games = (generate.game(rng.randrange, max_requests=2) for _ in range(GENERATED))
    return [Case("generated", one, Log(Fraction(2)), Fraction(1, 10)) for one in games]


def compared_rows(cases: list[Case]) -> Iterator[Row]:
    """Yield (filter, expected rounds per game): the sound filters, then the two optima."""
    yield from comparison_rows([one for one in REGISTRY if one.sound], cases)
    for name, optimum in (
        ("optimum for the known game", deterministic_optimum),
        ("optimum with a coin", randomised_optimum),
    ):
        yield name, [optimum(case.game, case.epsilon, case.delta).rounds for case in cases]


def comparison() -> Iterator[Row]:
    """Yield the rows of the table: the games that are shown, then the generated ones."""
    return compared_rows([*(make() for make in COMPARED), *generated_games()])


def comparison_table(rows: Iterable[Row] | None = None) -> str:
    """Return the table as markdown; numbers are exact where short, else cut off visibly."""
    cases = [make() for make in COMPARED]
    heads = [
        f"{case.name}<br>ε = {format_epsilon(case.epsilon)}, δ = {format_rational(case.delta)}"
        for case in cases
    ]
    heads.append(f"mean of {GENERATED} generated games<br>ε = log(2), δ = 1/10")
    lines = ["| expected rounds | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for name, numbers in comparison() if rows is None else rows:
        mean = sum(numbers[len(cases) :], Fraction(0)) / GENERATED
        cells = map(short_number, [*numbers[: len(cases)], mean])
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def short_number(number: Fraction) -> str:
    """Write a number exactly if it has at most four decimals, else the first four and "…".

    >>> short_number(Fraction(5, 4)), short_number(Fraction(2, 3))
    ('1.25', '0.6666…')
    """
    whole, rest = divmod(number.numerator * 10_000 // number.denominator, 10_000)
    text = f"{whole}.{rest:04d}"
    exact = (number * 10_000).denominator == 1
    return text.rstrip("0").rstrip(".") if exact else text + "…"
