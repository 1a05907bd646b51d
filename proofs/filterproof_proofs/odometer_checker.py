"""Re-checks a certificate of an odometer that reports too little, on its own.

Like `checker`, whose numbers, game and turns it uses, it needs the standard library only and asks
no engine.  From the laws it recomputes the two likelihoods of every transcript of the adversary's
play; the event must be just the transcripts that end with P_x > e^r P_x', where r is what is
reported there, and it accepts only if P_x(event) > delta.  That an odometer really reports so is
for a replay to show.

Histories may be merged only where their likelihoods are proportional: then they have one loss.  And
one state reports one number.
"""

import re
import sys
from fractions import Fraction
from typing import Any

from filterproof_proofs import checker
from filterproof_proofs.checker import Rejected, need, rational

SCHEMA, VERSION = "filterproof.odometer", 1
ANSWER = checker.ANSWER | {"reported": {...: checker.TEXT}}
PLAY = checker.PLAY | {"answers": [ANSWER], "event": [(checker.WHOLE, checker.TEXT)]}
CLAIM = dict.fromkeys(("epsilon", "delta", "mass_x", "excess"), checker.TEXT)
CERTIFICATE = checker.HEAD | checker.TARGET | PLAY | CLAIM


def check(text: str) -> str:
    """Return a one-line summary of a valid certificate; raise Rejected for any other text."""
    try:
        return _check(checker.load(text, CERTIFICATE))
    except (KeyError, ValueError, RecursionError) as error:
        raise Rejected(f"malformed: {type(error).__name__}: {error}") from error


def _check(data: Any) -> str:
    need((data["schema"], data["version"]) == (SCHEMA, VERSION), "unknown schema or version")
    need(exceeds(Fraction(1), Fraction(0), data["epsilon"]), "epsilon must be finite")
    delta, pair = rational(data["delta"]), data["pair"]
    need(0 <= delta <= 1, "delta is out of range")
    nodes = checker.check_game(data["game"], pair)
    turns = checker.check_turns(nodes, data["answers"], data["adversary"])
    check_reports(data["answers"])
    finals = endings(nodes, turns, pair)
    over = {end: p for end, (p, q, told) in finals.items() if exceeds(p, q, told)}
    event = sorted([i, y] for i, y in over)
    need(data["event"] == event, "the event is not the set of endings above what is reported")
    mass_x = sum(over.values(), Fraction(0))
    need(rational(data["mass_x"]) == mass_x, f"mass_x is {mass_x}")
    need(rational(data["excess"]) == mass_x - delta, f"the excess is {mass_x - delta}")
    need(mass_x > delta, "the reports are exceeded with probability delta at most")
    return f"P_{pair[0]}(the loss exceeds what is reported) = {mass_x} > delta = {delta}"


def exceeds(p: Fraction, q: Fraction, told: str) -> bool:
    """Decide p > e^r q, where r is what is reported: a rational, log(p/q), or inf."""
    if told == "inf":
        return False
    log_form = re.fullmatch(r"log\((.*)\)", told)
    r = rational(log_form[1] if log_form else told)
    fits = r >= 1 if log_form else 0 <= r <= checker.MAX_EPSILON
    need(fits, f"{told[:60]!r} is out of range")
    return p > r * q if log_form else checker.is_positive(p, -q, r)


def check_reports(answers: Any) -> None:
    """Check that there is one report after each output, and one for each state."""
    known: dict[int, str] = {}
    for i, answer in enumerate(answers):
        need(
            answer["decision"] != "halt", f"turn {i} halts, where the adversary would have stopped"
        )
        need(set(answer["reported"]) == set(answer["then"]), f"turn {i} misses or invents a report")
        for y, j in answer["then"].items():
            if j is not None:
                told = answer["reported"][y]
                same = known.setdefault(answers[j]["state"], told) == told
                need(same, f"turn {j}: its state reports two numbers")


def endings(nodes: list[Any], turns: list[Any], pair: Any) -> dict[Any, Any]:
    """Return P_x, P_x' and the report of every finished transcript (turn, last output)."""
    reach: dict[int, tuple[Fraction, Fraction]] = {0: (Fraction(1), Fraction(1))}
    finals: dict[Any, Any] = {}
    for i, (answer, request) in enumerate(turns):
        law = nodes[answer["node"]][request][0]
        for y, j in answer["then"].items():
            released = answer["decision"] != "refuse"
            p, q = (law[y][x] for x in pair) if released else (1, 1)
            here = reach[i][0] * p, reach[i][1] * q
            if j is None:
                finals[i, y] = *here, answer["reported"][y]
                continue
            before = reach.get(j, (Fraction(0), Fraction(0)))
            one_loss = here[0] * before[1] == here[1] * before[0]
            need(one_loss, f"turn {j} is reached with different losses")
            reach[j] = before[0] + here[0], before[1] + here[1]
    return finals


if __name__ == "__main__":
    sys.exit(checker.main(check))
