"""A certificate is accepted as it is, and rejected after any change."""

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from filterproof.certificate import (
    NotCertifiable,
    ReplayMismatch,
    canonical,
    certify,
    parameter_from_json,
    parameter_to_json,
    read_certificate,
    replay,
)
from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.naive import Naive
from filterproof.filters.repaired import Repaired
from filterproof.game import Step
from filterproof.palette import game, response, reveal, silent
from filterproof.witness import worst_case
from filterproof_proofs import checker
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures, guess, lottery_3_of_4, twice_2

CASES = [guess(4), guess(20), lottery_3_of_4(), twice_2()]


def certificate(case: Case, target: Any = Algorithm1) -> str:
    rule = target(case.epsilon, case.delta, **case.parameters)
    worst = worst_case(rule, case.game, case.epsilon)
    return certify("algorithm1", case.parameters, case.game, case.epsilon, case.delta, worst)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_refutations_of_theorem_1_are_accepted_and_replay(case: Case) -> None:
    text = certificate(case)
    assert "not (1, " in check(text)
    again = read_certificate(text)
    rule = Algorithm1(again.epsilon, again.delta, **again.parameters)
    assert replay(rule, again) == len(again.answers)


def test_a_sound_filter_does_not_replay_them() -> None:
    again = read_certificate(certificate(guess(4)))
    with pytest.raises(ReplayMismatch, match=r"says 'continue'.*says 'last'"):
        replay(Repaired(again.epsilon, again.delta, **again.parameters), again)


def test_nothing_within_the_budget_can_be_certified() -> None:
    case = guess(4)
    rule = Repaired(case.epsilon, case.delta, **case.parameters)
    worst = worst_case(rule, case.game, case.epsilon)
    with pytest.raises(NotCertifiable, match="H = 0 does not exceed delta = 1/2"):
        certify("repaired", {}, case.game, case.epsilon, case.delta, worst)


# --- tampering ------------------------------------------------------------------------------

TINY = Fraction(1, 10**40)


def shift(data: Any, key: str, by: Fraction = TINY) -> None:
    data[key] = str(Fraction(data[key]) + by)


def probability(data: Any) -> None:
    law = data["game"]["nodes"][-1]["ask"]["law"]
    law["1"] = {"0": "1/5", "1": "1/5"}


def probability_with_the_sum_kept(data: Any) -> None:
    law = data["game"]["nodes"][-1]["ask"]["law"]
    law["1"] = {"0": str(Fraction(1, 20) + TINY), "1": "1/20"}
    law["2"] = {"0": str(Fraction(1, 20) - TINY), "1": "1/20"}


def negative_probability(data: Any) -> None:
    law = data["game"]["nodes"][-1]["ask"]["law"]
    law["1"], law["2"] = {"0": "-1/20", "1": "1/20"}, {"0": "3/20", "1": "1/20"}


def other_answer(data: Any) -> None:
    data["answers"][0].update(decision="last", then=dict.fromkeys(data["answers"][0]["then"]))


def false_declared(data: Any) -> None:
    for menu in data["game"]["nodes"]:
        for mechanism in menu.values():
            mechanism["declared"] = ["1", "0"]


def budget(data: Any) -> None:
    data["delta"] = "3/20"
    data["excess"] = ["0", "0"]


TAMPERED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("a changed probability", probability, "does not sum to 1"),
    (
        "a changed law",
        probability_with_the_sum_kept,
        "not the set of transcripts|mass_x is|excess|declared",
    ),
    ("a negative probability", negative_probability, "negative probability"),
    ("a missing transcript", lambda d: d["answers"][0]["then"].pop("4"), "misses or invents"),
    (
        "an invented transcript",
        lambda d: d["answers"][0]["then"].update(x=None),
        "misses or invents",
    ),
    ("a mass off by 10^-40", lambda d: shift(d, "mass_x"), "mass_x is"),
    ("the other mass off by 10^-40", lambda d: shift(d, "mass_x_prime"), "mass_x_prime is"),
    (
        "an excess off by 10^-40",
        lambda d: d.update(excess=[str(Fraction(1, 20) + TINY), "0"]),
        "excess",
    ),
    ("a claim within the budget", budget, "within the budget"),
    ("a smaller event", lambda d: d["event"].pop(), "not the set of transcripts"),
    ("a larger event", lambda d: d["event"].append([1, "1"]), "not the set of transcripts"),
    ("an unknown request", lambda d: d["adversary"].__setitem__(0, "nope"), "malformed: KeyError"),
    ("another answer", other_answer, "is not reached"),
    (
        "a halt that releases",
        lambda d: d["answers"][1].update(decision="halt"),
        "misses or invents",
    ),
    ("an answer of no kind", lambda d: d["answers"][1].update(decision="maybe"), "malformed"),
    (
        "a turn that leads back",
        lambda d: d["answers"][1]["then"].update({"0": 0}),
        "leads backwards|after the end",
    ),
    ("a node that does not fit", lambda d: d["answers"][1].update(node=0), "another node"),
    (
        "a false declared pair",
        false_declared,
        "declared",
    ),
    ("no neighbours", lambda d: d.update(pair=["0", "0"]), "are not neighbours"),
    ("a strange pair", lambda d: d.update(pair=["0", "7"]), "are not neighbours"),
    ("a key too many", lambda d: d.update(extra=1), "need just the keys"),
    ("a key too few", lambda d: d.pop("target"), "need just the keys"),
    ("another schema", lambda d: d.update(schema="x"), "unknown schema"),
    ("another version", lambda d: d.update(version=2), "unknown schema or version"),
    ("another game schema", lambda d: d["game"].update(version=2), "unknown game schema"),
    ("a cycle", lambda d: d["game"]["nodes"][-1]["ask"]["after"].update({"1": 9}), "a cycle"),
    ("a rational not in lowest terms", lambda d: d.update(mass_x="6/40"), "not lowest terms"),
    ("a float", lambda d: d.update(mass_x=0.15), "holds no float; got 0.15"),
    ("a mass in words", lambda d: d.update(mass_x="three"), "not a rational"),
    ("a negative budget", lambda d: d.update(epsilon="-1"), "out of range"),
    ("an absurd budget", lambda d: d.update(epsilon="1" + "0" * 50), "out of range"),
    ("a log below one", lambda d: d.update(epsilon="log(1/2)"), "out of range"),
    ("a delta above one", lambda d: d.update(delta="2"), "out of range"),
    ("no turns", lambda d: d.update(answers=[], adversary=[]), "one request per answer"),
    ("too few requests", lambda d: d["adversary"].pop(), "one request per answer"),
    ("a missing database", lambda d: d["game"].update(databases=["0"]), "databases must be"),
]


