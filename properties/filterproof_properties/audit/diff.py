"""What a change of a filter changes: first a proof, then a search as long as an audit's.

LOOSER is a play in which the new version runs a mechanism that the old one does not.  Saying LAST
and then hearing nothing is the same as saying CONTINUE and then HALT.  Below the first difference
plays are no longer comparable, so a walk ends there.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from filterproof.certificate import NotCertifiable, canonical
from filterproof.engine.by_position.graph import TooLarge
from filterproof.exact import format_rational
from filterproof.filter import ProtocolError
from filterproof.game.json import game_to_json
from filterproof.utility.rounds import GameTooLarge, expected_rounds
from filterproof_properties.audit.comparison import Comparison, Looser, Stricter
from filterproof_properties.audit.coverage_record import (
    changed_meanwhile,
    changes_left_out,
    changes_never_run,
    own_code,
)
from filterproof_properties.audit.engine import (
    FAULTS,
    INTERRUPTED,
    LOSSES,
    NO_TIME,
    TOO_LATE,
)
from filterproof_properties.audit.first_cases import from_constants
from filterproof_properties.audit.new_arguments import check_arguments
from filterproof_properties.audit.no_looser import (
    PROVED,
    VersionsProof,
    prove_versions,
)
from filterproof_properties.audit.odd_inputs import OPENING, compare_odd_inputs
from filterproof_properties.audit.record import Tick, envelope_text
from filterproof_properties.audit.replays import Run, shortest_case_of
from filterproof_properties.audit.side_by_side import (
    Row,
    opening_words,
    rows,
    run_opening,
    run_rows,
)
from filterproof_properties.audit.straight_runs import straight_runs
from filterproof_properties.audit.suiting import fails_first, settings_for
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.case import Case, Scored
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.checkout import Checkout
from filterproof_properties.processes.child import Limits
from filterproof_properties.search.comparing import (
    NEW,
    OLD,
    Compared,
    Versions,
    first_difference,
    rule_at,
    runs_more,
)
from filterproof_properties.search.loop import Tally, canonical_case
from filterproof_properties.search.plan import IDEAS, least, plan
from filterproof_properties.search.results import (
    Merger,
    SearchResult,
    ViolationCheck,
    shrink_violation,
)
from filterproof_properties.search.shrinking import shrink
from filterproof_properties.search.workers import compare_code, run_search
from filterproof_properties.targets.budget.names import is_budget_object
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.evaluate import certify_violation, is_rounding, worst
from filterproof_properties.targets.guard import TimeIsUp, ending
from filterproof_properties.targets.loading import is_trusted
from filterproof_properties.targets.target import Declined, Loaded, TargetError
from filterproof_properties.targets.walk import EARLIER, LATER, rule_of

FOR_PROOF, LONGEST_PROOF = 0.4, 20.0
"""A proof has this share of the time, and so many seconds where there is no limit."""
GUARD_PLAYS, GUARD_SECONDS = 200, 5.0
"""So many plays, and so long at most, hold a proof against both versions, however late it is."""
FOR_STRAIGHT, LONGEST_STRAIGHT = 0.2, 8.0
"""Straight runs have this share of the time, and so many seconds at most."""
FOR_SHRINKING, LONGEST_SHRINKING = 0.3, 20.0
"""A play is made small in this share of the time on top, and in so many seconds at most."""

Emit = Callable[[Tick], object]


def compare(old: Loaded, new: Loaded, settings: Settings, emit: Emit) -> Comparison:
    """Compare two versions; whatever goes wrong ends up in the result, never in a pass."""
    differ = Differ(old, new, settings, emit)
    try:
        with ending(old.target, differ.last_moment()), ending(new.target, differ.last_moment()):
            found = differ.conclusion()
    except FAULTS as error:
        found = differ.failed(Verdict.FAILED, str(error))
    except LOSSES as error:
        found = differ.failed(Verdict.INCONCLUSIVE, str(error))
    except TimeIsUp:
        found = differ.failed(Verdict.INCONCLUSIVE, TOO_LATE)
    except KeyboardInterrupt:
        found = differ.failed(Verdict.INCONCLUSIVE, INTERRUPTED)
    return replace(found, seconds=monotonic() - differ.begun)


class Differ:
    """The comparison of two versions at work, on one clock."""

    def __init__(self, old: Loaded, new: Loaded, settings: Settings, emit: Emit) -> None:
        self.old, self.new, self.emit = old, new, emit
        self.versions: Versions = compare_code(old.target, new.target)
        self.settings, self.begun = settings_for(new.spec, settings), monotonic()
        self.compared, self.tried = Compared(), 0
        self.proof: VersionsProof | None = None
        self.merger = Merger()
        self.run: Run | None = None
        self.straight_runs = 0

    def conclusion(self) -> Comparison:
        """Prove, then search; a proof is held against both versions by a short search."""
        self.tell("proving that it is no looser")
        self.proof = prove_versions(self.old, self.new, self.seconds_for_proof())
        self.run = self.proof.run or (None if self.proved else self.straight())
        if self.run is not None and is_budget_object(self.new.spec):
            return self.looser_without_game()
        found = self.search()
        if found.violation is not None:
            return self.looser(found.violation)
        if found.error:
            return self.failed(Verdict.FAILED, found.error)
        if why := self.too_little(found):
            return self.failed(Verdict.INCONCLUSIVE, why)
        if self.compared.unsound is not None:
            return self.certify(self.compared.unsound, self.result(Verdict.VIOLATED))
        if self.run is not None or self.compared.widened is not None:
            return self.looser_without_game()
        odd = compare_odd_inputs(self.old, self.new)
        if odd.looser:
            return replace(self.result(Verdict.LOOSER), looser=Looser(OPENING, odd.looser))
        if why := self.unknown(found.reached) or odd.unknown:
            return self.failed(Verdict.INCONCLUSIVE, why)
        return self.result(Verdict.NOT_LOOSER if self.proved else Verdict.NO_LOOSER_PLAY)

    def unknown(self, reached: int) -> str:
        """Say why what was compared is not what is there: files changed, or lines not run."""
        never = "" if self.proved else changes_left_out(self.new, reached)
        said = f"what changed was not compared: {never} by these plays" if never else ""
        return changed_meanwhile(self.old) or changed_meanwhile(self.new) or said

    # --- time ---------------------------------------------------------------------------------

    def seconds_for_proof(self) -> float:
        """Return how long a proof may take."""
        limit = self.settings.seconds
        return LONGEST_PROOF if limit is None else min(LONGEST_PROOF, limit * FOR_PROOF)

    def last_moment(self) -> float | None:
        """Return when neither version is asked any more."""
        limit, patience = self.settings.seconds, (self.new.limits or Limits()).timeout
        return None if limit is None else self.begun + limit * (1 + FOR_SHRINKING) + patience

    # --- the search ---------------------------------------------------------------------------

    def effort(self) -> Settings:
        """Return how hard to try: little where there is a proof, otherwise all that is allowed.

        Every difference counts, unless a proof says that it can be one of rounding only.
        """
        assert self.proof is not None
        exact = self.settings.exact or not self.proof.only_rounding
        chosen, limit = replace(self.settings, exact=exact), self.settings.seconds
        if limit is not None:
            chosen = replace(chosen, seconds=max(0.1, self.begun + limit - monotonic()))
        if self.proof.verdict != PROVED:
            return chosen
        plays = min(GUARD_PLAYS, chosen.examples or GUARD_PLAYS)
        return replace(chosen, examples=plays, seconds=min(GUARD_SECONDS, limit or GUARD_SECONDS))

    def search(self) -> SearchResult:
        """Play both versions on the games of an audit, up to one that the new one runs more of."""
        chosen, first = self.effort(), self.first()
        failures = fails_first(self.new)
        required = () if self.proved else least(chosen, first, failures=failures)
        self.merger = Merger(required)
        run = run_search(
            self.new,
            plan(chosen, first, failures=failures, code=self.new.spec),
            self.note,
            seconds=chosen.seconds,
            jobs=chosen.jobs,
            cluster=chosen.cluster,
            old=self.old,
        )
        if run.interrupted:
            raise KeyboardInterrupt
        return self.merger.result()

    @property
    def proved(self) -> bool:
        """Whether the new version is proved to be no looser."""
        return self.proof is not None and self.proof.verdict == PROVED

    def straight(self) -> Run | None:
        """Put long straight runs to both versions; return one that only the new version runs."""
        limit = self.settings.seconds
        until = monotonic() + min(LONGEST_STRAIGHT, (limit or LONGEST_STRAIGHT) * FOR_STRAIGHT)
        versions = [(one.spec, one.limits or Limits()) for one in (self.old, self.new)]
        self.tell("long straight runs")
        try:
            found = straight_runs(versions, self.settings.seed, lambda: monotonic() < until)
        except (ProtocolError, TargetError):  # the search asks again, and says so
            return None
        self.straight_runs = found.runs
        return found.run

    def first(self) -> dict[str, Sequence[Case]]:
        """Return what is tried first: the run that refutes a proof, then changed constants."""
        if self.proved:
            return {}
        ideas = [] if self.run is None else [shortest_case_of(self.run)]
        own = own_code(self.new) + own_code(self.old)
        return {IDEAS: ideas, **from_constants(self.new.spec, own, self.settings, changed=True)}

    def note(self, tally: Tally) -> None:
        """Count what was compared."""
        self.merger.add(tally)
        self.tried += tally.tried
        if isinstance(tally.noted, Compared):
            self.compared |= tally.noted
        self.tell(tally.source)

    def tell(self, stage: str) -> None:
        """Tell what is being done."""
        self.emit(Tick(self.new.spec, stage, self.tried))

    def too_little(self, found: SearchResult) -> str:
        """Say why nothing can be concluded: nothing was compared, or most of it was declined."""
        plays, declined = self.compared.plays, found.declined
        ours = is_trusted(self.old.spec) and is_trusted(self.new.spec)
        if not plays and not declined and not self.compared.widened:
            return NO_TIME
        if not plays or (declined > plays and not ours):
            why = found.why_declined or self.compared.why_declined
            return f"{plays} plays were compared, {declined} were declined; first {why}"
        return self.merger.too_little()

    # --- what came out ------------------------------------------------------------------------

    def result(self, verdict: Verdict) -> Comparison:
        """Return the comparison with what was compared, and what users lose."""
        assert self.proof is not None
        done = self.merger.result()
        runs = f"{self.straight_runs} long straight runs compared as well"
        notes = [runs] if self.straight_runs else []
        if self.compared.rounding:
            notes.append(f"{self.compared.rounding} plays differ by rounding only")
        never = "" if self.proved else changes_never_run(self.new, done.reached)
        if never:
            notes.append(f"changed lines: {never} by these plays")
        return Comparison(
            self.old.spec,
            self.new.spec,
            verdict,
            self.compared.plays,
            envelope=envelope_text(done.envelope, self.new.spec, done.not_tried),
            proof=(self.proof.verdict, *self.proof.lines),
            stricter_plays=self.compared.stricter_plays,
            stricter=tuple(one for case in self.compared.stricter if (one := self.stricter(case))),
            notes=tuple(notes),
        )

    def failed(self, verdict: Verdict, why: str) -> Comparison:
        """Return a comparison that says nothing about the change."""
        return Comparison(self.old.spec, self.new.spec, verdict, self.compared.plays, error=why)

    def looser(self, case: Case) -> Comparison:
        """Return the play made small, and whether the new version breaks its budget on it."""
        self.tell("making it small")
        small = self.shrunk(case)
        verdict = Verdict.CONTRADICTION if self.proved else Verdict.LOOSER
        found = first_difference(self.versions, small, LATER)
        assert found is not None
        shown = rows(self.new.spec, small, found)
        play = Looser(opening_words(self.new.spec, small), shown, game_text(small))
        result = replace(self.result(verdict), looser=self.shortest(play))
        broken = next((one for one in (small, case) if self.breaks(one)), None)
        return self.with_privacy(result) if broken is None else self.certify(broken, result)

    def shortest(self, play: Looser) -> Looser:
        """Return the play, or the run that refuted a proof if that is shorter."""
        run = self.run
        if run is None or len(run["answers"]) >= len(play.rows):
            return play
        return Looser(run_opening(self.new.spec, run), run_rows(self.new.spec, run))

    def with_privacy(self, result: Comparison) -> Comparison:
        """Search for a play that breaks the looser version's budget, in the time that is left."""
        chosen = self.effort()
        seconds = LONGEST_SHRINKING if chosen.seconds is None else chosen.seconds
        self.merger = Merger()
        self.tell("whether it breaks its budget")
        failures = fails_first(self.new)
        tasks = plan(replace(chosen, exact=self.settings.exact), failures=failures)
        jobs, cluster = chosen.jobs, chosen.cluster
        run_search(self.new, tasks, self.merger.add, seconds=seconds, jobs=jobs, cluster=cluster)
        found = self.merger.result()
        if found.violation is None:
            return result
        free, exact = not self.settings.budget_is_fixed, self.settings.exact
        small, _ = shrink_violation(found, self.new.target, seconds, free=free, exact=exact)
        return self.certify(small, result)

    def shrunk(self, case: Case) -> Case:
        """Return the smallest play that still shows it."""
        limit = self.settings.seconds
        most = LONGEST_SHRINKING if limit is None else min(LONGEST_SHRINKING, limit * FOR_SHRINKING)
        still = ViolationCheck(self.new.target, most, runs_more(self.old.target))
        found = still(case)
        if found is None:
            return case
        free = not self.settings.budget_is_fixed
        until = monotonic() + most
        return shrink(found, still, budget_is_free=free, until=until, bounded=False).found.case

    def breaks(self, case: Case) -> bool:
        """Whether the new version breaks its budget on this play, by more than rounding."""
        shown = canonical_case(case)
        rule = rule_of(self.new.target, shown)
        found = worst(rule, shown.game, shown.epsilon)
        scored = Scored(shown, found.value, own=shown.game.promises.get(found.pair))
        excused = not self.settings.exact and scored.violated
        return scored.violated and not (excused and is_rounding(rule, shown.game, scored))

    def certify(self, case: Case, result: Comparison) -> Comparison:
        """Return the comparison with the certificate that the new version breaks its budget."""
        try:
            found = certify_violation(self.new.spec, self.new.target, canonical_case(case))
        except NotCertifiable as error:
            return replace(result, notes=(*result.notes, f"it breaks its budget; {error}"))
        return replace(result, certificate=found.certificate, summary=found.summary)

    def looser_without_game(self) -> Comparison:
        """Return what is looser where no game shows it: the run of the proof, or a wider budget."""
        result, wider = self.result(Verdict.LOOSER), self.compared.widened
        if (run := self.run) is not None:
            play = Looser(run_opening(self.new.spec, run), run_rows(self.new.spec, run))
            return self.with_privacy(replace(result, looser=play))
        assert wider is not None
        old = f"declined: {self.compared.why_declined}"
        play = Looser(opening_words(self.new.spec, wider), (Row("this budget", old, "runs"),))
        return replace(result, looser=play)

    def stricter(self, case: Case) -> Stricter | None:
        """Return what users lose on a play; None if it is too large to say."""
        try:
            rounds = [self.rounds(which, case) for which in (OLD, NEW)]
            found = first_difference(self.versions, case, EARLIER)
        except (GameTooLarge, TooLarge, Declined):
            return None
        shown = rows(self.new.spec, case, found) if found else ()
        return Stricter(opening_words(self.new.spec, case), rounds[OLD], rounds[NEW], shown)

    def rounds(self, which: int, case: Case) -> str:
        """Return the expected rounds of one version; none at a budget that it declines."""
        try:
            rule = rule_at(self.versions[which], case, self.versions[1 - which])
        except Declined:
            return "0"
        return format_rational(expected_rounds(rule, case.game))


def game_text(case: Case) -> str:
    """Return a game as the canonical JSON of a certificate."""
    return canonical(game_to_json(case.game))


def run_diff(
    old: str,
    new: str,
    settings: Settings,
    limits: Limits,
    emit: Callable[[Tick], object],
    *,
    checkout: Checkout | None = None,
) -> Comparison:
    """Compare two versions of a target; the old one may be in a checkout of its own."""
    before = replace(limits, checkout=checkout)
    try:
        check_arguments(old, new, before, limits)
        with open_target(old, before) as one, open_target(new, limits) as other:
            return compare(one, other, settings, emit)
    except (ProtocolError, TargetError) as error:
        return Comparison(old, new, Verdict.FAILED, error=str(error))
