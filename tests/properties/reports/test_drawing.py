"""The drawing of a play: all outputs are there, and those that win are in colour."""

import re
from dataclasses import replace
from fractions import Fraction

from filterproof.filters.run_all import RunAll
from filterproof.palette import erasure, game, response
from filterproof_properties.case import Case
from filterproof_properties.games.named import erasures
from filterproof_properties.reports.drawing import MOST_ENDINGS, endings, play_svg, winning_only
from filterproof_properties.reports.picture import Picture, picture
from filterproof_properties.reports.sentence import sentence
from filterproof_properties.targets.evaluate import certify_violation

P = Fraction(1, 100)


def shown(case: Case) -> Picture:
    return picture(certify_violation("all", lambda epsilon, delta: RunAll(), case).certificate)


def three_erasures() -> Picture:
    return shown(replace(erasures(P, 3), parameters={}))


def bushy() -> Picture:
    """Outputs that branch often, so that the endings do not fit a screen."""
    menu = {"ask": erasure(P)}
    for share in (Fraction(3, 5), Fraction(2, 3), Fraction(4, 5)):
        menu = {"ask": response(share, {"0": menu, "1": menu})}
    return shown(Case("bushy", game(menu), Fraction(1), P))


def outputs(svg: str) -> list[str]:
    return re.findall(r'<rect class="(output(?: won)?)"', svg)


def test_every_output_is_drawn_and_those_that_win_are_in_colour() -> None:
    seen = outputs(play_svg(three_erasures()))
    assert len(seen) == endings(three_erasures().first) + 2  # two outputs lead on
    assert 0 < seen.count("output won") < len(seen)


def test_of_many_endings_only_those_that_win_are_drawn() -> None:
    many = bushy()
    assert endings(many.first) > MOST_ENDINGS
    assert set(outputs(play_svg(many))) == {"output won"}
    assert endings(winning_only(many.first)) < endings(many.first)


def test_names_from_a_target_are_escaped() -> None:
    menu = {"<b>": erasure(P * 2)}
    svg = play_svg(shown(Case("evil", game(menu), Fraction(1), P)))
    assert "<b>" not in svg
    assert "&lt;b&gt;" in svg


def test_a_violation_is_one_sentence_with_decimals() -> None:
    said = sentence(three_erasures())
    assert said.count(". ") == 0
    assert "/" not in said
    assert said == (
        "all breaks its promise (epsilon = 1, delta = 0.01): an adversary wins with probability "
        "0.0297 on database 0 and 0 on database 1, 2.97 times what delta allows."
    )


def test_what_wins_runs_straight_on_and_the_rest_hangs_close_below() -> None:
    svg = play_svg(three_erasures())
    boxes = re.findall(r'<rect class="asks won" x="\d+" y="([\d.]+)"', svg)
    pills = re.findall(r'<rect class="output(?: won)?" x="(\d+)" y="([\d.]+)"', svg)
    assert len(set(boxes)) == 1
    assert len({*pills}) == len(pills)
    assert len({y for _, y in pills}) == len(three_erasures().first.branches)
