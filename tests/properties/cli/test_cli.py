"""The command line: exit codes, exact options, configuration, and what a pipe gets to see."""

import json
import subprocess
import sys
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from filterproof.exact import Log
from filterproof_properties.audit.record import Record, Tick
from filterproof_properties.cli.main import main, parse
from filterproof_properties.cli.options import settings
from filterproof_properties.options.config import ConfigError, read_config
from filterproof_properties.reports.progress import LiveProgress

COMMANDS = ["audit", "check", "diff", "prove", "figure", "tune", "compare", "vectors", "list"]
QUICK = ["--examples", "1"]


@pytest.fixture
def certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["audit", "naive", *QUICK, "--certificates", str(tmp_path)]) == 1
    capsys.readouterr()
    return tmp_path / "naive.certificate.json"


# --- audit ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "code"), [("compensator", 0), ("naive", 1)])
def test_the_exit_code_is_the_verdict(target: str, code: int) -> None:
    assert main(["audit", target, *QUICK]) == code


def test_without_a_target_it_is_0_iff_every_verdict_is_the_expected_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from filterproof.filters import registry
    from filterproof_properties.cli import audit

    few = [registry.entry(name) for name in ("additive", "naive", "algorithm1")]
    monkeypatch.setattr(audit, "BUILT_INS", few)
    assert main(["audit", *QUICK]) == 0
    assert capsys.readouterr().out.count("yes") == 3
    from dataclasses import replace

    wrong = replace(registry.entry("additive"), sound=False)
    monkeypatch.setitem(registry._BY_NAME, "additive", wrong)
    assert main(["audit", *QUICK]) == 1
    assert "NO" in capsys.readouterr().out


def test_a_violation_is_drawn_with_the_winning_set_and_h_beside_delta(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["audit", "algorithm1", *QUICK])
    text = capsys.readouterr().out
    assert "algorithm1 is not (" in text
    assert "asks 'ask'; the filter: run it, go on" in text
    assert "★ in S" in text
    assert "> delta = " in text
    assert "\x1b" not in text


def test_json_prints_the_report_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    main(["audit", "naive", "additive", *QUICK, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in report["results"]] == ["VIOLATED", "no violation found"]


def test_reports_are_written_and_certificates_go_next_to_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "not" / "there"
    names = ["out.html", "out.json", "out.xml", "out.sarif", "out.md"]
    options = [word for name in names for word in ("--report", str(folder / name))]
    assert main(["audit", "naive", *QUICK, *options]) == 1
    wanted = sorted([*names, "naive.certificate.json"])
    assert sorted(path.name for path in folder.iterdir()) == wanted
    assert capsys.readouterr().out.count("wrote ") == len(wanted)


def test_the_same_seed_gives_the_same_report(capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for _ in range(2):
        main(["audit", "additive", "--examples", "30", "--seed", "5", "--json"])
        result = json.loads(capsys.readouterr().out)["results"][0]
        seen.append({key: value for key, value in result.items() if key != "seconds"})
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--no-such-option"], "the following arguments are required: COMMAND"),
        (["audti"], "no command 'audti'; did you mean 'audit'?"),
        (["audit", "--epsilon", "x"], "need a rational such as 1/2 or 0.1; got 'x'"),
        (["audit", "--epsilon=-1"], "epsilon <= 100000; got -1"),
        (["audit", "--epsilon", "log(1/2)"], "need log(q) with q >= 1"),
        (["audit", "--delta", "2"], "need 0 <= delta < 1; got 2"),
        (["audit", "--delta", "NaN"], "need a rational"),
        (["audit", "--seed", "-1"], "need an integer >= 0; got -1"),
        (["audit", "--examples", "0"], "need an integer >= 1; got 0"),
        (["audit", "--seconds", "-1"], "need a positive number of seconds; got -1"),
        (["audit", "--jobs", "two"], "need an integer >= 1 and <= 256; got two"),
        (["check"], "the following arguments are required: CERT.json"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_wrong(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["audit", "compensater"], "no filter 'compensater'; near: compensator"),
        (["audit", "naive", "--report", "x.pdf"], "'x.pdf' names no report"),
        (["audit", "nowhere.py:F"], "no such file"),
        (["audit", "no.such.module:F"], "cannot import 'no.such.module'"),
        (["check", "nowhere.json"], "No such file"),
    ],
)
def test_what_cannot_be_audited_exits_with_2_and_says_why(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert why in captured.err + captured.out


# --- exact options and configuration --------------------------------------------------------


def test_budgets_are_read_exactly() -> None:
    found = settings(parse(["audit", "--epsilon", "0.1", "--delta", "1e-3"]))
    assert (found.epsilon, found.delta) == (Fraction(1, 10), Fraction(1, 1000))
    log = settings(parse(["audit", "--epsilon", "log(3/2)"]))
    assert log.epsilon == Log(Fraction(3, 2))


def test_the_command_line_wins_over_pyproject_toml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.filterproof]\nepsilon = "log(3/2)"\ndelta = 0.1\nexamples = 7\nattacks = false\n'
    )
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    found = settings(parse(["audit", "--examples", "9"]))
    assert (found.epsilon, found.delta) == (Log(Fraction(3, 2)), Fraction(1, 10))
    assert (found.examples, found.attacks, found.seed) == (9, False, 0)


