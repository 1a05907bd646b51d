"""What a privacy filter is: a rule that answers a request before it sees the output.

`decide` receives the partial transcript (r^i, y^{i-1}) as a `Step` and nothing else.  That the
answer at round i cannot peek at y_i is a matter of types, not of trust.  A filter is a pure
function: what it must remember is the state that it returns.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from itertools import islice
from pathlib import Path
from traceback import extract_tb
from typing import Any, Protocol, TypeVar, runtime_checkable

from filterproof.exact import Epsilon, ExpLinear
from filterproof.game import Step
from filterproof.game.law import Output

State = TypeVar("State", bound=Hashable)


class Decision(StrEnum):
    """A filter's answer to a request."""

    HALT = "halt"
    """Do not run the mechanism; the play is over."""
    LAST = "last"
    """Run it, release its output; then the play is over."""
    CONTINUE = "continue"
    """Run it, release its output, take another request."""
    REFUSE = "refuse"
    """Do not run it; something else may be asked for in the same round."""


OTHER_WAYS = ("decide_many", "explored")
"""What a filter in another process may offer besides `decide`: answers to many questions at once
(see `ask_many`), and a walk through a whole game (see `engine.by_position.graph.explore`)."""
_DECISIONS = {str(one): one for one in Decision}
_PLAIN = frozenset({int, str, bool, float, type(None), Fraction, ExpLinear})
_AS_A_TUPLE: object = tuple.__hash__


@runtime_checkable
class Filter(Protocol[State]):
    """The interface of a filter; `observe` and `markov` are optional (see `observe`).

    A filter to which every question is a journey may offer other ways to ask it (`OTHER_WAYS`).
    """

    def start(self) -> State:
        """Return the state before the opening round."""
        ...

    def decide(self, state: State, step: Step) -> tuple[Decision, State]:
        """Answer request i, knowing r^i and y^{i-1} only."""
        ...


class Target(Protocol):
    """What is audited: a callable that makes a filter for an exact budget."""

    def __call__(self, epsilon: Epsilon, delta: Any, /, **parameters: Any) -> Filter[Any]:
        """Return the filter for (ε, δ) and the parameters, if it has any."""
        ...


class ProtocolError(Exception):
    """A filter raised, or answered with something that is no answer."""


def start(rule: Filter[Any]) -> Hashable:
    """Return the filter's first state, checked."""
    try:
        state = rule.start()
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"start() raised {_say(error)}{_place(error)}") from error
    return _hashable(state, "start()")


def ask(rule: Filter[Any], state: Hashable, step: Step) -> tuple[Decision, Hashable]:
    """Return the filter's answer and next state; anything else than these is an error."""
    try:
        answer: Any = rule.decide(state, step)
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(
            f"decide() raised {_say(error)} at round {step.index}{_place(error)}"
        ) from error
    if type(answer) is tuple and len(answer) == 2 and type(answer[0]) is Decision:
        decision, after = answer  # what nearly all filters answer
        return decision, after if after is state else _hashable(after, "decide()")
    if not (issubclass(type(answer), tuple) and tuple.__len__(answer) == 2):
        raise ProtocolError(f"decide() must return (decision, state); got {answer!r:.200}")
    word, after = tuple.__iter__(answer)
    decision = _DECISIONS.get(_letters(word))
    if decision is None:
        raise ProtocolError(f"a decision is one of {[*map(str, Decision)]}; got {word!r:.200}")
    return decision, _hashable(after, "decide()")


def _letters(word: object) -> str:
    """Return what a string says, whatever its own class calls equal to it; else nothing."""
    return str.__str__(word) if issubclass(type(word), str) else ""


MANY = 512
"""So many questions at most are put at once to a filter that offers `decide_many`."""

Asked = TypeVar("Asked")


def ask_many(
    rule: Filter[Any],
    asked: Iterable[Asked],
    question: Callable[[Asked], tuple[Hashable, Step]],
) -> Iterator[tuple[Asked, Decision, Hashable]]:
    """Yield each thing asked about with its answer: one by one, or many at once where offered."""
    many = getattr(rule, "decide_many", None)
    if many is None:
        for one in asked:
            yield one, *ask(rule, *question(one))
        return
    things = iter(asked)
    while some := list(islice(things, MANY)):
        for one, answer in zip(some, many([question(one) for one in some]), strict=True):
            yield one, *answer


def observe(rule: Filter[Any], state: Hashable, step: Step, output: Output) -> Hashable:
    """Return the state after y_i is released; a filter without `observe` keeps its state."""
    method = getattr(rule, "observe", None)
    if method is None:
        return state
    try:
        return _hashable(method(state, step, output), "observe()")
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(
            f"observe() raised {_say(error)} at round {step.index}{_place(error)}"
        ) from error


def is_markov(rule: Filter[Any]) -> bool:
    """Return whether the filter declares that its answers do not depend on `history`."""
    return getattr(rule, "markov", False) is True


def parameter_sets(target: Any, epsilon: Epsilon, delta: Any, depth: int) -> list[dict[str, Any]]:
    """Return the keyword sets that a target wants to be tried with; one empty set by default."""
    offer = getattr(target, "parameters", None)
    if offer is None:
        return [{}]
    try:
        found: Iterable[Any] = list(offer(epsilon, delta, depth))
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"parameters() raised {_say(error)}{_place(error)}") from error
    if not all(isinstance(one, dict) for one in found):
        raise ProtocolError(f"parameters() must yield dicts; got {found!r:.200}")
    return list(found)


def _hashable(state: Any, source: str) -> Hashable:
    try:
        if not is_plain(state):
            hash(state)
    except Exception as error:
        raise ProtocolError(
            f"the state from {source} must be hashable; got {state!r:.200}"
        ) from error
    return state  # type: ignore[no-any-return]


def is_plain(state: Any) -> bool:
    """Whether it is a number, a name or a tuple of these: one need not hash it to know it can be.

    To hash a rational takes longer than many a filter takes to answer.
    """
    kind = type(state)
    return kind in _PLAIN or (kind.__hash__ is _AS_A_TUPLE and _PLAIN.issuperset(map(type, state)))


def _say(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


FRAMES = 3
"""So many places at most are named that an exception came through."""
OURS = str(Path(__file__).parent)


def _place(error: BaseException) -> str:
    """Return the lines outside of this package that an exception came from, the last one first."""
    frames = [(one.filename, one.lineno) for one in extract_tb(error.__traceback__)]
    here = os.path.join(os.getcwd(), "")
    places = [
        f"{file.removeprefix(here)}:{line}" for file, line in frames if not file.startswith(OURS)
    ]
    return f" ({' < '.join(places[::-1][:FRAMES])})" if places else ""
