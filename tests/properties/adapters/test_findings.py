"""The findings on the real libraries: found from scratch, certified, and replayed."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformance import replay as command
from conformance.findings import FINDINGS, Finding, finding_of
from conformance.odometers import ODOMETER_FINDINGS
from filterproof import fast
from filterproof.certificate import read_certificate, replay
from filterproof.directed_rounding import epsilon_down, log_up
from filterproof.exact import Epsilon, ExpLinear, Log
from filterproof.filter import Filter
from filterproof.filters.additive import Additive
from filterproof.game import OPENING, Game, Mechanism, Step, opening
from filterproof.palette import erasure, game, k_ary, response, silent, table
from filterproof.witness import worst_case
from filterproof_proofs.certificates import check
from filterproof_properties import adapters
from filterproof_properties.adapters import diffprivlib_budget, opendp_filter
from filterproof_properties.adapters import dp_accounting_pld as pld
from filterproof_properties.adapters import dp_accounting_rdp as rdp
from filterproof_properties.adapters.support.ledger import Spend
from filterproof_properties.adapters.support.thresholded import covers, sigma
from filterproof_properties.case import Case
from filterproof_properties.games.contexts import PLAIN
from filterproof_properties.search.menu_builder import MenuBuilder

CERTIFICATES = Path(__file__).parents[3] / "docs" / "certificates"
LIGHT = {"opendp", "diffprivlib", "dp-accounting"}
LIGHT_FINDINGS = [f for f in FINDINGS if adapters.info_of(f.adapter).extra in LIGHT]


def first_step(play: Game) -> Step:
    """The only request of a game's first menu."""
    return opening(play).next(OPENING, next(iter(play.menu)))


def text_of(name: str) -> str:
    """The committed certificate of a finding."""
    return (CERTIFICATES / f"{name}.json").read_text(encoding="utf-8")


# --- certificates ---------------------------------------------------------------------------------


def test_there_is_a_certificate_for_every_finding_and_a_page_names_it() -> None:
    pages = [page.read_text(encoding="utf-8") for page in CERTIFICATES.parent.rglob("*.md")]
    for finding in (*FINDINGS, *ODOMETER_FINDINGS):
        assert (CERTIFICATES / finding.file).is_file()
        assert any(f"`{finding.name}`" in page for page in pages), finding.name


def test_there_is_a_finding_for_every_certificate() -> None:
    known = {CERTIFICATES / finding.file for finding in (*FINDINGS, *ODOMETER_FINDINGS)}
    assert set(CERTIFICATES.rglob("*.json")) == known


@pytest.mark.parametrize("finding", [*FINDINGS, *ODOMETER_FINDINGS], ids=lambda f: f.name)
def test_the_independent_checker_accepts_every_committed_certificate(finding: Finding) -> None:
    text = (CERTIFICATES / finding.file).read_text(encoding="utf-8")
    assert ("not (" if finding in FINDINGS else "> delta") in check(text)
    read = read_certificate(text)
    assert (read.target, read.epsilon, read.delta) == (
        finding.adapter,
        finding.epsilon,
        finding.delta,
    )


@pytest.mark.parametrize("finding", LIGHT_FINDINGS, ids=lambda f: f.name)
def test_the_real_library_still_answers_as_its_certificate_says(finding: Finding) -> None:
    read = read_certificate(text_of(finding.name))
    rule = adapters.load(read.target)(read.epsilon, read.delta)
    assert replay(rule, read) == len(read.answers)


@pytest.mark.parametrize(
    "name", [f.name for f in LIGHT_FINDINGS if f.name != "dp-accounting-rdp-as-filter"]
)
def test_a_finding_played_again_gives_the_same_certificate(name: str) -> None:
    assert finding_of(name).certificate() == text_of(name)


