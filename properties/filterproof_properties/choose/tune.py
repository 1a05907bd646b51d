"""Which filter lasts longest on a workload and a domain, how many rounds to expect, what to paste.

>>> budget = Fraction(5), Fraction(1, 1000)
>>> rows = longest_first(tune(["gaussian:2"], *budget, rounds=20, paths=500))
>>> rows[0].filter, rows[-1].filter
('compensator', 'whitehouse')
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, cycle, islice
from math import log
from pathlib import Path
from textwrap import wrap

from filterproof.exact import Epsilon, Log, format_epsilon, format_rational
from filterproof.filters.registry import REGISTRY
from filterproof.game.json import game_from_json, load_json
from filterproof_properties.choose.domains import PAIR, Guarded, SpecError
from filterproof_properties.choose.filters import Row, still_rows
from filterproof_properties.choose.game import game_rows
from filterproof_properties.choose.plays import Workload, moving_rows
from filterproof_properties.choose.questions import parse_mechanism
from filterproof_properties.choose.tilted import tilted_rows

PATHS = 20_000
"""How many plays of a pair are simulated; fewer on larger domains, 200 at least."""

WIDE, ROUNDS, BAR, SHORTEST_BAR = 200, 14, 30, 8
"""Columns: of a screen that is not known, for the rounds, and for a bar at most and at least."""


def longest_first(rows: Iterable[Row]) -> list[Row]:
    """Return the rows, the longest first."""
    return sorted(rows, key=lambda row: -row.expected)


def tune(
    mechanisms: Sequence[str],
    epsilon: Epsilon,
    delta: Fraction,
    *,
    domain: Guarded = PAIR,
    rounds: int = 48,
    paths: int | None = None,
    seed: int = 0,
) -> Iterator[Row]:
    """Yield a row per sound filter, as soon as it is known.

    `mechanisms` are specifications such as "gaussian:2", repeated in turn for `rounds` rounds on
    the databases of the domain; or one file of a game, whose own databases and rounds are played
    exactly, with an analyst who sends each request on offer with equal chance.
    """
    if not 0 <= delta < 1:
        raise SpecError(f"need 0 <= delta < 1; got {delta}")
    if is_game(mechanisms):
        return _on_game(mechanisms, epsilon, delta)
    work = workload(mechanisms, epsilon, delta, domain, rounds)
    fewer = max(200, 2 * PATHS // len(domain.pairs))
    return _on_domain(work, fewer if paths is None else paths, seed)


def is_game(mechanisms: Sequence[str]) -> bool:
    """Return whether the workload is a file with a game, which has its own databases."""
    return any(text.endswith(".json") for text in mechanisms)


def _on_game(mechanisms: Sequence[str], epsilon: Epsilon, delta: Fraction) -> Iterator[Row]:
    if len(mechanisms) != 1:
        raise SpecError(f"a game stands alone; got {len(mechanisms)} specifications")
    text = Path(mechanisms[0]).read_text(encoding="utf-8")
    return game_rows(game_from_json(load_json(text)), epsilon, delta)


def workload(
    mechanisms: Sequence[str], epsilon: Epsilon, delta: Fraction, domain: Guarded, rounds: int
) -> Workload:
    """Return the questions of all rounds, and the budget, in floating point."""
    if not mechanisms or rounds < 1:
        raise SpecError(f"need a mechanism and rounds >= 1; got {rounds=}")
    kinds = [parse_mechanism(text).on(domain) for text in mechanisms]
    budget = log(epsilon.argument) if isinstance(epsilon, Log) else float(epsilon)
    return Workload(domain, tuple(islice(cycle(kinds), rounds)), budget, float(delta))


def _on_domain(work: Workload, paths: int, seed: int) -> Iterator[Row]:
    """Yield the filters that the registry calls sound; nothing refuted is ever recommended."""
    if paths < 2:
        raise SpecError(f"need two plays or more; got {paths=}")
    sound = {one.name for one in REGISTRY if one.sound}
    still = (row for row in still_rows(work.plan()) if row.filter in sound)
    moving = moving_rows(work, sound, paths, seed)
    return chain(still, moving, tilted_rows(work, sound, paths, seed))


def tune_text(
    rows: Sequence[Row], epsilon: Epsilon, delta: Fraction, domain: str | None, screen: int = WIDE
) -> str:
    """Return the table for a screen of so many columns; a game has no domain and is exact."""
    how = "exact" if domain is None else "± is 3.3 standard errors of the simulation"
    lines = [
        f"epsilon = {format_epsilon(epsilon)}, delta = {format_rational(delta)}; {how}",
        *wrap(f"domain: {domain or 'the databases of the game'}", screen),
    ]
    name, bar = max(len(row.filter) for row in rows), _bar_width(rows, screen)
    most = max(row.expected for row in rows) or 1.0
    cells = [("filter", "rounds", "", "parameters")]
    for row in rows:
        said = f"{row.expected:.2f}" + (f" ±{row.error:.2f}" if row.error else "")
        cells.append((row.filter, said, "█" * round(bar * row.expected / most), row.parameters))
    for first, rounds, drawn, last in cells:
        lead = f"{first:{name}}  {rounds:{ROUNDS}}  " + (f"{drawn:{bar}}  " if bar else "")
        lines += wrap(last, screen, initial_indent=lead, subsequent_indent=" " * len(lead))
    return "\n".join(lines) + "\n"


def _bar_width(rows: Sequence[Row], screen: int) -> int:
    """Return how long a bar may be: what the other columns leave; 0 where that is too little."""
    others = max(len(row.filter) for row in rows) + ROUNDS + max(len(r.parameters) for r in rows)
    left = min(BAR, screen - others - 3 * len("  "))
    return left if left >= SHORTEST_BAR else 0
