"""Plays calls on a budget object and says what it granted, whatever the object is like.

This file and those that it imports use the standard library only, so that any interpreter can run
them, in the process of `playing`.  An object may answer by returning or raising, may
be a coroutine, a context manager or a generator, or may run the mechanism itself.
"""

import asyncio
import contextlib
import inspect
import re
import sys
from copy import copy
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from types import FunctionType
from typing import Any, NamedTuple

from filterproof_properties.targets.budget.clock import Clock, clock_of
from filterproof_properties.targets.budget.loading import (
    Fault,
    find,
    is_function,
    load,
    load_again,
    load_module,
    method_of,
    said,
)
from filterproof_properties.targets.budget.spelling import spelled_call

HELPERS = {"Fraction": Fraction, "Decimal": Decimal, "ceil": ceil, "floor": floor}
FAULTS = (
    TypeError,
    AttributeError,
    NameError,
    ImportError,
    LookupError,
    RecursionError,
    NotImplementedError,
    AssertionError,
    ZeroDivisionError,
)
"""Mistakes of a program: no refusal, unless the user names one of them as the refusal."""
IDENTITY, MODULE = "id", "module."
"""What a function of a module is given: the object; and how a call of such a function begins."""
EXCEPTION = "exception"
"""The word for `fails` that says: a failure reaches the object as an exception."""


class MechanismFailed(RuntimeError):
    """What a mechanism raises that fails after it has seen the data."""


class Refused(Exception):
    """What a service answers that refuses; the message is its answer."""


class Answer(NamedTuple):
    """Whether a request was granted, the calls with what came back, and of which kind that was.

    The kind is `raised`, `none`, `true`, `false`, `other`, `itself` where the object, or another
    one that takes its place, came back, or `ran` where the object runs the mechanism or encloses
    it.
    """

    granted: bool
    shown: str
    kind: str


# --- one object ---------------------------------------------------------------------------------


