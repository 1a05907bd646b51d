"""Uses of the filter that would break its accounting, and how they are noticed."""

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

Output = TypeVar("Output")

LAZY = (inspect.isgenerator, inspect.isasyncgen, inspect.isawaitable)
"""What would draw later, as often as it likes."""

PATIENCE = 300.0
"""Seconds that a thread waits for the release of another one: more than a draw should take."""

_forks = 0


class FilterMisuse(RuntimeError):
    """A use of the filter that would break its accounting."""


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


def this_process() -> tuple[int, int]:
    """Return what tells this process from those it forked, whatever numbers they have.

    A number alone does not: the first process of a new namespace has the number 1 again.
    """
    return os.getpid(), _forks


def check_draw(draw: Callable[[], object]) -> None:
    """Raise for a function that cannot draw when it is called: a generator or a coroutine."""
    if inspect.isgeneratorfunction(draw) or inspect.isasyncgenfunction(draw):
        raise FilterMisuse("a draw must return one output; a generator would draw many, unpaid")
    if inspect.iscoroutinefunction(draw):
        raise FilterMisuse("a draw must return its output at once; await the coroutine inside it")


def draw_output(draw: Callable[[], Output]) -> Output:
    """Return the output of a draw; one that would draw again later is not let out."""
    output = draw()
    if any(is_lazy(output) for is_lazy in LAZY):
        kind = type(output).__name__
        raise FilterMisuse(f"a draw returned a {kind}, which would draw again, unpaid")
    return output


@contextmanager
def hold(lock: Lock) -> Iterator[None]:
    """Hold a filter's lock; a draw that waits for a release of the same filter ends in an error."""
    if not lock.acquire(timeout=PATIENCE):
        raise FilterMisuse(
            f"another thread's release has not ended for {PATIENCE:g} s; a draw must not wait for "
            "a release of the filter that runs it"
        )
    try:
        yield
    finally:
        lock.release()