def test_an_excess_of_rounding_is_kept_apart_from_a_real_one() -> None:
    for finding in LIGHT_FINDINGS:
        read = read_certificate(text_of(finding.name))
        rule = adapters.load(read.target)(read.epsilon, read.delta)
        over = worst_case(rule, read.game, read.epsilon).value - read.delta
        assert (over < Fraction(1, 10**12)) == (finding.size == "float"), finding.name


def test_the_command_reproduces_a_finding_and_stores_its_certificate(tmp_path: Path) -> None:
    name = "diffprivlib-failure-not-charged"
    assert command.main([name, "--write", str(tmp_path)]) == 0
    assert (tmp_path / f"{name}.json").read_text(encoding="utf-8") == text_of(name)


def test_an_observation_that_is_not_made_again_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = {"opendp": {"one": lambda: "as before", "other": lambda: ""}}
    monkeypatch.setattr(command, "OBSERVATIONS", seen)
    assert command.observed("opendp") == 1
    assert capsys.readouterr().out == "opendp: one: as before\nopendp: other: NOT SEEN\n"


def opened(rule: Filter[Any], epsilon: Epsilon, delta: Fraction) -> Iterator[Case]:
    """Open menus after the first dozen first rounds."""
    return MenuBuilder(rule, PLAIN, epsilon, delta, {}).two_rounds(slice(12))


# --- found from scratch ---------------------------------------------------------------------------


def test_the_same_games_do_not_break_one_order_fixed_in_advance() -> None:
    epsilon, delta = Log(Fraction(8)), Fraction(1, 20)
    target = adapters.load("dp-accounting-rdp-one-order")
    for order in (2, 8):
        rule = target(epsilon, delta, order=order)
        for case in opened(rule, epsilon, delta):
            assert worst_case(rule, case.game, epsilon).value <= delta


def test_filling_every_branch_does_not_break_a_sound_filter() -> None:
    rule = Additive(Fraction(1), Fraction(1, 10))
    for case in opened(rule, Fraction(1), Fraction(1, 10)):
        assert worst_case(rule, case.game, Fraction(1)).value <= Fraction(1, 10)


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10), Fraction(1)])
def test_filling_every_branch_does_not_break_diffprivlib_with_slack(share: Fraction) -> None:
    target = adapters.load("diffprivlib-slack")
    for epsilon, delta in ((Log(Fraction(4)), Fraction(1, 2)), (Fraction(3), Fraction(1, 100))):
        rule = target(epsilon, delta, slack=delta * share)
        for case in opened(rule, epsilon, delta):
            assert fast.worst_case(rule, case.game, epsilon).value <= delta


# --- how dp-accounting is asked -------------------------------------------------------------


def first_event(play: Game) -> rdp.Response | None:
    """The event that stands for a game's only mechanism."""
    return rdp.event(first_step(play))


def test_k_ary_response_is_recognised_and_everything_else_is_dominated() -> None:
    assert first_event(game(response(Fraction(3, 4)))) == rdp.Response(0.5, 2)
    assert first_event(game(k_ary(16, Fraction(1, 2)))) == rdp.Response(8 / 15, 16)
    lopsided = table({"0": (Fraction(3, 4), Fraction(1, 4)), "1": (Fraction(1, 4), Fraction(3, 4))})
    assert first_event(game(lopsided)) == rdp.Response(0.5, 2)
    skewed = table({"0": (Fraction(1, 2), Fraction(1, 4)), "1": (Fraction(1, 2), Fraction(3, 4))})
    assert first_event(game(skewed)) == rdp.Response(2 / 3, 2)
    assert first_event(game(erasure(Fraction(1, 10)))) == rdp.EXPOSED
    assert first_event(game(silent())) is None


def responses_on(menu: Mapping[str, Mechanism]) -> Iterator[list[rdp.Response]]:
    """The randomised responses along every path of a game with one request a round."""
    if not menu:
        yield []
        return
    here = first_event(Game(("0", "1"), [("0", "1")], menu))
    assert here is not None
    for after in {id(one): one for one in menu["ask"].after.values()}.values():
        yield from ([here, *rest] for rest in responses_on(after))


