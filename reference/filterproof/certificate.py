"""A violation as one JSON object that an independent program can re-check, and back.

Schema `filterproof.certificate`, version 1.  `answers[i]` is what the filter said to the request
`adversary[i]`: the node and the filter state at which it was asked, the decision, and `then`, the
number of the turn after each output (null: the transcript ends there).  After "refuse" nothing is
released, and the one key is "".  States are numbered as they appear, and one state has one answer
to one request at one node: a filter that also looks at what was released counts as being in
another state where that changes its answer.  `event` lists the transcripts of S by (turn, last
output).  With H = mass_x - e^ε·mass_x_prime the claim is `excess` = H - δ > 0, where [a, b] stands
for a + b·e^ε.  Merged histories stay merged: turns form a graph, and every turn comes before those
it leads to.

Where the game has `promises`, ε and δ in the claim are those of `pair` there; `epsilon` and `delta`
are still what the target was opened with.

A violation of an odometer's promise has the schema `filterproof.odometer`, version 1.  There every
answer has `reported` as well: what the odometer says after each output, as a rational, "log(p/q)"
or "inf".  `event` lists the transcripts whose loss exceeds what is reported at their end, and the
claim is `excess` = mass_x - δ > 0.  Histories are merged only where their likelihoods are
proportional, so that they have one loss.

The text is canonical: sorted keys, one-space indent, ASCII, rationals in lowest terms.
"""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from filterproof.exact import (
    Epsilon,
    format_epsilon,
    format_rational,
    parse_epsilon,
    parse_rational,
)
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.game import OPENING, Game, Step, opening
from filterproof.game.json import BadJson, expect, game_from_json, game_to_json, load_json
from filterproof.odometer import format_report, report_of
from filterproof.witness import Turn, WorstCase

SCHEMA = "filterproof.certificate"
ODOMETER_SCHEMA = "filterproof.odometer"
VERSION = 1


class NotCertifiable(ValueError):
    """A worst case that is within the budget, or a parameter that JSON cannot hold."""


class ReplayMismatch(Exception):
    """A filter that does not answer as the certificate says it did."""


def certify(
    target: str,
    parameters: Mapping[str, Any],
    game: Game,
    epsilon: Epsilon,
    delta: Fraction,
    worst: WorstCase,
) -> str:
    """Return the certificate of a violation as canonical JSON text."""
    allowed = worst.allowed(game, delta)
    if worst.value <= allowed:
        raise NotCertifiable(f"H = {worst.value} does not exceed delta = {allowed}")
    claim = {
        "schema": SCHEMA,
        "mass_x_prime": format_rational(worst.mass_x_prime),
        "excess": [format_rational(worst.mass_x - allowed), format_rational(-worst.mass_x_prime)],
    }
    return canonical(claim | _play_as_json(target, parameters, game, epsilon, delta, worst))


def certify_reports(
    target: str,
    parameters: Mapping[str, Any],
    game: Game,
    epsilon: Epsilon,
    delta: Fraction,
    worst: WorstCase,
) -> str:
    """Return the certificate that an odometer's reports are exceeded with probability above δ."""
    if game.promises:
        raise NotCertifiable("an odometer reports one epsilon; pairs have no promises of their own")
    if worst.value <= delta:
        raise NotCertifiable(f"P(L > report) = {worst.value} does not exceed delta = {delta}")
    claim = {"schema": ODOMETER_SCHEMA, "excess": format_rational(worst.mass_x - delta)}
    return canonical(claim | _play_as_json(target, parameters, game, epsilon, delta, worst))


def _play_as_json(
    target: str,
    parameters: Mapping[str, Any],
    game: Game,
    epsilon: Epsilon,
    delta: Fraction,
    worst: WorstCase,
) -> dict[str, Any]:
    """Return who was asked what, at which budget, and which transcripts are in S."""
    numbering = _Numbering()
    return {
        "version": VERSION,
        "target": target,
        "parameters": {name: parameter_to_json(value) for name, value in parameters.items()},
        "epsilon": format_epsilon(epsilon),
        "delta": format_rational(delta),
        "pair": list(worst.pair),
        "game": game_to_json(game),
        "answers": [_answer(turn, numbering.state(turn)) for turn in worst.turns],
        "adversary": [turn.request for turn in worst.turns],
        "event": sorted([turn, y] for turn, y in worst.event),
        "mass_x": format_rational(worst.mass_x),
    }


def canonical(data: Mapping[str, Any]) -> str:
    """Return the one text that stands for this object."""
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


