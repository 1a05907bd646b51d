"""The benchmarks run and measure what they say; nothing here is timed."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from benchmarks import (
    heavy,
    measure,
    overhead,
    report,
    some_order,
    startup,
    strangers,
    unshared,
)
from benchmarks.games import Everything, EverythingMerged, gaussian, raw, responses, tree
from filterproof import fast, witness


def test_raw_floats_and_the_engine_play_the_same_tree() -> None:
    play = tree(3)
    exact = witness.worst_case(Everything(), play, Fraction(1)).value
    assert fast.worst_case(Everything(), play, Fraction(1)).value == exact
    low, high = exact.enclosure()
    assert abs(Fraction(raw(play, 1.0)) - low) < Fraction(1, 2**40) + (high - low)


def test_the_discretised_gaussian_has_a_rational_lattice() -> None:
    law = gaussian(1).menu["ask"].law
    rows = list(law.values())
    assert len(rows) == 61
    steps = {b["1"] / b["0"] * a["0"] / a["1"] for a, b in pairwise(rows)}
    assert steps == {Fraction(21, 20) ** 2}


def test_trees_that_share_nothing_are_measured_as_what_they_are() -> None:
    found = unshared.measured((2, 3, 3), (1, 3, 3))
    assert found.leaves == 81
    assert unshared.Watched.clock.calls > 1
    assert "| 2 x 3 x 3 | 81 |" in unshared.table([found])


def test_a_million_leaves_is_meant() -> None:
    assert fast.transcripts(tree(10)) == 4**10


def test_a_heavy_case_reports_itself_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "500 x RR(11/20), repaired"
    _, _, epsilon, delta, make = heavy.CASES[name]
    small = (name, lambda: responses(12), epsilon, delta, make)
    monkeypatch.setitem(heavy.CASES, name, small)
    heavy.main(name)
    found = json.loads(capsys.readouterr().out)
    assert found["holds"]
    assert found["peak_mib"] > 0


def test_every_measurement_ends_up_in_the_table_and_the_picture(tmp_path: Path) -> None:
    speeds = measure.speeds(rounds=4, spec_rounds=2)
    assert {one.rule for one in speeds} == set(measure.rules(4))
    assert speeds[0].leaves == 4**4
    growth = measure.growth([4, 8])
    assert growth.positions == [10, 36]
    large = [{"name": "big", "seconds": 1.0, "peak_mib": 2.0, "turns": 3, "h": 0.0, "delta": 1.0}]
    large[0]["holds"] = True
    searched = [overhead.Cost("additive", "this", 10, 3.0, 2.0, 70, "digest")]
    caught = [measure.Caught("naive", 0.5, 2.0, True)]
    text = report.table(speeds, growth, large, searched, caught)
    for word in ("repaired", "| 8 | 36 |", "| big |", "| 3.00 | 2.00 | 1.50 |", "| naive | 0.50 |"):
        assert word in text
    report.picture(speeds, growth, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_known_bad_filter_gets_its_certificate() -> None:
    (caught,) = measure.certificates(60, only="naive")
    assert (caught.name, caught.found) == ("naive", True)


def test_the_exponent_of_a_square_is_two() -> None:
    assert round(measure.fitted([1, 2, 4, 8], [3, 12, 48, 192]), 6) == 2
    assert EverythingMerged.markov


def test_a_stranger_costs_plays_of_the_same_number_wherever_it_is_asked() -> None:
    found = strangers.costs(examples=1)
    assert [one.way for one in found] == [*strangers.WAYS]
    assert found[2].trips <= found[3].trips
    assert len({one.plays for one in found}) == 1
    assert strangers.table(found).count("\n") == 6


def test_the_cost_of_light_commands_is_a_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    startup.main(times=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(startup.COMMANDS)
    assert all(line.endswith(" x") for line in lines[1:])


def test_the_overhead_of_a_search_is_measured_on_the_same_answers() -> None:
    plain = overhead.campaign("naive", plays=1)
    assert plain.inside == plain.seconds
    before, after = replace(plain, version="before"), replace(plain, version="after", answers="no")
    assert "| the same |" in overhead.table([before, replace(before, version="after")])
    assert "| **no** |" in overhead.table([before, after])
    with pytest.raises(ValueError, match="naive, after: the same tasks gave different answers"):
        overhead.least("after", [(plain, after)])


def test_the_clock_runs_inside_the_target_and_nowhere_else() -> None:
    class Asked:
        def start(self) -> int:
            return sum(range(200_000))

        def decide(self) -> int:
            return self.start()  # counted once

    clock = overhead.Clock()
    clock.watch(Asked)
    begun = process_time()
    Asked().decide()
    inside = clock.seconds
    assert 0 < inside <= process_time() - begun
    sum(range(200_000))
    assert clock.seconds == inside
    assert clock.calls == 2  # made, and asked


def test_one_order_is_driven_to_what_it_allows_and_three_beyond_delta() -> None:
    near_1 = np.log(np.array([1 / 8]))
    allowed = (1 / 8) ** (1 / 8) / (9 / 8) ** (9 / 8)
    assert 0.65 < some_order.driven(near_1, 1, 88.7, 1 / 2000, grid=200) < allowed
    three = np.array([np.log(1 / 8), np.log(1 / 4), np.log(3 / 4), 4.25, 9.04, 4.3, 23.77])
    assert some_order.driven(three, 3, 40, 3 / 100, grid=100) > 1.02
    apart = np.array([*np.log([1.0, 3.0, 7.0]), 4.25, 9.04, 4.3, 23.77])  # orders 2, 4 and 8
    assert some_order.driven(apart, 3, 40, 3 / 100, grid=100) < 0.45
