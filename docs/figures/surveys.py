"""Surveys of one record: how many questions each sound filter answers, exactly where it can be.

The data is one record with k values, and every two values are neighbours: local differential
privacy.  The same noisy question is asked up to `ROUNDS` times, each so strong that additive
accounting answers `PART` of them (a little more where the grid of odds is coarse).  Numbers are
those of `utility.rounds`: any value is equally likely.

`python -m docs.figures.surveys > docs/pictures/surveys.csv` computes the table
anew; that takes most of an hour.
"""

import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, product, takewhile
from typing import TextIO

from filterproof.exact import exceeds
from filterproof.filters.registry import REGISTRY, Entry
from filterproof.game import Game, Mechanism
from filterproof.game.law import Law
from filterproof.palette import repeated
from filterproof.utility.optimum import deterministic_optimum
from filterproof.utility.rounds import expected_rounds, most_rounds
from filterproof_properties.choose import domains, questions
from filterproof_properties.choose.filters import still_rows
from filterproof_properties.choose.plays import Workload, moving_rows
from filterproof_properties.choose.questions import Listed, Question

ROUNDS = 12
"""How many questions there are."""

PART = 4
"""How many of them fit into ε if what they can lose at most is added up."""

EPSILONS = tuple(map(Fraction, (1, 2, 4)))
DELTAS = (Fraction(0), Fraction(1, 10**6), Fraction(1, 1000))
VALUES = (2, 4, 16)

COMPARED = (
    "additive",
    "rdp-tight",
    "gdp",
    "hybrid",
    "compensator",
    "compensator-capped",
    "floor-additive",
    "floor-gdp",
)
"""The filters of the table, as far as the registry has them and calls them sound."""

QUICK = frozenset(COMPARED[:5])
"""Those that the engine plays in reasonable time where there are twelve ordered pairs."""

ORDERS = (Fraction(3, 2), *map(Fraction, (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)))
"""The Rényi orders that are tried exactly; the simulated rows try more."""

OPTIMUM = "optimum for the known game"
"""No filter to run: the most that any deterministic private one reaches on this very game."""


def k_ary(k: int, odds: Fraction) -> Law:
    """Return k-ary randomised response: the value itself is `odds` times as likely as another."""
    whole = odds + k - 1
    return {y: {x: (odds if x == y else 1) / whole for x in _names(k)} for y in _names(k)}


def unary(k: int, odds: Fraction) -> Law:
    """Return symmetric unary encoding: k bits, one of them 1, each flipped with odds 1 : odds."""
    truth = odds / (1 + odds)

    def chance(bits: tuple[int, ...], value: int) -> Fraction:
        kept = sum(bit == (place == value) for place, bit in enumerate(bits))
        return truth**kept * (1 - truth) ** (k - kept)

    said = product((0, 1), repeat=k)
    return {"".join(map(str, bits)): {x: chance(bits, int(x)) for x in _names(k)} for bits in said}


def geometric(k: int, odds: Fraction) -> Law:
    """Return the value plus two-sided geometric noise, cut off at 0 and k - 1."""
    inside = (odds - 1) / (odds + 1)
    edge = odds / (odds + 1)

    def chance(x: int, y: int) -> Fraction:
        return (edge if y in (0, k - 1) else inside) / odds ** abs(x - y)

    return {str(y): {str(x): chance(x, y) for x in range(k)} for y in range(k)}


def erasure(k: int, kept: Fraction) -> Law:
    """Return the value with probability `kept`, else "?"."""
    none = Fraction(0)
    law = {y: {x: kept if x == y else none for x in _names(k)} for y in _names(k)}
    return law | {"?": dict.fromkeys(_names(k), 1 - kept)}


KINDS: dict[str, Callable[[int, Fraction], Law]] = {
    "k-ary response": k_ary,
    "unary encoding": unary,
    "geometric": geometric,
    "erasure": erasure,
}


@dataclass(frozen=True)
class Survey:
    """One question asked again and again about one record, and a budget.

    >>> survey = Survey("k-ary response", 4, Fraction(1), Fraction(0))
    >>> str(survey.strength), survey.exact
    ('32/25', True)
    """

    kind: str
    values: int
    epsilon: Fraction
    delta: Fraction

    @property
    def name(self) -> str:
        """Return the kind and the number of values."""
        return f"{self.kind}, k = {self.values}"

    @property
    def strength(self) -> Fraction:
        """Return the odds e^a with the largest a such that `PART` rounds fit, in hundredths.

        Of erasure it is the probability of an answer.
        """
        if self.kind == "erasure":
            return (self.delta or DELTAS[-1]) / PART
        steps = {"k-ary response": 1, "unary encoding": 2, "geometric": self.values - 1}[self.kind]
        return max(takewhile(lambda odds: self._fits(odds ** (PART * steps)), _grid()))

    def _fits(self, odds: Fraction) -> bool:
        return not exceeds(odds, Fraction(1), self.epsilon)

    @property
    def exact(self) -> bool:
        """Whether the engine gets through: four outputs, or erasure, where one answer tells all."""
        outputs = 2**self.values if self.kind == "unary encoding" else self.values
        return self.kind == "erasure" or outputs <= 4

    @property
    def quick(self) -> bool:
        """Whether it gets through with every filter."""
        return self.kind == "erasure" or self.values == 2

    @property
    def small(self) -> bool:
        """Whether the optimum is looked for: geometric noise on two values is the same game."""
        return self.values == 2 and self.kind == "k-ary response"

    @cached_property
    def game(self) -> Game:
        """Return the game: one request a round."""
        law = KINDS[self.kind](self.values, self.strength)
        names = _names(self.values)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[:i]]
        return Game(names, pairs, {"ask": repeated(Mechanism(law), ROUNDS)})