@pytest.mark.parametrize(
    ("damage", "reason"), [t[1:] for t in TAMPERED], ids=[t[0] for t in TAMPERED]
)
def test_a_tampered_certificate_is_rejected(damage: Callable[[Any], Any], reason: str) -> None:
    data = json.loads(certificate(lottery_3_of_4()))
    assert check(canonical(data)), "it is valid before the change"
    damage(data)
    with pytest.raises(Rejected, match=reason):
        check(canonical(data))


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", ""),
        lambda text: text + "\n",
        lambda text: text.replace('"delta": "1/10"', '"delta":  "1/10"'),
        lambda text: json.dumps(json.loads(text)),
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"version": 1', '"version": 1,\n "version": 1', 1),
        lambda text: text.replace('"delta": "1/10"', '"delta": NaN'),
        lambda text: "",
        lambda text: "[]\n",
        lambda text: "[" * 10**6,
    ],
)
def test_text_that_is_not_canonical_is_rejected(rewrite: Callable[[str], str]) -> None:
    with pytest.raises(Rejected):
        check(rewrite(certificate(lottery_3_of_4())))


def test_a_tie_with_a_rational_odds_is_no_violation_but_a_hair_more_is() -> None:
    def attempt(p: Fraction) -> str:
        open_door = Naive(Log(Fraction(3)), Fraction(1))
        one = game(response(p))
        worst = worst_case(open_door, one, Log(Fraction(3)))
        return certify("naive", {}, one, Log(Fraction(3)), Fraction(0), worst)

    with pytest.raises(NotCertifiable):
        attempt(Fraction(3, 4))
    assert "not (log(3), 0)-DP" in check(attempt(Fraction(3, 4) + TINY))


def test_an_irrational_budget_is_decided_by_the_checkers_own_enclosure() -> None:
    lo, hi = checker.exp_bounds(Fraction(1000), 64)
    assert 10**434 < lo < hi < 10**435
    assert hi - lo < lo / 2**60
    assert checker.is_positive(Fraction(-(10**434)), Fraction(1), Fraction(1000))
    assert not checker.is_positive(Fraction(-(10**435)), Fraction(1), Fraction(1000))
    assert checker.is_positive(Fraction(-1), Fraction(1), Fraction(1, 10**300))


class AfterOneRefusal:
    def start(self) -> int:
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        if step.index == 0 or state:
            return Decision.CONTINUE, state
        return Decision.REFUSE, state + 1


def test_refusals_are_part_of_a_certificate() -> None:
    one = game({"a": silent(), "b": reveal()})
    worst = worst_case(AfterOneRefusal(), one, Fraction(1))
    text = certify("x", {}, one, Fraction(1), Fraction(1, 2), worst)
    assert check(text)
    assert replay(AfterOneRefusal(), read_certificate(text)) == 2
    again = json.loads(text)
    again["adversary"][1] = "a"
    with pytest.raises(Rejected, match="asks again"):
        check(canonical(again))


def test_a_long_certificate_with_thousands_of_digits_is_accepted() -> None:
    case = erasures(Fraction(1, 10**400 + 7), 12)
    rule = Naive(case.epsilon, case.delta)
    worst = worst_case(rule, case.game, case.epsilon)
    text = certify("naive", {}, case.game, case.epsilon, case.delta, worst)
    assert max(map(len, text.split('"'))) > 4300
    assert check(text)


def test_parameters_survive() -> None:
    values = {
        "a": Fraction(1, 3),
        "b": 2,
        "c": 0.1,
        "d": None,
        "e": (1, Fraction(2)),
        "f": "x",
        "g": True,
    }
    assert {k: parameter_from_json(parameter_to_json(v)) for k, v in values.items()} == values
    with pytest.raises(NotCertifiable, match="cannot hold"):
        parameter_to_json(object())


# --- the checker stands alone ---------------------------------------------------------------


def test_the_checker_imports_the_standard_library_only_and_is_short() -> None:
    path = Path(checker.__file__)
    tree = ast.parse(path.read_text())
    imports = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert {str(name).split(".")[0] for name in imports} <= sys.stdlib_module_names
    assert len(path.read_text().splitlines()) <= 320


def test_the_checker_runs_on_its_own(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(certificate(guess(4)))
    bad.write_text(certificate(guess(4)).replace('"1/4"', '"1/5"', 1))
    other_lines = tmp_path / "lines.json"
    other_lines.write_bytes(good.read_bytes().replace(b"\n", b"\r\n"))
    codes = []
    for arguments in ([good], [bad], [other_lines], [tmp_path / "none.json"], []):
        command = [sys.executable, "-I", checker.__file__, *map(str, arguments)]
        codes.append(subprocess.run(command, capture_output=True, check=False).returncode)
    assert codes == [0, 1, 1, 2, 2]
