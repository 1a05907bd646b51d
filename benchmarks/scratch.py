"""`python -m benchmarks.scratch`: filters found from scratch, in processor time; writes scratch.md.

From scratch means: no stored counterexample, and nothing that a prover has refuted.  What counts
is processor time, of the search alone and up to the checked certificate.
"""

from dataclasses import replace
from time import process_time

from benchmarks.report import HERE
from corpus.power import size_of
from filterproof.exact import format_epsilon
from filterproof_properties.audit.engine import Progress, Result, audit_one
from filterproof_properties.options.settings import Settings
from filterproof_properties.targets.loading import load

NAMES = {
    "algorithm1": "algorithm1",
    "advanced-printed": "advanced-printed",
    "rdp-some-order": "rdp-some-order",
    "rdp-some-order-mironov": "rdp-some-order-mironov",
    "exact-composition-pure": "exact-composition-pure",
    "refund-on-failure": "refund-on-failure",
    "either-theorem": "corpus.zoo.classes:EitherTheorem",
    "min-of-accountants": "corpus.outsider.hard:MinOfAccountants",
    "exact-composition-half": "corpus.outsider.hard:exact_composition_half",
    "dp-accounting-pld": "dp-accounting-pld",
    "dp-accounting-rdp": "dp-accounting-rdp",
}
SECONDS = 30.0
"""Of the wall clock, as an audit has them by default: what a task may take depends on it."""


class Watch:
    """Notes when the search was over: what comes then makes the violation small."""

    def __init__(self) -> None:
        self.begun = process_time()
        self.searched = self.begun

    def __call__(self, event: Progress) -> None:
        """Look at the clock while games are played."""
        if event.stage == "making it small":
            self.searched = process_time()


def line(name: str, spec: str) -> str:
    """Return the row of one filter."""
    watch = Watch()
    found = audit_one(replace(load(spec), expected_sound=None), Settings(seconds=SECONDS), watch)
    took = process_time() - watch.begun
    return f"| {name} | {watch.searched - watch.begun:.1f} | {took:.1f} | {outcome(found)} |"


def outcome(found: Result) -> str:
    """Return the budget and the size of what was found."""
    if found.violation is None:
        return f"**{found.verdict}**"
    case = found.violation.case
    return f"({format_epsilon(case.epsilon)}, {case.delta}), {size_of(case.game)}"


def main() -> None:
    """Try every filter, print the table, write it."""
    rows = [
        "# From scratch, measured by `python -m benchmarks.scratch`",
        "",
        "Processor seconds on one core; no stored counterexample is used.",
        "",
        "| filter | found | certificate checked | budget, rounds x requests x outputs |",
        "|---|---|---|---|",
    ]
    for name, spec in NAMES.items():
        rows.append(line(name, spec))
        print(rows[-1], flush=True)
    (HERE / "scratch.md").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
