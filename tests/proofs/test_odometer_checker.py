"""A certificate of an odometer is accepted as it is, and rejected after any change that counts."""

import json
import re
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
    certify_reports,
    read_certificate,
    replay,
)
from filterproof.engine.by_position.reports import worst_report
from filterproof.fast import worst_case
from filterproof.filters.naive import Naive
from filterproof.odometers.additive import AdditiveOdometer, Resets
from filterproof.odometers.registry import ODOMETERS
from filterproof.palette import game, repeated, response
from filterproof_proofs import checker, odometer_checker
from filterproof_proofs.certificates import check
from filterproof_proofs.checker import Rejected
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures
from filterproof_properties.games.odometers import SPECIMENS
from tests.proofs.mutants import at, confusions, places, put

F = Fraction
TARGETS = {one.name: one.target for one in ODOMETERS}


def certificate(name: str, case: Case) -> str:
    rule = TARGETS[name](case.epsilon, case.delta, **case.parameters)
    worst = worst_report(rule, case.game, case.epsilon)
    return certify_reports(name, case.parameters, case.game, case.epsilon, case.delta, worst)


MERGED = Case("merged", game(repeated(response(F(2, 3)), 5)), F(1), F(1, 100))
TEXTS = {name: certificate(name, make()) for name, make in SPECIMENS.items()}
HIGHER = TEXTS["odometer-accountant"]
RATIONAL, FREE = re.compile(r"[0-9]+(/[0-9]+)?"), {"declared", "epsilon", "pair", "neighbours"}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_specimen_is_certified_checked_and_replayed(name: str) -> None:
    assert "the loss exceeds what is reported" in check(TEXTS[name])
    again = read_certificate(TEXTS[name])
    rule = TARGETS[name](again.epsilon, again.delta, **again.parameters)
    assert replay(rule, again) == len(again.answers)


def test_merged_histories_stay_merged() -> None:
    text = certificate("odometer-resets", MERGED)
    assert len(json.loads(text)["answers"]) < 2**4
    assert check(text)
    again = read_certificate(text)
    assert replay(Resets(again.epsilon, again.delta), again)


def test_a_sound_odometer_does_not_replay_it() -> None:
    again = read_certificate(TEXTS["odometer-late"])
    with pytest.raises(ReplayMismatch, match=r"says that log\(1\) is reported, .* log\(2\)"):
        replay(AdditiveOdometer(again.epsilon, again.delta), again)


def test_what_is_within_delta_cannot_be_certified() -> None:
    with pytest.raises(NotCertifiable, match="does not exceed"):
        certificate("odometer-additive", SPECIMENS["odometer-late"]())


# --- mutants ------------------------------------------------------------------------------------


def rejected(data: Any) -> str:
    with pytest.raises(Rejected) as why:
        check(canonical(data))
    return str(why.value)


def halt(data: Any) -> None:
    data["answers"][1].update(decision="halt", then={}, reported={})


def merged_unlike(data: Any) -> None:
    """Lead both outputs of the first round to one turn, although their losses differ."""
    menu = data["game"]["nodes"][-1]["ask"]["after"]
    menu["!"] = menu["?"]
    data["answers"][0]["then"]["!"] = data["answers"][0]["then"]["?"]


def two_reports(data: Any) -> None:
    """Let one state report two numbers."""
    for answer in data["answers"]:
        for y, after in answer["then"].items():
            if after == 3:
                answer["reported"][y] = "log(2)"
                return


