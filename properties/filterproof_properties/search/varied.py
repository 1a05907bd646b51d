"""Plays that reach new lines of the target's own code are kept, and varied, as fuzzers do.

Which marks in the code a play has set is known as soon as it was played.  A play is a row of rounds
with spends behind it, so that one that reaches something is over the budget if all of it runs.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from random import Random

from filterproof.budget_calls import complete
from filterproof.exact import Epsilon
from filterproof.game import Game
from filterproof_properties.case import Case
from filterproof_properties.games.families import ASK, chain_rounds
from filterproof_properties.games.thresholds import odds_below
from filterproof_properties.search.constants import constants_in, number_of
from filterproof_properties.search.loop import Source
from filterproof_properties.search.plan import VARIED, SearchTask
from filterproof_properties.search.solving.rounds import NEIGHBOURS, Kind, Solved, as_round
from filterproof_properties.targets.budget.named import OTHER, choices
from filterproof_properties.targets.budget.names import is_budget_object, named, plays_failures
from filterproof_properties.targets.coverage.changed import changed_marks
from filterproof_properties.targets.remote import RemoteTarget
from filterproof_properties.targets.target import Target

LONGEST, MOST_KEPT = 32, 64
"""So many rounds of a play at most; so many plays are kept, the newest."""
SHARES = tuple(
    map(Fraction, ("1/4096", "1/64", "1/8", "1/4", "3/8", "1/2", "5/8", "3/4", "9/10", "1", "3"))
)
"""Parts of the budget that a round takes, besides any multiple of 1/64."""
AFTER = 3
"""So many spends end every play."""
MOST_CHANGES, MOST_TIMES = 3, 8
"""So many changes at a time; so often a part of a play is repeated."""
BITS = 24
"""So precisely odds are below a loss; many digits would make long plays slow."""
ONE, HALF = Fraction(1), Fraction(1, 2)
FAILS = 0.1
"""So often a round fails where the target can notice that."""


@dataclass(frozen=True)
class Asking:
    """One round: its kind, the parts of epsilon and delta that it takes, its name."""

    kind: Kind
    epsilon: Fraction
    delta: Fraction
    name: str
    fails: bool = False


Row = tuple[Asking, ...]


@dataclass(frozen=True)
class Vocabulary:
    """What rounds are made of: kinds, names, and whether they may fail."""

    kinds: tuple[Kind, ...]
    names: tuple[str, ...]
    fails: bool

    def asking(self, random: Random) -> Asking:
        """Return any round."""
        share = random.choice((*SHARES, Fraction(random.randrange(1, 65), 64)))
        leak, kind = random.choice(SHARES), random.choice(self.kinds)
        name = random.choice(self.names)
        fails = self.fails and random.random() < FAILS
        return Asking(Kind.QUIET if name.endswith(OTHER) else kind, share, leak, name, fails)


def vary_rounds(task: SearchTask, target: Target) -> Source:
    """Rows of rounds; those that set new marks in the target's code, or come closer, are varied.

    Where a target is compared with another version, every other row goes on from one that was the
    first to run a changed line.
    """
    if not isinstance(target, RemoteTarget) or not target.own:
        return ()
    epsilon, delta = task.fixed()
    words, random = vocabulary(task.variant, target, delta), Random(task.part)
    kept: list[Row] = [(words.asking(random),) for _ in range(4)]
    yield case_of(kept[0], epsilon, delta)  # what is run once in a process is not new in a play
    seen, best, next_rows = 0, 0.0, deque[Row]()
    wanted, changed = changed_marks(target.own), list[Row]()
    while True:
        parent = random.choice((kept[-1], random.choice(changed or kept)))
        row = next_rows.popleft() if next_rows else changed_row(parent, words, random, kept)
        before = target.take_reached()
        found = yield case_of(row, epsilon, delta)
        here, target.link.reached = target.link.reached, target.link.reached | before
        ratio = found.ratio if found else 0.0
        if here & ~seen & wanted:
            changed.append(row)
            next_rows = deque([(row * 2)[:LONGEST], *going_on(row, words), *next_rows])
        elif here & ~seen or ratio > best:
            next_rows.extend(going_on(row, words))
        if here & ~seen or ratio > best:
            kept = [*kept, row][-MOST_KEPT:]
        seen, best = seen | here, max(best, ratio)


def going_on(row: Row, words: Vocabulary) -> list[Row]:
    """Return a row that has reached something with one more round, of each size and name."""
    if len(row) >= LONGEST:
        return []
    ends = [Asking(Kind.RESPONSE, share, ONE, words.names[0]) for share in SHARES]
    ends += [Asking(words.kinds[-1], HALF, share, words.names[0]) for share in SHARES[::3]]
    ends += [replace(ends[0], name=name, kind=Kind.QUIET) for name in words.names[1:]]
    return [(*row, one) for one in ends]


def vocabulary(spec: str, target: RemoteTarget, delta: Fraction) -> Vocabulary:
    """Return what rounds of a target are made of."""
    kinds = (Kind.RESPONSE, Kind.QUIET, *((Kind.LEAK, Kind.BOTH) if delta else ()))
    if is_budget_object(spec):
        calls = complete(named(spec)[1])
        names = [f"{ASK}|{n}" for n in range(len(choices(calls)))]
        names += [f"{names[0]}{OTHER}"] if calls.part or calls.instances > 1 else []
        return Vocabulary(kinds, tuple(names), plays_failures(spec))
    return Vocabulary(kinds, (ASK, *constants_in(target.own).names), True)


def changed_row(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    """Return a row with a few changes."""
    for _ in range(random.randrange(1, MOST_CHANGES + 1)):
        row = random.choice(CHANGES)(row, words, random, others)
    return row[:LONGEST]


def _insert(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    at = random.choice((len(row), random.randrange(len(row) + 1)))
    return (*row[:at], words.asking(random), *row[at:])


def _drop(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    at = random.randrange(len(row) + 1)
    return (*row[:at], *row[at + 1 :]) or row


def _repeat(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    at, length = random.randrange(len(row) + 1), random.randrange(1, 4)
    part = row[at : at + length]
    return (*row[:at], *part * random.randrange(2, MOST_TIMES + 1), *row[at + length :])


def _resize(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    at = random.randrange(len(row))
    other = words.asking(random)
    one = replace(row[at], epsilon=other.epsilon, delta=other.delta)
    return (*row[:at], one, *row[at + 1 :])


def _join(row: Row, words: Vocabulary, random: Random, others: Sequence[Row]) -> Row:
    other = random.choice(others)
    return (*row[: random.randrange(1, len(row) + 1)], *other[random.randrange(len(other)) :])


CHANGES = (_insert, _drop, _repeat, _resize, _join)


def case_of(row: Row, epsilon: Epsilon, delta: Fraction) -> Case:
    """Return a row, with spends behind it, as a case."""
    whole = Asking(Kind.RESPONSE, Fraction(9, 10), Fraction(0), row[0].name.removesuffix(OTHER))
    rounds = [as_round(solve_round(one, epsilon, delta)) for one in (*row, *(whole,) * AFTER)]
    game = Game(NEIGHBOURS, [NEIGHBOURS], chain_rounds(rounds, {}))
    return Case(VARIED, game, epsilon, delta)


def solve_round(one: Asking, epsilon: Epsilon, delta: Fraction) -> Solved:
    """Return a round with its numbers at a budget."""
    part = min(one.delta, ONE) * delta if one.kind in (Kind.LEAK, Kind.BOTH) else Fraction(0)
    return Solved(one.kind, odds_at(one.epsilon * number_of(epsilon)), part, one.name, one.fails)


@lru_cache(maxsize=1024)
def odds_at(loss: Fraction) -> Fraction:
    """Return odds just below a loss, with few digits."""
    return odds_below(loss, BITS)
