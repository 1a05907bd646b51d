"""The table of plays in the manual is made of what the benchmark measures."""

from fractions import Fraction
from pathlib import Path

from benchmarks import runtime
from benchmarks.wide import SETTINGS, SHARES, WIDE, Setting, cell
from filterproof.runtime import DiscreteGaussian
from filterproof.runtime.budget import Budget

ROOT = Path(__file__).parents[3]
MANUAL = (ROOT / "docs/internals/ROUNDS.md").read_text(encoding="utf-8")


def rows() -> dict[str, list[str]]:
    found = {}
    first_table = MANUAL[MANUAL.index("| sigma") :].partition("\n\n")[0]
    for line in first_table.splitlines():
        first, *cells = (part.strip() for part in line.strip("|").split("|"))
        if first.startswith("sigma"):
            found[first] = cells
    return found


def promised(setting: Setting, share: Fraction) -> int:
    """How many rounds the floor alone takes, whatever the answers."""
    squares = Budget.of(setting.epsilon, setting.delta, share).squares
    return int(squares / DiscreteGaussian(setting.sigma**2).mu(1).amount ** 2)


def test_the_manual_has_every_setting_with_the_accountants_rounds() -> None:
    table = rows()
    assert [*table] == [str(setting) for setting in SETTINGS]
    for setting in SETTINGS:
        assert table[str(setting)][0] == str(setting.accountant())


def test_no_mean_in_the_manual_is_below_what_the_floor_promises() -> None:
    for setting in SETTINGS:
        for share, shown in zip(SHARES, rows()[str(setting)][1:], strict=True):
            if share:
                assert float(shown.split(" ")[0]) >= promised(setting, share)


def test_a_play_on_a_wide_domain_is_as_long_as_the_manual_says() -> None:
    setting = next(one for one in SETTINGS if one.domain is WIDE and one.sigma == 6)
    means = [float(shown.split(" ")[0]) for shown in rows()[str(setting)][1:]]
    for share, shown in zip(SHARES, means, strict=True):
        assert abs(setting.rounds(share, seed=99) - shown) <= 2


def test_a_cell_shows_mean_and_half_width() -> None:
    assert cell([3, 3, 3]) == "3"
    assert cell([2, 4]) == "3.0 ± 2.6"


def test_the_speed_of_both_filters_is_measured_on_queries_that_run() -> None:
    for queries in (runtime.opendp, runtime.ours, runtime.long):
        assert runtime.seconds(queries(5)) >= 0