class Player:
    """One kind of budget object: opens fresh ones and plays requests on them.

    `words` is the table of a `BudgetCalls` whose calls have their arguments, and `target`.
    """

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words
        self.spends: list[str] = words["spend"]
        self.loop: Any = None
        factory, _, arguments = words["open"].partition("(")
        self.opens = f"({arguments}"
        self.name = (factory or words["target"]).rpartition(":")[2]
        early = clock_of(words.get("clock", ""))  # what the object's module imports is this one
        self.find(factory, load_module(words["target"].rpartition(":")[0]))
        self.now = early or (Clock(words["clock"]) if words.get("clock") else None)

    def find(self, factory: str, module: Any) -> None:
        """Find the target in its module, and what makes the object if that is something else."""
        where, _, name = self.words["target"].rpartition(":")
        beside, _, maker = factory.rpartition(":")
        self.module = module
        self.target = find(self.module, where, name)
        self.make = self.target
        if beside == where and hasattr(self.target, maker) and not hasattr(module, maker):
            raise Fault(f"{maker} is a call on {name}: write --open '{name}.{maker}(...)'")
        if factory:
            self.make = find(module, where, maker) if beside == where else load(factory)
        helpers = sys.modules.get(getattr(self.make, "__module__", ""), sys)
        self.known = {**vars(self.module), **vars(helpers), **HELPERS}

    @property
    def is_reloadable(self) -> bool:
        """Whether all that the object's module remembers is fresh once it is loaded again.

        A clock that is replaced in a module of the user's would be lost.
        """
        clock = self.words.get("clock", "").replace(":", ".").partition(".")[0]
        return not clock or clock in sys.stdlib_module_names

    def reloaded(self) -> "Player":
        """Return a player whose module, and all of its package, is loaded again."""
        made = copy(self)
        made.find(self.words["open"].partition("(")[0], load_again(self.module))
        return made

    def open(self, budget: dict[str, Any]) -> list[Any]:
        """Return a fresh object for a budget, and what opens others when they are first asked."""
        self.set_time(0.0)
        later = self.words.get("instances", 1) - 1
        return [self.open_one(budget), *[lambda: self.open_one(budget)] * later]

    @property
    def gives_ticket(self) -> bool:
        """Whether the spend is given what the check has returned: then that is what grants."""
        spends = " ".join(self.spends)
        return bool(self.words.get("check")) and bool(re.search(r"\bresult\b", spends))

    def set_time(self, passed: float) -> None:
        """Set the clock, if there is one, to so many seconds after the beginning of a play."""
        if self.now is not None:
            self.now.passed = passed

    def open_one(self, budget: dict[str, Any]) -> Any:
        """Return one fresh object: what makes it returns it, or nothing for the target itself."""
        if not callable(self.make):
            return self.make
        try:
            made = self.settled(
                self.evaluated(f"target{self.opens}", {"target": self.make}, budget)
            )
            return self.target if made is None else made
        except ValueError:
            raise
        except (Exception, SystemExit) as error:
            shown = spelled_call(self.name + self.opens, budget)
            raise Fault(f"{shown} raised {said(error)}") from None

    def called(self, it: Any, call: str, names: dict[str, Any], values: dict[str, Any]) -> Any:
        """Return what a call on an object returns, or a function of its module."""
        text = call if call.startswith(MODULE) else f"it.{call}"
        known = {**names, "it": it, IDENTITY: it, "module": self.module}
        return self.settled(self.evaluated(text, known, values))

    def described(self, it: Any, calls: list[str]) -> dict[str, Any]:
        """Return the parameters of calls, which of them are functions, and if they need `id`."""
        bare = {call: call.removeprefix(MODULE) for call in calls}
        functions = [
            call for call in calls if bare[call] != call or is_function(self.module, it, call)
        ]
        owners = {call: self.module if call in functions else it for call in calls}
        methods = {call: method_of(owners[call], bare[call]) for call in calls}
        return {"methods": methods, "functions": functions, "handle": it is not self.target}

    def spelled(self, call: str, values: dict[str, Any]) -> str:
        """Return a call as it is made."""
        return spelled_call(call, values)

    def evaluated(self, text: str, names: dict[str, Any], values: dict[str, Any]) -> Any:
        """Return the value of an expression of the user's, on the user's object."""
        with contextlib.redirect_stdout(sys.stderr):
            return eval(_compile_call(text), {**self.known, **names, **values})

    def settled(self, value: Any) -> Any:
        """Return the value itself; a coroutine is awaited, all of them in one event loop."""
        if not inspect.isawaitable(value):
            return value
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        with contextlib.redirect_stdout(sys.stderr):
            return self.loop.run_until_complete(_awaited(value))

    def ask(self, objects: list[Any], event: dict[str, Any]) -> Answer:
        """Put one request to the object: check, spend, and the mechanism, which may fail."""
        number = event.get("instance", 0)
        if number and isinstance(objects[number], FunctionType):
            objects[number] = objects[number]()
        if self.now is not None:
            self.now.wait(event.get("wait", 0))
        call = self.spends[event.get("call", 0)]
        request = _Request(self, objects, number, event)
        check = self.words.get("check")
        if check and not request.put(check):
            return request.answer(False)
        request.has_ticket = self.gives_ticket
        if self.words.get("between"):
            if request.failed:
                request.tell_failure()
                return request.answer(True)
            return request.answer(request.put(call))
        granted = request.put(call, runs=True)
        if granted and request.failed:
            request.tell_failure()
        return request.answer(granted)


@lru_cache(maxsize=256)
def _compile_call(text: str) -> Any:
    return compile(text, "<call>", "eval")


async def _awaited(value: Any) -> Any:
    return await value


