"""Inquiries: generators that yield questions, are sent the answers, and return what they found.

Inquiries are driven side by side, the questions of all of them at a time, so that a filter in
another process gets many questions in one message.  Each of them goes as it would go alone.  An
inquiry that drives others side by side is one itself.
"""

from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
Inquiry = Generator[list[Any], list[Any], T]
"""Yields questions, is sent the answers in their order, and returns what it wanted to know."""


def interleave(inquiries: Iterable[Inquiry[T]]) -> Inquiry[list[T]]:
    """Drive inquiries side by side, until all have ended; return their results in order.

    >>> def doubled(one):
    ...     (answer,) = yield [one]
    ...     return answer
    >>> drive(interleave(doubled(one) for one in "ab"), lambda some: [2 * one for one in some])
    ['aa', 'bb']
    """
    results: dict[int, T] = {}
    going: list[tuple[int, Inquiry[T], Any]] = [(i, one, None) for i, one in enumerate(inquiries)]
    while going:
        asked = []
        for number, one, answers in going:
            try:
                asked.append((number, one, one.send(answers)))
            except StopIteration as end:
                results[number] = end.value
        said = iter((yield [one for _, _, some in asked for one in some]) if asked else ())
        going = [(number, one, [*islice(said, len(some))]) for number, one, some in asked]
    return [results[number] for number in sorted(results)]


def drive(inquiry: Inquiry[T], answers: Callable[[list[Any]], list[Any]]) -> T:
    """Drive an inquiry to its end with whoever answers."""
    said: Any = None
    while True:
        try:
            asked = inquiry.send(said)
        except StopIteration as end:
            found: T = end.value
            return found
        said = answers(asked)


def bisect(runs: Callable[[int], Inquiry[bool]], guess: int, top: int) -> Inquiry[int]:
    """Return a place that runs while the next one does not; -1 if none does, `top` if that does.

    >>> def up_to(most):
    ...     def runs(place):
    ...         (answer,) = yield [place]
    ...         return answer <= most
    ...     return bisect(runs, 320, 639)
    >>> drive(interleave([up_to(333), up_to(-1)]), lambda places: places)
    [333, -1]
    """
    low, high, reach = -1, top, 1
    if (yield from runs(guess)):
        low = guess
        while low + reach < high and (yield from runs(low + reach)):
            low, reach = low + reach, 4 * reach
        high = min(high, low + reach)
    else:
        high = guess
        while high - reach > low and not (yield from runs(high - reach)):
            high, reach = high - reach, 4 * reach
        low = max(low, high - reach)
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (yield from runs(middle)) else (low, middle)
    return low
