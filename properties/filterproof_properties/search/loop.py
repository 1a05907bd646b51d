"""The play loop: the one place where a target meets a game, with one deadline.

A source of games is a generator: it yields a case and is sent what came of it (None where the
target declined or raised).  Named games, attacks, drawn games, made ones and the cases of a claim
are all sources, so all of them are counted, timed and judged here and nowhere else.

What is to be broken is a predicate; without one it is (ε, δ)-DP, and H guides the source, or what
an odometer promises, and the probability that its report is exceeded.
"""

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Any, Protocol

from filterproof.certificate import canonical
from filterproof.engine.by_position.graph import TooLarge
from filterproof.exact import Epsilon, ExpLinear, format_epsilon
from filterproof.filter import Filter, ProtocolError, parameter_sets
from filterproof.game.json import game_from_json, game_to_json, load_json
from filterproof.odometer import is_odometer
from filterproof_properties.case import NOTHING_TRIED, Case, Envelope, Scored
from filterproof_properties.processes.gc_pause import collecting_seldom
from filterproof_properties.targets.evaluate import is_rounding, make_filter, worst
from filterproof_properties.targets.guard import Misbehaved, TimeIsUp, await_sign, ending
from filterproof_properties.targets.target import Declined, Target

Space = tuple[str, int]
"""A space of games, and which part of it was played in full."""
Source = Generator[Case, Scored | None, tuple[Space, ...]]
"""Yields cases, is sent their scores, and returns the spaces that it has gone through."""
Breach = Callable[[Target, Case], str | None]
"""Says in one sentence what is broken on a case, or None."""


class Watch(Protocol):
    """Sees every play beside the search, and says in one sentence what is to be found in it."""

    def __call__(self, case: Case, rule: Filter[Any], scored: Scored) -> str | None:
        """Look at one play of this filter; a sentence ends the search."""
        ...

    @property
    def noted(self) -> object:
        """What is to be told of all plays; it travels with the tally."""
        ...


MOST_ERRORS = 20
"""The search ends when the target has raised so many times in a row."""

MOST_SAMPLES, MOST_MENUS = 128, 12
"""So many plays of a task at most are kept, to compare the target with other filters; none of them
has more menus, because the comparison visits every history."""


class Sample:
    """Plays from all over a search, fewer than `most`: each, then every other, every fourth, ..."""

    def __init__(self, most: int = MOST_SAMPLES) -> None:
        self.most, self.stride, self.seen = most, 1, 0
        self.kept: list[Case] = []

    def add(self, case: Case) -> None:
        """Keep this play, if it is small and its turn."""
        if len(case.game.nodes) > MOST_MENUS:
            return
        self.seen += 1
        if self.seen % self.stride == 0:
            self.kept.append(case)
        if len(self.kept) == self.most:
            self.kept, self.stride = self.kept[1::2], 2 * self.stride


@dataclass(frozen=True)
class Tally:
    """What a task tried, the worst it met, and the violating case if there is one."""

    number: int = 0
    source: str = ""
    tried: int = 0
    declined: int = 0
    envelope: Envelope = NOTHING_TRIED
    best: Scored | None = None
    violation: Case | None = None
    detail: str = ""
    error: str = ""
    proved: tuple[Space, ...] = ()
    hopeless: bool = False  # the target does nothing but raise, or is no function at all
    why_declined: str = ""  # the first time
    raised: int = 0
    whole: bool = False  # the source came to its end
    sample: tuple[Case, ...] = ()  # plays to compare with other filters
    rounding: Scored | None = None  # the largest excess that is one of rounding
    noted: object = None  # what somebody who watched has to tell
    too_large: int = 0  # games that the engine would not take
    not_tried: str = ""  # what the source could not try
    reached: int = 0  # which marks in the target's code were set, a bit for each


class NotTried(Exception):
    """What a source could not try, in words: the search goes on without it and says so."""


class _Over(BaseException):
    """Ends a task at once; no `except Exception` on the way holds it."""


