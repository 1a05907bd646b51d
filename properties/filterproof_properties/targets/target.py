"""What a target is: something that makes a filter for a budget, or declines to."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from filterproof.exact import Epsilon
from filterproof.filter import Filter, ProtocolError
from filterproof_properties.case import Case
from filterproof_properties.processes.child import Limits

COMMAND = "command:"
"""How the name of a target begins that is a program."""

Target = Callable[..., Filter[Any]]


class Declined(ValueError):
    """A target that has no filter for this budget or these parameters, `times` in a row."""

    def __init__(self, why: str, times: int = 1) -> None:
        super().__init__(why)
        self.times = times


class TargetError(Exception):
    """A target that cannot be loaded: the message names it and says what was expected."""


@dataclass(frozen=True)
class Loaded:
    """A target ready to be audited; `spec` is how to load it again, also in another process.

    A stranger's target has `limits`; one that exists in this process only is not `portable`.
    What is `remembered` broke it before, or may, and is tried first.
    """

    spec: str
    target: Target
    claims: tuple[str, ...]
    expected_sound: bool | None = None
    note: str = ""
    limits: Limits | None = None
    portable: bool = True
    remembered: tuple[Case, ...] = ()


def make_filter(
    target: Target, epsilon: Epsilon, delta: Fraction, parameters: dict[str, Any]
) -> Filter[Any]:
    """Make the filter; a `ValueError` means that the target declines, the rest is its fault."""
    try:
        made = target(epsilon, delta, **parameters)
    except ValueError as error:
        raise Declined(str(error)) from error
    except ProtocolError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"the target raised {type(error).__name__}: {error}") from error
    missing = [name for name in ("start", "decide") if not callable(getattr(made, name, None))]
    if missing:
        raise ProtocolError(
            f"no filter: {type(made).__name__} has no {missing[0]}(); of a budget object name the "
            "call that spends from it: --spend METHOD"
        )
    return made
