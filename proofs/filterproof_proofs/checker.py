"""Re-checks a certificate of a privacy violation: `python checker.py CERTIFICATE.json`.

Standard library only.  From the game, the filter's answers and the adversary's requests it
recomputes every likelihood; it accepts only if P_x(S) - e^eps * P_x'(S) > delta, decided by its own
enclosure of e^eps.  Where the game has promises, eps and delta are what (x, x') is promised there.
That a filter really answers so is for a replay to show.

A violation is written down in one way only: canonical JSON of just the shape of CERTIFICATE, no
float anywhere, rationals in lowest terms, filter states numbered as they appear.
"""

import json
import re
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import Any, NoReturn

SCHEMA, GAME_SCHEMA, VERSION = "filterproof.certificate", "filterproof.game", 1
MAX_CHARACTERS, MAX_DIGITS, MAX_EPSILON, MAX_NESTING = 256 * 2**20, 100_000, 10**5, 32
MAX_SECONDS = 60

# The shape of a certificate: a set holds the types that a value may have (a bool is no int), [s] is
# a list, (s, s) a list of two, {...: s} an object with any keys, another dict one with just these.
TEXT, WHOLE, PAIR = {str}, {int}, ({str}, {str})
HEAD = {"schema": TEXT, "version": WHOLE}
MECHANISM = {"law": {...: {...: TEXT}}, "after": {...: WHOLE}, "declared": PAIR}
GAME = HEAD | {"databases": [TEXT], "neighbours": [PAIR], "nodes": [{...: MECHANISM}]}
ANSWER = {"node": WHOLE, "state": WHOLE, "decision": TEXT, "then": {...: {int, type(None)}}}
PLAY = {"game": GAME, "pair": PAIR, "answers": [ANSWER], "adversary": [TEXT]}
CLAIM = {"epsilon": TEXT, "delta": TEXT, "mass_x": TEXT, "mass_x_prime": TEXT, "excess": PAIR}
TARGET = {"target": TEXT, "parameters": {...: {bool, int, str, dict, type(None)}}}
CERTIFICATE = HEAD | TARGET | PLAY | CLAIM | {"event": [(WHOLE, TEXT)]}
PROMISED = CERTIFICATE | {"game": GAME | {"promises": [(TEXT, TEXT, TEXT, TEXT)]}}


class Rejected(Exception):
    """Why a certificate does not hold."""


def need(condition: object, why: str) -> None:
    """Reject unless the condition holds."""
    if not condition:
        raise Rejected(why)


def check(text: str) -> str:
    """Return a one-line summary of a valid certificate; raise Rejected for any other text."""
    try:
        return _check(load(text, promised=PROMISED))
    except (KeyError, ValueError, RecursionError) as error:
        raise Rejected(f"malformed: {type(error).__name__}: {error}") from error


def load(text: str, shape: Any = CERTIFICATE, promised: Any = None) -> Any:
    """Return the data of a canonical text that has this shape, or that with promises if given."""
    need(len(text) <= MAX_CHARACTERS, f"longer than {MAX_CHARACTERS} characters")
    sys.set_int_max_str_digits(MAX_DIGITS)
    data = json.loads(text, parse_float=_no_float, parse_constant=_no_float)
    again = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=True) + "\n"
    need(again == text, "the text is not in canonical form")  # also catches duplicate keys
    need("\n" + " " * MAX_NESTING not in text, f"nested {MAX_NESTING} levels deep")
    game = data.get("game") if type(data) is dict else None
    has_promises = promised and type(game) is dict and "promises" in game
    check_shape(data, promised if has_promises else shape, "the certificate")
    need(all(map(is_parameter, data["parameters"].values())), "a parameter of no known kind")
    return data


def _no_float(text: str) -> NoReturn:
    raise Rejected(f"a certificate holds no float; got {text[:60]}")


