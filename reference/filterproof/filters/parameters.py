"""Parameters that no filter can have, refused with the rule and the value."""

from filterproof.exact import ExactError
from filterproof.unknown import unknown_answers


class ParameterError(ExactError):
    """Filter parameters outside the range in which the filter's promise is made."""


@unknown_answers(0)
def is_whole(value: object) -> bool:
    """Return whether a value is an int, or an unknown number that stands for one."""
    return type(value) is int