class Loop:
    """One source at play against one target, until its plays or its time are used up."""

    def __init__(
        self,
        target: Target,
        plays: float = float("inf"),
        seconds: float | None = None,
        breach: Breach | None = None,
        *,
        exact: bool = True,
        watch: Watch | None = None,
    ) -> None:
        self.target, self.plays, self.breach, self.exact = target, plays, breach, exact
        self.watch = watch
        self.rounding: Scored | None = None
        self.until = None if seconds is None else monotonic() + seconds
        self.games = self.tried = self.declined = self.errors = self.raised = 0
        self.too_large = 0
        self.envelope = NOTHING_TRIED
        self.best: Scored | None = None
        self.violation: Case | None = None
        self.detail = self.error = self.not_tried = ""
        self.hopeless = self.whole = False
        self.why_declined = ""
        self.proved: tuple[Space, ...] = ()
        self.sample = Sample()

    def run(self, source: Source, number: int = 0, name: str = "") -> Tally:
        """Play the source and return what came of it."""
        with suppress(_Over), collecting_seldom():
            try:
                self.drive(source)
                self.whole = True
            except TimeIsUp:
                self.await_sign()
        return Tally(
            number,
            name,
            self.tried,
            self.declined,
            self.envelope,
            self.best,
            self.violation,
            self.detail,
            self.error,
            self.proved,
            self.hopeless,
            self.why_declined,
            self.raised,
            self.whole,
            tuple(self.sample.kept),
            self.rounding,
            self.watch.noted if self.watch else None,
            self.too_large,
            self.not_tried,
        )

    def await_sign(self) -> None:
        """The time is up while an answer is due: that none ever comes is a fault, and no result."""
        try:
            await_sign(self.target)
        except ProtocolError as error:
            self.fault(str(error), error)

    def drive(self, source: Source) -> None:
        """Take case after case from the source; making one may ask the target, so it is timed."""
        found: Scored | None = None
        while True:
            try:
                with ending(self.target, self.until):
                    case = source.send(found)
            except StopIteration as end:
                self.proved = end.value or ()
                return
            except NotTried as error:
                self.not_tried = str(error)
                return
            except Declined as error:
                self.decline(f"{error}, while games were made", error)
                return
            except ProtocolError as error:
                self.fault(f"{error}, while games were made", error)
                return
            found = self.play(case)

    def play(self, case: Case) -> Scored | None:
        """Play the target on a case, with every parameter set it offers; return the best."""
        if self.games >= self.plays:
            raise _Over
        self.games += 1
        best = None
        for parameters in self.parameters(case):
            found = self.play_one(replace(case, parameters=parameters))
            if found is not None and found.beats(best):
                best = found
        return best

    def parameters(self, case: Case) -> list[dict[str, Any]]:
        """Return the parameter sets to play a case with; none if the target fails to say."""
        try:
            return parameters_to_try(self.target, case)
        except ProtocolError as error:
            self.fault(describe_failure(case, error), error)
            return []

    def play_one(self, case: Case) -> Scored | None:
        """Play the target on a case as it stands."""
        if self.until is not None and monotonic() > self.until:
            raise _Over
        try:
            with ending(self.target, self.until):
                found = self.score(case)
        except TooLarge:  # nothing is known of a game that does not fit: others are tried
            self.too_large += 1
            return None
        except Declined as error:
            self.decline(describe_failure(case, error), error)
            return None
        except ProtocolError as error:
            self.fault(describe_failure(case, error), error)
            return None
        self.errors = 0
        self.tried += 1
        self.sample.add(case)
        self.envelope |= Envelope.of(case)
        self.best = found if found.beats(self.best) else self.best
        if self.violation is not None:
            raise _Over
        return found

    def decline(self, said: str, error: Declined) -> None:
        """Count that the target has no filter here, and note why it said so first."""
        self.declined += error.times
        self.why_declined = self.why_declined or said

    def fault(self, said: str, error: ProtocolError) -> None:
        """Note the first thing that the target did wrong; there may be a violation as well."""
        self.error = self.error or said
        self.errors += 1
        self.raised += 1
        self.hopeless = isinstance(error, Misbehaved) or self.errors >= MOST_ERRORS
        if self.hopeless:
            raise _Over from error

    def score(self, case: Case) -> Scored:
        """Return the score of a case; if it breaks what is to be broken, remember it."""
        if self.breach is not None:
            self.note(case, self.breach(self.target, case))
            return Scored(case, ExpLinear(0, 0, case.epsilon))
        rule = make_filter(self.target, case.epsilon, case.delta, dict(case.parameters))
        reached, reports = worst(rule, case.game, case.epsilon), is_odometer(rule)
        value, own = reached.value, case.game.promises.get(reached.pair)
        allowed = own.delta if own else case.delta
        if self.watch is not None:
            self.note(case, self.watch(case, rule, Scored(case, value, reports=reports, own=own)))
        elif value > allowed and breaks(self.target, once_more := canonical_case(case)):
            found = Scored(once_more, value, reports=reports, own=own)
            if not self.exact and is_rounding(rule, case.game, found):
                self.rounding = larger_excess(self.rounding, found)
            else:
                what = "P(loss > report)" if reports else "H"
                self.note(once_more, f"{what} = {value} exceeds delta = {allowed}")
        hidden = Fraction(0)
        if not case.delta and value == 0 and not reports:
            hidden = worst(rule, case.game, Fraction(0)).value.a
        return Scored(case, value, hidden, reports, own)

    def note(self, case: Case, breach: str | None) -> None:
        """Remember a violation."""
        if breach is not None:
            self.violation, self.detail = case, breach


def larger_excess(one: Scored | None, other: Scored | None) -> Scored | None:
    """Return the play of the two whose H exceeds its δ by more; of equal ones the first."""
    if one is None or other is None:
        return one or other
    return other if other.excess > one.excess else one


def breaks(target: Target, case: Case) -> bool:
    """Whether the promise is broken on this case."""
    rule = make_filter(target, case.epsilon, case.delta, dict(case.parameters))
    found = worst(rule, case.game, case.epsilon)
    return found.value > found.allowed(case.game, case.delta)


def canonical_case(case: Case) -> Case:
    """Return the case as a certificate holds it: names in sorted order, at which filters may look.

    A violation counts only if it is one in this form as well.
    """
    text = canonical(game_to_json(case.game))
    return replace(case, game=game_from_json(load_json(text)))


def describe_failure(case: Case, error: ProtocolError | Declined) -> str:
    """Say what the target did, on which game and at which budget."""
    given = "".join(f", {name} = {value}" for name, value in case.parameters.items())
    return f"{case.name}, {describe_budget(case.epsilon, case.delta)}{given:.200}: {error}"


def describe_budget(epsilon: Epsilon, delta: Fraction) -> str:
    """Name a budget."""
    return f"epsilon = {format_epsilon(epsilon)}, delta = {delta}"


def parameters_to_try(target: Target, case: Case) -> list[dict[str, Any]]:
    """Return the case's own parameters, or those made for its depth, one round less, and one."""
    if case.parameters:
        return [dict(case.parameters)]
    depths = dict.fromkeys((case.game.depth, max(1, case.game.depth - 1), 1))
    sets = [
        one for depth in depths for one in parameter_sets(target, case.epsilon, case.delta, depth)
    ]
    return [one for i, one in enumerate(sets) if one not in sets[:i]]