MUTANTS: list[tuple[str, Callable[[Any], Any], str]] = [
    ("mass", lambda d: d.update(mass_x="1/50"), "mass_x is 1970199/100000000"),
    ("excess", lambda d: d.update(excess="1/2"), "the excess is 970199/100000000"),
    ("delta", lambda d: d.update(delta="1/50", excess="-29801/100000000"), "delta at most"),
    ("delta alone", lambda d: d.update(delta="1/200"), "the excess is"),
    ("a delta above 1", lambda d: d.update(delta="2"), "out of range"),
    ("event", lambda d: d.update(event=d["event"][:1]), "the event is not the set"),
    ("more event", lambda d: d["event"].append([1, "?"]), "the event is not the set"),
    ("pair", lambda d: d.update(pair=["1", "0"]), "the event is not the set"),
    ("a higher report", lambda d: d["answers"][1]["reported"].update({"!": "14"}), "the event"),
    ("no bound", lambda d: d["answers"][1]["reported"].update({"!": "inf"}), "the event is not"),
    ("minus", lambda d: d["answers"][1]["reported"].update({"!": "-1"}), "out of range"),
    ("log of less", lambda d: d["answers"][1]["reported"].update({"!": "log(1/2)"}), "range"),
    ("words", lambda d: d["answers"][1]["reported"].update({"!": "much"}), "not a rational"),
    ("missing", lambda d: d["answers"][1]["reported"].pop("!"), "misses or invents a report"),
    ("invented", lambda d: d["answers"][1]["reported"].update({"x": "1"}), "misses or invents"),
    ("halts", halt, "halts, where the adversary would"),
    ("unlike histories", merged_unlike, "reached with different losses"),
    ("schema", lambda d: d.update(schema="filterproof.certificate"), "need just the keys"),
    ("version", lambda d: d.update(version=2), "unknown schema or version"),
    ("epsilon", lambda d: d.update(epsilon="inf"), "epsilon must be finite"),
    ("law", lambda d: d["game"]["nodes"][1]["then"]["law"]["!"].update({"0": "1"}), "sum to 1"),
    ("a float", lambda d: d.update(mass_x=0.5), "no float"),
    ("claims H", lambda d: d.update(mass_x_prime="0"), "need just the keys"),
]


@pytest.mark.parametrize(("change", "why"), [m[1:] for m in MUTANTS], ids=[m[0] for m in MUTANTS])
def test_a_mutant_is_rejected(change: Callable[[Any], Any], why: str) -> None:
    data = json.loads(HIGHER)
    change(data)
    assert why in rejected(data)


def test_a_state_that_reports_two_numbers_is_rejected() -> None:
    data = json.loads(certificate("odometer-resets", MERGED))
    two_reports(data)
    assert "its state reports two numbers" in rejected(data)


def test_a_filters_certificate_is_not_an_odometers_and_the_other_way_round() -> None:
    with pytest.raises(Rejected, match="need just the keys"):
        checker.check(HIGHER)
    case = erasures(F(1, 10), 3, F(1, 10))
    worst = worst_case(Naive(case.epsilon, case.delta), case.game, case.epsilon)
    text = certify("naive", {}, case.game, case.epsilon, case.delta, worst)
    assert check(text)
    with pytest.raises(Rejected, match="need just the keys"):
        odometer_checker.check(text)


def test_every_confusion_of_types_is_rejected() -> None:
    passed = []
    for path, value, damaged in confusions(json.loads(HIGHER)):
        try:
            check(json.dumps(damaged, sort_keys=True, indent=1) + "\n")
            passed.append((path, value))
        except Rejected:
            pass
    assert passed == []


def test_every_moved_number_is_rejected() -> None:
    """But for those that the claim does not rest on: ε, what laws declare, reports outside S."""
    moved = 0
    for path in places(json.loads(HIGHER)):
        data = json.loads(HIGHER)
        value = at(data, path)
        if isinstance(value, str) and RATIONAL.fullmatch(value) and not FREE & set(path):
            put(data, path, str(Fraction(value) + Fraction(1, 1000)))
            assert rejected(data), path
            moved += path[-1] not in ("0", "1") or "law" in path
    assert moved > 10


def test_it_runs_on_its_own(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(HIGHER)
    bad.write_text(HIGHER.replace('"delta": "1/100"', '"delta": "1/10"'))
    codes = []
    for arguments in ([good], [bad], [tmp_path / "none.json"]):
        command = [sys.executable, "-m", odometer_checker.__name__, *map(str, arguments)]
        codes.append(subprocess.run(command, capture_output=True, check=False).returncode)
    assert codes == [0, 1, 2]


def test_it_imports_the_standard_library_and_the_checker_only() -> None:
    lines = Path(odometer_checker.__file__).read_text().splitlines()
    used = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import", "from"))}
    assert used <= {*sys.stdlib_module_names, "filterproof_proofs"}
    ours = [line for line in lines if "filterproof_proofs import" in line or "_proofs." in line]
    assert all("checker" in line for line in ours)
