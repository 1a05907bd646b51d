"""A violation of a budget object in the words of its own calls, as they were made.

The longest winning ending is told, call by call, with decimals; then what the adversary knows.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from filterproof.budget_calls import EXCEPTION, BudgetCalls, is_function
from filterproof.certificate import Certificate, read_certificate, steps
from filterproof.exact import format_epsilon, format_rational, parse_rational
from filterproof.filters.ledger_bugs import FAILS
from filterproof.http_routes import IDENTITY
from filterproof_properties.targets.budget.currencies import not_asked
from filterproof_properties.targets.budget.named import choices, event_of, passing
from filterproof_properties.targets.budget.names import HTTP, PROGRAM, is_budget_object, named
from filterproof_properties.targets.budget.plays import Event
from filterproof_properties.targets.budget.services import spelled_route
from filterproof_properties.targets.budget.spelling import spelled_call

NAME, OTHER_NAME = "budget", "ledger"
"""What the object is called in the calls that are shown, unless the code calls it so."""


@dataclass(frozen=True)
class MadeCall:
    """One request of the winning branch: what was put to the object, its answer, the output."""

    event: Event | None
    decision: str
    output: str

    @property
    def failed(self) -> bool:
        """Whether the mechanism failed after it had seen the data."""
        return self.output == FAILS


@dataclass(frozen=True)
class Told:
    """The winning branch of a violation of a budget object; `won` is how likely all of them are."""

    target: str
    calls: BudgetCalls
    budget: dict[str, Any]
    made: tuple[MadeCall, ...]
    chances: tuple[Fraction, Fraction]
    won: tuple[Fraction, Fraction]
    certificate: Certificate
    pair: tuple[str, str]

    @property
    def names(self) -> list[str]:
        """What the objects are called: `budget`, or with a number where there are several."""
        count, taken = self.calls.instances, self.target.rpartition(":")[2] == NAME
        name = IDENTITY if self.calls.needs_identity else OTHER_NAME if taken else NAME
        return [f"{name}{n + 1}" for n in range(count)] if count > 1 else [name]

    @property
    def opening(self) -> str:
        """How the object was made."""
        if self.target.startswith(HTTP):
            return spelled_route(self.calls.open, self.budget)
        if self.target.startswith(PROGRAM):
            return spelled_call(f"open{self.calls.open}", self.budget)
        factory, _, arguments = self.calls.open.partition("(")
        name = (factory or self.target).rpartition(":")[2]
        return f"{name}{spelled_call(f'f({arguments}', self.budget)[1:]}"


def winning_branch(certificate: str) -> Told | None:
    """Return the longest winning ending, of equally long ones the likeliest, with what was called.

    None if the certificate is not that of a budget object.
    """
    data = json.loads(certificate)
    if not is_budget_object(data["target"]):
        return None
    from filterproof_properties.targets.budget.costs import opening_values  # loads flint

    read = read_certificate(certificate)
    target, calls = named(data["target"])
    endings = [one for one in _endings(data) if one.wins]
    best = max(endings, key=lambda one: (len(one.path), one.p))
    asked = _asker(calls, read)
    values = dict(opening_values(calls, (read.epsilon, read.delta)))
    used = {name: values[name] for name in calls.opened_with & {*values}}
    pair = (data["pair"][0], data["pair"][1])
    won = Fraction(data["mass_x"]), Fraction(data["mass_x_prime"])
    return Told(target, calls, used, asked(best), (best.p, best.q), won, read, pair)


def all_plays(certificate: str) -> list[tuple[MadeCall, ...]]:
    """Return what the object was asked in every play, without those that begin another one."""
    data, read = json.loads(certificate), read_certificate(certificate)
    asked = _asker(named(data["target"])[1], read)
    plays = dict.fromkeys(tuple(map(_for_object, asked(one))) for one in _endings(data))
    begun = {play[:n] for play in plays for n in range(len(play))}
    return [play for play in plays if play and play not in begun]


def _for_object(made: MadeCall) -> MadeCall:
    """Return a call as the object sees it: of the outputs only that a mechanism failed."""
    return replace(made, output=FAILS if made.failed else "")


@dataclass(frozen=True)
class _Ending:
    """One way through the turns of a certificate, with its likelihoods."""

    path: tuple[tuple[int, str], ...]
    p: Fraction
    q: Fraction
    wins: bool


def _endings(data: Any) -> Iterator[_Ending]:
    """Yield the ways through the turns; where many lead to a turn only the likeliest goes on."""
    best = {0: _Ending((), Fraction(1), Fraction(1), False)}
    winning = {(turn, y) for turn, y in data["event"]}
    for number, answer in enumerate(data["answers"]):
        before = best[number]
        law = data["game"]["nodes"][answer["node"]][data["adversary"][number]]["law"]
        for y, after in answer["then"].items():
            p, q = (parse_rational(law[y][x]) if y else Fraction(1) for x in data["pair"])
            path = (*before.path, (number, y))
            here = _Ending(path, before.p * p, before.q * q, (number, y) in winning)
            if after is None:
                yield here
            elif after not in best or best[after].p < here.p:
                best[after] = here


def _asker(calls: BudgetCalls, read: Certificate) -> Callable[[_Ending], tuple[MadeCall, ...]]:
    """Return what turns an ending into the calls that lead there."""
    budget, taken, options = (read.epsilon, read.delta), steps(read), choices(calls)

    def asked(ending: _Ending) -> tuple[MadeCall, ...]:
        return tuple(
            MadeCall(event_of(calls, budget, options, taken[n]), read.answers[n]["decision"], y)
            for n, y in ending.path
        )

    return asked


# --- sentences ------------------------------------------------------------------------------------


def own_words(certificate: str) -> list[str]:
    """Return the violation in the object's own words, line by line; none for another target."""
    told = winning_branch(certificate)
    return [] if told is None else [*_sentences(told)]


