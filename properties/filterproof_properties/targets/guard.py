"""A target that nobody vouches for, watched: every call is timed, checked and sometimes repeated.

A filter is a pure function of (state, step).  `Guarded` finds out, as far as asking can, when
one is not: it answers differently when asked again or when a fresh copy is asked, it changes the
step it was shown, or it writes to standard output.  Each of these ends the audit with an error
that names the rule; none of them can end in "no violation found".
"""

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Filter, ProtocolError
from filterproof.game import Step
from filterproof.game.law import Output
from filterproof_properties.targets.target import Loaded, Target

ALWAYS = 64
"""So many first questions of each filter are repeated; after that every `SOMETIMES`-th one."""
SOMETIMES = 16


class Misbehaved(ProtocolError):
    """A target that is not the pure function it has to be."""


class TimeIsUp(BaseException):
    """Ends a play between two calls of a slow target; no `except Exception` holds it."""


class Watch:
    """What the target is doing right now, since when, and how much it has printed.

    After `until` the target is not called any more; None means that it may be.
    """

    def __init__(self, stdout: int | None = None) -> None:
        self.what = ""
        self.since: float | None = None
        self.until: float | None = None
        self.stdout = stdout

    @property
    def busy(self) -> float:
        """For how many seconds the current call has been running; 0 if there is none."""
        since = self.since
        return 0.0 if since is None else monotonic() - since

    def call(self, what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call the target; its exits become errors and its printing is one."""
        now = monotonic()
        if self.until is not None and now > self.until:
            raise TimeIsUp
        self.what, self.since = what, now
        before = self._printed()
        try:
            answer = function(*arguments, **named)
        except (Exception, SystemExit):
            raise
        except BaseException as error:  # nothing that a target raises may end the audit quietly
            raise Misbehaved(f"{what} raised {type(error).__name__}: {error}") from error
        finally:
            self.since = None
        if self._printed() != before:
            raise Misbehaved(
                f"{what} wrote to standard output: a filter is a pure function "
                "(print to standard error while you debug)"
            )
        return answer

    def _printed(self) -> int:
        return 0 if self.stdout is None else os.fstat(self.stdout).st_size


class GuardedTarget:
    """A target whose filters are `Guarded`; `parameters` is there iff the target offers it."""

    def __init__(self, target: Any, watch: Watch) -> None:
        self.target, self.watch = target, watch
        if hasattr(target, "parameters"):
            self.parameters = self._parameters

    def __call__(self, epsilon: Epsilon, delta: Any, /, **parameters: Any) -> "Guarded":
        """Return a guarded filter for this budget."""

        def make() -> Filter[Any]:
            made: Filter[Any] = self.watch.call(
                "making the filter", self.target, epsilon, delta, **parameters
            )
            return made

        rule = make()
        kind = GuardedObserver if hasattr(rule, "observe") else Guarded
        return kind(rule, make, self.watch)

    def _parameters(self, epsilon: Epsilon, delta: Any, depth: int) -> list[Any]:
        def offer() -> list[Any]:
            return list(self.target.parameters(epsilon, delta, depth))

        offered: list[Any] = self.watch.call("parameters()", offer)
        return offered


class Guarded:
    """One filter, watched; `make` makes a fresh copy of it."""

    __slots__ = ("make", "markov", "questions", "rule", "watch")

    def __init__(self, rule: Filter[Any], make: Callable[[], Filter[Any]], watch: Watch) -> None:
        self.rule, self.make, self.watch, self.questions = rule, make, watch, 0
        self.markov = getattr(rule, "markov", False)

    def start(self) -> Any:
        """Return the first state."""
        return self._ask("start()", lambda rule: rule.start())

    def decide(self, state: Hashable, step: Step) -> Any:
        """Answer one request."""
        return self._ask(_at("decide()", step), lambda rule: rule.decide(state, step), step)

    def _ask(self, what: str, question: Callable[[Any], Any], step: Step | None = None) -> Any:
        before = fingerprint(step)
        answer = self.watch.call(what, question, self.rule)
        self.questions += 1
        if self.questions <= ALWAYS or self.questions % SOMETIMES == 0:
            for rule in (self.rule, self.make()):
                self._same(what, answer, self.watch.call(what, question, rule))
        if fingerprint(step) != before:
            raise Misbehaved(f"{what} changed the step it was shown: a step is read-only")
        return answer

    def _same(self, what: str, answer: Any, again: Any) -> None:
        if not self.watch.call(f"comparing two answers of {what}", lambda: again == answer):
            raise Misbehaved(
                f"{what} answered {answer!r:.200}, and {again!r:.200} to the same question: "
                "a filter is a pure function, what it must remember is the state it returns"
            )


class GuardedObserver(Guarded):
    """A watched filter that also wants to see what was released."""

    __slots__ = ()

    def observe(self, state: Hashable, step: Step, output: Output) -> Any:
        """Tell the filter y_i."""

        def observe(rule: Any) -> Any:
            return rule.observe(state, step, output)

        return self._ask(_at("observe()", step), observe, step)


def guard(loaded: Loaded, watch: Watch) -> Loaded:
    """Return the same target, watched."""
    return replace(loaded, target=GuardedTarget(loaded.target, watch))


@contextmanager
def ending(target: Target, until: float | None) -> Iterator[None]:
    """Call a watched target until then and no longer: a play may take many slow calls."""
    if not isinstance(target, GuardedTarget):
        yield
        return
    target.watch.until = until
    try:
        yield
    finally:
        target.watch.until = None


def _at(call: str, step: Step) -> str:
    return f"{call} at round {getattr(step, 'index', '?')}"


def fingerprint(step: Step | None) -> tuple[object, ...]:
    """Return what a filter could have changed of a step by force; all of it is frozen."""
    if step is None:
        return ()
    game, mechanism = step.game, step.mechanism
    game_parts = (game.databases, game.pairs, id(game.menu), len(game.nodes), id(game.silent))
    menus = tuple((y, id(menu), *menu) for y, menu in mechanism.after.items())
    held = vars(step)  # likelihoods and history that are worked out on demand are not held
    own = (step.index, step.request, dict(held.get("mass", {})), held.get("history"))
    shown = (id(mechanism), id(mechanism.law), menus, mechanism.declared, tuple(step.menu))
    return (*game_parts, *own, *shown)