def check_shape(data: Any, shape: Any, where: str) -> None:
    """Reject unless the data has just this shape."""
    kinds = shape if isinstance(shape, set) else {dict if isinstance(shape, dict) else list}
    if type(data) not in kinds:
        names = " or ".join(sorted(kind.__name__ for kind in kinds))
        raise Rejected(f"{where} must be {names}; got {data!r:.60}")
    if kinds is shape:
        return
    if kinds == {list}:
        shape = dict(enumerate(shape * len(data) if isinstance(shape, list) else shape))
        data = dict(enumerate(data))
    shape = dict.fromkeys(data, shape[...]) if ... in shape else shape
    if data.keys() != shape.keys():
        raise Rejected(f"{where}: need just the keys {sorted(shape)}; got {sorted(data)!r:.200}")
    for key in shape:
        check_shape(data[key], shape[key], f"{key!r:.60} of {where}")


def is_parameter(value: Any) -> bool:
    """Whether this is a plain value, or a rational, a float (in hexadecimal) or a tuple of such."""
    match value:
        case {"tuple": [*items]}:
            return len(value) == 1 and all(map(is_parameter, items))
        case {"rational": str()} | {"float": str()}:
            return len(value) == 1
    return value is None or type(value) in (bool, int, str)


def _check(data: Any) -> str:
    need((data["schema"], data["version"]) == (SCHEMA, VERSION), "unknown schema or version")
    pair, opened = data["pair"], (data["epsilon"], data["delta"])
    read_budget(*opened)
    nodes = check_game(data["game"], pair)
    promise = check_promises(data["game"]).get(tuple(pair), opened)
    log_form, epsilon, delta = read_budget(*promise)
    turns = check_turns(nodes, data["answers"], data["adversary"])
    finals = masses(nodes, turns, pair)

    def positive(a: Fraction, b: Fraction) -> bool:
        return a + b * epsilon > 0 if log_form else is_positive(a, b, epsilon)

    event = sorted([i, y] for (i, y), (p, q) in finals.items() if positive(p, -q))
    need(data["event"] == event, "the event is not the set of transcripts with P_x > e^eps P_x'")
    mass_x = sum((finals[i, y][0] for i, y in event), Fraction(0))
    mass_x_prime = sum((finals[i, y][1] for i, y in event), Fraction(0))
    need(rational(data["mass_x"]) == mass_x, f"mass_x is {mass_x}")
    need(rational(data["mass_x_prime"]) == mass_x_prime, f"mass_x_prime is {mass_x_prime}")
    a, b = mass_x - delta, -mass_x_prime
    need([rational(v) for v in data["excess"]] == [a, b], f"the excess is {a} + {b}*e^eps")
    need(positive(a, b), "the event stays within the budget")
    shown = f"P_{pair[0]}(S) = {mass_x} and P_{pair[1]}(S) = {mass_x_prime}"
    return f"{shown}: not ({promise[0]}, {promise[1]})-DP"


def read_budget(epsilon: str, delta: str) -> tuple[bool, Fraction, Fraction]:
    """Return whether epsilon is log(q), then q or epsilon, and delta; both in range."""
    log_form = re.fullmatch(r"log\((.*)\)", epsilon)
    number, exact = rational(log_form[1] if log_form else epsilon), rational(delta)
    in_range = number >= 1 if log_form else 0 <= number <= MAX_EPSILON
    need(in_range and 0 <= exact <= 1, "epsilon or delta is out of range")
    return bool(log_form), number, exact


def check_promises(game: Any) -> dict[Any, tuple[str, str]]:
    """Check the promises of a game, if it has any; return them by ordered pair."""
    listed = game.get("promises", [])
    need(listed or "promises" not in game, "a list of no promises")
    found = {(x, z): (epsilon, delta) for x, z, epsilon, delta in listed}
    for epsilon, delta in found.values():
        read_budget(epsilon, delta)
    number = {x: i for i, x in enumerate(game["databases"])}
    places = [(number[x], number[z]) for x, z, *_ in listed]
    need(places == sorted(set(places)), "promises must be in order, each pair named once")
    need(all(i != j for i, j in places), "a promise needs two databases")
    both = [pair for x, z in game["neighbours"] for pair in ((x, z), (z, x))]
    need(not listed or all(pair in found for pair in both), "a pair of neighbours has no promise")
    return found