def _sentences(told: Told) -> Iterator[str]:
    functions_only = all(map(is_function, told.calls.spend)) and not told.calls.needs_identity
    unnamed = told.target.startswith(HTTP) or functions_only
    yield from (told.opening if unnamed else f"{name} = {told.opening}" for name in told.names)
    lines = [line for made in told.made for line in _call_lines(told, made)]
    yield from fold_repeats(lines)
    yield _knowledge(told)


def fold_repeats(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; of three and more in a row that are alike the first, and how many follow.

    >>> [*fold_repeats(["a", "b", "b", "b", "c", "c"])]
    ['a', 'b', '... the same 2 times more', 'c', 'c']
    """
    for line, group in groupby(lines):
        times = len([*group])
        yield line
        if times > 2:
            yield f"... the same {times - 1} times more"
        elif times == 2:
            yield line


def _call_lines(told: Told, made: MadeCall) -> Iterator[str]:
    """Say what was called, what came back, and what was released."""
    if made.event is None:
        yield f"(not asked: {not_asked(told.calls)})"
        return
    values, name = dict(made.event.values), told.names[made.event.instance]
    if made.event.wait:
        yield f"({passing(made.event.wait)})"
    spend = told.calls.spend[made.event.call]
    runs_between = told.calls.between and made.failed
    calls = [told.calls.check, "" if runs_between else spend]
    shown = "; ".join(shown_call(told, name, one, values) for one in calls if one)
    yield f"{shown} -> {_answer(made)}"
    if made.failed and told.calls.fails not in ("", EXCEPTION):
        yield shown_call(told, name, told.calls.fails, values)


def shown_call(told: Told, name: str, call: str, values: dict[str, Any]) -> str:
    """Return a call on the object of a name, or over HTTP, as it was made."""
    if told.target.startswith(HTTP):
        return spelled_route(call, {"id": "{id}", **values})
    if is_function(call):
        return spelled_call(call, {IDENTITY: Written(name), **values})
    return f"{name}.{spelled_call(call, values)}"


class Written(str):
    """A name in a call, as it stands there."""

    __repr__ = str.__str__


def _answer(made: MadeCall) -> str:
    if made.decision not in ("continue", "last"):
        return "refused"
    if made.failed:
        return "granted; the mechanism runs, and fails after it has seen the data"
    return f"granted; the mechanism releases {made.output!r}"


def _knowledge(told: Told) -> str:
    """Say in one sentence what the adversary knows now, and how likely all such plays are."""
    (p, q), (x, x_) = told.chances, told.pair
    seen = f"This play has probability {decimal(p)} on database {x!r} and {decimal(q)} on {x_!r}"
    all_won = f", all winning plays together {decimal(told.won[0])} and {decimal(told.won[1])}"
    won = all_won if told.won != told.chances else ""
    epsilon, delta = format_epsilon(told.certificate.epsilon), told.certificate.delta
    return f"{seen}{won}: more than ({epsilon}, {format_rational(delta)}) allows."


def decimal(value: Fraction) -> str:
    """Return a number as four digits, which is enough to read and too few to check.

    >>> decimal(Fraction(1, 100)), decimal(Fraction(701623945779, 64151584959855))
    ('0.01', '0.01094')
    """
    return f"{float(value):.4g}"
