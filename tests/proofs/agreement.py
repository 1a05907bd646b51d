"""Certificates from everywhere, for checkers to agree on."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from filterproof.certificate import certify, parameter_from_json
from filterproof.exact import Log, parse_epsilon
from filterproof.filters.naive import Naive
from filterproof.filters.personal import LargestPromise
from filterproof.filters.registry import entry
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Promise
from filterproof.game.json import game_from_json
from filterproof.palette import game, response, reveal, silent
from filterproof.witness import worst_case
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.games.named import erasures
from filterproof_properties.games.promised import NEIGHBOURS, PEOPLE, largest_promise
from tests.proofs.test_checker_strict import LastAfterHeads
from tests.reference.test_certificate import CASES, AfterOneRefusal, certificate

ROOT = Path(__file__).parents[2]


def genuine() -> list[str]:
    """Every certificate of the documents, of the vectors' violations, and of the tests."""
    documents = [path.read_text() for path in sorted((ROOT / "docs/certificates").glob("*.json"))]
    return [*documents, *from_vectors(), *map(certificate, CASES), *special()]


def from_vectors() -> Iterator[str]:
    """The certificate of every play in the vectors that is flagged as violated."""
    listed = json.loads((ROOT / "vectors/games.json").read_text())["cases"]
    games = {one["name"]: game_from_json(one["game"]) for one in listed}
    for path in sorted((ROOT / "vectors").glob("plays-*.json")):
        data = json.loads(path.read_text())
        for play in data["cases"]:
            if "violated" in play["flags"]:
                parameters = {k: parameter_from_json(v) for k, v in play["parameters"].items()}
                epsilon, delta = parse_epsilon(play["epsilon"]), Fraction(play["delta"])
                rule = entry(data["filter"]).target(epsilon, delta, **parameters)
                worst = worst_case(rule, games[play["game"]], epsilon)
                yield certify(
                    data["filter"], parameters, games[play["game"]], epsilon, delta, worst
                )


def special() -> Iterator[str]:
    """Refusals, answers that depend on what was released, ties by a hair, and long numbers."""
    two = game({"a": silent(), "b": reveal()})
    worst = worst_case(AfterOneRefusal(), two, Fraction(1))
    yield certify("x", {}, two, Fraction(1), Fraction(1, 2), worst)
    menu = {"again": reveal()}
    one = game(response(Fraction(2, 3), after={"0": menu, "1": menu}))
    worst = worst_case(LastAfterHeads(), one, Log(Fraction(2)))
    yield certify("x", {}, one, Log(Fraction(2)), Fraction(0), worst)
    yield by_a_hair(1)
    yield from with_promises()
    long = erasures(Fraction(1, 10**20 + 7), 6)
    rule = Naive(long.epsilon, long.delta)
    worst = worst_case(rule, long.game, long.epsilon)
    yield certify("naive", {}, long.game, long.epsilon, long.delta, worst)


def with_promises() -> Iterator[str]:
    """A pair of neighbours that is promised less, and a pair at distance two."""
    case = largest_promise()
    worst = worst_case(LargestPromise(case.epsilon, case.delta), case.game, case.epsilon)
    yield certify("largest-promise", {}, case.game, case.epsilon, case.delta, worst)
    own = {**case.game.promises, ("ann", "bob"): Promise(Fraction(1, 3), Fraction(1, 10))}
    far = Game(PEOPLE, NEIGHBOURS, case.game.menu, own)
    worst = worst_case(RunAll(), far, Fraction(1))
    yield certify("run-all", {}, far, Fraction(1), Fraction(0), worst)


ODDS = Fraction(271828182845904523536028747135266249775724709369995, 10**50)  # e, to 50 digits


def by_a_hair(side: int) -> str:
    """Randomised response whose odds differ from e by 10^-45, with what it claims at epsilon = 1.

    The claim is true on the side above; on the other one only its budget was moved.
    """
    odds = ODDS + Fraction(side, 10**45)
    one = game(response(odds / (1 + odds)))
    budget = Fraction(1) if side > 0 else Fraction(99, 100)
    worst = worst_case(Naive(budget, Fraction(1)), one, budget)
    text = certify("naive", {}, one, budget, Fraction(0), worst)
    return text.replace('"epsilon": "99/100"', '"epsilon": "1"')


def accepted(text: str) -> bool:
    """What checker.py says."""
    try:
        check(text)
    except Rejected:
        return False
    return True
