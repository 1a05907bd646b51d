"""`filterproof prove`: the lemmas again, and the theorems in Coq; `prove TARGET`: its code."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from rich.status import Status
from rich.table import Table
from rich.text import Text

from filterproof_properties.audit.verdicts import worst_code
from filterproof_properties.cli.calls import check_calls, target_spec
from filterproof_properties.cli.errors import say
from filterproof_properties.cli.options import add_options
from filterproof_properties.cli.proving import CannotProve, Contradicted, Proof, prove_source
from filterproof_properties.cli.refining import prove_never_looser
from filterproof_properties.cli.refuted import audit_refuted
from filterproof_properties.cli.tying import prove_tied
from filterproof_properties.options.config import find_config
from filterproof_properties.reports.columns import fitted
from filterproof_properties.reports.progress import Gathering
from filterproof_properties.reports.terminal import console
from filterproof_properties.targets.budget.names import is_budget_object

if TYPE_CHECKING:
    from filterproof_proofs.coq import Theorem
    from filterproof_proofs.coq_theorems import Row
    from filterproof_proofs.smt.entry import Entry, Outcome

LAST = 2.0
"""So many seconds are left for what comes last, whatever came before."""
EPILOG = """\
Needs the extra filterproof[proofs] (cvc5, the second opinion); --coq needs Coq.

examples:
  filterproof prove
  filterproof prove --coq --json
  filterproof prove compensator                 the code of a filter, on unknown numbers
  filterproof prove mine.py:Ledger --outputs 2
  filterproof prove additive --by additive      never looser than a rule that has a theorem
  filterproof prove shop.py:Budget --spend spend

exit codes: 0 everything came out as it must; 1 something did not; 2 a solver or Coq is missing
with TARGET: 0 PROVED; 1 REFUTED, and by a rule only with a certificate; 2 the source cannot be
proved: which line; 3 OPEN, or looser than the rule with no violation found"""


def add(made: argparse.ArgumentParser) -> None:
    """Declare the options."""
    made.add_argument(
        "targets", nargs="*", metavar="TARGET", help="prove the code of these filters"
    )
    made.add_argument(
        "--by",
        default="",
        metavar="RULE",
        help="never looser than this rule: additive, zcdp, renyi, gaussian, rounds "
        "(default: every rule that fits, then a potential)",
    )
    add_options(made, "calls")
    made.add_argument(
        "--outputs", type=int, default=3, metavar="N", help="most outputs of a law (default 3)"
    )
    made.add_argument(
        "--databases", type=int, default=2, metavar="N", help="so many databases (default 2)"
    )
    made.add_argument(
        "--seconds", type=float, default=600.0, metavar="S", help="for each target (default 600)"
    )
    made.add_argument("--json", action="store_true", help="print what came out as JSON")
    made.add_argument("--coq", action="store_true", help="also compile the theorems in Coq")
    made.add_argument(
        "--certificates",
        type=Path,
        metavar="DIR",
        help="where the audit of a refuted target writes its certificate",
    )
    made.add_argument(
        "--no-second-opinion",
        dest="second_opinion",
        action="store_false",
        help="ask one solver only",
    )


def run(options: argparse.Namespace) -> int:
    """Run the lemmas (and Coq), print what came out, return the exit code."""
    if options.targets:
        check_calls(options.targets, vars(options))
        config = find_config()
        specs = [target_spec(name, config, vars(options)) for name in options.targets]
        return worst_code([_prove_code(options, spec) for spec in specs])
    from filterproof_proofs import coq, coq_theorems
    from filterproof_proofs.smt import lemma_runner

    with Gathering["Entry"](console(stderr=True), "lemmas") as found:
        entries = lemma_runner.run(options.second_opinion, lambda one: found(one, one.label))
    if found.interrupted:
        console().print(lemma_table(found.items))
        raise KeyboardInterrupt
    try:
        with console(stderr=True).status("theorems in Coq ... (minutes)"):
            theorems = coq.prove_theorems() if options.coq else []
            rows = coq_theorems.table(theorems) if options.coq else []
    except (coq.CoqMissing, coq.SourcesMissing):
        raise
    except coq.CoqError as error:  # a theorem that does not hold
        say("prove", error)
        return 1
    if options.json:
        data = {"lemmas": [_entry(one) for one in entries]}
        if options.coq:
            data |= {"theorems": [asdict(one) for one in theorems]}
            data |= {"filters": [asdict(row) for row in rows]}
        sys.stdout.write(json.dumps(data, indent=1) + "\n")
    else:
        console().print(lemma_table(entries))
        console().print(closing(entries))
        if theorems:
            console().print(theorem_table(theorems))
            console().print(filter_table(rows))
    return 0 if lemma_runner.as_expected(entries) else 1


def _entry(one: "Entry") -> dict[str, object]:
    return {**asdict(one), "as_expected": one.as_expected}


def _prove_code(options: argparse.Namespace, spec: str) -> int:
    """Prove one target's source and print the verdict: by a rule, or else by a potential.

    All of it together takes `--seconds`; a rule takes half where a potential may be tried then.
    """
    until = monotonic() + options.seconds
    only = bool(options.by) or is_budget_object(spec)
    try:
        with console(stderr=True).status(f"{spec} ..."):
            found = prove_never_looser(spec, options.by, options.seconds / (1 if only else 2))
    except CannotProve as error:
        say("prove", f"{spec} cannot be proved: {error}")
        return 2
    if found.code and not only:
        return _prove_by_potential(options, spec, found, until)
    return _print_by_rule(options, spec, found, until)


def _left(until: float) -> float:
    """Return how many seconds are left, a few at least."""
    return max(LAST, until - monotonic())


def _print_by_rule(options: argparse.Namespace, spec: str, found: Proof, until: float) -> int:
    """Print a verdict by a rule; what is refuted is audited first."""
    if found.data["verdict"] == "REFUTED":
        with console(stderr=True).status(f"{spec}: looser than the rule; is privacy broken? ..."):
            found = audit_refuted(spec, found, _left(until), options.certificates)
    return _print(options, found)


def _print(options: argparse.Namespace, found: Proof) -> int:
    as_json = json.dumps(found.data, indent=1) + "\n" if options.json else ""
    sys.stdout.write(as_json or fitted(found.text))
    return found.code


def _prove_by_potential(
    options: argparse.Namespace, spec: str, otherwise: Proof, until: float
) -> int:
    """Prove a filter by its potential; without one, by its theorem's rule, or say what is known."""
    from filterproof_proofs.potential import Effort

    sizes = (options.outputs, options.databases, _left(until))
    try:
        effort = Effort(*sizes, second_opinion=options.second_opinion)
    except ValueError as error:
        say("prove", f"{spec} cannot be proved: {error}")
        return 2
    try:
        with console(stderr=True).status(f"{spec} ...") as status:
            found = prove_source(spec, effort, progress_on(spec, effort.seconds, status))
    except (CannotProve, ValueError) as error:
        if not isinstance(error, Contradicted) and (tied := prove_tied(spec, _left(until))):
            return _print(options, tied)
        if otherwise.data["verdict"] == "REFUTED":
            return _print_by_rule(options, spec, otherwise, until)
        _print(options, otherwise)  # at which line or state the proof by a rule ended
        say("prove", f"{spec} cannot be proved: {error}")
        return 2
    return _print(options, found)