def test_the_targets_of_pyproject_toml_are_audited_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.filterproof]\ntargets = ["naive"]\n')
    monkeypatch.chdir(tmp_path)
    assert main(["audit", *QUICK, "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    assert [one["target"] for one in results] == ["naive"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("exampels = 3", "unknown key 'exampels' in [tool.filterproof]; did you mean 'examples'?"),
        ("examples = 0", "'examples' in [tool.filterproof]: need an integer >= 1; got 0"),
        ("examples = true", "need an integer; got True"),
        ('epsilon = "x"', "need a rational"),
        ("attacks = 1", "need true or false; got 1"),
        ("cluster = 1", "need a string; got 1"),
        ('targets = "naive"', "'targets' must be a list of strings"),
        ("examples = ", "Invalid value"),
    ],
)
def test_a_wrong_configuration_is_named(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.filterproof]\n{text}\n")
    with pytest.raises(ConfigError) as raised:
        read_config(path)
    assert why in str(raised.value)
    assert str(path) in str(raised.value)


# --- check ----------------------------------------------------------------------------------


def test_a_certificate_is_accepted_replayed_and_drawn(
    certificate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(certificate), "--replay", "naive", "--picture"]) == 0
    text = capsys.readouterr().out
    assert "accepted: P_" in text
    assert "replayed: naive gives all" in text
    assert "★ in S" in text


def test_a_filter_that_answers_otherwise_is_not_replayed(
    certificate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(certificate), "--replay", "compensator"]) == 1
    assert "the filter says 'halt'" in capsys.readouterr().out


def test_a_changed_certificate_is_rejected(
    certificate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(certificate.read_text())
    data["mass_x"] = "1/2"
    certificate.write_text(json.dumps(data, sort_keys=True, indent=1) + "\n")
    assert main(["check", str(certificate)]) == 1
    assert "rejected: mass_x is" in capsys.readouterr().out


def test_a_file_of_the_wrong_kind_is_turned_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert main(["check", str(tmp_path / "a.json")]) == 1
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    assert main(["check", str(tmp_path / "a.json")]) == 2
    capsys.readouterr()


# --- for people -----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS)])
def test_help_shows_an_example(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    examples = capsys.readouterr().out.rpartition("\nexample")[2]
    assert f"filterproof {' '.join(words) or 'audit'}" in examples


def test_list_names_the_filters_and_the_adapters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    for name in ("compensator", "algorithm1", "opendp", "filterproof[opendp]"):
        assert name in text
    assert "search only" in text


def test_progress_shows_on_a_terminal_and_nowhere_else() -> None:
    for is_terminal in (True, False):
        console = Console(force_terminal=is_terminal, record=True, file=StringIO(), width=100)
        with LiveProgress(2, console, seconds=30) as live:
            live(Tick("mine", "named games", 3, 0.5))
            (shown,) = live.bar.tasks
            said = "mine: the named games, 3 plays, worst H/delta 0.5, 0 of 30 s"
            assert shown.description == said
            assert 0 <= shown.completed < 1
            live(Record("mine", "VIOLATED", None, "", 3, 0.1))  # type: ignore[arg-type]
            assert (shown.completed, shown.total) == (1, 2)
        assert bool(console.export_text().strip()) is is_terminal


def test_a_closed_pipe_is_no_traceback() -> None:
    words = f"{sys.executable} -m filterproof_properties.cli.main list | head -1"
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=True)
    assert "built-in filter" in done.stdout
    assert "Traceback" not in done.stderr


# --- the other commands ---------------------------------------------------------------------


def test_figure_writes_numbers_and_turns_down_nonsense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figure.csv"
    assert main(["figure", "--output", str(path), "--rounds", "6", "--epsilon", "3"]) == 0
    assert path.read_text().startswith("filter,kind,t,survival,error")
    assert main(["figure", "--sigma", "0"]) == 2
    assert "need 0 < sigma < inf" in capsys.readouterr().err
    assert main(["figure", "--output", "figure.pdf", "--rounds", "4", "--epsilon", "3"]) == 2


def test_tune_names_the_filter_that_lasts_longest(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--epsilon", "3", "--delta", "0.01", "--rounds", "6", "--paths", "50"]
    assert main(["tune", "gaussian:2", *quick]) == 0
    assert "compensator" in capsys.readouterr().out
    assert main(["tune", "nonsense:2", *quick]) == 2
    assert "no mechanism 'nonsense'; known: gaussian" in capsys.readouterr().err
    assert main(["tune", "nowhere.json", *quick]) == 2


def test_prove_says_what_came_out_and_fails_if_something_did_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dataclasses import replace

    from filterproof_proofs.smt import lemma_runner
    from filterproof_proofs.smt.lemmas import LEMMAS

    entries = lemma_runner.run(second_opinion=False, lemmas=LEMMAS[:1])
    monkeypatch.setattr(lemma_runner, "run", lambda *_: entries)
    assert main(["prove"]) == 0
    assert "caught" in capsys.readouterr().out
    assert main(["prove", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lemmas"][0]["as_expected"] is True
    entries = [replace(entries[0], controls=())]
    assert main(["prove"]) == 1


def test_prove_says_how_to_get_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from filterproof_proofs import coq
    from filterproof_proofs.smt import lemma_runner

    monkeypatch.setattr(lemma_runner, "run", lambda *_: [])
    monkeypatch.setattr(coq, "tool", _missing)
    assert main(["prove", "--coq"]) == 2
    assert "get it with" in capsys.readouterr().err


def _missing(name: str) -> str:
    from filterproof_proofs.coq import CoqMissing

    raise CoqMissing(f"{name} is not installed; get it with: apt-get install coq")


def test_compare_prints_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from filterproof_properties.choose import compare as comparison

    monkeypatch.setattr(comparison, "COMPARED", comparison.COMPARED[:1])
    assert main(["compare"]) == 0
    assert "| compensator |" in capsys.readouterr().out


def test_one_name_that_is_no_file_is_not_enough_for_diff(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["diff", "naive"]) == 2
    assert "need NEW as well: 'naive' is no file" in capsys.readouterr().err
