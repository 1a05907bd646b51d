"""A certificate in words: who asks what, what is answered, what wins, and by how much.

Written for the maintainers of what was audited, as plain text that stands in an issue.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from textwrap import fill
from typing import Any

from filterproof.exact import format_rational, parse_rational
from filterproof_properties.adapters import ADAPTERS
from filterproof_properties.audit.known_bug_match import KnownBugMatch
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.reports.picture import Branch, Picture, Turn, picture
from filterproof_properties.reports.terminal import ANSWERS, broken_promise, number, parameters_text

WIDTH = 96
MOST_TURNS, MOST_CHARACTERS = 30, 60
"""Of a longer play the first turns are told; a longer rational is only told nearly."""


def text(certificate: str, like: KnownBugMatch) -> str:
    """Return the explanation of a certificate that the checker has accepted."""
    data, shown = json.loads(certificate), picture(certificate)
    parts = (
        [f"{shown.target} {broken_promise(shown)}.", *_promise(shown)],
        *([[f"  {line}" for line in shown.own_words]] if shown.own_words else []),
        [*_mechanisms(data)],
        [*_play(data, shown)],
        [*_outcome(shown)],
        [*_known_bug_lines(like, len(data["answers"]))],
    )
    return "\n\n".join("\n".join(map(_fill, lines)) for lines in parts) + "\n"


def _fill(line: str) -> str:
    """Return a line in lines that fit, indented as it is, without control characters."""
    indent = " " * (len(line) - len(line.lstrip()))
    return fill(quoted(line, 4000), WIDTH, subsequent_indent=indent + "  ")


def _promise(shown: Picture) -> Iterator[str]:
    """Say what was promised and assumed, and whose a violation is."""
    if shown.parameters:
        yield f"Parameters: {parameters_text(shown.parameters)}."
    if shown.target in ADAPTERS:
        info = ADAPTERS[shown.target]
        yield f"Target: {info.library}, {info.kind}. A violation is that of {info.fault}."
        yield f"Promised: {info.promise}."
        yield f"Assumed: {info.assumption}."


def _mechanisms(data: Any) -> Iterator[str]:
    """Say what each mechanism of the play does to the two databases."""
    x, x_ = data["pair"]
    yield f"Two neighbouring databases, {x!r} and {x_!r}. The mechanisms, each private by itself:"
    for name, mechanism in _names_of(data).values():
        odds, delta = mechanism["declared"]
        yield f"  {name} is (log({odds}), {delta})-DP:"
        for y, row in mechanism["law"].items():
            p, q = (number(parse_rational(row[one])) for one in (x, x_))
            same = f"probability {p} on both" if p == q else f"{p} on {x!r}, {q} on {x_!r}"
            yield f"    output {y!r}: {same}"


def _names_of(data: Any) -> dict[str, tuple[str, Any]]:
    """Return the mechanisms that are asked for, each with a name, by what they are."""
    named: dict[str, tuple[str, Any]] = {}
    for answer, request in zip(data["answers"], data["adversary"], strict=True):
        mechanism = data["game"]["nodes"][answer["node"]][request]
        named.setdefault(_key(mechanism), (f"M{len(named)}", mechanism))
    return named


def _key(mechanism: Any) -> str:
    return json.dumps([mechanism["law"], mechanism["declared"]], sort_keys=True)


def _play(data: Any, shown: Picture) -> Iterator[str]:
    """Say turn by turn what is asked, what is answered, and what comes of each output."""
    yield "The play (the adversary sees every output before it asks again):"
    named, todo = _names_of(data), [shown.first]
    for told, turn in enumerate(todo):  # grows while it is read
        if told == MOST_TURNS:
            yield f"  ... and {shown.turns - told} more turns."
            return
        mechanism = data["game"]["nodes"][data["answers"][turn.number]["node"]][turn.request]
        yield _request_line(turn, named[_key(mechanism)][0])
        for branch in turn.branches:
            yield _output_line(branch, shown.pair[0])
            todo += [branch.turn] if branch.turn else []


def _request_line(turn: Turn, name: str) -> str:
    often = f", {turn.times} times in a row" if turn.times > 1 else ""
    reports = any(branch.reported for branch in turn.branches)
    said = "" if reports else f"; the answer: {ANSWERS[turn.decision]}"
    return f"  turn {turn.number}: asks {turn.request!r}, which is {name}{often}{said}"


def _output_line(branch: Branch, x: str) -> str:
    """Say what follows one output."""
    seen = f"output {branch.output!r}" if branch.output else "nothing is released"
    told = f", {branch.reported} is reported" if branch.reported else ""
    later = branch.turn.number if branch.turn else branch.again
    goes = "the adversary stops" if later is None else f"on to turn {later}"
    wins = ", the loss is above it" if told else f" and says that it was {x!r}"
    return f"    {seen}{told}: {goes}{wins if branch.in_event else ''}"


def _outcome(shown: Picture) -> Iterator[str]:
    """Say how likely the winning outputs are on either database, and what the budget allows."""
    x, x_ = shown.pair
    p, q, delta = shown.mass_x, shown.mass_x_prime, shown.delta
    yield f"The set S of all these endings has P(S) = {_both(p)} on {x!r},"
    yield f"  and P'(S) = {_both(q)} on {x_!r}."
    if shown.reports:
        yield "At each of them the privacy loss is above what is reported there."
        yield f"So P(loss > report at some time) = P(S), where delta = {_both(delta)}."
    else:
        budget = f"({shown.epsilon}, {format_rational(delta)})"
        yield f"{budget}-DP means that P(S) <= e^eps P'(S) + delta."
        exact = f"{_exact(p)} - e^({shown.epsilon}) * {_exact(q)}"
        yield f"Exact H = P(S) - e^eps P'(S) = {exact} = {float(shown.value):.6g},"
        yield f"  where delta = {_both(delta)}."
    over = "" if shown.ratio is None else f", {shown.ratio:.4g} times delta"
    yield f"Excess: {float(shown.value - delta):.6g}{over}. {shown.caution}".rstrip()


def _exact(value: Fraction) -> str:
    """Return a rational as it is, unless it is far too long: the certificate has it then."""
    exact = format_rational(value)
    return exact if len(exact) <= MOST_CHARACTERS else f"about {float(value):.6g}"


def _both(value: Fraction) -> str:
    """Return a rational, and as a decimal if that says more."""
    exact = _exact(value)
    return f"{exact} = {float(value):.6g}" if "/" in exact else exact


def _known_bug_lines(like: KnownBugMatch, answers: int) -> Iterator[str]:
    """Say which known bugs it looks like."""
    if not like.compared:
        yield "Nearest known bug: not looked for, since the play or its numbers are too long."
    elif not like.bugs:
        yield "Nearest known bug: no built-in wrong filter breaks its promise on this game."
    elif like.same:
        yield f"Nearest known bug: what gives all {answers} of these answers as well is"
    else:
        yield "Nearest known bug: none gives all of these answers; on the same game also break"
    yield from (f"  {name}: {why}" for name, why in like.bugs)
    if like.parts:
        yield f"{like.parts[0].upper()}{like.parts[1:]}."