def progress_on(spec: str, seconds: float, status: Status) -> Callable[[str], None]:
    """Return what shows on a terminal which question is asked, and how much of the time is gone."""
    begun = monotonic()

    def tell(said: str) -> None:
        status.update(f"{spec}: {said}, {monotonic() - begun:.0f} of {seconds:g} s")

    return tell


def lemma_table(entries: "list[Entry]") -> Table:
    """Return one line per lemma, and one per control that did not come out as it must."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("paper", "claim", "verdict", "solvers", "controls", "seconds"):
        made.add_column(
            heading, overflow="fold", justify="right" if heading == "seconds" else "left"
        )
    for one in entries:
        caught = sum(control.as_expected for control in one.controls)
        controls = f"{caught}/{len(one.controls)} caught"
        seconds = f"{one.seconds:.1f}"
        claim = f"{one.label}: {one.outcome.words}"
        made.add_row(one.place, claim, _verdict(one.outcome), _answers(one), controls, seconds)
    return made


def closing(entries: "list[Entry]") -> str:
    """Return one line that counts what came out, and as it must."""
    expected = sum(one.as_expected for one in entries)
    controls = sum(len(one.controls) for one in entries)
    verdicts = Counter(str(one.outcome.verdict) for one in entries)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    return f"{expected} of {len(entries)} lemmas as expected ({counted}); {controls} controls"


def _verdict(outcome: "Outcome") -> Text:
    model = ", ".join(f"{name} = {value}" for name, value in outcome.model.items())
    text = f"{outcome.verdict}: {model}" if model else str(outcome.verdict)
    text += f" (audit: {outcome.audit})" if outcome.audit else ""
    return Text(text, "green" if outcome.as_expected else "bold red")


def _answers(one: "Entry") -> str:
    return ", ".join(f"{solver}: {said}" for solver, said in one.outcome.answers.items())


def theorem_table(theorems: "list[Theorem]") -> Table:
    """Return one line per theorem that Coq accepted."""
    made = Table(box=None, pad_edge=False, header_style="bold", title="Coq", title_justify="left")
    for heading in ("paper", "theorem", "says", "file", "seconds"):
        made.add_column(heading, overflow="fold")
    for one in theorems:
        made.add_row(one.paper, one.name, one.words, one.file, f"{one.seconds:.1f}")
    return made


def filter_table(rows: "list[Row]") -> Table:
    """Return one line per filter that is called sound: its theorems, and their axioms."""
    from filterproof_proofs.coq_theorems import short

    title = "filters called sound"
    made = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for heading in ("filter", "theorem", "axioms"):
        made.add_column(heading, overflow="fold")
    for row in rows:
        made.add_row(row.filter, row.standing, ", ".join(map(short, row.axioms)) or "-")
    return made