def _grid() -> Iterator[Fraction]:
    return (Fraction(hundredths, 100) for hundredths in count(101))


def _names(k: int) -> list[str]:
    return [str(value) for value in range(k)]


def surveys() -> Iterator[Survey]:
    """Yield every row of the table."""
    for kind, values, epsilon, delta in product(KINDS, VALUES, EPSILONS, DELTAS):
        yield Survey(kind, values, epsilon, delta)


def compared() -> list[Entry]:
    """Return the filters of the table that the registry calls sound."""
    return [one for one in REGISTRY if one.sound and one.name in COMPARED]


# --- the table ------------------------------------------------------------------------------

HEAD = ("mechanism", "values", "epsilon", "delta", "strength", "filter", "rounds", "error")


@dataclass(frozen=True)
class Cell:
    """How many questions one filter answers; `rounds` is cut off after six decimals."""

    survey: Survey
    filter: str
    rounds: str
    error: str = "exact"

    def row(self) -> tuple[str, ...]:
        """Return the line of the CSV file."""
        one = self.survey
        numbers = (one.values, one.epsilon, one.delta, one.strength)
        return (one.kind, *map(str, numbers), self.filter, self.rounds, self.error)


def exact_cells(survey: Survey) -> Iterator[Cell]:
    """Yield what the filters of the table answer, and the optimum where the game is small."""
    for entry in compared():
        if survey.quick or entry.name in QUICK:
            yield Cell(survey, entry.name, cut(_best(entry, survey)))
    if survey.small:
        best = deterministic_optimum(survey.game, survey.epsilon, survey.delta)
        yield Cell(survey, OPTIMUM, cut(best.rounds))


def _best(entry: Entry, survey: Survey) -> Fraction:
    """Return the expected rounds with the best parameters; of Rényi, the best order."""
    if entry.name != "rdp-tight":
        return most_rounds(entry, survey)
    made = (entry.target(survey.epsilon, survey.delta, order=order) for order in ORDERS)
    return max(expected_rounds(rule, survey.game) for rule in made)


PATHS = 1_000
"""How many plays are simulated where the engine does not get through."""


def simulated_cells(survey: Survey) -> Iterator[Cell]:
    """Yield the same in floating point, with 3.3 standard errors where a filter was played."""
    names = {entry.name for entry in compared()}
    work = _workload(survey)
    rows = [*still_rows(work.plan()), *moving_rows(work, names, PATHS, seed=0)]
    for name in COMPARED:
        found = [row for row in rows if row.filter == name]
        if found:
            best = max(found, key=lambda row: row.expected)
            yield Cell(survey, name, f"{best.expected:.3f}", f"{best.error:.3f}")


def _workload(survey: Survey) -> Workload:
    k, odds = survey.values, survey.strength
    question: Question
    if survey.kind == "k-ary response":
        question = questions.response(odds / (odds + k - 1), k)
    elif survey.kind == "unary encoding":
        question = questions.unary(odds / (odds + 1), k)
    else:
        question = Listed.of(KINDS[survey.kind](k, odds))
    return Workload(
        domains.values(k), (question,) * ROUNDS, float(survey.epsilon), float(survey.delta)
    )


def cut(number: Fraction) -> str:
    """Return the number with six decimals, rounded down.

    >>> cut(Fraction(29, 3))
    '9.666666'
    """
    whole, rest = divmod(number.numerator * 10**6 // number.denominator, 10**6)
    return f"{whole}.{rest:06d}"


def cells(survey: Survey) -> Iterator[Cell]:
    """Yield one row of the table: exact as far as it goes, simulated where it does not."""
    found = {cell.filter: cell for cell in simulated_cells(survey)} if not survey.quick else {}
    if survey.exact:
        found |= {cell.filter: cell for cell in exact_cells(survey)}
    yield from found.values()


def write(asked: Iterable[Survey], file: TextIO) -> None:
    """Compute the table and write it as CSV, line by line."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for survey in asked:
        sys.stderr.write(f"{survey.name}, epsilon {survey.epsilon}, delta {survey.delta}\n")
        writer.writerows(cell.row() for cell in cells(survey))


def read(text: str) -> list[Cell]:
    """Return the cells of a CSV file; its strengths are not read, they follow from the rest."""
    lines = csv.DictReader(text.splitlines())
    return [
        Cell(
            Survey(
                line["mechanism"],
                int(line["values"]),
                Fraction(line["epsilon"]),
                Fraction(line["delta"]),
            ),
            line["filter"],
            line["rounds"],
            line["error"],
        )
        for line in lines
    ]


if __name__ == "__main__":
    write(surveys(), sys.stdout)
