"""The clock of a budget object, moved on by a play; the standard library only, like `player`."""

import datetime
import importlib
import sys
from typing import Any

from filterproof_properties.targets.budget.loading import Fault


class Clock:
    """A function that tells the time, replaced by one that a play moves on.

    >>> import time
    >>> clock = Clock("time.thread_time"); clock.wait(5); time.thread_time() - clock.begun
    5.0
    >>> time.thread_time = clock.original  # whoever else is in this process wants it back
    """

    def __init__(self, name: str) -> None:
        module, _, self.function = name.replace(":", ".").rpartition(".")
        self.owner: Any = _owner(module)
        if not callable(getattr(self.owner, self.function, None)):
            raise Fault(f"--clock {name}: no such function; as in time.time, datetime.datetime.now")
        self.original = getattr(self.owner, self.function)
        self.begun = self.original()
        self.passed = 0.0
        if isinstance(self.owner, type) and self.owner.__module__ == "datetime":
            self.owner = _stand_in(self.owner)
        setattr(self.owner, self.function, self.now)

    def now(self, *zone: Any, **named_zone: Any) -> Any:
        """Return the time of the play; in a time zone, if one is asked for."""
        if isinstance(self.begun, datetime.date):
            begun = self.original(*zone, **named_zone) if zone or named_zone else self.begun
            return begun + datetime.timedelta(seconds=self.passed)
        return self.begun + self.passed

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.passed += seconds


def clock_of(name: str) -> Clock | None:
    """Return the clock that is to be replaced before the object's module is loaded, if it can be.

    A module that imports it by `from` has the replaced one then.
    """
    module = name.partition(":")[0].partition(".")[0]
    return Clock(name) if module in sys.stdlib_module_names else None


def _stand_in(kind: Any) -> Any:
    """Return a class that stands for one of `datetime`, whose own functions cannot be replaced."""

    checks = {"__instancecheck__": lambda _, it: isinstance(it, kind)}
    made = type("Like", (type,), checks)(kind.__name__, (kind,), {})
    setattr(datetime, kind.__name__, made)
    return made


def _owner(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        where, _, name = module.rpartition(".")
        if where:
            return getattr(importlib.import_module(where), name)
        raise Fault(f"--clock: no module {module!r}") from None