class _Numbering:
    """Numbers filter states as they appear; each gives one answer to a request at a node."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Hashable, int], int] = {}
        self.said: dict[tuple[int, int, str], Decision] = {}

    def state(self, turn: Turn) -> int:
        """Return the number under which this state answers so: a new one if it never did."""
        told_apart = ((turn.state, copy) for copy in count())
        numbers = (self.numbers.setdefault(one, len(self.numbers)) for one in told_apart)
        return next(number for number in numbers if self._answers_so(turn, number))

    def _answers_so(self, turn: Turn, number: int) -> bool:
        asked = (turn.node, number, turn.request)
        return self.said.setdefault(asked, turn.decision) == turn.decision


def _answer(turn: Turn, state: int) -> dict[str, Any]:
    decision = str(turn.decision)
    said = {"node": turn.node, "state": state, "decision": decision, "then": turn.then}
    told = {y: format_report(report) for y, report in turn.reported.items()}
    return {**said, "reported": told} if told else said


def parameter_to_json(value: Any) -> Any:
    """Write one filter parameter so that `parameter_from_json` gives it back."""
    if isinstance(value, Fraction):
        return {"rational": format_rational(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (list, tuple)):
        return {"tuple": [parameter_to_json(item) for item in value]}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise NotCertifiable(f"a certificate cannot hold the parameter {value!r:.80}")


def parameter_from_json(value: Any) -> Any:
    """Read one filter parameter."""
    match value:
        case {"rational": str(text)}:
            return parse_rational(text)
        case {"float": str(text)}:
            return float.fromhex(text)
        case {"tuple": list(items)}:
            return tuple(parameter_from_json(item) for item in items)
    if isinstance(value, (dict, list)):
        raise BadJson(f"unknown parameter {value!r:.80}")
    return value


# --- reading and replaying ------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """What replaying needs of a certificate; `filterproof_proofs.checker` judges the rest."""

    target: str
    parameters: dict[str, Any]
    game: Game
    epsilon: Epsilon
    delta: Fraction
    answers: list[dict[str, Any]]
    adversary: list[str]


def read_certificate(text: str) -> Certificate:
    """Read a certificate that the checker has accepted."""
    data = load_json(text)
    if data.get("schema") not in (SCHEMA, ODOMETER_SCHEMA) or data.get("version") != VERSION:
        raise BadJson(f"need schema {SCHEMA!r} version {VERSION}; got {data.get('schema')!r:.80}")
    parameters = expect(data, "parameters", dict)
    return Certificate(
        expect(data, "target", str),
        {name: parameter_from_json(value) for name, value in parameters.items()},
        game_from_json(expect(data, "game", dict)),
        parse_epsilon(expect(data, "epsilon", str)),
        parse_rational(expect(data, "delta", str)),
        expect(data, "answers", list),
        expect(data, "adversary", list),
    )


def steps(certificate: Certificate) -> list[Step]:
    """Return the step of every turn, on the first history that leads there."""
    found = {0: opening(certificate.game).next(OPENING, certificate.adversary[0])}
    for number, answer in enumerate(certificate.answers):
        for y, later in answer["then"].items():
            if later is not None and later not in found:
                here, request = found[number], certificate.adversary[later]
                refused = answer["decision"] == "refuse"
                found[later] = here.instead(request) if refused else here.next(y, request)
    return [found[number] for number in range(len(certificate.answers))]


def replay(rule: Filter[Any], certificate: Certificate) -> int:
    """Ask the filter for every answer again; return how many agreed, or raise at a mismatch."""
    step = opening(certificate.game)
    decision, state = ask(rule, start(rule), step)
    _agree(decision, "continue", step)
    y = next(iter(step.mechanism.law))
    asked: dict[int, tuple[Step, Hashable]] = {}
    _arrive(asked, 0, step.next(y, certificate.adversary[0]), observe(rule, state, step, y))
    for number, answer in enumerate(certificate.answers):
        _replay_turn(rule, certificate, asked, number, answer)
    return len(certificate.answers)


def _replay_turn(
    rule: Filter[Any],
    certificate: Certificate,
    asked: dict[int, tuple[Step, Hashable]],
    number: int,
    answer: Mapping[str, Any],
) -> None:
    step, before = asked[number]
    decision, state = ask(rule, before, step)
    _agree(decision, answer["decision"], step)
    for y, report in answer.get("reported", {}).items():
        after = state if decision is Decision.REFUSE else observe(rule, state, step, y)
        _agree_on_report(rule, after, report, step)
    for y, target in answer["then"].items():
        if target is None:
            continue
        request = certificate.adversary[target]
        if decision is Decision.REFUSE:
            _arrive(asked, target, step.instead(request), state)
        else:
            _arrive(asked, target, step.next(y, request), observe(rule, state, step, y))


def _arrive(
    asked: dict[int, tuple[Step, Hashable]], number: int, step: Step, state: Hashable
) -> None:
    known = asked.setdefault(number, (step, state))
    if (dict(known[0].mass), known[1]) != (dict(step.mass), state):
        raise ReplayMismatch(f"turn {number} is reached with different masses or filter states")


def _agree_on_report(rule: Any, state: Hashable, expected: str, step: Step) -> None:
    told = format_report(report_of(rule, state))
    if told != expected:
        raise ReplayMismatch(
            f"round {step.index}, request {step.request!r}: the certificate says that {expected} "
            f"is reported, the odometer reports {told}"
        )


def _agree(decision: Decision, expected: str, step: Step) -> None:
    if decision != expected:
        raise ReplayMismatch(
            f"round {step.index}, request {step.request!r}: the certificate says {expected!r}, "
            f"the filter says {str(decision)!r}"
        )
