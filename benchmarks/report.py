"""The measurements as a table for people and a picture."""

from pathlib import Path
from typing import Any

from benchmarks import overhead
from benchmarks.measure import Caught, Growth, Speed, loaded

HERE = Path(__file__).parent


def table(
    speeds: list[Speed],
    growth: Growth,
    heavy: list[dict[str, Any]],
    searched: list[overhead.Cost],
    certificates: list[Caught],
) -> str:
    """Return everything as Markdown."""
    parts = [
        "# Measured by `make bench`\n",
        f"All in one run on one machine: ratios matter, seconds less. When it ended {loaded()}.\n",
        _speeds(speeds),
        _growth(growth),
        _heavy(heavy),
        _searched(searched),
        _certificates(certificates),
    ]
    return "\n".join(parts)


def _speeds(speeds: list[Speed]) -> str:
    lines = [
        f"## A tree of {speeds[0].leaves:,} leaves on shared menus, leaves per second\n",
        "| filter | specification | fast, enclosure of H | fast, exact H | raw numpy floats "
        "| fast / specification | seconds / raw seconds | share of `decide` |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {s.rule} ({s.leaves:,} leaves) "
        f"| {s.spec:,.0f} | {s.fast:,.0f} | {s.exact:,.0f} | {s.raw:,.0f} "
        f"| {s.fast / s.spec:,.0f} x | {s.slowdown:.2f} x | {s.decide_share:.1%} |"
        for s in speeds
    ]
    note = (
        "The specification is measured on a smaller tree of the same kind, which favours it. "
        "A filter that stops early ends fewer leaves; raw floats always play the whole tree.\n"
    )
    return "\n".join([*lines, "", note])


def _growth(growth: Growth) -> str:
    head = (
        "## Growth with the rounds: randomised response, every round run\n\n"
        f"Positions grow like rounds^{growth.positions_exponent:.2f}, "
        f"seconds like rounds^{growth.seconds_exponent:.2f}.\n\n"
        "| rounds | positions | seconds |\n|---|---|---|"
    )
    rows = zip(growth.rounds, growth.positions, growth.seconds, strict=True)
    return "\n".join([head, *(f"| {n} | {p:,} | {s:.2f} |" for n, p, s in rows), ""])


def _heavy(heavy: list[dict[str, Any]]) -> str:
    lines = [
        "## Large audits, exact to the last digit\n",
        "| audit | seconds | peak MiB | turns of the worst play | H | delta | H <= delta |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one['name']} | {one['seconds']:.1f} | {one['peak_mib']:.0f} | {one['turns']:,} "
        f"| {one['h']:.3g} | {one['delta']:.3g} | {'yes' if one['holds'] else '**no**'} |"
        for one in heavy
    ]
    return "\n".join([*lines, ""])


def _searched(searched: list[overhead.Cost]) -> str:
    head = (
        "## What a search costs besides the target\n\n"
        "Overhead is the processor time of a campaign over that inside the target's own code "
        "([overhead.md](overhead.md) has before and after).\n"
    )
    return "\n".join([head, overhead.table(searched)])


def _certificates(certificates: list[Caught]) -> str:
    lines = [
        "## Seconds to a checked certificate, for each known-bad filter\n",
        "| filter | with its stored specimen | found from scratch | both found |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {c.name} | {c.recalled:.2f} | {c.searched:.2f} | {'yes' if c.found else '**no**'} |"
        for c in certificates
    ]
    return "\n".join([*lines, ""])


def picture(speeds: list[Speed], growth: Growth, path: Path) -> None:
    """Draw leaves per second, and growth with the rounds on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    bars = [("specification", speeds[0].spec), ("fast, exact H", speeds[0].exact)]
    bars += [("fast", speeds[0].fast), ("raw floats", speeds[0].raw)]
    left.barh([name for name, _ in bars], [value for _, value in bars], color="#4477aa")
    left.set_xscale("log")
    left.set_xlabel(f"leaves per second, {speeds[0].leaves:,} leaves")
    right.loglog(growth.rounds, growth.positions, "o-", label="positions", color="#4477aa")
    right.loglog(growth.rounds, growth.seconds, "s-", label="seconds", color="#ee6677")
    right.set_xticks(growth.rounds, [str(n) for n in growth.rounds])
    right.minorticks_off()
    right.set_xlabel("rounds of randomised response")
    right.set_title(f"rounds^{growth.positions_exponent:.2f}, rounds^{growth.seconds_exponent:.2f}")
    right.legend()
    figure.savefig(path, dpi=120)
