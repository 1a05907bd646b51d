"""The checker turns down what is malformed, even where a careless reader would not mind."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from filterproof.certificate import canonical, certify
from filterproof.exact import Log
from filterproof.filter import Decision
from filterproof.game import Step
from filterproof.palette import game, response, reveal
from filterproof.witness import worst_case
from filterproof_proofs import checker
from filterproof_proofs.checker import Rejected, check
from filterproof_properties.games.named import guess, lottery_3_of_4
from tests.proofs.mutants import confusions, mutant
from tests.reference.test_certificate import certificate

LOTTERY = certificate(lottery_3_of_4())


def rejected(data: Any) -> str:
    with pytest.raises(Rejected) as why:
        check(canonical(data))
    return str(why.value)


@pytest.mark.parametrize("text", [LOTTERY, certificate(guess(4))], ids=["lottery", "guess"])
def test_every_confusion_of_types_is_rejected(text: str) -> None:
    data = json.loads(text)
    passed = []
    for path, value, damaged in confusions(data):
        try:
            check(json.dumps(damaged, sort_keys=True, indent=1) + "\n")
            passed.append((path, value))
        except Rejected:
            pass
    assert passed == []


def test_there_are_many_confusions() -> None:
    assert sum(1 for _ in confusions(json.loads(LOTTERY))) > 500


MALFORMED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("version true", lambda d: d.update(version=True), "'version' of the certificate must be int"),
    ("version 1.0", lambda d: d.update(version=1.0), "no float; got 1.0"),
    ("game version true", lambda d: d["game"].update(version=True), "must be int; got True"),
    ("node true", lambda d: d["answers"][0].update(node=True), "'node' of 0 of 'answers'"),
    ("state true", lambda d: d["answers"][0].update(state=False), "must be int; got False"),
    ("then true", lambda d: d["answers"][0]["then"].update({"1": True}), "NoneType or int"),
    ("event true", lambda d: d["event"].__setitem__(0, [True, "x"]), "must be int; got True"),
    ("a string for a pair", lambda d: d.update(pair="01"), "must be list; got '01'"),
    ("a string for databases", lambda d: d["game"].update(databases="01"), "must be list"),
    ("strings for neighbours", lambda d: d["game"].update(neighbours=["01"]), "must be list"),
    ("a string for requests", lambda d: d.update(adversary="ab"), "must be list"),
    ("a string for the excess", lambda d: d.update(excess="10"), "must be list; got '10'"),
    ("a pair of three", lambda d: d.update(pair=["0", "1", "0"]), "need just the keys [0, 1]"),
    ("a key in the game", lambda d: d["game"].update(note="x"), "need just the keys"),
    (
        "a key in a mechanism",
        lambda d: d["game"]["nodes"][-1]["ask"].update(note="x"),
        "need just the keys ['after', 'declared', 'law']",
    ),
    ("a key in an answer", lambda d: d["answers"][0].update(note="x"), "need just the keys"),
    ("a neighbour twice", lambda d: d["game"]["neighbours"].append(["1", "0"]), "named once"),
    ("its own neighbour", lambda d: d["game"]["neighbours"].append(["0", "0"]), "named once"),
    ("no nodes", lambda d: d["game"].update(nodes=[]), "the play must begin"),
    ("a state that jumps", lambda d: d["answers"][1].update(state=7), "numbered as they appear"),
    ("a negative state", lambda d: d["answers"][1].update(state=-1), "numbered as they appear"),
    ("a list of parameters", lambda d: d.update(parameters=[]), "must be dict; got []"),
    ("a parameter of no kind", lambda d: d["parameters"].update(N={"int": "2"}), "no known kind"),
    ("a parameter and more", lambda d: d["parameters"].update(N={"float": "", "x": 1}), "no known"),
    ("a list for a parameter", lambda d: d["parameters"].update(N=[1]), "must be NoneType or bool"),
    ("a list in a tuple", lambda d: d["parameters"].update(N={"tuple": [[1]]}), "no known kind"),
]


@pytest.mark.parametrize(
    ("damage", "reason"), [m[1:] for m in MALFORMED], ids=[m[0] for m in MALFORMED]
)
def test_what_is_malformed_is_rejected_by_name(damage: Callable[[Any], Any], reason: str) -> None:
    data = json.loads(LOTTERY)
    damage(data)
    assert reason in rejected(data)


def test_parameters_of_every_known_kind_are_accepted() -> None:
    data = json.loads(LOTTERY)
    kinds = [1, True, None, "a", {"rational": "1/2"}, {"float": "0x1p+0"}, {"tuple": [1, None]}]
    data["parameters"] = {str(i): kind for i, kind in enumerate(kinds)}
    assert check(canonical(data))


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "0.1", "-0"])
def test_no_number_but_a_whole_one_is_read(literal: str) -> None:
    with pytest.raises(Rejected):
        check(LOTTERY.replace('"version": 1\n', f'"version": {literal}\n'))


def test_nesting_and_length_are_bounded() -> None:
    data, deep = json.loads(LOTTERY), 1
    for _ in range(checker.MAX_NESTING):
        deep = {"tuple": [deep]}  # type: ignore[assignment]
    data["parameters"] = {"N": deep}
    assert "levels deep" in rejected(data)
    data["parameters"] = {"N": int("9" * 5000)}
    assert check(canonical(data)), "long numbers are fine"
    text = canonical({**data, "parameters": {"N": 0}})
    with pytest.raises(Rejected, match="malformed: ValueError"):
        check(text.replace('"N": 0', '"N": ' + "9" * (checker.MAX_DIGITS + 1)))
    with pytest.raises(Rejected, match="malformed: RecursionError"):
        check(text.replace('"N": 0', '"N": ' + '{"tuple": [' * 10**5))


def test_text_that_is_too_long_is_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MAX_CHARACTERS", len(LOTTERY))
    assert check(LOTTERY)
    with pytest.raises(Rejected, match="longer than"):
        check(LOTTERY + " ")


def test_random_damage_ends_in_a_verdict_and_never_in_an_accident() -> None:
    rng = Random(16)
    verdicts = [verdict(mutant(LOTTERY, rng)) for _ in range(1000)]
    assert verdicts.count("accepted") > 50
    assert verdicts.count("rejected") > 500


def verdict(text: str) -> str:
    try:
        check(text)
    except Rejected:
        return "rejected"
    return "accepted"


# --- one state, one answer ------------------------------------------------------------------


class LastAfterHeads:
    """It keeps no state at all, and what was released decides."""

    def start(self) -> None:
        return None

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        after_heads = any(output == "0" for _, output in step.history)
        return (Decision.LAST if after_heads else Decision.CONTINUE), None


def test_a_state_is_told_apart_where_what_was_released_changes_the_answer() -> None:
    menu = {"again": reveal()}
    one = game(response(Fraction(2, 3), after={"0": menu, "1": menu}))
    worst = worst_case(LastAfterHeads(), one, Log(Fraction(2)))
    text = certify("x", {}, one, Log(Fraction(2)), Fraction(0), worst)
    assert check(text)
    data = json.loads(text)
    turns = [(a["node"], a["state"], a["decision"]) for a in data["answers"]]
    assert turns == [(2, 0, "continue"), (1, 0, "last"), (1, 1, "continue")]
    data["answers"][2]["state"] = 0
    assert "answered otherwise in the same state" in rejected(data)
