"""The Coq theorems compile, assume what they may, say what they should, and run as programs.

Where Coq is missing locally, `test_coq_is_installed` is skipped and says how to get it, and the
tests that need it are not collected; under CI they all run, and fail.
"""

import fcntl
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from filterproof_proofs import backing, coq, coq_theorems
from filterproof_proofs.potential.verdicts import CONVERSE, RESTS_ON
from filterproof_proofs.smt import lemma_runner
from filterproof_proofs.ties.table import section_of
from filterproof_properties.cli.main import main
from filterproof_properties.targets.loading import BUILT_INS
from tests.extracted import Wire, answered, play, playable_cases, reference_worst
from tests.needs import needs_coq


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[coq.Theorem]]:
    """One build for all workers of a test run."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    directory = root / "coq-build"
    directory.mkdir(exist_ok=True)
    known = directory / "theorems.json"
    with (root / "coq-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not known.exists():
            theorems = coq.prove_theorems(directory)
            coq.compile_program(directory, "filters", "play")
            coq.compile_program(directory, "verified", "certificate", "check")
            known.write_text(json.dumps([asdict(one) for one in theorems]))
    rows: list[dict[str, Any]] = json.loads(known.read_text())
    return directory, [coq.Theorem(**{**row, "axioms": tuple(row["axioms"])}) for row in rows]


Built = tuple[Path, list[coq.Theorem]]

# --- the build ------------------------------------------------------------------------------


@needs_coq
def test_every_theorem_compiles_and_rests_on_the_allowed_axioms_only(built: Built) -> None:
    theorems = built[1]
    assert [one.name for one in theorems] == [one.name for one in coq.index()]
    assert all(set(one.axioms) <= coq.allowed_axioms() for one in theorems)
    assert {one.file for one in theorems} <= set(coq.files())


def test_the_project_lists_every_file_after_its_imports() -> None:
    listed = coq.files()
    assert sorted(listed) == sorted(path.name for path in coq.SOURCES.glob("*.v"))
    for place, name in enumerate(listed):
        assert set(coq._imports((coq.SOURCES / name).read_text())) <= set(listed[:place])


def test_nothing_is_admitted_and_the_source_tree_holds_sources_only() -> None:
    for path in coq.SOURCES.iterdir():
        assert path.suffix in {".v", ".ml", ".md", ".allowed", ""}, path.name
        words = set(path.read_text().replace(".", " ").split())
        assert path.suffix != ".v" or not words & {"Admitted", "admit", "Axiom", "Parameter"}
        assert len(path.read_text().splitlines()) <= 400


@needs_coq
def test_an_axiom_of_our_own_is_caught(built: Built) -> None:
    cheat = "Axiom cheat : 1 = 2.\nTheorem t : 1 = 2.\nProof. exact cheat. Qed.\n"
    (built[0] / "Cheat.v").write_text(cheat + "Print Assumptions t.\n")
    (found,) = coq.assumptions(coq.compile_file(built[0], "Cheat.v").output)
    with pytest.raises(coq.ForbiddenAxiom, match="cheat"):
        coq.check_axioms(found)


@needs_coq
def test_a_false_theorem_stops_the_build_and_is_named(built: Built) -> None:
    (built[0] / "Wrong.v").write_text("Theorem t : 1 = 2.\nProof. reflexivity. Qed.\n")
    with pytest.raises(coq.BuildFailed, match=r"Wrong\.v does not compile"):
        coq.compile_file(built[0], "Wrong.v")


def test_a_missing_coq_is_reported_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(coq.CoqMissing, match="apt-get install coq"):
        coq.prove_theorems()


def test_missing_sources_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(coq, "SOURCES", tmp_path)
    with pytest.raises(coq.SourcesMissing, match="checkout"):
        coq.index()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("    words: the divergence is", "    the divergence is", "identity_expectation"),
        ("Theorem audit_exact", "Theorem repaired_private", "repaired_private"),
    ],
)
def test_an_index_that_leaves_a_theorem_undescribed_or_states_one_twice_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, named: str
) -> None:
    text = (coq.SOURCES / "Theorems.v").read_text()
    assert old in text
    (tmp_path / "Theorems.v").write_text(text.replace(old, new, 1))
    (tmp_path / "_CoqProject").write_text("Theorems.v\n")
    monkeypatch.setattr(coq, "SOURCES", tmp_path)
    with pytest.raises(coq.BuildFailed, match=f"'{named}'"):
        coq.index()


# --- mutated statements ---------------------------------------------------------------------

MUTANTS: dict[str, tuple[str, str]] = {  # each is false, and the proof must not go through
    "private_iff_hockey": ("hockey A F M e x x'", "hockey A F M e x' x"),
    "repaired_private": ("(N - 1)", "(N - 2)"),
    "repaired_private_paper": ("INR N", "INR (N - 2)"),
    "repaired_tail": ("persistent B -> ", ""),
    "cautious_private": (
        "check_repaired menu M e dt pairs th h r",
        "check_published offer M pairs e dt th h r",
    ),
    "ledger_private": ("good menu M e dt x x' [] = true", "True"),
    "published_private_one": ("<= 1)%nat", "<= 3)%nat"),
    "published_private_few": ("(1 - INR m * th)", "(1 - th)"),
    "published_private_delayed": ("delayed menu A -> ", ""),
    "delta_hat_iff_check": ("delta_hat <= dt", "delta_hat < dt"),
    "identity_expectation": ("law A F M x n", "law A F M x' n"),
    "audit_exact": ("worst menu M F e x x'", "worst menu M F e x' x"),
    "audit_by_charges": ("N [] <= worst", "N [] < worst"),
    "budgets_complete": ("1 <= e", "0 <= e"),
    "spending_private": ("spends_within menu M F e d x x'", "spends_within menu M F e d x' x"),
    "compensator_private": ("(comp e d) e d x x'", "(comp e d) e (d / 2) x x'"),
    "refusing_compensator_private": ("e pairs d) e d x x'", "e pairs d) e (d / 2) x x'"),
    "compensator_at_zero": ("= bayesian M e pairs h r", "= Halt"),
    "recycling_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "recycling_dominates": ("runs (comp e d h r) = true ->", ""),
    "capped_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "capped_dominates": ("runs (comp e d h r) = true ->", ""),
    "published_refuted": ("0 < d < 1", "0 < d <= 1"),
    "guess_reveals": ("x 2 says_true", "x 1 says_true"),
    "sharp_constant": ("(1 - th) ^ (N - 1)", "(1 - th) ^ N"),
    "naive_refuted": ("e (1/3) true false", "e 1 true false"),
    "start_check_needed": ("lookahead true", "lookahead false"),
    "early_stop_breaks_tail": ("= 3/4", "<= 1/2"),
    "capped_runs_more": ("blank1 tt = Halt", "blank1 tt = Continue"),
    "converse_with_headroom": (" - excess M e x x' ((r, Some c) :: k)) ->", ") ->"),
    "unconditional_converse_refuted": (
        "always_private er_menu er_outs e (1/2)",
        "always_private er_menu er_outs e (1/3)",
    ),
    "kappa_iff_check": ("/ sigma ^ 2", "/ (2 * sigma ^ 2)"),
    "appendix_display_differs": ("~ good_loss_as_displayed", "good_loss_as_displayed"),
    "repaired_computes": ("(Q2R dt) (Q2R th)", "(Q2R th) (Q2R dt)"),
    "compensator_computes": ("pairs (Q2R d)", "pairs (Q2R q)"),
    "tree_repaired_private": ("(N - 1)", "(N - 2)"),
    "tree_compensator_private": ("(Q2R q) (Q2R d)", "(Q2R q) 0"),
    "tree_audit_decides": ("F q x x' N <= d", "F q x' x N <= d"),
    "potential_private": ("F e x x' d B", "F e x' x d B"),
    "potential_exists": ("private menu M F e d x x' -> ", ""),
    "compensator_potential": ("x x' d (fun", "x x' (d / 2) (fun"),
    "recycling_potential": ("x x' d (recycled", "x x' (d / 2) (recycled"),
    "capped_potential": ("x x' d (capped", "x x' (d / 2) (capped"),
    "gate_respects": ("(forall h r, passes h r = true -> test h r) ->", ""),
    "additive_private": ("additive_fits odds del e d", "additive_fits odds del (e + 1) d"),
    "rdp_mironov_private": ("order_fits e d moment", "order_fits e (d + 1) moment"),
    "rdp_tight_private": ("(tight s) s h r", "(2 * tight s) s h r"),
    "rdp_weighted_private": ("snd <= 1", "snd <= 2"),
    "rdp_some_order_private": ("=> / tight s", "=> / tight s / 2"),
    "rdp_sparse_orders_private": ("order_fits e d moment", "order_fits e (d + 1) moment"),
    "family_private": ("composes G Out -> ", ""),
    "whitehouse_private": ("odds del e d d')", "odds del e (2 * d) d')"),
    "advanced_rogers_private": ("declared M pairs odds del ->", ""),
    "hybrid_private": ("private menu M inner e d x x' ->", ""),
    "hybrid_charge_private": ("private menu M inner e d x x' ->", ""),
    "floor_private": ("((1 - a) * d)", "d"),
    "bayesian_private": ("pairs) e 0", "pairs) 1 0"),
    "naive_over_n_private": ("naive_fits M e d pairs", "naive_fits M e (2 * d) pairs"),
    "compensator_upper_bound_private": ("x x' h r <= over", "x x' h r / 2 <= over"),
    "repaired_live_private": ("(N - 1)", "(N - 2)"),
    "repaired_live_private_paper": ("INR N", "INR (N - 2)"),
    "product_private": ("product_kept M pairs e dt d", "product_kept M pairs e dt 1"),
    "restricted_private": ("(N - 1)", "(N - 2)"),
    "restricted_product_private": ("product_kept M pairs e dt d", "product_kept M pairs e dt 1"),
    "refund_refuted": ("~ private", "private"),
    "per_round_delta_refuted": ("(1/3)) e (1/3)", "(1/3)) e 1"),
    "full_floor_refuted": ("e (1/3) true false", "e 1 true false"),
    "lower_bound_refuted": ("e (1/3) true false", "e 1 true false"),
    "compensator_first_refuted": ("2 <= e < 4", "2 <= e <= 4"),
    "uncounted_rounds_refuted": ("e (1/3) true false", "e 1 true false"),
    "countable_budget_private": ("F M e x x' d U", "F M e x' x d U"),
    "countable_spending_private": ("M F e d x x' ->", "M F e d x' x ->"),
    "countable_compensator_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "countable_recycling_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "countable_capped_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "charge_by_profile": ("profile M h r x' x", "profile M h r x x'"),
    "charge_one_maximum": ("l <= l' <= eps", "l <= l'"),
    "charge_of_unknown_loss": ("tv M h r x x'", "tv M h r x x' / 2"),
    "quote_bounds": ("P' x' x h r", "P' x x' h r"),
    "runtime_private": ("booked h + quote (P h r) (P' h r) elo ehi (lo h) (hi h)", "booked h"),
    "integer_noise_private": ("pairs d) e d x x'", "pairs d) e (d / 2) x x'"),
    "normal_distribution": ("(locally 1)", "(locally 2)"),
    "algorithm1_finite": ("published menu offer M pairs e dt", "published menu offer M pairs e th"),
    "normal_loss_law": ("/ (2 * s)", "2 / s"),
    "kappa_is_the_check": ("/ s ^ 2", "/ (2 * s ^ 2)"),
    "algorithm1_normal": ("S (length h) < N", "length h < N"),
    "gauss_composes": ("(- (sqrt v / 2) -", "(sqrt v / 2 -"),
    "gdp_private": ("gauss_curve m 1 e <= d", "gauss_curve m 1 e / 2 <= d"),
    "gdp_residue_private": ("gauss_curve (left []) 1 e <= d", "gauss_curve (left []) 1 e / 2 <= d"),
    "gdp_residue_contains": ("(fun _ => m - v)", "(fun _ => m)"),
    "capped_maximal": ("  (forall M, private menu M (F M) e d x x') ->\n", ""),
    "capped_halting_maximal": (" causal F ->", ""),
    "capped_causal": ("x x' M) e d x x'", "x x' M) e (d / 2) x x'"),
    "refusing_outruns_halting": ("0 <= d < 1", "0 <= d <= 1"),
    "pairs_not_maximal": ("1 (5/8) x (negb x)", "1 (1/2) x (negb x)"),
    "additive_pairs_private": ("(del x x') (e x x')", "(del x x') (e x x' + 1)"),
    "zcdp_private": ("exp (s * (1 + s) * rho)", "exp (s * rho)"),
    "zcdp_usual_private": ("2 * sqrt", "sqrt"),
    "sessions_private": ("odds charge e d) ->", "odds charge e (2 * d)) ->"),
    "parts_private": ("reads odds del e d", "reads odds del (e + 1) d"),
    "individual_private": (
        "individual_fits M pairs e d",
        "individual_fits M pairs e (fun x x' => d x x' + 1)",
    ),
    "naive_product_seldom": ("(exceed M e x x') d", "(exceed M e x x') (d / 2)"),
    "naive_product_private": (
        "naive_product_fits M e d pairs",
        "naive_product_fits M e (2 * d) pairs",
    ),
    "naive_product_wider": ("naive_fits M e d pairs N", "naive_fits M e (2 * d) pairs N"),
    "tilted_private": ("tilt d h r = true", "tilt (2 * d) h r = true"),
    "tilted_dominates": ("(tight s) s h r", "(2 * tight s) s h r"),
    "purses_dominates": ("snd <= 1", "snd <= 2"),
    "purses_private": ("[]) <= d)", "[]) <= 2 * d)"),
    "joint_cap": (") / e", ")"),
    "joint_private": ("e d x' x", "e (d / 2) x' x"),
    "one_pass_maximal": (" causal F ->", ""),
    "one_pass_itself": ("e d x' x) /\\", "e (d / 2) x' x) /\\"),
    "stranded_not_maximal": ("e d x (negb x)", "e (d / 2) x (negb x)"),
    "odometer_additive_keeps": ("odds del d) d", "odds del d) (d / 2)"),
    "odometer_realised_keeps": ("(fun _ _ _ => True)", "(fun _ _ _ => False)"),
    "odometer_forgiving_keeps": ("<> None", "= None"),
    "odometer_renyi_keeps": ("<= d * Rpower e s", "<= 2 * d * Rpower e s"),
    "odometer_renyi_orders_keeps": ("snd <= 1", "snd <= 2"),
    "odometer_guesses_keeps": ("(snd g)) <= 1", "(snd g)) <= 2"),
    "odometer_stops_private": ("e' <= e", "e <= e'"),
    "overlapping_parts_refuted": ("e (1/3) true false", "e 1 true false"),
    "odometer_per_round_refuted": ("per_round_report (1/3)", "per_round_report 1"),
    "exp_enclosed": ("exp (Q2R eps)", "exp (1 + Q2R eps)"),
    "accepted_masses": ("accepts c = true -> ", ""),
    "accepted_is_violated": ("answers_so c F ->", ""),
    "accepted_not_private": ("answers_so c F ->", ""),
}


def mutated(entry: coq.Entry) -> str:
    """The entry with its mutated statement, whose proof is asserted to fail."""
    old, new = MUTANTS[entry.name]
    assert old in entry.statement, entry.name
    statement = entry.statement.replace(old, new, 1)
    return f"Goal {statement}.\nProof. Fail ({entry.proof}). Abort."


def test_every_theorem_has_a_mutant() -> None:
    assert MUTANTS.keys() == {one.name for one in coq.index()}


def test_a_proof_of_code_names_theorems_that_are_in_the_index() -> None:
    assert {RESTS_ON, CONVERSE} <= {one.name for one in coq.index()}


@needs_coq
@pytest.mark.parametrize("name", coq.indexes())
def test_for_every_theorem_a_mutated_statement_is_not_proved(built: Built, name: str) -> None:
    text = (coq.SOURCES / name).read_text()
    entries = [one for one in coq.index() if one.index == name]
    for one in entries:
        original = f"Theorem {one.name} : {one.statement}.\nProof. {one.proof}. Qed."
        assert original in text
        text = text.replace(original, mutated(one))
    (built[0] / f"Mutants_{name}").write_text(text)
    assert text.count("Fail (") == len(entries) > 0
    assert coq.compile_file(built[0], f"Mutants_{name}").output == ""


@needs_coq
def test_a_mutant_that_changes_nothing_would_be_noticed(built: Built) -> None:
    entry = next(one for one in coq.index() if one.name == "published_refuted")
    imports = (coq.SOURCES / entry.index).read_text().partition("Section Index")[0]
    unchanged = f"Goal {entry.statement}.\nProof. Fail ({entry.proof}). Abort.\n"
    (built[0] / "Idle.v").write_text(imports + unchanged)
    with pytest.raises(coq.BuildFailed, match="has not failed"):
        coq.compile_file(built[0], "Idle.v")


# --- the table: filter -> theorem -> axioms -------------------------------------------------


def test_every_filter_called_sound_has_a_theorem_or_says_that_it_has_none() -> None:
    assert set(backing.PROVED) == {one.name for one in BUILT_INS if one.sound}
    assert all(by.theorems or by.gap for by in backing.PROVED.values())
    assert {name for by in backing.PROVED.values() for name in by.theorems} <= {
        one.name for one in coq.index()
    }


@needs_coq
def test_the_table_names_compiled_theorems_and_allowed_axioms(built: Built) -> None:
    rows = {row.filter: row for row in coq_theorems.table(built[1])}
    assert list(rows) == [one.name for one in BUILT_INS if one.sound]
    assert all(set(row.axioms) <= coq.allowed_axioms() for row in rows.values())
    assert all(bool(row.axioms) == bool(row.theorems) for row in rows.values())
    assert rows["runtime"].theorems == ("runtime_private",)
    assert rows["runtime"].standing.startswith("search only")
    assert "Classical_Prop.classic" in rows["rdp-tight"].axioms
    assert "Classical_Prop.classic" not in rows["compensator"].axioms


@needs_coq
def test_a_sound_filter_without_a_theorem_is_caught(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = {name: by for name, by in backing.PROVED.items() if name != "gdp"}
    monkeypatch.setattr(coq_theorems, "PROVED", fewer)
    with pytest.raises(coq_theorems.NoTheorem, match="gdp"):
        coq_theorems.table(built[1])


@needs_coq
def test_a_theorem_that_was_not_compiled_is_caught(built: Built) -> None:
    without = [one for one in built[1] if one.name != "additive_private"]
    with pytest.raises(coq_theorems.NoTheorem, match=r"'additive'.*additive_private"):
        coq_theorems.table(without)


@needs_coq
def test_prove_ends_with_the_table(
    built: Built, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lemma_runner, "run", lambda *_: [])
    monkeypatch.setattr(coq, "prove_theorems", lambda: built[1])
    assert main(["prove", "--coq"]) == 0
    assert "filters called sound" in capsys.readouterr().out
    assert main(["prove", "--coq", "--json"]) == 0
    rows = {row["filter"]: row for row in json.loads(capsys.readouterr().out)["filters"]}
    assert rows["hybrid"]["theorems"] == ["hybrid_private", "additive_private"]
    assert rows["gdp"]["standing"] == "gdp_private"


@needs_coq
def test_the_page_of_theorems_is_what_the_build_says(built: Built) -> None:
    page = Path("docs/internals/THEOREMS.md").read_text(encoding="utf-8")
    assert page == coq_theorems.markdown(built[1], section_of(page))


# --- the extracted programs against the reference -------------------------------------------


@needs_coq
def test_the_extracted_filters_answer_as_the_reference_does(built: Built) -> None:
    wires = [Wire(case) for case in playable_cases(80)]
    found = answered(wires, play(built[0] / "play", wires))
    assert [one for one in found if one[1] != one[2]] == []
    given = {(rule, word) for rule, word, _ in found}
    looking_ahead = {(rule, word) for rule in (0, 1) for word in ("continue", "last", "halt")}
    assert given == looking_ahead | {(2, "continue"), (2, "halt")}


@needs_coq
def test_the_extracted_audit_finds_the_worst_case_of_the_reference(built: Built) -> None:
    wires = [Wire(case) for case in playable_cases(30)]
    found = [worst for _, worst in play(built[0] / "play", wires)]
    assert found == [reference_worst(wire.case) for wire in wires]
    assert all(any(worst[rule] for worst in found) for rule in range(3))


@needs_coq
def test_the_comparison_notices_another_epsilon(built: Built) -> None:
    wires = [Wire(case) for case in playable_cases(20)]
    for wire in wires:
        wire.odds *= 2
    played = play(built[0] / "play", wires)
    differ = {rule for rule, word, known in answered(wires, played) if word != known}
    assert differ == {0, 1, 2}
    assert [worst for _, worst in played] != [reference_worst(wire.case) for wire in wires]
