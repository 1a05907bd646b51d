"""Which filter lasts longest, with which parameters, and how many rounds to expect.

>>> rows = tune(["gaussian:2"], Fraction(5), Fraction(1, 1000), rounds=20, paths=500)
>>> rows[0].filter, rows[-1].filter
('compensator', 'Whitehouse et al.')
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle, islice
from math import log
from pathlib import Path

from filterproof.exact import Epsilon, Log, format_epsilon, format_rational
from filterproof.game.json import game_from_json, load_json
from filterproof_properties.choose.filters import Plan, Row, moving_rows, still_rows
from filterproof_properties.choose.game import game_rows
from filterproof_properties.choose.losses import SpecError, parse_loss

PATHS = 20_000
"""How many plays are simulated for filters that depend on what is released."""

BAR = 30


def tune(
    mechanisms: Sequence[str],
    epsilon: Epsilon,
    delta: Fraction,
    *,
    rounds: int = 48,
    paths: int = PATHS,
    seed: int = 0,
) -> list[Row]:
    """Return every sound filter, the one that runs longest first.

    `mechanisms` are specifications such as "gaussian:2", repeated in turn for `rounds` rounds on
    two databases whose answers differ by one; or one file of a game, whose own rounds are played
    exactly, with an analyst who sends each request on offer with equal chance.
    """
    if not 0 < delta < 1:
        raise SpecError(f"need 0 < delta < 1; got {delta}")
    if any(text.endswith(".json") for text in mechanisms):
        rows = _on_game(mechanisms, epsilon, delta)
    else:
        rows = _on_sequence(mechanisms, epsilon, delta, rounds, paths, seed)
    return sorted(rows, key=lambda row: -row.expected)


def _on_game(mechanisms: Sequence[str], epsilon: Epsilon, delta: Fraction) -> list[Row]:
    if len(mechanisms) != 1:
        raise SpecError(f"a game stands alone; got {len(mechanisms)} specifications")
    text = Path(mechanisms[0]).read_text(encoding="utf-8")
    return list(game_rows(game_from_json(load_json(text)), epsilon, delta))


def _on_sequence(
    mechanisms: Sequence[str], epsilon: Epsilon, delta: Fraction, rounds: int, paths: int, seed: int
) -> list[Row]:
    if not mechanisms or rounds < 1 or paths < 2:
        raise SpecError(f"need a mechanism, rounds >= 1, paths >= 2; got {rounds=}, {paths=}")
    kinds = [parse_loss(text) for text in mechanisms]
    budget = log(epsilon.argument) if isinstance(epsilon, Log) else float(epsilon)
    plan = Plan(budget, float(delta), tuple(islice(cycle(kinds), rounds)))
    return [*still_rows(plan), *moving_rows(plan, paths, seed)]


def tune_text(rows: Sequence[Row], epsilon: Epsilon, delta: Fraction) -> str:
    """Return the table for a terminal, with a bar per filter."""
    width = max(len(row.filter) for row in rows)
    most = max(row.expected for row in rows) or 1.0
    exact = not any(row.error for row in rows)
    how = "exact" if exact else "± is 3.3 standard errors of the simulation"
    lines = [
        f"epsilon = {format_epsilon(epsilon)}, delta = {format_rational(delta)}; {how}",
        f"{'filter':{width}}  {'rounds':14}  {'':{BAR}}  parameters",
    ]
    for row in rows:
        said = f"{row.expected:.2f}" + (f" ±{row.error:.2f}" if row.error else "")
        bar = "█" * round(BAR * row.expected / most)
        lines.append(f"{row.filter:{width}}  {said:14}  {bar:{BAR}}  {row.parameters}")
    return "\n".join(lines) + "\n"