def rational(text: str) -> Fraction:
    """Read "p" or "p/q" in lowest terms; nothing else."""
    match = re.fullmatch(r"(-?[0-9]+)(?:/([0-9]+))?", text)
    need(match and len(text) <= 2 * MAX_DIGITS, f"not a rational: {text[:60]!r}")
    p, q = int(match[1]), int(match[2] or 1)  # type: ignore[index]
    need(q > 0 and gcd(p, q) == 1 and text == (f"{p}/{q}" if q > 1 else f"{p}"), "not lowest terms")
    return Fraction(p, q)


def exp_bounds(epsilon: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return lo <= e^epsilon <= hi: Taylor sums of a halved argument, squared back, in integers."""
    halvings = int(epsilon).bit_length() + 1
    bits += 2 * halvings + 16
    one, num, den = 1 << bits, epsilon.numerator, epsilon.denominator << halvings
    lo, hi, k, term_lo, term_hi = 0, 0, 0, one, one
    while term_hi > 1:
        lo, hi, k = lo + term_lo, hi + term_hi, k + 1
        term_lo, term_hi = term_lo * num // (den * k), -(-term_hi * num // (den * k))
    hi += 2 * term_hi  # the argument is at most 1/2: each further term is at most half the last
    for _ in range(halvings):
        lo, hi = lo * lo >> bits, -(-hi * hi >> bits)
    return Fraction(lo, one), Fraction(hi, one)


def is_positive(a: Fraction, b: Fraction, epsilon: Fraction) -> bool:
    """Decide a + b*e^epsilon > 0; the loop ends because e^epsilon is irrational (or exactly 1)."""
    if b == 0 or epsilon == 0:
        return a + b > 0
    bits, ends = 64, {True, False}
    while len(ends) > 1:
        ends, bits = {a + b * bound > 0 for bound in exp_bounds(epsilon, bits)}, 2 * bits
    return ends.pop()


def check_game(game: Any, pair: Any) -> list[Any]:
    """Validate the game; return its menus with rational laws."""
    need((game["schema"], game["version"]) == (GAME_SCHEMA, VERSION), "unknown game schema")
    databases, neighbours = game["databases"], game["neighbours"]
    need(len(set(databases)) == len(databases) >= 2, "databases must be different")
    related = {(x, z) for x, z in neighbours} | {(z, x) for x, z in neighbours}
    need(all({x, z} <= set(databases) for x, z in related), "bad neighbours")
    need(all(map(is_name, databases)), "a database's name is empty or has control characters")
    need(len(related) == 2 * len(neighbours), "neighbours must be different, each pair named once")
    promised = {(x, z) for x, z, *_ in game.get("promises", [])}
    need(tuple(pair) in related | promised, f"{pair} are not neighbours")
    need(all(is_name(r) for menu in game["nodes"] for r in menu), "a request's name is no name")
    return [
        {r: check_mechanism(m, databases, related, number) for r, m in menu.items()}
        for number, menu in enumerate(game["nodes"])
    ]


def is_name(text: str) -> bool:
    """Whether a name is not empty and has no control characters."""
    return text != "" and not any(one < " " or "\x7f" <= one < "\xa0" for one in text)


def check_mechanism(data: Any, databases: Any, related: Any, number: int) -> Any:
    """Check names, sums, signs, successors and the declared pair of one mechanism."""
    need(all(map(is_name, data["law"])), "an output's name is empty or has control characters")
    law = {y: {x: rational(p) for x, p in row.items()} for y, row in data["law"].items()}
    sane = all(set(row) == set(databases) and min(row.values()) >= 0 for row in law.values())
    need(sane, "a row misses a database or has a negative probability")
    need(all(any(row.values()) for row in law.values()), "an output that never happens")
    for x in databases:
        need(sum(row[x] for row in law.values()) == 1, f"P_{x} does not sum to 1 at node {number}")
    need(set(data["after"]) == set(law), "an output leads nowhere")
    need(all(0 <= n < number for n in data["after"].values()), "a cycle")
    odds, delta = map(rational, data["declared"])
    need(odds >= 1 and delta <= 1, f"the declared pair is out of range at node {number}")
    for x, z in related:
        true = sum(max(Fraction(0), row[x] - odds * row[z]) for row in law.values())
        need(true <= delta, f"the declared pair is false at node {number}")
    return law, data["after"]


def check_turns(nodes: list[Any], answers: Any, adversary: Any) -> list[Any]:
    """Check that the turns form a play of the game; return them in order."""
    need(len(answers) == len(adversary) > 0, "need one request per answer")
    refused: dict[int, frozenset[str]] = {0: frozenset()}
    need(nodes and answers[0]["node"] == len(nodes) - 1, "the play must begin at the first menu")
    states, said = 0, dict[Any, str]()
    for i, (answer, request) in enumerate(zip(answers, adversary, strict=True)):
        need(i in refused and request not in refused[i], f"turn {i} is not reached, or asks again")
        law, after = nodes[answer["node"]][request]
        decision, then, state = answer["decision"], answer["then"], answer["state"]
        need(0 <= state <= states, f"turn {i}: states must be numbered as they appear")
        states = max(states, state + 1)
        known = said.setdefault((answer["node"], state, request), decision)
        need(known == decision, f"turn {i}: {request!r} was answered otherwise in the same state")
        outputs = {"continue": set(law), "last": set(law), "halt": set(), "refuse": {""}}[decision]
        need(set(then) == outputs, f"turn {i} misses or invents a transcript")
        for y, j in then.items():
            if j is None:
                continue
            need(decision in ("continue", "refuse"), f"turn {i} goes on after the end")
            need(i < j < len(answers), f"turn {i} leads backwards")
            node = answer["node"] if decision == "refuse" else after[y]
            need(answers[j]["node"] == node, f"turn {j} is at another node than turn {i} leads to")
            seen = refused[i] | {request} if decision == "refuse" else frozenset()
            need(refused.setdefault(j, seen) == seen, f"turn {j} is reached in different ways")
    return list(zip(answers, adversary, strict=True))


def masses(nodes: list[Any], turns: list[Any], pair: Any) -> dict[Any, Any]:
    """Return P_x and P_x' of every finished transcript (turn, last output), summed forwards."""
    reach = [[Fraction(i == 0)] * 2 for i in range(len(turns))]
    finals: dict[Any, Any] = {}
    for i, (answer, request) in enumerate(turns):
        law, decision = nodes[answer["node"]][request][0], answer["decision"]
        if decision == "halt":
            finals[i, ""] = reach[i]
        for y, j in answer["then"].items():
            p, q = (1, 1) if decision == "refuse" else (law[y][x] for x in pair)
            here = [reach[i][0] * p, reach[i][1] * q]
            if j is None:
                finals[i, y] = here
            else:
                reach[j] = [reach[j][0] + here[0], reach[j][1] + here[1]]
    return finals


def within(seconds: float, check: Callable[[], str]) -> str:
    """Return what a check says, or raise TimeoutError after so many seconds of this process."""

    def stop(*_: Any) -> NoReturn:
        raise TimeoutError(f"not decided within {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return check()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def say(verdict: str, why: object) -> None:
    """Print one line in which nothing can forge another or command a terminal."""
    text = "".join(one if " " <= one <= "~" else ascii(one)[1:-1] for one in str(why))
    print(f"{verdict}: {text}")  # noqa: T201


def main(check: Any = check) -> int:
    """Check the file named on the command line: 0 it holds, 1 not, 2 unreadable, 3 no time."""
    try:
        with open(sys.argv[1], encoding="ascii", newline="") as file:
            say("accepted", within(MAX_SECONDS, lambda: check(file.read(MAX_CHARACTERS + 1))))
    except Rejected as why:
        say("rejected", why)
        return 1
    except TimeoutError as why:
        say("undecided", why)
        return 3
    except (IndexError, OSError, UnicodeDecodeError) as error:
        print(f"usage: checker.py CERTIFICATE.json ({error!r})", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