def test_the_certified_game_is_admitted_by_the_pld_accountant_itself() -> None:
    dp = rdp.library()
    read = read_certificate(text_of("dp-accounting-pld-as-filter"))
    paths = [*responses_on(read.game.menu)]
    assert {len(path) for path in paths} == {2, 4}
    for path in paths:
        accountant = dp.pld.PLDAccountant(dp.NeighboringRelation.REPLACE_ONE)
        for event in path:
            accountant.compose(dp.RandomizedResponseDpEvent(*event))
        assert accountant.get_delta(3.0) <= 0.01


def test_a_loss_distribution_is_never_below_the_exact_profile() -> None:
    for p in (Fraction(51, 100), Fraction(2, 3), Fraction(9, 10)):
        step = first_step(game(response(p)))
        told = pld.laws(step)
        assert told is not None
        exact = p - 2 * (1 - p)
        assert pld.delta_of((told[0],), epsilon_down(Log(Fraction(2)))) >= exact


def test_where_every_output_tells_the_databases_apart_delta_is_one() -> None:
    told = pld.laws(first_step(game(table({"0": (1, 0), "1": (0, 1)}))))
    assert told is not None
    assert pld.delta_of((told[0], told[0]), 1.0) == 1.0


# --- smaller observations, each stated in docs/internals/AUDITS.md --------------------------


def test_diffprivlib_accepts_more_than_its_ceiling_in_many_small_spends() -> None:
    accountant = diffprivlib_budget.opened(diffprivlib_budget.Budget(100.0, 0.0))
    granted = [Spend(0.1, 0.0)] * 1000 + [Spend(1.4e-12, 0.0)]
    assert all(diffprivlib_budget.runs(accountant, spend) for spend in granted)
    assert sum(Fraction(spend.epsilon) for spend in granted) - 100 > Fraction(14, 10**13)


def test_opendp_explains_a_refusal_in_one_coordinate_as_an_unknown_ordering() -> None:
    dp = opendp_filter.library()
    queryable = opendp_filter.opened((1.0, 0.1))
    with pytest.raises(dp.OpenDPException, match="unknown ordering"):
        queryable(opendp_filter.measurement(Spend(2.0, 0.0)))


def test_a_loss_distribution_made_with_the_default_looks_in_one_direction_only() -> None:
    leak = {0: log_up(Fraction(1, 10)), 1: log_up(Fraction(9, 10))}
    certain = {1: 0.0}
    made = pld.library().from_two_probability_mass_functions
    assert made(certain, leak).get_delta_for_epsilon(1.0) >= 0.1
    assert made(leak, certain).get_delta_for_epsilon(1.0) == 0.0
    assert made(leak, certain, symmetric=False).get_delta_for_epsilon(1.0) >= 0.1


def test_the_two_accountants_disagree_where_a_record_is_replaced() -> None:
    dp = rdp.library()
    relation, event = dp.NeighboringRelation.REPLACE_ONE, dp.GaussianDpEvent(0.5)
    renyi = dp.rdp.RdpAccountant(None, relation).compose(event).get_epsilon(0.5)
    losses = dp.pld.PLDAccountant(relation).compose(event).get_epsilon(0.5)
    assert renyi < 2.5 < 7 < losses
    p = Fraction(977, 1000)  # the thresholded Gaussian, at distance 2C = 4 sigma, tells x so well
    assert covers(Fraction(2), p)
    assert ExpLinear(p, -(1 - p), Fraction(renyi)) > Fraction(7, 10)


def test_a_gaussian_is_not_said_to_tell_more_than_it_does() -> None:
    assert covers(Fraction(2), Fraction(977, 1000))
    assert not covers(Fraction(2), Fraction(978, 1000))
    for odds in (Fraction(11, 9), Fraction(3), Fraction(999)):
        assert covers(1 / (2 * Fraction(sigma(odds))), odds / (1 + odds))
        assert not covers(1 / (2 * Fraction(sigma(odds) * 1.0001)), odds / (1 + odds))