class _Request:
    """One request on its way through the calls of an object."""

    def __init__(
        self, player: Player, objects: list[Any], number: int, event: dict[str, Any]
    ) -> None:
        self.player, self.objects, self.number = player, objects, number
        self.values, self.failed = event["values"], bool(event.get("failed"))
        self.shown: list[str] = []
        self.has_run = self.has_ticket = False
        self.kind = ""
        self.result: Any = None  # of the call before

    @property
    def it(self) -> Any:
        """The object as it is now: one that cannot change returns another one from a call."""
        return self.objects[self.number]

    def answer(self, granted: bool) -> Answer:
        """Return whether it was granted, with all that was called."""
        return Answer(granted, "; ".join(self.shown), self.kind)

    def mechanism(self, *_: Any, **__: Any) -> int:
        """Stand for the mechanism, where the object runs it."""
        self.has_run = True
        if self.failed:
            raise MechanismFailed("the mechanism fails after it has seen the data")
        return 0

    def put(self, call: str, runs: bool = False) -> bool:
        """Make one call; return whether it grants.  `runs` says that the mechanism runs in it."""
        shown = self.player.spelled(call, self.values)
        try:
            names = {"mechanism": self.mechanism, "result": self.result}
            result = self.player.called(self.it, call, names, self.values)
            if runs:
                result = self.entered(result)
        except MechanismFailed:
            self.shown.append(f"{shown} -> the mechanism failed")
            self.kind = "ran"
            return self.has_run
        except Fault:
            raise
        except (Exception, SystemExit) as error:
            return self.refused(shown, error)
        self.kind = "ran" if self.has_run else kind_of(result)
        self.shown.append(f"{shown} -> {result!r:.200}")
        self.result = result
        if type(result) is type(self.it) and not self.has_run and not is_plain(result):
            self.objects[self.number], self.kind = result, "itself"
        return self.has_run or self.is_granted(shown, result)

    def entered(self, result: Any) -> Any:
        """Go into a context or a generator, run the mechanism there, and leave it."""
        for kind, (enter, leave) in CONTEXTS.items():
            if hasattr(type(result), enter) and hasattr(type(result), leave):
                return self.inside(result, kind, enter, leave)
        if inspect.isgenerator(result):
            return self.through(result)
        return self.decorated(result) if inspect.isfunction(result) else result

    def decorated(self, decorate: Any) -> Any:
        """Run the mechanism as a decorator makes it: `budget.costs(epsilon)(mechanism)()`."""
        return self.player.settled(decorate(self.mechanism)())

    def inside(self, context: Any, kind: str, enter: str, leave: str) -> Any:
        """Enter a context, run the mechanism, leave it; a failure is an exception in there."""
        settled = self.player.settled
        inner = settled(getattr(context, enter)())
        error = self.failure() if self.failed else None
        told = (None, None, None) if error is None else (type(error), error, None)
        with contextlib.suppress(MechanismFailed):
            settled(getattr(context, leave)(*told))
        self.has_run = True
        return inner

    def through(self, steps: Any) -> Any:
        """Take the first value of a generator, run the mechanism, let the generator end."""
        first = next(steps, False)
        if first is False:
            return False
        with contextlib.suppress(MechanismFailed, StopIteration):
            if self.failed:
                steps.throw(self.failure())
            else:
                next(steps)
        self.has_run = True
        return first

    def failure(self) -> MechanismFailed:
        """Return the exception of a mechanism that fails."""
        return MechanismFailed("the mechanism fails after it has seen the data")

    def tell_failure(self) -> None:
        """Tell the object that the mechanism has failed, where it has a call for that."""
        call = self.player.words.get("fails", "")
        if not call or call == EXCEPTION:
            self.shown.append("the mechanism failed")
            return
        shown = self.player.spelled(call, self.values)
        self.shown.append(f"the mechanism failed; {shown}")
        try:
            self.player.called(self.it, call, {"result": self.result}, self.values)
        except (Exception, SystemExit) as error:
            raise Fault(f"{shown} raised {said(error)}") from None

    def refused(self, shown: str, error: BaseException) -> bool:
        """Return False if an exception is a refusal; raise what is a fault of the object's."""
        named = self.player.words.get("refusal", "")
        bases = {one.__name__ for one in type(error).__mro__}
        self.kind = "raised"
        if isinstance(error, Refused):
            self.shown.append(f"{shown} -> {error}")
            return False
        self.shown.append(f"{shown} raised {type(error).__name__}")
        if named and bases & {*named.split(",")}:
            return False
        if named or isinstance(error, (*FAULTS, SystemExit)):
            hint = f"if that is how it refuses, say --refusal {type(error).__name__}"
            expected = f"; a refusal is {named}" if named else f"; {hint}"
            raise Fault(f"{shown} raised {said(error)}{expected}", type(error).__name__)
        return False

    def is_granted(self, shown: str, result: Any) -> bool:
        """Return whether an answer grants, as the user says or as True, None and False do.

        A ticket grants, and what is done with it afterwards is refused by False only.
        """
        if self.has_ticket:
            return self.kind != "false"
        expression = self.player.words.get("granted", "")
        if expression:
            try:
                return bool(self.player.evaluated(expression, {"result": result}, self.values))
            except Exception as error:
                raise Fault(
                    f"{shown} returned {result!r:.200}; {expression!r} on that raised {said(error)}"
                ) from None
        if self.player.gives_ticket:
            return self.kind not in ("none", "false")
        if self.kind != "other" or self.player.words.get("trial"):
            return self.kind != "false"
        raise Fault(
            f'{shown} returned {result!r:.200}: say what grants, as in --granted "result.ok"'
        )


def kind_of(result: Any) -> str:
    """Return which kind of answer a value is: none, true, false or other.

    >>> [kind_of(value) for value in (None, True, False, 0)]
    ['none', 'true', 'false', 'other']
    """
    if result is None:
        return "none"
    return str(bool(result)).lower() if type(result).__name__ in ("bool", "bool_") else "other"


def is_plain(value: Any) -> bool:
    """Whether a value is a number or a text, which names a budget and is none."""
    return type(value) in (bool, int, float, str, bytes) or value is None


CONTEXTS = {
    "context manager": ("__enter__", "__exit__"),
    "asynchronous context manager": ("__aenter__", "__aexit__"),
}
